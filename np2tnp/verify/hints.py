"""What a function's text and docstring say about its parameters: which kinds of argument to try first."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# --- What a docstring says of a function's parameters, in the forms of NumPy and Google. Standard library only

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


# --- What comparing a shape says of an argument: ``x.shape != (3,)``, ``x.shape[1] == 2``, ``len(x) != 4``

_VECTORS = {2: "couple", 3: "triple", 4: "four"}
_ROWS = {2: "places", 3: "points"}
_RANKS = {1: {"vector": 20.0}, 2: {"matrix": 20.0}, 3: {"cube": 20.0, "colour": 8.0}}
_SURE = 25.0


def compared(node: ast.expr, other: ast.expr) -> tuple[ast.expr, dict[str, float]] | None:
    """The array that is asked about, and the kinds of argument that pass; None where the comparison says nothing."""
    if isinstance(node, ast.Attribute) and node.attr == "ndim":
        return node.value, _RANKS.get(_number(other), {})
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0], _sure(_VECTORS.get(_number(other)))
    whole = node.value if isinstance(node, ast.Subscript) else node
    if not isinstance(whole, ast.Attribute) or whole.attr != "shape":
        return None
    if not isinstance(node, ast.Subscript):
        return whole.value, _of_shape(other)
    if isinstance(node.slice, ast.Slice):  # x.shape[1:] == (3,)
        is_tail = node.slice.lower is not None and node.slice.upper is None
        lengths = _lengths(other) if is_tail else []
        return whole.value, _sure(_ROWS.get(lengths[0])) if len(lengths) == 1 else {}
    if _number(node.slice) in (1, -1):
        return whole.value, _sure(_ROWS.get(_number(other)))
    return whole.value, _sure(_VECTORS.get(_number(other)))


def _of_shape(other: ast.expr) -> dict[str, float]:
    lengths = _lengths(other)
    if len(lengths) == 1:
        return _sure(_VECTORS.get(lengths[0])) or {"vector": 12.0}
    if len(lengths) == 2:
        if lengths[0] == lengths[1]:  # where both are names they may be one
            return {"square": _SURE if lengths[0] else 6.0, "matrix": 0.0 if lengths[0] else 12.0}
        return _sure(_ROWS.get(lengths[1])) or {"matrix": 12.0}
    return dict(_RANKS.get(len(lengths), {}))


def _lengths(node: ast.expr) -> list[int]:
    """The items of a tuple; what is no plain number counts as 0."""
    return [_number(item) for item in node.elts] if isinstance(node, ast.Tuple) else []


def _number(node: ast.expr) -> int:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return 0
    return value if type(value) is int else 0


def _sure(kind: str | None) -> dict[str, float]:
    return {kind: _SURE} if kind else {}


# --- What a function's text says about its parameters: which kinds of argument to try first
#
# Only a ranking: the original decides, by returning or raising (see search.py). Standard library only.

#: What every parameter starts from: the kinds of search.py and how likely each is when nothing is known.
BASE = {
    "vector": 3.0, "matrix": 3.0, "square": 1.0, "float": 2.0, "int": 2.0, "list": 0.5, "cube": 0.5, "integers": 0.6,
    "mask": 0.3, "none": 0.1, "bool": 0.3, "callable": 0.1, "npfloat": 0.3, "spd": 0.3, "complex": 0.3, "image": 0.4,
    "points": 0.6, "shape": 0.2, "rows": 0.2, "string": 0.05, "colour": 0.2, "rng": 0.05,
    "places": 0.3, "couple": 0.1, "triple": 0.1, "four": 0.05, "pairs": 0.1, "triples": 0.1, "batch": 0.1,
    "kernels": 0.05,
}  # fmt: skip

_ANNOTATIONS = (
    (
        r"ndarray|NDArray|ArrayLike|np\.array",
        {"vector": 12, "matrix": 12, "points": 3, "cube": 2, "integers": 3, "image": 2},
    ),
    (r"\bint\b", {"int": 15}),
    (r"\bfloat\b", {"float": 15}),
    (r"\bcomplex\b", {"complexnumber": 15}),
    (r"\bbool\b", {"bool": 15}),
    (r"\bstr\b|Literal", {"string": 15}),
    (r"[Ll]ist|Sequence|Iterable", {"list": 8, "rows": 4}),
    (r"[Tt]uple", {"shape": 8}),
    (r"[Dd]ict|Mapping", {"dict": 15}),
    (r"Callable", {"callable": 20}),
    (r"None|Optional", {"none": 3}),
    (r"Generator|RandomState", {"rng": 25}),
)

_SIZES = (
    r"n|k|m|p|q|d|num|count|size|steps?|iters?|iterations|epochs|order|window|width|height|depth|degree|bins|rows|cols|rank|"
    r"radius|lag|length|nperseg|seed|[nN]_\w+|num_\w+|max_\w*iter\w*|\w+_(steps|iters|size|count|len|length|epochs)"
)
_NUMBERS = (
    r"dt|dx|dy|dz|h|tol|eps|epsilon|alpha|beta|gamma|lam|lambda_?|sigma|mu|rate|lr|learning_rate|tau|theta|scale|factor|"
    r"threshold|fs|freq\w*|strike|maturity|vol\w*|spot|omega|damping|softening|\w+_(rate|factor|scale|eps|tol)"
)
_PLACES = (
    r"pts|points|pos|positions?|vel|velocit(y|ies)|acc|accelerations?|forces?|coords|vertices|xyz|centers|centroids"
)
_LINES = r"x|y|z|t|u|v|w|b|signal|samples|data|values|arr|array|series|vec|vector|wave|mass|masses"

_NAMES = (
    (r"(im|img|image|images|frame|pic|pixels|gray|grey)\d*$", {"image": 5, "matrix": 4, "colour": 3}),
    (r"(rgb|colou?r)", {"colour": 8}),
    (r".*mask.*", {"mask": 5}),
    (r"(mat|matrix|A|B|M|grid|field|board|table|W\d?|weights|X)$", {"matrix": 4, "square": 2}),
    (r"(cov|covariance|Q|R|P|sigma_matrix|gram)$", {"spd": 4}),
    (rf"({_PLACES})\d?$", {"points": 6, "places": 5, "matrix": 2}),
    (r"(poly|polygon|contour|outline|path|uv|xy)$", {"places": 8}),
    (r"(faces|triangles|tri|tris|simplices|cells|elements|connectivity)$", {"triples": 8}),
    (r"(pairs|edges|bonds|links|springs)$", {"pairs": 8}),
    (r"(axis|direction|normal|origin|center|centre|centroid|eye|target|up|point)$", {"triple": 3, "couple": 2}),
    (rf"({_LINES})\d?$", {"vector": 3, "matrix": 1}),
    (rf"({_SIZES})$", {"int": 6}),
    (rf"({_NUMBERS})$", {"float": 6}),
    (r"(axis)$", {"axis": 9}),
    (r"(idx|index|indices|labels|ids|assign\w*|classes|counts|nodes|neighbou?rs|\w*ptr)$", {"integers": 6}),
    (r"(rng|random_state|generator|gen)$", {"rng": 20}),
    (r"(f|fn|func|fun|function|kernel_fn|callback|rhs|deriv\w*)$", {"callable": 3}),
    (r"(shape|dims)$", {"shape": 8}),
    (r"(verbose|inplace|copy|normali[sz]e|use_\w+|is_\w+|periodic|return_\w+|keepdims)$", {"bool": 8}),
    (r"(mode|method|kind|name|norm|metric|how)$", {"string": 4}),
)

_ARRAY_MEMBERS = frozenset(
    [
        "shape",
        "ndim",
        "dtype",
        "size",
        "T",
        "sum",
        "mean",
        "std",
        "var",
        "min",
        "max",
        "astype",
        "copy",
        "reshape",
        "ravel",
        "flatten",
        "dot",
        "transpose",
        "argmax",
        "argmin",
        "argsort",
        "sort",
        "cumsum",
        "cumprod",
        "any",
        "all",
        "fill",
        "clip",
        "round",
        "conj",
        "real",
        "imag",
        "nonzero",
        "take",
        "repeat",
        "tolist",
        "item",
        "flat",
        "view",
        "squeeze",
        "prod",
        "strides",
    ]
)
_RNG_MEMBERS = frozenset(
    [
        "normal",
        "standard_normal",
        "uniform",
        "integers",
        "randint",
        "random",
        "choice",
        "permutation",
        "shuffle",
        "rand",
        "randn",
        "exponential",
        "poisson",
        "multivariate_normal",
        "beta",
        "gamma",
        "binomial",
    ]
)
_STRING_MEMBERS = frozenset(["lower", "upper", "startswith", "endswith", "split", "strip", "format", "join", "encode"])

#: Functions of NumPy whose first argument is an array of any rank.
_TAKES_ARRAYS = frozenset(
    [
        *("sum", "mean", "sqrt", "exp", "log", "abs", "sin", "cos", "dot", "where", "sort", "asarray", "array", "tanh"),
        *("maximum", "minimum", "roll", "diff", "cumsum", "max", "min", "std", "outer"),
    ]
)


#: Kinds by how many things are unpacked: from one argument, from each of its rows.
_ITEMS = {2: "couple", 3: "triple", 4: "four"}
_COLUMNS = {2: "places", 3: "points"}


#: Members that tell of what is not an object of the program.
COMMON_MEMBERS = _ARRAY_MEMBERS | _RNG_MEMBERS | _STRING_MEMBERS | {"append", "extend", "items", "keys", "get", "pop"}


@dataclass(frozen=True)
class Parameter:
    """One parameter and what to try for it."""

    name: str
    kinds: dict[str, float]  #: weight per kind
    keyword_only: bool = False
    default: str | None = None  #: its source text
    strings: tuple[str, ...] = ()  #: strings that the function compares it with
    keys: tuple[str, ...] = ()  #: keys that the function reads from it
    star: str = ""  #: ``*`` or ``**`` for the catch-all parameters
    instance: str | None = None  #: the module's class that its annotation names, or that it is used like


Function = ast.FunctionDef | ast.AsyncFunctionDef


def parameters_of(
    function: Function, classes: Mapping[str, str] = MappingProxyType({}), method: bool = False
) -> list[Parameter]:
    """Those of `function` (without ``self`` in a `method`); `classes`: which class an annotation's text means."""
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(spec.defaults)) + list(spec.defaults)
    pairs = list(zip(plain, defaults, strict=True))
    if method:
        pairs = pairs[1:]
    usage, words = _Usage(function), described(function)
    named = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    found = [_parameter(arg, default, usage, classes, words) for arg, default in pairs]
    return found + [_parameter(arg, default, usage, classes, words, keyword_only=True) for arg, default in named]


