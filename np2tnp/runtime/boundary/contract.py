"""What a migrated function takes: arguments checked, converted and remembered for writing back.

A :class:`Plan` is made once, when a function is decorated, so that a call costs little more than its conversions.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.base import precision
from np2tnp.runtime.base.dispatch import NUMERIC, is_array, is_foreign, is_tensor, to_ndarray, to_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import constant
from np2tnp.runtime.base.looking import holds_numbers, is_of, is_plain_tuple, member, own_dict, slots_of, tuple_like
from np2tnp.runtime.base.own_operators import ASKED_BY, asked_in, asked_object, operands_in, reflected_in
from np2tnp.runtime.base.shared_memory import OF_ANY, OF_ARRAYS, leaves, overlap, overlaps_itself
from np2tnp.runtime.boundary import threads
from np2tnp.runtime.boundary.admission import FITTING, Admission, is_admitted
from np2tnp.runtime.boundary.aliasing import Reachable, Watched, WatchedItems, kept_by, only_reads_attributes, watched
from np2tnp.runtime.boundary.refusals import use_of
from np2tnp.runtime.symbols.masked import Masked
from np2tnp.runtime.symbols.python_number import Weak

# --- Whether an object's methods are those that the calls of a migrated method were looked at with


class Methods:
    """The methods of its object that one migrated method calls, by name.

    They are those of the class that defines it, what that inherits included, or of a subclass in the same module: all
    that was known when the calls were rewritten.
    """

    def __init__(self, function: Callable[..., Any], names: tuple[str, ...]) -> None:
        self._function = function
        self._owner = function.__qualname__.rpartition(".")[0]
        self._names = names
        self._looked_at: dict[type, str] = {}  #: by class, why it is refused; empty where it is not

    def check(self, receiver: Any) -> None:
        """UnverifiedError for an object, or a class, that has another method in place of one of them."""
        of = receiver if is_of(receiver, type) else type(receiver)
        why = self._looked_at.get(of)
        if why is None:
            why = self._looked_at[of] = self._difference(of)
        if not why and of is not receiver:
            held = own_dict(receiver)
            why = next((f"the object has its own .{name}" for name in self._names if name in held), "")
        if why:
            raise UnverifiedError(
                f"{self._function.__qualname__}: {why}, which was not known when calls were rewritten"
            )

    def _difference(self, of: type) -> str:
        module = self._function.__module__
        line = of.__mro__
        owner = next((it for it in line if it.__qualname__ == self._owner and it.__module__ == module), None)
        if owner is None:
            return f"it is a method of {self._owner}, and {of.__qualname__} is none"
        for name in self._names:
            expected = next((it for it in owner.__mro__ if name in vars(it)), None)
            actual = next((it for it in line if name in vars(it)), None)
            known = actual is not None and actual.__module__ == module and "<locals>" not in actual.__qualname__
            if actual is None or not (actual is expected or (known and issubclass(actual, owner))):
                return f"{of.__qualname__} has its own .{name}()"
        return ""


#: What code of a class lies in, as the class holds it.
_OF_FUNCTIONS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (property, ("fget", "fset", "fdel")),
    (staticmethod, ("__func__",)),
    (classmethod, ("__func__",)),
)
_MISSING = object()


class Objects:
    """Parameters that are objects of the module's own classes, with the methods that these were written with.

    A subclass may have others, and so may the object itself, or the class by now: then the body's calls of cores would
    not be what the original does.
    """

    def __init__(self, function: Callable[..., Any], names: Mapping[str, str]) -> None:
        parameters = inspect.signature(function).parameters
        positional = [name for name, it in parameters.items() if it.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD]
        places = {name: place for place, name in enumerate(positional)}
        self._function = function
        self._asked = [(places.get(name), name, of) for name, of in names.items()]
        self._globals = getattr(function, "__globals__", {})
        self._looked_at: dict[type, list[tuple[Mapping[str, Any], dict[str, Any]]]] = {}

    def check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """UnverifiedError for an object of another class, or one with other methods."""
        for place, name, class_name in self._asked:
            value = args[place] if place is not None and place < len(args) else kwargs.get(name)
            of = type(value)
            if of is not self._globals.get(class_name):
                raise self._refusal(f"takes {name} as an object of {class_name}: it got one of {of.__qualname__}")
            if not self._is_as_seen(of) and not self._is_as_written(of):
                raise self._refusal(f"{class_name} has other methods by now than those that it was written with")
            own = own_dict(value)
            if any(name in methods for _, methods in self._looked_at[of] for name in own):
                raise self._refusal(f"the object {name} has a method of its own")

    def _refusal(self, words: str) -> UnverifiedError:
        return UnverifiedError(f"{self._function.__qualname__}: {words}")

    def _is_as_seen(self, of: type) -> bool:
        """Whether the class, and those that it inherits from, hold what they held when they were looked at."""
        known = self._looked_at.get(of)
        return known is not None and all(
            len(held) == len(before) and all(before.get(name, _MISSING) is it for name, it in held.items())
            for held, before in known
        )

    def _is_as_written(self, of: type) -> bool:
        module = self._function.__module__
        line = [it for it in of.__mro__ if it.__module__ not in ("builtins", "abc")]
        if not all(it.__module__ == module and self._globals.get(it.__qualname__) is it for it in line):
            return False
        if not all(_is_written(it, name, held) for it in line for name, held in vars(it).items()):
            return False
        self._looked_at[of] = [(vars(it), dict(vars(it))) for it in line]
        return True


def _is_written(of: type, name: str, held: Any) -> bool:
    """Whether what a class holds under `name` is data, or code that was written there."""
    if name.startswith("__annot") or (name in ("__repr__", "__replace__") and "__dataclass_fields__" in vars(of)):
        return True  # Python's own
    parts = next((parts for kind, parts in _OF_FUNCTIONS if type(held) is kind), None)
    functions = [held] if parts is None else [getattr(held, part) for part in parts]
    for function in functions:
        if type(function) is not types.FunctionType:
            if parts is None and hasattr(type(function), "__get__") and type(function) not in _DESCRIPTORS:
                return False
            continue
        code, own = function.__code__, vars(function)
        written = (of.__module__, f"{of.__qualname__}.{name}", name)
        if written != (function.__module__, function.__qualname__, code.co_name) or "__wrapped__" in own:
            return False
        if getattr(code, "co_qualname", written[1]) != written[1]:  # who wraps functions may copy the other names
            return False
    return True


#: Descriptors that each class has, or that hold data.
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType, type(None))

#: Types that pass the boundary unchanged and hold nothing to convert.
_PLAIN = frozenset(
    {type(None), bool, int, float, complex, str, bytes, slice, range, type, type(Ellipsis), np.dtype}
    | {np.dtype(char).type for char in NUMERIC + "gGSUMm"}
)
#: Types of what is read that no operator of a class of the program's answers for.
_UNASKED = _PLAIN | {np.ndarray, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType}
_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
#: What counts as a number or an array besides ndarrays and tensors: elements under a mask, inside a trace.
_TAKEN = (*_NUMBERS, Weak, Masked)
#: What may be an array or hold some.
_HOLDERS = (np.ndarray, list, tuple, dict)
#: What a body cannot update in place.
_IMMUTABLE = (type(None), bool, int, float, complex, str, np.generic)
_VAR = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Call(NamedTuple):
    """One call, ready for the body."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    originals: dict[str, Any]  #: caller's objects of the parameters in `mutates` and `returns`
    converted: dict[str, Any]  #: what the body got for them
    beside: bool  #: whether other threads ran when it began
    watched: list[Watched | WatchedItems]  #: what objects among the arguments may change meanwhile


