"""Whatever a function does to the array that it gets, its callers see it: what changes, keeps and shows ``v``.

The forms lie in fixtures/effects, ``### name`` and what stands below it. Each is tried in a function that is called, in
a method, in a function that another one calls, in another module, and in the function itself, where that is migrated.
"""

from __future__ import annotations

import re
import signal
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benchmarks"))

from side_by_side import load, rewrite_files  # noqa: E402

FOLDER = ROOT / "fixtures" / "effects"
HEAD = (FOLDER / "head.txt").read_text(encoding="utf-8")
WORK = "_w = np.exp(np.ones(3))\n"
SIZE = 12  #: forms that stand in one module
#: Where a helper finds a hidden ``out=``, and says so.
REFUSED = ("out list", "out options", "out options name", "out dict")


def read(name: str) -> tuple[str, dict[str, str]]:
    """What the forms of a file use besides the common head, and the forms by name."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    found = dict(re.findall(r"^### (.*)\n((?:.*\n)*?)(?=\n*(?:###|\Z))", text, re.MULTILINE))
    return found.pop("head", ""), {key: body.strip("\n") + "\n" for key, body in found.items()}


def function(head: str, *parts: str) -> str:
    """A function; what a body declares ``global`` comes first in it."""
    body = "".join(parts)
    declared = "".join(line for line in body.splitlines(keepends=True) if line.startswith("global "))
    return f"def {head}:\n{textwrap.indent(declared + body.replace(declared, '') if declared else body, '    ')}"


def method(name: str, form: str, body: str) -> str:
    return f"class {name}:\n" + textwrap.indent(function(f"{form}(self, v)", body), "    ")


def called(form: str, body: str, after: str) -> Iterator[str]:
    """Functions that get the array by a call of `form`, and then do `after`."""
    yield function(f"{form}(v)", body)
    yield function(f"{form}_works(v)", WORK, body)
    yield method(f"C_{form}", form, body)
    yield function(f"{form}_outer(v)", f"{form}(v)\n")
    for name, call in (
        ("plain", f"{form}(y)"),
        ("works", f"{form}_works(y)"),
        ("method", f"C_{form}().{form}(y)"),
        ("outer", f"{form}_outer(y)"),
    ):
        yield function(f"run_{form}_{name}(x)", "y = np.sqrt(x)\n", f"{call}\n", after)
    yield function(f"run_{form}_given(x)", f"{form}(x)\n", "y = np.sqrt(x)\n", "return y.sum()\n")
    yield function(f"run_{form}_itself(x)", "y = v = np.sqrt(x)\n", body, after)
    yield function(f"run_{form}_own(v)", "y = v\n", WORK, body, after)


def changing(form: str, body: str) -> Iterator[str]:
    yield from called(form, body, "return y.sum(), y * 2\n")


def keeping(form: str, body: str) -> Iterator[str]:
    yield from called(form, body, "y[0] = 77.0\nreturn y.sum()\n")


def showing(form: str, body: str) -> Iterator[str]:
    body = body if "return" in body else f"return {body}"
    yield function(f"{form}(v)", body)
    yield function(f"{form}_works(v)", WORK, body)
    for name in (form, f"{form}_works"):
        yield function(f"run_{name}_out(x)", f"y = np.sqrt(x)\nz = {name}(y)\nz[...] = 5\nreturn y.sum()\n")
        yield function(f"run_{name}_in(x)", f"y = np.sqrt(x)\nz = {name}(y)\ny[...] = 5\nreturn np.sum(z[...])\n")
        yield function(f"give_{name}(x)", WORK, f"return {name}(x)\n")
    yield function(f"run_{form}_given(x)", WORK, f"z = {form}(x)\nz[...] = 5\nreturn _w\n")
    yield function(f"run_{form}_back(x)", WORK, f"z = {form}(x)\nx[...] = 5\nreturn np.sum(z[...])\n")
    *before, last = body.rstrip("\n").split("\n")
    if last.startswith("return "):
        inside = "".join(f"{line}\n" for line in [*before, f"z = {last[7:]}"])
        yield function(f"run_{form}_itself(x)", "v = np.sqrt(x)\n", inside, "z[...] = 5\nreturn v.sum()\n")
        yield function(f"run_{form}_own(v)", WORK, inside, "v[...] = 5\nreturn np.sum(z[...])\n")


WRITERS: dict[str, Callable[[str, str], Iterator[str]]] = {"changes": changing, "keeps": keeping, "shows": showing}
#: What a function of another module does with the form.
ELSEWHERE = {
    "changes": "{form}(y)\nreturn y.sum(), y * 2\n",
    "keeps": "{form}(y)\ny[0] = 77.0\nreturn y.sum()\n",
    "shows": "z = {form}(y)\nz[...] = 5\nreturn y.sum()\n",
}
FORMS = [(kind, *form) for kind in WRITERS for form in read(kind)[1].items()]
GROUPS = [(kind, start) for kind in WRITERS for start in range(0, sum(each == kind for each, _, _ in FORMS), SIZE)]


def modules(kind: str, start: int) -> tuple[dict[str, str], list[str]]:
    """The texts of two modules, of which the second one imports the first, and the names of the forms in it."""
    more, forms = read(kind)
    chosen = list(forms.items())[start : start + SIZE]
    texts, others = [HEAD, more], ["import numpy as np\nimport forms\n"]
    for number, (_, body) in enumerate(chosen):
        texts += WRITERS[kind](f"form{number}", body)
        after = ELSEWHERE[kind].format(form=f"forms.form{number}")
        others.append(function(f"run_form{number}_elsewhere(x)", "y = np.sqrt(x)\n", after))
    return {"forms": "\n\n".join(texts), "users": "\n\n".join(others)}, [name for name, _ in chosen]


def plain(value: Any) -> Any:
    """Numbers to compare, as texts: TensorFlow adds in another order, and nan is no number."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return [f"{number:.12g}" for number in np.asarray(value, dtype=float).ravel()]


