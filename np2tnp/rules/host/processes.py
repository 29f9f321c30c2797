"""TNP505: processes that are forked from one that ran TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import MODULE
from np2tnp.analysis.domain.values import Symbol
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.words_and_edits import has_migrated_functions

_MODULES = ("multiprocessing", "joblib", "pathos", "loky", "billiard")
_NAMES = ("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process")
_FORKS = ("os.fork", "os.forkpty")


@register
class Processes(Rule):
    doc = Doc(
        code="TNP505",
        name="processes",
        summary=(
            "A module with functions that migrate imports multiprocessing or joblib, or a function calls os.fork."
        ),
        why=(
            "A child that is forked from a process in which TensorFlow ran hangs: TensorFlow's threads do not"
            " exist in it."
        ),
        does=(
            "Only says so. At run time a migrated function in such a child calls its NumPy original, or raises"
            " RuntimeError where it has none, instead of hanging. Start processes with the spawn or forkserver method,"
            " or use threads."
        ),
        bad="""
            import multiprocessing


            def work(x):
                return np.exp(x).sum()


            def total(parts):
                with multiprocessing.Pool() as pool:
                    return sum(pool.map(work, parts))
        """,
        good="""
            from concurrent.futures import ThreadPoolExecutor


            def work(x):
                return np.exp(x).sum()


            def total(parts):
                with ThreadPoolExecutor() as pool:
                    return sum(pool.map(work, parts))
        """,
        safety="A note: it changes nothing.",
    )
    on = (ev.Call, ev.Kind.IMPORT)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Call):
            if isinstance(event.callee, Symbol) and event.callee.name in _FORKS:
                words = f"{event.callee.name}: a child of a process that ran TensorFlow hangs when it uses it"
                yield self.hit(event.node, words, Verdict.NOTE)
            return
        assert isinstance(event, ev.Construct)
        if context.facts.qualname != MODULE:
            return
        found = next((name for name in event.detail.split() if _makes_processes(name)), None)
        if found is not None and (context.in_region or has_migrated_functions(context)):
            words = (
                f"{found}: a child forked from a process that ran TensorFlow hangs; use spawn, forkserver or threads"
            )
            yield self.hit(event.node, words, Verdict.NOTE)


def _makes_processes(name: str) -> bool:
    return name.partition(".")[0] in _MODULES or name.startswith(_NAMES)
