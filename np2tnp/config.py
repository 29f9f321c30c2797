"""What a run was asked to do; the only reader of ``[tool.np2tnp]``."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from np2tnp.codes import WORDS, expanded, is_known
from np2tnp.guests import GUESTS, Values, guest_choices
from np2tnp.importing import project_root
from np2tnp.model import Callee

DEFAULT_EXCLUDE = (
    *(".bzr", ".direnv", ".eggs", ".git", ".hg", ".hypothesis", ".idea", ".ipynb_checkpoints", ".mypy_cache", ".nox"),
    *(".np2tnp_cache", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode"),
    *("__pycache__", "__pypackages__", "_build", "build", "dist", "node_modules", "np2tnp_runtime"),
    *("site-packages", "venv"),
)

CHOICES: dict[str, tuple[str, ...]] = {
    "output_format": (
        *("text", "full", "concise", "grouped", "json", "json-lines", "csv"),
        *("github", "gitlab", "junit", "rdjson", "sarif"),
    ),
    "boundary": ("numpy", "tensor"),
    "state": ("numpy", "tensor"),
    "slow": ("keep", "convert"),
    "on_unverified": ("numpy", "warn", "raise"),
    "enable_numpy_behavior": ("call", "import", "entrypoint", "never"),
    "compile": ("hot", "none", "auto", "graph", "xla"),
    "runtime": ("import", "vendor"),
    "target_tensorflow": ("newest", "2.21", "2.20", "2.19", "2.18"),
    "target_numpy": ("newest", "1.26"),
    "fail_on": ("convert", "adapt", "host", "block", "note"),
    **guest_choices(),
}

#: Options that decide what is emitted: what was measured under some may only be rewritten under the same.
EMISSION = (
    *("boundary", "state", "on_unverified", "target_tensorflow", "unsafe", "float32"),
    *(guest.name for guest in GUESTS if guest.is_measured),
)

#: For ``above``: whatever the size, callers that are not migrated get the original, and only migrated ones the core.
NEVER = 2**63 - 1

DEFAULT_BASELINE = "np2tnp-baseline.json"

#: Values of ``compile`` by which no function is compiled before it is called.
EAGERLY = ("hot", "none", "auto")

#: What the runtime takes where ``above`` is not given.
FEW = 100_000

_MOST_BYTES = 10_000_000  #: of a configuration file
_DEVICE = re.compile(r"(?:/job:\w+/replica:\d+/task:\d+)?/?(?:device:)?(?:CPU|GPU|TPU):\d+\Z", re.IGNORECASE)


class ConfigError(Exception):
    """A configuration or command line that cannot be followed. The text is one line for the user."""


@dataclass(frozen=True, slots=True)
class RegionOptions:
    """What a measurement decided for one region."""

    path: str
    qualname: str
    compile: str | None = None  #: None: as for all
    #: elements of the largest array from which on it was faster; below, the original is called; or NEVER
    above: int | None = None  #: None: as for all


@dataclass(frozen=True, slots=True)
class Given:
    """What a run's configuration was loaded for: files elsewhere may have another configuration file nearer."""

    start: str  #: the directory from which it was looked for
    overrides: tuple[tuple[str, Any], ...]  #: of the command line


