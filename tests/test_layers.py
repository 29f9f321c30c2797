"""Imports only go to lower layers, as the order of layers asks; inside runtime and analysis, to lower rooms."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest
from slow_tests import SLOW, is_slow

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "np2tnp"
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))

LAYERS = {
    "importing": 0, "model": 0, "codes": 0, "config": 0, "options": 0, "guests": 0,
    "files": 1, "catalog": 1, "executors": 1, "worker": 1,
    "analysis": 2,
    "edits": 3,
    "rules": 4,
    "rewrite": 5, "project": 5, "session": 5, "engine": 5, "guests' hooks": 5,
    "probe": 6, "verify": 6, "profiling": 6, "report": 6,
    "pipeline": 7, "commands": 7, "migration": 7,
    "__init__": 7, "library": 7, "cli": 7, "terminal": 7, "status": 0, "__main__": 7,
}  # fmt: skip
THIRD_PARTY = {
    0: {"tomli"},
    1: {"tomli"},
    2: {"libcst"},
    3: {"libcst"},
    4: {"libcst"},
    5: {"libcst"},
    6: {"libcst", "rich", "numpy", "tensorflow", "matplotlib", "pynvml"},
    7: {"libcst", "rich", "shtab", "pygls", "lsprotocol"},
}
HEAVY = {"numpy", "tensorflow", "matplotlib"}

#: The rooms of two large folders: each imports only those that stand before it.
ROOMS = {
    "runtime": ("base", "symbols", "compile/xla", "indexing", "functions", "loops", "compile", "boundary"),
    "analysis": ("syntax", "lowering", "domain", "module", "interpreter", "loops", "driver"),
}
#: What still runs against the order of the rooms. This list may only become shorter.
AGAINST_THE_ORDER = """
    analysis.domain.events -> analysis.module.buffer_exchanges
    analysis.lowering.nodes -> analysis.domain.values
    runtime.base.promotion -> runtime.symbols.loop_counter
    runtime.compile.signatures -> runtime.boundary.contract
    runtime.compile.xla.materialize -> runtime.indexing.keys
    runtime.compile.xla.padded_stores -> runtime.indexing.keys
    runtime.compile.xla.strided_planes -> runtime.indexing.keys
    runtime.symbols.carried_values -> runtime.compile.xla.padded_stores
    runtime.symbols.changing_length -> runtime.indexing.inplace
    runtime.symbols.float32 -> runtime.boundary.contract
"""
MOST_FILES = 20
MOST_LINES = 800
#: New subjects may add to it (TNP706, notebooks, the language server); halves of old ones may not.
MOST_OF_ALL = 420
#: File names that stand in several folders. This list may only become shorter.
SAME_NAMES = set[str]()


def imported(tree: ast.AST) -> list[tuple[str, int]]:
    """The absolute names of all modules that a file imports, wherever in it, with their lines."""
    names: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            module = node.module or ""
            names += [(f"{module}.{alias.name}" if module == "np2tnp" else module, node.lineno) for alias in node.names]
    return names


def part_of(path: Path) -> str:
    """Its layer's name in `LAYERS`. What a guest says of itself has another one than what it does."""
    parts = path.relative_to(PACKAGE).parts
    if parts[0] == "guests" and len(parts) == 3 and path.name != "__init__.py":
        return "guests' hooks"
    return parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path: Path) -> None:
    part = part_of(path)
    wrong: list[str] = []
    for name, line in imported(ast.parse(path.read_text(encoding="utf-8"))):
        top, *rest = name.split(".")
        if top in sys.stdlib_module_names or top in ("tomllib", "typing_extensions"):  # the latter for mypy only
            continue
        if top == "np2tnp":
            other = rest[0] if rest else "__init__"
            if other in ("__version__", "__init__"):  # its version, and its folder
                continue
            below = part == other == "runtime" or (
                part != "runtime" and other != "runtime" and LAYERS[other] <= LAYERS[part]
            )
            # Programs that compare or time what rewritten code does may ask its runtime.
            if not below and not (other == "runtime" and LAYERS.get(part) == 6):
                wrong.append(f"line {line}: {name}")
        elif part == "runtime":
            if top not in ("numpy", "tensorflow"):
                wrong.append(f"line {line}: {name}")
        elif top not in THIRD_PARTY[LAYERS[part]]:
            wrong.append(f"line {line}: {name}")
    assert not wrong


def test_nobody_imports_from_the_folder_of_a_guest() -> None:
    """But the list of guests, and the folder itself: so it can be deleted."""
    found = []
    for path in MODULES:
        own = path.parent if path.parent.parent == PACKAGE / "guests" else None
        for name, line in imported(ast.parse(path.read_text(encoding="utf-8"))):
            parts = name.split(".")
            is_folder = parts[:2] == ["np2tnp", "guests"] and (PACKAGE / "guests" / "".join(parts[2:3])).is_dir()
            if is_folder and len(parts) > 2 and (own is None or own.name != parts[2]):
                found.append((path.relative_to(PACKAGE).as_posix(), line))
    assert {path for path, _ in found} == {"guests/__init__.py"}


def test_every_part_has_a_layer() -> None:
    assert {part_of(path) for path in MODULES} <= {*LAYERS, "runtime"}


def test_the_check_can_fail() -> None:
    tree = ast.parse("import numpy\ndef f():\n    from np2tnp.cli import main\n    from np2tnp import engine\n")
    assert imported(tree) == [("numpy", 1), ("np2tnp.cli", 3), ("np2tnp.engine", 4)]


