"""A cached report is what a fresh run gives: each edit here changes what is reported."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import np2tnp
from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.files.cache import lasting_key, stat_key
from np2tnp.pipeline import NOT_DECIDING, _run_key, deciding_files

USES = "def run(x):\n    y = np.sqrt(x)\n    return blur(y) + y\n"
GOOD = "import numpy as np\n\n\ndef blur(x):\n    return np.exp(x)\n"
BAD = "import numpy as np\n\n\ndef blur(x):\n    x[0] = 1\n    return open(x)\n"
SCALE = "import numpy as np\n\n\ndef scale(x):\n    return np.exp(x)\n"
DERIVED = "class C(Base):\n    def run(self, x):\n        return self.blur(np.sqrt(x))\n"

Edit = Callable[[Path], None]


def put(name: str, text: str) -> Edit:
    def edit(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return edit


def drop(name: str) -> Edit:
    return lambda root: (root / name).unlink()


def reports(root: Path, file: str, cache: bool) -> list[tuple[object, ...]]:
    run = pipeline.check([str(root / file)], Config(root=str(root), jobs=1, cache=cache))
    assert not any(report.error for report in run.reports)
    found = [(f.code, f.message, f.span, f.region) for report in run.reports for f in report.findings]
    return [*found, *((region.qualname, region.state) for report in run.reports for region in report.regions)]


def head(text: str) -> str:
    return f"import numpy as np\n{text}\n\n\n"


CASES: dict[str, tuple[dict[str, str], str, Edit]] = {
    "a module changes": ({"ops.py": GOOD, "m.py": head("from ops import blur") + USES}, "m.py", put("ops.py", BAD)),
    "a module appears": ({"m.py": head("from ops import blur") + USES}, "m.py", put("ops.py", GOOD)),
    "a module goes": ({"ops.py": GOOD, "m.py": head("from ops import blur") + USES}, "m.py", drop("ops.py")),
    "a module in src comes first": (
        {"ops.py": GOOD, "app/m.py": head("from ops import blur") + USES}, "app/m.py", put("src/ops.py", BAD)
    ),
    "a package takes a module's place": (
        {"ops.py": GOOD, "ops/data/readme": "", "m.py": head("from ops import blur") + USES},
        "m.py", put("ops/__init__.py", BAD)
    ),
    "a namespace package gets its first module": (
        {"ops/data/readme": "", "m.py": head("from ops.blurs import blur") + USES}, "m.py", put("ops/blurs.py", GOOD)
    ),
    "what a module imports changes": (
        {"deep.py": GOOD, "ops.py": "from deep import blur\n", "m.py": head("from ops import blur") + USES},
        "m.py", put("deep.py", BAD)
    ),
    "what a callee calls changes": (
        {"deep.py": SCALE, "ops.py": "from deep import scale\n\n\ndef blur(x):\n    return scale(x)\n",
         "m.py": head("from ops import blur") + USES},
        "m.py", put("deep.py", BAD.replace("blur", "scale"))
    ),
    "__init__ exports another one": (
        {"pkg/__init__.py": "from .good import blur\n", "pkg/good.py": GOOD, "pkg/bad.py": BAD,
         "m.py": head("from pkg import blur") + USES},
        "m.py", put("pkg/__init__.py", "from .bad import blur\n")
    ),
    "a star import brings another one": (
        {"ops.py": GOOD, "m.py": head("from ops import *") + USES}, "m.py", put("ops.py", BAD)
    ),
    "a star import brings one more": (
        {"ops.py": SCALE, "m.py": head("from ops import *") + USES}, "m.py", put("ops.py", SCALE + GOOD)
    ),
    "a star import of a star import brings one more": (
        {"deep.py": SCALE, "ops.py": "from deep import *\n", "m.py": head("from ops import *") + USES},
        "m.py", put("deep.py", GOOD)
    ),
    "a star import brings one less": (
        {"ops.py": GOOD, "m.py": head("from ops import *") + USES},
        "m.py", put("ops.py", f"__all__ = ['x']\nx = 1\n{GOOD}")
    ),
    "the top level calls what changes": (
        {"ops.py": GOOD, "m.py": head("from ops import blur") + "y = blur(np.ones(3))\ny[0] = 1\ny += 1\n"},
        "m.py", put("ops.py", "def blur(x):\n    return 1\n")
    ),
    "a base class changes": (
        {"ops.py": GOOD.replace("def blur(x):\n", "class Base:\n    def blur(self, x):\n    "),
         "m.py": head("from ops import Base") + DERIVED},
        "m.py", put("ops.py", "class Base:\n    pass\n")
    ),
    "a constant changes": (
        {"ops.py": head("T = np.ones(3)"),
         "m.py": head("from ops import T") + "def run(x):\n    return T[0] * np.sqrt(x) + T.sum()\n"},
        "m.py", put("ops.py", "T = 'text'\n")
    ),
    "its package is none any more": (
        {"ops.py": GOOD, "pkg/ops.py": BAD, "pkg/__init__.py": "", "pkg/m.py": head("from ops import blur") + USES},
        "pkg/m.py", drop("pkg/__init__.py")
    ),
    "the project's top is found": (
        {"a/b/m.py": head("from ops import blur") + USES, "a/ops.py": GOOD}, "a/b/m.py", put("a/pyproject.toml", "")
    ),
    "a module is patched": (
        {"ops.py": GOOD, "m.py": head("from ops import blur") + USES},
        "m.py", put("m.py", head("import ops\nfrom ops import blur\nops.blur = 1") + USES)
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_is_seen(case: str, tmp_path: Path) -> None:
    files, file, edit = CASES[case]
    for name, text in files.items():
        put(name, text)(tmp_path)
    if "top is found" not in case:
        (tmp_path / "setup.cfg").touch()
    first = reports(tmp_path, file, cache=True)
    assert reports(tmp_path, file, cache=True) == first
    edit(tmp_path)
    fresh = reports(tmp_path, file, cache=False)
    assert fresh != first, "the edit must change something"
    assert reports(tmp_path, file, cache=True) == fresh


def test_a_file_that_looks_the_same_is_read(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").touch()
    file = tmp_path / "m.py"
    file.write_text(head("") + "def run(x):\n    return np.exp(x)\n")
    status = file.stat()
    first = reports(tmp_path, "m.py", cache=True)
    file.write_text(head("") + "def run(x):\n    return np.sin(x)\n")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_size == status.st_size
    fresh = reports(tmp_path, "m.py", cache=False)
    assert fresh != first
    assert reports(tmp_path, "m.py", cache=True) == fresh


def test_what_just_changed_may_change_again_unseen(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("x = 1\n")
    changed = file.stat().st_ctime_ns
    assert lasting_key(str(file), changed + 1_000_000) == ""
    assert lasting_key(str(file), changed + 3_000_000_000) == stat_key(str(file)) != ""
    assert lasting_key(str(tmp_path / "none")) == ""


def test_options_count(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(head("") + "def run(x):\n    return np.sort(x)\n")
    options = [{}, {"boundary": "tensor"}, {"target_tensorflow": "2.18"}, {"needles": ("nothing",)}]
    keys = {_run_key(Config(root=str(tmp_path), **option)) for option in options}  # type: ignore[arg-type]
    assert len(keys) == len(options)


def test_all_code_that_decides_counts() -> None:
    package = Path(np2tnp.__file__).parent
    expected = {
        path.relative_to(package).as_posix()
        for kind in ("*.py", "*.json", "*.toml")
        for path in package.rglob(kind)
        if path.relative_to(package).parts[0] not in NOT_DECIDING
    }
    assert {path for path, _ in deciding_files(str(package))} == expected
    assert {"config.py", "analysis/lowering/tree.py", "catalog/facts.json"} <= expected
    assert set(NOT_DECIDING) <= {path.name for path in package.iterdir()}, "folders that are not there"


def test_code_in_folders_within_folders_counts(tmp_path: Path) -> None:
    deep = tmp_path / "analysis" / "domain" / "values.py"
    deep.parent.mkdir(parents=True)
    deep.write_text("one = 1\n")
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "errors.py").write_text("")
    before = deciding_files(str(tmp_path))
    assert [path for path, _ in before] == ["analysis/domain/values.py"]
    deep.write_text("one = 11\n")
    assert deciding_files(str(tmp_path)) != before
