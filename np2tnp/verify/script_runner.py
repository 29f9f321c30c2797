"""Runs a script's text as ``__main__`` in the place of its file: ``python -m np2tnp.verify.script_runner``.

Arguments: the file whose place it takes, the file with the text, and a file for the number of TensorFlow operations.
"""

from __future__ import annotations

import contextlib
import os
import sys
import types
from typing import Any


def main() -> None:
    """Run the script. It ends as Python ends it: by an exception, ``sys.exit``, or at its end."""
    path, text_file, report = sys.argv[1:]
    with open(text_file, encoding="utf-8") as stream:
        code = compile(stream.read(), path, "exec", dont_inherit=True)
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    sys.argv = [path]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    with contextlib.ExitStack() as stack:
        if report:
            from np2tnp.runtime import count_ops

            counted = stack.enter_context(count_ops())
            stack.callback(_write, report, counted)
        exec(code, vars(module))


def _write(report: str, counted: Any) -> None:
    with open(report, "w", encoding="utf-8") as stream:
        stream.write(str(counted.work))


if __name__ == "__main__":
    main()
