"""First-party imports: what other modules define is known, and every mixture of rewritten and original files runs."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp import pipeline
from np2tnp.analysis.project import Names, Target
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.modules import Modules
from np2tnp.files.outline import Binding, Outline
from np2tnp.files.source import Source
from np2tnp.model import FileReport, RegionState
from np2tnp.project import Project

OPS = """
    import numpy as np

    SIGMA = 1.5
    TABLE = np.linspace(0.0, 1.0, 4)


    def blur(x):
        return np.exp(x) / SIGMA


    def shift(x):
        x += np.tanh(x)


    def both(x, y, scale=2.0):
        x *= scale
        y[1:] = x[:-1]
        return x.sum(), np.sqrt(x * x)


    def same(x):
        return x


    def table():
        return TABLE


    def pick(x, i):
        return np.cos(x)[i]
"""
USER = """
    import numpy as np
    {imports}


    def run(x):
        y = np.sqrt(x + 1.0)
        return {call}(y) + y.sum()


    def main():
        return run(np.arange(4.0))
"""

TRY = "try:\n        from ops import blur\n    except ImportError:\n        from slow import blur"
STARS = "from ops import *\n    from ops import blur"
DECORATED = OPS.replace("def blur", "def traced(f):\n        return lambda x: f(x) + 1\n\n\n    @traced\n    def blur")

#: name -> (files, what becomes of ``run``: "core" where it calls its callee's core)
PROJECTS: dict[str, tuple[dict[str, str], str]] = {
    "from import": (
        {"ops.py": OPS, "user.py": USER.format(imports="from ops import blur", call="blur")},
        "core",
    ),
    "renamed": (
        {"ops.py": OPS, "user.py": USER.format(imports="from ops import blur as soften", call="soften")},
        "core",
    ),
    "module": ({"ops.py": OPS, "user.py": USER.format(imports="import ops", call="ops.blur")}, "core"),
    "module renamed": ({"ops.py": OPS, "user.py": USER.format(imports="import ops as o", call="o.blur")}, "core"),
    "star": ({"ops.py": OPS, "user.py": USER.format(imports="from ops import *", call="blur")}, "core"),
    "star through all": (
        {
            "ops.py": OPS + "\n    __all__ = ['shift', 'pick']\n",
            "user.py": USER.format(imports=STARS, call="blur"),
        },
        "core",
    ),
    "relative": (
        {
            "pkg/__init__.py": "",
            "pkg/ops.py": OPS,
            "pkg/work.py": USER.format(imports="from .ops import blur", call="blur"),
            "user.py": "from pkg.work import main, run\n",
        },
        "core",
    ),
    "parent": (
        {
            "pkg/__init__.py": "",
            "pkg/ops.py": OPS,
            "pkg/sub/__init__.py": "",
            "pkg/sub/work.py": USER.format(imports="from .. import ops", call="ops.blur"),
            "user.py": "from pkg.sub.work import main, run\n",
        },
        "core",
    ),
    "reexported": (
        {
            "pkg/__init__.py": "from .ops import blur\n",
            "pkg/ops.py": OPS,
            "user.py": USER.format(imports="from pkg import blur", call="blur"),
        },
        "core",
    ),
    "reexported twice": (
        {
            "pkg/__init__.py": "from .api import *\n",
            "pkg/api.py": "from .ops import blur, shift\n\n__all__ = ['blur']\n",
            "pkg/ops.py": OPS,
            "user.py": USER.format(imports="import pkg", call="pkg.blur"),
        },
        "core",
    ),
    "submodule": (
        {
            "pkg/__init__.py": "from . import ops\n",
            "pkg/ops.py": OPS,
            "user.py": USER.format(imports="import pkg.ops", call="pkg.ops.blur"),
        },
        "core",
    ),
    "namespace package": (
        {"space/part/ops.py": OPS, "user.py": USER.format(imports="from space.part.ops import blur", call="blur")},
        "core",
    ),
    "local import": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np


                def run(x):
                    from ops import blur

                    y = np.sqrt(x + 1.0)
                    return blur(y) + y


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
    "conditional import": (
        {
            "ops.py": OPS,
            "slow.py": OPS.replace("/ SIGMA", "/ 2"),
            "user.py": USER.format(
                imports="try:\n        from ops import blur\n    except ImportError:\n        from slow import blur",
                call="blur",
            ),
        },
        "convertible",
    ),
    "submodule of the same name": (
        {
            "pkg/__init__.py": "from .blur import blur\n",
            "pkg/blur.py": OPS,
            "user.py": USER.format(imports="from pkg import blur", call="blur"),
        },
        "convertible",
    ),
    "gives back what was updated": (
        {
            "ops.py": """
    import numpy as np


    def as_array(a, dtype=None):
        if isinstance(a, list):
            a = list(a)
        return np.asarray(a, dtype)


    def given(a):
        return as_array(a)
    """,
            "user.py": """
    import numpy as np

    from ops import given


    def run(x, how):
        x = given(x)
        if how == "square":
            x[0] += 2.0
        return np.exp(x)


    def twice(x):
        return run(np.stack([x, x]), "square")


    def main():
        x = np.ones(3)
        return run(x, "square"), x, run([1.0, 2.0], "none"), twice(x), x
    """,
        },
        "hosted",
    ),
    "defined twice": (
        {
            "ops.py": OPS + "\n\n    def blur(x):\n        return np.exp(x) * 3\n",
            "user.py": USER.format(imports="from ops import blur", call="blur"),
        },
        "convertible",
    ),
    "patched": (
        {
            "ops.py": OPS,
            "user.py": USER.format(imports="import ops", call="ops.blur") + "\n\n    ops.blur = lambda x: x * 7\n",
        },
        "convertible",
    ),
    "decorated": (
        {
            "ops.py": "def traced(f):\n    return lambda x: f(x) + 1\n\n"
            + textwrap.dedent(OPS).replace("def blur", "@traced\ndef blur"),
            "user.py": USER.format(imports="from ops import blur", call="blur"),
        },
        "convertible",
    ),
    "cycle": (
        {
            "a.py": """
                import numpy as np
                import user


                def half(x, n):
                    y = np.exp(x) / 2
                    return y if n == 0 else user.run(y, n - 1)
            """,
            "user.py": """
                import numpy as np
                import a


                def run(x, n=3):
                    y = np.log(x + 1.0)
                    z = a.half(y, n)
                    return z


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "convertible",
    ),
    "updates": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                from ops import both, shift


                def run(x):
                    y = np.sqrt(x + 1.0)
                    z = np.zeros_like(y)
                    shift(y)
                    total, root = both(y, z, scale=3.0)
                    return y, z, total, root


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
    "gives back what it got": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                from ops import both, same, shift


                def run(x):
                    y = np.sqrt(x + 1.0)
                    z = np.zeros_like(y)
                    shift(y)
                    total, root = both(y, z, scale=3.0)
                    return y, z, total, root, same(y)


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "convertible",  # where ops.py stays NumPy, a core would get, and give back, a copy
    ),
    "updates an argument": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                import ops


                def run(x):
                    ops.shift(x)
                    return np.sqrt(x)


                def main():
                    x = np.arange(4.0)
                    return run(x), x
            """,
        },
        "core",
    ),
    "constants": (
        {
            "ops.py": OPS,
            "user.py": """
                import numpy as np
                import ops
                from ops import SIGMA, TABLE


                def run(x):
                    y = np.sqrt(x + 1.0) * SIGMA + ops.SIGMA
                    y += TABLE
                    return y * ops.TABLE, ops.table() + ops.pick(y, 2)


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
    "inherited method": (
        {
            "base.py": """
                import numpy as np


                class Layer:
                    def __init__(self, w):
                        self.w = w

                    def activate(self, x):
                        return np.tanh(x)

                    @staticmethod
                    def twice(x):
                        return np.add(x, x)
            """,
            "user.py": """
                import numpy as np
                from base import Layer


                class Dense(Layer):
                    def forward(self, x):
                        return self.activate(x @ self.w) + self.twice(x)


                def run(x):
                    y = np.sqrt(x + 1.0)
                    return Dense(np.eye(4)).forward(y) + y


                def main():
                    return run(np.arange(4.0)), Dense(np.ones((4, 4))).forward(np.arange(4.0))
            """,
        },
        "core",
    ),
    "overridden method that updates": (
        {
            "base.py": """
                import numpy as np


                class Model:
                    def step(self, x):
                        return np.tanh(x)

                    def run(self, x):
                        y = np.sqrt(x)
                        z = self.step(y)
                        return y + z
            """,
            "user.py": """
                import numpy as np
                from base import Model


                class Careful(Model):
                    def step(self, x):
                        return np.exp(x)


                def run(x):
                    return Careful().run(np.sqrt(x)) + Model().run(x)


                def main():
                    return run(np.arange(4.0))
            """,
        },
        "core",
    ),
}