@dataclass(frozen=True, slots=True)
class Config(Values):
    """All options of one run. Paths in it are as given; ``root`` is absolute."""

    root: str = "."  #: the project's top: where the configuration was found, else the version control's
    rewrite: bool = False  #: the engine is asked for ``FileReport.new_text``
    select: tuple[str, ...] = ()  #: code prefixes to report; empty: all
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: (glob, code prefixes)
    fail_on: tuple[str, ...] = ("block",)
    fail_on_selected: bool = False  #: nobody said what to fail on: what ``select`` names does, too
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False  #: exclusion holds for files that are named on the command line, too
    respect_gitignore: bool = True
    output_format: str = "text"
    boundary: str = "numpy"
    state: str = "numpy"  #: what attributes of objects hold from call to call
    slow: str = "keep"
    on_unverified: str = "numpy"  #: what a migrated function does with arguments that it cannot vouch for
    enable_numpy_behavior: str = "call"  #: when tensors get NumPy's behaviour: at the first call, at import, ...
    top_level: bool = False  #: the top level of scripts migrates, too
    device: str = ""  #: where migrated functions work, such as ``/GPU:0``; empty: where TensorFlow likes
    compile: str = "hot"
    above: int | None = None  #: elements from which on TensorFlow works; 0: always; None: the runtime's default
    float32: bool = False  #: migrated functions work in float32 where NumPy works in float64
    target_numpy: str = "newest"  #: for which NumPy the code is written: that decides which names there are
    runtime: str = "import"  #: rewritten code imports np2tnp.runtime, or a copy that lies beside it
    target_tensorflow: str = "newest"  #: whose facts decide what is rewritten to what
    unsafe: bool = False
    jobs: int = 0  #: worker processes; 0: as many as pay off
    file_timeout: int = 10  #: seconds of processor time that one file may take; 0: any
    cache: bool = True
    cache_dir: str = ""  #: empty: ``.np2tnp_cache`` in ``root``
    only_regions: tuple[str, ...] = ()  #: patterns of the regions that may be rewritten; empty: all
    skip_regions: tuple[str, ...] = ()  #: patterns of regions that stay as they are
    chosen_regions: frozenset[tuple[str, str]] | None = None  #: (path, qualified name) exactly; None: all
    region_options: tuple[RegionOptions, ...] = ()
    needles: tuple[str, ...] = ("numpy", "np.")  #: a file that contains none of these is not parsed
    numpy_names: tuple[str, ...] = ()  #: names that stand for NumPy wherever they are used, such as ``xp``
    callees: tuple[Callee, ...] = ()  #: what callables of other libraries do with arrays, by the user's word
    baseline: str = DEFAULT_BASELINE  #: the file of findings that are known, from ``root``
    tests: tuple[str, ...] = ()  #: globs of files that ``rewrite`` leaves as they are: the reference
    verbose: bool = False
    quiet: bool = False
    given: Given | None = None  #: None: one configuration for all files

    def of_file(self, path: str) -> Config:
        """The options for one file: of the nearest configuration file, with all that was changed since loading."""
        return self if self.given is None else self.of_directory(os.path.dirname(os.path.abspath(path)))

    def of_directory(self, directory: str) -> Config:
        """As ``of_file``, for the files of a directory. Raises ConfigError."""
        if self.given is None:
            return self
        home = _home(directory)
        if not home or home == _home(self.given.start):
            return self
        near = _nearest(directory, self.given.overrides)
        loaded = _nearest(self.given.start, self.given.overrides)
        if near == loaded:
            return self
        names = [item.name for item in fields(Config) if item.name != "given"]
        changed = {name: getattr(self, name) for name in names if getattr(self, name) != getattr(loaded, name)}
        return replace(near, given=self.given, **changed)

    def spares_file(self, path: str) -> bool:
        """Whether ``rewrite`` leaves the file as it is: a test, or one of which no finding is wanted."""
        silent = (pattern for pattern, codes in self.per_file_ignores if {"ALL", "TNP"} & {*codes})
        return path_matches(path, (*self.tests, *silent), self.root)

    def is_test(self, path: str) -> bool:
        """Whether the file is a test: the user says so, or its name or folder does."""
        return _is_test(path, self.tests, self.root)

    def names_test(self, path: str) -> bool:
        """Whether a path of the command line is a test or a folder of such, which may be the root itself."""
        return self.is_test(path) or _is_test(path, self.tests, os.getcwd())

    def baseline_file(self) -> str | None:
        """The file of known findings; None where nobody named one and the usual one is not there."""
        file = os.path.join(self.root, self.baseline)
        return file if self.baseline != DEFAULT_BASELINE or os.path.lexists(file) else None

    def excludes(self, path: str) -> bool:
        """Whether the file is left out."""
        return path_matches(path, (*self.exclude, *self.extend_exclude), self.root)

    def fingerprint(self) -> str:
        """What the findings of a file depend on, as text: part of the cache's key."""
        return repr([(name, getattr(self, name)) for name in sorted(_ANALYSIS_OPTIONS)])

    def names_numpy(self) -> tuple[str, ...]:
        """What a file must contain to be parsed."""
        return (*self.needles, *(f"{name}." for name in self.numpy_names))

    def reports(self, code: str, path: str) -> bool:
        """Whether findings of this code in this file are wanted. Errors (TNP90x) always are."""
        if code.startswith("TNP90"):
            return True
        chosen = self.select or ("ALL",)
        if not _matches(code, (*chosen, *self.extend_select)) or _matches(code, self.ignore):
            return False
        return not any(
            _matches(code, codes) and path_matches(path, (pattern,), self.root)
            for pattern, codes in self.per_file_ignores
        )

    def selects(self, code: str) -> bool:
        """Whether the user named the code, or a group with it, among those to report."""
        return _matches(code, (*self.select, *self.extend_select))

    def wants_region(self, path: str, qualname: str) -> bool:
        """Whether the region may be rewritten at all, as far as the user, or a measurement, has a say in it."""
        if self.chosen_regions is not None and not any(
            (form, qualname) in self.chosen_regions for form in _forms(path)
        ):
            return False
        return not self.spares_region(path, qualname)

    def spares_region(self, path: str, qualname: str) -> bool:
        """Whether the user said that nothing in the region is to change."""
        if self.only_regions and not self._names_region(self.only_regions, path, qualname):
            return True
        return self._names_region(self.skip_regions, path, qualname)

    def options_of(self, path: str, qualname: str) -> RegionOptions:
        """What was decided for this region apart from the others."""
        forms = _forms(path) if self.region_options else ()
        return next(
            (item for item in self.region_options if item.qualname == qualname and item.path in forms),
            RegionOptions(path, qualname, above=self.above),
        )

    def require_regions(self, known: Iterable[tuple[str, str]]) -> None:
        """Raise ConfigError when ``only_regions`` asks for what is not among the (path, qualified name) ``known``."""
        regions = list(known) if self.only_regions else []
        for pattern in self.only_regions:
            if not any(self._names_region((pattern,), path, name) for path, name in regions):
                names = {name for _, name in regions}
                raise ConfigError(f"--only {pattern}: there is no such function{did_you_mean(pattern, names)}")

    def _names_region(self, patterns: Iterable[str], path: str, qualname: str) -> bool:
        """``NAME``, ``FILE::NAME`` or ``FILE::``, globs both; a class's name stands for its methods."""
        from fnmatch import fnmatchcase

        for pattern in patterns:
            file, mark, name = pattern.rpartition("::")
            if mark and file and not path_matches(path, (file,), self.root):
                continue
            if not name or fnmatchcase(qualname, name) or fnmatchcase(qualname, name + ".*"):
                return True
        return False


