"""What a NumPy operation returns: dtype by NumPy 2's promotion, as far as it follows from the operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import product

from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    REAL,
    UNKNOWN,
    Array,
    Class,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Value,
    is_number,
    is_python_number,
    scalar_type,
)
from np2tnp.analysis.syntax.python_tables import READ_ONLY_VIEWS

Dtypes = frozenset[str]

_SIZES = {
    "?": 1,
    "b": 1,
    "B": 1,
    "h": 2,
    "H": 2,
    "e": 2,
    "i": 4,
    "I": 4,
    "f": 4,
    "l": 8,
    "L": 8,
    "d": 8,
    "F": 8,
    "D": 16,
}
_KINDS = {
    "?": 0,
    **dict.fromkeys("bhil", 2),
    **dict.fromkeys("BHIL", 1),
    **dict.fromkeys("efd", 3),
    **dict.fromkeys("FD", 4),
}
_SIGNED = {1: "b", 2: "h", 4: "i", 8: "l"}
_FLOAT_FOR_SIZE = {1: "e", 2: "f", 4: "d", 8: "d"}

#: The dtype character of every spelling of a dtype that people write.
DTYPE_NAMES: Mapping[str, str] = {
    "bool": "?", "int": "l", "float": "d", "complex": "D",
    "numpy.bool": "?", "numpy.bool_": "?", "numpy.bool8": "?",
    "numpy.int8": "b", "numpy.int16": "h", "numpy.int32": "i", "numpy.int64": "l", "numpy.intp": "l", "numpy.int_": "l",
    "numpy.byte": "b", "numpy.short": "h", "numpy.intc": "i", "numpy.long": "l", "numpy.longlong": "l",
    "numpy.uint8": "B", "numpy.uint16": "H", "numpy.uint32": "I", "numpy.uint64": "L", "numpy.uintp": "L",
    "numpy.uint": "L", "numpy.ubyte": "B", "numpy.ushort": "H", "numpy.uintc": "I", "numpy.ulong": "L",
    "numpy.ulonglong": "L",
    "numpy.float16": "e", "numpy.float32": "f", "numpy.float64": "d", "numpy.half": "e", "numpy.single": "f",
    "numpy.double": "d", "numpy.float_": "d",
    "numpy.complex64": "F", "numpy.complex128": "D", "numpy.csingle": "F", "numpy.cdouble": "D", "numpy.complex_": "D",
    "builtins.bool": "?", "builtins.int": "l", "builtins.float": "d", "builtins.complex": "D",
    "numpy.float": "d", "numpy.int": "l", "numpy.complex": "D",
}  # fmt: skip

#: The canonical NumPy name of each dtype character, for emitted code.
CANONICAL = {
    "?": "bool_", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "B": "uint8", "H": "uint16", "I": "uint32",
    "L": "uint64", "e": "float16", "f": "float32", "d": "float64", "F": "complex64", "D": "complex128",
}  # fmt: skip

#: dtypes that no tensor of numbers can stand for.
FOREIGN = {
    "numpy.object_": "object", "builtins.object": "object", "numpy.object": "object", "builtins.str": "string",
    "numpy.str_": "string", "numpy.bytes_": "string", "builtins.bytes": "string", "numpy.string_": "string",
    "numpy.unicode_": "string", "numpy.str": "string", "numpy.datetime64": "datetime",
    "numpy.timedelta64": "datetime", "numpy.longdouble": "longdouble", "numpy.clongdouble": "longdouble",
    "numpy.float128": "longdouble", "numpy.complex256": "longdouble", "numpy.longfloat": "longdouble",
    "numpy.void": "structured", "numpy.recarray": "structured", "numpy.float96": "longdouble",
}  # fmt: skip

#: Types of which NumPy makes arrays of objects, as of any class that it does not know.
_OF_OBJECTS = frozenset(
    "numpy.ndarray builtins.list builtins.tuple builtins.dict builtins.set builtins.frozenset builtins.type".split()
)
#: Types of :class:`Scalar` for dtype objects.
_FOREIGN_OBJECTS = {f"{kind} dtype": kind for kind in (*FOREIGN.values(), "byte-swapped")}

_SWAPPED = re.compile(r"^>([fiuc](2|4|8|16)|[hilqHILQefdFD])$")  # files are written in it, by whatever machine
_CODE = re.compile(r"^[<=|]?([a-zA-Z?])(\d*)$")
_BY_LETTER = {"f": {"2": "e", "4": "f", "8": "d"}, "i": {"1": "b", "2": "h", "4": "i", "8": "l"},
              "u": {"1": "B", "2": "H", "4": "I", "8": "L"}, "c": {"8": "F", "16": "D"}, "b": {"1": "?"}}  # fmt: skip


def dtype_char(value: Value) -> str | None:
    """The dtype character that `value` denotes as a ``dtype`` argument, or None where it is not known."""
    if isinstance(value, Symbol):
        return DTYPE_NAMES.get(value.name)
    if isinstance(value, Const) and isinstance(value.value, str):
        return _from_string(value.value)
    return None


def _from_string(text: str) -> str | None:
    named = DTYPE_NAMES.get(f"numpy.{text}")
    if named is not None:
        return DTYPE_NAMES.get(f"builtins.{text}", named)
    match = _CODE.match(text)
    if match is None:
        return None
    letter, size = match.groups()
    if size:
        return _BY_LETTER.get(letter, {}).get(size)
    return {"q": "l", "Q": "L"}.get(letter, letter if letter in ALL_DTYPES else None)


def foreign_dtype(value: Value) -> str | None:
    """ "object", "string", "structured", "datetime", "longdouble", "byte-swapped" when `value` denotes such a dtype."""
    if isinstance(value, Symbol):
        return "object" if value.name in _OF_OBJECTS else FOREIGN.get(value.name)
    if isinstance(value, Class):
        return "object"
    if isinstance(value, Scalar):
        return _FOREIGN_OBJECTS.get(value.type)
    if isinstance(value, Sequence) and value.type in ("list", "dict"):
        return "structured"
    if isinstance(value, Const) and isinstance(value.value, str):
        text = value.value.lstrip("<>=|")
        if text[:1] in ("M", "m") or text.startswith(("datetime64", "timedelta64")):
            return "datetime"
        if text in ("O", "object"):
            return "object"
        if (text[:1] in ("U", "S", "a") and (text[1:].isdigit() or len(text) == 1)) or text in ("str", "bytes"):
            return "string"
        if text in ("g", "G", "longdouble", "f16", "c32", "float128"):
            return "longdouble"
        if "," in text:
            return "structured"
        if _SWAPPED.match(value.value):
            return "byte-swapped"
    return None


def dtype_object(value: Value | None) -> Value:
    """What ``np.dtype(value)`` is; of dtypes that a tensor can hold nothing is known."""
    kind = None if value is None else foreign_dtype(value)
    return UNKNOWN if kind is None else Scalar(f"{kind} dtype")


@cache
def promote2(a: str, b: str) -> str:
    """NumPy's result type of two dtype characters."""
    if a == b:
        return a
    kind_a, kind_b = _KINDS[a], _KINDS[b]
    if kind_a > kind_b:
        a, b, kind_a, kind_b = b, a, kind_b, kind_a
    if kind_a == 0:
        return b
    size_a, size_b = _SIZES[a], _SIZES[b]
    if kind_a == kind_b:
        return a if size_a > size_b else b
    if kind_b == 2:  # unsigned with signed
        if size_a < size_b:
            return b
        return _SIGNED.get(size_a * 2, "d")
    if kind_b == 3:
        if kind_a in (1, 2):
            needed = _FLOAT_FOR_SIZE[size_a]
            return needed if _SIZES[needed] > size_b else b
        return b
    if kind_a == 3:
        return "D" if size_a == 8 or b == "D" else "F"
    return "D" if size_a > 2 or b == "D" else "F"