def write(root: Path, files: dict[str, str]) -> None:
    root.mkdir()
    (root / "setup.cfg").write_text("")
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")


def reports(root: Path, *names: str, apply: bool = False, **options: Any) -> dict[str, FileReport]:
    config = Config(root=str(root), cache=False, skip_regions=("main",), **options)
    paths = [str(root / name) for name in names] if names else [str(root)]
    run = pipeline.rewrite(paths, config, apply=apply)
    assert not run.summary.errors, [report.error for report in run.reports]
    return {str(Path(report.path).relative_to(root)): report for report in run.reports}


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    forget(tmp_path)


def forget(place: Path) -> None:
    for name, module in list(sys.modules.items()):
        if str(place) in str(getattr(module, "__spec__", "")) or name.partition(".")[0] == "space":
            del sys.modules[name]


def outcome(root: Path) -> Any:
    """What ``user.main()`` gives, with the files as they are now."""
    forget(root.parent)
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        return importlib.import_module("user").main()
    finally:
        sys.path.remove(str(root))


def assert_same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", PROJECTS)
def test_projects(name: str, tmp_path: Path, modules: None) -> None:
    files, state = PROJECTS[name]
    original = tmp_path / "original"
    write(original, files)
    expected = outcome(original)
    alone = {file: reports(original, file)[file] for file in files}
    together = reports(original)
    assert {file: replace(alone[file], path="") for file in files} == {
        file: replace(together[file], path="") for file in files
    }
    region = next(r for report in together.values() for r in report.regions if r.qualname.endswith(("run", "forward")))
    assert region.state is (RegionState.BLOCKED if state == "blocked" else RegionState.CONVERTIBLE), region.reasons
    text = "".join(report.new_text or "" for report in together.values())
    assert ("rt.core(" in text) == (state == "core")
    for chosen in [[file] for file in files] + [list(files)]:
        root = tmp_path / "_".join(["rewritten", *chosen]).replace("/", "_")
        write(root, files)
        reports(root, *chosen, apply=True)
        assert_same(outcome(root), expected)
    again = reports(root)
    assert all(report.new_text in (None, (root / file).read_text()) for file, report in again.items())


