"""TNP508: TensorFlow or Keras used directly in a module that is migrated."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import MODULE
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
        ),
        does=(
            "Only says so. Calls of Keras and TensorFlow get ndarrays. Train in another process than the migrated code,"
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
        safety="A note: it changes nothing.",
        severity=Severity.SILENT,
    )
    on = (ev.Kind.IMPORT,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if context.facts.qualname != MODULE:
            return
        found = next((name for name in event.detail.split() if _is_tensorflow(name)), None)
        if found is not None and (context.in_region or has_migrated_functions(context)):
            words = f"{found}: migrated code switches TensorFlow's NumPy behaviour on for the whole process"
            yield self.hit(event.node, words, Verdict.NOTE)


def _is_tensorflow(name: str) -> bool:
    return name.partition(".")[0] in _MODULES and not name.startswith(_OURS)
