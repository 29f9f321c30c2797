"""Python's complex numbers left of NumPy's float64 scalars.

``np.float64`` is a subclass of ``float``, so of ``1j * s`` Python's complex makes a complex of its own: weak in
promotion, and a division by zero raises. With every other operand, and in every other order, NumPy's operator answers.
"""

from __future__ import annotations

from np2tnp.analysis.values import Array, Unknown, Value, is_python_number, scalar_type

#: The operators that Python's complex has; of orders NumPy's scalar is asked.
OPERATORS = frozenset(("add", "sub", "mul", "truediv", "pow", "eq", "ne"))


def python_answers(op: str, operands: list[Value] | tuple[Value, ...]) -> bool:
    """Whether Python's complex may answer an operator on `operands`. 0-d arrays are not meant: NumPy answers there."""
    return len(operands) == 2 and op in OPERATORS and _may_be_complex(operands[0]) and _may_be_float64(operands[1])


def meets_either(op: str, operands: tuple[Value, ...]) -> bool:
    """Whether a number that surely is Python's complex stands left of a scalar or a 0-d array, nobody knows which."""
    if not python_answers(op, operands) or scalar_type(operands[0]) != "complex":
        return False
    return isinstance(operands[1], (Array, Unknown)) and operands[1].zero_d == "either"


def _may_be_complex(value: Value) -> bool:
    if isinstance(value, Array):
        return value.weak and value.exact is None and "D" in value.dtypes
    return isinstance(value, Unknown) or (is_python_number(value) and scalar_type(value) in ("complex", "number"))


def _may_be_float64(value: Value) -> bool:
    if not isinstance(value, Array):
        return isinstance(value, Unknown) and value.zero_d != "array"
    if value.rank or "d" not in value.dtypes:
        return False
    return value.zero_d == "never" if value.exact is not None else value.zero_d not in ("never", "array")