_WEAK = {"bool": "?", "int": "l", "float": "d", "complex": "D"}


def promote_weak(char: str, kind: str) -> str:
    """The dtype of an array of `char` with a Python scalar of type `kind` (NumPy 2: the scalar is weak)."""
    if kind == "bool":
        return char
    if kind == "int":
        return "l" if char == "?" else char
    if kind == "float":
        return char if _KINDS[char] >= 3 else "d"
    return char if _KINDS[char] == 4 else "F" if char in "ef" else "D"


_REAL_NUMBERS = frozenset(("int", "float"))
_NUMBERS = frozenset(("bool", "int", "float", "complex"))


def operand_dtypes(value: Value) -> tuple[Dtypes, Dtypes]:
    """What may stand for `value` in an operation: dtype characters of arrays, and Python scalar types."""
    if isinstance(value, Array):
        if not value.weak or value.dtypes == {"?"}:  # a Python bool promotes as an array of bools does
            return value.dtypes, frozenset()
        return value.dtypes, _REAL_NUMBERS if value.weak == REAL else _NUMBERS
    if is_python_number(value):
        kind = scalar_type(value)
        return frozenset(), frozenset(("bool", "int", "float", "complex") if kind == "number" else (kind,))
    if isinstance(value, (Const, Scalar)):
        return frozenset(), frozenset()
    if isinstance(value, Sequence):
        return sequence_dtypes(value), frozenset()
    return ALL_DTYPES, frozenset(("bool", "int", "float", "complex"))


