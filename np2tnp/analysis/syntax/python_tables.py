"""Fixed facts about Python itself that the interpreter needs.

Operators, builtins, members, callables that leave arrays alone.
"""

from __future__ import annotations

import re

import libcst as cst

BINARY: dict[type[cst.CSTNode], str] = {
    cst.Add: "add", cst.Subtract: "sub", cst.Multiply: "mul", cst.Divide: "truediv", cst.FloorDivide: "floordiv",
    cst.Modulo: "mod", cst.Power: "pow", cst.MatrixMultiply: "matmul", cst.BitAnd: "and_", cst.BitOr: "or_",
    cst.BitXor: "xor", cst.LeftShift: "lshift", cst.RightShift: "rshift",
}  # fmt: skip
AUGMENTED: dict[type[cst.CSTNode], str] = {
    cst.AddAssign: "add", cst.SubtractAssign: "sub", cst.MultiplyAssign: "mul", cst.DivideAssign: "truediv",
    cst.FloorDivideAssign: "floordiv", cst.ModuloAssign: "mod", cst.PowerAssign: "pow",
    cst.MatrixMultiplyAssign: "matmul", cst.BitAndAssign: "and_", cst.BitOrAssign: "or_", cst.BitXorAssign: "xor",
    cst.LeftShiftAssign: "lshift", cst.RightShiftAssign: "rshift",
}  # fmt: skip
UNARY: dict[type[cst.CSTNode], str] = {cst.Minus: "neg", cst.Plus: "pos", cst.BitInvert: "invert"}
COMPARISONS: dict[type[cst.CSTNode], str] = {
    cst.Equal: "eq", cst.NotEqual: "ne", cst.LessThan: "lt", cst.LessThanEqual: "le", cst.GreaterThan: "gt",
    cst.GreaterThanEqual: "ge",
}  # fmt: skip

#: What makes classes of tuples; the name of the class that stands for any of those.
NAMEDTUPLE = "collections.namedtuple"

#: Members that only arrays (and what stands for them) have: reading one is evidence that a parameter is an array.
ARRAY_MEMBERS = frozenset(
    "T mT shape ndim dtype size nbytes itemsize strides flags sum mean std var prod min max any all argmax"
    " argmin argsort argpartition cumsum cumprod dot reshape ravel flatten astype transpose clip nonzero"
    " squeeze swapaxes trace diagonal repeat take tolist fill searchsorted compress ptp partition choose"
    " resize byteswap round tobytes dump view".split()
)

#: All members of ndarray that a receiver which is known to be an array is asked for.
MEMBERS = ARRAY_MEMBERS | frozenset(
    "copy sort put item real imag conj conjugate flat base data ctypes setflags getfield setfield tofile dumps"
    " newbyteorder itemset tostring to_device device".split()
)

#: What NumPy's scalars have as Python's numbers do, and arrays have not.
NUMBER_MEMBERS = frozenset("as_integer_ratio bit_count denominator hex is_integer numerator".split())

#: Methods that change their receiver in place.
IN_PLACE_METHODS = frozenset(
    "sort fill partition put resize setfield itemset setflags byteswap __setitem__ __delitem__ __setattr__ __iadd__"
    " __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__"
    " __irshift__".split()
)

#: Methods of arrays, and of what is like them, that only read their arguments, with how many they then have. The
#: runtime's call_method sees to it that objects do so, too.
READING_METHODS = {
    "dot": 1, "clip": 2, "take": 1, "repeat": 1, "reshape": 9, "transpose": 9, "squeeze": 1, "swapaxes": 2, "astype": 2,
    "sum": 2, "prod": 2, "mean": 2, "std": 2, "var": 2, "cumsum": 2, "cumprod": 2, "min": 1, "max": 1, "any": 1,
    "all": 1, "argmin": 1, "argmax": 1, "argsort": 3, "round": 1, "trace": 4, "diagonal": 3, "item": 9, "ravel": 1,
    "flatten": 1, "view": 2, "__getitem__": 1,
}  # fmt: skip

