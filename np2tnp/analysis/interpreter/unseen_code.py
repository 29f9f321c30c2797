"""Code that runs without anybody having written a call of it, or that nobody follows.

Python asks objects by special methods: operators, iteration, ``with``, builtins. Where what is asked may be an object
whose class may then update an array in place (analysis/module/effects_by_name.py), it is assumed to do so.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import OBJECT_CODE, Env, Stale, shown
from np2tnp.analysis.domain.locations import is_global, is_parameter, is_state, of_attribute
from np2tnp.analysis.domain.special_names import (
    ALL_FRAMES,
    ASKING_AT_ONCE,
    BUILTINS,
    BY_NUMPY,
    CALLED,
    ENTERING,
    HASH,
    ITERATION,
    READING,
    STORING,
    TRUTH,
    asked_by,
    asked_by_builtin,
)
from np2tnp.analysis.domain.summaries import ANY_ATTRIBUTE, Summary
from np2tnp.analysis.domain.values import (
    HOST,
    LENT,
    NO_NAMES,
    TENSOR,
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
    is_numpy_number,
    may_hold_tensor,
    parameters_in,
    refs_of,
    with_refs,
)
from np2tnp.analysis.interpreter.frame import NESTED, Frame, Names, Record
from np2tnp.analysis.module.effects_by_name import CALLING, Changers, changers_of
from np2tnp.analysis.syntax.python_tables import CALLBACKS, CALLERS, NAMEDTUPLE
from np2tnp.analysis.syntax.scopes import dotted, sketch

_NEVER = frozenset((Const, Scalar, Array))
#: Functions of NumPy's that go through a generator.
_RESUMING = frozenset(("numpy.fromiter", "numpy.sum"))
#: Functions that give no part of an object.
_TELLING = frozenset(
    "ascii format print repr str complex float int round len bool hash id callable isinstance issubclass"
    " hasattr".split()
)
_OF_ATTRIBUTES = READING | STORING


class UnseenCode:
    """What an object holds may be changed by code that nobody wrote a call of, and shown by such code."""

    def __init__(self, frame: Frame, record: Record, names: Names) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.module = frame.module
        self.catalog = frame.catalog
        self.services = frame.services
        self.record = record
        self.names = names

    # ---- whose code may run

    def changers(self) -> Changers:
        """What in this module may update arrays in place without a call of it."""
        found = changers_of(self.module, self.catalog)
        if self.module.asked is None:
            self.module.asked = found.asked
            classes = [self.known_class(value) for value in self.module.values.values()]
            self.module.asked = found.asked.union(
                *(known.asked for known in map(self.services.class_of, filter(None, classes)) if known is not None)
            )
        return found

    def asked_here(self) -> frozenset[str]:
        """By which names Python may run code that updates arrays, of objects of which nobody knows the class."""
        self.changers()
        return self.module.asked or NO_NAMES

    def known_class(self, value: Value) -> Class | None:
        """The class of the project that the name of a module's top level means."""
        if isinstance(value, Symbol) and not value.name.startswith(("numpy.", "builtins.")):
            found = self.services.resolve(value.name)
            value = found if found is not None else value
        return value if isinstance(value, Class) else None

    def answers(self, value: Value, names: frozenset[str] | None, deep: bool = True) -> bool:
        """Whether code that may update arrays runs where `value`, or what it holds, is asked for one of `names`.

        None: for any of them.
        """
        kind = type(value)
        if kind in _NEVER:
            return False
        if kind is Instance:
            return self._instance_answers(value, names)  # type: ignore[arg-type]
        if kind is Unknown:
            if value.home == TENSOR:  # type: ignore[union-attr]
                return False
            asked = self.asked_here()
            lazy = self.frame.lazy_works and (names is None or not names.isdisjoint(ITERATION))
            return lazy or (bool(asked) if names is None else not asked.isdisjoint(names))
        if kind is Sequence:
            if value.type in ("iterator", "map") and self.frame.lazy_works:  # type: ignore[union-attr]
                return True
            items = value.items if value.items is not None else (value.element,)  # type: ignore[union-attr]
            return deep and any(self.answers(item, names) for item in items)
        if kind is Class:
            asked = self.asked_here()
            own = names is None or CALLED in names
            return (not asked.isdisjoint(names) if names is not None else bool(asked)) or (own and self._works(value))
        return (names is None or CALLED in names) and self._works(value)

    def _instance_answers(self, value: Instance, names: frozenset[str] | None) -> bool:
        known = self.services.class_of(value)
        if known is None:
            return True
        patched = self.changers().patched
        asked = known.asked | patched
        if known.holds_items:  # a record, or a container: it asks what it holds
            asked |= self.asked_here()
        if names is None:
            return bool(asked) or known.is_open
        if not asked.isdisjoint(names):
            return True
        if not known.is_open:
            return False
        others = names - READING - STORING - {CALLED} - known.methods.keys()
        return not (known.holds_plainly and others <= self.services.attributes(value).keys()) and bool(others)

    def _works(self, value: Value) -> bool:
        """Whether calling `value` runs code that may update arrays which objects hold."""
        if isinstance(value, Function):
            if value.nested:
                return value.qualname in self.frame.nested_working
            return _runs(self.services.summary(value))
        if isinstance(value, Bound):
            if isinstance(value.receiver, (Array, Sequence, Const, Scalar)):
                return False
            if isinstance(value.receiver, Instance):
                known = self.services.class_of(value.receiver)
                method = known.methods.get(value.name) if known is not None else None
                summary = self.services.summary(method[0]) if method is not None else None
                return _runs(summary)
            return True  # whatever its name: nobody knows whose method it is
        if isinstance(value, Class):
            known = self.services.class_of(value)
            init = known.methods.get("__init__") if known is not None else None
            summary = self.services.summary(init[0]) if init is not None else None
            return known is None or known.is_open or (init is not None and _runs(summary))
        return value is LENT

    # ---- asking

    def ask(
        self,
        node: cst.CSTNode,
        env: Env,
        values: Iterable[Value],
        names: frozenset[str] | None,
        deep: bool = True,
    ) -> bool:
        """Python may call those of the special methods `names` that one of `values` has, or that what it holds has."""
        values = list(values)
        if not (names is not None and names & _OF_ATTRIBUTES) and any(isinstance(it, Instance) for it in values):
            env.forget_attributes()
        found = any(self.answers(value, names, deep) for value in values)
        if found:
            self.frame.ran_names = self.asked_here() if names is None else self.asked_here() & names
            where = sketch(node)
            told = f" ({where})" if where.strip(".") else ""
            if not self.facts.seen.asks_objects:
                self.facts.seen.asked_who = next(filter(None, (self._whose(it, names) for it in values)), "")
            self.code_runs(node, f"{OBJECT_CODE}{told}", env)
        return found

    def operand_given(self, node: cst.CSTNode, asked: Value, given: Iterable[Value], names: frozenset[str]) -> None:
        """A special method of `asked`, whose class nobody knows, may change what it gets: it must be an array.

        That is looked at where the function is called, if `asked` is a parameter.
        """
        if type(asked) is not Unknown or self.frame.made == HOST or not any(map(may_hold_tensor, given)):
            return
        if self.asked_here().isdisjoint(names) or not self._change_operands(names):
            return
        deps = asked.deps - self.assumed.objects
        if deps and deps.isdisjoint(("self", "cls")):
            self.facts.assumed_arrays |= deps
        else:
            self.record.construct(node, ev.Kind.OBJECT_OPERATOR, "an operator or index")

    def _change_operands(self, names: frozenset[str]) -> bool:
        """Whether one of the special methods `names` of a class in sight updates what it gets in place."""
        for known in filter(None, map(self.known_class, self.module.values.values())):
            seen = self.services.class_of(known)
            methods = seen.methods if seen is not None else {}
            for name in names & methods.keys():
                summary = self.services.summary(methods[name][0])
                if summary is not None and set(summary.mutates) - {"self"}:
                    return True
        return False

    def ask_parts(self, node: cst.CSTNode, env: Env, *values: Value) -> None:
        """Python asks `values`, the parts of an expression or statement."""
        self.ask(node, env, values, asked_by(node))

    def read_before(self, whole: cst.CSTNode, node: cst.BaseExpression, value: Value, ran: int, env: Env) -> None:
        """`value` was read at `node` when so much code had run as `ran` says: what ran since may have changed it."""
        if self.frame.ran == ran or not value.refs or type(node) is cst.Call:
            return  # what a callee gave back is a new array nearly always, and NumPy's own object
        for name in sorted(value.refs & env.stale.keys())[:1]:
            self.record.emit(
                ev.StaleRead(node, self.record.place(node), shown([name]), env.stale[name], env.aliases(name))
            )
        if not value.refs.isdisjoint(env.held_outside()):
            self.frame.ran_late.add(id(whole))

    def object_tested(self, node: cst.CSTNode, value: Value, env: Env) -> None:
        """Whether an object is true."""
        self.ask(node, env, [value], TRUTH, deep=False)

    def object_iterated(self, node: cst.CSTNode, value: Value, env: Env) -> Value:
        """`value`, or what iterating over an object may give: anything that some object holds."""
        self.ask(node, env, [value], ITERATION, deep=False)
        return self.shown_of_objects(env) if isinstance(value, Instance) else value

    def object_entered(self, node: cst.CSTNode, value: Value, env: Env) -> Value:
        """What a ``with`` statement that begins with an object gives."""
        self.ask(node, env, [value], ENTERING, deep=False)
        if not isinstance(value, Instance):
            return value
        method = self.names.method_of(value, "__enter__")
        summary = self.services.summary(method[0]) if method is not None else None
        return value if summary is not None and isinstance(summary.result, Instance) else self.shown_of_objects(env)

    def object_given(self, node: cst.CSTNode, value: Value, env: Env, builtin: str) -> Value:
        """`value`, or what the function `builtin` of Python's may get out of an object."""
        self.ask(node, env, [value], asked_by_builtin(builtin))
        if not isinstance(value, Instance) or builtin in BUILTINS:
            return value
        return self.shown_of_objects(env)

    def attribute_read(self, node: cst.CSTNode, base: Value, name: str, env: Env) -> None:
        """``base.name``, which may be a property."""
        names = frozenset((name,))
        if isinstance(base, Instance):
            known = self.services.class_of(base)
            there = known is not None and (name in known.methods or name in self.services.attributes(base))
            names |= frozenset(("__getattribute__",)) if there else READING
        else:
            names |= READING
        self.ask(node, env, [base], names, deep=False)

    def attribute_stored_by(self, target: cst.Attribute, base: Value, env: Env) -> None:
        """``base.name = ...`` or ``del base.name``, where `name` may be a property."""
        self.ask(target, env, [base], STORING | {target.attr.value, "__set__", "__delete__"}, deep=False)

    def call_made(
        self, node: cst.Call, callee: Value, api: str | None, arguments: tuple[ev.Argument, ...], env: Env
    ) -> bool:
        """What a call may run besides its callee. Whether what it gives may be anything that an object holds."""
        values = [it.value for it in arguments if not self._is_quiet(it.node.value)]
        name = api or (callee.name if isinstance(callee, Symbol) else "")
        spread = [it.value for it in arguments if it.star]
        if spread:
            self.ask(node, env, spread, ITERATION | {"keys"}, deep=False)
        if isinstance(callee, (Function, Class)) or (
            isinstance(callee, Bound) and isinstance(callee.receiver, Instance)
        ):
            if isinstance(callee, Function) and callee.nested and self._works(callee):
                self.code_runs(node, dotted(node.func) or "a nested function", env)
            handed = [it for it in values if isinstance(it, Instance) or (isinstance(it, Function) and it.nested)]
            self.ask(node, env, handed, frozenset((CALLED,)))
            self.ask(node, env, [it for it in handed if isinstance(it, Instance)], None)
            return False
        names: frozenset[str] | None = None
        builtin = name.removeprefix("builtins.") if name.startswith("builtins.") else ""
        if builtin:
            names = asked_by_builtin(builtin)
        elif api is not None:
            names = BY_NUMPY | (ITERATION if api in _RESUMING else NO_NAMES)
            if api in CALLING or api in CALLBACKS:
                names |= {CALLED}
        elif isinstance(callee, Bound) and isinstance(callee.receiver, (Const, Scalar)):
            names = None
        receiver = callee.receiver if isinstance(callee, Bound) else None
        if isinstance(receiver, Sequence) or (isinstance(receiver, Unknown) and UNTENSORED in receiver.refs):
            values.append(receiver)
        named = (name or getattr(callee, "name", "")).rpartition(".")[2] in self.changers().changing
        if named and any(isinstance(value, (Unknown, Instance)) for value in (*values, receiver)):
            self.code_runs(node, dotted(node.func) or "a method", env)
        position, keyword = CALLBACKS.get(name, (0 if name in CALLERS else None, None))
        called = [
            it
            for index, it in enumerate(arguments)
            if (it.name is None and index == position) or (keyword is not None and it.name == keyword)
        ]
        if any(isinstance(it.value, Unknown) and not self._is_quiet(it.node.value) for it in called):
            self.code_runs(node, name, env)
        if self.ask(node, env, values, names) and builtin not in ASKING_AT_ONCE:
            self.frame.lazy_works = True
        objects = any(map(_holds_instance, values))
        return objects and builtin not in _TELLING and not isinstance(callee, Bound)

    def _is_quiet(self, node: cst.BaseExpression) -> bool:
        """Whether a function is written out there in which no such code runs."""
        name = f"<lambda {id(node)}>"
        return type(node) is cst.Lambda and name in self.frame.nested_results and name not in self.frame.nested_working

    def with_shown(self, result: Value, env: Env) -> Value:
        """`result` of what got an object: it may be what some object holds."""
        if isinstance(result, (Unknown, Sequence)):
            return with_refs(result, result.refs | env.held_outside())
        return result

    def gives_any(self, base: Instance) -> bool:
        """Whether a method of the object's class says what its attributes are."""
        known = self.services.class_of(base)
        return known is None or not READING.isdisjoint(known.methods)

    def shown_of_objects(self, env: Env) -> Value:
        """Anything that some object holds."""
        return Unknown(HOST, env.held_outside(), view="view")

    def key_asked(self, node: cst.CSTNode, values: Iterable[Value], env: Env) -> None:
        """What is a key is hashed."""
        self.ask(node, env, values, HASH)

    def _whose(self, value: Value, names: frozenset[str] | None) -> str:
        """Which method of the project runs where `value` is asked for `names`; empty where that is not known.

        Of what may be any object no class is named: it need not be one that has such a method.
        """
        if not isinstance(value, (Unknown, Instance)):
            return ""
        given = [self.known_class(it) for it in self.module.values.values()] if isinstance(value, Unknown) else []
        for known in (value, *filter(None, given)):
            seen = self.services.class_of(known) if isinstance(known, (Instance, Class)) else None
            asked = seen.asked if seen is not None else NO_NAMES
            if found := asked if names is None else asked & names:
                if isinstance(value, Instance):
                    return f"{value.qualname}.{min(found)}"
                return f"code of your own (a method {min(found)})"
        return f"a base class of {value.qualname}" if isinstance(value, Instance) else ""

    def object_method(self, node: cst.CSTNode, value: Instance, name: str, keeps: bool = False) -> None:
        """Python calls the method `name` with an array, which it may read (and keep, where `keeps`)."""
        method = self.names.method_of(value, name)
        summary = self.services.summary(method[0]) if method is not None else None
        if method is None or (
            summary is not None
            and not (summary.mutates or (summary.changeable and not keeps) or (summary.keeps and not keeps))
            and not any(is_parameter(ref) for ref in refs_of(summary.result))
        ):
            return
        self.record.construct(node, ev.Kind.OBJECT_OPERATOR, name)

    # ---- what such code may do

    def updates_state(self, base: Value) -> None:
        """An array of the caller that is the written one, too, must not have become a tensor: callers are told."""
        for ref in refs_of(base):
            if is_global(ref) and not ref.startswith(self.names.location("")):
                self.facts.updates |= self._names_of(ref)
            elif is_state(ref):
                self.facts.updates |= {ref}

    def unfollowed(self, *values: Value) -> None:
        """Something here may change, keep and give back the arrays `values` in a way that is not followed.

        Callers of this function are told the worst.
        """
        refs = NO_NAMES.union(*map(refs_of, values))
        given = parameters_in(refs) if refs.isdisjoint(NESTED) else frozenset(self.facts.parameters)
        self.facts.seen.unfollowed.update(given)
        for value in values:
            self.updates_state(value)

    def _names_of(self, location: str) -> set[str]:
        """By what a wrapper in this module can find an array of another module: an attribute, and imported names."""
        found = {of_attribute(location.rpartition(":")[2])}
        for name, value in self.module.values.items():
            known = self.services.resolve(value.name) if isinstance(value, Symbol) else None
            if known is not None and location in refs_of(known):
                found.add(self.names.location(name))
        return found

    def attributes_assigned(self, names: frozenset[str], env: Env) -> None:
        """Other code runs that may assign to these attributes."""
        self.facts.seen.assigns |= names
        env.forget_attributes(None if names & ANY_ATTRIBUTE else names)

    def kept_may_change(
        self, node: cst.CSTNode, callee: str, env: Env, assigns: frozenset[str] = ANY_ATTRIBUTE
    ) -> None:
        """What some object holds on to may be changed by any code that runs: our tensors would not show it.

        `assigns`: the attributes to which that code may assign.
        """
        self.frame.worked += 1
        self.attributes_assigned(assigns, env)
        self.facts.seen.runs_others = True
        stale = Stale(callee, id(node), "call on a view")
        for name in env.held_outside():
            held = env.values.get(name)
            if held is not None and name.isidentifier() and may_hold_tensor(held) and not is_numpy_number(held):
                env.stale[name] = env.stale[name].join(stale) if name in env.stale else stale

    def look_up(
        self,
        node: cst.CSTNode,
        callee: str,
        frames: int,
        by_caller: tuple[str, int] | None = None,
        behind: str = "",
    ) -> None:
        """`callee` looks at so many frames above that of the function here, or at as many as a parameter says.

        `behind`: the call that looks, and where it stands, if `callee` only comes to it.
        """
        frames = ALL_FRAMES if frames > ALL_FRAMES // 2 else frames
        seen = self.facts.seen
        if not seen.looks_at or frames > seen.looks_up:
            seen.looks_at = behind or f"{callee}() ({self.facts.qualname} in {_file(self.module.path)})"
        if by_caller is not None:
            seen.levels.add(by_caller)
        else:
            seen.looks_up = max(frames, seen.looks_up)
        self.record.construct(node, ev.Kind.FRAMES_OF_CALLERS, f"{callee}|{behind}")

    def code_runs(self, node: cst.CSTNode, whose: str, env: Env) -> None:
        """Code runs here that may change whatever objects hold."""
        self.frame.ran += 1
        self.facts.seen.asks_objects = True
        self.facts.seen.asked_at = self.facts.seen.asked_at or node
        self.kept_may_change(node, whose, env)

    def object_works(self, node: cst.CSTNode, receiver: Instance, env: Env) -> None:
        """What `receiver` holds may be changed by whom it was given to."""
        if receiver.qualname != NAMEDTUPLE:
            self.kept_may_change(node, receiver.qualname, env)


def _file(path: str) -> str:
    """The name of a module's file, without the folders that differ from one machine to the next."""
    *folders, name = PurePath(path).parts or ("this module",)
    return f"{folders[-1]}/{name}" if name == "__init__.py" and folders else name


def _runs(summary: Summary | None) -> bool:
    return summary is None or summary.works or bool(summary.updates or summary.mutates)


def _holds_instance(value: Value) -> bool:
    if isinstance(value, Sequence):
        return any(map(_holds_instance, value.items if value.items is not None else (value.element,)))
    return isinstance(value, Instance) or (isinstance(value, Bound) and isinstance(value.receiver, Instance))