def _parameter(
    arg: ast.arg,
    default: ast.expr | None,
    usage: _Usage,
    classes: Mapping[str, str],
    words: Mapping[str, str],
    keyword_only: bool = False,
) -> Parameter:
    kinds = dict(BASE)
    instance = None
    if arg.annotation is not None:
        text = ast.unparse(arg.annotation).strip("'\"")
        instance = classes.get(text)
        for pattern, weights in _ANNOTATIONS:
            if re.search(pattern, text):
                _add(kinds, weights)
    for pattern, weights in _NAMES:
        if re.match(pattern, arg.arg):
            _add(kinds, weights)
    said = words.get(arg.arg, "")
    _add(kinds, kinds_of(said))
    _add(kinds, usage.kinds.get(arg.arg, {}))
    if default is not None:
        _add(kinds, {"default": 5})
        if isinstance(default, ast.Constant):
            value = default.value
            _add(kinds, {{bool: "bool", int: "int", float: "float", str: "string"}.get(type(value), "none"): 7})
    if instance:
        kinds["instance"] = 60
    strings = [*usage.strings.get(arg.arg, []), *strings_of(said)]
    if isinstance(default, ast.Constant) and isinstance(default.value, str):
        strings = [default.value, *strings]
    return Parameter(
        arg.arg,
        kinds,
        keyword_only,
        ast.unparse(default) if default is not None else None,
        tuple(dict.fromkeys(strings)),
        tuple(dict.fromkeys(usage.keys.get(arg.arg, []))),
        instance=instance,
    )


