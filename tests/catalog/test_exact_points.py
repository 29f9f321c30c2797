"""Where NumPy's value is a whole number, a root, an octant, ours is the very same: people take whole parts of such."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt

WHOLE = np.arange(-400.0, 401.0)
COUNTS = np.arange(0.0, 3000.0)
TENS = np.array([float(f"1e{exponent}") for exponent in range(-300, 309)])
TWOS = 2.0 ** np.arange(-1000, 1000)
AROUND = np.concatenate(
    [near for points in (TENS, TWOS) for near in (np.nextafter(points, 0), np.nextafter(points, np.inf))]
)
ROWS, COLUMNS = np.meshgrid(np.arange(0.0, 300.0), np.arange(0.0, 300.0))
SIGNED, OTHER = ROWS - 150.0, COLUMNS - 150.0
TENTHS = ROWS / 10, COLUMNS / 10

#: A function of arrays, written with `xp` for NumPy or the runtime, and its arguments.
EXACT: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "hypot": (lambda xp, x, y: xp.hypot(x, y), (SIGNED, OTHER)),
    "hypot of tenths": (lambda xp, x, y: xp.hypot(x, y), TENTHS),
    "hypot of float32": (lambda xp, x, y: xp.hypot(x, y), (np.float32(SIGNED), np.float32(OTHER))),
    "hypot of large and small": (lambda xp, x, y: xp.hypot(x, y), (TWOS[:, None], TWOS[::37] * 1.25)),
    "hypot of specials": (
        lambda xp, x, y: xp.hypot(x, y),
        (np.array([0.0, -0.0, np.inf, -np.inf, np.nan])[:, None], np.array([0.0, 3.0, np.inf, np.nan])),
    ),
    "size of complex": (lambda xp, z: xp.absolute(z), (SIGNED + 1j * OTHER,)),
    "size of complex64": (lambda xp, z: xp.absolute(z), ((SIGNED + 1j * OTHER).astype(np.complex64),)),
    "complex root": (lambda xp, z: xp.sqrt(z), ((COLUMNS + 1j * ROWS) ** 2,)),
    "complex64 root": (lambda xp, z: xp.sqrt(z), (((COLUMNS + 1j * ROWS)[:40, :40] ** 2).astype(np.complex64),)),
    "square by power": (lambda xp, x: xp.power(x, 2), (WHOLE**2,)),
    "cube": (lambda xp, x: xp.power(x, 3), (COUNTS,)),
    "cube of float32": (lambda xp, x: xp.power(x, 3), (np.float32(WHOLE[200:600]),)),
    "fifth power": (lambda xp, x: xp.power(x, 5), (WHOLE,)),
    "tenth power": (lambda xp, x: xp.power(x, 10), (WHOLE[370:430],)),
    "root by power": (lambda xp, x: xp.power(x, 0.5), (COUNTS**2,)),
    "one and a half": (lambda xp, x: xp.power(x, 1.5), (COUNTS[:1000] ** 2,)),
    "fourth root": (lambda xp, x: xp.power(x, 0.25), (COUNTS[:1000] ** 4,)),
    "powers of arrays": (lambda xp, x, y: xp.power(x, y), (WHOLE[375:425, None], np.arange(0.0, 11.0))),
    "powers of ten": (lambda xp, y: xp.power(10.0, y), (np.arange(0.0, 23.0),)),
    "powers of two": (lambda xp, y: xp.power(2.0, y), (np.arange(-1000.0, 1000.0),)),
    "inverse": (lambda xp, x: xp.power(x, -1), (COUNTS[1:],)),
    "float_power": (lambda xp, x: xp.float_power(x, 3), (COUNTS,)),
    "log2": (lambda xp, x: xp.log2(x), (TWOS,)),
    "log2 of float32": (lambda xp, x: xp.log2(x), (np.float32(TWOS[900:1100]),)),
    "log10": (lambda xp, x: xp.log10(x), (TENS,)),
    "exp2": (lambda xp, x: xp.exp2(x), (np.arange(-1000.0, 1000.0),)),
    "cbrt": (lambda xp, x: xp.cbrt(x), (WHOLE**3,)),
    "octants": (lambda xp, y, x: xp.arctan2(y, x), (WHOLE, WHOLE)),
    "other octants": (lambda xp, y, x: xp.arctan2(y, x), (WHOLE, -WHOLE)),
    "octants in degrees": (lambda xp, y, x: xp.rad2deg(xp.arctan2(y, x)), (WHOLE, WHOLE)),
    "degrees of complex": (lambda xp, z: xp.angle(z, True), (WHOLE + 1j * WHOLE,)),
    "arctan of one": (lambda xp, x: xp.arctan(x), (np.array([-1.0, 0.0, 1.0]),)),
    "degrees": (lambda xp, x: xp.rad2deg(x), (WHOLE * (np.pi / 12),)),
    "degrees of float32": (lambda xp, x: xp.rad2deg(x), (np.float32(WHOLE * (np.pi / 12)),)),
    "radians": (lambda xp, x: xp.deg2rad(x), (WHOLE * 15,)),
    "cubic norm": (lambda xp, x: xp.linalg.norm(x, 1, axis=-1), (np.stack([SIGNED, OTHER], -1),)),
}  # fmt: skip


def eagerly(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return rt.host(function(rt, *rt.tensor(args)))


def in_mode(mode: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    names = ", ".join("xyz"[: len(args)])
    space: dict[str, Any] = {"rt": rt, "function": function}
    exec(f"def body({names}):\n    return function(rt, {names})", space)
    return rt.migrated(compile=mode)(space["body"])(*args)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("mode", ["eager", "graph", "xla"])
def test_exact_points_are_numpys(name: str, mode: str) -> None:
    function, args = EXACT[name]
    with np.errstate(all="ignore"):
        expected = function(np, *args)
    actual = eagerly(function, args) if mode == "eager" else in_mode(mode, function, args)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("name", ["log2", "log10"])
@pytest.mark.parametrize("mode", ["eager", "graph", "xla"])
def test_neighbours_of_powers_have_numpys_whole_part(name: str, mode: str) -> None:
    def whole(xp: Any, x: Any) -> Any:
        return xp.floor(getattr(xp, name)(x))

    actual = eagerly(whole, (AROUND,)) if mode == "eager" else in_mode(mode, whole, (AROUND,))
    np.testing.assert_array_equal(actual, whole(np, AROUND))


def test_random_lengths_are_numpys_to_the_last_bit() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 20_000)) * np.exp(5 * rng.normal(size=(2, 20_000)))
    for mode in ("graph", "xla"):
        np.testing.assert_array_equal(in_mode(mode, EXACT["hypot"][0], (x, y)), np.hypot(x, y))
        z = x + 1j * y
        np.testing.assert_array_equal(in_mode(mode, EXACT["size of complex"][0], (z,)), np.abs(z))


@pytest.mark.parametrize(
    "exponent", [-3, -2, -1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 7, 8, 9, 20, 63, 64]
)
def test_powers_of_special_values(exponent: float) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -2.0, 0.1, 1e-300, 1e300, 1e-20, -1e20])
    with np.errstate(all="ignore"):
        expected = np.power(values, exponent)
    for actual in (
        rt.host(rt.power(rt.tensor(values), exponent)),
        in_mode("graph", lambda xp, x: xp.power(x, exponent), (values,)),
    ):
        np.testing.assert_allclose(actual, expected, rtol=1e-14, atol=1e-307)


@pytest.mark.parametrize("exponent", [2, 3, 0.5])
def test_operators_of_tensors_are_exact(exponent: float) -> None:
    x = COUNTS[:400] ** 2
    np.testing.assert_array_equal((rt.tensor(x) ** exponent).numpy(), x**exponent)


def test_a_changing_exponent_is_not_taken_for_a_number_of_the_program() -> None:
    def body(x: Any, p: Any) -> Any:
        return x ** (2.0 * p)

    x = np.arange(5.0)
    compiled = rt.migrated(compile="graph")(body)
    for p in (1.0, 1.5, 2.0):
        np.testing.assert_allclose(compiled(x, p), x ** (2.0 * p))