def room_of(module: str) -> tuple[str, int] | None:
    """The folder with rooms, and which of its rooms it is, of a module such as ``runtime.base.errors``."""
    top, *rest = module.split(".")
    found = [room for room in ROOMS.get(top, ()) if "/".join(rest).startswith(f"{room}/")]
    return (top, ROOMS[top].index(max(found, key=len))) if found else None


def modules_imported(path: Path) -> list[str]:
    """The modules of ours that a file imports, wherever in it."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("np2tnp."):
            for alias in node.names:
                module = f"{node.module}.{alias.name}".removeprefix("np2tnp.")
                is_module = (PACKAGE / f"{module.replace('.', '/')}.py").exists()
                found.append(module if is_module else module.rpartition(".")[0])
    return found


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def against_the_order(path: Path) -> set[str]:
    mine = room_of(name_of(path))
    if mine is None:
        return set()
    others = [(module, room_of(module)) for module in modules_imported(path)]
    return {f"{name_of(path)} -> {module}" for module, it in others if it and it[0] == mine[0] and it[1] > mine[1]}


def test_rooms_import_only_rooms_before_them() -> None:
    listed = set(filter(None, map(str.strip, AGAINST_THE_ORDER.splitlines())))
    found = set().union(*map(against_the_order, MODULES))
    assert found - listed == set(), "new imports against the order"
    assert listed - found == set(), "gone: take them off the list"


def test_every_module_of_the_runtime_and_the_analysis_is_in_a_room() -> None:
    names = {name_of(path) for path in MODULES if path.name != "__init__.py"}
    loose = {name for name in names if name.partition(".")[0] in ROOMS and room_of(name) is None}
    assert loose == {"runtime.former_names"}


def imports_in_functions(path: Path) -> list[str]:
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    found = (node for function in functions for node in ast.walk(function) if isinstance(node, ast.ImportFrom))
    return [f"line {node.lineno}: {node.module}" for node in found if (node.module or "").startswith("np2tnp.")]


def test_no_function_of_the_runtime_imports_from_it() -> None:
    """What a lower room needs of a higher one, that puts there when it is imported: see ``tracing.Above``."""
    files = [path for path in MODULES if name_of(path).startswith("runtime.") and path.name != "__init__.py"]
    assert len(files) > 50
    assert {name_of(path): found for path in files if (found := imports_in_functions(path))} == {}


def test_no_module_of_the_runtime_asks_which_package_it_is_in() -> None:
    """``__package__`` is another one in each room: what means the runtime says ``np2tnp.runtime.__name__``."""
    runtime = [path for path in MODULES if part_of(path) == "runtime"]
    words = {
        path: [node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)]
        for path in runtime
    }
    assert len(runtime) > 50
    assert [name_of(path) for path in runtime if "__package__" in words[path]] == []


def test_the_checks_of_rooms_can_fail(tmp_path: Path) -> None:
    assert room_of("runtime.compile.xla.limits") == ("runtime", 2)
    assert room_of("runtime.compile.compiled") == ("runtime", 6)
    assert room_of("runtime.former_names") is None
    file = tmp_path / "x.py"
    text = "from np2tnp.runtime.base import errors\n\n\ndef f():\n    from np2tnp.runtime.loops.control import g\n"
    file.write_text(text)
    assert modules_imported(file) == ["runtime.base.errors", "runtime.loops.control"]
    assert imports_in_functions(file) == ["line 5: np2tnp.runtime.loops.control"]


def test_no_folder_and_no_file_is_too_large() -> None:
    """A file is one subject, a folder holds what fits on a page."""
    sizes = Counter(path.parent.relative_to(PACKAGE).as_posix() for path in MODULES if path.name != "__init__.py")
    assert {folder: count for folder, count in sizes.items() if count > MOST_FILES} == {}
    assert len(MODULES) <= MOST_OF_ALL, "join halves: what one module alone imports, and is a page long"
    lines = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_file_names_are_unique() -> None:
    names = Counter(path.stem for path in MODULES if path.name != "__init__.py")
    assert {name for name, count in names.items() if count > 1} == SAME_NAMES


#: Folders of tests that stand for no folder of the package: whole programs, before and after.
OF_ALL_PARTS = {".", "end_to_end"}
TEST_FILES = sorted((ROOT / "tests").rglob("test_*.py"))


def folders_that_mirror_none(tests: list[str], package: set[str]) -> set[str]:
    return {folder for test in tests if (folder := Path(test).parent.as_posix()) not in package | OF_ALL_PARTS}


def test_tests_mirror_the_package() -> None:
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in MODULES}
    tests = [path.relative_to(ROOT / "tests").as_posix() for path in TEST_FILES]
    assert folders_that_mirror_none(tests, folders) == set()
    tested = {Path(test).parts[0] for test in tests}
    assert {folder.split("/")[0] for folder in folders} - tested - {"."} == set(), "parts of the package without tests"
    sizes = Counter(Path(test).parent.as_posix() for test in tests)
    assert {folder: count for folder, count in sizes.items() if count > MOST_FILES} == {}
    assert max(Counter(Path(test).name for test in tests).values()) == 1, "pytest imports them by their names"


def test_the_check_of_the_mirror_can_fail() -> None:
    tests = ["test_all.py", "end_to_end/test_b.py", "analysis/domain/test_c.py", "analysis/loops/test_d.py"]
    assert folders_that_mirror_none(tests, {".", "analysis", "analysis/domain"}) == {"analysis/loops"}


def test_what_is_marked_slow_is_there() -> None:
    files = [path.relative_to(ROOT / "tests").as_posix() for path in TEST_FILES]
    assert [name for name in SLOW if not any(file.startswith(name) for file in files)] == []
    slow = [path for path in TEST_FILES if is_slow(path)]
    assert 0 < len(slow) < len(TEST_FILES) / 2
