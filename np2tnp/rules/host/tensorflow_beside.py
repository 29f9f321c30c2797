"""TNP508: TensorFlow or Keras used directly in a module that is migrated."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import MODULE
from np2tnp.analysis.domain.values import Symbol
from np2tnp.analysis.syntax.walk import names_in, nodes_of, walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.words_and_edits import has_migrated_functions

_MODULES = frozenset(("keras", "tensorflow", "tf_keras", "tensorflow_probability", "tensorflow_hub"))
_OURS = "tensorflow.experimental.numpy"


@register
class TensorflowBeside(Rule):
    doc = Doc(
        code="TNP508",
        name="tensorflow-beside",
        summary="A module with functions that migrate uses Keras or TensorFlow itself.",
        why=(
            "The first call of a migrated function switches TensorFlow's NumPy behaviour on, for the whole process:"
            " operators of all tensors promote as NumPy's do from then on, inside layers, losses and"
            " tf.function too. A model that mixed float32 and float64 by accident computes otherwise."
            " And what a migrated function returns are ndarrays: a tensor of the program's own would become one, too."
        ),
        does=(
            "Only says so; but a function that may return what TensorFlow gave it stays NumPy. Calls of Keras and"
            " TensorFlow get ndarrays. Train in another process than the migrated code,"
            " or give the model's inputs one dtype; NP2TNP_NUMPY_BEHAVIOR=never keeps the behaviour off."
        ),
        bad="""
            import keras


            def predict(model, x):
                return model.predict((x - np.mean(x)) / np.std(x))
        """,
        good="""
            def standardised(x):
                return (x - np.mean(x)) / np.std(x)
        """,
        safety="It changes nothing.",
        severity=Severity.SILENT,
    )
    on = (ev.Kind.IMPORT, ev.Return)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Return):
            value = event.node.value if event.node is not None else None
            if value is not None and context.checked and _holds_own_tensor(value, context):
                words = (
                    "it may return a tensor of TensorFlow's, not an ndarray: give NumPy's part a function of its own"
                )
                yield self.hit(value, words, Verdict.BLOCK)
            return
        assert isinstance(event, ev.Construct)
        if context.facts.qualname != MODULE:
            return
        found = next((name for name in event.detail.split() if _is_tensorflow(name)), None)
        if found is not None and (context.in_region or has_migrated_functions(context)):
            words = f"{found}: migrated code switches TensorFlow's NumPy behaviour on for the whole process"
            yield self.hit(event.node, words, Verdict.NOTE)


def _is_tensorflow(name: str) -> bool:
    return name.partition(".")[0] in _MODULES and not name.startswith(_OURS)


#: What makes something else of a tensor.
_TAKEN = frozenset(("float", "int", "bool", "str", "len", "numpy", "item", "shape", "dtype"))


def _holds_own_tensor(value: cst.BaseExpression, context: Context) -> bool:
    """Whether `value` may hold what a function of TensorFlow's gave: itself, by a name, or through other calls."""
    calls = {key for key, call in context.calls.items() if _is_tensorflows(call)}
    if not calls:
        return False
    body = nodes_of(context.facts.node)
    hidden = {id(part) for node in body if _takes(node, context) for part in walk(node)}
    names: set[str] = set()

    def holds(node: cst.CSTNode) -> bool:
        parts = [part for part in walk(node) if id(part) not in hidden]
        return any(id(part) in calls or (type(part) is cst.Name and part.value in names) for part in parts)

    before = -1
    while before < len(names):
        before = len(names)
        for node in body:
            if isinstance(node, (cst.Assign, cst.AnnAssign, cst.AugAssign)) and node.value and holds(node.value):
                targets = [it.target for it in node.targets] if isinstance(node, cst.Assign) else [node.target]
                names |= {name for target in targets for name in names_in(target)}
    return holds(value)


def _is_tensorflows(call: ev.Call) -> bool:
    return isinstance(call.callee, Symbol) and _is_tensorflow(call.callee.name)


def _takes(node: cst.CSTNode, context: Context) -> bool:
    """Whether `node` gives numbers or an ndarray, whatever tensors it gets."""
    if isinstance(node, cst.Call):
        call = context.calls.get(id(node))
        if call is not None and call.api is not None:
            return True
        node = node.func
    word = node.attr if isinstance(node, cst.Attribute) else node
    return isinstance(word, cst.Name) and word.value in _TAKEN
