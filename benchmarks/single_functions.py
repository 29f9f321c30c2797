"""The cases of the probe's tables as functions of their own: ``def f(v): return np.<call>``."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

import numpy as np

from np2tnp.catalog import load
from np2tnp.probe import python_syntax, surface
from np2tnp.probe.cases.all_cases import Case, all_cases, names_in
from np2tnp.probe.cases.cases_inputs import OUTPUTS, make_arguments

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "iand": "&=", "ior": "|=", "ixor": "^=",
    "iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/=", "ifloordiv": "//=", "imod": "%=", "ipow": "**=",
    "imatmul": "@=", "ilshift": "<<=", "irshift": ">>=", "neg": "-", "pos": "+", "invert": "~",
}  # fmt: skip
#: Builtins that call a method of their argument.
_CALLED = {
    "abs": "abs", "__divmod__": "divmod", "__len__": "len", "__iter__": "list", "__bool__": "bool", "__int__": "int",
    "__float__": "float", "__complex__": "complex", "index": "range(9).__getitem__",
}  # fmt: skip
#: Methods that return nothing: the array that they change is the result.
_CHANGES = {"sort", "partition", "fill", "put", "resize", "setflags", "setfield"}


@dataclass(frozen=True, slots=True)
class Single:
    """One case as a function of its own."""

    case: Case
    parameters: tuple[str, ...]
    body: str

    def source(self, name: str) -> str:
        return f"def {name}({', '.join(self.parameters)}):\n{self.body}\n"


def list_singles(names: set[str] | None = None, in_keywords: bool = False) -> list[Single]:
    """All cases that the installed NumPy can be asked, in the order of the tables.

    With `in_keywords` instead those that can be asked otherwise, too: each argument that has a name given by it.
    """
    singles = []
    for api, cases in all_cases().items():
        if names is None or api in names or api.removeprefix("numpy.") in names:
            for case in cases:
                asked = by_name(case) if in_keywords else case
                single = make_single(asked) if asked is not None else None
                if single is not None:
                    singles.append(replace(single, case=case))  # results are judged by positions
    return singles


def by_name(case: Case) -> Case | None:
    """The case with keywords instead of positions, or None where that makes no other call."""
    fact = load().get(case.api)
    if fact is None or case.api.startswith("operator."):
        return None
    node = ast.parse(f"f({case.call})", mode="eval").body
    assert isinstance(node, ast.Call)
    first = 1 if case.api.startswith("ndarray.") else 0  # the array before the dot
    names = [None] * first + [name if name not in fact.positional_only else None for name in fact.positional]
    given = {keyword.arg for keyword in node.keywords}
    positions, keywords = [], []
    for index, argument in enumerate(node.args):
        name = names[index] if index < len(names) else None
        if name is None or name in given:
            positions.append(ast.unparse(argument))
        else:
            keywords.append(f"{name}={ast.unparse(argument)}")
    if not keywords or len(positions) > first + len(fact.positional_only):
        return None
    rest = [ast.unparse(keyword) for keyword in node.keywords]
    return replace(case, call=", ".join(positions + keywords + rest))


def make_single(case: Case) -> Single | None:
    """The function for a case, or None where the installed NumPy has no such name."""
    owner, _, member = case.api.rpartition(".")
    node = ast.parse(f"f({case.call})", mode="eval").body
    assert isinstance(node, ast.Call)
    texts = [ast.unparse(argument) for argument in node.args]
    known = make_arguments("d").keys() - {"np"}
    parameters = tuple(sorted(names_in(case.call) & known - _bound(node), key=case.call.index))
    stored = _stored(node)
    if owner in ("operator", "ndarray"):
        # who calls a method of a parameter, or adds to it, need not mean an array: the function makes one
        receiver = f"    {texts[0]} = np.array({texts[0]})\n" if texts[0].isidentifier() else ""
        if python_syntax.is_syntax(case.api):
            if not receiver and parameters:  # 2 - v
                receiver = f"    {parameters[0]} = np.array({parameters[0]})\n"
            return Single(case, parameters, receiver + _operator_body(member, texts))
        if not hasattr(np.ndarray, member):
            return None
        rest = ", ".join([*texts[1:], *(ast.unparse(keyword) for keyword in node.keywords)])
        called = f"({rest})" if callable(getattr(np.ndarray, member)) else ""
        array = texts[0] if receiver else f"({texts[0]})"
        changed = stored or (array if member in _CHANGES else "")
        changes = f"\n    return {changed}" if changed else ""
        begin = "    " if changes else "    return "
        return Single(case, parameters, f"{receiver}{begin}{array}.{member}{called}{changes}")
    if owner in ("numpy.random.Generator", "numpy.random.RandomState"):
        maker = "default_rng" if owner.endswith("Generator") else "RandomState"
        return Single(case, parameters, f"    rng = np.random.{maker}(0)\n    return rng.{member}({case.call})")
    try:
        surface.resolve(case.api)
    except AttributeError:
        return None
    name = f"np{case.api.removeprefix('numpy')}"
    called = f"{name}[{_index(case.call)}]" if surface.is_indexed(surface.resolve(case.api)) else f"{name}({case.call})"
    changed = stored or _changed(case.api, node)
    return Single(case, parameters, f"    {called}\n    return {changed}" if changed else f"    return {called}")


def _stored(node: ast.Call) -> str:
    """The names of the arrays that the call stores its results into, by ``out=`` or by position."""
    values = [keyword.value for keyword in node.keywords if keyword.arg == "out"]
    values += [argument for argument in node.args if isinstance(argument, ast.Name) and argument.id in OUTPUTS]
    roots = [next((n.id for n in ast.walk(v) if isinstance(n, ast.Name) and n.id != "np"), "") for v in values]
    return ", ".join(filter(None, roots))


def _bound(node: ast.AST) -> set[str]:
    """Names that the call binds itself, in lambdas and comprehensions."""
    found = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    return found | {argument.arg for argument in ast.walk(node) if isinstance(argument, ast.arg)}


def _operator_body(name: str, operands: list[str]) -> str:
    if name in ("getitem", "setitem"):
        array, key = operands[:2]
        item = f"{array}[{_index(key)}]"
        return f"    return {item}" if name == "getitem" else f"    {item} = {operands[2]}\n    return {array}"
    if name in _CALLED:
        return f"    return {_CALLED[name]}({', '.join(operands)})"
    if name == "contains":
        return f"    return {operands[1]} in {operands[0]}"
    if len(operands) == 1:
        return f"    return {SIGNS[name]}{operands[0]}"
    if SIGNS[name].endswith("=") and name not in ("eq", "ne", "le", "ge"):
        return f"    {operands[0]} {SIGNS[name]} {operands[1]}\n    return {operands[0]}"
    return f"    return {operands[0]} {SIGNS[name]} {operands[1]}"


def _index(key: str) -> str:
    """What stands between the brackets for a key as cases write it."""
    return key.removeprefix("np.s_[").removesuffix("]") if key.startswith("np.s_[") else key


def _changed(api: str, node: ast.Call) -> str:
    """The name of the first argument, where the function returns nothing and changes it."""
    fact = load().get(api)
    if fact is None or fact.returns != "none" or fact.mutates[:1] != fact.positional[:1]:
        return ""
    given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg in fact.mutates[:1])]
    return given[0].id if given and isinstance(given[0], ast.Name) else ""
