"""What blocks a region says what the user can change, where anything can be."""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

BLOCKED = {
    "async def f(x):\n    return np.exp(x)\n": "move its work on arrays into a function of its own",
    "def f(x: np.ndarray):\n    with np.errstate(divide='raise'):\n        return 1 / x\n": "test values instead",
    "def f(x):\n    y = np.exp(x)\n    return y.ctypes.data, y\n": "move what needs it into a function of its own",
    "def f(x):\n    return np.exp(x).astype(np.longdouble)\n": "use float64",
    "def f(x):\n    y = np.exp(x)\n    return y.sort(), y\n": "give it a statement of its own",
    "def f(x):\n    y = np.exp(x)\n    z = y.ravel()\n    z[0] = 1\n    return y\n": "store through y,",
    "def f(x):\n    y = np.exp(x)\n    s = y.strides[0]\n"
    "    return np.lib.stride_tricks.as_strided(y, (len(y) - 2, 3), (s, s)).sum(axis=1)\n": "sliding_window_view makes",
    "import numba\n\n\n@numba.njit\ndef f(x):\n    return np.sum(x)\n": "move what shall migrate out of it",
    "def f(x):\n    got = yield np.exp(x)\n    x[:] = got\n": "move its work on arrays into a function of its own",
}


@pytest.mark.parametrize("text", BLOCKED, ids=range(len(BLOCKED)))
def test_a_block_says_what_unblocks(text: str) -> None:
    report = analyze(Source("m.py", f"import numpy as np\n\n\n{text}"), Config(rewrite=True))
    (region,) = (region for region in report.regions if region.qualname == "f")
    assert region.state.value == "blocked"
    assert any(BLOCKED[text] in reason for reason in region.reasons), region.reasons
