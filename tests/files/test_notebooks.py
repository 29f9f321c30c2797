"""Notebooks as programs: what stands for magics, which lines are whose cell's, and edits put back into JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2tnp.files.magics import Pieces, is_python, without_magics
from np2tnp.files.notebooks import Notebook, read
from np2tnp.files.problems import Problem
from np2tnp.files.source import Source
from np2tnp.model import cell_of, line_in

NOTEBOOKS = Path(__file__).resolve().parents[2] / "fixtures" / "notebooks"


def notebook(*cells: Any, **members: Any) -> str:
    listed = [cell if isinstance(cell, dict) else {"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": listed, **members}, indent=1)


def opened(text: str) -> Notebook:
    return read(Source("a.ipynb", text))


def place(found: Notebook, line: int) -> tuple[int, int]:
    cell = cell_of(found.places, line)
    assert cell is not None
    return cell.number, line_in(cell, line)


# --- Magics


@pytest.mark.parametrize(
    "text",
    [
        "%matplotlib inline\nx = 1\n",
        "x = 1\n!ls *.py\n",
        "!ls \\\n  -l \\\n  *.py\nx = 1",
        "files = !ls\nn = len(files)",
        "a, b = %sql select\n",
        "for i in range(3):\n    !echo {i}\n    print(i)\n",
        "%time y = f(x)\n",
        "%timeit -n 10 f(x)\n",
        "%pylab inline",
        "%run other.py\n",
        "f?\nnp.sin??\n?f\n??np.sin\n%time?\n",
        ",f a b\n;f a b\n/f a\n",
        "pip install numpy\nx = 1\n",
        "%%time\nx = 1\n!ls\n",
        "\n\n%%bash\nfor i in 1 2; do\n  echo $i\ndone\n\n",
        "%%timeit\ndef f():\n    pass\nf()\n",
        "%%capture shown\nx = 1\n",
        "%%unknown a b\nnot python (\n",
        "%%\nx",
        '"""\n%not a magic\n"""\n%magic\n',
        "x = (1\n%2)\n%magic it's\ny = 'a'\n",
        "x = 'a\\\n%s'\n!ls\n",
        "!ls\r\nx = 1\r\n",
        "# a comment (\n!ls\n",
        "%time f('é') # ü\n",
    ],
)
def test_what_stands_for_magics_is_python_and_goes_back(text: str) -> None:
    pieces = Pieces("mark")
    made = without_magics(text, pieces)
    assert is_python(made), made
    assert made != text
    assert len(made.splitlines()) == len(text.splitlines())
    assert pieces.restored(made) == text


@pytest.mark.parametrize("text", ["x = 5\n% 3\n", "x = (\n", "if x\n    y\n", "x = 1 ?? 2 +\n", "def f(:\n!ls\n"])
def test_what_is_no_magic_stays_wrong(text: str) -> None:
    assert not is_python(without_magics(text, Pieces("mark")))


def test_python_is_left_alone() -> None:
    text = 'x = """\n%time\n!ls\n"""\ny = (x\n%2)\nz = x \\\n  % y\n'
    assert without_magics(text, Pieces("mark")) == text


def test_each_magic_stands_for_what_it_may_do() -> None:
    pieces = Pieces("mark")

    def made(text: str) -> str:
        return without_magics(text, pieces)

    assert made("%matplotlib inline").startswith("get_ipython().mark(")
    assert made("%run x.py").startswith("exec(")
    assert made("%mine x").startswith("exec(")
    assert made("%pylab").startswith("from mark_")
    assert "locals()" not in made("!echo {x}")
    assert "locals()" in made("def f(x):\n    !echo {x}\n")
    assert made("%time y = f(x)").endswith("; y = f(x)")
    assert made("%%time\ny = f(x)").endswith("\ny = f(x)")
    assert "f(x)" not in made("%%bash\ny = f(x)")


def test_the_same_magic_has_the_same_stand_in() -> None:
    pieces = Pieces("mark")
    first, other, again = (without_magics(text, pieces) for text in ("!ls", "!pwd", "!ls"))
    assert first == again != other


def test_a_lost_magic_is_noticed() -> None:
    pieces = Pieces("mark")
    made = without_magics("!ls\nx = 1", pieces)
    assert pieces.restored(made.replace('"!"', "'!'")) is None


# --- The program


def test_the_program_is_the_code_cells_with_their_places() -> None:
    text = notebook({"cell_type": "markdown", "source": "# T"}, ["a = 1\n", "b = 2"], "", "%%bash\nls", "c = 3\n")
    found = opened(text)
    assert is_python(found.program)
    lines = found.program.split("\n")
    assert [place(found, number) for number, line in enumerate(lines, 1) if " = " in line] == [(2, 1), (2, 2), (5, 1)]
    shown = {place(found, number): line for number, line in enumerate(found.lines, 1) if line and line[0] != "#"}
    assert shown == {(2, 1): "a = 1", (2, 2): "b = 2", (4, 1): "%%bash", (4, 2): "ls", (5, 1): "c = 3"}
    assert [number for number in range(1, len(lines) + 1) if found.is_magic(number)] == [
        number for number, line in enumerate(found.lines, 1) if line in ("%%bash", "ls")
    ]


def test_lines_of_the_json_text() -> None:
    text = notebook(["a = 1\n", "b = 2"], "c = 3\nd = 4")
    found = opened(text)
    raw = text.split("\n")
    for number, line in enumerate(found.program.split("\n"), 1):
        if " = " in line:
            assert line in raw[found.line_in_file(number) - 1]


def test_cells_of_other_languages_and_notebooks_of_them() -> None:
    other = {"cell_type": "code", "source": "select *", "metadata": {"vscode": {"languageId": "sql"}}}
    assert "select" not in opened(notebook("x = 1", other)).program
    assert read(Source("j", (NOTEBOOKS / "julia.ipynb").read_text())).language == "julia"
    for metadata in ({}, None, {"language_info": {"name": "python"}}, {"kernelspec": {"language": "Python"}}):
        assert opened(notebook("x = 1", metadata=metadata)).language == "python"


def test_an_empty_notebook() -> None:
    text = notebook()
    found = opened(text)
    assert found.program == ""
    found.require_python()


def test_a_cell_that_uses_the_marks_of_the_program() -> None:
    text = notebook("x = 1\n\n# %% np2tnp_magic [2]\n\ny = 1", "z = 1")
    found = opened(text)
    made = found.with_program(found.program.replace("z = 1", "z = 2"))
    assert json.loads(made)["cells"][0] == json.loads(text)["cells"][0]
    assert json.loads(made)["cells"][1]["source"] == "z = 2"


# --- Edits


def test_only_the_changed_strings_change() -> None:
    text = (NOTEBOOKS / "heat.ipynb").read_text(encoding="utf-8")
    found = opened(text)
    assert found.with_program(found.program) == text
    made = found.with_program(found.program.replace("5.0 * np.sin(x)", "6.0 * np.sin(x)  # °"))
    old, new = text.split("\n"), made.split("\n")
    changed = [(was, now) for was, now in zip(old, new, strict=True) if was != now]
    assert changed == [
        ('    "    return 20.0 + 5.0 * np.sin(x)\\n"', '    "    return 20.0 + 6.0 * np.sin(x)  # °\\n"')
    ]


def test_a_text_in_one_string_keeps_the_manner_of_the_file() -> None:
    text = (NOTEBOOKS / "compact.ipynb").read_text(encoding="utf-8")
    found = opened(text)
    made = found.with_program(found.program.replace("np.sqrt", "tnp.sqrt"))
    assert made == text.replace("np.sqrt", "tnp.sqrt")
    assert "l\\u00e4nge" in made
    assert "1.50" in made


def test_new_lines_are_laid_out_as_the_others() -> None:
    for text in (notebook("x = 1"), notebook(["x = 1"]), notebook(["x = 1"], ["a\n", "b"]), notebook(["x = 1\n"])):
        found = opened(text)
        made = found.with_program(found.program.replace("x = 1", "x = 1\ny = 2", 1))
        cells = json.loads(text)["cells"]
        is_list = isinstance(cells[0]["source"], list)
        whole = "".join(cells[0]["source"]).replace("x = 1", "x = 1\ny = 2")
        cells[0]["source"] = whole.splitlines(True) if is_list else whole
        assert made == json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}, indent=1)


@pytest.mark.parametrize("change", [("# %%", "#%%"), ("\n\nx", "\nx"), ("get_ipython", "ip")])
def test_a_text_that_falls_into_no_cells_is_refused(change: tuple[str, str]) -> None:
    found = opened(notebook("x = 1\n!ls"))
    with pytest.raises(Problem) as caught:
        found.with_program(found.program.replace(*change))
    assert caught.value.code == "TNP907"


SOURCES = st.lists(st.sampled_from(["x = 1", "%time f(x)", "!ls", "é = 'ü'", "", "# c", "s = '''\n%\n'''"]), max_size=4)


@given(st.lists(SOURCES, max_size=4), st.booleans(), st.booleans(), st.sampled_from([None, 1, 4]))
def test_any_notebook_survives(cells: list[list[str]], as_list: bool, escaped: bool, indent: int | None) -> None:
    texts = ["\n".join(lines) for lines in cells]
    listed = [{"cell_type": "code", "source": text.splitlines(True) if as_list else text} for text in texts]
    raw = json.dumps({"cells": listed, "nbformat": 4}, indent=indent, ensure_ascii=escaped)
    found = opened(raw)
    assert is_python(found.program)
    assert found.with_program(found.program) == raw
    assert len(found.lines) == found.program.count("\n")
    made = json.loads(found.with_program(found.program.replace("x = 1", "x = 2\ny = 3")))
    got = ["".join(cell["source"]) for cell in made["cells"]]
    assert got == [text.replace("x = 1", "x = 2\ny = 3") for text in texts]


# --- Bad input


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON: Expecting value"),
        ("{", "not JSON"),
        ("[]", "its top is no object"),
        ("null", "its top is no object"),
        ('{"nbformat": 4, "cells": []} x', "Extra data"),
        ('{"nbformat": 4, "cells": [}', "not JSON"),
        ('{"nbformat": 4 "cells": []}', "not JSON: Expecting , or }"),
        ("{}", "does not say its `nbformat`"),
        ('{"nbformat": true, "cells": []}', "does not say its `nbformat`"),
        ('{"nbformat": 3, "worksheets": []}', "of format 3"),
        ('{"nbformat": 5, "cells": []}', "of format 5"),
        ('{"nbformat": 4}', "no list of `cells`"),
        ('{"nbformat": 4, "cells": {}}', "no list of `cells`"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code"}]}', "cell 1 has no text"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": 5}]}', "cell 1 has no text"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a", 5]}]}', "cell 1 has no text"),
        ('{"nbformat": 4, "x": ' + "[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_notebook(text: str, words: str) -> None:
    with pytest.raises(Problem) as caught:
        opened(text)
    assert caught.value.code == "TNP902"
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("source", "code", "line"),
    [
        ("x = 1\ny = (", "TNP901", 2),
        ("x = 1\n  y = 2", "TNP901", 2),
        ("print 'a'", "TNP903", 1),
        ("x = '\0'", "TNP902", 1),
        ("x = '\ud800'", "TNP902", 1),
        ("if x:", "TNP901", 1),
    ],
)
def test_cells_that_are_no_python(source: str, code: str, line: int) -> None:
    """Each by itself: what one cell leaves open the next one does not close."""
    found = opened(notebook("a = 1", source, "    1)\n"))
    with pytest.raises(Problem) as caught:
        found.require_python()
    assert caught.value.code == code
    assert place(found, caught.value.line) == (2, line)
