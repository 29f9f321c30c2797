"""What the rewritten text consists of: tnp's functions or the runtime's, operators, lines, decorators, originals.

Run as ``python benchmarks/emitted.py [--cache DIR] [--folders DIR...] [--compile xla ...]``: options that it does not
know itself are those of ``np2tnp rewrite``. It rewrites fixtures/programs, fixtures/projects and PACKAGES, which no
table of ours names and which pip downloads, in memory; TensorFlow is not needed. A row a package, and one for all:

* calls that stand for a call of NumPy and become ``tnp.*``, ``tf.*`` or ``rt.*``. Counted apart is what the runtime
  alone knows: crossings (``rt.host``, ``rt.tensor``, ``rt.at`` and the like), what asks an array for values of
  Python's (``rt.shape``), operators in place (``rt.iadd``); and the calls that stay NumPy's;
* operators with what is or may be an array among their operands: written as ``rt.op_*``, of all;
* lines of function bodies, after / before; characters of changed files with and without originals, after / before.
  Blank lines do not count;
* decorators of one line of 88 columns with at most two arguments, and how many arguments one has.

Then the most frequent names of the runtime, each with a place and with what np2tnp says of it, and the worst functions.
"""

from __future__ import annotations

import argparse
import ast
import os
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # the checkout that this file is in, whatever is installed

from golden import download  # noqa: E402

from np2tnp import engine  # noqa: E402
from np2tnp.analysis.domain import events as ev  # noqa: E402
from np2tnp.analysis.domain.values import HOST, Array, Unknown, Value, home_of  # noqa: E402
from np2tnp.catalog import load as load_catalog  # noqa: E402
from np2tnp.config import Config, load  # noqa: E402
from np2tnp.files import guards  # noqa: E402
from np2tnp.files.source import decode  # noqa: E402
from np2tnp.model import RegionState, Verdict  # noqa: E402
from np2tnp.project import Project  # noqa: E402
from np2tnp.session import Session  # noqa: E402

PACKAGES = (
    "simdkalman==1.0.4",
    "csaps==1.3.3",
    "pyransac3d==0.7.0",
    "nfoursid==1.0.2",
    "harold==1.0.3",
    "kneed==0.9.0",
    "pyquaternion==0.9.9",
)
WIDTH, ARGUMENTS = 88, 2

#: Asked of an array, they give Python's values: attributes as a rule, and no work.
_ASKED = frozenset(("shape", "size", "ndim", "dtype", "itemsize", "nbytes"))
_SIGNS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_IN_PLACE = frozenset(f"i{name}" for name in _SIGNS.split())
_METHODS = ("_at", "_reduce", "_accumulate", "_outer", "_reduceat")


@dataclass
class Function:
    """One migrated function: what its text has, and had."""

    path: str
    name: str
    written: Counter[str] = field(default_factory=Counter)  #: calls by kind: tnp, tf, rt, crossing, asked, numpy ...
    runtime: Counter[str] = field(default_factory=Counter)  #: the runtime's names in it
    exact: int = 0  #: operators written as rt.op_*
    stay: int = 0  #: operators on arrays that stay
    lines: tuple[int, int] = (0, 0)  #: of the body: before, after
    arguments: int = 0  #: of the decorator
    is_short: bool = False  #: the decorator stands on one line and has few arguments

    @property
    def helpers(self) -> int:
        return self.written["rt"] + self.exact


@dataclass
class Total:
    """A package."""

    name: str
    functions: list[Function] = field(default_factory=list)
    #: characters of each changed file: before, after without originals, after with them
    sizes: list[tuple[int, int, int]] = field(default_factory=list)
    files: int = 0
    failed: list[str] = field(default_factory=list)
    #: (the runtime's name, what is said of it) → how often, with the first place
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    places: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, other: Total) -> None:
        self.functions += other.functions
        self.sizes += other.sizes
        self.files += other.files
        self.failed += other.failed
        self.reasons.update(other.reasons)
        self.places = {**other.places, **self.places}


# --- What one file becomes


def measure(name: str, folder: Path, config: Config) -> Total:
    """All files below `folder`, rewritten in memory."""
    total = Total(name)
    project = Project(config)
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        if "test" in path.relative_to(folder).as_posix() or b"numpy" not in data:
            continue
        total.files += 1
        try:
            guards.call_with_deep_stack(_measure_file, path, data, config, project, total, seconds=600)
        except Exception as error:  # one file never stops a run
            total.failed.append(f"{path}: {type(error).__name__}: {error}")
    return total


