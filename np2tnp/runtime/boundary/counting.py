"""Evidence that TensorFlow did the work: the operations that it executed, counted.

``with rt.count_ops() as count: ...`` sees every operation that the current thread executes eagerly, whether it came
from ``tf``, ``tnp``, an operator on tensors or a helper; for a call of a ``tf.function``, the operations in its graph.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from np2tnp.runtime.base import lazy_tensorflow

__all__ = ["count_ops"]

#: Operations that move or name values without computing anything.
_BOOKKEEPING = frozenset(
    {
        "Const",
        "Identity",
        "IdentityN",
        "NoOp",
        "Placeholder",
        "_Arg",
        "_Retval",
        "Shape",
        "StopGradient",
        "PreventGradient",
    }
    | {"ReadVariableOp", "VarHandleOp", "AssignVariableOp", "Assert", "EagerConst", "_EagerConst", "Copy", "CopyHost"}
)

#: Operations that run another function's graph: what that graph holds is counted in their place.
_CALLS = frozenset(["PartitionedCall", "StatefulPartitionedCall", "XlaLaunch"])

#: Attributes that name the functions which an operation runs.
_FUNCTIONS = ("f", "body", "cond", "then_branch", "else_branch")


class OpCount:
    """Executed operations by type. A loop or a branch in a graph counts as written, not as often as it ran."""

    __slots__ = ("ops",)

    def __init__(self) -> None:
        self.ops: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """All operations, bookkeeping (constants, identities, shapes) included."""
        return self.ops.total()

    @property
    def work(self) -> int:
        """Operations that compute values."""
        return sum(number for name, number in self.ops.items() if name not in _BOOKKEEPING)

    def __repr__(self) -> str:
        return f"OpCount(work={self.work}, total={self.total}, ops={dict(self.ops)})"


@contextmanager
def count_ops() -> Iterator[OpCount]:
    """Count the TensorFlow operations that this thread executes in the ``with`` block. Nests."""
    lazy_tensorflow.configure()
    callbacks = importlib.import_module("tensorflow.python.framework.op_callbacks")
    count = OpCount()

    def note(
        op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:  # the callback's protocol: returns what takes the outputs' place
        if graph is None:  # executed; with a graph it is only being traced
            name = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
            _note(name, count.ops, frozenset())
        return outputs

    callbacks.add_op_callback(note)
    try:
        yield count
    finally:
        callbacks.remove_op_callback(note)


def _note(name: str, ops: Counter[str], above: frozenset[str]) -> None:
    nodes = _graph_nodes(name) if name not in above else []
    if nodes is None:
        ops[name] += 1
        return
    for node in nodes:
        called = {node.attr[key].func.name for key in _FUNCTIONS if key in node.attr}
        if node.op not in _CALLS:
            ops[node.op] += 1
        for function in called:
            _note(function, ops, above | {name})


def _graph_nodes(name: str) -> Any | None:
    """The nodes of the registered function `name`; None when `name` is an operation."""
    if not name.startswith("__") and "_" not in name:
        return None
    context = importlib.import_module("tensorflow.python.eager.context").context()
    if not context.has_function(name):
        return None
    return context.get_function_def(name).node_def
