"""TNP704 to TNP706: loops that take one part of an array after the other, and what code out of sight gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    NO_NAMES,
    Array,
    Sequence,
    Symbol,
    Unknown,
    Value,
    is_number,
    parameters_in,
    refs_of,
)
from np2tnp.analysis.syntax.python_tables import MEMBERS
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import names_in, nodes_of, walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Severity, document
from np2tnp.rules.cost.loop_counts import LOOPS as LOOP_NODES
from np2tnp.rules.cost.loop_counts import Loop, is_set, is_shape, is_tested_list, picks_by_lists, takes_powers
from np2tnp.rules.cost.loop_work import (
    RegionWork,
    Size,
    Work,
    body_of,
    bound_names,
    carried_names,
    heads,
    operand_nodes,
    root_of,
    takes_rows,
)
from np2tnp.rules.cost.small_steps import Amount, calls_itself, small_steps

LOOP, BUILTIN, CALLBACK = "TNP704", "TNP705", "TNP706"
#: Codes of loops that somebody may write otherwise.
LOOPS = frozenset(("TNP701", LOOP))
#: Functions of Python's that go through what they get, item by item.
_ITERATING = frozenset(
    "sum max min sorted list tuple set frozenset any all map filter enumerate zip reduce dict".split()
)

#: What does the same to whole arrays.
_INSTEAD = {
    "sum": "use np.sum(..., axis=0)", "max": "use np.max, the same unless there is a NaN",
    "min": "use np.min, the same unless there is a NaN", "any": "use np.any",
    "all": "use np.all", "sorted": "use np.sort, which gives an array",
}  # fmt: skip
LISTED = "give it what .tolist() gives"
#: ... and those that give items when somebody asks for them.
_LAZY = frozenset("map filter enumerate zip reduce dict".split())
#: Methods of texts and files that give lists of texts.
_OF_TEXTS = frozenset("split rsplit splitlines readlines partition groups".split())
_ONE_PART = "the loop works on one part of an array after the other, and each operation is a launch of its own"
_WHOLE = "work on whole arrays (or --slow convert)"
_NO_FORM = "; write it on whole arrays (np2tnp does not"
_OF_ALL = re.compile("; write the loops over .* as one expression on whole arrays")
_MIGRATES = " (--slow convert migrates it)"
_LEAVE = f"best left in NumPy{_MIGRATES}"
#: What ends the words about a loop that a graph would run.
COMPILES = ", so only --compile with --slow convert helps"
_CARRIED = f" of the one before{COMPILES}"

document(
    Doc(
        code=LOOP,
        name="part-loop",
        summary="A loop that works on one row, slice, element or few numbers at a time, or stores them one by one.",
        why=(
            "Each operation on a part takes TensorFlow 20 to 200 µs, NumPy about one, and each store copies the whole"
            " array: rows of 100 numbers take 50 times as long, single stores into a large array up to 3,000 times."
        ),
        does=(
            "Keeps the function in NumPy unless --slow convert is given, --compile stages the loop, or --confirmed says"
            " that it was measured to be faster. Loops that become whole-array operations are no such loops (TNP703),"
            " nor are those that work on whole arrays in each iteration: time steps, epochs, clusters, offsets of a"
            " kernel. It does not matter how a loop is written: for, while, a comprehension, with a progress bar around"
            " what it goes over; nor whether the array stays an ndarray (an object's, another package's), of which each"
            " part is sent. Nor do those pay that work on a few numbers (a state of three, a drawn point), nor"
            " a function that calls itself for parts, and for parts of these. Loops over a few items that the text"
            " names count as a few operations, as do loops over axes. Loops that decide, call other code or need the"
            " iteration before are best left in NumPy: they are counted, and shown with -v, and so are functions with"
            " such loops that something else blocks."
        ),
        bad="""
            def normalized(frames):
                out = np.zeros_like(frames)
                for i in range(len(frames)):
                    out[i] = frames[i] / np.linalg.norm(frames[i])
                return out
        """,
        good="""
            def normalized(frames):
                return frames / np.linalg.norm(frames, axis=1, keepdims=True)
        """,
        severity=Severity.SLOWER,
    ),
    Doc(
        code=BUILTIN,
        name="python-iteration",
        summary="A function of Python's own that goes through an array: sum(y), max(y), sorted(y), list(y).",
        why="It asks for one element after the other: 190 µs each from a tensor, 0.06 from an ndarray.",
        does=(
            "Keeps the function in NumPy unless --slow convert is given. NumPy's own functions take the array as a"
            " whole, and sets are made of what `.tolist()` gives. It is counted, and shown with -v, where that would"
            " not help, or not give the same: within loops, of what loops read item by item, of labels (what np.unique"
            " gives), and for lists that are given back."
        ),
        bad="""
            def total(x):
                y = np.sqrt(x)
                return sum(y)
        """,
        good="""
            def total(x):
                y = np.sqrt(x)
                return np.sum(y)
        """,
        severity=Severity.SLOWER,
    ),
    Doc(
        code=CALLBACK,
        name="callback-loop",
        summary="A loop that computes with what a function gives that nobody can see: small pieces, for all it knows.",
        why=(
            "Such a function takes and gives NumPy's arrays, so each iteration moves its arguments from the device to"
            " the host and its result back. And as nobody knows what it gives, an array or a list, no operator on that"
            " could stay an operator. What it draws or picks may be small: then each operation of the loop is a launch"
            " for a few numbers, 20 to 50 times as slow as NumPy."
        ),
        does=(
            "Keeps the function in NumPy unless --slow convert is given, or --confirmed says that it was measured to be"
            " faster; it is counted, and shown with -v. Functions of the project that are called by their names are"
            " seen, and are no such functions."
        ),
        bad="""
            def euler(f, y, h, steps):
                for _ in range(steps):
                    y = y + h * f(np.sin(y))
                return y
        """,
        good="""
            def slope(y):
                return -np.sin(y)

            def euler(y, h, steps):
                for _ in range(steps):
                    y = y + h * slope(np.sin(y))
                return y
        """,
        severity=Severity.SLOWER,
    ),
)


def found(region: RegionWork) -> list[Hit]:
    """What is slow in the region by what its loops work on."""
    hits = [*_loops(region), *_all_or_none([*_builtins(region.context)])]
    if any(hit.code != BUILTIN for hit in hits):
        return hits
    behind = [*_small(region), *_recursion(region)]
    if not hits:
        return behind or [*_of_hosts(region)]
    last = behind or list(callbacks(region))
    if any(hit.left for hit in marked(last, region)):  # it would stay for that: nothing is to be mended
        return [replace(hit, left="loops") for hit in hits] + last
    return hits


def _loops(region: RegionWork) -> Iterator[Hit]:
    told: set[int] = set()
    for loop in region.loops:
        if id(loop) in told:
            continue
        work = region.work(loop)
        words = _words(work, frozenset(region.context.facts.parameters), region.context)
        if words:
            told.update(id(inner) for inner in walk(loop))
            name = next((root_of(store.target) for store in work.stores), None)
            taker = _taker_of(name, region.context) if name else ""
            words = f"{name} only goes to {taker}, which works on the host: {_LEAVE}" if taker else words
            yield Hit(LOOP, work.first or loop, words, Verdict.NOTE, left="loops" if taker else "")


def _taker_of(name: str, context: Context) -> str:
    """The function of another package that gets the array `name`, where nothing else is done with it but to store."""
    inside: dict[int, str] = {}
    for call in context.calls.values():
        callee = call.callee
        first = callee.name.partition(".")[0] if isinstance(callee, Symbol) else ""
        if call.api is None and first not in {"", "builtins", "numpy", *context.module.first_party}:
            inside.update((id(node), dotted(call.node.func)) for node in _given_to(call.node))
    stores = (it.target for it in context.facts.events if isinstance(it, ev.Store))
    stored = {id(part) for it in stores if isinstance(it, cst.Subscript) for part in walk(it.value)}
    nodes = nodes_of(context.facts.node)
    stored |= {id(part.target) for part in nodes if type(part) is cst.AssignTarget}
    uses = [part for part in nodes if type(part) is cst.Name and part.value == name and id(part) not in stored]
    takers = {inside.get(id(use), "") for use in uses}
    return min(takers) if takers and "" not in takers else ""


def _given_to(call: cst.Call) -> Iterator[cst.BaseExpression]:
    """The arguments of a call, and the items of those that are tuples, lists or dicts in the text."""
    given = [argument.value for argument in call.args]
    while given:
        node = given.pop()
        yield node
        if isinstance(node, (cst.Tuple, cst.List, cst.Dict)):
            given += [element.value for element in node.elements]


def _small(region: RegionWork, without: AbstractSet[int] = frozenset()) -> Iterator[Hit]:
    """The first loop whose every operation works on a few numbers. `without`: nodes, by id, that do not count."""
    for _, step in small_steps(region):
        if step.amount is not Amount.UNSEEN and id(step.node) not in without:
            what = "one part of an array after the other" if step.amount is Amount.PIECE else "a few numbers at a time"
            words = f"the loop works on {what}, and each operation is a launch of its own: {_WHOLE}"
            yield Hit(LOOP, step.node, words, Verdict.NOTE)
            return


def _of_hosts(region: RegionWork, without: AbstractSet[int] = frozenset()) -> Iterator[Hit]:
    """A loop that sends one part of ndarrays or lists after the other to the device: ``np.sum(self.x[i])``.

    without: nodes, by id, that do not count.
    """
    given = frozenset(region.context.facts.parameters)
    calls = region.context.edits.replace.keys()
    for loop in region.loops:
        if not any(id(part) in calls for part in walk(loop)):
            continue  # nothing of it goes to the device by a function, and operators on tensors were looked at before
        work = region.work(loop, True)
        taken = id(work.small) in without
        if work.small is not None and not taken and work.size is Size.PART and not _is_judged(work, given):
            yield Hit(LOOP, work.small, f"{_ONE_PART}: {_WHOLE}", Verdict.NOTE)
            return


def _recursion(region: RegionWork) -> Iterator[Hit]:
    call = calls_itself(region)
    if call is not None:
        name = dotted(call.func)
        words = f"{name} calls itself for parts, and for parts of these: each operation is a launch of its own"
        yield Hit(LOOP, call, f"{words}; {_LEAVE}", Verdict.NOTE, left="loops")


def parameters_by_row(region: RegionWork) -> frozenset[str]:
    """Parameters of which loops that may stay take rows: such an array is as large as a row, for what is won."""
    rows: set[str] = set()
    whole: set[str] = set()
    for loop in region.loops:
        work = region.work(loop)
        rows.update(name for read in work.reads if takes_rows(read) for name in _given(read.base))
        rows.update(item.value for item in work.items if isinstance(item, cst.Name))
        whole |= work.whole
    return frozenset(region.context.facts.parameters) & (rows - whole)


def _given(value: Value) -> frozenset[str]:
    """The parameters of which `value` is one, or shows one."""
    return parameters_in(refs_of(value)) | (
        {value.exact} if isinstance(value, (Array, Unknown)) and value.exact else NO_NAMES
    )


def marked(hits: list[Hit], region: RegionWork) -> list[Hit]:
    """The findings, with a mark on those about loops that nobody can write on whole arrays at sight."""
    if all(hit.code not in LOOPS for hit in hits):
        return hits
    nodes = nodes_of(region.context.facts.node)
    around: list[Loop] = [part for part in nodes if type(part) in LOOP_NODES]  # type: ignore[misc]
    insides = [({id(part) for part in walk(loop)}, loop) for loop in around]
    result = []
    others = _for_other_versions(nodes)
    for hit in hits:
        loop = next((loop for inside, loop in insides if id(hit.node) in inside), None)  # the outermost
        if (
            hit.code in LOOPS
            and loop is not None
            and "--compile" not in hit.message
            and (id(loop) in others or not _is_whole_by_hand(loop, region.context))
        ):
            hit = _left(hit)
        result.append(hit)
    if any(hit.left and hit.code in LOOPS for hit in result):  # the others do not decide: the function would stay
        result = [_left(hit) if hit.code in LOOPS and "--compile" not in hit.message else hit for hit in result]
        result = [replace(hit, left="loops") if hit.code == BUILTIN else hit for hit in result]
    return result


def _for_other_versions(nodes: tuple[cst.CSTNode, ...]) -> set[int]:
    """What is done for some versions of a package alone: the nodes (ids) behind ``if np_version < (1, 22)``."""
    found: set[int] = set()
    for part in nodes:
        if type(part) is cst.If and any("version" in name.lower() for name in names_in(part.test)):
            found |= {id(below) for below in walk(part.body)}
    return found


def _all_or_none(hits: list[Hit]) -> list[Hit]:
    """The findings about functions of Python's own; none of them is to be mended where one would be left."""
    if not any(hit.left for hit in hits):
        return hits
    return [replace(hit, left=hit.left or "loops") for hit in hits]


