"""What becomes of each NumPy name, found by giving the engine a function that uses it.

The engine itself is asked, so that what people read here and what ``rewrite`` does cannot disagree.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass, replace

from np2tnp.catalog.catalog import Catalog
from np2tnp.catalog.facts import ApiFact, covers_all
from np2tnp.config import Config
from np2tnp.model import FileReport, RegionState, Verdict

#: Verdicts of names, in the order in which totals are given.
VERDICTS = {
    "convert": "tnp's function by its name, whose own is equal for floats at least: the runtime does the rest",
    "adapt": "an exact form of the runtime, by tnp's name where tnp can be called like that",
    "host": "stays NumPy; its arrays are copied to the host and back",
    "unsupported": "a function that uses it stays as it is",
    "python": "no array work: it stays as it is",
}

_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_UNARY = {"neg": "-x", "pos": "+x", "abs": "abs(x)", "invert": "~x"}
#: What else Python writes without a name, by the name in ``operator`` or of the method.
_SYNTAX = {
    "getitem": ["return x[key]"], "setitem": ["x[key] = value", "return x"], "contains": ["return item in x"],
    "index": ["return items[x]"], "divmod": ["return divmod(x, b)"], "len": ["return len(x)"],
    "iter": ["return [*x]"], "bool": ["return bool(x)"], "int": ["return int(x)"],
    "float": ["return float(x)"], "complex": ["return complex(x)"],
}  # fmt: skip
#: Kinds that are data: nothing is called.
_DATA = {"constant": "a constant, used as it is", "dtype": "a dtype", "module": "a module: see its members"}
_ARRAY = "x = np.array(a)"
_SETUPS = (_ARRAY, "rng = ")
_WORST_FIRST = (Verdict.BLOCK, Verdict.HOST, Verdict.ADAPT, Verdict.CONVERT, Verdict.NOTE)


@dataclass(frozen=True, slots=True)
class Fate:
    """What np2tnp does with one name."""

    verdict: str  #: one of :data:`VERDICTS`
    reason: str
    before: str = ""  #: a function that uses the name
    after: str = ""  #: what ``rewrite`` makes of it; empty where it changes nothing


def find(names: Iterable[str], catalog: Catalog, config: Config) -> dict[str, Fate]:
    """The fate of each name, by one run of the engine over a module with a function for each."""
    from np2tnp.engine import analyze
    from np2tnp.files.source import from_text

    found: dict[str, Fate] = {}
    uses: dict[str, _Use] = {}
    source = "import numpy as np\n"
    for name in names:
        fact = catalog.get(name)
        if fact is None:
            continue
        body = write_body(fact, catalog)
        if body is None:
            found[name] = Fate("python", fact.reason or _DATA.get(fact.kind, "it asks about a dtype"))
            continue
        text = _function(f"use_{len(uses)}", body)
        line = source.count("\n") + 4 + body[0].startswith(_SETUPS)  # two empty ones, and that of the def
        uses[name] = _Use(f"use_{len(uses)}", text, line)
        source += f"\n\n{text}"
    short = replace(config, rewrite=True, slow="convert", on_unverified="raise")  # without the originals beside
    report = analyze(from_text("names.py", source), short)
    rewritten = _functions(report.new_text or source)
    for name, use in uses.items():
        fact = catalog.get(name)
        assert fact is not None
        after = rewritten[use.function]
        found[name] = _judge(fact, report, use, after if after != use.text else "")
    return found


@dataclass(frozen=True, slots=True)
class _Use:
    function: str
    text: str
    line: int  #: the one that uses the name


def _judge(fact: ApiFact, report: FileReport, use: _Use, after: str) -> Fate:
    before, after = (text.replace(use.function, "f", 1) for text in (use.text, after))
    region = next((item for item in report.regions if item.qualname == use.function), None)
    if region is not None and region.state is RegionState.BLOCKED:
        return Fate("unsupported", region.reasons[0].partition(": ")[2], before)
    found = [finding for finding in report.findings if finding.span.line == use.line]
    worst = min(found, key=lambda finding: _WORST_FIRST.index(finding.verdict), default=None)
    if worst is None or worst.verdict is Verdict.NOTE:
        verdict, reason = ("adapt", "the runtime has an exact form") if after else ("python", "it makes no array")
        if fact.kind == "operator" and after.endswith(before.splitlines()[-1] + "\n"):  # there is nothing to put there
            alike = fact.tnp is not None and "= rt.ndarray(" not in after
            verdict = "convert" if alike else "host"
            reason = "a tensor does it as an array does" if alike else "it is asked of NumPy's array"
        return Fate(verdict, fact.reason or reason, before, after)
    return Fate("unsupported" if worst.verdict is Verdict.BLOCK else worst.verdict.value, worst.message, before, after)


def write_body(fact: ApiFact, catalog: Catalog) -> list[str] | None:
    """Statements that use the name, the last of which returns; None for names that nothing is done with."""
    owner, _, short = (fact.alias_of or fact.name if fact.kind == "operator" else fact.name).rpartition(".")
    if fact.kind in _DATA or owner == "numpy.dtype":
        return None
    if fact.kind == "operator":
        return _operator(short.strip("_"), swapped=fact.name.endswith(f".__r{short.strip('_')}__"))
    arguments = required(fact)
    if owner == "ndarray":
        use = f"x.{short}" if fact.kind == "attribute" else f"x.{short}({', '.join(arguments)})"
        return [_ARRAY, use, "return x"] if fact.mutates else [_ARRAY, f"return {use}"]
    if owner in ("numpy.random.Generator", "numpy.random.RandomState"):
        maker = "default_rng" if owner.endswith("Generator") else "RandomState"
        return [f"rng = np.random.{maker}(0)", f"return rng.{short}({', '.join(arguments)})"]
    path = f"np{fact.name.removeprefix('numpy')}"
    if fact.kind == "object":
        index = {
            "r_": "[a, b]",
            "c_": "[a, b]",
            "s_": "[a:b]",
            "index_exp": "[a:b]",
            "mgrid": "[0:a, 0:b]",
            "ogrid": "[0:a, 0:b]",
        }
        return [f"return {path}{index.get(short, '')}"]
    if fact.name in _ARGUMENTS:
        return [f"return {path}({_ARGUMENTS[fact.name]})"]
    of = catalog.get(owner)
    if of is not None and of.kind == "ufunc":
        operands = "a, b" if short in ("outer", "reduceat") else "a"
        if short == "at":
            return [_ARRAY, f"{path}(x, i{', b' * (len(required(of)) > 1)})", "return x"]
        return [f"return {path}({operands})"]
    if fact.mutates and arguments and fact.mutates[0] == arguments[0]:
        return [_ARRAY, f"{path}({', '.join(['x', *arguments[1:]])})", "return x"]
    # What becomes of these depends on what is known of their first argument, or on who else has its memory.
    is_fast = fact.tnp is not None and covers_all(fact.tnp.dtypes)
    if arguments and (is_fast or (fact.effect in ("view", "may-view") and fact.kind == "function")):
        item = "[0]" if fact.returns in ("list", "tuple") else ""
        return [_ARRAY, f"return {path}({', '.join(['x', *arguments[1:]])}){item}"]
    return [f"return {path}({', '.join(_CALLBACKS.get(name, name) for name in arguments)})"]


#: What is given for parameters that are functions: of one that nobody knows, anything has to be expected.
_CALLBACKS = {"func1d": "np.sum", "func": "np.sum", "mask_func": "np.triu"}
#: What is called with something else than arrays first, or with more than one.
_ARGUMENTS = {
    "numpy.einsum": "'ij,j', a, b",
    "numpy.einsum_path": "'ij,j', a, b",
    "numpy.frompyfunc": "abs, 1, 1",
    "numpy.promote_types": "a.dtype, b.dtype",
    "numpy.issubdtype": "a.dtype, np.floating",
}


def _operator(short: str, swapped: bool = False) -> list[str]:
    """Statements that use an operator. `swapped`: as the method of the right operand, ``__radd__``."""
    if swapped:
        return [_ARRAY, "return divmod(b, x)" if short == "divmod" else f"return b {_BINARY[short]} x"]
    if short in _SYNTAX:
        return [_ARRAY, *_SYNTAX[short]]
    if short in _UNARY:
        return [_ARRAY, f"return {_UNARY[short]}"]
    if short.startswith("i") and short[1:] in _BINARY:
        return [_ARRAY, f"x {_BINARY[short[1:]]}= b", "return x"]
    return [_ARRAY, f"return x {_BINARY[short]} b"]


def required(fact: ApiFact) -> list[str]:
    """Arguments that a call needs at least: the names of the parameters without a default, one for ``*args``."""
    names = [text for text in fact.parameters if text not in ("/", "*") and "=" not in text]
    plain = [name.lstrip("*") for name in names if not name.startswith("**")]
    return plain if fact.parameters[:1] != ("*args",) else ["a"]


def _function(name: str, body: list[str]) -> str:
    names = [
        node.id
        for line in body
        for node in ast.walk(ast.parse(line.removeprefix("return ")))
        if isinstance(node, ast.Name)
    ]
    bound = {"np", *dir(builtins), *(line.partition(" = ")[0] for line in body)}
    parameters = [used for used in dict.fromkeys(names) if used not in bound]
    return f"def {name}({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in body)


def _functions(source: str) -> dict[str, str]:
    """Text of each function, decorators included."""
    lines = source.splitlines()
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            start = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            found[node.name] = "".join(f"{line}\n" for line in lines[start - 1 : node.end_lineno])
    return found
