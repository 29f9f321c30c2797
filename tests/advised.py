"""For tests of advice: what check says of a text, and whether texts give the same, and so does what is made of them."""

from __future__ import annotations

import importlib.util
import itertools
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding


def report_of(text: str, **options: Any) -> FileReport:
    return analyze(Source("m.py", text), Config(rewrite=True, **options))


def deciding(text: str, name: str = "f") -> Finding | None:
    told = [it for it in report_of(text).findings if it.decides and it.region == name]
    assert len(told) < 2
    return told[0] if told else None


def states(text: str) -> dict[str, str]:
    return {region.qualname: region.state.value for region in report_of(text).regions}


def load(name: str, text: str, folder: Path) -> Any:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gives_the_same(folder: Path, texts: list[str], call: Callable[[Any], Any], **options: Any) -> None:
    """Each text gives what the first gives, and so does what `rewrite` makes of the last one."""
    texts = [*texts, report_of(texts[-1], **options).new_text or ""]
    assert texts[-1], "nothing migrates"
    expected, *others = (_flat(call(load(f"version{at}", text, folder))) for at, text in enumerate(texts))
    for got in others:
        assert [(type(it), np.asarray(it).dtype) for it in got] == [(type(it), np.asarray(it).dtype) for it in expected]
        for mine, numpys in zip(got, expected, strict=True):
            np.testing.assert_allclose(mine, numpys, rtol=1e-12, atol=1e-14)


def _flat(value: Any) -> list[Any]:
    return [part for item in value for part in _flat(item)] if isinstance(value, (tuple, list)) else [value]


_HEAD = """import logging
import warnings

import numpy as np

LOOKS = [np.size]
CALLS = [lambda part: part(1)]


"""


def changes_no_result(code: str, before: str, words: str, after: str, **options: Any) -> None:
    """`before` stays for `code`, which says `words`; `after` migrates, and all versions give and leave the same."""
    texts = []
    for body in (before, after):
        texts.append(f"{_HEAD}{textwrap.dedent(body)}")
        report = report_of(texts[-1], **options)
        told = [reason for region in report.regions for reason in region.reasons]
        if body is before:
            assert any(reason.startswith(code) and words in reason for reason in told), told
        else:
            found = [region.state.value for region in report.regions]
            assert ("convertible" in found, "blocked" in found) == (True, False), told
    assert report.new_text is not None
    first, *others = map(_results, (*texts, report.new_text))
    for other in others:
        for one, same in zip(first, other, strict=True):
            if isinstance(one, str):
                assert one == same
            else:
                np.testing.assert_allclose(one, same, rtol=1e-13)


def _results(text: str) -> list[Any]:
    """What f of the text gives, and what it leaves of its arguments. A decorator of nobody's gives the function."""
    text = text.replace("from timeit import kept\n", "def kept(function):\n    return function\n")
    namespace: dict[str, Any] = {"__name__": "m"}
    exec(compile(text, "m.py", "exec"), namespace)
    x, y = np.linspace(0.5, 2, 1600).reshape(40, 40), np.linspace(0.1, 1, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        more = [namespace["LOOKS"]] if "looks" in text else []
        return _parts((namespace["f"](x, y, *more), x, y))


def _parts(value: Any) -> list[Any]:
    is_parts = isinstance(value, (tuple, list, itertools.chain, type(iter([]))))
    return [part for item in value for part in _parts(item)] if is_parts else [value]


def told_apart(value: Any) -> Any:
    """`value` with what `==` does not see: classes, dtypes and shapes; numbers to twelve places."""
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(told_apart, value)]
    if isinstance(value, (np.ndarray, np.generic, float)):
        return type(value).__name__, np.asarray(value).dtype, np.shape(value), np.round(value, 12).tolist()
    return value
