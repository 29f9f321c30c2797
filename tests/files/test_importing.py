"""Nothing of the project that is analysed is ever imported: a file for every module of Python's library tells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from np2tnp import executors, importing

PACKAGE_HOME = str(Path(importing.__file__).resolve().parents[1])
#: Modules besides Python's that some library may ask for.
OTHERS = (
    *("numpy", "tensorflow", "libcst", "rich", "pathspec", "yaml", "pygments", "markdown_it", "mdurl", "attr"),
    *("IPython", "tomli", "typing_extensions", "sitecustomize", "usercustomize", "np2tnp_runtime", "colorama"),
)
SOURCE = "import numpy as np\n\n\ndef f(x):\n    return np.tanh(x)\n"
#: As the installed command begins: nothing of the current directory is on its path.
COMMAND = "import sys\nsys.path.remove('')\nfrom np2tnp.__main__ import main\nsys.exit(main())"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Files that leave a mark when they are executed, and sources."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, *OTHERS):
        mark = f"open({str(tmp_path / 'executed')!r}, 'a').write({name + ' '!r})\n"
        (folder / f"{name}.py").write_text(mark)
    for number in range(4):
        (folder / f"source{number}.py").write_text(SOURCE)
    return folder


def run(project: Path, *command: str, python_path: str = "") -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": python_path, "XDG_STATE_HOME": str(project.parent / "state")}
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def executed(project: Path) -> str:
    mark = project.parent / "executed"
    return mark.read_text() if mark.exists() else ""


def drop(project: Path, loaded: str) -> None:
    """Remove the files that are called like modules that Python loads before anything of ours runs."""
    for name in loaded.split():
        (project / f"{name.partition('.')[0]}.py").unlink(missing_ok=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--no-cache", "-j2", "."],
        ["check", "-j1", "."],
        ["check", "--output-format", "github", "."],
        ["rewrite", "--apply", "--slow", "convert", "-j2", "."],
        ["report", "-j2", "."],
        ["rules"],
        ["explain", "TNP101"],
        ["api", "numpy.sum"],
    ],
    ids=" ".join,
)
def test_no_file_of_the_project_is_executed(project: Path, arguments: list[str]) -> None:
    status, said = run(project, "-c", COMMAND, *arguments, python_path=PACKAGE_HOME)
    assert executed(project) == ""
    assert status in (0, 1), said
    assert "died" not in said
    if arguments[0] == "rewrite":
        assert "4 files rewritten" in said


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_the_current_directory_first_on_the_path(project: Path, jobs: str) -> None:
    """``python -m`` puts it there, and imports some modules itself."""
    inert = project.parent / "inert"
    inert.mkdir()
    (inert / "inert.py").write_text("import sys\nprint(*sys.modules)\n")
    status, loaded = run(inert, "-m", "inert", python_path=PACKAGE_HOME)
    assert status == 0
    drop(project, loaded)
    assert (project / "__future__.py").exists()
    status, said = run(project, "-m", "np2tnp", "check", "--no-cache", jobs, ".", python_path=PACKAGE_HOME)
    assert executed(project) == ""
    assert status == 0, said
    assert "Functions: " in said


def test_the_project_on_pythonpath(project: Path) -> None:
    status, loaded = run(project.parent, "-c", "import sys; print(*sys.modules)", python_path=PACKAGE_HOME)
    assert status == 0
    drop(project, f"{loaded} sitecustomize usercustomize")  # Python itself imports these
    python_path = os.pathsep.join((str(project), PACKAGE_HOME))
    for arguments in (["check", "--no-cache", "-j2", "."], ["rewrite", "-j2", "."]):
        status, said = run(project, "-c", COMMAND, *arguments, python_path=python_path)
        assert executed(project) == ""
        assert status in (0, 1), said
        assert "died" not in said


def test_workers_import_only_from_where_they_are_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("PYTHONPATH", str(project))
    with monkeypatch.context() as patched:
        patched.setattr(sys, "path", ["", str(project), *sys.path])
        path = importing.path_without_projects([])
    assert dict(executors.map_in_processes(abs, [-1, -2, -3], 2, 60.0, path)) == {0: 1, 1: 2, 2: 3}
    assert executed(project) == ""


def test_what_stays_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    (project / "src" / "package").mkdir(parents=True)
    (project / "pyproject.toml").write_text("")
    (project / "src" / "package" / "__init__.py").write_text("")
    installed = project / ".venv" / "lib" / "site-packages"
    vendored, elsewhere = project / "vendored", tmp_path / "elsewhere"
    for folder in (installed, vendored / "libcst", elsewhere, tmp_path / "empty"):
        folder.mkdir(parents=True)
    library = os.path.dirname(os.__file__)
    path = ["", "src", str(project / "src"), str(vendored), str(elsewhere), library, str(installed), str(project)]
    monkeypatch.setattr(sys, "path", path)
    monkeypatch.setattr(sys, "prefix", str(project / ".venv"))
    monkeypatch.chdir(tmp_path / "empty")
    kept = [str(elsewhere), library, str(installed), str(vendored)]
    assert importing.path_without_projects([str(project / "src" / "package")]) == kept
    monkeypatch.chdir(project / "src")
    assert importing.path_without_projects(["check", "--select", "TNP1", "\0"]) == kept


def test_workers_are_named_like_no_module_of_python() -> None:
    """For a moment their own folder is first on their path."""
    package = Path(importing.__file__).parent
    assert not {path.stem for path in package.iterdir()} & sys.stdlib_module_names - {"__main__", "__init__"}
