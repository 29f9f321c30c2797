"""Importing the runtime is cheap, and its names are found."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from forked_python import python

from np2tnp import runtime as rt

PACKAGE = Path(rt.__file__).parent


def run(code: str, is_new: bool = False) -> None:
    """Run a program; in a new process where it is about what is imported first."""
    text = textwrap.dedent(code)
    if is_new:
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    else:
        done = python("-c", text)
    assert done.returncode == 0, done.stderr


def test_importing_and_decorating_import_neither_tensorflow_nor_families() -> None:
    run(
        """
        import sys
        from np2tnp import runtime as rt
        assert rt.__version__ == 1
        assert not [name for name in sys.modules if name.startswith("np2tnp.runtime.")]
        @rt.migrated(mutates=("x",))
        def f(x): return rt.updated(None, x=x)
        rt.at([1])[0].set(2)
        assert "tensorflow" not in sys.modules
        """,
        is_new=True,
    )


def test_asking_for_an_unknown_name_imports_nothing() -> None:
    run(
        """
        import sys
        from np2tnp import runtime as rt
        rt.migrated
        for module in sys.modules.values():
            hasattr(module, "load_tests")
        assert "tensorflow" not in sys.modules
        """,
        is_new=True,
    )


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        rt.no_such_name  # noqa: B018


def test_dir_lists_names_of_every_family() -> None:
    assert {"at", "migrated", "iadd", "add_at", "host", "linalg", "put"} <= set(dir(rt))


def test_every_public_name_can_be_reached() -> None:
    for path in PACKAGE.rglob("*.py"):
        if "\n__all__" not in path.read_text(encoding="utf-8"):
            continue
        place = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        names = importlib.import_module(f"np2tnp.runtime.{place}").__all__
        found = [rt, *(getattr(rt, namespace.rpartition(".")[2]) for namespace in rt.NAMESPACES)]
        for name in names:
            assert any(hasattr(place, name) for place in found), f"{path.stem}.{name} is exported by nothing"


def test_no_name_belongs_to_two_families() -> None:
    seen: dict[str, str] = {}
    for family in rt.FAMILIES:
        module = rt._load(family)
        for name in module.__all__ if module is not None else ():
            assert hasattr(module, name), f"{family}.{name}"
            assert name not in seen, f"{name} is in {seen[name]} and {family}"
            seen[name] = family


def test_helpers_pickle_by_name() -> None:
    assert pickle.loads(pickle.dumps(rt.at)) is rt.at


def test_threads_may_ask_for_first_names_at_once() -> None:
    run(
        """
        import sys, threading
        from np2tnp import runtime as rt
        sys.setswitchinterval(1e-6)
        start, failures = threading.Barrier(8), []
        def ask():
            start.wait()
            for name in ("add", "sort", "unique", "histogram", "interp", "at", "diff", "einsum"):
                try:
                    getattr(rt, name)
                except Exception as error:
                    failures.append(f"{name}: {error}")
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures
    """,
        is_new=True,
    )


def test_no_folder_or_module_hides_a_public_name() -> None:
    """An import makes a folder an attribute of the package, in the place of a name that rewritten code uses."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    public = set(dir(rt)) - {namespace.rpartition(".")[2] for namespace in rt.NAMESPACES}
    assert not folders & public
    assert not {family.partition(".")[0] for family in rt.FAMILIES} & public


def test_importing_every_module_leaves_the_public_names_alone() -> None:
    run("""
        import pkgutil, types
        from np2tnp import runtime as rt
        for module in pkgutil.walk_packages(rt.__path__, "np2tnp.runtime."):
            __import__(module.name)
        spaces = {path.rpartition(".")[2] for path in rt.NAMESPACES}
        for name in dir(rt):
            assert isinstance(getattr(rt, name), types.ModuleType) is (name in spaces), name
    """)


@pytest.mark.parametrize(
    "name", ["indexing.at", "core_results.updated", "boundary.migrated", "dispatch.exact", "loops.ufunc", "weak.Weak"]
)
def test_pickles_of_the_time_of_one_folder_load(name: str) -> None:
    """They name a module that is in a folder now, or is one."""
    module, _, attribute = name.rpartition(".")
    data = f"cnp2tnp.runtime.{module}\n{attribute}\n.".encode()
    run(f"""
        import pickle
        found = pickle.loads({data!r})
        assert found.__name__ == {attribute!r}
        from np2tnp.runtime.former_names import FORMER
        import importlib
        from np2tnp import runtime as rt
        home = importlib.import_module("np2tnp.runtime." + FORMER[{module!r}])
        assert found in (vars(home).get({attribute!r}), vars(rt).get({attribute!r}))
    """)


def test_every_former_name_leads_to_a_module() -> None:
    run("""
        import importlib, sys
        from np2tnp.runtime.former_names import FORMER
        for old, new in FORMER.items():
            found = importlib.import_module("np2tnp.runtime." + old)
            today = importlib.import_module("np2tnp.runtime." + new)
            assert found is today or hasattr(found, "__path__"), old
    """)


def test_a_module_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("np2tnp.runtime.no_such_module")
    with pytest.raises(AttributeError):
        importlib.import_module("np2tnp.runtime.indexing").no_such_name  # noqa: B018
