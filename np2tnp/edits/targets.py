"""Which function stands for a NumPy call: tnp's where measured equal, else the exact helper, else NumPy on the host."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import bind
from np2tnp.analysis.domain.promotion_rules import (
    dtype_char,
    operand_dtypes,
    promote2,
    promote_weak,
    sequence_dtypes,
)
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    HOST,
    NO_NAMES,
    NONE,
    REAL,
    Array,
    Const,
    Instance,
    Scalar,
    Sequence,
    Unknown,
    Value,
    has_axes,
    is_python_number,
    is_pythons_own,
    scalar_type,
)
from np2tnp.catalog.catalog import Catalog
from np2tnp.catalog.facts import ApiFact, Target
from np2tnp.edits.call_domain import arrays_in, find_problem
from np2tnp.edits.edit import SPREADS


@dataclass(frozen=True, slots=True)
class Choice:
    """kind: "tnp", "rt" or "host"; function: the target, without the module's name; why: for people, where it is not
    tnp. module: "tnp", "tf" or "rt"; wrap: what is called with the result.
    """

    kind: str
    function: str = ""
    why: str = ""
    differs: bool = False  #: tnp has the function but gives something else
    module: str = "rt"
    wrap: str = ""


def choose(fact: ApiFact, event: ev.Call, compile: str = "none", float32: bool = False) -> Choice:
    """The target of one call, which is tnp's function where that was measured equal.

    With `compile` the exact helper of that name answers in the graph (``tracing.tnp``): it checks when the graph runs.
    Where there is none, tnp's function is the target only if a graph, or XLA, was measured to give the same, and to
    raise where NumPy does. With `float32` only the exact helper will do: tnp makes float64 of integers and of Python
    numbers.
    """
    bound = bind(fact, event.arguments)
    if any(isinstance(argument.value, Instance) for argument in event.arguments):
        return Choice("host", why="an object of the program's own says itself what NumPy gets of it")
    used = None if bound is None else {name.partition("[")[0] for name in bound}
    if used is not None and (any(name.startswith("?") for name in used) or _unknown_keyword(fact, event)):
        return Choice("host", why="it is called in a way that NumPy's signature does not show")
    short = fact.name.rpartition(".")[2]
    if float32:
        if fact.rt is not None and fact.prefer != "numpy":
            return Choice("rt", _below(fact.rt.name, "rt"), "the exact helper keeps to float32")
        return Choice("host", why=fact.reason or f"the runtime has no {short} that keeps to float32")
    if fact.tnp is not None and fact.prefer != "numpy":
        alone = compile if fact.rt is None or fact.tnp.name.startswith("tf.") else "none"
        problem = _problem(fact, fact.tnp, bound, used, event, alone)
        if problem is None and alone != "none" and event.place.loops:  # lengths may change there: not measured
            problem = f"{fact.tnp.name} was not measured {_WHERE[compile]} with lengths that change in a loop"
        if problem is None and fact.prefer == "rt" and fact.rt is not None:
            return Choice("rt", _below(fact.rt.name, "rt"), fact.reason or f"tnp has no exact {short}")
        if problem is None:
            module, _, function = fact.tnp.name.partition(".")
            return Choice("tnp", function, module=module, wrap=fact.tnp.wrap)
        if fact.rt is not None:
            return Choice("rt", _below(fact.rt.name, "rt"), problem, True)
        return Choice("host", why=problem, differs=True)
    if fact.rt is not None and fact.prefer != "numpy":
        decided = fact.reason if fact.prefer == "rt" else None
        return Choice("rt", _below(fact.rt.name, "rt"), decided or f"tnp has no exact {short}")
    return Choice("host", why=fact.reason or f"neither tnp nor the runtime has {short}")


#: Parameters of NumPy's and their names in tnp.
_OTHER_NAMES = {"start_or_stop": "start", "shape": "newshape", "A": "a", "arrays": "arys", "object": "val"}


def name_in_tnp(function: str, event: ev.Call, catalog: Catalog) -> bool:
    """Whether tnp has the `function` of the runtime by its name, with parameters that can say this call."""
    parameters, fact = catalog.tnp_parameters.get(function), catalog.get(f"numpy.{function}")
    if parameters is None or fact is None or any(argument.star for argument in event.arguments):
        return False
    number = sum(argument.name is None for argument in event.arguments)
    if event.receiver is not None:  # ``x.reshape(2, 3)`` becomes a call with one tuple
        number = 1 + (min(number, 1) if function in SPREADS else number)
    named = {argument.name for argument in event.arguments if argument.name is not None}
    if not number and parameters[0] not in named and not parameters[0].startswith("*"):
        return False  # ``np.arange(stop=3)``
    accepted = fact.tnp.accepted if fact.tnp is not None and parameters[-1].startswith("**") else frozenset()
    if not named <= ({*parameters, *accepted} - {"out"}):
        return False
    takes_any = any(name.startswith("*") and not name.startswith("**") for name in parameters)
    return takes_any or number <= _alike(fact.positional, parameters)


def _alike(numpys: tuple[str, ...], tnps: tuple[str, ...]) -> int:
    """How many parameters of NumPy's function and tnp's mean the same by place: the first one always does."""
    for place, (name, other) in enumerate(zip(numpys, tnps, strict=False)):
        if place and other not in (name, _OTHER_NAMES.get(name)):
            return place
    return min(len(numpys), len(tnps))


def _unknown_keyword(fact: ApiFact, event: ev.Call) -> bool:
    """Whether a method is given a keyword that only the function of its name takes, and so the function's helper."""
    if event.receiver is None or not fact.parameters or any(text.startswith("**") for text in fact.parameters):
        return False
    return any(a.name is not None and a.name not in fact.parameter_names for a in event.arguments)