def without_graphs(hits: list[Hit], compiles: Callable[[], bool]) -> list[Hit]:
    """The findings, where none says that a graph helps with a function that would not become one.

    What another compiler runs is left because of that. Numbers that each iteration carries on make a graph slow, too.
    """
    hits = [_left(hit) if _CARRIED in hit.message else hit for hit in hits]
    if any(hit.left == "native" for hit in hits) or not any(COMPILES in hit.message for hit in hits) or compiles():
        return hits
    return [_left(hit) if COMPILES in hit.message else hit for hit in hits]


def with_those_that_stay(hits: list[Hit], region: RegionWork) -> list[Hit]:
    """The findings, where loops are told, with a loop over parts or few numbers beside that nobody replaces."""
    told = [hit for hit in hits if hit.code in LOOPS and "--compile" not in hit.message]
    if not told or any(hit.left for hit in told):
        return hits
    without = _loops_around(told, region)
    behind = [*_small(region, without), *_recursion(region)] or [*_of_hosts(region, without)]
    others = [hit for hit in marked(behind, region) if hit.left]
    if any(hit.code == LOOP for hit in told):  # all loops over parts are among them
        return [_left(hit) if hit in told else hit for hit in hits] + others if others else hits
    others += [hit for hit in marked([*_loops(region)], region) if hit.left]
    nodes = {id(hit.node) for hit in told}
    replaced = {id(loop) for loop in region.loops if any(id(part) in nodes for part in walk(loop))}
    around = region.context.facts.node
    lists = (hit for hit in _builtins(region.context) if hit.left and isinstance(hit.node, cst.Call))
    others += [hit for hit in lists if _is_read_by_items(hit.node, around, replaced)]  # type: ignore[arg-type]
    return [_left(hit) if hit in told else hit for hit in hits] + others if others else hits


