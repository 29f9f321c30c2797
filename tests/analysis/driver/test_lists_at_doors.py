"""What is annotated as a list gets in as it is, and what draws no numbers is asked for no generator."""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

LISTS = ("list[float]", "list[list[float]]", "Sequence[float]", "list[float] | None", "Optional[Tuple[float, ...]]")


def decorators(text: str) -> list[str]:
    source = Source("m.py", f"import numpy as np\n\n\n{text}")
    report = analyze(source, Config(rewrite=True))
    assert report.new_text is not None
    return [line.strip() for line in report.new_text.splitlines() if line.strip().startswith("@rt.migrated")]


@pytest.mark.parametrize("kind", LISTS)
def test_no_door_for_arrays_where_a_list_is_annotated(kind: str) -> None:
    text = f"def peak(rows: {kind}, x: np.ndarray):\n    return np.max(np.array(rows)) * np.exp(x @ x)\n"
    assert decorators(text) == ['@rt.migrated(reals="x")']


def test_no_door_for_arrays_where_a_docstring_names_a_list() -> None:
    text = '"""Peak.\n\n    Parameters\n    ----------\n    rows : list of float\n    """\n'
    body = "    return np.max(np.array(rows)) * np.exp(x @ x)\n"
    assert decorators(f"def peak(rows, x: np.ndarray):\n    {text}{body}") == ['@rt.migrated(reals="x")']


@pytest.mark.parametrize("kind", ["np.ndarray", "np.ndarray | list[float]", "npt.ArrayLike"])
def test_arrays_have_their_door_where_lists_may_come_besides(kind: str) -> None:
    text = f"def peak(rows: {kind}):\n    return np.max(np.array(rows)) * np.exp(rows)\n"
    assert '"rows"' in decorators(text)[0]


def test_an_attribute_that_is_read_and_not_called_draws_nothing() -> None:
    text = "def even(curve):\n    return np.max(np.exp(curve.power)) * 2 > 1.0\n"
    assert decorators(text) == ['@rt.migrated(reals_or_numbers="curve.power")']


def test_methods_of_its_own_object_draw_nothing() -> None:
    text = (
        "class Curve:\n    def power(self, x):\n        return x ** 2\n\n"
        "    def even(self, x):\n        return np.exp(self.power(x)) * np.max(x)\n"
    )
    assert not any("generators" in line for line in decorators(text))