_ANALYSIS_OPTIONS = {
    *(
        "above",
        "boundary",
        "callees",
        "compile",
        "device",
        "enable_numpy_behavior",
        "float32",
        "needles",
        "numpy_names",
        "on_unverified",
        "only_regions",
        "skip_regions",
        "rewrite",
        "root",
        "slow",
        "state",
        "target_numpy",
        "target_tensorflow",
        "top_level",
        "unsafe",
    ),
    *(guest.name for guest in GUESTS),
}
#: Not to be set in a file: they belong to one command.
_INTERNAL = {
    *("root", "rewrite", "verbose", "quiet", "only_regions", "chosen_regions", "region_options", "fail_on_selected"),
    "given",
}


def settable() -> list[str]:
    """What a configuration file may set, as it is written there."""
    return sorted(item.name.replace("_", "-") for item in fields(Config) if item.name not in _INTERNAL)


def read_table(file: str) -> dict[str, Any]:
    """The table of a file that was named. Raises ConfigError."""
    return _read_table(file, explicit=True) or {}


def _forms(path: str) -> tuple[str, ...]:
    """A path as given, absolute, and relative: a module that is reached by an import has its absolute one."""
    absolute = os.path.abspath(path)
    try:
        return path, absolute, os.path.relpath(absolute)
    except ValueError:  # on another drive of Windows
        return path, absolute


def _matches(code: str, prefixes: Iterable[str]) -> bool:
    return any(prefix == "ALL" or code.startswith(prefix) for prefix in prefixes)