def _measure_file(path: Path, data: bytes, config: Config, project: Project, total: Total) -> None:
    source = decode(str(path), data)
    session, _ = project.analyze(source, True)
    operators = _read_reasons(session, path, total)
    report = engine.analyze(source, config, project)
    if report.error is not None:
        raise ValueError(report.error)
    if report.new_text is None or report.new_text == source.text:
        return
    old, new = _functions(source.text), _functions(report.new_text)
    lines = report.new_text.splitlines()
    aliases = {session.names.rt: "rt", session.names.tnp: "tnp", "tf": "tf"}
    aliases |= {session.names.numpy: "numpy"} if session.names.numpy else {}
    kept: set[int] = set()
    for qualname, nodes in new.items():
        for node in nodes:
            decorator = _decorator(node, session.names.rt)
            if decorator is not None and qualname in operators:
                function = Function(str(path), qualname)
                function.exact, function.stay = operators[qualname]
                _count_calls(node, aliases, function)
                before = old[qualname][-1]
                function.lines = (_length(source.text.splitlines(), before), _length(lines, node))
                _look_at_decorator(decorator, lines, function)
                total.functions.append(function)
            elif qualname not in old:
                kept.update(range(_first(node), (node.end_lineno or 0) + 1))
    without = (line for number, line in enumerate(lines, 1) if number not in kept)
    total.sizes.append((_characters(source.text.splitlines()), _characters(without), _characters(lines)))


def _read_reasons(session: Session, path: Path, total: Total) -> dict[str, tuple[int, int]]:
    """Operators that are written as the runtime's, and others on arrays, of each region that is rewritten."""
    found: dict[str, tuple[int, int]] = {}
    for plan in session.regions.values():
        if plan.state is not RegionState.CONVERTIBLE or plan.facts.qualname == "<module>":
            continue
        said = {id(hit.node): hit.message for hit in plan.hits if hit.verdict in (Verdict.CONVERT, Verdict.ADAPT)}
        exact = stay = 0
        for event in plan.facts.events:
            if not isinstance(event, (ev.Call, ev.Operator)):
                continue
            is_changed = id(event.node) in plan.edits.replace
            if isinstance(event, ev.Operator) and _is_of(session.names.tnp, plan.edits.replace.get(id(event.node))):
                stay += 1  # tnp.equal(a, b)
                continue
            if isinstance(event, ev.Operator):
                exact += is_changed
                stay += not is_changed and any(map(_may_be_array, event.operands))
                name = f"op_{event.op.rstrip('_')}"
            else:
                name = _runtime_name(event.api or "")
            if is_changed and name and not _is_plain(said.get(id(event.node), "")):
                why = said.get(id(event.node), "nothing is said of it").partition(": ")
                key = name, why[2] or why[0]
                total.reasons[key] += 1
                code = " ".join(session.tree.code_for_node(event.node).split())
                total.places.setdefault(key, f"{path.name}: {code if len(code) < 70 else code[:67] + '...'}")
        found[plan.facts.qualname] = exact, stay
    return found


def _is_of(module: str, build: object) -> bool:
    """Whether an operator becomes a call of a function of `module`."""
    return isinstance(build, partial) and str(next(iter(build.args), "")).startswith(f"{module}.")


def _is_plain(message: str) -> bool:
    return "becomes tnp." in message or "becomes tf." in message


def _may_be_array(value: Value) -> bool:
    return isinstance(value, Array) or (isinstance(value, Unknown) and home_of(value) != HOST)


def _runtime_name(api: str) -> str:
    """The name that the runtime has for NumPy's: ``add_reduce``, ``linalg.norm``, ``absolute``."""
    fact = load_catalog().get(api)
    parts = ((fact.alias_of if fact is not None else None) or api).split(".")[1:]
    return "_".join(parts) if parts[-1:] and f"_{parts[-1]}" in _METHODS else ".".join(parts)