#: Those of them that never give a view of an array.
COMPUTING_METHODS = READING_METHODS.keys() - frozenset(
    "clip reshape transpose squeeze swapaxes astype diagonal take round ravel view __getitem__".split()
)

#: What gives a view or a copy, by the memory order of its argument.
BY_ORDER = frozenset("ravel reshape ascontiguousarray asfortranarray require".split())

#: What gives views that NumPy does not let anybody write through; diag of a matrix and imag of real numbers only.
READ_ONLY_VIEWS = frozenset("broadcast_to diagonal diag imag sliding_window_view".split())

#: What gives one array several times: whoever updates an item updates all. Of ndarrays Python keeps account.
ONE_ARRAY = frozenset(("diag_indices", "diag_indices_from"))

#: What iterates over places in an array, which show none of its memory.
POSITIONS = frozenset(("numpy.ndindex",))
#: Functions that show or write through the memory of arrays.
OVER_MEMORY = frozenset(
    f"numpy.{name}" for name in "nditer nested_iters ndarray shares_memory may_share_memory byte_bounds".split()
)

#: Objects of NumPy that make arrays when they are indexed.
JOINERS = frozenset(("numpy.mgrid", "numpy.ogrid", "numpy.r_", "numpy.c_"))

#: Attributes that give another array sharing the receiver's memory.
VIEW_ATTRIBUTES = frozenset("T mT real imag flat".split())

#: Attributes that give plain Python objects.
PYTHON_ATTRIBUTES = {
    "shape": "tuple", "ndim": "int", "size": "int", "dtype": "object", "nbytes": "int", "itemsize": "int",
    "strides": "tuple", "flags": "object", "base": "object", "data": "object", "ctypes": "object", "device": "str",
}  # fmt: skip

#: Fields of the named tuples that functions of NumPy 2 return (``svd(a).S``): linalg's, those of ``unique_all`` and its
#: relatives.
RESULT_FIELDS = frozenset(
    "U S Vh Q R eigenvalues eigenvectors sign logabsdet values indices inverse_indices counts".split()
)

#: Methods of ndarray that give plain Python objects.
PYTHON_METHODS = {"tolist": "object", "tobytes": "object", "item": "number", "tostring": "object", "dumps": "object"}

#: Methods of Python's own containers and strings that keep what they get.
KEEPING_METHODS = frozenset("append extend insert add update setdefault appendleft extendleft put put_nowait".split())
#: Functions that store into an object.
SETTERS = frozenset(("builtins.setattr", "builtins.object.__setattr__"))
#: What each function of heapq puts into the list: the number of the argument; -1 where nothing new.
HEAP_FUNCTIONS = {
    "heapq.heappush": 1, "heapq.heappushpop": 1, "heapq.heapreplace": 1, "heapq.heappop": -1, "heapq.heapify": -1,
}  # fmt: skip
#: Methods of Python's containers that change the container.
CONTAINER_MUTATORS = KEEPING_METHODS | frozenset("pop popitem popleft remove discard clear reverse sort".split())
#: ... and that do not.
HARMLESS_METHODS = frozenset(
    "get pop items keys values join format split rsplit strip lstrip rstrip startswith endswith lower upper"
    " replace count index clear popleft popitem discard remove write writelines close flush info debug"
    " warning error exception critical log encode decode title capitalize zfill ljust rjust center isdigit"
    " isalpha find rfind sort reverse copy union intersection difference issubset group groups match search"
    " sub findall read readline readlines set_description set_postfix".split()
)