def path_matches(path: str, patterns: Iterable[str], root: str) -> bool:
    """Whether a pattern names the path: one without ``/`` matches any part, one with ``/`` the path below ``root``.

    ``pkg/tests/*`` is below ``pkg``, too, where that is the root as the current directory shows it.
    """
    from fnmatch import fnmatch

    relative = os.path.relpath(path, root).replace(os.sep, "/")
    parts = [part for part in relative.split("/") if part != ".."]
    for pattern in patterns:
        wanted = pattern.rstrip("/")
        if "/" not in wanted:
            if any(fnmatch(part, wanted) for part in parts):
                return True
        else:
            wanted = wanted.removeprefix("./").removeprefix("/")
            below = wanted.removeprefix(os.path.relpath(root).replace(os.sep, "/") + "/")
            paths = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
            if any(fnmatch(item, wanted) or fnmatch(item, below) for item in paths):
                return True
    return False


#: Files and folders with tests, by the names that people give them.
_TESTS = ("test_*.py", "*_test.py", "*_tests.py", "*Test.py", "*Tests.py", "tests.py", "conftest.py", "tests", "test")


@cache
def _is_test(path: str, tests: tuple[str, ...], root: str) -> bool:
    return path_matches(path, (*tests, *_TESTS), root)


def load(
    paths: Iterable[str],
    overrides: Mapping[str, Any] | None = None,
    *,
    config: Sequence[str] = (),
    isolated: bool = False,
) -> Config:
    """The configuration for a run over ``paths``, which gives that of each file (``of_file``).

    ``config`` are the values of ``--config``: one configuration file for all files, and ``KEY=VALUE``, which win over
    any file; ``overrides`` (from the command line) win over both. Otherwise the nearest ``np2tnp.toml``, or
    ``pyproject.toml`` with a ``[tool.np2tnp]`` table, at or above a file counts; for what is one for the whole run, at
    or above what the paths have in common. Raises ConfigError.
    """
    _home.cache_clear()
    _nearest.cache_clear()
    find_table.cache_clear()
    start = _common_directory(paths)
    file, values = _split_config(config)
    values.update(validated(overrides or {}, None))
    if file is not None and isolated:
        raise ConfigError("--config and --isolated exclude each other")
    if file is None and not isolated:
        found = _nearest(start, tuple(values.items()))
        return replace(found, given=Given(start, tuple(values.items())))
    root = project_root(start) if file is None else os.path.dirname(os.path.abspath(file))
    return _made(root, {} if file is None else read_table(file), file or "", values)


@cache
def _home(directory: str) -> str:
    """The nearest directory with a configuration file, else the project's top; empty where nothing tells."""
    file, _ = find_table(directory)
    return os.path.dirname(file) if file else project_root(directory, "")


@cache
def _nearest(directory: str, overrides: tuple[tuple[str, Any], ...]) -> Config:
    """What counts for the files of a directory, without ``given``."""
    where, table = find_table(directory)
    root = os.path.dirname(where) if where else project_root(directory)
    return _made(root, table, where, dict(overrides))


@cache
def find_table(directory: str) -> tuple[str, dict[str, Any]]:
    """The nearest configuration file at or above a directory, and its table; empty where there is none."""
    found, where = _table_in(directory)
    if found is not None:
        return where, found
    above = os.path.dirname(directory)
    return find_table(above) if above != directory else ("", {})


def _made(root: str, table: Mapping[str, Any], file: str, overrides: Mapping[str, Any]) -> Config:
    values = validated(table, file or "the configuration")
    values.update(overrides)
    made = replace(Config(root=root, fail_on_selected="fail_on" not in values), **values)
    _refuse_contradictions(made, values)
    return made


def _split_config(given: Sequence[str]) -> tuple[str | None, dict[str, Any]]:
    """The file among the values of ``--config``, and what its ``KEY=VALUE`` say. Raises ConfigError."""
    file: str | None = None
    values: dict[str, Any] = {}
    for item in given:
        key, equals, text = item.partition("=")
        if equals and not os.path.exists(item):
            values.update(validated({key.strip(): _value(key.strip(), text.strip())}, "--config"))
        elif file is None:
            file = item
        else:
            raise ConfigError(f"--config {item}: {file} was named before; only one file can be read")
    return file, values