def _functions(text: str) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions and methods, not those within functions, by qualified name."""
    found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(prefix + child.name, []).append(child)
            else:
                visit(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)

    visit(ast.parse(text), "")
    return found


def _decorator(node: ast.FunctionDef | ast.AsyncFunctionDef, runtime: str) -> ast.expr | None:
    for item in node.decorator_list:
        if ast.unparse(item).partition("(")[0] == f"{runtime}.migrated":
            return item
    return None


def _look_at_decorator(node: ast.expr, lines: Sequence[str], function: Function) -> None:
    if isinstance(node, ast.Call):
        function.arguments = len(node.args) + len(node.keywords)
    fits = node.lineno == node.end_lineno and len(lines[node.lineno - 1]) <= WIDTH
    function.is_short = fits and function.arguments <= ARGUMENTS


def _count_calls(node: ast.FunctionDef | ast.AsyncFunctionDef, aliases: dict[str, str], function: Function) -> None:
    for part in (inner for statement in node.body for inner in ast.walk(statement)):
        if not isinstance(part, ast.Call):
            continue
        module, _, name = ast.unparse(part.func).partition(".") if _is_dotted(part.func) else ("", "", "")
        kind = aliases.get(module, "")
        if kind == "rt":
            function.runtime[name] += 1
            kind = _kind(name)
        function.written[kind] += 1


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _kind(name: str) -> str:
    """What a function of the runtime stands for."""
    if name in _ASKED:
        return "asked"
    if name in _IN_PLACE or name.startswith("op_"):
        return "in place" if name in _IN_PLACE else "operator"
    ufunc = next((name.removesuffix(method) for method in _METHODS if name.endswith(method)), name)
    catalog = load_catalog()
    is_numpys = any(catalog.get(f"{owner}.{ufunc}") is not None for owner in ("numpy", "ndarray"))
    return "rt" if is_numpys else "crossing"


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(item.lineno for item in node.decorator_list)])


def _length(lines: Sequence[str], node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return sum(bool(line.strip()) for line in lines[node.body[0].lineno - 1 : node.end_lineno])


def _characters(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines if line.strip())


# --- Tables


def rows(totals: Sequence[Total]) -> Iterator[str]:
    """The table in Markdown."""
    yield (
        "| package | functions | tnp | tf | rt | tnp and tf | crossings | asked | in place | np stays"
        " | rt.op_* | operators | body lines | without originals | with | decorators short | arguments |"
    )
    yield "| --- |" + " ---: |" * 16
    for total in totals:
        functions = total.functions
        kinds: Counter[str] = sum((function.written for function in functions), Counter())
        calls = kinds["tnp"] + kinds["tf"] + kinds["rt"]
        exact = sum(function.exact for function in functions)
        operators = exact + sum(function.stay for function in functions)
        cells = [
            *(total.name, len(functions), kinds["tnp"], kinds["tf"], kinds["rt"]),
            *(
                _share(kinds["tnp"] + kinds["tf"], calls),
                kinds["crossing"],
                kinds["asked"],
                kinds["in place"],
                kinds["numpy"],
            ),
            *(f"{exact} ({_share(exact, operators)})", operators),
            _ratios([function.lines for function in functions]),
            _ratios([(before, without) for before, without, _ in total.sizes]),
            _ratios([(before, after) for before, _, after in total.sizes]),
            _share(sum(function.is_short for function in functions), len(functions)),
            f"{sum(function.arguments for function in functions) / max(len(functions), 1):.1f}",
        ]
        yield f"| {' | '.join(map(str, cells))} |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _ratios(pairs: Sequence[tuple[int, int]]) -> str:
    """Of the sums, and the median of all pairs."""
    if not pairs:
        return "-"
    whole = sum(after for _, after in pairs) / sum(before for before, _ in pairs)
    return f"{whole:.2f} ({statistics.median(after / before for before, after in pairs):.2f})"


def names(total: Total, number: int) -> Iterator[str]:
    """The runtime's names by how often they are written, with the commonest reasons."""
    counts: Counter[str] = sum((function.runtime for function in total.functions), Counter())
    for name, count in counts.most_common(number):
        yield f"{count:5} rt.{name}"
        said = [(times, why) for (of, why), times in total.reasons.items() if of == name]
        for times, why in sorted(said, reverse=True)[:2]:
            yield f"{times:11} {why}"
            yield f"{'':11} {total.places[name, why]}"


def worst(total: Total, number: int = 3) -> Iterator[str]:
    """The functions with most of the runtime's functions and operators in them."""
    for function in sorted(total.functions, key=lambda item: -item.helpers)[:number]:
        used = ", ".join(f"{name} {count}" for name, count in function.runtime.most_common(6))
        plain = function.written["tnp"] + function.written["tf"] + function.stay
        before, after = function.lines
        yield f"{os.path.relpath(function.path)} {function.name}: {used}"
        yield f"    {function.helpers} of the runtime, {plain} plain; {before} lines before, {after} after"


def options(words: Sequence[str]) -> dict[str, object]:
    """``--compile xla --unsafe`` as the configuration's fields."""
    found: dict[str, object] = {}
    for word in words:
        if word.startswith("--"):
            last = word.removeprefix("--").replace("-", "_")
            found[last] = True
        else:
            found[last] = int(word) if word.isdigit() else word
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "np2tnp-emitted"
    parser.add_argument("--cache", type=Path, default=usual, help="where the packages are, outside of the repository")
    parser.add_argument("--folders", nargs="+", type=Path, help="instead of the fixtures and the packages")
    parser.add_argument("--names", type=int, default=25, help="how many of the runtime's names to show")
    parsed, others = parser.parse_known_args(arguments)
    fixtures = [ROOT / "fixtures/programs", ROOT / "fixtures/projects"]
    folders = parsed.folders or [*fixtures, *download(parsed.cache, PACKAGES)]
    every = Total("all")
    totals = []
    for folder in folders:
        config = load([str(folder)], {**options(others), "cache": False, "jobs": 1}, isolated=True)
        totals.append(measure(folder.name, folder.resolve(), replace(config, rewrite=True)))
        every.add(totals[-1])
        print(f"{folder.name}: {totals[-1].files} files", file=sys.stderr, flush=True)
    print("\n".join(rows([*totals, every])))
    print(f"\n{every.files} files with NumPy, {len(every.sizes)} changed. Ratios: of the sums (median).\n")
    print("\n".join(names(every, parsed.names)))
    print()
    print("\n".join(worst(every)))
    for problem in every.failed:
        print(f"not analysed: {problem}")
    return 1 if every.failed else 0


if __name__ == "__main__":
    sys.exit(main())
