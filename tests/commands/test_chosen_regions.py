"""Rewriting only some regions: the others keep every byte, and callers know which of their callees stayed NumPy."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport

TEXT = """\
import numpy as np


def scale(x):
    x[:] = np.abs(x)
    return x


def total(x):
    y = np.sqrt(x)
    scale(y)
    return y.sum()


class Model:
    def fit(self, x):
        self.mean = np.mean(x, axis=0)
        return self

    def transform(self, x):
        return np.subtract(x, self.mean)
"""


def rewrite(**options: object) -> FileReport:
    return analyze(Source("pkg/m.py", TEXT), Config(rewrite=True, slow="convert", **options))  # type: ignore[arg-type]


def migrated(report: FileReport) -> set[str]:
    return {region.qualname for region in report.regions if region.state.value == "convertible"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"scale", "total", "Model.fit", "Model.transform"}),
        ({"only_regions": ("total",)}, {"total"}),
        ({"only_regions": ("Model",)}, {"Model.fit", "Model.transform"}),
        ({"only_regions": ("m.py::*t*al",)}, {"total"}),
        ({"only_regions": ("other.py::",)}, set()),
        ({"skip_regions": ("pkg/m.py::Model.*", "scale")}, {"total"}),
        ({"only_regions": ("Model",), "skip_regions": ("*.fit",)}, {"Model.transform"}),
        ({"chosen_regions": frozenset({("pkg/m.py", "scale"), ("x.py", "total")})}, {"scale"}),
    ],
)
def test_only_what_is_wanted_is_migrated(options: dict[str, object], expected: set[str]) -> None:
    assert migrated(rewrite(**options)) == expected


def test_an_unwanted_region_keeps_its_text_and_says_so() -> None:
    report = rewrite(skip_regions=("scale",))
    assert report.new_text is not None
    assert TEXT[TEXT.index("def scale") : TEXT.index("def total")] in report.new_text
    (scale,) = (region for region in report.regions if region.qualname == "scale")
    assert scale.state.value == "kept"
    assert scale.reasons == ("it was not to be rewritten",)
    assert not any(finding.fixable for finding in report.findings if finding.region == "scale")


def test_choices_hold_for_modules_that_are_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ops.py").write_text("import numpy as np\n\n\ndef scale(x):\n    return np.exp(x)\n")
    text = "import numpy as np\n\nfrom ops import scale\n\n\ndef use(x):\n    return np.std(np.sin(scale(x)))\n"
    Path("use.py").write_text(text)

    def used(*names: tuple[str, str]) -> str:
        return analyze(Source("use.py", text), Config(rewrite=True, chosen_regions=frozenset(names))).new_text or ""

    whole = analyze(Source("use.py", text), Config(rewrite=True)).new_text
    assert used(("use.py", "use"), ("ops.py", "scale")) == whole
    assert used(("use.py", "use"), (str(tmp_path / "ops.py"), "scale")) == whole
    assert used(("use.py", "use")) not in (whole, "")


def test_a_caller_calls_an_unwanted_callee_as_numpy_code() -> None:
    text = rewrite(only_regions=("total",)).new_text
    assert text is not None
    assert "scale.core" not in text
    whole = rewrite().new_text
    assert whole is not None
    assert "scale.core" in whole


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[2] / "fixtures/programs").glob("*.py"))[::7], ids=str)
def test_choosing_nothing_changes_nothing(path: Path) -> None:
    report = analyze(Source("p.py", path.read_text(encoding="utf-8")), Config(rewrite=True, chosen_regions=frozenset()))
    assert report.new_text is None
