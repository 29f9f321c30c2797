"""Rewrite a module's text and call both versions of its functions on the same arguments.

For ``random_programs.py`` and for tests: everything runs in the calling process, which imports TensorFlow.
"""

from __future__ import annotations

import ast
import importlib
import sys
import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from np2tnp.config import Config  # noqa: E402
from np2tnp.differential import inputs  # noqa: E402
from np2tnp.differential.judge import Judgement, judge  # noqa: E402
from np2tnp.differential.noise import Noise, disturbed  # noqa: E402
from np2tnp.differential.observe import Globals, Observation, TimeIsUp, observe, time_limit  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402
from np2tnp.model import FileReport, RegionState  # noqa: E402

_SECONDS = 20  #: for one call


@dataclass(frozen=True)
class Call:
    """``function(arguments)`` as text; evaluated in the module's namespace, each version's own."""

    function: str
    arguments: str = ""

    @classmethod
    def parse(cls, text: str) -> Call:
        """From ``f(x, y=1)``: the arguments are kept apart, so that they can be looked at afterwards."""
        node = ast.parse(text.strip(), mode="eval").body
        if not isinstance(node, ast.Call):
            raise ValueError(f"not a call: {text}")
        arguments = ", ".join(
            [*map(ast.unparse, node.args), *(f"{item.arg}={ast.unparse(item.value)}" for item in node.keywords)]
        )
        return cls(ast.unparse(node.func), arguments)

    def __str__(self) -> str:
        return f"{self.function}({self.arguments})"


def rewrite(text: str, path: str = "snippet.py", **options: Any) -> FileReport:
    """np2tnp's report on `text`; its ``new_text`` is None where nothing converts."""
    options = {"on_unverified": "raise", **options}  # what the runtime cannot vouch for is to be seen
    return analyze(Source(path, text), Config(rewrite=True, slow="convert", **options))


def reasons(report: FileReport) -> list[str]:
    """Why regions of the report are not converted: ``CODE line: message``."""
    return [reason for region in report.regions if region.state is RegionState.BLOCKED for reason in region.reasons]


class Pair:
    """One module in its original and its rewritten form."""

    def __init__(self, old: str, new: str, name: str = "snippet") -> None:
        importlib.import_module("tensorflow")  # now, not while the time of a call runs
        self._text = old
        self._old, self._new = (
            self._load(compile(text, f"{name}.py", "exec", dont_inherit=True), name) for text in (old, new)
        )
        self._noisy: tuple[types.ModuleType, Globals] | None = None

    @staticmethod
    def _load(code: types.CodeType, name: str, names: dict[str, Any] | None = None) -> tuple[types.ModuleType, Globals]:
        module = types.ModuleType(name)
        sys.modules[name] = module
        vars(module).update(names or {})
        exec(code, vars(module))
        return module, Globals(module)

    def compare(self, calls: Iterable[Call]) -> list[Judgement]:
        """What calling both versions shows, call by call."""
        return [self._compare(call) for call in calls]

    def _compare(self, call: Call) -> Judgement:
        try:
            expected = self._call(self._old, call)
            actual = self._call(self._new, call)
            return judge(expected, actual, lambda how: self._again(call, how))
        except TimeIsUp:
            return Judgement("unstable", "takes too long")

    def _again(self, call: Call, how: str) -> Observation | None:
        version = self._old
        if how == "noisy":
            if self._noisy is None:
                names = Noise(np.random.default_rng(0)).names
                self._noisy = self._load(compile(disturbed(self._text), "noisy.py", "exec"), "noisy", names)
            version = self._noisy
        return self._call(version, call, moved=how != "same")

    @staticmethod
    def _call(version: tuple[types.ModuleType, Globals], call: Call, moved: bool = False) -> Observation:
        module, state = version
        state.restore()
        scope = {**vars(module), "np": np, "_collect": lambda *args, **kwargs: (list(args), kwargs)}
        args, kwargs = eval(f"_collect({call.arguments})", scope)
        if moved:
            args, kwargs = nudged(args, np.random.default_rng()), nudged(kwargs, np.random.default_rng())
        function = eval(call.function, vars(module) | {"np": np})
        owner = getattr(function, "__self__", None)
        with time_limit(_SECONDS):
            return observe(function, args, kwargs, None if isinstance(owner, types.ModuleType) else owner, state)


def nudged(value: Any, rng: np.random.Generator) -> Any:
    """`value` with its floats that are no whole numbers moved to a neighbour; one array stays one array."""
    if isinstance(value, (list, tuple)):
        return type(value)(nudged(item, rng) for item in value)
    if isinstance(value, dict):
        return {key: nudged(item, rng) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.flags.writeable:
        parts = (value.real, value.imag) if value.dtype.kind == "c" else (value,)
        for part in parts:
            part[...] = inputs.moved(part, rng)
    return value


def compare_text(
    text: str, calls: Sequence[str | Call], name: str = "snippet", **options: Any
) -> tuple[FileReport, list[Judgement]]:
    """Rewrite `text`, call both versions. Without a rewritten text there are no judgements."""
    report = rewrite(text, f"{name}.py", **options)
    if report.new_text is None:
        return report, []
    parsed = [call if isinstance(call, Call) else Call.parse(call) for call in calls]
    return report, Pair(text, report.new_text, name).compare(parsed)
