"""Rewrite a module's text and call both versions of its functions on the same arguments.

For ``random_programs.py`` and for tests: everything runs in the calling process, which imports TensorFlow.
"""

from __future__ import annotations

import ast
import importlib
import sys
import tempfile
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from np2tnp import config, pipeline  # noqa: E402
from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402
from np2tnp.model import FileReport, RegionState  # noqa: E402
from np2tnp.verify import inputs  # noqa: E402
from np2tnp.verify.judge import Judgement, judge  # noqa: E402
from np2tnp.verify.module_state import Globals  # noqa: E402
from np2tnp.verify.noise import Noise, disturbed  # noqa: E402
from np2tnp.verify.observe import Observation, TimeIsUp, observe, time_limit  # noqa: E402

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
    options = {
        "on_unverified": "raise",
        "slow": "convert",
        **options,
    }  # what the runtime cannot vouch for is to be seen
    return analyze(Source(path, text), Config(rewrite=True, **options))


def rewrite_files(texts: Mapping[str, str], **options: Any) -> dict[str, FileReport]:
    """The same on several modules of one project, by name."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
        settings = config.load([folder], {"on_unverified": "raise", "slow": "convert", "cache": False, **options})
        found = {Path(report.path).stem: report for report in pipeline.rewrite([folder], settings).reports}
    return {name: found[name] for name in texts}


def reasons(report: FileReport) -> list[str]:
    """Why regions of the report are not converted: ``CODE line: message``."""
    return [reason for region in report.regions if region.state is RegionState.BLOCKED for reason in region.reasons]


class State:
    """The data that some modules keep; see Globals."""

    def __init__(self, modules: Iterable[types.ModuleType]) -> None:
        self._all = [(module.__name__, Globals(module)) for module in modules]

    def restore(self) -> None:
        for _, state in self._all:
            state.restore()

    def changed(self) -> dict[str, Any]:
        return {f"{name}.{key}": value for name, state in self._all for key, value in state.changed().items()}


Version = tuple[types.ModuleType, State]


def load(texts: Mapping[str, str]) -> Version:
    """The last of these modules, with the data of all; each is loaded where those after it can import it."""
    return _load({name: compile(text, f"{name}.py", "exec", dont_inherit=True) for name, text in texts.items()}, {})


def load_noisy(texts: Mapping[str, str]) -> Version:
    """The same with noise where it rounds (see noise.py)."""
    names = Noise(np.random.default_rng(0)).names
    real = {name: sys.modules[name] for name in texts if name in sys.modules}
    try:
        return _load({name: compile(disturbed(text), "noisy.py", "exec") for name, text in texts.items()}, names)
    finally:
        sys.modules.update(real)


def _load(codes: Mapping[str, types.CodeType], names: Mapping[str, Any]) -> Version:
    importlib.import_module("tensorflow")  # now, not while the time of a call runs
    modules = []
    for name, code in codes.items():
        module = sys.modules[name] = types.ModuleType(name)
        vars(module).update(names)
        exec(code, vars(module))
        modules.append(module)
    return modules[-1], State(modules)


class Pair:
    """One module in its original and its rewritten form; `beside`: other modules that it imports, by name, in both."""

    def __init__(
        self, old: str, new: str, name: str = "snippet", beside: Mapping[str, tuple[str, str]] | None = None
    ) -> None:
        others = list((beside or {}).items())
        self._texts = {**{other: texts[0] for other, texts in others}, name: old}
        self._old = load(self._texts)
        self._new = load({**{other: texts[1] for other, texts in others}, name: new})
        self._noisy: Version | None = None

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
                self._noisy = load_noisy(self._texts)
            version = self._noisy
        return self._call(version, call, moved=how != "same")

    @staticmethod
    def _call(version: Version, call: Call, moved: bool = False) -> Observation:
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
