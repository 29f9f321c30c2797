"""Calls: who is called, with which arguments; Python's builtins, methods, and functions of the project."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import asks_for_update
from np2tnp.analysis.domain.containers import element_of, sequence_of
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.locations import is_parameter, kept_by
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.special_names import (
    asks_for_containers,
    changes_by_name,
    changes_its_own,
    frames_above,
    level_of_caller,
    sees_given_names,
    sees_names,
    takes_tensor,
)
from np2tnp.analysis.domain.summaries import from_host
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    BY_LAYOUT,
    CALLED,
    COPIED,
    EITHER,
    HOLDS_ARGUMENTS,
    HOST,
    INTEGERS,
    LENT,
    NO_NAMES,
    NONE,
    NOTHING,
    UNKNOWN,
    UNTENSORED,
    Array,
    Bound,
    Class,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    exact_of,
    made_of,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    refs_of,
    replace,
    scalar_type,
    shows_objects_tensors,
    with_refs,
)
from np2tnp.analysis.interpreter.access import Access
from np2tnp.analysis.interpreter.callees import Callees
from np2tnp.analysis.interpreter.closures import Closures
from np2tnp.analysis.interpreter.container_methods import Containers
from np2tnp.analysis.interpreter.expressions import Expressions
from np2tnp.analysis.interpreter.frame import HOST_FUNCTIONS, Frame, Names, Record, Visitor
from np2tnp.analysis.interpreter.numpy_results import NumpyCalls
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import Keeping, Writes, owner_of
from np2tnp.analysis.module.kept_functions import KEEPING
from np2tnp.analysis.syntax.python_tables import (
    BUILTINS_PYTHON,
    BY_ORDER,
    COMPUTING_METHODS,
    CONTAINER_MUTATORS,
    HARMLESS_METHODS,
    IN_PLACE_METHODS,
    KEEPING_METHODS,
    MEMBERS,
    NAMEDTUPLE,
    NUMBERS_OF_MODULES,
    OPERATING_BUILTINS,
    READING_METHODS,
    TENSOR_SAFE_BUILTINS,
)
from np2tnp.analysis.syntax.scopes import absolute, dotted, sketch

REDUCE = Symbol("functools.reduce")


_OPERANDS = frozenset((Array, Const, Scalar, Unknown))
#: Builtins after which names may be bound, and NumPy used, that nobody sees.
_RUNNING = ("__import__", "eval", "exec")


#: Builtins that call ``key`` themselves, and only compare what it gives.
_LEN = Symbol("builtins.len")
_COMPARING = (Symbol("builtins.max"), Symbol("builtins.min"), Symbol("builtins.sorted"))
#: Functions that give a list of some items of their first argument.
_SAMPLING = frozenset(("random.sample", "random.choices"))


def _is_range(value: Value) -> bool:
    return isinstance(value, Sequence) and value.type == "range"


def _inside(refs: frozenset[str]) -> frozenset[str]:
    """Those of the locations `refs` that are names and parameters: what an object of the region was made of."""
    return frozenset(ref for ref in refs if is_parameter(ref) or ref.isidentifier())


class Calls:
    """Evaluates calls; of builtins, most read what they get, and some call it."""

    def __init__(
        self,
        frame: Frame,
        visitor: Visitor,
        record: Record,
        names: Names,
        unseen: UnseenCode,
        placement: Placement,
        keeping: Keeping,
        writes: Writes,
        access: Access,
        closures: Closures,
        expressions: Expressions,
        callees: Callees,
        containers: Containers,
        numpy_calls: NumpyCalls,
    ) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.module = frame.module
        self.catalog = frame.catalog
        self.services = frame.services
        self.visitor = visitor
        self.record = record
        self.names = names
        self.unseen = unseen
        self.placement = placement
        self.keeping = keeping
        self.writes = writes
        self.access = access
        self.closures = closures
        self.expressions = expressions
        self.callees = callees
        self.containers = containers
        self.numpy_calls = numpy_calls

    def call(self, node: cst.Call, env: Env) -> Value:
        callee = self.access.callee(node.func, env)
        foreign = self.closures.is_foreign(callee)
        if callee == REDUCE and self.is_plain_reduction(node, env):  # what the function is called with comes first
            rest = [self._argument(arg, env, callee, foreign) for arg in node.args[1:]]
            callee = self.as_builtin(node, rest)
            arguments = (self._argument(node.args[0], env, callee, self.closures.is_foreign(callee)), *rest)
        else:
            arguments = self._arguments(node, env, callee, foreign)
        self._look_at_functions_given(node, callee, foreign, arguments, env)
        callee = self._of_known_objects(self.containers.as_of_text(node, callee, arguments), arguments)
        api = None if self.callees.calls_back(callee, arguments) else self.api_of(callee)
        receiver = callee.receiver if isinstance(callee, Bound) else None
        shows = self.unseen.call_made(node, callee, api, arguments, env)
        self.callees.hand_over(node, api or (callee.name if isinstance(callee, Symbol) else ""), arguments, env)
        if up := frames_above(callee, node, self.facts.node):
            by_caller = level_of_caller(callee, node, self.facts.node) if self.frame.depth == 0 else None
            self.unseen.look_up(node, dotted(node.func), up, by_caller)
        if receiver is not None and dotted(node.func).endswith(".setflags"):  # others must get the very array
            self.keeping.keep(frozenset((kept_by("its flags"),)), receiver, env)
        result, arguments = self._outcome(node, callee, api, arguments, receiver, env)
        if shows:
            result = self.unseen.with_shown(result, env)
        for argument in arguments:
            if argument.value.refs and UNTENSORED in argument.value.refs:
                result = self.expressions.calculated(node, api, arguments, argument.value, result)
        if receiver is not None and receiver.refs and UNTENSORED in receiver.refs:
            result = self.expressions.calculated(node, api, arguments, receiver, result)
        self.record.emit(ev.Call(node, self.record.place(node), callee, api, arguments, receiver, result))
        return result

    def _of_known_objects(self, callee: Value, arguments: tuple[ev.Argument, ...]) -> Value:
        """`callee`, said to be let in where it surely gets objects of the very classes that its door asks for."""
        if type(callee) is not Function or callee.nested or not any(type(it.value) is Instance for it in arguments):
            return callee
        summary = self.services.summary(callee)
        matched = summary.match(arguments) if summary is not None and summary.objects else None
        if summary is None or matched is None:
            return callee
        own = self.facts.qualname.rpartition(".")[0]  # the object of a method may be one of a subclass
        for name, made in summary.objects:
            given = matched[name].value if name in matched else None
            if given != Instance(made.qualname, made.module) or made.qualname == own:
                return callee
        return replace(callee, is_let_in=True)

    def _look_at_functions_given(
        self, node: cst.Call, callee: Value, foreign: bool, arguments: tuple[ev.Argument, ...], env: Env
    ) -> None:
        """Functions among the arguments: whoever gets one may call it."""
        for argument in arguments:
            if argument.value is LENT and not (foreign or getattr(callee, "name", "") in KEEPING):
                self.record.construct(node, ev.Kind.LENT)
            if isinstance(argument.value, Function) and argument.value.nested:
                self.closures.read_captured(node, argument.value, env)

    def _outcome(
        self,
        node: cst.Call,
        callee: Value,
        api: str | None,
        arguments: tuple[ev.Argument, ...],
        receiver: Value | None,
        env: Env,
    ) -> tuple[Value, tuple[ev.Argument, ...]]:
        """What the call returns, and its arguments, as they are looked at then."""
        if api is not None and api.startswith(("numpy", "ndarray")):
            return self.numpy_calls.numpy_call(node, api, arguments, receiver, env), arguments
        if sees_given_names(arguments, self.frame.scope.locals):
            self.record.construct(node, ev.Kind.OWN_NAMES, dotted(node.func) or "a callable")
        if callee == LENT:
            given = refs_of(self.callees.unresolved(node, dotted(node.func), arguments, env, pure=False))
            return Unknown(HOST, given | {CALLED}, view="view"), arguments
        if isinstance(callee, Symbol):
            return self._symbol_call(node, callee, arguments, env)
        if isinstance(callee, Function):
            if callee.nested:
                return self._call_of_nested(node, callee, arguments, env), arguments
            return self.callees.project_call(node, callee, arguments, env), arguments
        if isinstance(callee, Class):
            return self._instance(node, callee, arguments, env), arguments
        if isinstance(callee, Bound):
            return self._method(node, callee, arguments, env), arguments
        return self._call_of_unknown(node, callee, arguments, env), arguments

    def _symbol_call(
        self, node: cst.Call, callee: Symbol, arguments: tuple[ev.Argument, ...], env: Env
    ) -> tuple[Value, tuple[ev.Argument, ...]]:
        """A call of Python's own, or of another library's, by its canonical name."""
        name = callee.name
        if changes_its_own(name):
            return self.callees.unresolved(node, name.removeprefix("builtins."), arguments, env, pure=False), arguments
        if name.startswith("builtins."):
            if changes_by_name(name, arguments):  # the object, and what it keeps
                for argument in arguments:
                    self.callees.may_change(node, name.rpartition(".")[2], argument, env)
            if sees_names(name, arguments):
                self.record.construct(node, ev.Kind.OWN_NAMES, name[9:])
            return self._builtin(name[9:], arguments, env), arguments
        if (kept := self.containers.container_call(name, arguments, env)) is not None:
            return kept
        if (known := self.callees.known_callee(name, arguments)) is not None:
            return self.callees.known_call(node, known, arguments, env), arguments
        return self._library_call(node, name, arguments, env), arguments

    def _library_call(self, node: cst.Call, name: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """A call of another library's function, of which at most the catalog knows that it is pure."""
        pure = self.catalog.is_pure(name) and not any(
            asks_for_update(a) or a.value is LENT or self.callees.is_changer(a.value) for a in arguments
        )
        if pure and name.startswith("scipy."):  # where nobody wants its result, it stores into an argument
            wanted = type(self.frame.statement) is not cst.Expr or self.frame.statement.value is not node
            pure = wanted and not self.catalog.is_stored_into(name, sum(a.name is None for a in arguments))
        if not pure:
            self.facts.seen.unseen_callee(absolute(name, self.module.path))
        result = self.callees.unresolved(node, name, arguments, env, pure=pure)
        if pure and self.catalog.makes_object(name):
            return Symbol(f"{name}()")
        if pure and self._gives_array(name, arguments):
            refs = refs_of(result)
            return Array(HOST, refs=refs, view="view" if refs else "", zero_d="scalar")
        if pure and (kinds := self.catalog.vectors(name)) and len(arguments) == 1 and not arguments[0].star:
            vectors = [Array(HOST, INTEGERS if kind == "i" else ALL_DTYPES, 1, zero_d="never") for kind in kinds]
            return Sequence("tuple", Array(HOST, ALL_DTYPES, 1, zero_d="never"), tuple(vectors))
        if pure and name in NUMBERS_OF_MODULES:
            return Scalar(NUMBERS_OF_MODULES[name])
        if pure and name in _SAMPLING and arguments and _is_range(arguments[0].value):
            return Sequence("list", Scalar("int"))
        if name == NAMEDTUPLE:
            return Class(NAMEDTUPLE)
        if name == "functools.partial" and refs_of(result):
            return with_refs(result, refs_of(result) | {HOLDS_ARGUMENTS})
        return result

    def _gives_array(self, name: str, arguments: tuple[ev.Argument, ...]) -> bool:
        """Whether another library's function gives an array; flags that are told by place may ask for more."""
        if any(
            it.star or (isinstance(it.value, Const) and type(it.value.value) is bool) for it in arguments if not it.name
        ):
            return False
        keywords = [it.name for it in arguments if it.name]
        return self.catalog.gives_array(name, len(arguments) - len(keywords), keywords)

    def _call_of_nested(self, node: cst.Call, callee: Function, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """A call of a function that is defined in the region."""
        if self.frame.nested_keeps and any(may_hold_tensor(argument.value) for argument in arguments):
            self.record.construct(node, ev.Kind.NESTED_KEEPS)
        if self.facts.seen.captured:
            self.unseen.kept_may_change(node, dotted(node.func) or "a nested function", env)
        self.closures.read_captured(node, callee, env)
        self.frame.late.give(callee.qualname, id(node), arguments)
        return self.closures.nested_call(callee, arguments, env)

    def _call_of_unknown(self, node: cst.Call, callee: Value, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """A call of what nobody knows: an argument, an item, the result of a call."""
        result = self.callees.unresolved(node, dotted(node.func) or "a callable", arguments, env, pure=False)
        if exact_of(callee) is not None:  # nobody hands a function that returns tensors to a public function
            return Unknown(HOST, refs_of(result) | {CALLED}, view="view")
        if may_hold_tensor(callee):
            return Unknown(EITHER, refs_of(result), view="view")
        if HOLDS_ARGUMENTS in refs_of(callee):
            return Unknown(HOST, refs_of(result) | refs_of(callee), view="view")
        if inside := _inside(refs_of(callee)):
            return Unknown(HOST, refs_of(result) | inside, view="view")
        return result

    def _instance(self, node: cst.Call, made: Class, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        init = self.names.method_of(made, "__init__")
        summary = self.services.summary(init[0]) if init is not None else None
        known = self.services.class_of(made)
        if known is not None and known.array_base:
            self.record.construct(node, ev.Kind.SUBCLASS_INSTANCE, made.qualname)
        if known is not None and known.is_exception:
            self.facts.seen.exceptions.add(id(node))
        if summary is not None:
            self.callees.apply_summary(node, summary, arguments, env, migrated=False, skip=1)
        else:
            if known is None or not known.is_record:
                self.callees.unresolved(node, made.qualname, arguments, env, pure=False)
            for argument in arguments:  # its methods find them there
                self.callees.copies_may_differ(node, made.qualname, argument, arguments)
                self.keeping.keep(frozenset((kept_by(made.qualname),)), argument.value, env)
        return Instance(made.qualname, made.module)

    def _arguments(self, node: cst.Call, env: Env, callee: Value, foreign: bool) -> tuple[ev.Argument, ...]:
        found, start, ran = [], self.frame.ran, []
        for arg in node.args:
            found.append(self._argument(arg, env, callee, foreign))
            ran.append(self.frame.ran)
        if self.frame.ran > start:
            for item, before in zip(found, ran, strict=True):
                self.unseen.read_before(node, item.node.value, item.value, before, env)
            bound = isinstance(callee, Bound) and type(node.func) is cst.Attribute
            if isinstance(callee, Bound) and type(node.func) is cst.Attribute:
                self.unseen.read_before(node, node.func.value, callee.receiver, start, env)
            if id(node) in self.frame.ran_late:
                counted = zip(found, [start if bound else ran[0], *ran], ran, strict=False)
                late = dict.fromkeys(sketch(item.node.value) for item, before, after in counted if after > before)
                self.frame.late_parts[id(node)] = " and ".join(late), ", ".join(sorted(self.frame.ran_names)[:2])
        return tuple(found)

    def _argument(self, arg: cst.Arg, env: Env, callee: Value, foreign: bool) -> ev.Argument:
        lent = foreign and type(arg.value) is cst.Lambda and self.closures.lends(arg.value, env)
        keyword = arg.keyword.value if arg.keyword else None
        looked_up = self.containers.key_of_dict(arg.value, env) if keyword == "key" and callee in _COMPARING else None
        measured = callee == _LEN and type(env.values.get(dotted(arg.value))) is Array
        evaluate = self.access.described if measured else self.visitor.evaluate
        value = looked_up or (LENT if lent else evaluate(arg.value, env))
        return ev.Argument(arg, value, keyword, arg.star)

    def api_of(self, callee: Value) -> str | None:
        """The canonical NumPy name of what is called, or None when it is not NumPy's."""
        if isinstance(callee, Symbol):
            return callee.name if callee.name.startswith("numpy.") else None
        if isinstance(callee, Bound) and isinstance(callee.receiver, Array) and callee.name in MEMBERS:
            return f"ndarray.{callee.name}"
        return None

    # ---- Python's and others'

    def _method(self, node: cst.Call, callee: Bound, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        receiver, name = callee.receiver, callee.name
        where = node.func.value if type(node.func) is cst.Attribute else node.func
        result = self._method_of_known(node, where, callee, arguments, env)
        if result is not None:
            return result
        if name in MEMBERS and any(argument.name == "order" for argument in arguments):  # only arrays have such methods
            self.facts.assumed_arrays |= deps_of(receiver)
        if name in CONTAINER_MUTATORS and not self.containers.is_container(where, env):
            self.unseen.kept_may_change(node, f"{dotted(node.func) or '.' + name}", env)  # the method may be anybody's
        if name == "sort" and may_hold_tensor(receiver):
            self.writes.write(node, where, receiver, UNKNOWN, env, op="unknown.sort")
            return NONE
        self._note_updates_by_method(node, where, callee, arguments, env)
        home = EITHER if may_hold_tensor(receiver) else HOST
        if self._is_anybodys(where, receiver, name, arguments, env):
            if name in KEEPING_METHODS:
                self._is_kept_by(where, receiver, arguments, env)
            result = self.callees.unresolved(node, dotted(node.func) or f".{name}", arguments, env, pure=False)
            return Unknown(home, refs_of(receiver) | refs_of(result), view="view")
        if name in KEEPING_METHODS:
            self._is_kept_by(where, receiver, arguments, env)
            for argument in arguments:
                self.keeping.keeps_captured(argument, env)
            return UNKNOWN
        if name in HARMLESS_METHODS:
            if name == "copy":  # of a list of arrays, perhaps; what shows that it is none says so of the receiver
                return Unknown(home, refs_of(receiver), deps=deps_of(receiver))
            return Unknown(home, refs_of(receiver), view="view")
        return self._method_of_unknown(node, where, callee, arguments, env)

    def _method_of_known(
        self,
        node: cst.Call,
        where: cst.BaseExpression,
        callee: Bound,
        arguments: tuple[ev.Argument, ...],
        env: Env,
    ) -> Value | None:
        """What a method of a project's object, a container or a number gives; None of any other receiver."""
        receiver, name = callee.receiver, callee.name
        if isinstance(receiver, Instance):
            method = self.names.method_of(receiver, name)
            if method is not None:
                return self.callees.project_call(node, method[0], arguments, env, method[1])
            known = self.services.class_of(receiver)
            if known is None or known.is_open or self.unseen.gives_any(receiver):
                self.unseen.code_runs(node, dotted(node.func) or receiver.qualname, env)
        if isinstance(receiver, Sequence):
            return self.containers.container_method(where, receiver, name, arguments, env)
        if receiver is NOTHING:
            return NOTHING
        if isinstance(receiver, (Const, Scalar)) and scalar_type(receiver) != "object":
            for item in arguments:
                self.record.escape(item.node.value, item.value, f"is passed to .{name}()")
            return Scalar("str" if scalar_type(receiver) == "str" else "object")
        return None

    def _note_updates_by_method(
        self,
        node: cst.Call,
        where: cst.BaseExpression,
        callee: Bound,
        arguments: tuple[ev.Argument, ...],
        env: Env,
    ) -> None:
        """What a method, by its name, may do to a receiver of which little is known."""
        receiver, name = callee.receiver, callee.name
        special = name[:2] == "__" and isinstance(receiver, Array) and self.catalog.get(f"ndarray.{name}") is None
        if special and may_hold_tensor(receiver):
            self.record.construct(node, ev.Kind.METHOD_OBJECT, name)
        if special or name == "__setstate__":
            self.unseen.unfollowed(receiver)
        if name in IN_PLACE_METHODS and not may_hold_tensor(receiver):
            self.facts.seen.writes.update(parameters_in(refs_of(receiver)))
            self.unseen.updates_state(receiver)
        if name in IN_PLACE_METHODS and COPIED in refs_of(receiver):  # what a callee gave back of what it got
            self.writes.write(node, where, receiver, UNKNOWN, env, op=f"ndarray.{name}")
        if name in CONTAINER_MUTATORS and may_hold_tensor(receiver):
            self.facts.host_parameters |= parameters_in(refs_of(receiver))
        if name == "put" and len(arguments) > 1 and may_hold_tensor(receiver):  # no queue's, perhaps
            self.record.construct(node, ev.Kind.UNKNOWN_IN_PLACE_METHOD, name)
            self.keeping.updated_inside(refs_of(receiver), env)

    def _is_kept_by(
        self, where: cst.BaseExpression, receiver: Value, arguments: tuple[ev.Argument, ...], env: Env
    ) -> None:
        """The receiver holds the arguments from now on."""
        self.keeping.puts(receiver, [argument.value for argument in arguments])
        for argument in arguments:
            self.keeping.keep(refs_of(receiver) | {kept_by(dotted(where) or "an object")}, argument.value, env)

    def _method_of_unknown(
        self,
        node: cst.Call,
        where: cst.BaseExpression,
        callee: Bound,
        arguments: tuple[ev.Argument, ...],
        env: Env,
    ) -> Value:
        """What a method gives that is an array's by its name, or anybody's."""
        receiver, name = callee.receiver, callee.name
        if name in IN_PLACE_METHODS and may_hold_tensor(receiver):
            self.record.construct(node, ev.Kind.UNKNOWN_IN_PLACE_METHOD, name)
            self.keeping.updated_inside(refs_of(receiver), env)
            self.facts.seen.writes.update(given := parameters_in(refs_of(receiver)))
            if owner_of(where) is not None:  # an object's array: it is the caller's own where the object is
                self.facts.host_parameters |= given
        if name in BY_ORDER:
            receiver = self.placement.by_their_layout(receiver)
        by_order = name in BY_ORDER and refs_of(receiver) & self.assumed.host_locals
        if by_order and not self.placement.lie_as_in_numpy(refs_of(receiver)):
            return Unknown(HOST, refs_of(receiver) | copy_marks(refs_of(receiver)) | {BY_LAYOUT}, view="view")
        plain = not any(a.star or a.name == "out" for a in arguments)
        if plain and not deps_of(receiver) & self.assumed.objects and len(arguments) <= READING_METHODS.get(name, -1):
            home = EITHER if may_hold_tensor(receiver) else HOST
            if name in COMPUTING_METHODS:
                mark = self.names.subclass_mark(receiver) if arguments else NO_NAMES  # without an axis, it is a number
                return Unknown(home, mark, deps=deps_of(receiver))
            return Unknown(home, refs_of(receiver), view="view")
        result = self.callees.unresolved(node, f"{dotted(node.func) or '.' + name}", arguments, env, pure=False)
        if may_hold_tensor(receiver):
            return Unknown(EITHER, refs_of(receiver) | refs_of(result), view="view")
        fact = self.catalog.get(f"ndarray.{name}")
        gives = fact is None or fact.effect not in ("fresh", "none") or name in IN_PLACE_METHODS
        if gives and (name in MEMBERS or name[:2] == "__" or exact_of(receiver) is None):  # else the caller's object's
            result = with_refs(result, refs_of(result) | _inside(refs_of(receiver)))
        return result

    def _is_anybodys(
        self, where: cst.BaseExpression, receiver: Value, name: str, arguments: tuple[ev.Argument, ...], env: Env
    ) -> bool:
        """Whether a method called like one of Python's objects, or of arrays, may be that of any class.

        The name proves nothing. Whoever it is, it may change, keep and give back what it gets.
        """
        if name in KEEPING_METHODS | HARMLESS_METHODS:
            is_copy = name == "copy" and not arguments  # of an array, or of what is looked at when it is called
            return not is_copy and not self.containers.is_container(where, env)
        reads = name in READING_METHODS and any(may_hold_tensor(argument.value) for argument in arguments)
        by_runtime = name == "dot" and may_hold_tensor(
            receiver
        )  # ``for w in layers: x = w.dot(x)`` stays on the device
        return reads and (not by_runtime or self.module.has_method(name))

    # ---- Python's builtins

    def _builtin(self, name: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        values = [element_of(a.value) if a.star == "*" else a.value for a in arguments]
        values = [
            self.unseen.object_given(a.node, value, env, name) for a, value in zip(arguments, values, strict=True)
        ]
        spread = any(argument.star for argument in arguments)
        first = values[0] if values else NONE
        if name in _RUNNING or (name == "getattr" and isinstance(first, Symbol) and first.name.startswith("numpy")):
            self.record.note_unresolved()
        if self.facts.seen.captured and any(isinstance(v, Function) and v.nested for v in values):
            self.record.construct(arguments[0].node, ev.Kind.CLOSURE_STORE, "arrays")  # who knows when it runs
        operator = self._operator_called(name, arguments)
        for argument in arguments:
            if operator is None and not (takes_tensor(name, argument.value) or asks_for_containers(name, values)):
                self.record.escape(argument.node.value, argument.value, f"is passed to {name}()")
            if name == "id" and may_be_array(argument.value):  # a tensor is another object, after each update anew
                self.keeping.keep(frozenset((kept_by("its id"),)), argument.value, env)
                if may_hold_tensor(argument.value) and not parameters_in(refs_of(argument.value)):
                    self.record.construct(argument.node, ev.Kind.IDENTITY)
        key = next((argument.value for argument in arguments if argument.name == "key"), NONE)
        if self.called_with_items(key, [argument for argument in arguments if not argument.name]):
            values = [from_host(value) for value in values]
            first = values[0]
        if operator is not None:
            return operator
        if name in OPERATING_BUILTINS and shows_objects_tensors(values):
            for argument in arguments:
                self.record.escape(argument.node.value, argument.value, f"is passed to {name}() beside an object")
            values = [from_host(value) for value in values]
            first = values[0]
        if name in BUILTINS_PYTHON:
            kind = BUILTINS_PYTHON[name]
            shown = values[0] if name in ("getattr", "vars") and values and type(values[0]) is Unknown else UNKNOWN
            if name == "memoryview":
                self.unseen.unfollowed(*values)
                return Unknown(HOST, self.callees.given_back(arguments), view="view")
            return shown if kind == "object" else NONE if kind == "none" else Scalar(kind, kind == "int")
        if name in ("list", "tuple", "reversed", "sorted", "iter", "set"):
            kind = {"reversed": "iterator", "sorted": "list", "iter": "iterator"}.get(name, name)
            if not values:
                return Sequence(kind, NOTHING)
            items = first.items if isinstance(first, Sequence) and name in ("list", "tuple") else None
            return Sequence(kind, element_of(first), items, refs_of(first if kind == "iterator" else made_of(first)))
        if name == "range":
            return Sequence("range", Scalar("int"))
        if name == "enumerate":
            pair = sequence_of("tuple", [Scalar("int"), element_of(first)])
            return Sequence("iterator", pair, None, refs_of(first))
        if name == "zip":
            pair = sequence_of("tuple", list(map(element_of, values)), not spread)
            return Sequence("iterator", pair, None, NO_NAMES.union(*map(refs_of, values)))
        if name == "sum" and values:
            return self._summed(
                first, reduce(join, values) if spread else values[1] if len(values) > 1 else Const.of(0)
            )
        if name in ("min", "max", "next") and values:
            given = [value for value, argument in zip(values, arguments, strict=True) if argument.name is None]
            alone = (len(given) == 1 and not spread) or name == "next"
            choices = [element_of(first)] if alone else given
            others = given[1:] if name == "next" else [a.value for a in arguments if a.name == "default"]
            choices += [value for value in others if not isinstance(value, (Const, Scalar))]
            return reduce(join, choices)
        if name == "abs" and values:
            return (
                self.expressions.operator_result("abs", values)
                if may_be_array(first) or isinstance(first, Instance)
                else first
            )
        if name == "dict":
            return self.containers.dict_of(arguments)
        if name in ("map", "filter") and len(values) > 1:
            return self.mapped(name, arguments, env)
        if name == "reduce":
            return self.reduced(arguments, env)
        if name in ("any", "all"):
            return Scalar("bool")
        if name == "round":
            if len(values) == 1 and scalar_type(first) in ("int", "float"):
                return Scalar("int")
            return Scalar("number") if len(values) == 1 or not may_be_array(first) else UNKNOWN
        return Unknown(HOST, self.callees.given_back(arguments), view="view")

    def _summed(self, items: Value, start: Value) -> Value:
        """What ``sum(items, start)`` gives: where there are no items it is `start` itself, which others may hold."""
        item = element_of(items)
        if isinstance(start, Sequence):  # lists are joined
            return sequence_of(start.type, [element_of(start), element_of(item)], known=False)
        result = self.expressions.operator_result("add", [start, item])
        result = join(result, self.expressions.operator_result("add", [result, item]))
        return join(result, start) if may_be_array(start) else result

    def _operator_called(self, name: str, arguments: tuple[ev.Argument, ...]) -> Value | None:
        """What ``pow(x, y)`` and ``divmod(x, y)`` give of arrays and numbers: they are operators."""
        operands = [argument.value for argument in arguments]
        if name not in ("pow", "divmod") or len(operands) != 2 or any(it.star or it.name for it in arguments):
            return None
        if not any(map(may_be_array, operands)) or not _OPERANDS.issuperset(map(type, operands)):
            return None
        if name == "pow":
            return self.expressions.operator_result("pow", operands)
        return sequence_of("tuple", [self.expressions.operator_result(op, operands) for op in ("floordiv", "mod")])

    # ---- ... that call what they get

    def mapped(self, name: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """What ``map(function, *iterables)`` and ``filter(function, iterable)`` give; they read when they are asked."""
        function, values = arguments[0].value, [argument.value for argument in arguments]
        held = any(map(may_hold_tensor, values))
        nested = isinstance(function, Function) and function.nested
        if self.frame.nested_keeps and nested and (held or any(COPIED in refs_of(value) for value in values)):
            self.record.construct(arguments[0].node, ev.Kind.NESTED_KEEPS)
        refs = NO_NAMES.union(*map(refs_of, values))
        fresh = name == "map" and self._gives_new(function)
        kind, shown = ("map", NO_NAMES) if fresh else ("iterator", refs)
        if self.called_with_items(function, arguments[1:]):
            marks = copy_marks(refs) if held else NO_NAMES  # what is read is a copy
            own = held and name == "map" and not isinstance(function, Symbol)  # it may migrate, and give a tensor
            item = Unknown(EITHER if own else HOST, NO_NAMES if fresh else refs | marks, view="view")
            return Sequence(kind, item, None, refs | marks)
        if isinstance(function, Function) and function.nested:
            reads = self.frame.nested_reads.get(function.qualname, NO_NAMES)
            refs |= self.closures.read_later(reads, env) - reads  # the names themselves are read as they are by then
        if name == "filter":
            return Sequence(kind, element_of(values[1]), None, refs)
        if isinstance(function, Function) and function.nested:
            self.frame.late.lazy.add(function.qualname)
            return Sequence("map", self.closures.nested_call(function, arguments[1:], env), None, refs)
        return Sequence(kind, Unknown(EITHER if held else HOST, shown), None, refs)

    def is_plain_reduction(self, node: cst.Call, env: Env) -> bool:
        """Whether ``functools.reduce`` is called with a nested function: it calls that at once, as builtins do."""
        if len(node.args) not in (2, 3) or any(arg.star or arg.keyword for arg in node.args):
            return False
        function = node.args[0].value
        given = env.values.get(function.value) if type(function) is cst.Name else None
        return type(function) is cst.Lambda or (isinstance(given, Function) and given.nested)

    def as_builtin(self, node: cst.Call, rest: list[ev.Argument]) -> Symbol:
        """The callee of such a call: of ndarrays alone a lambda stays NumPy's."""
        on_host = HOST_FUNCTIONS in self.assumed.host_locals or not any(
            may_hold_tensor(argument.value) for argument in rest
        )
        return REDUCE if on_host and type(node.args[0].value) is cst.Lambda else Symbol("builtins.reduce")

    def reduced(self, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """What ``reduce(function, iterable, initial)`` gives: a value that is alone is given back."""
        function, iterable = arguments[0].value, arguments[1].value
        assert isinstance(function, Function)
        if self.frame.nested_keeps and any(
            may_hold_tensor(it.value) or COPIED in refs_of(it.value) for it in arguments
        ):
            self.record.construct(arguments[0].node, ev.Kind.NESTED_KEEPS)
        alone = arguments[2].value if len(arguments) > 2 else element_of(iterable)
        return join(alone, self.closures.nested_call(function, arguments[1:], env))

    def called_with_items(self, function: Value, arguments: Collection[ev.Argument]) -> bool:
        """``map(function, x)``, ``sorted(x, key=function)``: whether it gets items of `arguments` on the host.

        That is so for ``str`` and whatever else looks at a tensor in its own way, as a function of the project that
        stays NumPy may. Only a nested function is of this region, and rewritten with it.
        """
        if isinstance(function, (Const, Scalar)) or (isinstance(function, Function) and function.nested):
            return False
        builtin = function.name.removeprefix("builtins.") if isinstance(function, Symbol) else ""
        if builtin in TENSOR_SAFE_BUILTINS and not (
            builtin in OPERATING_BUILTINS and shows_objects_tensors([argument.value for argument in arguments])
        ):
            return False
        name = getattr(function, "name", "").rpartition(".")[2] if isinstance(function, (Symbol, Bound)) else ""
        name = name or (function.qualname if isinstance(function, Function) else "what is called")
        for argument in arguments:
            self.record.escape(argument.node.value, argument.value, f"is passed to {name}()")
        return True

    def _gives_new(self, function: Value) -> bool:
        """Whether what `function` gives shares no memory with its arguments, nor with what anything else holds."""
        if isinstance(function, Symbol):
            return self._makes_new(function.name)
        summary = self.services.summary(function) if isinstance(function, Function) and not function.nested else None
        return summary is not None and not refs_of(summary.result) and not summary.shows_defaults

    def _makes_new(self, function: str) -> bool:
        """Whether what a function of Python's or NumPy's gives shares no memory with its arguments."""
        if function.startswith("builtins."):
            return function == "builtins.abs" or BUILTINS_PYTHON.get(function[9:], "object") != "object"
        fact = self.catalog.get(function)
        return fact is not None and fact.effect not in ("view", "may-view")
