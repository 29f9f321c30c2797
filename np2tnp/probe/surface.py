"""What NumPy offers: every public name with its kind and its parameters, read off NumPy itself.

The names that the catalog knows are those of the modules in :data:`MODULES`, the members of ndarray, of the random
generators and of the ufuncs, Python's operators, and the names that NumPy 1 had and NumPy 2 dropped (:data:`LEGACY`),
since code that people migrate is full of them.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import numpy as np

from np2tnp.probe.python_syntax import operator_facts

# --- Names that differ between NumPy 1.26 and NumPy 2, as ``dir()`` of both showed
#
# The catalog knows the union: code that people migrate is full of the old names.

#: NumPy 1 names: what they mean in NumPy 2, or None where nothing has the same meaning.
LEGACY: dict[str, str | None] = {
    "numpy.float_": "numpy.float64", "numpy.complex_": "numpy.complex128", "numpy.singlecomplex": "numpy.complex64",
    "numpy.cfloat": "numpy.complex128", "numpy.longfloat": "numpy.longdouble", "numpy.clongfloat": "numpy.clongdouble",
    "numpy.longcomplex": "numpy.clongdouble", "numpy.string_": "numpy.bytes_", "numpy.unicode_": "numpy.str_",
    "numpy.bool8": "numpy.bool", "numpy.int0": "numpy.intp", "numpy.uint0": "numpy.uintp", "numpy.object0":
    "numpy.object_",
    "numpy.str0": "numpy.str_", "numpy.bytes0": "numpy.bytes_", "numpy.void0": "numpy.void",
    "numpy.float": "builtins.float", "numpy.int": "builtins.int", "numpy.complex": "builtins.complex",
    "numpy.object": "builtins.object", "numpy.str": "builtins.str", "numpy.unicode": "builtins.str",
    "numpy.Inf": "numpy.inf", "numpy.Infinity": "numpy.inf", "numpy.infty": "numpy.inf", "numpy.PINF": "numpy.inf",
    "numpy.NINF": None, "numpy.PZERO": None, "numpy.NZERO": None, "numpy.NaN": "numpy.nan", "numpy.NAN": "numpy.nan",
    "numpy.product": "numpy.prod", "numpy.cumproduct": "numpy.cumprod", "numpy.alltrue": "numpy.all",
    "numpy.sometrue": "numpy.any", "numpy.round_": "numpy.round", "numpy.row_stack": "numpy.vstack",
    "numpy.trapz": "numpy.trapezoid", "numpy.mat": "numpy.asmatrix", "numpy.in1d": None, "numpy.msort": None,
    "numpy.asscalar": None, "numpy.asfarray": None, "numpy.find_common_type": None, "numpy.cast": None,
    "numpy.source": None,
    "numpy.lookfor": None, "numpy.who": None, "numpy.fastCopyAndTranspose": None, "numpy.set_numeric_ops": None,
    "numpy.geterrobj": None, "numpy.seterrobj": None, "numpy.compare_chararrays": "numpy.char.compare_chararrays",
    "numpy.disp": None, "numpy.safe_eval": None, "numpy.recfromcsv": None, "numpy.recfromtxt": None,
    "numpy.deprecate": None,
    "numpy.deprecate_with_doc": None, "numpy.byte_bounds": None, "numpy.maximum_sctype": None, "numpy.obj2sctype": None,
    "numpy.sctype2char": None, "numpy.sctypes": None, "numpy.issubsctype": None, "numpy.issubclass_": None,
    "numpy.set_string_function": None, "numpy.add_docstring": None, "numpy.add_newdoc": None,
    "numpy.add_newdoc_ufunc": None,
    "numpy.nbytes": None, "numpy.tracemalloc_domain": None, "numpy.rank": "numpy.ndim", "numpy.rollaxis":
    "numpy.rollaxis",
    "numpy.ComplexWarning": "numpy.exceptions.ComplexWarning", "numpy.AxisError": "numpy.exceptions.AxisError",
    "numpy.VisibleDeprecationWarning": "numpy.exceptions.VisibleDeprecationWarning",
    "numpy.RankWarning": "numpy.exceptions.RankWarning", "numpy.TooHardError": "numpy.exceptions.TooHardError",
    "numpy.DTypePromotionError": "numpy.exceptions.DTypePromotionError",
    "numpy.ModuleDeprecationWarning": "numpy.exceptions.ModuleDeprecationWarning",
    "numpy.random.random_integers": "numpy.random.random_integers",
    "ndarray.newbyteorder": None, "ndarray.itemset": None, "ndarray.ptp": None,
    "ndarray.tostring": "ndarray.tobytes",
    "numpy.ALLOW_THREADS": None, "numpy.BUFSIZE": None, "numpy.CLIP": None, "numpy.DataSource": None,
    "numpy.ERR_CALL": None, "numpy.ERR_DEFAULT": None, "numpy.ERR_IGNORE": None, "numpy.ERR_LOG": None,
    "numpy.ERR_PRINT": None, "numpy.ERR_RAISE": None, "numpy.ERR_WARN": None, "numpy.FLOATING_POINT_SUPPORT": None,
    "numpy.FPE_DIVIDEBYZERO": None, "numpy.FPE_INVALID": None, "numpy.FPE_OVERFLOW": None,
    "numpy.FPE_UNDERFLOW": None, "numpy.MAXDIMS": None, "numpy.MAY_SHARE_BOUNDS": None,
    "numpy.MAY_SHARE_EXACT": None, "numpy.RAISE": None, "numpy.SHIFT_DIVIDEBYZERO": None,
    "numpy.SHIFT_INVALID": None, "numpy.SHIFT_OVERFLOW": None, "numpy.SHIFT_UNDERFLOW": None,
    "numpy.UFUNC_BUFSIZE_DEFAULT": None, "numpy.UFUNC_PYVALS_NAME": None, "numpy.WRAP": None,
    "numpy.chararray": "numpy.char.chararray", "numpy.compat": None, "numpy.format_parser": None,
    "numpy.fft.helper": None, "numpy.linalg.linalg": None,
    "numpy.get_array_wrap": None, "numpy.issctype": None, "numpy.kernel_version": None, "numpy.numarray": None,
    "numpy.oldnumeric": None, "numpy.version": None,
    "numpy.lib.stride_tricks.broadcast_arrays": "numpy.broadcast_arrays",
    "numpy.lib.stride_tricks.broadcast_shapes": "numpy.broadcast_shapes",
    "numpy.lib.stride_tricks.broadcast_to": "numpy.broadcast_to",
}  # fmt: skip

#: Parameters and meaning of legacy names without an equal in NumPy 2 that still occur often, as NumPy 1.26 had them.
LEGACY_FACTS: dict[str, dict[str, Any]] = {
    "numpy.in1d": {
        "kind": "function",
        "parameters": ["ar1", "ar2", "assume_unique=False", "invert=False", "*", "kind=None"],
    },
    "numpy.msort": {"kind": "function", "parameters": ["a"]},
    "numpy.asscalar": {"kind": "function", "parameters": ["a"], "effect": "none", "returns": "python"},
    "numpy.asfarray": {"kind": "function", "parameters": ["a", "dtype=numpy.float64"], "effect": "may-view"},
    "numpy.NINF": {"kind": "constant", "parameters": []},
    **{
        name: {"kind": "constant", "parameters": []}
        for name, meaning in LEGACY.items()
        if meaning is None and name.rpartition(".")[2].isupper()
    },
    **{
        f"numpy.{name}": {"kind": "constant", "parameters": []}  # dicts, tuples and notes of what is gone
        for name in ("cast", "kernel_version", "nbytes", "numarray", "oldnumeric", "sctypes", "tracemalloc_domain")
    },
    "numpy.compat": {"kind": "module"},
    "numpy.fft.helper": {"kind": "module"},
    "numpy.linalg.linalg": {"kind": "module"},
    "numpy.version": {"kind": "module"},  # which NumPy 2 has, but does not list
    "numpy.PZERO": {"kind": "constant", "parameters": []},
    "numpy.NZERO": {"kind": "constant", "parameters": []},
    "ndarray.newbyteorder": {"kind": "method", "parameters": ["new_order='S'", "/"], "effect": "view"},
    "ndarray.itemset": {
        "kind": "method",
        "parameters": ["*args"],
        "effect": "none",
        "mutates": ["self"],
        "returns": "none",
    },
    "ndarray.ptp": {"kind": "method", "parameters": ["axis=None", "out=None", "keepdims=False"], "effect": "fresh"},
}

#: Names that NumPy 1.26 does not have.
SINCE_2 = frozenset(
    """
    ndarray.device ndarray.mT ndarray.to_device numpy.acos numpy.acosh numpy.asin numpy.asinh numpy.astype
    numpy.atan numpy.atan2 numpy.atanh numpy.bitwise_count numpy.bitwise_invert numpy.bitwise_left_shift
    numpy.bitwise_right_shift numpy.bool numpy.concat numpy.cumulative_prod numpy.cumulative_sum numpy.isdtype
    numpy.long numpy.matrix_transpose numpy.matvec numpy.permute_dims numpy.pow numpy.strings numpy.trapezoid
    numpy.ulong numpy.unique_all numpy.unique_counts numpy.unique_inverse numpy.unique_values numpy.unstack
    numpy.vecdot numpy.vecmat numpy.linalg.cross numpy.linalg.diagonal numpy.linalg.matmul numpy.linalg.matrix_norm
    numpy.linalg.matrix_transpose numpy.linalg.outer numpy.linalg.svdvals numpy.linalg.tensordot numpy.linalg.trace
    numpy.linalg.vecdot numpy.linalg.vector_norm numpy.testing.BLAS_SUPPORTS_FPE numpy.testing.IS_64BIT
    numpy.testing.IS_EDITABLE numpy.testing.IS_INSTALLED numpy.testing.NOGIL_BUILD numpy.testing.NUMPY_ROOT
    numpy.testing.check_support_sve numpy.testing.run_threaded
    """.split()
)


MODULES = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib.stride_tricks", "numpy.testing",
    "numpy.exceptions",
    "numpy.emath",
)  # fmt: skip

#: Modules of which every name counts that ``dir()`` tells; of the others those that they export.
_LISTED = ("numpy", "numpy.linalg", "numpy.fft", "numpy.random")

CLASSES = {
    "ndarray": np.ndarray,
    "numpy.random.Generator": np.random.Generator,
    "numpy.random.RandomState": np.random.RandomState,
    "numpy.dtype": np.dtype,
}

_SPREAD = [
    "axis=None", "dtype=None", "out=None", "ddof=0", "keepdims=<no value>", "*", "where=<no value>", "mean=<no value>",
]  # fmt: skip
#: Methods that take other arguments than their signature says: choices one by one; a dtype before `out`; no keyword;
#: no correction; other names than the function's.
_TRUE_PARAMETERS = {
    "ndarray.choose": ["*choices", "out=None", "mode='raise'"],
    "ndarray.all": ["axis=None", "*", "out=None", "keepdims=False", "where=True"],
    "ndarray.any": ["axis=None", "*", "out=None", "keepdims=False", "where=True"],
    "ndarray.fill": ["value", "/"],
    "ndarray.std": _SPREAD,
    "ndarray.var": _SPREAD,
    "ndarray.clip": ["min=None", "max=None", "out=None", "**kwargs"],
}


def resolve(name: str) -> Any:
    """The object named `name` (``numpy.fft.rfft``, ``ndarray.sum``, ``numpy.add.reduce``). Raises AttributeError."""
    parts = name.split(".")
    found: Any = {"numpy": np, "ndarray": np.ndarray}[parts[0]]
    for index, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            if not inspect.ismodule(found):
                raise
            try:
                found = importlib.import_module(".".join(parts[:index]))
            except ImportError as error:
                raise AttributeError(name) from error
    return found


def list_surface() -> dict[str, dict[str, Any]]:
    """Each public name with ``kind`` and ``parameters``, or with ``alias_of`` when another name is the same object."""
    facts: dict[str, dict[str, Any]] = {}
    owners: dict[int, str] = {}
    for module in MODULES:
        for attribute in _public_names(resolve(module)):
            name = f"{module}.{attribute}"
            if name in facts:  # the canonical name of an alias that came first
                continue
            value = getattr(resolve(module), attribute)
            if inspect.ismodule(value):
                facts[name] = {"kind": "module"}
            elif callable(value) and (owner := owners.get(id(value))) is not None:
                facts[name] = {"alias_of": owner}
            else:
                facts[name] = {"kind": kind_of(value), "parameters": parameters_of(value)}
                if callable(value):
                    owners[id(value)] = _prefer_own_name(name, value, facts, owners)
    for prefix, cls in CLASSES.items():
        for attribute in _public_names(cls):
            facts[f"{prefix}.{attribute}"] = _member_fact(getattr(cls, attribute))
    for name, fact in facts.items():
        function = facts.get("numpy" + name.removeprefix("ndarray"), {})
        if name.startswith("ndarray.") and "**kwargs" in fact["parameters"] and "parameters" in function:
            fact["parameters"] = function["parameters"][1:]  # the method passes all on to the function
    for name, parameters in _TRUE_PARAMETERS.items():
        facts[name]["parameters"] = parameters
    facts.update(_ufunc_methods({n: f for n, f in facts.items() if f.get("kind") == "ufunc"}))
    facts.update(operator_facts())
    for name, target in LEGACY.items():
        if name not in facts:
            fact = (
                {"alias_of": target}
                if target
                else LEGACY_FACTS.get(name, {"kind": "function", "parameters": ["*args", "**kwargs"]})
            )
            facts[name] = fact if _is_unlisted(name, fact) else {**fact, "legacy": True}
        elif target not in (None, name) and facts[name].get("kind") == "function":  # still there, and deprecated
            facts[name] = {"alias_of": target}
    for name in SINCE_2 & facts.keys():
        facts[name] = {**facts[name], "since": "2"}
    for fact in facts.values():  # no chains: an alias names the canonical one
        while "alias_of" in facts.get(fact.get("alias_of", ""), {}):
            fact["alias_of"] = facts[fact["alias_of"]]["alias_of"]
    return facts


def _is_unlisted(name: str, fact: dict[str, Any]) -> bool:
    """Whether the installed NumPy has it, though it does not list it: a module, or a class that it warns of."""
    try:
        found = resolve(name)
    except AttributeError:
        return False
    return isinstance(found, type) or (fact.get("kind") == "module" and inspect.ismodule(found))


def kind_of(value: Any) -> str:
    """The catalog's ``kind`` of a member of a module."""
    if isinstance(value, np.ufunc):
        return "ufunc"
    if isinstance(value, type):
        return "dtype" if issubclass(value, np.generic) else "class"
    if isinstance(value, (int, float, complex, str, type(None))):
        return "constant"
    return "function" if inspect.isroutine(value) else "object"


