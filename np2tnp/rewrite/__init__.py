"""From the rules' edits to new text."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class _CalledPackage(ModuleType):
    """``np2tnp.rewrite`` is this folder from its first import on, and for users a function all the same."""

    def __call__(self, paths: Any, config: Any = None, apply: bool = False) -> Any:
        return importlib.import_module("np2tnp.library").rewrite(paths, config, apply)


sys.modules[__name__].__class__ = _CalledPackage