#: Builtins that give a Python object, with its type.
BUILTINS_PYTHON = {
    "len": "int", "float": "float", "int": "int", "bool": "bool", "complex": "complex", "str": "str", "repr": "str",
    "print": "none", "isinstance": "bool", "issubclass": "bool", "hash": "int", "id": "int", "type": "object",
    "format": "str", "ord": "int", "chr": "str", "callable": "bool", "hasattr": "bool", "input": "str", "bin": "str",
    "hex": "str", "oct": "str", "ascii": "str", "bytes": "object", "open": "object", "vars": "object",
    "dir": "object", "object": "object", "super": "object", "slice": "slice", "bytearray": "object",
    "memoryview": "object", "exit": "none", "quit": "none", "help": "none", "frozenset": "object",
    "globals": "object", "locals": "object",
}  # fmt: skip
#: Functions of Python's own modules that give numbers, with their type.
NUMBERS_OF_MODULES = {
    f"{module}.{name}": kind
    for module, kind, names in (
        ("math", "float", "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist erf erfc exp"),
        ("math", "float", "exp2 expm1 fabs fmod fsum gamma hypot ldexp lgamma log log10 log1p log2 nextafter pow"),
        ("math", "float", "radians remainder sin sinh sqrt tan tanh ulp"),
        ("math", "int", "comb factorial gcd isqrt lcm perm"),
        ("math", "bool", "isclose isfinite isinf isnan"),
        ("random", "float", "betavariate expovariate gammavariate gauss lognormvariate normalvariate paretovariate"),
        ("random", "float", "random triangular uniform vonmisesvariate weibullvariate"),
        ("random", "int", "getrandbits randint randrange"),
        ("time", "float", "monotonic perf_counter process_time time"),
    )
    for name in names.split()
}  # fmt: skip
#: Names of Python's own modules that stand for floats.
NUMBERS_BY_NAME = frozenset(f"math.{name}" for name in "pi e tau inf nan".split())
#: What calls one of its arguments with arrays that it got: where that argument stands, and its keyword.
CALLBACKS: dict[str, tuple[int | None, str | None]] = {
    "builtins.map": (0, None), "builtins.filter": (0, None), "builtins.sorted": (None, "key"),
    "builtins.min": (None, "key"), "builtins.max": (None, "key"), "functools.reduce": (0, None),
    "builtins.reduce": (0, None),  # functools.reduce of a nested function
    "itertools.starmap": (0, None), "itertools.takewhile": (0, None), "itertools.dropwhile": (0, None),
    "itertools.filterfalse": (0, None), "itertools.accumulate": (1, "func"), "itertools.groupby": (1, "key"),
}  # fmt: skip
#: What of NumPy calls a function that it gets, now or later: with NumPy's own arrays and numbers.
CALLERS = frozenset(
    f"numpy.{name}" for name in "apply_along_axis apply_over_axes fromfunction frompyfunc vectorize".split()
)
#: Builtins that a tensor may reach unconverted: the result is the same Python number.
TENSOR_SAFE_BUILTINS = frozenset(
    "len float int bool complex abs sum max min range enumerate zip list tuple map filter sorted reversed"
    " iter next any all id callable dict reduce".split()
)
#: Those that call operators of the objects they get: these are shown what stands beside them.
OPERATING_BUILTINS = frozenset("max min sorted sum".split())

#: Decorators that leave the function's arguments and result alone.
TRANSPARENT_DECORATORS = frozenset(
    "builtins.staticmethod builtins.classmethod builtins.property abc.abstractmethod functools.wraps"
    " functools.lru_cache functools.cache functools.cached_property typing.override typing.final"
    " typing.no_type_check warnings.deprecated typing_extensions.override typing_extensions.final"
    " typing_extensions.deprecated astropy.utils.lazyproperty astropy.utils.decorators.lazyproperty"
    " unittest.skip unittest.skipIf unittest.skipUnless unittest.expectedFailure".split()
)
#: Those whose objects call the function, with what they are called with or with items of it.
WRAPPING_DECORATORS = frozenset(
    "numpy.vectorize functools.singledispatch functools.singledispatchmethod atexit.register click.command"
    " click.group click.option click.argument click.pass_context"
    " duecredit.due.dcite deprecated.deprecated deprecated.classic.deprecated deprecated.sphinx.deprecated"
    " deprecated.sphinx.versionadded deprecated.sphinx.versionchanged deprecation.deprecated tenacity.retry"
    " retry.retry cachetools.cached loguru.logger.catch overrides.overrides overrides.override"
    " pandas_flavor.register_dataframe_method pandas_flavor.register_series_method"
    " sklearn.base._fit_context sklearn.utils.deprecated sklearn.utils.deprecation.deprecated"
    " sklearn.utils._param_validation.validate_params sklearn.utils.validation._deprecate_positional_args"
    " astropy.units.quantity_input astropy.utils.decorators.deprecated"
    " astropy.utils.decorators.deprecated_renamed_argument multipledispatch.dispatch".split()
)
#: Those that fill in the docstring of the function, and give that very function back. Also what objects of them do.
DOCSTRING_DECORATORS = frozenset(
    "matplotlib._docstring.Substitution matplotlib.docstring.Substitution matplotlib._docstring.interpd"
    " matplotlib.docstring.interpd matplotlib._docstring.copy matplotlib.docstring.copy"
    " matplotlib._docstring.dedent_interpd matplotlib.docstring.dedent_interpd"
    " pandas.util._decorators.Substitution pandas.util._decorators.Appender pandas.util._decorators.doc"
    " scipy._lib.doccer.filldoc scipy.misc.doccer.filldoc".split()
)
#: How the names of those begin that only note something on the function: it is called by its parameters' names.
MARKS = ("pytest.mark.",)

