"""Where names of other modules lead, and what a cached report depends on."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.analysis.driver.first_party import Names, Target
from np2tnp.config import Config
from np2tnp.files.modules import Modules
from np2tnp.files.outline import outline_of, patched_names
from np2tnp.files.syntax import Trees

FILES = {
    "pyproject.toml": "",
    "src/pkg/__init__.py": (
        "from .core import blur\nfrom .star import *\nfrom . import core, tools\nfrom os import path\n"
    ),
    "src/pkg/core.py": "def blur(x): ...\nclass Net:\n    def run(self): ...\nSIZE = 3\n",
    "src/pkg/star.py": "from .deep import *\nfrom ._hidden import *\ndef shine(): ...\ndef _private(): ...\n",
    "src/pkg/_hidden.py": "__all__ = ['seen']\ndef seen(): ...\ndef unseen(): ...\n",
    "src/pkg/deep.py": "from .star import *\ndef below(): ...\n",
    "src/pkg/tools/__init__.py": (
        "import numpy as np\nfrom ..core import blur as soften\n"
        "try:\n    import fast\nexcept ImportError:\n    fast = None\n"
    ),
    "src/pkg/tools/one.py": "",
    "scripts/run.py": "",
    "scripts/helper.py": "def help(): ...\ndef again(): ...\nagain = 1\n",
    "scripts/random.py": "def choice(): ...\n",
    "lib/site-packages/pkg/__init__.py": "",
    "lib/site-packages/other/__init__.py": "def f(): ...\n",
    "lib/site-packages/other/mine.py": "",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("modules")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


#: (importing file, name, kind and where it is defined; None where that is not certain)
FOUND = [
    ("scripts/run.py", "pkg.blur", ("function", "src/pkg/core.py", "blur")),
    ("scripts/run.py", "pkg.core.blur", ("function", "src/pkg/core.py", "blur")),
    ("scripts/run.py", "pkg.core", ("module", "src/pkg/core.py", "")),
    ("scripts/run.py", "pkg.core.Net", ("class", "src/pkg/core.py", "Net")),
    ("scripts/run.py", "pkg.core.Net.run", ("function", "src/pkg/core.py", "Net.run")),
    ("scripts/run.py", "pkg.core.SIZE", ("value", "src/pkg/core.py", "SIZE")),
    ("scripts/run.py", "pkg.shine", ("function", "src/pkg/star.py", "shine")),
    ("scripts/run.py", "pkg.below", ("function", "src/pkg/deep.py", "below")),
    ("scripts/run.py", "pkg.seen", ("function", "src/pkg/_hidden.py", "seen")),
    ("scripts/run.py", "pkg.unseen", None),
    ("scripts/run.py", "pkg._private", None),
    ("scripts/run.py", "pkg.tools.soften", ("function", "src/pkg/core.py", "blur")),
    ("scripts/run.py", "pkg.tools.np.sum", ("outside", "", "numpy.sum")),
    ("scripts/run.py", "pkg.tools.fast", ("several", "src/pkg/tools/__init__.py", "fast")),
    ("scripts/run.py", "pkg.path", ("outside", "", "os.path")),
    ("scripts/run.py", "pkg.nothing", None),
    ("scripts/run.py", "helper.help", ("function", "scripts/helper.py", "help")),
    ("scripts/run.py", "helper.again", ("several", "scripts/helper.py", "again")),
    ("scripts/run.py", "random.choice", ("outside", "", "random.choice")),
    ("src/pkg/tools/one.py", "..core.blur", ("function", "src/pkg/core.py", "blur")),
    ("src/pkg/tools/one.py", ".soften", ("function", "src/pkg/core.py", "blur")),
    ("src/pkg/tools/one.py", "pkg.blur", ("function", "src/pkg/core.py", "blur")),
    ("src/pkg/tools/one.py", "helper.help", ("outside", "", "helper.help")),
    ("lib/site-packages/other/mine.py", "other.f", ("function", "lib/site-packages/other/__init__.py", "f")),
    ("lib/site-packages/other/mine.py", "pkg.blur", ("outside", "", "pkg.blur")),
]


@pytest.mark.parametrize(("file", "name", "expected"), FOUND, ids=[f"{file}:{name}" for file, name, _ in FOUND])
def test_names(root: Path, file: str, name: str, expected: tuple[str, str, str] | None) -> None:
    found = Names(Modules()).find(str(root / file), name)
    if expected is None:
        assert found is None
    else:
        kind, module, inner = expected
        assert found is not None
        assert (found.kind, found.name) == (kind, inner)
        assert found.module == (str(root / module) if module else "")
        assert isinstance(found, Target)


def test_star_names_close_over_circles(root: Path) -> None:
    names = Names(Modules())
    assert set(names.public(str(root / "src/pkg/__init__.py"), ".star")) == {"shine", "below", "seen"}
    assert str(root / "src/pkg/_hidden.py") in names.places


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("def f(): ...", "function"),
        ("if x:\n    def f(): ...", "function"),
        ("def f(): ...\ndef f(): ...", "several"),
        ("def f(): ...\nf = jit(f)", "several"),
        ("def f(): ...\ndel f", "several"),
        ("f = 1\ndef g():\n    global f\n    f = 2", "several"),
        ("for f in x: ...", "value"),
        ("with a as (f, g): ...", "value"),
        ("try:\n    from a import f\nexcept ImportError:\n    from a import f", "import"),
        ("try:\n    from a import f\nexcept ImportError:\n    from b import f", "several"),
        ("match x:\n    case 1:\n        class f: ...", "class"),
    ],
)
def test_outlines(text: str, kind: str) -> None:
    outline = outline_of(text, Trees())
    assert outline is not None
    assert outline.names["f"].kind == kind


def test_what_is_no_python_has_no_outline() -> None:
    assert outline_of("print 'x'", Trees()) is None


def test_patches_are_seen() -> None:
    text = "ops.blur = f\nself.mine = 1\nops.count += 1\na.b == c\n"
    text += "monkeypatch.setattr(ops, 'shift', g)\nmock.patch('pkg.ops.pick')\n"
    assert patched_names(text) == {"blur", "count", "shift", "pick"}


def test_a_cached_report_depends_on_other_modules(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").touch()
    ops, user = tmp_path / "ops.py", tmp_path / "user.py"
    user.write_text(
        textwrap.dedent("""
            import numpy as np
            from ops import blur


            def run(x):
                y = np.sqrt(x)
                return blur(y) + y
        """)
    )

    def findings() -> list[str]:
        run = pipeline.check([str(user)], Config(root=str(tmp_path), jobs=1))
        return [f"{finding.code} {finding.message}" for report in run.reports for finding in report.findings]

    ops.write_text("import numpy as np\n\n\ndef blur(x):\n    return np.exp(x)\n")
    resolved = findings()
    assert findings() == resolved
    ops.write_text("import numpy as np\n\n\ndef blur(x):\n    x[0] = 1\n    return open(x)\n")
    changed = findings()
    assert changed != resolved
    ops.unlink()
    unresolved = findings()
    assert unresolved != resolved
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "__init__.py").write_text("import numpy as np\n\n\ndef blur(x):\n    return np.exp(x)\n")
    assert findings() == resolved
