"""A program whose rounding is noisy: what becomes of its results is how they amplify rounding errors.

TensorFlow adds, multiplies, divides and takes roots to the same bits as NumPy. It may round differently in sums,
products of matrices, transforms, powers and transcendental functions. So these, and only these, are disturbed here:
each gets operands, and gives results, that are moved to a neighbour. Whole numbers stay, for they are mostly exact.
"""

from __future__ import annotations

import ast
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.verify.compare import eps
from np2tnp.verify.inputs import moved
from np2tnp.verify.observe import UndefinedWarning, calls_observed

#: Functions and methods of NumPy whose last bits are nobody's promise, by name.
ROUNDED = frozenset(
    """
    arccos arccosh arcsin arcsinh arctan arctan2 arctanh average cbrt cholesky convolve corrcoef correlate cos cosh cov
    cross cumprod cumsum det diff dot eig eigh eigvals eigvalsh einsum exp exp2 expm1 fft fft2 fftn float_power gradient
    hypot ifft ifft2 ifftn inner interp inv irfft irfft2 irfftn kron linspace log log10 log1p log2 logaddexp
    logaddexp2 logspace lstsq matmul mean multi_dot nancumsum nanmean nanpercentile nanquantile nanstd nansum nanvar
    norm outer percentile pinv polyfit polyval pow power prod qr quantile rfft rfft2 rfftn sin sinc sinh slogdet solve
    std sum svd tan tanh tensordot trace trapezoid trapz vander var vdot
    """.split()
)
#: Those whose results at fractions are hardly ever whole: one that is, was rounded to that.
_TRANSCENDENTAL = frozenset(
    """
    arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh exp exp2 expm1 log log10 log1p log2 sin sinh tan tanh
    """.split()
)
#: Those that are exact, as their algorithms promise, for a matrix as near to the given one as its largest entry rounds.
_SOLVERS = frozenset("cholesky det eig eigh eigvals eigvalsh inv lstsq pinv polyfit qr slogdet solve svd".split())
#: Those that add terms which may cancel: a result below the rounding of the terms may as well be zero.
_SUMS = frozenset(
    "average convolve correlate corrcoef cov cumsum dot einsum fft fft2 fftn ifft ifft2 ifftn inner irfft irfft2 irfftn"
    " matmul mean nanmean nanstd nansum nanvar rfft rfft2 rfftn std sum tensordot trace var vdot".split()
)
_POWERS = frozenset(("power", "float_power"))
_ZERO = 8.0  #: how many times the rounding of the largest term such a result may be
#: Functions that give memory as it was left: no program may depend on what is in it.
_MEMORY = frozenset(("empty", "empty_like"))
#: Functions and methods that choose an order among equals, unless they are asked for a stable one.
ORDERED = frozenset(("argsort", "argpartition"))
#: Functions and methods that put some elements where a sorted array has them, and the others in any order around.
PARTED = frozenset(("partition",))
#: Functions whose table must be sorted, and where it stands: of another one they give what their search happens to hit.
_SEARCHES = {"searchsorted": 0, "digitize": 1, "interp": 1}
#: Methods of ufuncs that NumPy (2.4) lets read past the end of values with fewer dimensions than the indices.
_UNBUFFERED = frozenset(("at",))
_NAMES = ROUNDED | ORDERED | PARTED | _MEMORY | _UNBUFFERED | _SEARCHES.keys()
_ACCUMULATED = (np.add, np.subtract, np.multiply, np.divide)
_CALL, _PLAIN_CALL, _OPERATOR = "__np2tnp_noisy_method__", "__np2tnp_noisy_call__", "__np2tnp_noisy_operator__"
_STORE, _SLICE = "__np2tnp_noisy_store__", "__np2tnp_slice__"
_RAISED, _EXPONENT = "__np2tnp_noisy_raised__", "__np2tnp_exponent__"