def sequence_dtypes(value: Sequence) -> Dtypes:
    """dtypes that ``np.asarray`` may give to a list or tuple: Python numbers are strong there."""
    result: Dtypes | None = None
    for item in value.items if value.items is not None else (value.element,):
        arrays, weak = operand_dtypes(item)
        if isinstance(item, (Const, Scalar)) and not weak:
            return ALL_DTYPES
        found = arrays | {_WEAK[kind] for kind in weak}
        result = found if result is None else promote_sets(result, found)
    return frozenset("d") if result is None else result


def promote_sets(a: Dtypes, b: Dtypes) -> Dtypes:
    if a == ALL_DTYPES or b == ALL_DTYPES:
        return ALL_DTYPES
    return frozenset(promote2(x, y) for x in a for y in b)


def promote(values: list[Value]) -> Dtypes:
    """The dtypes that an operation on `values` may give, all operands promoted together."""
    sides = [operand_dtypes(value) for value in values]
    either = [bool(arrays and weak) for arrays, weak in sides]  # an array, or a number
    if sum(either) > _FEW or (any(either) and any(arrays == ALL_DTYPES for arrays, _ in sides)):
        return ALL_DTYPES if len(values) > 1 or len(sides[0][0]) > 1 else sides[0][0]
    found: Dtypes = frozenset()
    for as_arrays in product(*((True, False) if both else (True,) for both in either)):
        chosen = [
            (arrays if is_array or not weak else frozenset(), frozenset() if is_array and arrays else weak)
            for (arrays, weak), is_array in zip(sides, as_arrays, strict=True)
        ]
        found |= _promote_sides(chosen)
    return found


#: Of so many operands that may be arrays or numbers all combinations are looked at.
_FEW = 3


def _promote_sides(sides: list[tuple[Dtypes, Dtypes]]) -> Dtypes:
    """The dtypes of operations on operands that are arrays of some dtypes, or numbers of some types."""
    result: Dtypes | None = None
    weak_kinds: set[str] = set()
    for arrays, weak in sides:
        if arrays:
            result = arrays if result is None else promote_sets(result, arrays)
        else:
            weak_kinds |= weak
    if result is None:
        return frozenset(_WEAK[kind] for kind in weak_kinds) or ALL_DTYPES
    if not weak_kinds:
        return result
    return frozenset(promote_weak(char, kind) for char in result for kind in weak_kinds)


def _float(char: str) -> str:
    return char if _KINDS[char] >= 3 else _FLOAT_FOR_SIZE[_SIZES[char]]


def _real(char: str) -> str:
    return {"F": "f", "D": "d"}.get(char, char)


def _sum(char: str) -> str:
    return {0: "l", 1: "L", 2: "l"}.get(_KINDS[char], char)


def _mean(char: str) -> str:
    return char if _KINDS[char] >= 3 else "d"


def _complex(char: str) -> str:
    return {"F": "F", "D": "D", "f": "F", "e": "F"}.get(char, "D")


_MAPS: Mapping[str, Callable[[str], str]] = {
    "float": _float, "real": _real, "sum": _sum, "mean": _mean, "complex": _complex, "same": lambda char: char,
    "float_real": lambda char: _real(_float(char)), "mean_real": lambda char: _real(_mean(char)),
    "complex_real": lambda char: _real(_complex(char)),
    "no_bool": lambda char: "b" if char == "?" else char, "round": lambda char: "e" if char == "?" else char,
}  # fmt: skip
_RULE = re.compile(r"^(\w+)(?:\(([^)]*)\))?(?:\[(.)\])?$")