def _stage_problem(target: Target, compile: str, parameters: set[str], dtypes: frozenset[str]) -> str | None:
    """Why the tnp target cannot stand for this call where it is traced or compiled; None when it can."""
    if compile == "none":
        return None
    stage, where = (target.traced if compile == "graph" else target.compiled), _WHERE[compile]
    if stage is None:
        return f"{target.name} was not measured {where}"
    if stage.unchecked:
        return f"{target.name} returns {where} where NumPy raises: {stage.unchecked}"
    missing = sorted(parameters - stage.accepted - {"self"})
    if missing:
        return f"{target.name} is not equal {where} with {', '.join(f'{name}=' for name in missing)}"
    bad = dtypes - set(stage.dtypes)
    if bad:
        return f"{target.name} is not equal {where} for {_dtype_words(bad)}"
    for word, found in (("gives something else", stage.differs), ("raises", stage.fails)):
        for chars, example in found.items():
            if not dtypes or dtypes & set(chars):
                return f"{target.name} {word} {where} for {_dtype_words(frozenset(chars))}: {example}"
    return None


#: Where NumPy takes axis 0 and -1 of 0-d arrays, or tells of a wrong axis by another exception.
_AXIS_OF_NUMBERS = frozenset(("cumsum", "cumprod", "squeeze", "sort"))
_WHERE = {"graph": "inside tf.function", "xla": "under XLA"}


def _below(name: str, prefix: str) -> str:
    return name[len(prefix) + 1 :] if name.startswith(prefix + ".") else name