def beside(hits: list[Hit], region: RegionWork) -> list[Hit]:
    """What `found` gives of loops about which none of `hits` is."""
    taken = _loops_around(hits, region)
    return [hit for hit in found(region) if id(hit.node) not in taken]


def _loops_around(hits: list[Hit], region: RegionWork) -> set[int]:
    """All nodes, by id, of the loops that findings are about, and those that they are at."""
    told = {id(hit.node) for hit in hits}
    inside = [{id(part) for part in walk(loop)} for loop in region.loops]
    return told.union(*(parts for parts in inside if not told.isdisjoint(parts)))


def best_left(hits: list[Hit]) -> list[Hit]:
    """Those of the findings about loops that keep a function in NumPy, whatever is mended of what blocks it beside."""
    kept = (hit for hit in hits if hit.left and hit.code in LOOPS)
    return [replace(hit, message=hit.message.replace(_MIGRATES, "")) for hit in kept]


def _left(hit: Hit) -> Hit:
    message = hit.message.replace(_WHOLE, _LEAVE)
    message = _OF_ALL.sub("; best left in NumPy", message).replace(
        _NO_FORM, "; best left in NumPy (no whole-array form"
    )
    message = message.replace("; write it on whole arrays", "; best left in NumPy").replace(COMPILES, f": {_LEAVE}")
    return replace(hit, message=message, left="loops")


