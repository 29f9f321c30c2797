"""The snippets of fixtures/semantics: small functions that are easy to rewrite wrongly, and what becomes of each.

A file holds snippets like this one, whose head names it and says what np2tnp makes of its functions::

    ### view-then-store: blocked TNP201 TNP202
    def f(a):
        b = a[1:]
        b[0] = 9
        return a.sum()
    >>> f(np.arange(5.0))

States: ``equal`` (rewritten, every call gives what it gave), ``refused`` (equal, but a call raises UnverifiedError),
``blocked CODES`` (why it is not rewritten; calls agree), ``plain`` (nothing in it to rewrite).
``python tests/snippets.py`` writes the present states into the files, for review; it never writes a wrong result down.
``python tests/snippets.py --compile xla`` (or ``graph``) prints what differs when the snippets are compiled.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "fixtures" / "semantics"
sys.path.insert(0, str(ROOT / "benchmarks"))

#: Parameters of these names hold arrays in the snippets.
_ARRAYS = frozenset(("a", "b", "x", "y", "u", "v", "w", "m"))
_AGREE = frozenset(("equal", "raised", "misused"))
_HEAD = re.compile(
    r"^( *)(def \w+\((.*)\)(?: *-> *\S+)?:) *\n((?:\1 +(?:\"\"\".*\"\"\"|global .*|nonlocal .*)\n)*)(\1 +)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Snippet:
    """One module's text with calls of its functions."""

    file: str
    name: str
    state: str
    text: str
    calls: tuple[str, ...]


def read(path: Path) -> Iterator[Snippet]:
    """The snippets of one file. ``import numpy as np`` is put before a text that does not import NumPy itself."""
    for part in re.split(r"^### ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        name, _, state = head.partition(":")
        calls = tuple(line[4:] for line in body.splitlines() if line.startswith(">>> "))
        text = "\n".join(line for line in body.splitlines() if not line.startswith(">>> ")).strip("\n") + "\n"
        if not re.search(r"^\s*(import|from) numpy", text, re.MULTILINE):
            text = "import numpy as np\n\n\n" + text
        yield Snippet(path.name, name.strip(), state.strip(), text, calls)


def read_all() -> list[Snippet]:
    return [snippet for path in sorted(FOLDER.glob("*.txt")) for snippet in read(path)]


def variants(snippet: Snippet) -> dict[str, str]:
    """The text as it is, and with more known of its arrays: what is known decides how code is rewritten."""
    found = {"plain": snippet.text}
    if re.search(r"^import numpy as np$", re.split(r"^def ", snippet.text, flags=re.MULTILINE)[0], re.MULTILINE):
        found["working"] = _HEAD.sub(r"\1\2\n\4\5_w = np.sqrt(np.ones(3))\n\5", snippet.text)
        found["annotated"] = _HEAD.sub(_annotated, snippet.text)
        found["copied"] = _HEAD.sub(_copied, snippet.text)
    return {name: text for i, (name, text) in enumerate(found.items()) if text not in list(found.values())[:i]}


def _annotated(match: re.Match[str]) -> str:
    head = match[2]
    for name in _array_parameters(match[3]):
        head = re.sub(rf"(?<=[(\s]){name}(?=[,)=])", f"{name}: np.ndarray", head, count=1)
    return f"{match[1]}{head}\n{match[4]}{match[5]}_w = np.sqrt(np.ones(3))\n{match[5]}"


def _copied(match: re.Match[str]) -> str:
    copies = "".join(f"{match[5]}{name} = np.array({name})\n" for name in _array_parameters(match[3]))
    return f"{match[1]}{match[2]}\n{match[4]}{copies}{match[5]}"


def _array_parameters(parameters: str) -> list[str]:
    return [name for name in re.findall(r"(?:^|, )(\w+)(?=,|$)", parameters) if name in _ARRAYS]


def find_state(snippet: Snippet, mode: str = "none", **options: str) -> tuple[str, list[str]]:
    """The state of a snippet, from its variant with work for TensorFlow, and what differs in any variant.

    mode : what ``--compile`` the variants are rewritten with; `options`: what else.
    """
    from side_by_side import Call, Pair, reasons, rewrite

    state, wrong = "plain", []
    for name, text in variants(snippet).items():
        try:
            report = rewrite(text, compile=mode, **options)
        except Exception as error:
            wrong.append(f"{name}: the engine fails: {type(error).__name__}: {error}")
            continue
        codes = sorted({reason.partition(" ")[0] for reason in reasons(report)})
        if report.error:
            wrong.append(f"{name}: {report.error}")
        refused = False
        if report.new_text is not None:
            for call, judgement in zip(
                snippet.calls, Pair(text, report.new_text).compare(map(Call.parse, snippet.calls)), strict=True
            ):
                refused |= judgement.kind == "refused"
                if judgement.kind not in _AGREE and judgement.kind != "refused":
                    wrong.append(f"{name}: {call}: {judgement.kind}: {judgement.detail}\n{report.new_text}")
        if name in ("plain", "working"):
            converted = "plain" if report.new_text is None else "equal"
            state = f"blocked {' '.join(codes)}" if codes else "refused" if refused else converted
    return state, wrong


def main() -> None:
    """Write the states into the files. A snippet with a wrong result keeps its state."""
    if sys.argv[1:2] == ["--compile"]:
        found = [f"{one.file}: {one.name}: {text}" for one in read_all() for text in find_state(one, sys.argv[2])[1]]
        print("\n\n".join([*found, f"{len(found)} differ"]))
        return
    for path in sorted(FOLDER.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        for snippet in read(path):
            state, wrong = find_state(snippet)
            if wrong:
                print(f"{path.name}: {snippet.name} is WRONG: {wrong[0]}")
            elif state != snippet.state:
                print(f"{path.name}: {snippet.name}: {snippet.state or '?'} -> {state}")
                text = re.sub(
                    rf"^### {re.escape(snippet.name)}(:.*)?$", f"### {snippet.name}: {state}", text, flags=re.MULTILINE
                )
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