def is_indexed(value: Any) -> bool:
    """Whether `value` stands for a call by its index, as ``np.r_`` and ``np.mgrid`` do; data does not."""
    is_data = isinstance(value, (type, np.generic)) or hasattr(value, "__contains__")
    return not is_data and hasattr(value, "__getitem__")


def parameters_of(value: Any, skip: int = 0) -> list[str]:
    """Signature text per parameter, ``/`` and ``*`` included, without the first `skip` parameters."""
    if is_indexed(value):
        return ["key", "/"]
    try:
        parameters = list(inspect.signature(value).parameters.values())[skip:]
    except (TypeError, ValueError):
        return ["*args", "**kwargs"] if callable(value) else []
    texts: list[str] = []
    previous = None
    for parameter in parameters:
        if previous is parameter.POSITIONAL_ONLY and parameter.kind is not parameter.POSITIONAL_ONLY:
            texts.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and previous not in (
            parameter.KEYWORD_ONLY,
            parameter.VAR_POSITIONAL,
        ):
            texts.append("*")
        text = str(parameter.replace(annotation=parameter.empty)).replace(" = ", "=")
        texts.append(re.sub(r"<[\w.]+ object at 0x\w+>", "<no value>", text))  # an address is another in each process
        previous = parameter.kind
    if previous is inspect.Parameter.POSITIONAL_ONLY:
        texts.append("/")
    return texts