#: What makes an iteration more than arithmetic: it decides something, or hands something out.
_DECIDING = frozenset(
    (cst.While, cst.If, cst.IfExp, cst.Break, cst.Continue, cst.Return, cst.Try, cst.Raise, cst.Yield, cst.With)
)
_COUNTING = frozenset("len range enumerate zip reversed slice tuple list int float abs min max sum round".split())


def _is_whole_by_hand(loop: Loop, context: Context) -> bool:
    """Whether a person may see at once how to write a loop on whole arrays.

    Its iterations only compute, with NumPy and operators, need nothing of each other, and decide nothing.
    """
    body = list(body_of(loop))
    if any(type(part) in _DECIDING for part in body) or type(loop) is cst.While:
        return False
    if any(type(part) is cst.While for part in nodes_of(context.facts.node)):
        return False  # what is found out step by step needs the loop in NumPy, whatever is prepared before
    if type(loop) is not cst.For and not _is_joined(loop, context):
        return False
    sums = {name for part in body if type(part) is cst.AugAssign for name in target_names(part.target)}
    assigned = frozenset(name for part in (loop, *body) for name in bound_names(part))
    stored = {root_of(target) for part in body for target in _targets_of(part) if type(target) is cst.Subscript}
    counters = set(target_names(loop.target if isinstance(loop, cst.For) else loop.for_in.target))  # type: ignore[union-attr]
    stored |= _other_names(stored, context)
    if _differ_in_shape(body, assigned | counters, context) or any(_asks_an_object(it, counters) for it in body):
        return False
    if (carried_names(loop) & assigned) - sums - stored - counters or takes_powers(body, counters, context):
        return False
    if any(_picks(part, assigned, sums) or _stores_no_number(part) for part in body):
        return False
    if picks_by_lists(loop, body, context):
        return False
    reads = [part for part in body if type(part) is cst.Name and part.value in stored]
    targets = [target for part in body for target in _targets_of(part)]
    if len(reads) > sum(type(part) is cst.Name for target in targets for part in walk(target) if _is_in(part, stored)):
        return False  # what is stored is read as well: by the next iteration, perhaps
    return all(_is_arithmetic(part, context) for part in body if type(part) is cst.Call)


