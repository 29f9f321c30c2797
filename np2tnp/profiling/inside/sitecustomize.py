"""Runs in the user's program before its first line: starts what NP2TNP_INSIDE names, then steps aside.

This folder is put first on PYTHONPATH by ``np2tnp profile -- PROGRAM``. Nothing of np2tnp is imported, so that the
program may use another Python than np2tnp does; a sitecustomize that this one hides is run as if nothing had been in
its way.
"""

import os
import sys
from typing import Any


def _start() -> None:
    """Run the chosen file of this folder. A failure is told on stderr and leaves the program alone."""
    name = os.environ.get("NP2TNP_INSIDE", "")
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    if name not in ("sampler", "recorder"):
        return
    path = os.path.join(here, name + ".py")
    try:
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
        scope: dict[str, Any] = {"__name__": "np2tnp_inside_" + name, "__file__": path}
        exec(code, scope)
        scope["start"](os.environ["NP2TNP_INSIDE_FOLDER"])
    except Exception as error:
        print(f"np2tnp: the {name} could not start: {type(error).__name__}: {error}", file=sys.stderr)


def _run_hidden() -> None:
    """Import the sitecustomize that would have been imported without this one."""
    own = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        if "sitecustomize" not in sys.modules and own is not None:
            sys.modules["sitecustomize"] = own


_start()
_run_hidden()