def result_dtypes(rule: str | None, bound: Mapping[str, Value]) -> Dtypes | None:
    """The dtypes that the catalog's `rule` gives for arguments by name; None where it gives a Python value.

    An unknown rule, or an argument that the rule needs and that is not there, gives every dtype. Of rules with ``|``
    between them each may hold; after ``::`` stand those of a tuple's items, which `item_dtypes` reads.
    """
    if rule is not None and "::" in rule:
        rule = rule.partition("::")[0] or None
    if rule is not None and "|" in rule:
        found = [result_dtypes(part, bound) or ALL_DTYPES for part in rule.split("|")]
        known = [dtypes for dtypes, part in zip(found, rule.split("|"), strict=True) if _has_operands(part, bound)]
        return frozenset().union(*(known or [ALL_DTYPES]))
    if rule is None:
        given = bound.get("dtype")
        char = dtype_char(given) if given is not None else None
        return frozenset(char) if char else ALL_DTYPES
    if rule == "python":
        return None
    match = _RULE.match(rule)
    if match is None:
        return ALL_DTYPES
    name, inside, default = match.groups()
    names = [part.strip() for part in (inside or "").split(",") if part.strip()]
    given = bound.get("dtype")
    if given is not None and given != Const.of(None):
        char = dtype_char(given)
        return frozenset(char) if char else ALL_DTYPES
    if name == "bool":
        return frozenset("?")
    if name == "intp":
        return frozenset("l")
    if name == "dtype":
        return frozenset(default or "d")
    values = [bound[part] for part in names if part in bound]
    if not values:
        return ALL_DTYPES
    if name == "any":
        items = values[0].items or (values[0].element,) if isinstance(values[0], Sequence) else values
        return frozenset().union(*(sequence_dtypes(Sequence("list", item, (item,))) for item in items))
    if name == "word":
        chars = promote(values) | sequence_dtypes(Sequence("list", values[0], tuple(values)))
        return frozenset("".join("dD" if char in "FD" else "d" if char in "efdL" else "l" for char in chars)) | chars
    if name == "quantile":
        exact = "method" in bound or "weights" in bound
        means = frozenset(_mean(char) for char in promote(values[:1]))
        return means | promote([Array(dtypes=means), *values[1:]]) | (promote(values[:1]) if exact else frozenset())
    if name == "double":
        return frozenset("D" if _KINDS[char] == 4 else "d" for char in promote(values))
    if name in ("promote", "like"):
        return promote(values)
    if name == "true_divide":
        return frozenset(_mean(char) for char in promote(values))
    if name == "float_promote":
        return frozenset(_float(char) for char in promote(values))
    if name == "strong":
        return sequence_dtypes(Sequence("list", values[0], tuple(values)))
    if name in ("float_each", "mean_each"):
        return _promote_each(_float if name == "float_each" else _mean, values)
    change = _MAPS.get(name)
    return ALL_DTYPES if change is None else frozenset(change(char) for char in promote(values))


def _has_operands(rule: str, bound: Mapping[str, Value]) -> bool:
    """Whether one of the arguments is given that the rule is about; or it is about none."""
    match = _RULE.match(rule)
    names = [part.strip() for part in (match.group(2) or "").split(",") if part.strip()] if match is not None else []
    return not names or any(name in bound for name in names)


def with_variadic(bound: Mapping[str, Value]) -> dict[str, Value]:
    """`bound` and, under the name that a rule uses, variadic arguments as one."""
    several: dict[str, list[Value]] = {}
    for name, value in bound.items():
        if name.endswith("]"):
            several.setdefault(name.partition("[")[0], []).append(value)
    joined = {name: Sequence("tuple", given[0], tuple(given)) for name, given in several.items()}
    return {**bound, **{name: several[name][0] if len(several[name]) == 1 else joined[name] for name in joined}}


def item_dtypes(rule: str | None, bound: Mapping[str, Value]) -> tuple[Dtypes, ...]:
    """The dtypes of the items of a tuple that is returned, as far as `rule` tells: of all from the last one on."""
    _, separator, items = (rule or "").partition("::")
    return tuple(result_dtypes(item, bound) or ALL_DTYPES for item in items.split(";")) if separator else ()


def _promote_each(change: Callable[[str], str], values: list[Value]) -> Dtypes:
    """The operands' dtypes changed one by one, then promoted; Python numbers take part after promotion."""
    result: Dtypes | None = None
    for value in values:
        arrays, weak = operand_dtypes(value)
        changed = frozenset(change(char) for char in (promote(values) if weak else arrays))
        result = changed if result is None else promote_sets(result, changed)
    return ALL_DTYPES if result is None else result


#: dtype rule of each operator on (left, right).
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def operator_dtypes(op: str, operands: list[Value]) -> Dtypes:
    """The dtypes that an operator may give."""
    if op in _COMPARISONS:
        return frozenset("?")
    promoted = promote(operands)
    if op == "truediv":
        return frozenset(_mean(char) for char in promoted)
    if op == "abs":
        return frozenset(_real(char) for char in promoted)
    if op in ("floordiv", "mod", "pow"):
        return frozenset("b" if char == "?" else char for char in promoted)
    if op in ("lshift", "rshift"):
        return frozenset("b" if char == "?" else char for char in promoted)
    return promoted


def is_read_only(name: str, base: Value | None) -> bool:
    """Whether what the function or attribute `name` shows of `base` cannot be written through."""
    if name not in READ_ONLY_VIEWS:
        return False
    if name == "diag" and isinstance(base, Sequence):  # with a number in it, it is a vector
        return not any(is_number(item) for item in base.items or (base.element,))
    if isinstance(base, Array):
        return not (base.rank == 1 if name == "diag" else name == "imag" and base.dtypes <= frozenset("FD"))
    return True