def _problem(
    fact: ApiFact,
    target: Target,
    bound: dict[str, ev.Argument] | None,
    used: set[str] | None,
    event: ev.Call,
    compile: str,
) -> str | None:
    """Why the tnp target cannot stand for this call; None when it can."""
    short = fact.name.rpartition(".")[2]
    if bound is None or used is None:
        return "its arguments are not known before run time"
    names = used | ({"self"} if event.receiver is not None else set())
    accepted = target.accepted | {"self"}
    if event.receiver is not None and fact.parameters:
        accepted |= {"self"}
    missing = sorted(names - accepted)
    if missing and not target.dtypes:
        return f"{target.name} gives something else (see `np2tnp api {fact.name}`)"
    if missing:
        return f"{target.name} is not equal with {', '.join(f'{name}=' for name in missing)}"
    for name, argument in bound.items():
        if _is_negative_zero(argument.value):
            return "TensorFlow takes -0.0 for 0.0"
        if name == "dtype" and argument.value != NONE and dtype_char(argument.value) is None:
            return "its dtype is not known before run time"
        if name == "dtype" and argument.value == NONE and "dtype=None" not in fact.parameters:
            return f"{target.name} was not measured with dtype=None"
        if name in _WHOLE_NUMBERS and _holds_other_number(argument.value):
            return f"NumPy decides what {name} is that is no integer"
        if name in WHOLE and _is_found_out(argument.value):
            return f"{name} is not known to be a whole number, and of others NumPy raises"
    first = event.receiver if event.receiver is not None else next(iter(bound.values())).value if bound else None
    if isinstance(first, Scalar) and first.type == "object":
        return "what kind of object it gets is not known"
    if isinstance(first, Array) and first.home == HOST and first.dtypes >= ALL_DTYPES:
        return "the array is one of NumPy's, which may hold objects"
    axis = bound.get("axis")
    if short in _AXIS_OF_NUMBERS and axis is not None and axis.value != NONE and not (first and has_axes(first)):
        return f"{target.name} takes no axis of 0-d arrays"
    dtypes: frozenset[str] = frozenset()
    if first is not None and fact.kind not in ("class", "dtype"):
        operands = _operands(fact, first, bound)
        dtypes = _dtypes(first)
        if _reads_weakly(operands):
            return f"{target.name} promotes numbers in lists as weak scalars"
        given = [first, *(argument.value for argument in bound.values())]
        dtypes = dtypes.union(*(array.dtypes for array in arrays_in(given)))
        for name, argument in bound.items():
            if isinstance(argument.value, Sequence) and name not in _WHOLE_NUMBERS:
                dtypes |= sequence_dtypes(argument.value)
        bad = dtypes - set(target.dtypes)
        if bad:
            return f"{target.name} is not equal for {_dtype_words(bad)}"
        pair = _bad_pair(target, given if event.receiver is not None else given[1:])
        if pair is not None:
            return f"{target.name} is not equal for {_NAMES[pair[0]]} beside {_NAMES[pair[1]]}"
    elif not target.dtypes:
        return f"{target.name} was not measured"
    arguments: dict[str, tuple[Value, ...]] = {} if event.receiver is None else {"self": (event.receiver,)}
    for name, argument in bound.items():
        plain = name.partition("[")[0]
        arguments[plain] = (*arguments.get(plain, ()), argument.value)
    keywords = [argument.name for argument in event.arguments if argument.name is not None]
    own = frozenset(name for name, it in bound.items() if is_pythons_own(it.value) or _is_python_int(it.node.value))
    return find_problem(target, arguments, keywords, dtypes, own) or _stage_problem(target, compile, names, dtypes)


def _is_python_int(node: cst.BaseExpression) -> bool:
    """Whether an expression that gives an integer certainly gives Python's own: ``len(x)``, ``x.shape[0] - 1``."""
    if isinstance(node, cst.BinaryOperation):
        return _is_python_int(node.left) and _is_python_int(node.right)
    if isinstance(node, cst.Subscript):
        return isinstance(node.value, cst.Attribute) and node.value.attr.value == "shape"
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value == "len"
    return isinstance(node, cst.Integer) or (isinstance(node, cst.Attribute) and node.attr.value in ("size", "ndim"))


def _bad_pair(target: Target, operands: list[Value]) -> str | None:
    """Two dtypes that the operands may have and that tnp promotes otherwise than NumPy."""
    if not target.pairs_bad:
        return None
    sides = [array.dtypes for array in arrays_in(operands)]
    for index, left in enumerate(sides):
        for right in sides[index + 1 :]:
            for pair in target.pairs_bad:
                if (pair[0] in left and pair[1] in right) or (pair[1] in left and pair[0] in right):
                    return pair
    return None


#: Parameters that are integers: other numbers NumPy refuses or cuts, and TensorFlow takes or refuses.
_WHOLE_NUMBERS = frozenset(
    ("axis", "axes", "shape", "newshape", "repeats", "n", "k", "num", "N", "M", "offset", "decimals", "reps")
)


#: Of these tnp cuts what NumPy refuses: an axis of np.float64(1.9) is axis 1.
#: Parameters that NumPy takes whole numbers alone for, where tnp cuts others to such: what a door lets in for a
#: parameter of the function that is given as it is.
WHOLE = {
    **dict.fromkeys(("axis", "axes", "axis1", "axis2"), "axes"),
    **dict.fromkeys(("shape", "newshape", "reps", "N", "M"), "sizes"),
}


def _is_found_out(value: Value) -> bool:
    """Whether a number was taken or made of something unknown: a parameter as it is passes for what its name says."""
    if isinstance(value, Sequence):
        return any(map(_is_found_out, value.items if value.items is not None else (value.element,)))
    if isinstance(value, Array):
        return True
    return isinstance(value, Unknown) and value.exact is None


def _holds_other_number(value: Value) -> bool:
    if isinstance(value, Sequence):
        return any(map(_holds_other_number, value.items if value.items is not None else (value.element,)))
    if isinstance(value, Array):
        return value.dtypes <= set("?efdFD")
    return scalar_type(value) in ("bool", "float", "complex")


#: Parameters that hold data beside the first one, where the rule of the result's dtype does not name them.
_DATA = frozenset(("x1", "x2", "a", "b", "start", "stop"))


