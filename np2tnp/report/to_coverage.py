"""docs/coverage.md: for every NumPy name, what np2tnp puts in its place. Generated from the catalog.

``python -m np2tnp.report.to_coverage > docs/coverage.md``
"""

from __future__ import annotations

import sys

from np2tnp.catalog.catalog import Catalog, load
from np2tnp.config import Config
from np2tnp.report.comparison import Row, make_rows, to_markdown, totals
from np2tnp.report.fates import VERDICTS

_SECTIONS = (
    ("numpy", "Functions"), ("numpy.linalg", "Linear algebra"), ("numpy.fft", "Fourier transforms"),
    ("ndarray", "Methods and attributes of ndarray"), ("operator", "Operators and indexing"),
    ("numpy.random", "Random numbers"),
)  # fmt: skip

_HEAD = """# Coverage

Generated from the catalog by `python -m np2tnp.report.to_coverage`; do not edit. `np2tnp api --table` prints all of it
(also as CSV and JSON), `np2tnp api NAME` says more of one name. Measured with NumPy {numpy} and TensorFlow {tensorflow}
on a CPU: each function called with ordinary and awkward values, all its keywords and fourteen dtypes, and compared.

{verdicts}

*equal for*: the dtypes for which the target was measured equal to NumPy; *host*: equal because the helper asks NumPy.
*tnp's own*: those for which `tensorflow.experimental.numpy`'s function of the name is. *traced* and *XLA*: whether all
of it holds inside `tf.function`, and compiled, too. Nothing was measured on a GPU.

What Python writes without a name has a row as well: operators, `x[i]` (`operator.getitem`) and `x[i] = v`
(`operator.setitem`), `len(x)`, `y in x`. Methods such as `ndarray.__radd__` and `ndarray.__getitem__` are other names
of these. An index that tensors take as NumPy does stays `x[i]`; all others are one exact form.

"""


def render(catalog: Catalog, config: Config | None = None) -> str:
    """The page as Markdown."""
    rows = make_rows(catalog, config or Config())
    verdicts = "\n".join(f"* **{verdict}**: {words}" for verdict, words in VERDICTS.items())
    versions = {"numpy": catalog.versions.get("numpy"), "tensorflow": catalog.versions.get("tensorflow")}
    parts = [_HEAD.format(verdicts=verdicts, **versions)]
    parts += [f"* {line}\n" for line in totals(rows, catalog)]
    done: set[str] = set()
    for prefix, title in _SECTIONS:
        chosen = [row for row in rows if row.api.rpartition(".")[0] == prefix]
        done.update(row.api for row in chosen)
        parts.append(f"\n## {title}\n\n{to_markdown(chosen)}")
    rest: list[Row] = [row for row in rows if row.api not in done]
    parts.append(f"\n## Others\n\n{to_markdown(rest)}")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(render(load()))
