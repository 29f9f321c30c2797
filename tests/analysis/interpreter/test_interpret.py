"""What names mean, and what the interpreter knows of arrays: seen through findings and the fate of regions."""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, RegionState


def report_of(text: str) -> FileReport:
    return analyze(Source("m.py", text), Config(rewrite=True))


def state_of(text: str, name: str = "f") -> RegionState:
    return next(region.state for region in report_of(text).regions if region.qualname == name)


def codes_of(text: str, name: str = "f") -> set[str]:
    return {finding.code for finding in report_of(text).findings if finding.region == name}


@pytest.mark.parametrize(
    "text",
    [
        "import numpy\ndef f(x): return numpy.linalg.inv(x)\n",
        "import numpy as np\ndef f(x): return np.linalg.inv(x)\n",
        "import numpy as anything\ndef f(x): return anything.linalg.inv(x)\n",
        "import numpy.linalg\ndef f(x): return numpy.linalg.inv(x)\n",
        "import numpy.linalg as la\ndef f(x): return la.inv(x)\n",
        "from numpy import linalg\ndef f(x): return linalg.inv(x)\n",
        "from numpy.linalg import inv\ndef f(x): return inv(x)\n",
        "from numpy.linalg import inv as invert\ndef f(x): return invert(x)\n",
        "from numpy.linalg import *\ndef f(x): return inv(x)\n",
        "def f(x):\n    import numpy as np\n    return np.linalg.inv(x)\n",
        "import numpy as np\nnp2 = np\ndef f(x): return np2.linalg.inv(x)\n",
        "import numpy as np\ninvert = np.linalg.inv\ndef f(x): return invert(x)\n",
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None\ndef f(x): return np.linalg.inv(x)\n",
        "if True:\n    import numpy as np\ndef f(x): return np.linalg.inv(x)\n",
        "import numpy as np\ndef f(x):\n    la = np.linalg\n    return la.inv(x)\n",
    ],
)
def test_names_of_numpy_are_resolved(text: str) -> None:
    report = report_of(text)
    assert any("np.linalg.inv" in finding.message for finding in report.findings), report.findings
    assert "rt.linalg.inv" in (report.new_text or "")


@pytest.mark.parametrize(
    "text",
    [
        "import mymodule as np\ndef f(x): return np.linalg.inv(x)\n",
        "import numpy as np\ndef f(x, np): return np.linalg.inv(x)\n",
        "import numpy as np\ndef f(x):\n    np = other()\n    return np.linalg.inv(x)\n",
        "from numpy.linalg import inv\ndef inv(x): return x\ndef f(x): return inv(x)\n",
        "def f(x): return np.linalg.inv(x)\n",
        "import numpy as np\nnp = object()\ndef f(x): return np.linalg.inv(x)\n",
    ],
)
def test_other_names_are_not(text: str) -> None:
    report = report_of(text)
    assert not any("linalg" in finding.message for finding in report.findings if finding.code in ("TNP001", "TNP002"))
    assert "rt.linalg" not in (report.new_text or "")


def body(*lines: str, head: str = "def f(x, y, n):") -> str:
    return "import numpy as np\n\n\n" + head + "\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    "lines",
    [
        ("a = np.exp(np.sin(x))", "b = a[1:]", "b[0] = 1", "b = b + 1", "return a"),
        ("a = np.exp(x)", "b = a.T", "b[0] = 1", "return a"),
        ("a = np.exp(x)", "b = a.reshape(-1)", "b += 1", "return a"),
        ("a = np.exp(x)", "b = a", "b += 1", "return a"),
        ("a = np.exp(x)", "for row in a:", "    row[0] = 1", "return a"),
        ("a = np.exp(x)", "held = [a]", "held[0][0] = 1", "return a"),
        ("a = np.exp(x)", "if n:", "    b = a", "else:", "    b = np.exp(y)", "b[0] = 1", "return a"),
        ("a = np.exp(x)", "b = np.asarray(a)", "b[0] = 1", "return a"),
        ("a, b = x, x[1:]", "b[0] = np.exp(1.0)", "return np.sum(np.exp(np.sin(a)))"),
    ],
)
def test_a_write_through_another_name_is_seen(lines: tuple[str, ...]) -> None:
    state = state_of(body(*lines))
    assert "TNP202" in codes_of(body(*lines)) if state is RegionState.CONVERTIBLE else state is RegionState.BLOCKED


@pytest.mark.parametrize(
    "lines",
    [
        ("a = np.exp(x)", "b = a.copy()", "b[0] = 1", "return a"),
        ("a = np.exp(x)", "b = a + 0", "b[0] = 1", "return a"),
        ("a = np.exp(x)", "b = a[1:]", "a = np.exp(y)", "b[0] = 1", "return a"),
        ("a = np.exp(x)", "b = a[1:]", "b[0] = 1", "return b"),
        (
            "u = np.exp(x)",
            "v = np.zeros_like(u)",
            "for _ in range(n):",
            "    v[1:] = u[:-1]",
            "    u, v = v, u",
            "return u",
        ),
    ],
)
def test_memory_of_its_own_does_not(lines: tuple[str, ...]) -> None:
    assert state_of(body(*lines)) is RegionState.CONVERTIBLE