def _operands(fact: ApiFact, first: Value, bound: dict[str, ev.Argument]) -> list[Value]:
    """The arguments whose dtypes decide about the result's together; none where there is only one."""
    named = set((fact.result or "").partition("(")[2].rstrip(")").split(",")) | _DATA
    found = [argument.value for name, argument in bound.items() if name in named]
    return [first, *(value for value in found if value is not first)] if "self" in named else found


def _reads_weakly(operands: list[Value]) -> bool:
    """Whether tnp may promote one of the operands otherwise than NumPy, for which numbers in lists are arrays."""
    if len(operands) < 2:
        return False
    for value in operands:
        if not isinstance(value, Sequence):
            continue
        strong, weak = operand_dtypes(value)
        kinds = weak or {kind for kind, char in _DEFAULT.items() if char in strong}
        for other in operands:
            chars, _ = operand_dtypes(other) if isinstance(other, Array) else (frozenset(), None)
            if any(promote2(char, _DEFAULT[kind]) != promote_weak(char, kind) for char in chars for kind in kinds):
                return True
    return False


def _dtypes(value: Value) -> frozenset[str]:
    """dtype characters of the arrays that `value` may be, or NumPy makes of it."""
    if isinstance(value, (Const, Scalar)) and not is_python_number(value):
        return frozenset()
    arrays, weak = operand_dtypes(value)
    return arrays | {_DEFAULT[kind] for kind in weak}


#: The dtypes that Python's numbers have as arrays.
_DEFAULT = {"bool": "?", "int": "l", "float": "d", "complex": "D"}
_NAMES = {
    "?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64",
    "B": "uint8", "H": "uint16", "I": "uint32", "L": "uint64",
    "e": "float16", "f": "float32", "d": "float64", "F": "complex64", "D": "complex128",
}  # fmt: skip


def _dtype_words(dtypes: frozenset[str]) -> str:
    if dtypes >= ALL_DTYPES:
        return "any dtype"
    names = [_NAMES[char] for char in "?bhilBHILefdFD" if char in dtypes]
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


#: Operators that join containers, or repeat them.
JOINING = frozenset(("add", "mul", "or_"))


def _may_be_list(operands: tuple[Value, ...]) -> bool:
    """Whether a list may stand beside an array: NumPy reads it by its own dtype, a tensor by the tensor's."""
    if len(operands) < 2:
        return False
    arrays = [isinstance(value, (Array, Unknown)) for value in operands]
    lists = [isinstance(value, (Unknown, Sequence)) for value in operands]
    return (arrays[0] and lists[1]) or (arrays[1] and lists[0])


def _may_be_repeated(operands: tuple[Value, ...]) -> bool:
    """Whether a list of arrays may stand beside a number that repeats it."""
    numbers = [scalar_type(value) in ("int", "bool", "number", "object") for value in operands]
    lists = [isinstance(value, Unknown) for value in operands]
    return (lists[0] and numbers[1]) or (lists[1] and numbers[0])


#: Ufunc (for ``np.add.at`` and the like) and operator-module names of the operators.
UFUNC_OF_OPERATOR = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "mod",
    "pow": "power", "matmul": "matmul", "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "left_shift", "rshift": "right_shift",
}  # fmt: skip

#: Tensor operators that raise for dtypes which people use with them (masks, small integers): the exact form is used.
EXACT = frozenset(("abs", "matmul", "neg"))
#: Tensor operators that do not exist, or give the very tensor back, where NumPy makes a copy.
NO_OPERATOR = frozenset(("lshift", "rshift", "pos"))
#: Operators whose tensor form may differ silently even where the catalog has no measured pairs.
SUSPECT = frozenset(("truediv", "floordiv", "mod", "pow", "lshift", "rshift"))


#: Tensor operators that raise NumPy's OverflowError for a Python integer that the other operand's dtype does not hold,
#: once the runtime has begun (`runtime.lazy.refuse_wide_integers`): tests/runtime/base/test_wide_integers.py.
REFUSING = frozenset(("add", "sub", "mul", "and_", "or_", "xor"))


