"""TNP206: constructs whose effect on memory cannot be followed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Const, Symbol, refs_of
from np2tnp.analysis.interpreter.placement import bound_in
from np2tnp.analysis.syntax.scopes import dotted, sketch
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.edits import build
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import holder_words

_WORDS = {
    ev.Kind.STORE_THROUGH_AN_INDEX: "a store through an index that may give a copy: write a[i, j] instead of a[i][j]",
    ev.Kind.STORE_INTO_AN_ITEM: "a store into an item of a {0}, which may be an array of others: put a changed copy"
    " there",
    ev.Kind.KEPT_TWICE: "{0} would get a copy of an array that something else may hold already: give it np.array(...)",
    ev.Kind.HELD_TWICE: "{0} may get an array that something else holds already, and would get a copy: if it is an"
    " array, give it np.array(...); else move the work on arrays into a function of its own",
    ev.Kind.SEEN_TWICE: "{0} would get a copy of an array that something else may hold already: move the work on"
    " arrays before it into a function of its own",
    ev.Kind.PERHAPS_SEEN_TWICE: "{0} may get an array that something else holds already, and would get a copy: move"
    " the work on arrays before it into a function of its own",
    ev.Kind.QUEUE_OF_TENSORS: "a deque would hold tensors: put the arrays into it one by one, by append()",
    ev.Kind.KEPT_CONTAINER: "a list or dict of arrays changes after {0} got it: give that a copy of the list or dict",
    ev.Kind.ARGUMENT_KEPT_THROUGH_A_VIEW: "an argument, or a view of it, is kept as {0}: keep a copy (np.array(...))",
    ev.Kind.ARGUMENT_PERHAPS_KEPT: "an argument, or a view of it, is kept as {0}: if it is an array, keep a copy"
    " (x.copy())",
    ev.Kind.ALIASED_ARGUMENTS: "one array may be passed twice to what may update {0}: pass np.array(...) for the other",
    ev.Kind.ARRAY_BY_DEFAULT: "a function that updates {0} may give back an array that it has by default: pass a copy"
    " of it",
    ev.Kind.ASKED_BY_LAYOUT: "{0} may be updated through a reshape, or its strides are read: its memory order counts,"
    " make it by np.ascontiguousarray(...) where it gets its name",
    ev.Kind.KEPT_BY_LAYOUT: "{0} is updated by its memory order (ravel may be a copy): keep np.ascontiguousarray(...)"
    " of it",
    ev.Kind.ATTRIBUTE_OF_AN_UNKNOWN: "assigning .{0} of what may be an array changes it in place: make a new array",
    ev.Kind.OUT_TUPLE: "out= of several arrays, or as a tuple: assign the results instead",
    ev.Kind.DRAWN_INTO: "{0} draws into an array that it is given: draw, and store what it returns",
    ev.Kind.HIDDEN_ARRAY: "{0} an array that {1} hides: {2}",
    ev.Kind.OWN_NAMES: "{0}() sees the function's own names, which would hold tensors: name what is needed,"
    " arrays as copies (np.array(x))",
    ev.Kind.FRAMES_OF_CALLERS: "{0}() finds a caller by counting frames (stacklevel=, _getframe), and a migrated"
    " function adds one: leave that call here, and move the array work into a function of its own",
    ev.Kind.ORDER_SHOWN: "an array in Fortran order is given to {0}, which would get it in C order",
    ev.Kind.FLAT_STORE: "{0}.flat[...] = v repeats or cuts v to fit: {1}",
    ev.Kind.DEBUG_F_STRING: "f'{x=}' shows the text of the expression, which the rewrite may change: write f'x={x!r}'",
    ev.Kind.EVALUATION_ORDER: "both the index and the value call something, which the rewrite would swap: bind the"
    " value to a name in a statement before",
    ev.Kind.OVER_MEMORY: "{0} shows an array's own memory and may write through: use indices, or a copy of the array",
    ev.Kind.UNKNOWN_IN_PLACE_METHOD: "{0} may change an array or another object: {1}",
    ev.Kind.NESTED_KEEPS: "a nested function keeps its argument, or gives it to a callee that may change it: pass a"
    " copy",
    ev.Kind.CALLBACK: "{0}() calls something that may change the arrays it is given: call it in a loop instead",
    ev.Kind.ARGUMENTS_READ_LATE: "{0} may update what an argument before it shows: give it a name in a statement"
    " before",
    ev.Kind.READ_LATE: "{1} may update {0}, which is read before it in the same expression: give that call a"
    " statement of its own",
    ev.Kind.LATE_NAMES: "nested functions read names that are bound after them: define the functions where they are"
    " called",
    ev.Kind.EXCHANGE: "arrays change places under names that may show one array: give each array one name",
    ev.Kind.LENT: "a nested function is kept, or called with tensors: define it outside of the function",
    ev.Kind.OBJECT_OPERATOR: "{0} of an object keeps, changes or gives back the array that it gets: call a named"
    " method",
    ev.Kind.IDENTITY: "`is` asks whether two names are one array: a tensor is never the array that it was made from",
    ev.Kind.ITERATOR_HANDED_OUT: "an iterator over arrays leaves the function: make a list of it, unless next() is"
    " called with it",
    ev.Kind.METHOD_OBJECT: "{0} is a method where {1} is an array, and is used as a value: call it where it stands",
}


@register
class Untraceable(Rule):
    doc = Doc(
        code="TNP206",
        name="untraceable",
        summary=(
            "A construct through which an array may change, or be shared, in a way that the analysis cannot follow."
        ),
        why=(
            "Tensors share no memory: an update has to be put back under every name that shows it, and here they"
            " are not known."
        ),
        does="Leaves the whole function in NumPy.",
        bad="""
            def fill(a, numbers):
                a[next(numbers)] = np.exp(next(numbers))
                return np.sum(a)
        """,
        good="""
            def fill(a, numbers):
                value = np.exp(next(numbers))
                a[next(numbers)] = value
                return np.sum(a)
        """,
        severity=Severity.SILENT,
    )
    on = (*_WORDS,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region or (event.kind == ev.Kind.FRAMES_OF_CALLERS and _warns(event, context)):
            return
        detail = holder_words(event.detail) if event.kind != ev.Kind.ARGUMENTS_READ_LATE else _own_code(event.detail)
        if event.kind == ev.Kind.FRAMES_OF_CALLERS:
            detail, _, behind = event.detail.partition("|")
            words = (_WORDS_OF_FRAMES_BEHIND if behind else _WORDS[event.kind]).format(detail, behind)
        else:
            words = _WORDS[event.kind].replace("{0}", detail)
        in_a_table = event.kind == ev.Kind.ALIASED_ARGUMENTS and _is_read_by_text(event.node, context.facts.node)
        if event.kind == ev.Kind.ASKED_BY_LAYOUT and isinstance(event.node, cst.Arg):
            given = sketch(event.node.value)
            if _is_fortran(event.node.value, context):
                words = _WORDS_OF_FORTRAN.format(given)
            elif not isinstance(event.node.value, cst.Name):
                words = _passed(event, context)
            elif given != event.detail:
                words = words.replace(detail, f"{given}, which is given as {detail},", 1)
        if event.kind == ev.Kind.ALIASED_ARGUMENTS and (others := _the_others(event.node, context)):
            words = _WORDS_OF_OTHERS.format(detail, others)
        if event.kind == ev.Kind.STORE_INTO_AN_ITEM and event.detail == "tuple":
            words = _WORDS_OF_TUPLES
        if in_a_table:  # np.array() of a table loses its columns
            words = _WORDS_OF_TABLES.format(detail)
        if event.kind == ev.Kind.OWN_NAMES and event.detail in ("eval", "exec"):
            words = _WORDS_OF_TEXTS.format(event.detail)
        elif event.kind == ev.Kind.OWN_NAMES and event.detail not in ("locals", "vars"):
            words = _WORDS_OF_NAMES.format(event.detail)
        if event.kind == ev.Kind.ITERATOR_HANDED_OUT and _is_asked_for_an_iterator(context):
            words = _WORDS_OF_ITERATORS.format(context.facts.qualname.rpartition(".")[2])
        if event.kind == ev.Kind.CALLBACK:
            words = _as_block(event.node) or _as_list(event.node, context) or words
        is_asserted = event.kind == ev.Kind.CALLBACK and _as_block(event.node)
        if event.kind in (ev.Kind.CALLBACK, ev.Kind.LENT) and not is_asserted and _is_of_numpy(event, context):
            words = f"{sketch(event.node)} gives its arrays to a function that may change them: {_OWN_CALL}"
        if event.kind == ev.Kind.READ_LATE:
            detail, _, call = event.detail.partition("|")
            words = _WORDS[event.kind].format(holder_words(detail), call or "a call")
        if event.kind == ev.Kind.FLAT_STORE:
            stored = _stored_flat(event.node)
            words = _WORDS[event.kind].format(stored, _INSTEAD_OF_FLAT[event.detail].format(stored))
        if event.kind == ev.Kind.METHOD_OBJECT:
            owner = sketch(event.node.value) if isinstance(event.node, cst.Attribute) else "what has it"
            words = _WORDS[event.kind].format(f".{event.detail}", owner)
        if event.kind == ev.Kind.HIDDEN_ARRAY:
            words = words.format(detail, *_hidden_by(event.node, context.facts.node))
        if event.kind == ev.Kind.UNKNOWN_IN_PLACE_METHOD:
            called = sketch(event.node) if isinstance(event.node, cst.Call) else f".{event.detail}()"
            words = _WORDS[event.kind].format(called, _INSTEAD.get(event.detail, _STORED))
        yield Hit(self.code, event.node, words, Verdict.BLOCK, left="unseen" if in_a_table or _is_unsure(event) else "")


def _stored_flat(node: cst.CSTNode) -> str:
    """The ``x`` of ``x.flat[...] = v``, as the code has it."""
    targets = [it.target for it in node.targets] if isinstance(node, cst.Assign) else [getattr(node, "target", None)]
    for part in (part for target in targets if target is not None for part in nodes_of(target)):
        flat = part.value if type(part) is cst.Subscript else None
        if type(flat) is cst.Attribute and flat.attr.value == "flat" and "..." not in (stored := sketch(flat.value)):
            return stored
    return "x"


#: Of a mask, or of what may be one, np.put would take True and False for places.
_INSTEAD_OF_FLAT = {
    "all": "write {0}[...] = np.resize(v, {0}.shape)",
    "integers": "write np.put({0}, indices, v)",
    "": "bind flat = {0}.flatten(), store into flat[...], and put it back, {0}[...] = flat.reshape({0}.shape)",
}


def _hidden_by(call: cst.CSTNode, region: cst.CSTNode) -> tuple[str, str]:
    """What of the arguments hides others (``**kwargs``), and what to write for it.

    What the function was given itself has no names but those of its own parameters.
    """
    stars = [arg for arg in call.args if arg.star] if isinstance(call, cst.Call) else []
    hiding = next((arg for arg in stars if arg.star == "**"), stars[0] if stars else None)
    if hiding is None:
        return "a * or **", "name its arguments"
    words, example = f"{hiding.star}{sketch(hiding.value)}", " (axis=...)" if hiding.star == "**" else ""
    own = [region.params.star_kwarg, region.params.star_arg] if isinstance(region, cst.FunctionDef) else []
    if any(isinstance(it, cst.Param) and it.name.value == dotted(hiding.value) for it in own):
        return words, f"name those that are meant as parameters of the function{example}, and hand these on"
    return words, f"name those that are meant{example}"


def _passed(event: ev.Construct, context: Context) -> str:
    """What to pass for expressions of which a callee asks the memory order: all those of one call."""
    calls = (call for call in context.calls.values() if any(it.node is event.node for it in call.arguments))
    call = next(calls, None)
    inside = {id(it.node) for it in call.arguments} if call is not None else {id(event.node)}
    asked = [it for it in context.facts.events if isinstance(it, ev.Construct) and it.kind == event.kind]
    given = {id(it.node): it.node.value for it in asked if isinstance(it.node, cst.Arg) and id(it.node) in inside}
    words = list(dict.fromkeys(sketch(node) for node in given.values()))
    callee = sketch(call.node) if call is not None else "a callee"
    passed = " and ".join(f"np.ascontiguousarray({it})" for it in words)
    return f"{callee} asks for the memory order of {' and '.join(words)}, or may update it by that: pass {passed}"


def _is_fortran(node: cst.BaseExpression, context: Context) -> bool:
    """Whether the code makes `node` in Fortran order, on purpose: one in C order would not do."""
    if isinstance(node, cst.Name):
        bound = [value for value in bound_in(context.facts.node).get(node.value, []) if value is not None]
        return any(_is_fortran(value, context) for value in bound if type(value) is cst.Call)
    call = context.calls.get(id(node))
    if call is None:
        return False
    orders = [it.value for it in call.arguments if it.name == "order"]
    return call.api == "numpy.asfortranarray" or any(isinstance(it, Const) and it.value == "F" for it in orders)


def _is_of_numpy(event: ev.Construct, context: Context) -> bool:
    call = context.calls.get(id(event.node))
    return call is not None and isinstance(call.callee, Symbol) and call.callee.name.startswith("numpy.")


_OWN_CALL = "move the call into a function of its own, which gets that function"


def _warns(event: ev.Construct, context: Context) -> bool:
    """Whether it is ``warnings.warn(..., stacklevel=2)``: ``rt.warn`` counts without the frames of the runtime."""
    call = context.calls.get(id(event.node))
    if call is None or not isinstance(call.callee, Symbol) or call.callee.name != "warnings.warn":
        return False
    if any(it.star or it.name == "skip_file_prefixes" for it in call.arguments):
        return False
    context.edits.warns.add(dotted(call.node.func))
    context.edits.replace[id(call.node)] = lambda updated: updated.with_changes(func=build.name(f"{context.rt}.warn"))
    return True


_WORDS_OF_FORTRAN = (
    "{0} is made in Fortran order, for which what gets it asks, and a tensor has no order: move the array work before"
    " it into a function of its own"
)
_WORDS_OF_TEXTS = (
    "{0}() sees the function's own names, which would hold tensors: give it those that the text needs,"
    ' as in {0}(text, {{"np": np, "n": n}})'
)
_WORDS_OF_NAMES = (
    "{0}() looks up names of the function, as it is told (arg_names=), which would hold tensors: move the call into a"
    " function of its own"
)
#: The report says it once of one such place.
_WORDS_OF_FRAMES_BEHIND = (
    "{0}() comes to {1}, which looks at the frames of callers, and a migrated function adds one: leave that call here,"
    " and move the array work into a function of its own"
)
_WORDS_OF_TABLES = (
    "an array in a dict or a table may be passed twice to what may update {0}: move the work on arrays into a function"
    " of its own"
)


_WORDS_OF_OTHERS = (
    "what may update {0} may get one array twice: pass a copy (np.array(...)) of what is an array among {1}"
)
_WORDS_OF_TUPLES = (
    "a store into an item of a tuple, which may be an array of others: store through a name of its own, and make the"
    " tuple at the end"
)


_WORDS_OF_ITERATORS = "an iterator over arrays leaves {0}, which has to give one: make the arrays in another method"


def _is_asked_for_an_iterator(context: Context) -> bool:
    """Whether Python refuses a list from the function."""
    return not context.facts.generator and context.facts.qualname.endswith((".__iter__", ".__aiter__"))


def _the_others(argument: cst.CSTNode, context: Context) -> str:
    """The other arguments of its call that may be, or show, the array that `argument` is; as the code has them."""
    given = next((it.arguments for it in context.calls.values() if any(a.node is argument for a in it.arguments)), ())
    refs = frozenset[str]().union(*(refs_of(it.value) for it in given if it.node is argument))
    others = [
        sketch(it.node.value) for it in given if it.node is not argument and not refs.isdisjoint(refs_of(it.value))
    ]
    return " and ".join(filter(None, (", ".join(others[:-1]), *others[-1:])))


def _is_read_by_text(argument: cst.CSTNode, region: cst.CSTNode) -> bool:
    """Whether items of `argument` are named by texts in the function: it is a dict or a table, and no plain array."""
    given = argument.value if isinstance(argument, cst.Arg) else argument
    texts = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)
    for part in nodes_of(region):
        index = part.slice[0].slice if isinstance(part, cst.Subscript) and len(part.slice) == 1 else None
        named = isinstance(index, cst.Index) and isinstance(index.value, texts)
        if named and isinstance(part, cst.Subscript) and sketch(part.value) == sketch(given) != "...":
            return True
    return False


def _is_unsure(event: ev.Construct) -> bool:
    """Whether only code that nobody can see makes it possible, or what may be no array at all."""
    if event.kind in (ev.Kind.ASKED_BY_LAYOUT, ev.Kind.KEPT_BY_LAYOUT):
        return event.detail.startswith("an argument of ")  # whatever that does with it
    return event.kind in _UNSURE


_UNSURE = frozenset((
    ev.Kind.HELD_TWICE, ev.Kind.SEEN_TWICE, ev.Kind.PERHAPS_SEEN_TWICE, ev.Kind.KEPT_CONTAINER, ev.Kind.METHOD_OBJECT,
    ev.Kind.ARGUMENTS_READ_LATE, ev.Kind.OBJECT_OPERATOR, ev.Kind.ARGUMENT_PERHAPS_KEPT,
))  # fmt: skip


_STORED = "store into it (x[...] = ...) instead"
#: What to write instead of a method that may change an array.
_INSTEAD = {
    f"__i{name}__": f"write `x {sign}= ...`, as a statement of its own"
    for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**"), ("matmul", "@"))
} | {"__setitem__": "write `x[...] = ...`, as a statement of its own"}


def _own_code(detail: str) -> str:
    """Which arguments may run code of an object's class, and which of its methods."""
    late, _, methods = detail.partition("|")
    whose = f"code of an object of the project ({methods})" if methods else "code of a class that nobody can see"
    return f"{late or 'an argument'} may run {whose}, which"