#: Functions of NumPy that reduce to a scalar when no axis is given.
REDUCTIONS = frozenset(
    "sum prod mean std var min max amin amax any all argmin argmax median average ptp count_nonzero nansum"
    " nanprod nanmean nanstd nanvar nanmin nanmax nanargmin nanargmax nanmedian percentile quantile"
    " nanpercentile nanquantile trace norm det vdot alltrue sometrue product allclose array_equal array_equiv".split()
)
#: Functions of NumPy that work element by element and keep the rank of their broadcast operands.
SAME_RANK = frozenset(
    "copy zeros_like ones_like empty_like full_like sort cumsum cumprod clip round around flip roll astype"
    " asarray array asanyarray ascontiguousarray argsort abs absolute".split()
)

#: Functions whose result has at least one dimension, whatever they get.
NEVER_0D = frozenset(
    "concatenate stack vstack hstack dstack column_stack row_stack append insert delete arange linspace"
    " logspace geomspace atleast_1d atleast_2d atleast_3d ravel flatten flatnonzero nonzero argwhere unique"
    " bincount histogram outer convolve correlate cumsum cumprod eye identity diag tri tril triu vander"
    " meshgrid indices fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 hfft ihfft fftfreq rfftfreq"
    " fftshift ifftshift hanning hamming blackman bartlett kaiser diff gradient sort argsort partition"
    " argpartition repeat split array_split hsplit vsplit dsplit rot90 fliplr flipud"
    " compress extract polyfit roots poly union1d intersect1d setdiff1d setxor1d triu_indices tril_indices"
    " diag_indices ediff1d eig eigh eigvals eigvalsh inv pinv cholesky qr solve svd matrix_power"
    " take_along_axis rollaxis swapaxes unwrap".split()
)

#: Context managers that neither swallow an exception nor do anything that depends on its class.
INDIFFERENT = frozenset(
    "builtins.open numpy.errstate numpy.printoptions numpy.testing.suppress_warnings warnings.catch_warnings"
    " contextlib.closing contextlib.nullcontext contextlib.redirect_stdout contextlib.redirect_stderr threading.Lock"
    " threading.RLock tempfile.TemporaryFile tempfile.NamedTemporaryFile tempfile.TemporaryDirectory".split()
)


# --- Packages that compile Python functions to native code: what they are handed must stay the function that it is

#: The packages, by the name under which they are imported.
COMPILERS = ("numba", "taichi", "cupy")
COMPILES = "compiles it to native code"  #: what a decorator does in which one of them is named, for messages

_IMPORT = re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:{'|'.join(COMPILERS)})\b", re.MULTILINE)


def imports_compiler(text: str) -> bool:
    """Whether a module's text imports one of them, at its top level or in a function."""
    return any(name in text for name in COMPILERS) and _IMPORT.search(text) is not None