def outcome(module: ModuleType, function: str, keeps: bool) -> Any:
    """What a call gives, what the caller's array is then, and what is held by then."""
    x = np.array([1.0, 4.0, 9.0, 16.0])
    forms: Any = sys.modules["forms"]
    forms.HELD.clear()
    signal.alarm(20)
    try:
        result = getattr(module, function)(x)
        if function.startswith("give_"):
            result[...] = 5
            result = 0.0
        return [plain(result), x.ravel().tolist(), plain(forms.shown()) if keeps else None]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)


def outcomes(texts: dict[str, str], keeps: bool) -> dict[str, Any]:
    load(texts)
    found = {}
    for name in texts:
        module = sys.modules[name]
        found |= {key: outcome(module, key, keeps) for key in list(vars(module)) if key.startswith(("run_", "give_"))}
    return found


def stop(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


@pytest.mark.parametrize(("kind", "start"), GROUPS, ids=[f"{kind}-{start}" for kind, start in GROUPS])
@pytest.mark.filterwarnings("ignore")
def test_callers_see_what_happens_to_an_array(kind: str, start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    signal.signal(signal.SIGALRM, stop)
    texts, names = modules(kind, start)
    reports = rewrite_files(texts, on_unverified="numpy")
    new = {name: report.new_text or texts[name] for name, report in reports.items()}
    assert not [report.error for report in reports.values() if report.error]
    assert sum(text.count("rt.migrated") for text in new.values()) > len(names)
    try:
        expected, found = outcomes(texts, kind == "keeps"), outcomes(new, kind == "keeps")
    finally:
        for name in texts:
            sys.modules.pop(name, None)
    raised = {key: value for key, value in expected.items() if isinstance(value, str)}
    assert not raised
    differing = [
        f"{name} ({key}): {found[key]} instead of {value}"
        for number, name in enumerate(names)
        for key, value in expected.items()
        if found[key] != value and f"form{number}" in key.split("_")
        if not (name in REFUSED and str(found[key]).startswith("UnverifiedError"))
    ]
    assert not differing, "\n".join(differing)


def test_there_are_many_forms() -> None:
    assert {kind: sum(each == kind for each, _, _ in FORMS) >= 140 for kind in WRITERS} == dict.fromkeys(WRITERS, True)
