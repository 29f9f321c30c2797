"""Cases of the methods of ufuncs, for all ufuncs alike (see all_cases.py for the notation)."""

BINARY = (
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "power", "float_power", "maximum",
    "minimum", "fmax", "fmin", "arctan2", "hypot", "copysign", "nextafter", "heaviside", "logaddexp", "logaddexp2",
    "gcd", "lcm", "ldexp", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
    "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
)  # fmt: skip
UNARY = (
    "absolute", "fabs", "negative", "positive", "sign", "signbit", "rint", "floor", "ceil", "trunc", "sqrt", "cbrt",
    "square", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin",
    "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg", "degrees",
    "radians", "conjugate", "isnan", "isinf", "isfinite", "logical_not", "invert", "bitwise_count", "spacing",
)  # fmt: skip
#: NumPy's own of these exists, and raises for every dtype: what it gives cannot be combined again.
_NOT_REPEATED = {"ldexp"}
METHODS = ("reduce", "accumulate", "outer", "reduceat", "at")


def _names(ufuncs: tuple[str, ...], method: str) -> str:
    left_out = _NOT_REPEATED if method in ("reduce", "accumulate", "reduceat") else set()
    return " ".join(f"{name}.{method}" for name in ufuncs if name not in left_out)


TABLE = f"""
{_names(BINARY, "reduce")} @sum : v | m | m, 1 | t, axis=(0, 2) | m, axis=0, keepdims=True | e | z | m, axis=5 | l3
 | m, axis=None | v, dtype=np.float64 | v, initial=2 | m, axis=0, where=bm, initial=1 | m, where=bm
{_names(BINARY, "accumulate")} @sum : v | m | m, 1 | m, axis=-1 | e | m, axis=5
 | v, dtype=np.float64 | v, 0, float | l3[:40]
{_names(BINARY, "outer")} @sum : v, w | v, 2 | m, v | e, v | S, s | z, y
{_names(BINARY, "reduceat")} @sum : v, [0, 2, 4] | v, [4, 0, 2, 2] | m, [0, 2], axis=1 | m, [0, 1] | v, [0, 99]
 | v, [0, 3], dtype=np.float64 | m, [0, 2], 1, np.float64
{_names(BINARY, "at")} @sum : v, [0, 2, 0], 3 | v, kn, w | m, 1, r | m, (kr, kr), r[:3] | v, b, 2 | v, [99], 1 | v, 2, z
{_names(UNARY, "at")} : v, [0, 2] | m, 1 | v, b | v, [99] | m, (kr, kr)
"""
