"""Runs one task under observation: ``python -m witness.child TASK.json OUT.json``, benchmarks/ being on the path.

A task is ``{"subjects": [paths], "steps": [[kind, what, ...]], "seconds": limit of a step}``. Steps: ``examples PATH``
(the list EXAMPLES of a program, or of ``examples.py`` beside it), ``calls PATH TEXT...``, ``doctest MODULE``, ``pytest
ARGUMENT...``. What fails in them does not matter: what ran, ran. The record is written after every step.
"""

from __future__ import annotations

import builtins
import contextlib
import doctest
import importlib
import importlib.util
import io
import json
import os
import signal
import socket
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from witness.instrument import OBSERVER, Texts, install
from witness.observer import Observer


class TimeIsUp(BaseException):
    """No handler of the program's takes it."""


def main() -> None:
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    out = Path(sys.argv[2])
    texts = Texts()
    install(texts, task["subjects"])
    observer = Observer(texts)
    setattr(builtins, OBSERVER, observer)
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(5000)
    signal.signal(signal.SIGALRM, _stop)
    problems = []
    for step in task["steps"]:
        signal.alarm(task["seconds"])
        try:
            # stdout may be read by the programs, but nobody else
            with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
                _STEPS[step[0]](*step[1:])
        except BaseException as error:
            problems.append(f"{' '.join(step[:2])}: {type(error).__name__}: {error}"[:300])
        signal.alarm(0)
        _write(out, observer, task["subjects"], problems)
    os._exit(0)  # threads and atexit handlers of the programs have nothing to say


def _refuse(*_: Any) -> None:
    raise OSError("programs under observation have no network")


def _stop(*_: Any) -> None:
    raise TimeIsUp


def _write(out: Path, observer: Observer, subjects: list[str], problems: list[str]) -> None:
    files = {path: [sight.dump() for sight in observer.sights(path)] for path in subjects}
    part = out.with_suffix(".part")
    part.write_text(json.dumps({"files": files, "problems": problems}), encoding="utf-8")
    part.replace(out)


def _load(path: str) -> ModuleType:
    sys.path.insert(0, str(Path(path).parent))
    importlib.invalidate_caches()
    sys.modules.pop(Path(path).stem, None)
    return importlib.import_module(Path(path).stem)


def _examples(path: str) -> None:
    program = _load(path)
    beside = Path(path).parent / "examples.py"
    examples = (_load(str(beside)) if beside.exists() else program).EXAMPLES
    for name, build, *rest in examples:
        for seed in range(2):
            with contextlib.suppress(Exception):
                getattr(program, name)(*build(np, np.random.default_rng(seed)), **(rest[0] if rest else {}))


def _calls(path: str, *calls: str) -> None:
    program = _load(path)
    for call in calls:
        with contextlib.suppress(Exception):
            eval(call, {**vars(program), "np": np})


def _doctest(name: str) -> None:
    module = importlib.import_module(name)
    tests = doctest.DocTestFinder(exclude_empty=True).find(module, extraglobs={"np": np})
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for test in tests:
        with contextlib.suppress(Exception):
            runner.run(test, out=lambda text: None)


def _pytest(*arguments: str) -> None:
    import pytest

    pytest.main(["-q", "-x", "--maxfail=1000", "-p", "no:cacheprovider", "-p", "no:warnings", *arguments])


_STEPS = {"examples": _examples, "calls": _calls, "doctest": _doctest, "pytest": _pytest}

if __name__ == "__main__":
    main()