def _stores_no_number(part: cst.CSTNode) -> bool:
    """``names[i] = None``: what is stored into is a list, or an array of objects."""
    if type(part) is not cst.Assign or not any(type(it.target) is cst.Subscript for it in part.targets):
        return False
    value = part.value
    is_none = type(value) is cst.Name and value.value == "None"
    return is_none or isinstance(value, (cst.SimpleString, cst.FormattedString, cst.Dict))


def _other_names(names: set[str], context: Context) -> set[str]:
    """The names of which some of `names` are but other names: ``result = x``."""
    plain = (part for part in nodes_of(context.facts.node) if type(part) is cst.Assign and type(part.value) is cst.Name)
    return {
        part.value.value  # type: ignore[attr-defined]
        for part in plain
        if any(names & {*target_names(it.target)} for it in part.targets)
    }


def _asks_an_object(part: cst.CSTNode, items: set[str]) -> bool:
    """Whether an item of the loop is an object, of which each has arrays of its own: ``network.z0[:, port]``."""
    asked = type(part) is cst.Attribute and type(part.value) is cst.Name and part.value.value in items
    return asked and part.attr.value not in MEMBERS  # type: ignore[attr-defined]


#: What makes arrays of a shape that an argument says.
_SHAPING = frozenset(f"numpy.{name}" for name in "zeros ones empty full eye identity tile repeat pad".split())


def _differ_in_shape(body: list[cst.CSTNode], bound: frozenset[str], context: Context) -> bool:
    """Whether the parts may differ in shape: one is made by what an iteration says, or an item of a list is changed."""
    for part in body:
        if type(part) is cst.Call:
            call = context.calls.get(id(part))
            sizes = part.args[1:] if call is not None and call.api in _LATER_SHAPE else part.args
            if call is not None and call.api in _SHAPING and any(names_in(item.value) & bound for item in sizes):
                return True
    inside = {id(part) for part in body if type(part) is cst.AugAssign}
    stores = (event for event in context.facts.events if isinstance(event, ev.Store) and id(event.node) in inside)
    return any(
        isinstance(it.target, cst.Subscript)
        and (it.keys is None or (isinstance(it.base, Unknown) and it.base.exact is None))
        for it in stores
    )


_LATER_SHAPE = frozenset(("numpy.tile", "numpy.repeat", "numpy.pad"))

#: What makes one array of a list of arrays or numbers.
_JOINING = frozenset(
    f"numpy.{name}" for name in "array asarray stack concatenate hstack vstack dstack column_stack sum".split()
)


def _is_joined(loop: Loop, context: Context) -> bool:
    """Whether NumPy makes one array of what a comprehension gives, which leaves nothing out."""
    if type(loop) is cst.DictComp or type(loop) is cst.SetComp:
        return False
    calls = (call for call in context.calls.values() if call.api in _JOINING)
    given = {id(argument.node.value) for call in calls for argument in call.arguments}
    return id(loop) in given and not loop.for_in.ifs  # type: ignore[union-attr]


def _picks(part: cst.CSTNode, assigned: frozenset[str], sums: set[str]) -> bool:
    """Whether an index takes a window that moves, an item of a dict by a text, or a place that is counted up."""
    if type(part) is cst.Slice:
        bounds = filter(None, (part.lower, part.upper))
        return any(_is_in(name, set(assigned)) for bound in bounds for name in walk(bound))
    if type(part) is not cst.Index:
        return False
    if type(part.value) is cst.SimpleString or any(_is_in(name, sums) for name in walk(part.value)):
        return True
    nested = type(part.value) is cst.Subscript and type(part.value.value) is cst.Subscript
    return nested and any(_is_in(name, set(assigned)) for name in walk(part.value))  # as many items as it likes


def _is_in(part: cst.CSTNode, names: set[str]) -> bool:
    return type(part) is cst.Name and part.value in names