def operator_differs(
    catalog: Catalog, op: str, operands: tuple[Value, ...], guarded: bool = True, checked: bool = False
) -> bool:
    """Whether the tensor operator may give something else than NumPy's, silently, for what is known of the operands.

    `guarded`: a boundary turns what TensorFlow refuses into a refusal; else raising is a difference, too.
    `checked`: the code runs after the runtime has begun, which looks at Python integers.
    """
    op = op.removeprefix("chained ")
    if _may_be_list(operands) or any(scalar_type(value) in ("str", "bytes") for value in operands):
        return True
    if op in NO_OPERATOR:
        return True
    if op == "mul" and _may_be_repeated(operands):
        return True
    fact = catalog.get(f"operator.{op}")
    target = fact.tnp if fact is not None else None
    sides = [operand_dtypes(value) for value in operands]
    if op in ("eq", "ne") and not any(
        is_python_number(value) or (isinstance(value, Array) and value.rank == 0) for value in operands
    ):
        return True  # shapes that do not broadcast give False instead of an error
    if target is None:
        return op in SUSPECT
    # where the dtype is not known, the boundary refuses what TensorFlow refuses; where it is, the exact form is needed
    lenient = guarded and op not in EXACT and all(not arrays or arrays >= {"d", "f"} for arrays, _ in sides)
    if len(operands) == 1:
        return not sides[0][0] <= ({*target.dtypes, *target.loud} if lenient else {*target.dtypes})
    if op in ("floordiv", "mod") and _may_divide_by_zero(operands[1], *sides):
        return True
    if op == "pow" and _is_negative(operands[1]) and (sides[0][0] & _WHOLE or "int" in sides[0][1]):
        return True  # NumPy raises for integers; a compiled graph gives 0
    if op == "matmul" and guarded:  # of numbers NumPy makes no matrix product: behind a door its original says so
        for index, value in enumerate(operands):
            if isinstance(value, Array) and value.weak == REAL:
                sides[index] = (value.dtypes, NO_NAMES)
    (left, left_weak), (right, right_weak) = sides
    bad = set() if op in ("eq", "ne") else set(target.pairs_bad) - (set(target.pairs_loud) if lenient else set())
    if any(a + b in bad for a in left for b in right):
        return True
    numbers = ((left, right_weak), (right, left_weak))  # a Python number takes the dtype of the array beside it
    if not guarded and any(char + char in bad for arrays, weak in numbers if weak for char in arrays):
        return True
    refuses = checked and op in REFUSING
    return any(
        _weak_differs(target, arrays, weak, number, refuses)
        for arrays, weak, number in ((left, right_weak, operands[1]), (right, left_weak, operands[0]))
    )


_WHOLE = frozenset("?bhilBHIL")


def _is_negative(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) is int and value.value < 0


_Side = tuple[frozenset[str], frozenset[str]]  #: of an operand: dtypes as an array, types as a Python number


def _may_divide_by_zero(divisor: Value, left: _Side, right: _Side) -> bool:
    """Whether an integer may be divided by zero, for which TensorFlow raises where one of the two is Python's."""
    integers = set("?bhilBHIL")
    if "int" in right[1]:
        return bool(left[0] & integers) and not (isinstance(divisor, Const) and divisor.value)
    return "int" in left[1] and bool(right[0] & integers)


def _weak_differs(target: Target, arrays: frozenset[str], weak: frozenset[str], number: Value, refuses: bool) -> bool:
    """Whether a Python number of one of the types `weak` gives something else with arrays of these dtypes.

    `refuses`: integers that a dtype does not hold raise what they raise in NumPy.
    """
    if weak == {"bool"}:
        return True  # tensors take no Python bool beside most dtypes
    if _is_negative_zero(number):
        return True
    if ("float" in weak and arrays & set(target.weak_float_bad)) or (
        "complex" in weak and arrays & set(target.weak_complex_bad)
    ):
        return True
    if "int" not in weak:
        return False
    if arrays & set(target.weak_int_bad):
        return True
    if refuses and weak <= {"int", "float"}:  # beside bools tensors raise, and Python's complex may answer
        return False
    exposed = arrays & set(target.weak_int_overflow)
    if isinstance(number, Const) and number.type == "int":
        return any(not _fits(number.value, char) for char in exposed)
    return bool(exposed - set("lLdfFD"))


def _is_negative_zero(value: Value) -> bool:
    """Whether `value` is the number -0.0, which TensorFlow's cache of single numbers takes for 0.0."""
    return isinstance(value, Const) and value.type == "float" and str(value.value) == "-0.0"


_BITS = {"b": 8, "h": 16, "i": 32, "l": 64, "B": 8, "H": 16, "I": 32, "L": 64}


def _fits(value: int, char: str) -> bool:
    """Whether a Python int is in the range of an integer dtype (or surely exact in a floating one)."""
    bits = _BITS.get(char, 24)
    low, high = (0, 1 << bits) if char in "BHIL" else (-1 << (bits - 1), 1 << (bits - 1))
    return low <= value < high