def parameter_names(texts: list[str]) -> list[str]:
    """The plain names in a ``parameters`` list, without the markers and the variadic ones."""
    return [text.split("=")[0] for text in texts if text not in ("/", "*") and not text.startswith("*")]


def call_parameters(api: str, fact: dict[str, Any]) -> list[str]:
    """The parameters of a call as cases write it: with the array itself first for methods of ndarray."""
    texts: list[str] = fact.get("parameters", [])
    return ["self", *texts] if api.startswith("ndarray.") and fact["kind"] == "method" else texts


def _public_names(owner: Any) -> list[str]:
    listed = list(getattr(owner, "__all__", ())) + dir(owner)
    if inspect.ismodule(owner) and owner.__name__ not in _LISTED:
        listed = list(getattr(owner, "__all__", ())) or dir(owner)
    names = {n for n in listed if not n.startswith("_") and hasattr(owner, n)}
    return sorted(n for n in names if n not in ("ABCPolyBase", "PytestTester"))


def _prefer_own_name(name: str, value: Any, facts: dict[str, dict[str, Any]], owners: dict[int, str]) -> str:
    """The canonical one of an object's names: that which the object itself bears, such as ``absolute`` for
    ``np.abs``.
    """
    own = getattr(value, "__name__", None)
    module = name.rpartition(".")[0]
    if own is None or own == name.rpartition(".")[2] or not hasattr(resolve(module), own):
        return name
    if getattr(resolve(module), own) is not value:
        return name
    canonical = f"{module}.{own}"
    facts[canonical] = facts[name]
    facts[name] = {"alias_of": canonical}
    owners[id(value)] = canonical
    return canonical


def _member_fact(value: Any) -> dict[str, Any]:
    if not callable(value):
        return {"kind": "attribute", "parameters": []}
    texts = parameters_of(value, skip=1)
    return {"kind": "method", "parameters": [t for i, t in enumerate(texts) if t != "/" or i > 0]}


def _ufunc_methods(ufuncs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    facts: dict[str, dict[str, Any]] = {}
    for name in ufuncs:
        ufunc = resolve(name)
        if ufunc.signature is not None or not name.startswith("numpy.") or name.count(".") > 1:
            continue
        methods = ["at"] if ufunc.nout == 1 else []
        if ufunc.nin == 2 and ufunc.nout == 1:
            methods += ["reduce", "accumulate", "reduceat", "outer"]
        for method in methods:
            texts = parameters_of(getattr(ufunc, method))
            if method == "reduce":
                texts[-1:] = ["keepdims=False", "initial=<no value>", "where=True"]
            facts[f"{name}.{method}"] = {"kind": "method", "parameters": texts}
    return facts