def test_star_imports_of_many_submodules(tmp_path: Path) -> None:
    """What a star import names is a module of the import system: looking it up asks no other star import."""
    package = tmp_path / "package"
    package.mkdir()
    names = [f"_part{index}" for index in range(14)]
    (package / "__init__.py").write_text("".join(f"from .{name} import *\n" for name in names), encoding="utf-8")
    for name in names:
        (package / f"{name}.py").write_text(f"def {name[1:]}(x):\n    return x\n", encoding="utf-8")
    user = tmp_path / "user.py"
    user.write_text("", encoding="utf-8")
    asked: list[str] = []

    class Counting(Modules):
        def outline(self, path: str) -> Outline | None:
            asked.append(path)
            assert len(asked) < 1000
            return super().outline(path)

    assert Names(Counting()).find(str(user), "package.part3") == Target(
        "function", str(package / "_part3.py"), "part3", Binding("function")
    )


def test_a_module_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is reached, by an import or by its relative path, and whatever is asked of it once it is closed."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "ops.py").write_text(textwrap.dedent(OPS))
    user = "from pkg.ops import SIGMA, TABLE, blur\n\n\ndef run(x):  # numpy\n    return blur(x) * SIGMA + TABLE\n"
    for name in ("before.py", "zz_after.py"):
        (package / name).write_text(user)
    opened: list[str] = []

    class Counted(Project):
        def _open(self, source: Source, path: str, editable: bool) -> Any:
            opened.append(Path(path).name)
            return super()._open(source, path, editable)

    config = Config()
    project = Counted(config)
    files = ["pkg/before.py", "pkg/ops.py", "pkg/zz_after.py"]
    found = [analyze(Source(name, Path(name).read_text()), config, project) for name in files]
    assert sorted(opened) == ["before.py", "ops.py", "zz_after.py"]
    assert found == [analyze(Source(name, Path(name).read_text()), config) for name in files]
