"""docs/coverage.md: for every NumPy function, what np2tnp puts in its place. Generated from the catalog.

``python -m np2tnp.report.to_coverage > docs/coverage.md``
"""

from __future__ import annotations

import sys

from np2tnp.catalog.catalog import ApiFact, Catalog, Target, covers_all, load
from np2tnp.report.to_api import describe_dtypes

_SECTIONS = (
    ("numpy", "Functions"), ("numpy.linalg", "Linear algebra"), ("numpy.fft", "Fourier transforms"),
    ("ndarray", "Methods and attributes of ndarray"),
)  # fmt: skip

_HEAD = """# Coverage

Generated from the catalog by `python -m np2tnp.report.to_coverage`; do not edit. Measured with NumPy {numpy} and
TensorFlow {tensorflow} on a CPU: each function called with ordinary and awkward values, all its keywords and
fourteen dtypes, and compared.

* **tnp**: the dtypes for which `tensorflow.experimental.numpy`'s own function is equal to NumPy's. Elsewhere
  np2tnp does not use it.
* **runtime**: the dtypes for which np2tnp's exact helper is equal and computes with TensorFlow. *host*: equal
  because it asks NumPy.
* A function with neither stays NumPy: its arrays are copied to the host and back. Random numbers always do.

"""


def render(catalog: Catalog) -> str:
    """The page as Markdown."""
    parts = [_HEAD.format(numpy=catalog.versions.get("numpy"), tensorflow=catalog.versions.get("tensorflow"))]
    rows = {title: _rows(catalog, prefix) for prefix, title in _SECTIONS}
    parts.append(
        "| | total | tnp equal for every dtype | tnp equal for some | runtime | neither |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
    )
    parts += [f"| {title} | {' | '.join(map(str, _count(facts)))} |\n" for title, facts in rows.items()]
    for title, facts in rows.items():
        parts.append(f"\n## {title}\n\n| name | tnp | runtime |\n| --- | --- | --- |\n")
        parts += [f"| `{fact.name}` | {_cell(fact.tnp)} | {_cell(fact.rt)} |\n" for fact in facts]
    parts.append("\n## Operators\n\n| operator | pairs of dtypes equal, of 196 |\n| --- | --- |\n")
    for name in catalog.names():
        fact = catalog.get(name)
        if fact is not None and fact.kind == "operator" and fact.tnp is not None and not fact.tnp.dtypes:
            parts.append(f"| `{name.partition('.')[2]}` | {196 - len(fact.tnp.pairs_bad)} |\n")
    return "".join(parts)


def _rows(catalog: Catalog, prefix: str) -> list[ApiFact]:
    facts = (catalog.get(name) for name in catalog.names() if name.rpartition(".")[0] == prefix)
    return [
        f
        for f in facts
        if f is not None and f.kind in ("function", "ufunc", "method", "attribute") and not f.alias_of and not f.legacy
    ]


def _count(facts: list[ApiFact]) -> tuple[int, int, int, int, int]:
    everywhere = sum(f.tnp is not None and covers_all(f.tnp.dtypes) for f in facts)
    some = sum(f.tnp is not None and bool(f.tnp.dtypes) for f in facts) - everywhere
    return (
        len(facts),
        everywhere,
        some,
        sum(_works(f.rt) for f in facts),
        sum(not _works(f.rt) and not _works(f.tnp) for f in facts),
    )


def _works(target: Target | None) -> bool:
    return target is not None and bool(target.dtypes)


def _cell(target: Target | None) -> str:
    if target is None:
        return ""
    device = "".join(char for char in target.dtypes if char not in target.host_dtypes)
    words = [describe_dtypes(device)] if device else []
    if target.host_dtypes:
        words.append(f"*host*: {describe_dtypes(target.host_dtypes)}")
    return "; ".join(words) or "differs"


if __name__ == "__main__":
    sys.stdout.write(render(load()))