class Plan:
    """How the arguments of one function are treated."""

    def __init__(
        self,
        function: Callable[..., Any],
        mutates: tuple[str, ...],
        returns: tuple[str, ...],
        arrays: tuple[str, ...],
        refuses: dict[str, str],
        scalars: tuple[str, ...] = (),
        hosted: tuple[str, ...] = (),
        updates: tuple[str, ...] = (),
        checks_hosted: bool = False,
        has_original: bool = False,
        methods: tuple[str, ...] = (),
        pure: bool = False,
        door: Mapping[str, tuple[str, ...]] | None = None,
        objects: Mapping[str, str] | None = None,
    ) -> None:
        self.name = function.__qualname__
        self.module = str(function.__module__)
        self._function = function
        self.mutates = mutates
        self.mutates_set = frozenset(mutates)
        self.returns = returns
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters
        admitted = [name for names in (door or {}).values() for name in names]
        named = (*mutates, *returns, *arrays, *refuses, *scalars, *hosted, *admitted, *(objects or ()))
        unknown = [name for name in named if name.partition(".")[0].partition("[")[0] not in parameters]
        if unknown:
            raise TypeError(f"{self.name} has no parameter {unknown[0]!r}")
        positional = [p for p in parameters.values() if p.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD]
        self._names = tuple(p.name for p in positional)
        self._index = {name: index for index, name in enumerate(self._names)}
        self._star = next((p.name for p in parameters.values() if p.kind is inspect.Parameter.VAR_POSITIONAL), None)
        self._star_star = next((p.name for p in parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD), None)
        #: methods: the instance passes unchanged (it may well offer __array__)
        self.receiver = self._names[0] if self._names and self._names[0] in ("self", "cls") else None
        self._methods = Methods(function, methods) if methods else None
        self._objects = Objects(function, objects) if objects else None
        self._admission = Admission(self.name, door, parameters) if door else None
        self._arrays = arrays
        self._scalars = scalars
        self.plain = frozenset((*scalars, *hosted))  #: whose values reach the body as Python's and NumPy's own
        self._hosted = hosted
        #: whether some of `hosted` is refused before the body begins, although it may do without a tensor of it: a body
        #: that cannot begin again must not be refused half-way
        self._checks_hosted = checks_hosted
        self._updates = updates
        self._has_original = has_original
        self._pure = pure
        #: whether a call that is refused half-way may go to the original
        self.begins_again = has_original and pure
        code = getattr(function, "__code__", None)
        #: names that the body may read arrays by, as globals or as attributes of its instance
        self._reads = code.co_names if code is not None else ()
        self._globals = getattr(function, "__globals__", {})
        #: the special methods by which the body's operators may ask an object that stands beside an array
        self._asks = asked_in(code) if code is not None else frozenset()
        #: those by which its plain operators may
        self._reflected = reflected_in(code) if code is not None else frozenset()
        may_ask = self._asks or self._reflected
        self._operands = operands_in(code) if code is not None and may_ask else frozenset()
        reads = self._operands.intersection(self._reads) if self._asks or self.receiver else frozenset()
        self._asked_reads = tuple(reads - ASKED_BY.keys())
        #: whether code of others may read what its object holds, whatever the names here
        self._shows_itself = (
            bool(mutates and self.receiver) and code is not None and not only_reads_attributes(code, str(self.receiver))
        )
        self._refused = {name: _dtypes(characters) for name, characters in refuses.items()}
        self._tracked = tuple(dict.fromkeys((*mutates, *returns)))
        #: defaults that must be filled in, because they need conversion or may be updated
        self._fill = {
            p.name: p.default
            for p in parameters.values()
            if p.default is not p.empty and (type(p.default) not in _PLAIN or p.name in self._tracked)
        }
        self._waits_for: dict[type, Any] = {}  #: by the class of the first argument, what code waits for
        self._bind = any(parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY for name in self._fill)
        self._simple = not (self._tracked or arrays or scalars or hosted or self._refused or self._fill or updates)
        others: Any = self._tracked or arrays or scalars or hosted or self._refused or updates or methods or objects
        others = others or self.receiver or self._asked_reads
        #: whether a call with arrays and numbers needs no more than a look at the door (see `short`)
        self.may_be_short = bool(door and pure and not others and len(positional) == len(parameters))

    def prepare(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, public: bool, begins_again: bool = True
    ) -> Call:
        """Check and convert one call's arguments. Raises UnverifiedError; changes nothing.

        begins_again: whether the call may be made anew once the body was refused half-way.
        """
        if self._methods is not None:
            self._methods.check(args[0] if args else kwargs.get(self.receiver or "self"))
        if self._objects is not None:
            self._objects.check(args, kwargs)
        if self._admission is not None:
            self._admission.check(args, kwargs)
            if not public:
                args, kwargs = self._admission.as_numbers(args, kwargs)
        if self._fill:
            args, kwargs = self._with_defaults(args, kwargs)
        beside = threads.are_others()
        if beside:
            self._require_own(args, kwargs)
        memo: dict[int, Any] = {}
        slots = self.slots(args, kwargs)
        seen = watched(
            self.name,
            self._function,
            slots,
            self._hosted,
            self.mutates_set,
            self.receiver,
            self._pure,
            self._has_original,
        )
        if self._asks or (self._reflected and public):
            self._require_known_operators(args, kwargs, self._reflected if public else frozenset())
        if self._simple:
            return Call(*self._convert(args, kwargs, memo, (), public), {}, {}, beside, seen)
        for name in self._arrays:
            value = self._value(name, args, kwargs)
            for item in value if name == self._star else value.values() if name == self._star_star else (value,):
                self._require_array(name, item)
        if self._scalars:
            args, kwargs = self._with_scalars(args, kwargs)
        for name, dtypes in self._refused.items():
            self._refuse(name, self._value(name, args, kwargs), dtypes)
        for name in self._hosted if self._checks_hosted or not begins_again else ():
            self._check_hosted(name, self._value(name, args, kwargs))
        originals = self.tracked(args, kwargs)
        raw = self._hosted
        if self._updates:
            self._check_state(args, kwargs)
        if self.mutates:
            self._check_overlap(args, kwargs)
            raw += tuple(name for name in self.mutates if self._stays(name, originals[name], public))
        new_args, new_kwargs = self._convert(args, kwargs, memo, raw, public)
        converted = {name: self._value(name, new_args, new_kwargs) for name in self._tracked}
        return Call(new_args, new_kwargs, originals, converted, beside, seen)

    def _require_known_operators(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], reflected: frozenset[str]
    ) -> None:
        """Refuse objects whose own operators may change or keep an array that stands beside them."""
        for name, value in self.slots(args, kwargs):
            kind = type(value)
            if kind in _PLAIN or kind is np.ndarray or name == self.receiver or name not in self._operands:
                continue
            found = asked_object(value, self._asks, reflected)
            if found:
                raise self._refusal(name, f"argument {name!r}: {found}")
        for name in self._asked_reads:
            for value in self._read_as(name, args):
                if type(value) not in _UNASKED and (found := asked_object(value, self._asks, reflected)):
                    raise UnverifiedError(f"{self.name}: what it reads as {name!r}: {found}")

    def _read_as(self, name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the body may find by a name: a global, and what the function's own object has as an attribute."""
        if not self.receiver or not args:
            return (self._globals.get(name),)
        own = own_dict(args[0]).get(name)
        found = own if own is not None else slots_of(args[0]).get(name, member(type(args[0]), name))
        return self._globals.get(name), found

    def short(self, args: tuple[Any, ...]) -> Call | None:
        """What `prepare` makes of a public call with nothing but exact arrays and numbers, all by position.

        None for any other call: there are other threads, the door does not admit it, or it has to be looked at longer.
        """
        if self._admission is None or len(args) != len(self._names) or threads.are_others() or precision.active:
            return None
        arrays: dict[int, Any] = {}
        looks_longer = False
        for value, kind in zip(args, self._admission.kinds, strict=True):
            if type(value) is np.ndarray:
                if kind is None or not (value.dtype in kind.dtypes and value.size and value.ndim):
                    return None
                arrays[id(value)] = value
            elif type(value) not in _PLAIN or not (kind is None or is_admitted(value, kind)):
                return None
            elif type(value) is int:
                looks_longer = looks_longer or (value not in FITTING and not (kind is not None and kind.is_axis))
        if looks_longer and self._admission.beside:
            return None
        tensors = {key: constant(array) for key, array in arrays.items()}
        given = tuple([tensors[id(value)] if type(value) is np.ndarray else value for value in args])
        return Call(given, {}, {}, {}, False, [])

    def tracked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """What was passed for the parameters that the body may update or return."""
        return {name: self._value(name, args, kwargs) for name in self._tracked}

    def _with_defaults(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if self._bind:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return bound.args, bound.kwargs
        given = len(args)
        missing = {
            name: default
            for name, default in self._fill.items()
            if name not in kwargs and self._index.get(name, given) >= given
        }
        return args, {**kwargs, **missing} if missing else kwargs

    def _value(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What was passed for `name`; None where nothing was (the body then raises Python's own TypeError)."""
        index = self._index.get(name)
        if index is not None and index < len(args):
            return args[index]
        if name == self._star:
            return args[len(self._names) :]
        if name == self._star_star:
            return {key: value for key, value in kwargs.items() if key not in self._signature.parameters}
        return kwargs.get(name)

    def slots(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """(parameter, value) for every value passed; the items of ``*args`` and ``**kwargs`` one by one."""
        names = self._names
        for index, value in enumerate(args):
            yield names[index] if index < len(names) else self._star or f"argument {index}", value
        for key, value in kwargs.items():
            yield key if key in self._signature.parameters else self._star_star or key, value

    def _convert(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], memo: dict[int, Any], raw: tuple[str, ...], public: bool
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        values = []
        name = ""
        keeps = not precision.active
        is_plain = not kwargs and len(args) <= len(self._names)
        try:
            for name, value in zip(self._names, args, strict=False) if is_plain else self.slots(args, kwargs):
                if type(value) in _PLAIN or name in raw or name == self.receiver:
                    values.append(value)
                else:
                    values.append(enter(value, memo, keeps))
        except UnverifiedError as error:
            raise self._refusal(name, f"argument {name!r}: {error}") from None
        count = len(args)
        return tuple(values[:count]), dict(zip(kwargs, values[count:], strict=True)) if kwargs else kwargs

    def _stays(self, name: str, value: Any, public: bool) -> bool:
        """Whether the updated argument `value` reaches the body unconverted; checks that it can be updated at all."""
        if name in (self._star, self._star_star) or is_of(value, (list, dict, tuple)):
            for leaf in leaves(value, of=(object,)):
                if is_of(leaf, np.ndarray):
                    self._require_writable(name, leaf)
                elif is_foreign(leaf):
                    raise self._refusal(name, f"argument {name!r}: {_describe(leaf)}")
            return True
        if is_of(value, np.ndarray):
            self._require_writable(name, value)
            if value.ndim or precision.active or not public:
                return not public
            if self._has_original:
                raise self._refusal(name, f"argument {name!r} is a 0-d array, which is updated in place")
            return True
        if public and is_tensor(value) and not hasattr(value, "assign"):
            raise UnverifiedError(f"{self.name} updates {name!r} in place, which a tensor cannot show: pass an ndarray")
        return False

    def _require_own(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuse arrays that other threads may change while the body waits for these."""
        given = [*args, *kwargs.values()]
        if not any(is_of(value, _HOLDERS) or is_tensor(value) for value in given):
            return
        first = type(given[0])
        if first not in self._waits_for:
            self._waits_for[first] = threads.waits(threads.read_by(self._function, first))
        found = self._waits_for[first] or threads.waits(given)
        if found is not None:
            words = f"may wait for other threads ({type(found).__name__}), which may change its arguments"
            raise UnverifiedError(f"{self.name} {words}")

    def _check_hosted(self, name: str, value: Any) -> None:
        for leaf in leaves(value, of=(object,)):
            if is_foreign(leaf) or (type(leaf) is np.ndarray and not is_array(leaf)):
                raise self._refusal(name, f"argument {name!r}: {_describe(leaf)}")

    def _require_writable(self, name: str, value: Any) -> None:
        if not is_array(value):
            raise self._refusal(name, f"argument {name!r}: {_describe(value)}")
        if not value.flags.writeable:
            raise UnverifiedError(f"{self.name} updates {name!r} in place, and the array passed is read-only")
        if overlaps_itself(value):
            raise UnverifiedError(f"{self.name} updates {name!r}, whose elements share memory with each other")

    def _require_array(self, name: str, value: Any) -> None:
        if not (is_array(value) or value is None or is_of(value, _TAKEN) or is_tensor(value)):
            raise self._refusal(name, f"argument {name!r} must be an ndarray or a number: {_describe(value)}")
        if type(value) is complex and self._has_original:  # beside NumPy's float64 Python itself answers
            raise self._refusal(name, f"argument {name!r} is a complex number of Python's, which is weak in promotion")

    def _with_scalars(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments; 0-d tensors among `scalars`, such as ``x[i]`` in a core, become NumPy scalars."""
        for name in self._scalars:
            value = self._value(name, args, kwargs)
            if is_tensor(value) and value.shape.rank == 0 and hasattr(value, "numpy"):
                scalar = to_ndarray(value)[()]
                index = self._index.get(name)
                if index is not None and index < len(args):
                    args = (*args[:index], scalar, *args[index + 1 :])
                else:
                    kwargs = {**kwargs, name: scalar}
            elif is_of(value, (np.ndarray, list, tuple)) or is_tensor(value):
                what = f"a {type(value).__name__}" if is_of(value, (list, tuple)) else "an array"
                raise self._refusal(name, f"argument {name!r} was taken to be a plain number, not {what}")
        return args, kwargs

    def _refuse(self, name: str, value: Any, dtypes: frozenset[str]) -> None:
        for leaf in leaves(value, of=(np.ndarray, *_NUMBERS)):
            kind = leaf.dtype.as_numpy_dtype if is_tensor(leaf) else getattr(leaf, "dtype", type(leaf))
            if np.dtype(kind).str in dtypes:
                raise self._refusal(name, f"argument {name!r} was not verified for {np.dtype(kind)}")

    def _refusal(self, name: str, words: str) -> UnverifiedError:
        """What is raised of the argument for `name`: with the call that it would have reached first."""
        use = use_of(self._function, name)
        return UnverifiedError(f"{self.name}: {words}" + (f"; it is used in `{use}`" if use else ""))

    def _state(self, args: tuple[Any, ...], kwargs: dict[str, Any], found: Reachable) -> Iterator[tuple[str, Any]]:
        """(place, ndarray) for the arrays that the body, or code that it runs, may read without being given them."""
        is_method = self.receiver is not None and bool(args)
        own = own_dict(args[0]) if is_method else {}
        runs = is_method and (
            self._shows_itself or any(member(type(args[0]), name) is not None for name in self._reads)
        )
        for array in found.look(args[:1]) if runs else ():
            yield "what its object holds", array
        for name in self._reads:
            if name in own:
                for array in found.look([own[name]]):
                    yield f"self.{name}", array
        for name, value in self.slots(args, kwargs):
            if name != self.receiver and type(value) not in _PLAIN:
                objects = leaves(value, OF_ANY) if type(value) in (list, tuple, dict) else (value,)
                for array in found.look(it for it in objects if not is_of(it, np.ndarray)):
                    yield f"what {name!r} reads", array
        for array in found.look((), function=True):
            yield "what functions that it may call read", array

    def _check_state(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuse an argument that becomes a tensor and shares memory with state that the body changes in place.

        ``@name`` among the updates is a hosted parameter, which others may change.
        """
        slots = list(self.slots(args, kwargs))
        taken = [(name, leaf) for name, value in slots if name not in self._hosted for leaf in leaves(value, OF_ARRAYS)]
        if not taken:
            return
        reached = Reachable(self._function)
        reached.look((value for _, value in slots), function=True)
        reached.require_complete(self.name, "what objects hold")
        for where in self._updates:
            held, place = self._held(where, reached, args, kwargs)
            for array in held:
                for name, leaf in taken:
                    if overlap(leaf, array):
                        raise UnverifiedError(
                            f"{self.name} updates {place} in place, which shares memory with argument {name!r};"
                            " pass a copy of it"
                        )

    def _held(
        self, where: str, reached: Reachable, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Iterator[Any], str]:
        """The ndarrays at a place that the body updates, and the place for people."""
        if where[0] == "@":
            return iter(kept_by([self._value(where[1:], args, kwargs)])), f"argument {where[1:]!r}"
        if where[0] == ".":
            return reached.attributes(where[1:]), f"an attribute {where}"
        return leaves(self._globals.get(where)), f"the global {where}"

    def _check_overlap(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuse an updated array that shares memory with another argument: NumPy would show the update there too."""
        everything = [(name, leaf) for name, value in self.slots(args, kwargs) for leaf in leaves(value)]
        reached = Reachable(self._function)
        state = list(self._state(args, kwargs, reached)) if everything else []
        for position, (name, array) in enumerate(everything):
            if name not in self.mutates_set:
                continue
            if name not in self._hosted:
                reached.require_complete(self.name, repr(name))
            for where, second in state if name not in self._hosted else ():  # NumPy updates what is hosted
                if overlap(array, second):
                    raise UnverifiedError(
                        f"{self.name} updates {name!r}, which shares memory with {where}; pass a copy of it"
                    )
            for other_position, (other, second) in enumerate(everything):
                if other_position != position and overlap(array, second):
                    raise UnverifiedError(
                        f"{self.name} updates {name!r}, which shares memory with argument {other!r}; pass a copy of one"
                    )


def enter(value: Any, memo: dict[int, Any], keeps_zero_d: bool = False) -> Any:
    """`value` for the body: each exact numeric ndarray in it becomes a tensor (one object, one tensor).

    Containers come back as the same object when nothing in them changed; so do 0-d ndarrays with `keeps_zero_d`, since
    tensors without dimensions count as NumPy scalars. Raises UnverifiedError.
    """
    kind = type(value)
    if kind in _PLAIN or is_tensor(value):
        return value
    if kind is np.ndarray:
        known = memo.get(id(value))
        if known is None:
            if not is_array(value):
                raise UnverifiedError(_describe(value))
            known = memo[id(value)] = value if keeps_zero_d and not value.ndim else to_tensor(value)
        return known
    if kind is list or kind is dict or is_plain_tuple(value):
        known = memo.get(id(value))
        if known is None:
            memo[id(value)] = value  # a container that holds itself stays as it is
            known = memo[id(value)] = _enter_container(value, memo, keeps_zero_d)
        return known
    if is_foreign(value):
        raise UnverifiedError(_describe(value))
    return value


def _enter_container(value: Any, memo: dict[int, Any], keeps_zero_d: bool) -> Any:
    if type(value) is dict:
        pairs = {key: enter(item, memo, keeps_zero_d) for key, item in value.items()}
        return value if all(pairs[key] is item for key, item in value.items()) else pairs
    if type(value) is list and holds_numbers(value):
        return value
    if type(value) is tuple and _takes_element(value):
        raise UnverifiedError("an index with `...` that takes one element of an array: NumPy gives a 0-d array")
    items = [item if type(item) in _PLAIN else enter(item, memo, keeps_zero_d) for item in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    if type(value) is list:
        return items
    return tuple_like(value, items)


def _takes_element(key: tuple[Any, ...]) -> bool:
    """Whether this may be an index like ``(..., 0)``. A tensor without axes would count as a NumPy scalar."""
    return any(part is Ellipsis for part in key) and all(
        part is Ellipsis or isinstance(part, (int, np.integer)) for part in key
    )


def is_immutable(value: Any) -> bool:
    """Whether `value` is a number, text or None: an in-place operator binds a name to another one."""
    return is_of(value, (*_IMMUTABLE, Weak))


def _dtypes(characters: str) -> frozenset[str]:
    return frozenset(np.dtype(character).str for character in characters)


def _describe(value: Any) -> str:
    dtype = np.ndarray.dtype.__get__(value) if is_of(value, np.ndarray) else None
    what = f"{type(value).__module__}.{type(value).__qualname__}" + (f" of dtype {dtype}" if dtype is not None else "")
    return f"{what} was not verified to behave as an ndarray of numbers does; convert it first"