class Noise:
    """Moves floats to a neighbour, at random. `names` is what a noisy program must know."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._seed = int(rng.integers(2**32))

    @property
    def names(self) -> dict[str, Any]:
        return {
            _CALL: self._method,
            _PLAIN_CALL: self._call,
            _OPERATOR: self._operator,
            _STORE: self._store,
            _SLICE: slice,
            _RAISED: self._raised,
        }

    def moved(self, value: Any) -> Any:
        """`value` with the fractions in it moved to a neighbour: arrays, NumPy numbers, lists and tuples of them."""
        if type(value) is np.ndarray or isinstance(value, np.inexact):
            return moved(value, self._rng)
        if type(value) in (list, tuple):
            return type(value)([self.moved(item) for item in value])
        return value

    def _near(self, value: Any) -> Any:
        """An array with each entry moved by as much as eliminating with its largest one rounds.

        Equal arrays are moved alike: within one call of the program a solver takes a singular matrix always or never.
        """
        if type(value) is not np.ndarray or value.dtype.kind not in "biufc" or not value.size:
            return value
        array = value if value.dtype.kind in "fc" else value.astype(np.float64)
        with np.errstate(all="ignore"):
            step = max(array.shape, default=1) * eps(array.dtype) * np.max(np.abs(array))
            rng = np.random.default_rng((self._seed, calls_observed(), zlib.crc32(array.tobytes())))
            return (array + step * rng.uniform(-1.0, 1.0, array.shape)).astype(array.dtype)

    def _method(self, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """``owner.name(...)``: of an array, or of a module of NumPy; anything else is left alone."""
        if name in ORDERED | _SEARCHES.keys() and isinstance(owner, np.ndarray):
            return self._call(getattr(np, name), owner, *args, **kwargs)
        if name in PARTED and isinstance(owner, np.ndarray):
            owner[...] = self._call(getattr(np, name), owner, *args, **kwargs)
            return None
        if isinstance(owner, (np.ndarray, np.inexact)) and kwargs.get("out") is None:
            return self._rounded(name, lambda it, *rest: getattr(it, name)(*rest, **kwargs), (self.moved(owner), *args))
        if name in _UNBUFFERED and isinstance(owner, np.ufunc):
            args = self._repeated(*args)
            if owner in _ACCUMULATED:  # terms are added up in any order
                args = (*args[:2], *map(self.moved, args[2:]))
        return self._call(getattr(owner, name), *args, **kwargs)

    def _repeated(self, array: Any, indices: Any, *values: Any) -> tuple[Any, ...]:
        """The arguments of ``ufunc.at``: where NumPy does not repeat the values for each index, it reads anything."""
        if values and np.size(values[0]) > 1 and type(indices) is not tuple and np.ndim(values[0]) < np.ndim(indices):
            right = np.array(np.broadcast_to(values[0], np.shape(indices)))
            values = (_spoilt(right) if self._rng.random() < 0.5 else right,)
        return (array, indices, *values)

    def _call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        module = str(getattr(function, "__module__", "") or "")
        if not isinstance(function, np.ufunc) and not module.startswith("numpy"):
            return function(*args, **kwargs)
        if function in (np.argsort, np.argpartition):
            return self._any_order(function, *args, **kwargs)
        if function is np.partition:
            return self._any_sides(*args, **kwargs)
        if kwargs.get("out") is not None or (isinstance(function, np.ufunc) and len(args) > function.nin):
            return function(*args, **kwargs)  # the result is an array that somebody has already
        if function.__name__ in _MEMORY:
            return _spoilt(function(*args, **kwargs))
        if function.__name__ in _SEARCHES and _is_unsorted(args, _SEARCHES[function.__name__]):
            warnings.warn("a search in a table that is not sorted", UndefinedWarning, stacklevel=2)
            found = np.asarray(function(*args, **kwargs))
            last = np.size(args[_SEARCHES[function.__name__]]) if found.dtype.kind == "i" else 0
            anywhere = self._rng.integers(0, last + 1, found.shape)
            return np.where(self._rng.random(found.shape) < 0.5, found, anywhere)
        if function.__name__ in _POWERS and len(args) == 2:
            return self._power(function(self.moved(args[0]), args[1], **kwargs), args[1])
        move = self._near if function.__name__ in _SOLVERS else self.moved
        return self._rounded(function.__name__, lambda *given: function(*given, **kwargs), tuple(map(move, args)))

    def _rounded(self, name: str, call: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
        """The result moved; now and then 0 where it is nothing but the rounding of its terms."""
        exact = call(*operands)
        result = self.moved(exact)
        if name in _TRANSCENDENTAL and isinstance(exact, (np.ndarray, np.inexact)) and _is_float(operands[0]):
            is_whole = np.rint(operands[0]) == operands[0]
            result = np.where(is_whole, result, moved(exact, self._rng, whole_too=True))[()]
        if name == "det":
            return self._by_logarithm(result)
        if name not in _SUMS or not isinstance(result, (np.ndarray, np.inexact)) or result.dtype.kind not in "fc":
            return result
        terms = [
            np.abs(item) for item in operands if isinstance(item, (np.ndarray, np.number)) and item.dtype.kind in "fc"
        ]
        largest = max((float(np.max(item, initial=0.0, where=np.isfinite(item))) for item in terms), default=0.0)
        small = np.abs(result) <= _ZERO * eps(result.dtype) * largest
        cleared = np.where(small & (self._rng.random() < 0.5), result.dtype.type(0), result)
        if np.sqrt(np.finfo(result.dtype).max) / 1e3 < largest < np.inf:
            cleared = self._overflowing(cleared, call, operands)
        return cleared if isinstance(result, np.ndarray) else cleared[()]

    def _overflowing(self, result: Any, call: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
        """Now and then infinite, NaN or finite where terms overflow: the order in which they are added decides."""
        with np.errstate(all="ignore"):
            sizes = call(*(np.abs(item) if isinstance(item, (np.ndarray, np.inexact)) else item for item in operands))
            either = ~np.isfinite(sizes) & (self._rng.random(result.shape) < 0.5)
            any_of_them = self._rng.choice([0.0, np.inf, np.nan], result.shape)
            return np.where(either, any_of_them.astype(result.dtype), result)

    def _by_logarithm(self, result: Any) -> Any:
        """A determinant as exact as its logarithm is, through which NumPy computes it."""
        with np.errstate(all="ignore"):
            step = eps(np.asarray(result).dtype) * np.abs(np.log(np.abs(result)))
            return result * (1 + np.where(np.isfinite(step), step, 0) * self._rng.uniform(-1.0, 1.0, np.shape(result)))

    def _any_order(self, function: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
        """What ``argsort`` gives, with equals in any order: of elements in a random order, sorted stably."""
        found = function(a, *args, **kwargs)
        position = 0 if function is np.argsort else 1
        axis = kwargs.get("axis", args[position] if len(args) > position else -1)
        if kwargs.get("stable") or kwargs.get("kind") in ("stable", "mergesort") or axis is None or np.ndim(a) == 0:
            return found
        array = np.asarray(a)
        shuffled = np.argsort(self._rng.random(array.shape), axis=axis)
        order = np.argsort(np.take_along_axis(array, shuffled, axis), axis=axis, kind="stable")
        return np.take_along_axis(shuffled, order, axis)

    def _any_sides(self, a: Any, kth: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Any:
        """What ``partition`` gives, with the elements between two of those asked for in any order."""
        found = np.partition(a, kth, axis, *args, **kwargs)
        last = np.moveaxis(found, -1 if axis is None else axis, -1)
        places = {int(place) % last.shape[-1] for place in np.ravel(kth)}
        group = np.cumsum([k in places or k - 1 in places for k in range(last.shape[-1])])
        shuffled = np.argsort(self._rng.random(last.shape) + group, axis=-1)
        last[...] = np.take_along_axis(last, shuffled, -1)
        return found

    def _operator(self, sign: str, a: Any, b: Any, /) -> Any:
        if sign == "**":
            return self._power(self.moved(a) ** b, b)
        return self._rounded("matmul", lambda one, other: one @ other, (self.moved(a), self.moved(b)))

    def _power(self, result: Any, exponent: Any) -> Any:
        """The result moved, whole numbers too: 3**4 is not always 81 unless it is multiplied out."""
        if isinstance(result, (np.ndarray, np.inexact)) and exponent.__class__ not in (int, float):
            return moved(result, self._rng, whole_too=True)
        return self.moved(result)

    def _raised(self, target: Any, exponent: Any) -> None:
        """What ``target **= exponent`` left there, moved where it is, in an array or a view of one."""
        if type(target) is np.ndarray and target.dtype.kind in "fc":
            target[...] = self._power(target, exponent)

    def _store(self, value: Any, owner: Any, key: Any, /) -> None:
        """``owner[key] = value``, which has no order among repeated indices unless they stand in a plain row."""
        indices = [item for item in (key if type(key) is tuple else (key,)) if isinstance(item, (np.ndarray, list))]
        if type(owner) is np.ndarray and indices:
            places = np.arange(owner.size).reshape(owner.shape)[key]
            is_row = places.ndim == 1 and all(np.asarray(item).flags.c_contiguous for item in (*indices, value))
            if not is_row and np.unique(places).size < places.size:
                order = self._rng.permutation(places.size)
                values = np.broadcast_to(value, places.shape).ravel()
                owner.flat[places.ravel()[order]] = values[order]
                return
        owner[key] = value


def _is_unsorted(args: tuple[Any, ...], place: int) -> bool:
    table = np.asarray(args[place] if len(args) > place else ())
    return table.ndim == 1 and table.dtype.kind in "biuf" and not bool(np.all(table[:-1] <= table[1:]))


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.ndarray, np.inexact)) and np.asarray(value).dtype.kind in "fc"


def _spoilt(array: Any) -> Any:
    """New memory with NaN in it, or what else nobody wants to find there."""
    if isinstance(array, np.ndarray) and array.dtype.kind in "iufc":
        array.fill(np.nan if array.dtype.kind in "fc" else np.iinfo(array.dtype).max)
    return array


class _Disturb(ast.NodeTransformer):
    """Sends the calls and operators that round through Noise."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _NAMES:
            words = [node.func.value, ast.Constant(node.func.attr)]
            return _call(_CALL, [*words, *node.args], node.keywords, node)
        if isinstance(node.func, ast.Name) and node.func.id in _NAMES:
            return _call(_PLAIN_CALL, [node.func, *node.args], node.keywords, node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
            return node
        call = _call(_STORE, [node.value, target.value, _key(target.slice)], [], node)
        return ast.copy_location(ast.Expr(call), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        raised = ast.Name(_EXPONENT, ast.Load())
        keep = ast.copy_location(ast.Assign([ast.Name(_EXPONENT, ast.Store())], node.value), node)
        node.value = raised
        whole = ast.parse(ast.unparse(node.target), mode="eval").body
        return [keep, node, ast.copy_location(ast.Expr(_call(_RAISED, [whole, raised], [], node)), node)]

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        sign = {ast.Pow: "**", ast.MatMult: "@"}.get(type(node.op))
        if sign is None:
            return node
        return _call(_OPERATOR, [ast.Constant(sign), node.left, node.right], [], node)


def _key(node: ast.expr) -> ast.expr:
    """The key of a subscript as an expression that stands alone."""
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_key(item) for item in node.elts], ast.Load())
    if isinstance(node, ast.Slice):
        ends = [end or ast.Constant(None) for end in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name(_SLICE, ast.Load()), ends, [])
    return node


def _call(name: str, args: list[ast.expr], keywords: list[ast.keyword], at: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), args, keywords), at)


def disturbed(text: str) -> ast.Module:
    """The program `text` as a tree that calls Noise where it rounds; ``super().sum()`` and the like stay."""
    tree = ast.parse(text)
    _Disturb().visit(tree)
    return ast.fix_missing_locations(tree)
