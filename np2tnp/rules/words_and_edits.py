"""What several rules need: questions about values and calls, words for people, and edits that span a statement."""

from __future__ import annotations

import itertools
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import as_wider
from np2tnp.analysis.domain.summaries import Summary
from np2tnp.analysis.domain.values import (
    HOST,
    TENSOR,
    Array,
    Bound,
    Function,
    Sequence,
    Unknown,
    Value,
    may_be_array,
    may_hold_tensor,
    scalar_type,
    zero_d_of,
)
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.edits.edit import Build, BuildStatement, StatementEdit, convert_arguments
from np2tnp.edits.mutation import store
from np2tnp.edits.targets import JOINING
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit
from np2tnp.rules.cases import chained_form


def has_migrated_functions(context: Context) -> bool:
    """Whether some function of the module is rewritten."""
    path = context.module.path
    summaries = (context.summary(Function(name, module=path)) for name in context.module.functions)
    return any(summary is not None and summary.migrated for summary in summaries)


def makes_tensor(value: Value) -> bool:
    """Whether the analysis counts on tensors in `value`."""
    if isinstance(value, (Array, Unknown)):
        return value.home != HOST
    if isinstance(value, Sequence):
        return makes_tensor(value.element) if value.items is None else any(map(makes_tensor, value.items))
    return False


def mixes_homes(value: Value) -> bool:
    """Whether the analysis counts on tensors in `value` and on NumPy's own objects beside them."""
    if not isinstance(value, Sequence) or value.items is None:
        return False
    arrays = [item for item in value.items if may_be_array(item) or isinstance(item, Sequence)]
    return makes_tensor(value) and not all(makes_tensor(it) and not mixes_homes(it) for it in arrays)


def holds_array(value: Value) -> bool:
    """Whether `value` is known to be an array, or to have one in it."""
    if isinstance(value, Sequence):
        return holds_array(value.element) if value.items is None else any(map(holds_array, value.items))
    return isinstance(value, Array)


def short_name(api: str) -> str:
    """A canonical name for people: ``np.sum``, ``array method sum``, or ``float``."""
    if api.startswith("builtins."):
        return api.removeprefix("builtins.")
    return api.replace("numpy.", "np.", 1) if api.startswith("numpy.") else f"array method {api.rpartition('.')[2]}"


def callee_words(event: ev.Call, otherwise: str = "this call") -> str:
    """The called expression for people: ``plot()``, or `otherwise` where it has no name."""
    text = dotted(event.node.func)
    return f"{text}()" if text else otherwise


#: Draws that give a number where no size is asked for, and all that they are given are numbers.
_DRAWS = frozenset(
    "rand random random_sample randn standard_normal normal uniform randint integers exponential".split()
)


def _draws_number(event: ev.Call) -> bool:
    """Whether a random draw certainly gives a number, Python's or a scalar of NumPy's: no tensor is made of it."""
    owner, _, name = (event.api or "").rpartition(".")
    if not owner.startswith("numpy.random") or name not in _DRAWS or any(it.name == "size" for it in event.arguments):
        return False
    before_size = {"normal": 2, "uniform": 2, "exponential": 1, "randint": 2, "integers": 2}.get(name, 0)
    kinds = [scalar_type(it.value) for it in event.arguments]
    return len(kinds) <= before_size and all(kind in ("int", "float", "number") for kind in kinds)


def keep_in_numpy(event: ev.Call, context: Context, code: str, why: str) -> Hit:
    """The call stays NumPy: arguments to the host, result back to TensorFlow where the analysis counts on a tensor."""
    convert_arguments(event, context.edits, "host")
    func = event.node.func
    if event.receiver is not None and may_hold_tensor(event.receiver):
        assert isinstance(func, cst.Attribute)
        context.edits.wrap_host(func.value, event.receiver)
    if makes_tensor(event.result) and context.in_region and not _draws_number(event):
        context.edits.wrap_tensor(event.node)
    context.edits.total += 1
    return Hit(code, event.node, f"{short_name(event.api or '')} stays in NumPy: {why}", Verdict.HOST)


