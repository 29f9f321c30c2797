"""Functions of SciPy and scikit-learn that store into what they get: callers do what they did, wherever they do it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.base.errors import UnverifiedError

pytest.importorskip("scipy.ndimage")

BODIES = {
    "a statement": "y = np.exp(x)\n    ndi.gaussian_filter(x, 1.0, output=y)\n    return y * 2",
    "by position": "y = np.exp(x)\n    ndi.gaussian_filter(x, 1.0, 0, y)\n    return y * 2",
    "its result": "y = np.exp(x)\n    z = ndi.sobel(x, output=y)\n    z[0] = -1.0\n    return y + np.sqrt(np.abs(z))",
    "a view": "y = np.zeros((2, *x.shape))\n    ndi.sobel(x, output=y[0])\n    y[1] = np.exp(x)\n    return y",
    "the argument itself": "ndi.uniform_filter(x, 3, output=x)\n    return np.exp(x)",
    "under two names": "y = np.exp(x)\n    z = y\n    ndi.sobel(x, output=y)\n    return z + np.tanh(y)",
    "in a loop": (
        "y = np.zeros_like(x)\n    total = np.exp(x)\n    for axis in (0, 1):\n        ndi.sobel(x, axis, output=y)\n"
        "        total += y * y\n    return np.sqrt(total)"
    ),
    "a dtype": "return np.exp(ndi.sobel(x, output=np.float32))",
    "none": "return np.exp(ndi.gaussian_filter(np.sqrt(np.abs(x)), 1.0))",
    "spread": "y = np.exp(x)\n    options = {'output': y}\n    ndi.sobel(x, **options)\n    return y * 2",
    "in a branch": "y = np.exp(x)\n    if n:\n        ndi.sobel(x, output=y)\n    return y + 1",
    "in place of a copy": "y = np.exp(x)\n    scale(y, copy=False)\n    return y * 2",
    "its copy": "y = np.exp(x)\n    z = scale(y)\n    z += 1\n    return y * np.tanh(z)",
}


def function(text: str) -> Any:
    names: dict[str, Any] = {"__name__": "m"}
    exec(compile(text, "m.py", "exec"), names)
    return names["f"]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_callers_do_what_they_did(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "scale(" in body:
        pytest.importorskip("sklearn.preprocessing")
        head = "from sklearn.preprocessing import scale\n"
    else:
        head = ""
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    text = f"import numpy as np\nfrom scipy import ndimage as ndi\n{head}\n\ndef f(x, n):\n    {body}\n"
    new = analyze(Source("m.py", text), Config(rewrite=True)).new_text or text
    results: list[tuple[Any, Any]] = []
    for each in (text, new):
        x = np.sin(np.arange(42.0)).reshape(6, 7)
        results.append((function(each)(x, 1), x))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-12 if one.dtype == np.float64 else 1e-6, atol=1e-14)
        assert other.dtype == one.dtype


def test_a_change_of_what_the_expression_has_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    body = "y = np.exp(x)\n    return y + ndi.laplace(x, output=y) * np.sin(y)"
    text = f"import numpy as np\nfrom scipy import ndimage as ndi\n\n\ndef f(x):\n    {body}\n"
    new = analyze(Source("m.py", text), Config(rewrite=True)).new_text
    assert new is not None
    with pytest.raises(UnverifiedError, match="changed an array that the expression around its call had read before"):
        function(new)(np.sin(np.arange(42.0)).reshape(6, 7))