def _targets_of(part: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    if type(part) is cst.Assign:
        for item in part.targets:
            target = item.target
            yield from (element.value for element in target.elements) if isinstance(target, cst.Tuple) else (target,)
    elif type(part) is cst.AugAssign or type(part) is cst.AnnAssign:
        yield part.target


def _is_arithmetic(node: cst.Call, context: Context) -> bool:
    """Whether a call is one of NumPy's that works on any number of axes, or counts."""
    call = context.calls.get(id(node))
    if call is None:
        return False
    if call.api is not None:
        return not call.api.startswith(("numpy.random.", "numpy.ma.")) and call.api.rpartition(".")[2] not in _ALONE
    callee = call.callee
    if not isinstance(callee, Symbol):
        return False
    module, _, name = callee.name.rpartition(".")
    return (module == "builtins" and name in _COUNTING) or module == "math"


#: Functions of NumPy's that have no axis to do many at once.
_ALONE = frozenset(
    "interp histogram histogram2d histogramdd bincount unique searchsorted digitize polyfit polyval convolve correlate"
    " lstsq arange linspace nonzero where loadtxt genfromtxt fromstring eig cov corrcoef setdiff1d intersect1d isin"
    " in1d append delete insert poly poly1d roots".split()
)


def _words(work: Work, given: frozenset[str], context: Context) -> str:
    """Why a loop is slow; empty where it is not, as far as is known. `given`: parameters."""
    if not work.takes_parts or (work.size is Size.WHOLE and not work.copies):
        return ""
    if _is_judged(work, given):
        return ""
    if work.size is Size.BESIDE and not work.copies and not (work.stores and work.scatters):
        return ""
    remedy = _WHOLE
    if work.calls:
        remedy = f"leave it in NumPy, unless {work.calls} takes all parts at once (--slow convert migrates it)"
    copied = [store for store in work.stores if not _is_list(store, context)]
    lists = work.stores or (work.fills and work.size is Size.NUMBER and not work.calls)
    if lists and not (copied or work.reads or work.small):
        return ""  # Python's own lists
    if copied:
        name = root_of(copied[0].target) or "an array"
        return f"the loop stores into {name} part by part, and eager TensorFlow copies all of it each time: {remedy}"
    return f"{_ONE_PART}: {remedy}"


def _is_list(store: ev.Store, context: Context) -> bool:
    """Whether it is a list that is stored into: nothing of that is copied."""
    root = root_of(store.target)
    assignments = (part for part in nodes_of(context.facts.node) if type(part) is cst.Assign)
    made = [part.value for part in assignments if root in _names_of(part)]
    return isinstance(store.base, Sequence) or (bool(made) and all(map(_is_list_display, made)))


def _is_list_display(node: cst.BaseExpression) -> bool:
    """``[0, 0]``, ``[0] * n``, or ``list(range(n))``."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        return isinstance(node.left, cst.List) or isinstance(node.right, cst.List)
    return isinstance(node, (cst.List, cst.ListComp)) or (isinstance(node, cst.Call) and dotted(node.func) == "list")


def _is_judged(work: Work, given: frozenset[str]) -> bool:
    """Whether the size test sees how much an iteration does: only rows of parameters are read, and no rows stored."""
    if work.assembles or (work.stores and work.scatters) or not all(map(takes_rows, work.reads)):
        return False
    bases = [read.base for read in work.reads]
    if not all(isinstance(base, (Array, Unknown)) and base.exact is not None for base in bases):
        return False
    return bool(bases or work.items) and all(isinstance(item, cst.Name) and item.value in given for item in work.items)


def _builtins(context: Context) -> Iterator[Hit]:
    around: frozenset[int] | None = None
    for event in context.facts.events:
        if not isinstance(event, ev.Call) or not isinstance(event.callee, Symbol):
            continue
        module, _, name = event.callee.name.rpartition(".")
        if name not in _ITERATING or module not in ("builtins", "functools"):
            continue
        if around is None:
            around = _of_loops_and_indices(context.facts.node)
        if id(event.node) in around:  # of the items of such a loop its body decides
            continue
        given = [argument for argument in event.arguments if argument.name is None and not argument.star]
        if name in ("min", "max") and len(given) > 1:
            continue
        if name == "reduce":  # what it begins with, it does not go through
            given = given[1:2]
        arrays = [argument for argument in given if _is_array(argument, name, context)]
        if arrays:
            certain = next((item for item in arrays if isinstance(item.value, Array)), None)
            instead = _INSTEAD.get(name, LISTED)
            if name == "sum" and len(given) > 1:
                instead = f"{instead}, and add the second argument"
            if name == "sorted" and any(argument.name == "reverse" for argument in event.arguments):
                instead = "use np.sort(...)[::-1], which gives an array"
            words = f"Python's {name}() asks a tensor for one item after the other: {instead}"
            if certain is None:
                what = dotted(arrays[0].node.value) or "what it gets"
                words = f"if {what} is an array, {words}"
            words = words.replace(" np.", f" {context.numpy or 'numpy'}.")
            why = _why_left(event, name, certain, context)
            if why:
                words = words.replace(instead, why)
            vague = certain is None and name not in _INSTEAD
            vague = vague or any(_is_of_labels(argument.node.value, context) for argument in arrays)
            left = "loops" if why or vague else ""
            if all(_is_of_few(argument.node.value, context) for argument in arrays):
                left, words = "little", f"Python's {name}() of a few numbers: {_LEAVE}"
            yield Hit(BUILTIN, event.node, words, Verdict.NOTE, left=left)


def _why_left(event: ev.Call, name: str, certain: ev.Argument | None, context: Context) -> str:
    """Why nothing is won by another call there, or why it would not give the same; empty where it may be advised."""
    if event.place.loops or event.place.nested:
        return f"a loop does so again and again: {_LEAVE}"
    gives_numbers = name in _INSTEAD and name != "sorted"
    if not gives_numbers and _is_read_by_items(event.node, context.facts.node):
        return f"a loop reads it item by item, too: {_LEAVE}"
    if name == "sorted" and _is_given_back(event.node, context.facts.node):
        return _LEAVE  # whoever gets it gets a list
    if name in _INSTEAD or certain is None:
        return ""
    one_axis = name in ("set", "frozenset") or (isinstance(certain.value, Array) and certain.value.rank == 1)
    if name in _LAZY or not one_axis or _is_given_back(event.node, context.facts.node):
        return _LEAVE  # .tolist() makes lists of rows, and Python's floats of NumPy's
    return ""


def _is_of_few(node: cst.BaseExpression, context: Context) -> bool:
    """Whether it is an array of numbers that the text names, or of a size for each axis, or computed of such."""
    if isinstance(node, cst.Comparison):
        return _is_of_few(node.left, context)
    if isinstance(node, cst.BinaryOperation):
        return _is_of_few(node.left, context) or _is_of_few(node.right, context)
    call = context.calls.get(id(node))
    if call is None or call.api not in ("numpy.array", "numpy.asarray") or not call.arguments:
        return False
    made = call.arguments[0].node.value
    if isinstance(made, (cst.List, cst.Tuple)):
        return all(type(part) is cst.Element and type(part.value) is cst.Name for part in made.elements)
    return is_shape(made, context) or (isinstance(made, cst.Name) and made.value.endswith(_SIZES))


#: How names of what has a number for each axis end.
_SIZES = ("size", "dims", "strides", "padding")


def _is_given_back(made: cst.Call, region: cst.CSTNode) -> bool:
    """Whether what a call gives is returned or kept by an object: by itself, by a name, or in a display."""
    nodes = nodes_of(region)
    makers = [node for node in nodes if type(node) is cst.Assign and node.value is made]
    if any(type(target.target) is cst.Attribute for node in makers for target in node.targets):
        return True
    bound = {name for node in makers for name in _names_of(node)}
    returned = [node.value for node in nodes if type(node) is cst.Return and node.value is not None]
    while returned:
        value = returned.pop()
        if value is made or (type(value) is cst.Name and value.value in bound):
            return True
        if isinstance(value, (cst.Tuple, cst.List)):
            returned += [element.value for element in value.elements]
    return False


def _is_read_by_items(made: cst.Call, region: cst.CSTNode, without: AbstractSet[int] = frozenset()) -> bool:
    """Whether a loop reads single items of what a call gives: ``hz = sorted(x)``, and then ``hz[i]``.

    without: loops, by id, that do not count.
    """
    nodes = nodes_of(region)
    makers = (node for node in nodes if type(node) is cst.Assign and any(part is made for part in walk(node.value)))
    bound = {name for node in makers for name in _names_of(node)}
    loops: list[Loop] = [part for part in nodes if type(part) in LOOP_NODES]  # type: ignore[misc]
    for loop in (it for it in loops if id(it) not in without):
        head = None if isinstance(loop, cst.While) else loop.iter if isinstance(loop, cst.For) else loop.for_in.iter
        if head is not None and not is_range(head) and (bound & names_in(head) or made in walk(head)):
            return True
        counters = {name for part in (loop, *body_of(loop)) for name in bound_names(part)}
        items = (part for part in body_of(loop) if type(part) is cst.Subscript and root_of(part) in bound)
        if any(type(it.slice) is cst.Index and names_in(it.slice) & counters for part in items for it in part.slice):
            return True
    return False


def _names_of(node: cst.Assign) -> Iterator[str]:
    for target in node.targets:
        yield from target_names(target.target)


def is_range(head: cst.CSTNode) -> bool:
    """Whether a loop only counts: ``range(len(x))``."""
    return type(head) is cst.Call and type(head.func) is cst.Name and head.func.value == "range"


def _is_of_labels(node: cst.BaseExpression, context: Context) -> bool:
    """Whether it is what `np.unique` gives: labels, ports, names of blocks; few, and looked up in tables."""
    if type(node) is cst.Name:
        for part in nodes_of(context.facts.node):
            if type(part) is cst.Assign and node.value in _names_of(part):
                return _is_of_labels(part.value, context) if type(part.value) is cst.Call else False
        return False
    if type(node) is cst.Subscript:
        return _is_of_labels(node.value, context)
    call = context.calls.get(id(node))
    return call is not None and call.api == "numpy.unique"


def _of_loops_and_indices(region: cst.CSTNode) -> frozenset[int]:
    """What loops go over, and what is an index: ``x[tuple(i)]`` takes an item for each axis."""
    parts = nodes_of(region)
    heads_of_loops = {id(head) for node in parts for head in heads(node)}
    return frozenset(heads_of_loops | {id(node.value) for node in parts if type(node) is cst.Index})


def _is_array(argument: ev.Argument, name: str, context: Context) -> bool:
    """Whether it may be an array that lives on the device, of more than a few elements."""
    value, node = argument.value, argument.node.value
    if (
        type(node) is cst.Call
        and type(node.func) is cst.Attribute
        and node.func.attr.value in ("items", "keys", "values")
    ):
        return False  # of a dict
    if not isinstance(value, (Array, Unknown)) or is_number(value) or not context.may_be_tensor(value):
        return False
    if is_shape(node, context) or is_set(node, context) or is_tested_list(node, context):
        return False
    if type(node) is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value in _OF_TEXTS:
        return False
    call = context.calls.get(id(node))
    if call is not None and (call.api or "").startswith("numpy.random."):
        return False  # NumPy draws it
    if call is not None and any(isinstance(part, (cst.List, cst.Tuple)) for part in walk(node)):
        return False  # a few items that the text names
    if call is not None and any(type(part) is cst.Attribute and part.attr.value == "ndim" for part in walk(node)):
        return False  # an item for each axis
    return isinstance(value, Array) or value.exact is None or name in ("sum", "min", "max", "sorted")


# --- Code that nobody can see


def callbacks(region: RegionWork) -> Iterator[Hit]:
    """One hit for each such function of the region, at its first call."""
    told: set[str] = set()
    for loop in region.loops:
        for call in _calls_back(loop, region.context):
            name = dotted(call.node.func)
            if name and name not in told:
                told.add(name)
                words = (
                    f"nobody can see what {name} does, so each iteration would move arrays to the host for it and its"
                    f" result back: best left in NumPy (--slow convert migrates it)"
                )
                yield Hit(CALLBACK, call.node, words, Verdict.NOTE, left="loops")
    for _, step in small_steps(region):
        if step.amount is Amount.UNSEEN and step.callee not in told:
            told.add(step.callee)
            what = f"what {step.callee} gives" if step.callee else "what the loop goes through"
            words = (
                f"nobody can see how large {what} is, and the loop works on nothing else:"
                f" best left in NumPy (--slow convert migrates it)"
            )
            yield Hit(CALLBACK, step.node, words, Verdict.NOTE, left="loops")


def _calls_back(loop: cst.CSTNode, context: Context) -> Iterator[ev.Call]:
    """Calls of what nobody can see that get arrays, and give operands of operators that nobody knows."""
    parts = list(walk(loop))
    calls = [call for part in parts if (call := context.calls.get(id(part))) is not None]
    calls = [call for call in calls if isinstance(call.callee, Unknown) and _gets_arrays(call, context)]
    if not calls:
        return
    exact = _operands_of_unknown({id(part) for part in parts}, context)
    names = {node.value for node in exact if isinstance(node, cst.Name)}
    nodes = {id(node) for node in exact}
    bound = {
        id(part.value): [name for target in part.targets for name in target_names(target.target)]
        for part in parts
        if type(part) is cst.Assign
    }
    for call in calls:
        if id(call.node) in nodes or not names.isdisjoint(bound.get(id(call.node), ())):
            yield call


def _gets_arrays(call: ev.Call, context: Context) -> bool:
    given = [argument.value for argument in call.arguments]
    return any(context.may_be_tensor(it) or (isinstance(it, Unknown) and it.exact is None) for it in given)


def _operands_of_unknown(inside: set[int], context: Context) -> list[cst.BaseExpression]:
    """The operands of operators that are written as the runtime's, or stay Python's beside what nobody knows."""
    events = [event for event in context.facts.events if isinstance(event, ev.Operator) and id(event.node) in inside]
    return [
        node
        for event in events
        if id(event.node) in context.edits.replace or any(isinstance(value, Unknown) for value in event.operands)
        for node in operand_nodes(event.node)
    ]