def wrap_keys(target: cst.Subscript, keys: tuple[Value, ...] | None, context: Context) -> None:
    """The indices of `target` that may be tensors go to the host: the indexed object is Python's."""
    held = [may_hold_tensor(key) for key in keys or ()]
    known: tuple[Value | None, ...] = keys or ()
    if len(held) != len(target.slice):  # the parts of one tuple
        held, known = [any(held)] * len(target.slice), (None,) * len(target.slice)
    for element, wraps, key in zip(target.slice, held, known, strict=True):
        if isinstance(element.slice, cst.Index) and wraps:
            context.edits.wrap_host(element.slice.value, key)


def binds(event: ev.Call, summary: Summary) -> bool:
    """Whether it is certain which argument is which: the analysis knows the result of such calls only."""
    return summary.match(event.arguments, isinstance(event.callee, Bound) and summary.method) is not None


def _ask_at_its_door(summary: Summary, matched: dict[str, ev.Argument], context: Context) -> None:
    """Note whether the callee's door lets in what it gets: else its original answers, and nobody knows the dtypes."""
    asked = [(admitted, matched[name].value) for name, admitted in summary.door if name in matched]
    edits = context.edits
    for name, admitted in summary.door:
        if name in matched and isinstance(node := matched[name].node.value, cst.Name):
            edits.asked[node.value] = admitted
    refused = [value for admitted, value in asked if not admitted.takes_dtypes(value)]
    if refused:
        edits.blame(*refused)
        edits.plain_for_floats |= any(admitted.kind == "floats" for admitted, _ in asked)
    elif context.facts.door:
        edits.plain_for_few |= not all(admitted.takes_dtypes(as_wider(value)) for admitted, value in asked)


def use_core(event: ev.Call, context: Context, summary: Summary) -> None:
    """Call the functional core of a migrated function: tensors in, tensors out.

    Methods may be overridden, and functions of other modules may not be rewritten yet: there the runtime looks for the
    core when it is called.
    """
    callee = event.callee
    late = not isinstance(callee, Function) or callee.module != context.module.path
    is_bound = isinstance(callee, Bound) and summary.method
    _ask_at_its_door(summary, summary.match(event.arguments, is_bound) or {}, context)
    names = summary.parameters[1:] if is_bound else summary.parameters
    for index, argument in enumerate(event.arguments):
        name = argument.name or (names[index] if index < len(names) else None)
        if name in summary.hosted and may_hold_tensor(argument.value):
            context.edits.wrap_host(argument.node.value, argument.value)
    context.edits.cores.add(id(event.node.func))
    if context.boundary == "tensor":
        return

    def change(updated: Any) -> cst.BaseExpression:
        func = updated.func
        core: cst.BaseExpression = cst.Attribute(func, cst.Name("core"))
        if late:
            mutates = [build.argument(build.strings_tuple(summary.mutates), "mutates")] if summary.mutates else []
            core = build.call(f"{context.rt}.core", func, *mutates)
        changed: cst.Call = updated.with_changes(func=core)
        return changed

    context.edits.replace[id(event.node)] = change


def is_mentioned_beside(statement: cst.CSTNode, target: cst.Name) -> bool:
    """Whether the statement reads the name `target`, or stores into it, at another place than there."""
    targets = statement.targets if isinstance(statement, cst.Assign) else ()
    known = {id(target), *(id(item.target) for item in targets if isinstance(item.target, cst.Name))}
    return any(
        isinstance(node, cst.Name) and node.value == target.value and id(node) not in known for node in walk(statement)
    )


def read_back(target: cst.Name, value: Value, edit: StatementEdit, context: Context) -> None:
    """The statement works on a host copy of the array `target`, which is read back after it.

    A number would be updated in vain: a 0-d `value` that may be either of the two for NumPy is refused.
    """
    name = target.value
    copy = unused_name(f"{name}_host", context)
    rt, left = context.rt, context.edits.unwrap(target)
    in_doubt = isinstance(value, Array) and not value.rank and zero_d_of(value) == "either"

    def copied() -> cst.Assign:
        array: cst.BaseExpression = cst.Name(name)
        array = build.call(f"{rt}.not_zero_d", array) if in_doubt else array
        return build.assign(cst.Name(copy), build.call(f"{rt}.{left}", array))

    edit.before.append(copied)
    edit.after.append(lambda: build.assign(cst.Name(name), build.call(f"{rt}.tensor", cst.Name(copy))))
    context.edits.replace[id(target)] = lambda updated: cst.Name(copy)


