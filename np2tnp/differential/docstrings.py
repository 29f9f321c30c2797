"""What a docstring says of a function's parameters, in the forms of NumPy and Google. Standard library only."""

from __future__ import annotations

import ast
import re

_NUMPY = re.compile(r"^ *((?:\*{0,2}\w+)(?: *, *\*{0,2}\w+)*) *: *(\S.*)$", re.MULTILINE)
_GOOGLE = re.compile(r"^ +(\*{0,2}\w+) \((.+?)\):", re.MULTILINE)
_SECTION = re.compile(r"^ *(?:(?:Other )?Parameters *\n *-{3,}|Args:|Arguments:) *$", re.MULTILINE)
_NEXT = re.compile(r"^ *\w[\w ]*\n *-{3,} *$|^ *(?:Returns?|Yields?|Raises|Examples?|Notes?):", re.MULTILINE)
_CHOICES = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"['\"]([^'\"]+)['\"]")

#: What a type's words suggest: the kinds of inputs.py and how likely each is. The first that fits for shapes.
_SHAPES = (
    (r"\.\.\., *3\b|\(\w+, *3\)|[(x] *3\)", {"points": 16}),
    (r"\(\w+, *2\)", {"places": 16}),
    (r"\(3,?\)|3-vector|length 3", {"triple": 16}),
    (r"\(2,?\)|length 2", {"couple": 14}),
    (r"\(\w+, *\w+, *\w+\)|\b3-?D\b", {"cube": 14, "colour": 6}),
    (r"\((\w+), *\1\)|square", {"square": 14, "spd": 10}),
    (r"\(\w+, *\w+\)|\b2-?D\b|matrix", {"matrix": 14}),
    (r"\(\w+,\)|\b1-?D\b|\(\w+\)", {"vector": 14}),
)
_WORDS = (
    (r"array|ndarray|vector|image|signal|series", {"vector": 8, "matrix": 8}),
    (r"\bimage", {"matrix": 6, "image": 6}),
    (r"\bint(eger)?\b", {"int": 12}),
    (r"\bfloat\b|\bscalar\b|\bnumber\b|\breal\b", {"float": 12}),
    (r"\bcomplex\b", {"complex": 6}),
    (r"\bbool(ean)?\b", {"bool": 14}),
    (r"\bstr(ing)?\b", {"string": 14}),
    (r"callable|function", {"callable": 16}),
    (r"\blist\b|sequence|iterable", {"list": 4, "vector": 3}),
    (r"\btuple\b", {"shape": 6}),
    (r"\bdict\b", {"dict": 12}),
    (r"\bNone\b", {"none": 2}),
    (r"Generator|RandomState", {"rng": 20}),
)


def described(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, str]:
    """The words that say what each parameter is, by its name."""
    text = ast.get_docstring(function) or ""
    start = _SECTION.search(text)
    if start is None:
        return {}
    end = _NEXT.search(text, start.end())
    section = text[start.end() : end.start() if end else len(text)]
    found: dict[str, str] = {}
    for pattern in (_NUMPY, _GOOGLE):
        for names, words in pattern.findall(section):
            for name in names.split(","):
                found.setdefault(name.strip(" *"), words)
    return found


def kinds_of(words: str) -> dict[str, float]:
    """How likely each kind of argument is, from what ``described`` gave for a parameter."""
    kinds: dict[str, float] = {}
    shape = next((weights for pattern, weights in _SHAPES if re.search(pattern, words)), None)
    number = re.search(r"\b(int|float|bool|str|scalar)\b", words)
    array = re.search(r"array|ndarray|matrix|vector", words)
    for weights in [weights for pattern, weights in _WORDS if re.search(pattern, words)]:
        for kind, weight in weights.items():
            if not (array and number and kind in ("int", "float")):  # "array of int", "ndarray of float"
                kinds[kind] = max(kinds.get(kind, 0.0), weight)
    if array and kinds.pop("bool", 0.0):
        kinds.update(mask=8.0, masks=8.0)
    if array and re.search(r"\bint", words):
        kinds["integers"] = 10.0
    if shape is not None and (array or not number):
        kinds = {kind: weight for kind, weight in kinds.items() if kind not in ("vector", "matrix")}
        kinds.update({kind: float(weight) for kind, weight in shape.items()})
    return kinds


def strings_of(words: str) -> list[str]:
    """The values in ``{'same', 'valid'}``."""
    return [text for choices in _CHOICES.findall(words) for text in _WORD.findall(choices)]