def _add(kinds: dict[str, float], weights: dict[str, float] | dict[str, int]) -> None:
    for kind, weight in weights.items():
        kinds[kind] = kinds.get(kind, 0.0) + weight


class _Usage(ast.NodeVisitor):
    """Collects how each name of a function is used."""

    def __init__(self, function: Function) -> None:
        self.kinds: dict[str, dict[str, float]] = {}
        self.strings: dict[str, list[str]] = {}
        self.keys: dict[str, list[str]] = {}
        for statement in function.body:
            self.visit(statement)

    def _hint(self, node: ast.AST, **weights: float) -> None:
        if isinstance(node, ast.Name):
            kinds = self.kinds.setdefault(node.id, {})
            for kind, weight in weights.items():  # once a kind of use: one used often is not the more likely an array
                kinds[kind] = max(kinds.get(kind, 0.0), weight)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name):
            self._hint(node.func, callable=20)
            if node.func.id == "range":
                for arg in node.args:
                    self._hint(arg, int=12)
            if node.func.id == "len" and node.args:
                self._hint(node.args[0], vector=4, matrix=3, list=3, rows=1)
            if node.func.id == "isinstance" and node.args:
                self._hint(node.args[0], vector=2, float=2)
        elif isinstance(node.func, ast.Attribute):
            self._numpy_call(node, node.func.attr)
        self.generic_visit(node)

    def _numpy_call(self, node: ast.Call, name: str) -> None:
        first = node.args[0] if node.args else None
        if first is None:
            return
        if name in ("zeros", "ones", "empty", "full"):
            for item in first.elts if isinstance(first, ast.Tuple) else [first]:
                self._hint(item, int=8, shape=3 if item is first else 0)
        elif name in ("linspace", "arange"):
            for arg in node.args:
                self._hint(arg, float=2, int=4)
        elif name in ("inv", "det", "eig", "eigvals", "solve", "cholesky", "eigh", "eigvalsh", "trace"):
            self._hint(first, square=8, spd=8)
        elif name == "bincount":
            self._hint(first, integers=8)
        elif name in _TAKES_ARRAYS:
            self._hint(first, vector=3, matrix=3)
            if name in ("dot", "outer") and len(node.args) > 1:
                self._hint(node.args[1], vector=3, matrix=3)
        elif name in ("fft", "rfft", "convolve", "interp", "hanning", "cross", "searchsorted"):
            self._hint(first, vector=6)
        elif name in ("fft2", "ifft2"):
            self._hint(first, matrix=8)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in _ARRAY_MEMBERS:
            self._hint(node.value, vector=6, matrix=6, points=1)
            if node.attr == "T":
                self._hint(node.value, matrix=9)
        elif node.attr in _RNG_MEMBERS:
            self._hint(node.value, rng=25)
        elif node.attr in _STRING_MEMBERS:
            self._hint(node.value, string=15)
        elif node.attr in ("append", "extend", "pop", "insert"):
            self._hint(node.value, list=15)
        elif node.attr in ("items", "keys", "get"):
            self._hint(node.value, dict=15)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        key = node.slice
        if isinstance(key, ast.Tuple):
            rank = sum(not (isinstance(item, ast.Constant) and item.value in (None, ...)) for item in key.elts)
            news = sum(isinstance(item, ast.Constant) and item.value in (None, ...) for item in key.elts)
            if rank == 2:
                self._hint(node.value, matrix=10, square=3, points=4, **({"vector": 0} if not news else {}))
            elif rank >= 3:
                self._hint(node.value, cube=12, colour=8)
            elif news:
                self._hint(node.value, vector=6, points=3, matrix=2)
        elif isinstance(key, ast.Constant) and isinstance(key.value, str):
            self._hint(node.value, dict=20)
            if isinstance(node.value, ast.Name):
                self.keys.setdefault(node.value.id, []).append(key.value)
        else:
            self._hint(node.value, vector=5, matrix=3, list=2)
            self._hint(key, int=3, integers=2, mask=1)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and isinstance(key, ast.Constant):
            if key.value in (1, -1):
                self._hint(node.value.value, matrix=10)
            elif key.value == 2:
                self._hint(node.value.value, cube=12, colour=6)
        self.generic_visit(node)

    def _unpacked(self, target: ast.expr, value: ast.expr) -> None:
        """``x, y = p``, ``x, y = p.T`` and ``for x, y in p`` tell how many things `p` holds."""
        if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(it, ast.Starred) for it in target.elts):
            return
        count = len(target.elts)
        if isinstance(value, ast.Attribute) and value.attr == "T" and count in _COLUMNS:
            self._hint(value.value, **{_COLUMNS[count]: 25.0})
        elif count in _ITEMS:
            self._hint(value, **{_ITEMS[count]: 14.0})

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._unpacked(target, node.value)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            for target in node.targets:
                if isinstance(target, (ast.Tuple, ast.List)):
                    rank = len(target.elts)
                    kind = {
                        1: {"vector": 12.0},
                        2: {"matrix": 14.0, "points": 2.0, "image": 2.0},
                        4: {"batch": 20.0, "kernels": 12.0},
                    }.get(rank, {"cube": 16.0, "colour": 8.0})
                    self._hint(node.value.value, **kind)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._hint(node.iter, vector=3, matrix=3, list=4, rows=2)
        if isinstance(node.target, (ast.Tuple, ast.List)) and len(node.target.elts) in _COLUMNS:
            self._hint(node.iter, **{_COLUMNS[len(node.target.elts)]: 14.0})
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for other in node.comparators:
            if asked := compared(node.left, other) or compared(other, node.left):
                self._hint(asked[0], **asked[1])
            options = other.elts if isinstance(other, (ast.Tuple, ast.List, ast.Set)) else [other]
            for option in options:
                if (
                    isinstance(option, ast.Constant)
                    and isinstance(option.value, str)
                    and isinstance(node.left, ast.Name)
                ):
                    self._hint(node.left, string=20)
                    self.strings.setdefault(node.left.id, []).append(option.value)
                elif isinstance(option, ast.Constant) and option.value is None:
                    self._hint(node.left, none=3)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            self._hint(node.left, matrix=8, square=3, vector=2)
            self._hint(node.right, matrix=8, square=3, vector=4)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self._hint(node.test, bool=10)
        if isinstance(node.test, ast.UnaryOp):
            self._hint(node.test.operand, bool=8)
        self.generic_visit(node)
