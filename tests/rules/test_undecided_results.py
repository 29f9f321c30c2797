"""TNP511: what may be a scalar or a 0-d array, once a function has had effects: which effects, and what is advised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advised import deciding, gives_the_same

_HEAD = "import numpy as np\n\n\n"

PROFILE = """
def score(v, q):
    with np.errstate(divide="ignore", invalid="ignore"):
        return -0.5 * v - 0.5 * np.log(q)


def f(x: np.ndarray, v: np.ndarray):
    y = score(v, np.exp(x).sum(axis=0) - 1)
    return np.where(np.isnan(y), -np.inf, y), np.exp(x)
"""


def test_what_errstate_puts_back_is_no_effect(tmp_path: Path) -> None:
    text = _HEAD + PROFILE.lstrip()
    assert deciding(text) is None
    x, v = np.linspace(-1, 0, 20).reshape(2, 10), np.ones(10)
    gives_the_same(tmp_path, [text] * 2, lambda it: [it.f(x, v), it.f(x[:, 0], v[0])], on_unverified="numpy")


NORM = """
class Norm:
    a = 0.5

    def subset(self, z):
        {}
        return np.less_equal(np.abs(np.asarray(z)), self.a)

    def f(self, z):
        one, z = np.isscalar(z), np.atleast_1d(z)
        inside = self.subset(z)
        v = np.zeros(z.shape)
        v[inside] = z[inside] ** 2
        return v[0] if one else v
"""


@pytest.mark.parametrize(("effect", "named"), [("print(z)", "self.subset(...) may"), ("pass", "... of a subclass may")])
def test_a_method_that_only_computes_has_effects_in_a_subclass(effect: str, named: str) -> None:
    told = deciding(_HEAD + NORM.format(effect), "Norm.f")
    assert told is not None
    assert told.code == "TNP511"
    assert f"{named} have had effects" in told.message.replace("self.subset(...) of", "... of")


SUBCLASSES = """
def f(h, s, show):
    h = np.{}(h)
    show(s)
    return np.squeeze(s * np.exp(-(h**2)))
"""


def _with_masked(module: Any) -> Any:
    return [module.f(it, 3, id) for it in (np.ones((2, 1)), np.ma.masked_less(np.ones((2, 1)), 0))]


def test_a_function_that_takes_subclasses_goes_on_giving_them(tmp_path: Path) -> None:
    for made in ("asarray", "asanyarray"):
        text = _HEAD + SUBCLASSES.format(made)
        told = deciding(text)
        assert told is not None
        assert f": return np.{made}(...) of an array" in told.message
        followed = text.replace("np.squeeze(s * np.exp(-(h**2)))", f"np.{made}(np.squeeze(s * np.exp(-(h**2))))")
        assert deciding(followed) is None
        gives_the_same(tmp_path, [text, followed], _with_masked)
