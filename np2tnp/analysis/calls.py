"""Calls: what is called, what it returns, and what it may change or keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.env import Env, Stale
from np2tnp.analysis.evaluate import METHODS, SHARED, Evaluator
from np2tnp.analysis.module import dotted
from np2tnp.analysis.results import CANONICAL, DTYPE_NAMES, dtype_char, foreign_dtype, result_dtypes
from np2tnp.analysis.state import Summary
from np2tnp.analysis.tables import (
    BUILTINS_PYTHON,
    CONTAINER_MUTATORS,
    HARMLESS_METHODS,
    KEEPING_METHODS,
    MEMBERS,
    NEVER_0D,
    PYTHON_METHODS,
    REDUCTIONS,
    SAME_RANK,
    TENSOR_SAFE_BUILTINS,
)
from np2tnp.analysis.values import (
    ALL_DTYPES,
    EITHER,
    HOST,
    NO_NAMES,
    NONE,
    NOTHING,
    TENSOR,
    UNKNOWN,
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
    is_python_number,
    join,
    may_be_array,
    may_hold_tensor,
    refs_of,
    scalar_type,
)
from np2tnp.catalog.catalog import ApiFact, Catalog

#: Methods that give a scalar for a NumPy scalar, and an array for a 0-d array.
_SCALAR_TO_SCALAR = frozenset("astype copy squeeze transpose swapaxes view round conj conjugate clip".split())
#: Calls of NumPy whose result is a Python object even where the catalog does not say so.
_PYTHON_RESULTS = frozenset(("numpy.shape", "numpy.ndim", "numpy.size", "numpy.dtype", "numpy.iinfo", "numpy.finfo"))


def bind(fact: ApiFact, arguments: tuple[ev.Argument, ...], skip: int = 0) -> dict[str, ev.Argument] | None:
    """Arguments by NumPy's parameter name, or None where a ``*`` or ``**`` hides them. `skip`: parameters already taken."""
    bound: dict[str, ev.Argument] = {}
    positional = list(fact.positional)[skip:]
    variadic = next((text[1:] for text in fact.parameters if text.startswith("*") and text[1:2] not in ("", "*")), None)
    for index, argument in enumerate(arguments):
        if argument.star:
            return None
        if argument.name is not None:
            bound[argument.name] = argument
        elif index < len(positional):
            bound[positional[index]] = argument
        elif variadic is not None:
            bound[f"{variadic}[{index - len(positional)}]"] = argument
        else:
            bound[f"?{index}"] = argument
    return bound


def ufunc_method(catalog: Catalog, api: str) -> tuple[str, str] | None:
    """("numpy.add", "reduce") for ``numpy.add.reduce``; None for what is not a method of a ufunc."""
    owner, _, method = api.rpartition(".")
    if method not in ("at", "reduce", "accumulate", "outer", "reduceat"):
        return None
    fact = catalog.get(owner)
    return (owner, method) if fact is not None and fact.kind == "ufunc" else None