def test_lists_and_dicts_are_not_arrays() -> None:
    lines = ("x = [1, 2]", "x[0] = 3", "d = {}", "d['k'] = x", "x += [4]", "return np.exp(y), x, d")
    assert not codes_of(body(*lines)) & {"TNP101", "TNP102"}


def test_attributes_of_self_are_updated_in_place() -> None:
    text = "import numpy as np\n\n\nclass C:\n    def __init__(self, n):\n        self.w = np.zeros(n)\n\n"
    text += "    def f(self, g):\n        self.w -= np.tanh(g)\n        return np.sum(self.w)\n"
    report = report_of(text)
    assert report.new_text is not None
    assert "self.w -= rt.host(" in report.new_text


def test_a_loop_joins_what_comes_round() -> None:
    """What is an integer at first and an array later is both: no operator of Python's numbers may be emitted."""
    text = body("t = 0", "for _ in range(n):", "    t = t + np.exp(x) // 2", "return t")
    assert state_of(text) is RegionState.CONVERTIBLE
    assert "t = t + tnp.exp(x) // 2" in (report_of(text).new_text or "")  # an operator that tensors look at


def test_loops_over_elements_are_seen_through_powers() -> None:
    text = "import numpy as np\ndef f(n):\n    x = np.zeros(2**n)\n    for i in range(n):\n"
    assert "TNP701" in codes_of(text + "        x[2**i - 1] = np.sin(i)\n    return x\n")


def test_a_name_that_is_bound_several_times_is_all_of_them() -> None:
    """The function may be called between two assignments."""
    text = "import numpy as np\nx = np.ones(4, bool)\ndef f():\n    return np.dot(np.outer(x, x), np.outer(x, x))\n"
    text += "f()\nx = np.ones(4)\n"
    assert "return tnp.dot(tnp.outer(x, x), tnp.outer(x, x))" in (report_of(text).new_text or "")
    assert "TNP003" in codes_of(text)  # tnp.dot differs for bool
    assert "TNP003" not in codes_of(text.replace("np.ones(4, bool)", "np.zeros(4)"))
    in_class = text.replace("x = np.ones(4, bool)", "class C:\n    x = np.ones(4, bool)")
    assert "TNP003" not in codes_of(in_class)


def test_what_a_walrus_gives_shares_memory_with_its_name() -> None:
    text = "import numpy as np\ndef f(n):\n    p = (q := np.zeros(n))\n    p[0] = 1\n    return np.sum(q)\n"
    assert state_of(text) is RegionState.BLOCKED
    assert state_of(text.replace("np.sum(q)", "np.sum(p)")) is RegionState.CONVERTIBLE


@pytest.mark.parametrize(
    ("call", "in_place"),
    [
        ("np.median(y)", False),
        ("np.median(y, overwrite_input=False)", False),
        ("np.median(y, overwrite_input=True)", True),
        ("np.median(y, 0, None, flag)", True),
        ("np.nan_to_num(y)", False),
        ("np.nan_to_num(y, copy=False)", True),
        ("np.nan_to_num(y, False)", True),
    ],
)
def test_functions_that_work_in_place_only_when_told_to(call: str, in_place: bool) -> None:
    text = f"import numpy as np\ndef f(x, flag):\n    y = np.exp(x)\n    print({call})\n    return y\n"
    assert state_of(text) is (RegionState.BLOCKED if in_place else RegionState.CONVERTIBLE)


@pytest.mark.parametrize(
    ("made", "plotted"),
    [
        ("fig, ax = plt.subplots()", "ax.plot(x)"),
        ("ax = plt.figure().add_subplot(111)", "ax.plot(x)"),
        ("_, axes = plt.subplots(2, 2)", "axes[0, 1].twinx().fill_between(x, x)"),
        ("_, axes = plt.subplots(3)", "[a.plot(x) for a in axes.ravel()]"),
        ("ax = plt.gca()", "ax.hist(x)[0]"),
    ],
)
def test_axes_of_plots_neither_change_nor_keep_arrays(made: str, plotted: str) -> None:
    text = f"import matplotlib.pyplot as plt\nimport numpy as np\ndef f():\n    x = np.arange(3.0)\n    {made}\n"
    new = report_of(f"{text}    {plotted}\n    return np.sum(np.exp(np.sin(x)))\n").new_text or ""
    assert "x_host" not in new
    assert "rt.host(x)" in new


def test_which_name_is_said_to_stay_does_not_depend_on_the_order_of_sets() -> None:
    names = ("ab", "cd", "ef", "gh", "ij", "kl")
    shifted = [names[i:] + names[:i] for i in range(len(names))]
    texts = [
        f"def f{i}(x):\n    for row in np.exp(x):\n        {', '.join(order)} = {', '.join('row[1:]' for _ in order)}\n"
        "        keep(row[2:])\n        keep(row[3:])\n"
        for i, order in enumerate(shifted)
    ]
    report = report_of("import numpy as np\nfrom other import keep\n" + "".join(texts))
    said = [finding.message for finding in report.findings if finding.code == "TNP502"]
    told = "this is assigned to row, which stays an ndarray: converted there"
    assert said == [told] * len(names)  # whatever other names there are
