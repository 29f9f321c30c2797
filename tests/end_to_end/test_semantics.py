"""Small functions that are easy to rewrite wrongly do what they did, or stay as they are for the stated reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from snippets import Snippet, find_state, read_all

SNIPPETS = read_all()


def test_names_are_unique() -> None:
    names = [(snippet.file, snippet.name) for snippet in SNIPPETS]
    assert len(names) == len(set(names)) > 150


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: f"{Path(snippet.file).stem}-{snippet.name}")
def test_snippet_does_what_it_did(snippet: Snippet) -> None:
    state, wrong = find_state(snippet)
    assert not wrong, "\n".join(wrong)
    assert state == snippet.state, "if this is meant, `python tests/snippets.py` writes the new state down"


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize(
    "snippet", [it for it in SNIPPETS if it.file == "compiled.txt"], ids=lambda snippet: str(snippet.name)
)
def test_snippet_about_graphs_does_what_it_did_as_a_graph(snippet: Snippet, mode: str) -> None:
    from np2tnp.runtime.compile.compiled import RUNS

    RUNS.clear()
    _, wrong = find_state(snippet, mode)
    assert not wrong, "\n".join(wrong)
    assert RUNS, "nothing was to be compiled"


def test_most_snippets_can_be_rewritten() -> None:
    kinds = [snippet.state.partition(" ")[0] for snippet in SNIPPETS]
    assert kinds.count("equal") + kinds.count("refused") > kinds.count("blocked")


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
@pytest.mark.parametrize("indent", ["\t", "  ", "    "])
def test_newlines_and_indentation_stay(newline: str, indent: str) -> None:
    from side_by_side import compare_text

    lines = ["import numpy as np", "", "", "def f(a):", "{}if a[0]: a[1] = 2; b = 3", "{}else: b = 4"]
    lines += ["{}for k in range(2):", "{}{}a[k] += np.sqrt(b)", "{}return a.sum()", ""]
    text = newline.join(line.replace("{}", indent) for line in lines)
    report, judgements = compare_text(text, ["f(np.arange(3.0))", "f(np.ones(3))"])
    assert report.new_text is not None
    assert [judgement.kind for judgement in judgements] == ["equal", "equal"]
    kept = [line for line in report.new_text.split(newline) if line]
    assert not any("\r" in line or "\n" in line for line in kept)
    assert any(line.startswith(f"{indent}{indent}a = ") for line in kept)
