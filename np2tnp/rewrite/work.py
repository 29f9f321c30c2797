"""How much a function does with its arrays: what the size test weighs against moving them to a device.

A guess about speed and nothing else. What the text does not tell counts as much work, so that the sizes of the arrays
decide alone. And whether a function that stays NumPy would be worth a person's time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import NO_NAMES, Array, Const, Scalar, Sequence, Symbol, Value, scalar_type
from np2tnp.analysis.module.parameter_kinds import documented
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk

#: So many operations on each element are worth every transfer, and are not told.
MUCH = 20

_PRODUCTS = frozenset(f"numpy.{name}" for name in "dot matmul einsum tensordot inner linalg.multi_dot".split())
_PRODUCTS |= {"ndarray.dot"}
_FACTORS = frozenset(
    f"numpy.linalg.{name}" for name in "solve inv pinv det slogdet cholesky svdvals eigvalsh lstsq".split()
)
#: NumPy's own computes them, whoever asks: signs and order are LAPACK's. Their arrays come to the host, and go back.
_ON_HOST = frozenset(f"numpy.linalg.{name}" for name in "eig eigh eigvals qr svd".split())


def _weights() -> dict[str, int]:
    """Operations for each element, of functions and of methods: sine as NumPy takes several times as long as to add."""
    tables = {
        0: "reshape ravel transpose swapaxes moveaxis expand_dims squeeze atleast_1d atleast_2d broadcast_to asarray"
        " shape ndim size split array_split diagonal real imag isscalar result_type finfo iinfo dtype view item tolist",
        1: "add subtract multiply divide true_divide negative positive square sqrt abs absolute fabs sign maximum"
        " minimum clip where sum mean max min amax amin prod any all argmax argmin cumsum zeros ones empty full"
        " zeros_like ones_like empty_like full_like arange linspace eye identity concatenate stack vstack hstack"
        " column_stack copy array astype equal not_equal less less_equal greater greater_equal logical_and logical_or"
        " logical_not isnan isfinite isinf floor ceil trunc rint round around conj conjugate flip roll tile repeat"
        " vdot trace diff ptp ascontiguousarray count_nonzero flatten fill nonzero flatnonzero argwhere flipud"
        " fliplr rot90 diag tril triu",
        2: "nansum nanmin nanmax nanmean isclose allclose nan_to_num",
        4: "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh power hypot"
        " float_power mod remainder fmod floor_divide std var linalg.norm outer gradient meshgrid",
    }
    return {name: weight for weight, names in tables.items() for name in names.split()}


_WEIGHTS = _weights()
_OPERATORS = {"pow": 4, "floordiv": 4, "mod": 4, "divmod": 8}
#: Builtins that leave arrays alone, or do one operation on them.
_BUILTINS = {**dict.fromkeys("len range float int bool isinstance type tuple list dict str enumerate zip".split(), 0)}
_BUILTINS |= {"abs": 1, "round": 1, "complex": 0, "print": 0, "repr": 0, "slice": 0}


def counted_work(facts: ev.RegionFacts) -> int | str | None:
    """``work`` of the decorator: operations on each element, or a word for products of matrices; None: much."""
    trips = _trips(facts.node)
    words: set[str] = set()
    total = 0
    for event in facts.events:
        word = _word(event)
        operations = 1 if word else _operations(event)
        if operations == 0:
            continue
        times = trips.get(id(event.node), 0 if event.place.loops else 1)
        if operations is None or not times or event.place.nested:
            return None
        if word:
            words.add(word)
        total += operations * times
        if total >= MUCH:
            return None
    return max(words) if words else max(total, 1)


def _word(event: ev.Event) -> str:
    """The word for an event that is more work than its arrays have elements."""
    if isinstance(event, ev.Operator) and event.op == "matmul":
        return "" if _are_vectors(event.operands) else "matmul"
    if not isinstance(event, ev.Call) or event.api is None:
        return ""
    if event.api in _FACTORS or (event.api == "numpy.linalg.svd" and not is_on_host(event)):
        return "solve"
    if event.api in _PRODUCTS:
        given = [argument.value for argument in event.arguments]
        given += [event.receiver] if event.receiver is not None and event.api.startswith("ndarray.") else []
        return "" if _are_vectors(given) else "matmul"
    return ""


def is_on_host(event: ev.Event) -> bool:
    """Whether it is a factorisation that NumPy computes on the host, wherever its matrix lives."""
    if not isinstance(event, ev.Call) or event.api not in _ON_HOST:
        return False
    values = (it.value for it in event.arguments if it.name == "compute_uv")
    return not any(isinstance(value, Const) and value.value is False for value in values)


def _are_vectors(values: tuple[Value, ...] | list[Value]) -> bool:
    """Whether one of the factors is certainly no matrix, so that each element of the others is used once."""
    return any(isinstance(value, Array) and value.rank is not None and value.rank < 2 for value in values)


def _operations(event: ev.Event) -> int | None:
    """Operations on each element; None where the text does not tell."""
    if isinstance(event, ev.Operator):
        return 0 if is_number(event.result) else _of_operator(event)
    if isinstance(event, ev.Call):
        return _of_call(event)
    if isinstance(event, ev.Read):
        return int(any(isinstance(key, Array) and key.rank != 0 for key in event.keys))
    if isinstance(event, ev.Store):
        return _OPERATORS.get(event.op, 1)
    if isinstance(event, ev.ElementLoop):
        return None
    return 0


def _of_operator(event: ev.Operator) -> int:
    squares = event.op == "pow" and any(isinstance(part, Const) and part.value == 2 for part in event.operands)
    return 1 if squares else _OPERATORS.get(event.op, 1)


def _of_call(event: ev.Call) -> int | None:
    if event.api is None:
        name = event.callee.name if isinstance(event.callee, Symbol) else ""
        home, _, short = name.rpartition(".")
        return 0 if home == "math" else _BUILTINS.get(short) if home == "builtins" else None
    if event.api in _PRODUCTS:  # with a vector
        return 1
    if event.api in _ON_HOST:
        return 0
    home, _, name = event.api.partition(".")
    weight = _WEIGHTS.get(name) if home in ("numpy", "ndarray") else None
    if weight is None and is_number(event.result) and all(is_number(it.value) for it in event.arguments):
        return 0  # np.float64(3)
    takes = [*(argument.value for argument in event.arguments), *([event.receiver] if event.receiver else [])]
    return 0 if weight and takes and all(map(is_number, takes)) and is_number(event.result) else weight


def is_number(value: Value) -> bool:
    return isinstance(value, (Const, Scalar)) or (isinstance(value, Array) and value.rank == 0)


def _trips(node: cst.CSTNode) -> dict[int, int]:
    """How often the nodes within loops are run, by id: 0 where the text does not tell."""
    found: dict[int, int] = {}
    for loop in walk(node):
        if isinstance(loop, (cst.For, cst.While)):
            times = _times(loop)
            for part in _within(loop):
                found[id(part)] = found.get(id(part), 1) * times
    return found


def _within(loop: cst.For | cst.While) -> Iterator[cst.CSTNode]:
    yield from walk(loop.body)
    if isinstance(loop, cst.While):
        yield from walk(loop.test)


def _times(loop: cst.For | cst.While) -> int:
    """The number in ``for _ in range(3)``; 0 where there is none."""
    if not isinstance(loop, cst.For) or not isinstance(loop.iter, cst.Call) or len(loop.iter.args) != 1:
        return 0
    called, count = loop.iter.func, loop.iter.args[0].value
    is_range = isinstance(called, cst.Name) and called.value == "range"
    return int(count.value.replace("_", ""), 0) if is_range and isinstance(count, cst.Integer) else 0


# --- Whether it would pay to change what keeps a function in NumPy

#: Operations on each element from which a function is worth a person's time; from ... on in a constructor, of which
#: the object gets ndarrays in any case, it is `MUCH`.
_WORTH = 4
#: ... and where all of it is drawn, becomes a text, or is about tables of pandas'.
_REPORTS = 60
#: ... and how often loops run, as far as anybody knows.
AGAIN = 3
#: What makes or arranges arrays, reads or writes them, and computes nothing. `unique` is about labels, mostly, and many
#: times slower on a device.
_ARRANGING = frozenset(
    "zeros ones empty full zeros_like ones_like empty_like full_like arange linspace eye identity concatenate stack"
    " vstack hstack column_stack append insert delete copy array astype ascontiguousarray asfortranarray flatten fill"
    " asanyarray repeat tile nonzero flatnonzero argwhere flip flipud fliplr rot90 diag tril triu"
    " atleast_3d meshgrid ix_ broadcast_arrays iscomplexobj isrealobj issubdtype"
    " can_cast load save savez loadtxt savetxt genfromtxt fromiter fromstring frombuffer tofile seterr errstate"
    " set_printoptions unravel_index ravel_multi_index ndindex array_equal unique".split()
)
_DRAWING = ("matplotlib", "seaborn", "plotly", "bokeh", "pyqtgraph", "mayavi", "pylab")
#: Methods of figures and axes: none is one of arrays.
_DRAWN = frozenset(
    "plot scatter errorbar imshow pcolormesh contour contourf fill_between axhline axvline axhspan axvspan set_xlabel"
    " set_ylabel set_xlim set_ylim set_title set_xticks set_yticks set_xticklabels set_yticklabels add_subplot subplots"
    " add_trace update_layout legend colorbar savefig suptitle tight_layout annotate get_xlim get_ylim".split()
)
_TELLING = ("summary", "summary2")  #: they give what people read, often as an object
_CONSTRUCTORS = ("__init__", "__post_init__", "__new__", "__setstate__")


def why_left(facts: ev.RegionFacts, of_items: bool = True) -> str:
    """Why nobody need change what keeps the function in NumPy, as `model.LEFT` has it; empty where it may pay.

    of_items: what loops do with parts of their own, one after the other, and with files counts as little.
    """
    if _draws(facts):
        return "plots"
    if _has_units(facts.node):
        return "units"
    keeps = facts.qualname.rpartition(".")[2] in _CONSTRUCTORS or _is_setter(facts.node)
    reads = of_items and any(map(_reads_files, facts.events))
    tells = facts.result is not None and scalar_type(facts.result) == "str"
    tells = tells or (of_items and facts.qualname.rpartition(".")[2] in _TELLING)
    enough = _REPORTS if tells or is_about_tables(facts) else MUCH if keeps or reads else _WORTH
    return "little" if _does_less(facts, enough, of_items, reads) else ""


def _has_units(node: cst.CSTNode) -> bool:
    """Whether it works on values with units (pint's, Astropy's, quantities'), of which a door lets none in."""
    if not isinstance(node, cst.FunctionDef):
        return False
    annotated = (part.annotation for part in nodes_of(node.params) if type(part) is cst.Annotation)
    if documented(node, _QUANTITY) or any(dotted(it).rpartition(".")[2] == "Quantity" for it in annotated):
        return True
    return any(type(part) is cst.Call and _asks_for_units(part) for part in nodes_of(node))


_QUANTITY = re.compile(r".*\b(?:pint|pq|quantities|astropy\.units|u|units|unyt)\.Quantity\b")


def _asks_for_units(call: cst.Call) -> bool:
    """``x.to("m/s")``, ``x.to(y.units)``, ``x.to_base_units()``; but arrays of other libraries go ``to("cuda")``."""
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if name in ("to_base_units", "m_as") or (name == "rescale" and len(call.args) == 1):
        return True
    given = call.args[0].value if name == "to" and len(call.args) == 1 else None
    if isinstance(given, cst.Attribute):
        return given.attr.value == "units"
    return isinstance(given, cst.SimpleString) and not _DEVICE.match(str(given.raw_value))


_DEVICE = re.compile(r"(?:cpu|gpu|cuda|mps|xpu|tpu|meta)(?::\d+)?$")


def is_for_others(facts: ev.RegionFacts) -> bool:
    """Whether a function only prepares what is drawn, or what tables of pandas' hold, and does not much for that."""
    if _draws(facts):
        return _does_less(facts, _REPORTS)
    return is_about_tables(facts) and _does_less(facts, _REPORTS)


def is_about_tables(facts: ev.RegionFacts) -> bool:
    """Whether it makes a table of pandas', or reads columns of one that it is given, or is said to be given."""
    if documented(facts.node, _TABLE):
        return True
    made = (event.callee for event in facts.events if isinstance(event, ev.Call) and event.api is None)
    if any(isinstance(callee, Symbol) and callee.name in _TABLES for callee in made):
        return True
    nodes = nodes_of(facts.node)
    asked = [part for part in nodes if type(part) is cst.Attribute and part.attr.value in _OF_TABLES]
    names = {part.value.value for part in asked if type(part.value) is cst.Name} & facts.objects
    columns = (part for part in nodes if type(part) is cst.Subscript and len(part.slice) == 1)
    return any(
        type(part.value) is cst.Name
        and part.value.value in names
        and type(part.slice[0].slice) is cst.Index
        and type(part.slice[0].slice.value) is cst.SimpleString
        for part in columns
    )


_TABLE = re.compile(r"[:`~ ]*(?:py:class:`~?)?(?:pd\.|pandas\.)?(?:Data[Ff]rame|Series)\b(?!.*(?:array|\bor\b))")
_TABLES = frozenset(f"pandas.{name}" for name in "DataFrame Series concat merge MultiIndex".split())
#: Attributes of tables: none is one of arrays, or of anything else that is indexed by texts.
_OF_TABLES = frozenset("index columns iloc loc groupby rolling dropna fillna iterrows to_numpy reset_index".split())


def _does_less(facts: ev.RegionFacts, enough: int, of_items: bool = False, reads: bool = False) -> bool:
    """Whether it computes fewer than `enough` operations on each element. `reads`: loops do not count."""
    items = _items_of_loops(facts.node)
    numbers = {id(part) for it in nodes_of(facts.node) for inner in _of_numbers(it) for part in walk(inner)}
    total = 0
    for event in facts.events:
        if id(event.node) in facts.little or id(event.node) in numbers:
            continue
        if isinstance(event, (ev.Call, ev.Operator, ev.Store)) and not _is_about_text(event):
            repeated = (event.place.loops or event.place.nested) and not reads
            again = repeated and not (of_items and _is_of_an_item(event, items.get(id(event.node), NO_NAMES)))
            total += computed(event) * ((AGAIN if of_items else _WORTH) if again else 1)
            if total >= enough:
                return False
    return True


def _of_numbers(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What is a number, or a few, because of where it stands: what a slice begins and ends with, a shape, a range."""
    if type(node) is cst.Slice:
        yield node
    elif type(node) is cst.Call and node.args and dotted(node.func).rpartition(".")[2] in _SHAPED:
        yield node.args[0]


_SHAPED = ("range", "zeros", "ones", "empty", "arange", "eye")


def _reads_files(event: ev.Event) -> bool:
    """Whether a file is read here: what comes from a disk is no work for a device, unless much is done with it."""
    if not isinstance(event, ev.Call):
        return False
    name = dotted(event.node.func).rpartition(".")[2]
    return name in _READING or name.startswith("read_")


_READING = frozenset("open load loadtxt genfromtxt fromfile loadmat memmap".split())


def _is_about_text(event: ev.Call | ev.Operator | ev.Store) -> bool:
    """Whether a text, or a tuple or list that is displayed, is compared with or added."""
    if isinstance(event, ev.Call):
        return False
    values = event.operands if isinstance(event, ev.Operator) else (event.value,)
    is_text = any(isinstance(value, Const) and isinstance(value.value, (str, bytes)) for value in values)
    return is_text or (event.op == "add" and any(isinstance(value, Sequence) for value in values))


def _items_of_loops(node: cst.CSTNode) -> dict[int, frozenset[str]]:
    """The names of the items and counters of the loops around each node, by id."""
    found: dict[int, frozenset[str]] = {}
    for loop in walk(node):
        if isinstance(loop, cst.For):
            names = frozenset(target_names(loop.target))
            inside = walk(loop.body)
        elif isinstance(loop, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)):
            names = frozenset(target_names(loop.for_in.target))
            inside = walk(loop)
        else:
            continue
        for part in inside:
            found[id(part)] = found.get(id(part), NO_NAMES) | names
    return found


def _is_of_an_item(event: ev.Call | ev.Operator | ev.Store, items: frozenset[str]) -> bool:
    """Whether each iteration works on a part of its own: all of them together go through the whole once.

    Such as ``1j * d[:, k]``; where an item is compared with what is the same each time, that is no work either.
    """
    if isinstance(event, ev.Call):
        sides = [argument.node.value for argument in event.arguments]
    elif isinstance(event.node, cst.BinaryOperation):
        sides = [event.node.left, event.node.right]
    elif isinstance(event.node, cst.Comparison):
        return _is_part(event.node, items)
    else:
        return False
    named = [side for side in sides if not isinstance(side, (cst.BaseNumber, cst.UnaryOperation))]
    return bool(named) and all(_is_part(side, items) for side in named)


def _is_part(node: cst.CSTNode, items: frozenset[str]) -> bool:
    """Whether something in `node` is chosen by an item of a loop: ``d[:, k]``, or an attribute of one: ``each.z0``."""
    for part in walk(node):
        if type(part) is cst.Subscript and any(
            type(name) is cst.Name and name.value in items for element in part.slice for name in walk(element)
        ):
            return True
        if type(part) is cst.Attribute and type(part.value) is cst.Name and part.value.value in items:
            return True
    return False


def _is_setter(node: cst.CSTNode) -> bool:
    """Whether ``x.name = ...`` calls it: as a constructor, it takes what the object is to hold."""
    decorators = node.decorators if isinstance(node, cst.FunctionDef) else ()
    return any(dotted(it.decorator).endswith(".setter") for it in decorators)


def _draws(facts: ev.RegionFacts) -> bool:
    """Whether it draws, or is called so and asks for something that is drawn."""
    calls = (event for event in facts.events if isinstance(event, ev.Call) and event.api is None)
    named = "plot" in facts.qualname.rpartition(".")[2].lower()
    return sum(map(_is_drawn, calls)) >= (1 if named else 2)


def _is_drawn(event: ev.Call) -> bool:
    if isinstance(event.callee, Symbol) and event.callee.name.partition(".")[0] in _DRAWING:
        return True
    return type(event.node.func) is cst.Attribute and event.node.func.attr.value in _DRAWN


def computed(event: ev.Call | ev.Operator | ev.Store) -> int:
    """Operations on each element that the event computes, by NumPy as far as is known."""
    if isinstance(event, ev.Store):
        return _OPERATORS.get(event.op, 1) if event.op and type(event.node) is not cst.Call else 0
    if isinstance(event, ev.Call) and not (event.api or "").startswith(("numpy.", "ndarray.")):
        return 0
    if _word(event):
        return MUCH
    if isinstance(event, ev.Operator):
        return 0 if is_number(event.result) else _of_operator(event)
    home, _, name = (event.api or "").rpartition(".")
    if name in _ARRANGING or home.startswith("numpy.random") or is_on_host(event):
        return 0
    taken = [*(argument.value for argument in event.arguments), *([event.receiver] if event.receiver else [])]
    if is_number(event.result) and all(map(is_number, taken)):
        return 0
    return _WEIGHTS.get(name, _UNKNOWN)


_UNKNOWN = 4  #: operations on each element of a function that has no weight: more than one pass