def _value(key: str, text: str) -> Any:
    """The value of ``KEY=VALUE``: TOML's, or plain words; a list's, separated by commas."""
    try:
        return _toml(f"value = {text}")["value"]
    except ValueError:
        default = getattr(Config(), key.replace("-", "_"), None)
        return [word.strip() for word in text.split(",")] if isinstance(default, tuple) else text


def _refuse_contradictions(config: Config, given: Mapping[str, Any]) -> None:
    """Raises ConfigError. `given`: the options that the user set; a default that has no place is no contradiction."""
    if config.device and not _DEVICE.match(config.device):
        raise ConfigError(f"--device: expected a device such as /GPU:0, got {config.device!r}")
    if config.float32 and config.top_level:
        raise ConfigError("--float32 needs a boundary, and a script's top level has none (--top-level)")
    if config.boundary == "tensor":
        if config.float32:
            raise ConfigError("--float32 needs a boundary: pass float32 tensors instead (--boundary tensor)")
        if config.top_level:
            raise ConfigError("--top-level needs a boundary: what stays NumPy would get tensors (--boundary tensor)")
        for name, without in (("on_unverified", "raise"), ("compile", "none"), ("device", ""), ("above", None)):
            if given.get(name, without) != without:
                option = name.replace("_", "-")
                raise ConfigError(f"--{option} needs a boundary: --boundary tensor leaves functions without one")


def state_folder() -> str:
    """Where programs keep what they have to know the next time, by the conventions of the system."""
    given = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(given):
        base = given
    elif sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "") or os.path.expanduser("~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.path.expanduser("~/.local/state")
    nearest = base
    while not os.path.lexists(nearest) and os.path.dirname(nearest) != nearest:
        nearest = os.path.dirname(nearest)
    if os.path.isdir(nearest) and os.access(nearest, os.W_OK):
        return os.path.join(base, "np2tnp")
    import tempfile

    # a home that cannot be written, as in containers
    return os.path.join(tempfile.gettempdir(), f"np2tnp-{getattr(os, 'geteuid', int)()}")


def _common_directory(paths: Iterable[str]) -> str:
    absolute = [os.path.abspath(path) for path in paths if path != "-"]
    try:
        common = os.path.commonpath(absolute) if absolute else os.getcwd()
    except ValueError:  # different drives on Windows
        common = os.getcwd()
    return common if os.path.isdir(common) else os.path.dirname(common)


def _table_in(directory: str) -> tuple[dict[str, Any] | None, str]:
    for name in ("np2tnp.toml", "pyproject.toml"):
        file = os.path.join(directory, name)
        if os.path.isfile(file):
            table = _read_table(file, explicit=False)
            if table is not None:
                return table, file
    return None, ""


def _read_table(file: str, *, explicit: bool) -> dict[str, Any] | None:
    own = os.path.basename(file) != "pyproject.toml"
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):  # what has no end, or waits for somebody who writes
            raise ConfigError(f"{file}: cannot read the configuration: not a regular file")
        with open(file, "rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: cannot read the configuration: {getattr(error, 'strerror', error)}") from None
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"{file}: cannot read the configuration: it has more than {_MOST_BYTES:,} bytes")
    if not own and not explicit and b"np2tnp" not in data:
        return None  # saves the parser: most runs have no configuration
    try:
        document = _toml(data.decode("utf-8"))
    except RecursionError:
        raise ConfigError(f"{file}: not valid TOML: it nests too deep") from None
    except ValueError as error:  # the encoding, and numbers of thousands of digits, too
        raise ConfigError(f"{file}: not valid TOML: {error}") from None
    if own and "tool" not in document:
        return document
    tools = document.get("tool")
    table = tools.get("np2tnp") if isinstance(tools, dict) else None
    if table is None:
        return {} if explicit or own else None
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: [tool.np2tnp] must be a table")
    return table