class Calls(Evaluator):
    """Evaluates calls."""

    def _call(self, node: cst.Call, env: Env) -> Value:
        callee = self.callee(node.func, env)
        arguments = tuple(self._argument(arg, env) for arg in node.args)
        api = self.api_of(callee)
        receiver = callee.receiver if isinstance(callee, Bound) else None
        if api is not None and api.startswith(("numpy", "ndarray")):
            result = self._numpy_call(node, api, arguments, receiver, env)
        elif isinstance(callee, Symbol) and callee.name.startswith("builtins."):
            result = self._builtin(callee.name[9:], arguments, env)
        elif isinstance(callee, Symbol):
            self._unresolved(node, callee.name, arguments, env, pure=self.catalog.is_pure(callee.name))
            result = UNKNOWN
        elif isinstance(callee, Function) and callee.nested:
            result = self._nested_call(callee, arguments)
        elif isinstance(callee, Function):
            result = self._project_call(node, callee.qualname, arguments, env)
        elif isinstance(callee, Class):
            info = self.module.classes[callee.qualname]
            init = info.methods.get("__init__")
            summary = self.services.summary(init) if init else None
            if summary is not None:
                self._apply_summary(node, summary, arguments, env, migrated=False)
            elif self.is_record(info):
                for argument in arguments:
                    self.keep(frozenset((f"kept by {callee.qualname}",)), argument.value, env)
            else:
                self._unresolved(node, callee.qualname, arguments, env, pure=False)
            result = Instance(callee.qualname)
        elif isinstance(callee, Bound):
            result = self._method(node, callee, arguments, env)
        else:
            self._unresolved(node, dotted(node.func) or "a callable", arguments, env, pure=False)
            result = Unknown(EITHER) if may_hold_tensor(callee) else UNKNOWN
        self.emit(ev.Call(node, self.place(node), callee, api, arguments, receiver, result))
        return result

    def _argument(self, arg: cst.Arg, env: Env) -> ev.Argument:
        value = self.evaluate(arg.value, env)
        return ev.Argument(arg, value, arg.keyword.value if arg.keyword else None, arg.star)

    def api_of(self, callee: Value) -> str | None:
        """The canonical NumPy name of what is called, or None when it is not NumPy's."""
        if isinstance(callee, Symbol):
            return callee.name if callee.name.startswith("numpy.") else None
        if isinstance(callee, Bound) and isinstance(callee.receiver, Array) and callee.name in MEMBERS:
            return f"ndarray.{callee.name}"
        return None

    # ---- NumPy's own

    def _numpy_call(
        self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], receiver: Value | None, env: Env
    ) -> Value:
        if api in ("numpy.random.default_rng", "numpy.random.Generator", "numpy.random.RandomState"):
            return Symbol("numpy.random.RandomState" if api.endswith("RandomState") else "numpy.random.Generator")
        if api.startswith("numpy.random."):
            return self._random(node, api, arguments, env)
        fact = self.catalog.get(api)
        if fact is None or ufunc_method(self.catalog, api) is not None:
            return self._ufunc_method(node, api, arguments, env)
        bound = bind(fact, arguments)
        if bound is None:
            home = TENSOR if self.made == TENSOR else HOST
            refs = NO_NAMES.union(*(refs_of(argument.value) for argument in arguments))
            return Array(home, refs=refs if fact.effect != "fresh" else NO_NAMES, zero_d=fact.zero_d)
        for name in fact.mutates:
            if name == "self" and receiver is not None:
                func = node.func
                self.write(
                    node, func.value if isinstance(func, cst.Attribute) else func, receiver, UNKNOWN, env, op=api
                )
            elif name in bound:
                self.write(node, bound[name].node.value, bound[name].value, UNKNOWN, env, op=api)
        out = bound.get("out")
        if out is not None and isinstance(out.value, Sequence):
            self.construct(out.node, "out tuple")
        elif out is not None and out.value != NONE:
            self.write(node, out.node.value, out.value, UNKNOWN, env, op="out=")
            return replace(out.value, view=False) if isinstance(out.value, Array) else out.value
        values: dict[str, Value] = {name: argument.value for name, argument in bound.items()}
        if receiver is not None:
            values["self"] = receiver
            for text in ("a", "x", "self"):
                values.setdefault(text, receiver)
        return self._result(api, fact, values, receiver)

    def _random(self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """A draw: floats and integers of the machine's size, Python numbers where no size is given."""
        name = api.rpartition(".")[2]
        if name in ("shuffle", "permuted") and arguments:
            if name == "shuffle" or any(argument.name == "out" for argument in arguments):
                self.write(node, arguments[0].node.value, arguments[0].value, UNKNOWN, env, op=api)
            if name == "shuffle":
                return NONE
        if name in ("seed", "set_state"):
            return NONE
        if name in (
            "get_state",
            "bytes",
            "spawn",
            "PCG64",
            "MT19937",
            "SeedSequence",
            "Philox",
            "SFC64",
            "BitGenerator",
        ):
            return UNKNOWN
        fact = self.catalog.get(api)
        bound = bind(fact, arguments) if fact is not None else None
        if bound is None:
            return Array(self.made)
        dtypes = ALL_DTYPES
        if "dtype" in bound:
            char = dtype_char(bound["dtype"].value)
            dtypes = frozenset(char) if char else ALL_DTYPES
        elif name in _FLOAT_DRAWS:
            dtypes = frozenset("d")
        elif name in ("integers", "randint", "poisson", "binomial"):
            dtypes = frozenset("l")
        size = bound.get("size")
        if name in ("rand", "randn"):
            return Array(self.made, dtypes, len(arguments)) if arguments else _number(dtypes, self.made)
        if size is None or size.value == NONE:
            if name in _FLOAT_DRAWS and any(may_be_array(argument.value) for argument in arguments):
                return Array(EITHER if self.made == TENSOR else HOST, dtypes, weak=True)
            if name in _FLOAT_DRAWS or name in ("integers", "randint"):
                return _number(dtypes, self.made)
            return Array(EITHER if self.made == TENSOR else HOST, ALL_DTYPES, weak=True)
        return Array(self.made, dtypes, _shape_rank(size.value))

    def _result(self, api: str, fact: ApiFact, values: Mapping[str, Value], receiver: Value | None) -> Value:
        name = api.rpartition(".")[2]
        deps = NO_NAMES.union(*(deps_of(value) for value in values.values())) if values else NO_NAMES
        if api.startswith("ndarray.") and name in PYTHON_METHODS:
            return Scalar(PYTHON_METHODS[name])
        if fact.returns in ("python", "none") or api in _PYTHON_RESULTS or fact.result == "python":
            if name in ("shape", "ndim", "size"):
                return Sequence("tuple", Scalar("int")) if name == "shape" else Scalar("int")
            return NONE if fact.returns == "none" else UNKNOWN
        if fact.kind in ("dtype", "class") and api not in ("numpy.ndarray", "ndarray"):
            return self._scalar_type_call(api, values, deps)
        first = receiver if receiver is not None else next(iter(values.values()), None)
        dtypes = result_dtypes(fact.result, {**values, **self._synonyms(fact, values)})
        foreign = values.get("dtype")
        if foreign is not None and foreign_dtype(foreign):
            dtypes = ALL_DTYPES
        rank = self._rank(name, fact, values, first)
        refs: frozenset[str] = NO_NAMES
        exact: str | None = None
        view = False
        if fact.effect in ("view", "may-view") and first is not None:
            refs = refs_of(first)
            view = fact.effect == "view"
            if name in ("asarray", "asanyarray", "ascontiguousarray", "asfortranarray") and len(values) == 1:
                exact = exact_of(first)
            elif name == "astype" or name == "array":
                copy = values.get("copy")
                if copy is None or copy == Const.of(True):
                    refs = NO_NAMES
        home = self.made
        if dtypes is None:
            return UNKNOWN
        zero_d = "never" if name in NEVER_0D else fact.zero_d
        if isinstance(receiver, Array) and receiver.zero_d == "scalar" and name in _SCALAR_TO_SCALAR:
            zero_d = "scalar"
        made = Array(home, dtypes, rank, refs, exact, deps, zero_d=zero_d, view=view)
        if fact.returns in ("tuple", "list"):
            return Sequence(fact.returns, made, None, refs)
        return made

    def _synonyms(self, fact: ApiFact, values: Mapping[str, Value]) -> dict[str, Value]:
        """Variadic and list arguments under the name that the result rule uses."""
        extra: dict[str, Value] = {}
        for name, value in values.items():
            if name.endswith("[0]"):
                extra[name[:-3]] = value
        return extra

    def _scalar_type_call(self, api: str, values: Mapping[str, Value], deps: frozenset[str]) -> Value:
        char = DTYPE_NAMES.get(api)
        if char is None:
            if api.endswith(("Generator", "RandomState", "default_rng")):
                return Unknown(HOST)
            return UNKNOWN
        only: Value = next(iter(values.values()), Scalar("int"))
        if isinstance(only, (Const, Scalar)) and len(values) <= 1:
            return Array(HOST, frozenset(char), 0)
        rank = only.rank if isinstance(only, Array) else None
        return Array(EITHER if self.made == TENSOR else HOST, frozenset(char), rank, deps=deps)

    def _rank(self, name: str, fact: ApiFact, values: Mapping[str, Value], first: Value | None) -> int | None:
        if name in REDUCTIONS:
            keepdims = values.get("keepdims", Const.of(False))
            if values.get("axis", NONE) == NONE and keepdims == Const.of(False):
                quantile = values.get("q")
                return (
                    (quantile.rank if isinstance(quantile, Array) else 0 if is_python_number(quantile) else None)
                    if quantile
                    else 0
                )
            if isinstance(first, Array) and first.rank and scalar_type(values.get("axis", NONE)) == "int":
                return first.rank - (keepdims == Const.of(False))
            return None
        if fact.kind == "ufunc" or name in SAME_RANK:
            ranks = [
                value.rank if isinstance(value, Array) else 0 if is_python_number(value) else None
                for key, value in values.items()
                if key not in ("dtype", "out", "where", "axis", "kind", "self", "decimals", "order", "copy")
            ]
            if fact.name.startswith("ndarray."):
                ranks = [first.rank if isinstance(first, Array) else None]
            if name in ("array", "asarray", "asanyarray") and isinstance(first, Sequence):
                return _sequence_rank(first)
            return None if None in ranks or not ranks else max(rank for rank in ranks if rank is not None)
        shape = values.get("shape", values.get("size"))
        if name in (
            "zeros",
            "ones",
            "empty",
            "full",
            "rand",
            "random",
            "normal",
            "uniform",
            "standard_normal",
            "integers",
            "randint",
        ):
            return _shape_rank(shape)
        return {
            "arange": 1,
            "linspace": 1,
            "logspace": 1,
            "geomspace": 1,
            "eye": 2,
            "identity": 2,
            "ravel": 1,
            "flatten": 1,
        }.get(name)

    def _ufunc_method(self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """``np.add.at(...)``, ``np.add.reduce(...)``; or a name that NumPy does not have."""
        found = ufunc_method(self.catalog, api)
        if found is not None:
            owner, method = found
            if method == "at":
                if arguments:
                    self.write(node, arguments[0].node.value, arguments[0].value, UNKNOWN, env, op=f"{owner}.at")
                return NONE
            for argument in arguments:
                if argument.name == "out" and argument.value != NONE:
                    self.write(node, argument.node.value, argument.value, UNKNOWN, env, op="out=")
                    return argument.value
            deps = NO_NAMES.union(*(deps_of(argument.value) for argument in arguments))
            return Array(self.made, deps=deps)
        self.unresolved += 1
        self._unresolved(node, api, arguments, env, pure=False)
        return UNKNOWN

    # ---- Python's and others'

    def _builtin(self, name: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        values = [argument.value for argument in arguments]
        first = values[0] if values else NONE
        if name not in TENSOR_SAFE_BUILTINS:
            for argument in arguments:
                self.escape(argument.node.value, argument.value, f"is passed to {name}()")
        if name in BUILTINS_PYTHON:
            kind = BUILTINS_PYTHON[name]
            return UNKNOWN if kind == "object" else NONE if kind == "none" else Scalar(kind)
        if name in ("list", "tuple", "reversed", "sorted", "iter", "set"):
            kind = {"reversed": "iterator", "sorted": "list", "iter": "iterator"}.get(name, name)
            if not values:
                return Sequence(kind, NOTHING)
            items = first.items if isinstance(first, Sequence) and name in ("list", "tuple") else None
            return Sequence(kind, self.element_of(first), items, refs_of(first))
        if name == "range":
            return Sequence("range", Scalar("int"))
        if name == "enumerate":
            element = self.element_of(first)
            return Sequence("iterator", self.sequence("tuple", [Scalar("int"), element]), None, refs_of(first))
        if name == "zip":
            elements = [self.element_of(value) for value in values]
            refs = NO_NAMES.union(*(refs_of(value) for value in values))
            return Sequence(
                "iterator", self.sequence("tuple", elements, not any(a.star for a in arguments)), None, refs
            )
        if name in ("sum", "min", "max", "next"):
            items = [self.element_of(first)] if len(values) == 1 or name in ("next", "sum") else values
            result: Value = items[0]
            for item in items[1:]:
                result = join(result, item)
            if name == "sum" and isinstance(result, (Array, Unknown)):
                result = replace(result, refs=NO_NAMES, exact=None)
            return result
        if name == "abs" and values:
            return self.operator_result("abs", values) if may_be_array(first) else first
        if name == "dict":
            return self.sequence("dict", values, known=False) if values else Sequence("dict", NOTHING)
        if name in ("map", "filter") and len(values) > 1:
            held = any(may_hold_tensor(value) for value in values)
            element = (
                self.nested_value(first) if isinstance(first, Function) and first.nested and name == "map" else None
            )
            return Sequence("iterator", element or (Unknown(EITHER) if held else UNKNOWN))
        if name in ("any", "all"):
            return Scalar("bool")
        if name == "round":
            return Scalar("number") if len(values) == 1 or not may_be_array(first) else UNKNOWN
        return UNKNOWN

    def _nested_call(self, callee: Function, arguments: tuple[ev.Argument, ...]) -> Value:
        result = self.nested_value(callee)
        refs = refs_of(result).union(*(refs_of(argument.value) for argument in arguments))
        deps = deps_of(result).union(*(deps_of(argument.value) for argument in arguments))
        if isinstance(result, Array) and not result.refs:
            return replace(result, deps=deps)
        if isinstance(result, (Const, Scalar)):
            return result
        if isinstance(result, Array):
            return replace(result, refs=refs, deps=deps, exact=None)
        if isinstance(result, Sequence):
            return replace(result, refs=refs)
        return Unknown(EITHER, refs, deps=deps)

    def _method(self, node: cst.Call, callee: Bound, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        receiver, name = callee.receiver, callee.name
        if isinstance(receiver, Instance):
            qualname = self.module.classes[receiver.qualname].methods[name]
            return self._project_call(node, qualname, arguments, env, bound=True)
        func = node.func
        where = func.value if isinstance(func, cst.Attribute) else func
        if isinstance(receiver, Sequence):
            return self._container_method(where, receiver, name, arguments, env)
        if isinstance(receiver, (Const, Scalar)) and scalar_type(receiver) != "object":
            for argument in arguments:
                self.escape(argument.node.value, argument.value, f"is passed to .{name}()")
            return Scalar("str" if scalar_type(receiver) == "str" else "object")
        if name == "sort" and may_hold_tensor(receiver):
            self.write(node, where, receiver, UNKNOWN, env, op="unknown.sort")
            return NONE
        if name in CONTAINER_MUTATORS and may_hold_tensor(receiver):
            self.facts.host_parameters |= {ref[1:] for ref in refs_of(receiver) if ref.startswith("@")}
        if name in KEEPING_METHODS:
            for argument in arguments:
                self.keep(refs_of(receiver), argument.value, env)
            return UNKNOWN
        if name in HARMLESS_METHODS:
            return (
                Unknown(HOST, refs_of(receiver))
                if not may_hold_tensor(receiver)
                else Unknown(EITHER, refs_of(receiver))
            )
        self._unresolved(node, f"{dotted(node.func) or '.' + name}", arguments, env, pure=False)
        if may_hold_tensor(receiver):
            return Unknown(EITHER, refs_of(receiver))
        return UNKNOWN

    def _container_method(
        self, where: cst.BaseExpression, receiver: Sequence, name: str, arguments: tuple[ev.Argument, ...], env: Env
    ) -> Value:
        values = [argument.value for argument in arguments]
        if name in KEEPING_METHODS and values:
            added = values[-1]
            if name in ("extend", "update", "extendleft") and isinstance(added, Sequence):
                added = added.element
            if isinstance(where, cst.Name) and where.value in env.values:
                held = env.values[where.value]
                if isinstance(held, Sequence):
                    env.values[where.value] = Sequence(held.type, join(held.element, added))
            if isinstance(where, cst.Name) and refs_of(added) & env.aliases(where.value):
                env.link(where.value, frozenset((SHARED,)))
            self.keep(refs_of(receiver), added, env)
            return NONE if name != "setdefault" else added
        if name in ("items", "enumerate"):
            return Sequence(
                "iterator", self.sequence("tuple", [Scalar("object"), receiver.element]), None, receiver.refs
            )
        if name == "keys":
            return Sequence("iterator", Scalar("object"))
        if name == "copy":
            return receiver
        if name == "values":
            return Sequence("iterator", receiver.element, None, receiver.refs)
        if name in ("get", "pop", "setdefault", "remove", "discard", "add", "index", "count") and arguments and receiver.type in ("dict", "set"):
            self.escape(arguments[0].node.value, values[0], "is looked up by its hash")
        if name in ("pop", "get", "popleft"):
            return join(receiver.element, values[1]) if len(values) > 1 else receiver.element
        return Scalar("int" if name in ("count", "index") else "object")

    # ---- functions of the module

    def _project_call(
        self, node: cst.Call, qualname: str, arguments: tuple[ev.Argument, ...], env: Env, bound: bool = False
    ) -> Value:
        summary = self.services.summary(qualname)
        if summary is None:
            self._unresolved(node, qualname, arguments, env, pure=False)
            return UNKNOWN
        return self._apply_summary(node, summary, arguments, env, migrated=summary.migrated, skip=1 if bound else 0)

    def match(self, summary: Summary, arguments: tuple[ev.Argument, ...], skip: int) -> dict[str, ev.Argument] | None:
        """Arguments by the callee's parameter name; None where that is not certain."""
        names = summary.parameters[skip:]
        result: dict[str, ev.Argument] = {}
        for index, argument in enumerate(arguments):
            if argument.star or argument.name is None and index >= len(names):
                return None
            result[argument.name if argument.name is not None else names[index]] = argument
        return result

    def _apply_summary(
        self,
        node: cst.Call,
        summary: Summary,
        arguments: tuple[ev.Argument, ...],
        env: Env,
        migrated: bool,
        skip: int = 0,
    ) -> Value:
        if summary.method and not skip:
            skip = 1
        matched = self.match(summary, arguments, skip)
        if matched is None:
            harmless = not (summary.mutates or summary.keeps or summary.hosted)
            self._unresolved(node, dotted(node.func) or "a function", arguments, env, pure=harmless)
            return UNKNOWN
        self._kept_may_change(node, dotted(node.func) or "a function", env)
        for name, argument in matched.items():
            if name in summary.keeps:
                self.keep(frozenset((f"kept by {dotted(node.func)}",)), argument.value, env)
            if name in summary.hosted and name not in summary.mutates:
                self._may_change(node, dotted(node.func) or "a function", argument, env)
            if name in summary.mutates:
                others = [refs_of(other.value) for key, other in matched.items() if key != name]
                if any(refs_of(argument.value) & refs for refs in others):
                    self.construct(argument.node, "aliased arguments", name)
                self.write(node, argument.node.value, argument.value, UNKNOWN, env, op="call")
        refs = self._translate(refs_of(summary.result), matched)
        exact = exact_of(summary.result)
        exact = exact_of(matched[exact].value) if exact in matched else None
        deps = NO_NAMES.union(*(deps_of(argument.value) for argument in matched.values())) if matched else NO_NAMES
        result = self._translated(summary.result, refs, exact, deps)
        if not migrated or self.made == HOST:
            return _hosted(result)
        return result

    def _translate(self, refs: frozenset[str], matched: Mapping[str, ev.Argument]) -> frozenset[str]:
        found: frozenset[str] = NO_NAMES
        for ref in refs:
            if ref.startswith("@"):
                if ref[1:] in matched:
                    found |= refs_of(matched[ref[1:]].value)
            elif not ref.isidentifier():
                found |= {ref}
        return found

    def _translated(self, value: Value, refs: frozenset[str], exact: str | None, deps: frozenset[str]) -> Value:
        if isinstance(value, Function) and value.nested:
            return UNKNOWN
        if isinstance(value, (Array, Unknown)):
            return replace(value, refs=refs, exact=exact, deps=deps)
        if isinstance(value, Sequence):
            items = value.items
            if items is not None:
                items = tuple(self._translated(item, refs if refs_of(item) else NO_NAMES, None, deps) for item in items)
            return replace(value, refs=refs, items=items, element=self._translated(value.element, refs, None, deps))
        return value

    # ---- what an unresolved callee may do

    def _unresolved(
        self, node: cst.Call, callee: str, arguments: tuple[ev.Argument, ...], env: Env, pure: bool
    ) -> None:
        """`callee` may change and keep what it gets, unless it is known not to (`pure`)."""
        if pure:
            return
        self._kept_may_change(node, callee, env)
        for argument in arguments:
            self._may_change(node, callee, argument, env)

    def _kept_may_change(self, node: cst.Call, callee: str, env: Env) -> None:
        """What some object holds on to may be changed by any code that runs: our tensors would not show it."""
        for name, held in env.values.items():
            if not name.isidentifier() or not may_hold_tensor(held):
                continue
            if any(ref.startswith((".", "global:", "kept by")) for ref in env.aliases(name)):
                env.stale.setdefault(name, Stale(callee, id(node), "call on a view"))

    def _may_change(self, node: cst.Call, callee: str, argument: ev.Argument, env: Env) -> None:
        """`callee` may change the array behind one argument, and keep it."""
        value = argument.value
        if not (may_be_array(value) or isinstance(value, Sequence) and may_hold_tensor(value)):
            return
        self.emit(ev.Construct(argument.node, self.place(argument.node), "unresolved", callee))
        name = argument.node.value.value if isinstance(argument.node.value, cst.Name) else None
        for ref in refs_of(value):
            if ref.startswith("@"):
                self.facts.host_parameters |= {ref[1:]}
            elif ref in env.values and may_hold_tensor(env.values[ref]):
                env.stale[ref] = Stale(callee, id(node), "call" if ref == name else "call on a view")
        self.keep(frozenset((f"seen by {callee}",)), value, env)

    def keep(self, holders: frozenset[str], value: Value, env: Env) -> None:
        """What `holders` denote now holds on to `value`: a later in-place write to it is seen there."""
        refs = refs_of(value)
        if not refs:
            return
        for holder in holders:
            env.link(holder, refs)
            if not holder.isidentifier():
                # an object outside holds the caller's own array: it must get that very object
                self.facts.host_parameters |= {ref[1:] for ref in refs if ref.startswith("@")}

    def write(
        self,
        node: cst.CSTNode,
        target: cst.BaseExpression,
        base: Value,
        value: Value,
        env: Env,
        op: str = "",
        keys: tuple[Value, ...] | None = None,
    ) -> None:
        raise NotImplementedError  # given by the interpreter


#: Distributions over float64.
_FLOAT_DRAWS = frozenset(
    "random rand randn random_sample ranf sample uniform normal standard_normal exponential standard_exponential gamma standard_gamma"
    " beta chisquare f gumbel laplace logistic lognormal pareto power rayleigh standard_cauchy standard_t triangular vonmises wald weibull".split()
)


def _number(dtypes: frozenset[str], made: str) -> Array:
    """One draw: a Python number."""
    return Array(EITHER if made == TENSOR else HOST, dtypes, 0, weak=True)


def _hosted(value: Value) -> Value:
    """`value` as a public function hands it out."""
    if isinstance(value, Array):
        return replace(value, home=HOST)
    if isinstance(value, Unknown):
        return replace(value, home=HOST)
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(map(_hosted, value.items))
        return replace(value, items=items, element=_hosted(value.element))
    return value


def _sequence_rank(value: Sequence) -> int | None:
    element = value.element
    if value.items == ():
        return 1
    if is_python_number(element):
        return 1
    if isinstance(element, Sequence):
        inner = _sequence_rank(element)
        return None if inner is None else inner + 1
    if isinstance(element, Array) and element.rank is not None:
        return element.rank + 1
    return None


def _shape_rank(shape: Value | None) -> int | None:
    if isinstance(shape, Sequence):
        return None if shape.items is None else len(shape.items)
    if shape is not None and scalar_type(shape) == "int":
        return 1
    return None


def dtype_source(value: Value) -> str | None:
    """``np.float64`` for a dtype argument whose dtype is known and that tnp would read differently; None to leave it."""
    char = dtype_char(value)
    return None if char is None else f"np.{CANONICAL[char]}"


METHODS[cst.Call] = Calls._call
