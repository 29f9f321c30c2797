"""Imports in rewritten files: where people would write them, and none inside of functions that nothing uses."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest
from forked_python import python

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

ROOT = Path(__file__).resolve().parents[2]
WORK = "\n\ndef f(x):\n    return np.trunc(x)\n"
DONE = "\n\n@rt.migrated\ndef f(x):\n    return rt.trunc(x)\n"
OURS = "from np2tnp import runtime as rt\n"
LATER = "if True:\n    import numpy as np\n"


def rewritten(text: str) -> str | None:
    config = Config(rewrite=True, on_unverified="raise")
    return analyze(Source("m.py", text), config).new_text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\n", f"import numpy as np\n{OURS}"),
        (
            "import numpy as np\nimport os\n\nfrom .x import y\n",
            f"import numpy as np\nimport os\n{OURS}\nfrom .x import y\n",
        ),
        (f'"""Doc."""\n\nimport os\nimport sys\n\n{LATER}', f'"""Doc."""\n\nimport os\nimport sys\n{OURS}\n{LATER}'),
        (f'"""Doc."""\n{LATER}', f'"""Doc."""\n\n{OURS}\n{LATER}'),
        (
            f"from __future__ import annotations\n\nX = 1\n{LATER}",
            f"from __future__ import annotations\n\n{OURS}\nX = 1\n{LATER}",
        ),
        (f"# licence\nX = 1\n{LATER}", f"# licence\n{OURS}\nX = 1\n{LATER}"),
        (f"# licence\n\n# about X\nX = 1\n{LATER}", f"# licence\n\n{OURS}\n# about X\nX = 1\n{LATER}"),
        (
            "try:\n    import numpy as np\nexcept ImportError:\n    np = None\n",
            f"{OURS}\ntry:\n    import numpy as np\nexcept ImportError:\n    np = None\n",
        ),
    ],
)  # fmt: skip
def test_the_runtime_is_imported_where_imports_belong(before: str, after: str) -> None:
    assert rewritten(before + WORK) == after + DONE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'def f(x):\n    """Doc."""\n    import numpy as np\n\n    return np.trunc(x)\n',
            '@rt.migrated\ndef f(x):\n    """Doc."""\n\n    return rt.trunc(x)\n',
        ),
        (
            "def f(x):\n    import numpy as np\n\n    # why\n    return np.trunc(x)\n",
            "@rt.migrated\ndef f(x):\n    # why\n    return rt.trunc(x)\n",
        ),
        (
            "def f(x):\n    from numpy import trunc, float32\n    return trunc(x) + float32(1)\n",
            "@rt.migrated\ndef f(x):\n    from numpy import float32\n    return rt.trunc(x) + float32(1)\n",
        ),
        (
            "def f(x):\n    if x:\n        import os, numpy\n        return numpy.trunc(x)\n",
            "@rt.migrated\ndef f(x):\n    if x:\n        import os\n        return rt.trunc(x)\n",
        ),
        # what stays: for its comment, or because it may be used where nobody writes the name
        (
            "def f(x):\n    import numpy as np  # slow\n    return np.trunc(x)\n",
            "@rt.migrated\ndef f(x):\n    import numpy as np  # slow\n    return rt.trunc(x)\n",
        ),
        (
            "def f(x):\n    import numpy as np\n    print(sorted(locals()))\n    return np.trunc(x)\n",
            None,
        ),
    ],
)  # fmt: skip
def test_no_import_is_left_in_a_function_that_does_not_use_it(before: str, after: str | None) -> None:
    new = rewritten(before)
    if after is None:
        assert new is None or "import numpy as np" in new
    else:
        assert new == f"{OURS}\n\n{after}"


def test_the_original_keeps_its_import() -> None:
    text = dedent(
        """
        def f(x):
            import numpy as np
            return np.trunc(x)
        """
    )
    new = analyze(Source("m.py", text), Config(rewrite=True)).new_text
    assert new is not None
    assert new.count("import numpy as np") == 1
    assert "def _(x):\n    import numpy as np\n    return np.trunc(x)\n" in new


@pytest.mark.parametrize(
    ("taker", "exported", "names"),
    [
        ("from .inner import *\n", "", ("_rt", "_tnp")),
        ("from pkg.inner import *\n", "", ("_rt", "_tnp")),
        ("from .inner import *\n", '__all__ = ["area"]\n', ("rt", "tnp")),
        ("from .inner import area\n", "", ("rt", "tnp")),
    ],
)
def test_added_names_do_not_travel_by_star_imports(
    taker: str, exported: str, names: tuple[str, str], tmp_path: Path
) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    inner = f"import numpy as np\n\n{exported}\n\ndef area(x: np.ndarray):\n    return np.sum(x) * 2\n"
    (package / "inner.py").write_text(inner)
    (package / "__init__.py").write_text(f"rt = 0.5\ntnp = 2.0\n{taker}\n\ndef ratio():\n    return rt * tnp\n")
    config = Config(root=str(tmp_path), cache=False, on_unverified="raise")
    (change,) = pipeline.rewrite([str(package)], config, apply=True).changes
    new = Path(change.path).read_text()
    assert f"\n    return {names[1]}.sum(x) * 2\n" in new
    assert f"\n@{names[0]}.migrated" in new
    program = "import pkg, numpy as np; print(pkg.ratio(), pkg.area(np.ones(3)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = python("-c", program, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1.0", "6.0"]
