"""What is said of a decorator that keeps a function in NumPy: what of it counts."""

from __future__ import annotations

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import FileReport

_HEAD = "import functools\nimport warnings\n\nimport numba\nimport numpy as np\n\n\n"
_WRAPPER = """def deco(f):
    cache = Cache()

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        {}

    return wrapper


"""
_END = "@deco\ndef g(x):\n    return np.exp(x) * 2\n"

_LOOKS = "calls it where warnings or floating-point errors are looked for"
KEPT = {
    "return apply(f, *args)": "hands the function on to apply()",
    "return made(3)(f)(*args)": "hands the function on to made(...)",
    "with warnings.catch_warnings(record=True):\n            return f(*args)": _LOOKS,
    "with np.errstate(divide='raise'):\n            return f(*args)": _LOOKS,
    "return numba.njit(f)(*args)": "compiles it to native code: best left as it is",
}
_CALL = "            return f(*args, **kwargs)"
CALLED = (
    f"with warnings.catch_warnings():\n            warnings.simplefilter('ignore')\n{_CALL}",
    f"with warnings.catch_warnings():\n            warnings.filterwarnings('ignore', 'x', UserWarning)\n{_CALL}",
    f"with np.errstate(all='ignore'):\n{_CALL}",
)


def checked(body: str) -> FileReport:
    text = _HEAD + _WRAPPER.format(body) + _END
    return pipeline.analyse_bytes(Config(), ("f.py", text.encode()))


@pytest.mark.parametrize("body", KEPT)
def test_what_counts_of_a_decorator_is_said(body: str) -> None:
    told = [it.message for it in checked(body).findings if it.region == "g" and it.decides]
    assert [message for message in told if KEPT[body] in message], told


@pytest.mark.parametrize("body", CALLED)
def test_to_ignore_warnings_is_no_look_at_them(body: str) -> None:
    (state,) = (it.state.value for it in checked(body).regions if it.qualname == "g")
    assert state == "convertible"