def unused_name(name: str, context: Context) -> str:
    """`name`, or `name` with a number where the region or the module has one of that name."""
    info = context.module.functions.get(context.facts.qualname)
    taken = info.locals if info is not None else frozenset()
    candidate, number = name, 1
    while candidate in taken or candidate in context.module.values:
        number += 1
        candidate = f"{name}{number}"
    return candidate


def _is_zero_d_array(value: Value) -> bool:
    """Whether `value` surely is an array, and perhaps one without dimensions."""
    return isinstance(value, Array) and value.home == TENSOR and value.zero_d == "array" and not value.rank


def _targets(node: cst.CSTNode) -> list[cst.BaseExpression]:
    """The targets of a chained assignment, or of an unpacking; one for any other statement."""
    targets: list[cst.BaseExpression] = [item.target for item in node.targets] if isinstance(node, cst.Assign) else []
    if len(targets) == 1 and isinstance(targets[0], (cst.Tuple, cst.List)):
        return [element.value for element in targets[0].elements]
    return targets


def is_part(event: ev.Store | ev.AttributeStore) -> bool:
    """Whether the store is one of several of an assignment that becomes one assignment a target."""
    targets = _targets(event.node)
    return len(targets) > 1 and any(target is event.target for target in targets)


def change_part(event: ev.Store | ev.AttributeStore, change: BuildStatement, context: Context) -> None:
    """What becomes of ``target = value`` for the target of this store."""
    for number, target in enumerate(_targets(event.node)):
        if target is event.target:  # one in a nested unpacking is not among them: that blocks
            context.edits.statement(event.node).parts[number] = change


def keep_value(event: ev.Store | ev.AttributeStore, context: Context) -> None:
    """The value of a chained assignment gets a name meanwhile, where it cannot be written again for each target."""
    assert isinstance(event.node, cst.Assign)
    if len(event.node.targets) > 1 and chained_form(event) == "name":
        context.edits.statement(event.node).names = _free_names(context, 1)


def _free_names(context: Context, number: int) -> tuple[str, ...]:
    """Names for values that the region does not use."""
    used = {part.value for part in walk(context.facts.node) if isinstance(part, cst.Name)}
    names = (f"value{index or ''}" for index in itertools.count())
    return tuple(itertools.islice((name for name in names if name not in used), number))


def split(event: ev.Construct, context: Context) -> None:
    """An unpacking into elements of arrays becomes one assignment a target."""
    edit = context.edits.statement(event.node)
    if event.detail != "as they are":
        edit.names = _free_names(context, len(_targets(event.node)))
    if event.detail == "numbers":
        edit.check = f"{context.rt}.numbers"
    if event.detail.startswith("views"):
        edit.again = {int(number): _read_again(event.node, int(number), context) for number in event.detail.split()[1:]}


def _read_again(node: cst.CSTNode, number: int, context: Context) -> Build:
    """``rt.at(base)[key].as_stored(value)`` for the item ``base[key]`` of what is unpacked, and its value before."""
    assert isinstance(node, cst.Assign)
    assert isinstance(node.value, (cst.Tuple, cst.List))
    item = node.value.elements[number].value
    assert isinstance(item, cst.Subscript)
    return lambda value: build.at(context.rt, item.value, item.deep_clone().slice, "as_stored", value)


def update(event: ev.Store, context: Context) -> None:
    """The store becomes the rebinding of its root name to an updated array."""

    def change(updated: Any) -> cst.BaseSmallStatement:
        target = updated.targets[0].target if isinstance(updated, cst.Assign) else updated.target
        if event.keys is None and isinstance(target, cst.Name) and _is_zero_d_array(event.base):
            # rt.iadd takes a 0-d tensor for a NumPy scalar; as an array it keeps its dtype
            target = cst.Subscript(target, [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
        joins = event.keys is None and event.op in JOINING and isinstance(event.value, Sequence)
        return store(target, updated.value, event.op, context.rt, context.tnp, joins)

    edit = context.edits.statement(event.node)
    if len(_targets(event.node)) > 1:
        change_part(event, change, context)
        keep_value(event, context)
    else:
        edit.change.append(change)
    if isinstance(event.base, Array):
        context.edits.total += 1
        context.edits.converted += 1