def _toml(text: str) -> dict[str, Any]:
    """Raises ValueError and RecursionError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    document: dict[str, Any] = tomllib.loads(text)
    return document


def validated(table: Mapping[str, Any], file: str | None) -> dict[str, Any]:
    """The table's values as Config's fields. ``file`` is None for the command line. Raises ConfigError."""
    defaults = {item.name: item.default for item in fields(Config)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in defaults or (file is not None and name in _INTERNAL):
            raise ConfigError(f"{file}: unknown option `{key}`{did_you_mean(name, set(defaults) - _INTERNAL)}")
        shown = f"{file}: {key}" if file is not None else "--" + name.replace("_", "-")
        values[name] = _checked(name, value, defaults[name], shown)
    return values


def _checked(name: str, value: Any, default: Any, shown: str) -> Any:
    def fail(expected: str) -> ConfigError:
        got = repr(value) if len(repr(value)) < 100 else repr(value)[:100] + "..."
        return ConfigError(f"{shown}: expected {expected}, got {got}")

    if name == "per_file_ignores":
        if not isinstance(value, Mapping):
            raise fail("a table of glob = [codes]")
        return tuple((str(glob), _codes(codes, f"{shown}: {glob}", fail)) for glob, codes in value.items())
    if name == "callees":
        if not isinstance(value, Mapping):
            raise fail('a table of name = "pure", or name = {...}')
        return tuple(_callee(str(called), row, f"{shown}: {called}") for called, row in value.items())
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise fail("true or false")
        return value
    if isinstance(default, int) or name == "above":  # whose default is None: the runtime's
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= NEVER:
            raise fail("a whole number")
        return value
    if isinstance(default, tuple):
        if name in ("select", "extend_select", "ignore"):
            return _codes(value, shown, fail)
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) and item for item in value):
            raise fail("a list of texts")
        for item in value:
            _require_choice(name, item, shown)
        return tuple(value)
    if not isinstance(value, str):
        raise fail("a text")
    _require_choice(name, value, shown)
    return value


#: What a table of ``callees`` may say: lists of parameters.
CALLEE_KEYS = ("parameters", "changes", "keeps", "gives")
PURE = "pure"


def _callee(name: str, row: Any, shown: str) -> Callee:
    """Raises ConfigError for what cannot be said of a callable."""
    parts = name.split(".")
    if len(parts) < 2 or not all(map(str.isidentifier, parts)):
        raise ConfigError(f"{shown}: expected a name with its module, such as mylib.fast.solve")
    if parts[0] in ("numpy", "builtins"):
        raise ConfigError(f"{shown}: what NumPy and Python do is known: name functions of other libraries")
    if row == PURE:
        return Callee(name)
    if not isinstance(row, Mapping):
        raise ConfigError(f'{shown}: expected "{PURE}", or a table with {", ".join(CALLEE_KEYS)}, got {row!r:.100}')
    lists: dict[str, tuple[str, ...]] = {}
    for key, names in row.items():
        if key not in CALLEE_KEYS:
            raise ConfigError(f"{shown}: unknown key `{key}`{did_you_mean(key, CALLEE_KEYS)}")
        if not isinstance(names, (list, tuple)) or not all(isinstance(it, str) and it.isidentifier() for it in names):
            raise ConfigError(f"{shown}: {key}: expected a list of names of parameters, got {names!r:.100}")
        if len({*names}) < len(names):
            raise ConfigError(f"{shown}: {key}: a parameter is named twice")
        lists[key] = tuple(names)
    parameters = lists.get("parameters", ())
    for key in CALLEE_KEYS[1:]:
        for word in lists.get(key, ()):
            if word not in parameters:
                close = did_you_mean(word, parameters) if parameters else "; list all of them, in their order"
                raise ConfigError(f"{shown}: {key}: `{word}` is not among its parameters{close}")
    parameters, changes, keeps, gives = (lists.get(key, ()) for key in CALLEE_KEYS)
    return Callee(name, parameters, changes, keeps, gives)


def _codes(value: Any, shown: str, fail: Callable[[str], ConfigError]) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise fail("a list of codes such as TNP101 or TNP1")
    for word in value:
        if not is_known(word):
            close = did_you_mean(word, WORDS) or did_you_mean(word.upper(), WORDS)
            raise ConfigError(f"{shown}: unknown code `{word}`{close} (see np2tnp rules)")
    return expanded(value)


def _require_choice(name: str, value: str, shown: str) -> None:
    if name in CHOICES and value not in CHOICES[name]:
        raise ConfigError(
            f"{shown}: unknown value `{value}`{did_you_mean(value, CHOICES[name])} (one of {', '.join(CHOICES[name])})"
        )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean `x`?"`` or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word, sorted(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""