def _as_list(node: cst.CSTNode, context: Context) -> str:
    """What to write instead of ``map(operator.itemgetter(i), x)``, which changes nothing and is not followed."""
    getter = node.args[0].value if isinstance(node, cst.Call) and len(node.args) == 2 else None
    call = context.calls.get(id(getter)) if type(getter) is cst.Call and len(getter.args) == 1 else None
    if call is None or call.callee != Symbol("operator.itemgetter"):
        return ""
    index = sketch(getter.args[0].value)  # type: ignore[union-attr]
    return f"what operator.itemgetter() gives is not followed: write [x[{index}] for x in ...] in place of the map()"


def _as_block(node: cst.CSTNode) -> str:
    """What to write instead of a call such as ``assert_raises(E, f, x)``, whose callee may change `x`."""
    name = dotted(node.func) if isinstance(node, cst.Call) else ""
    asking = _ASSERTIONS.get(name.rpartition(".")[2])
    if asking is None or not isinstance(node, cst.Call) or len(node.args) <= asking:
        return ""
    given = [dotted(argument.value) for argument in node.args[: asking + 1] if not argument.star]
    if len(given) <= asking:
        return ""
    asked = ", ".join(word or "..." for word in given[:asking])
    callee = given[asking] or "f"
    return f"{callee}() may change the arrays that {name}() gives it: write `with {name}({asked}): {callee}(...)`"


#: Assertions that call what they are given -> how many arguments come before that.
_ASSERTIONS = {
    "assert_raises": 1,
    "assert_warns": 1,
    "assert_no_warnings": 0,
    "assert_raises_regex": 2,
    "assertRaises": 1,
    "assertWarns": 1,
}
