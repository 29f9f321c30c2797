"""Files that cannot use NumPy are left alone early; those that may, by whatever name, are not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from np2tnp.config import Config
from np2tnp.files.discover import holds_needle


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy", True),
        ("x = np.ones(3)", True),
        ("from compat import np\n\n\nf = np", False),  # nothing of it is used
        ("from compat import onp\nonp.sin(1)", True),
        ("from compat import (\n    a,\n    xp as onp,\n)\nonp.sin(1)", True),
        ("from compat import a, \\\n    onp\nonp.sin(1)", True),
        ("import compat as onp; onp.sin(1)", True),
        ("from compat import *\nonp.sin(1)", True),
        ("import compat\nonp = compat.np\nonp.sin(1)", True),
        ("import compat\ncompat.np.sin(1)", True),
        ("\u00e9np.sin(1)", True),
        ("import sys\ninp = sys.stdin\ninp.read()", False),
        ("from files import inputs\nfor inp in inputs:\n    print(inp.name)", False),
    ],
)
def test_what_may_name_numpy(text: str, expected: bool) -> None:
    assert holds_needle(text.encode(), Config().needles) is expected


def test_facts_are_read_once_and_not_where_nothing_names_numpy(tmp_path) -> None:
    files = {"inp.py": "import sys\ninp = sys.stdin\ninp.read()\n", "a.py": "import numpy as np\nx = np.ones(3)\n"}
    files["b.py"] = files["a.py"] + "def f(x):\n    return np.sin(x)\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    counting = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0])))\n"
        "from np2tnp.cli import main\n"
        "try: main(['check', '--no-cache', '-q', '-j1', *sys.argv[1:]])\n"
        "finally: sys.stderr.write(str(sum(name.endswith('facts.json') for name in opened)))"
    )
    for names, times in ((("inp.py",), "0"), (("a.py", "b.py", "inp.py"), "1")):
        command = [sys.executable, "-c", counting, *names]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stderr.endswith(times), names
