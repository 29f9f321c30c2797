"""``check`` and ``rewrite`` over many files: discover, look into the cache, analyse, write."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import np2tnp
from np2tnp import __version__, executors, importing
from np2tnp.config import Config
from np2tnp.files import notebooks
from np2tnp.files.discover import discover, holds_needle
from np2tnp.files.problems import Problem, describe_bug, report_problem
from np2tnp.files.source import Source, decode, read_bytes
from np2tnp.model import Change, FileReport, Finding, RegionState, Run, Summary, Verdict

if TYPE_CHECKING:
    from np2tnp.files.writing import Writer
    from np2tnp.project import Project

#: The folders with code that no report depends on: all other code decides, wherever it stands.
NOT_DECIDING = ("commands", "migration", "probe", "profiling", "report", "runtime", "verify")
#: (files done, files in all); called now and then while a run goes on.
Progress = Callable[[int, int], None]


def check(
    paths: Sequence[str], config: Config, *, stdin: tuple[str, bytes] | None = None, progress: Progress | None = None
) -> Run:
    """Analyses all Python files at ``paths``; ``stdin`` is a (name, bytes) that is no file.

    Never raises for what is in a file: that becomes an error in its report.
    """
    config = replace(config, rewrite=False)
    found = discover(paths, config)
    if stdin is not None and is_excluded(stdin[0], config):
        found.excluded.append(stdin[0])
        stdin = None
    reports: dict[str, FileReport] = {}
    for own, files in _by_config(found.files, config):
        reports.update(_checked(files, own, None, progress))
    if stdin is not None:
        reports.update(_checked([], config.of_file(stdin[0]), stdin, progress))
    _require_regions(reports.values(), config)
    order = [*found.files, *([stdin[0]] if stdin is not None else [])]
    return _run(
        [*(report_problem(*item) for item in found.problems), *(reports[path] for path in order)],
        config,
        notes=[f"{path}: no Python files in this directory" for path in found.empty],
        skipped=found.skipped(),
        texts={stdin[0]: _text(stdin[1])} if stdin is not None else {},
    )


def check_texts(contents: Mapping[str, bytes], config: Config, progress: Progress | None = None) -> Run:
    """As ``check``, of texts that the files at these paths might hold."""
    config = replace(config, rewrite=False)
    reports = [
        report
        for own, paths in _by_config(contents, config)
        for report in _analyse([(path, contents[path]) for path in paths], own, progress)
    ]
    return _run(reports, config, texts={path: _text(data) for path, data in contents.items()})


def is_excluded(name: str, config: Config) -> bool:
    """Whether ``--force-exclude`` leaves out what is called so, standard input among it."""
    return config.force_exclude and config.of_file(name).excludes(name)


def _by_config(paths: Iterable[str], config: Config) -> list[tuple[Config, list[str]]]:
    """The files by the configuration that counts for them, in the order of the first of each."""
    groups: dict[Config, list[str]] = {}
    for path in paths:
        groups.setdefault(config.of_file(path), []).append(path)
    return list(groups.items())


def _checked(
    files: Sequence[str], config: Config, stdin: tuple[str, bytes] | None, progress: Progress | None
) -> dict[str, FileReport]:
    """The reports of files that have one configuration, from the cache or made now."""
    from np2tnp.files.cache import Cache, hash_bytes, lasting_key
    from np2tnp.files.modules import Modules

    modules = Modules()

    def holds(report: FileReport) -> bool:
        return all(modules.state(place) == state for place, state in report.depends)

    # who imports a script, or calls what updates its arguments, is not among what a report depends on
    cached = config.cache and not config.top_level and config.boundary != "tensor"
    cache = Cache.open(_cache_directory(config), _run_key(config), files) if cached and files else None
    reports: dict[str, FileReport] = {}
    pending: list[tuple[str, bytes]] = []
    keys: dict[str, tuple[str, str]] = {}
    for path in files:
        report = cache.find_unchanged(path) if cache is not None else None
        if report is None or not holds(report):
            stat = lasting_key(path) if cache is not None else ""
            try:
                data = read_bytes(path)
            except Problem as problem:
                reports[path] = report_problem(path, problem)
                continue
            if cache is not None:
                keys[path] = (hash_bytes(data), stat)
                report = cache.find_same(path, *keys[path])
        if report is None or not holds(report):
            pending.append((path, data))
        else:
            reports[path] = report
    if stdin is not None:
        pending.append(stdin)
    try:
        for report in _analyse(pending, config, progress):
            reports[report.path] = report
            if cache is not None and report.error is None and report.path in keys:
                cache.add(report, *keys[report.path])
    finally:  # Ctrl-C, too: what is known is known
        if cache is not None:
            cache.save()
    return reports


def rewrite(
    paths: Sequence[str],
    config: Config,
    *,
    apply: bool = False,
    stdin: tuple[str, bytes] | None = None,
    progress: Progress | None = None,
) -> Run:
    """As ``check``, with the changes to the files. They are written only with ``apply``, each file in one step."""
    made = plan(read(paths, config, stdin), config, progress)
    return write(made, config) if apply else made.run


@dataclass(frozen=True, slots=True)
class Files:
    """What a run works on, read once: every plan of it starts from the same bytes."""

    contents: dict[str, bytes]  #: by path, in the order of the run
    problems: tuple[FileReport, ...]  #: the files that cannot be read
    notes: tuple[str, ...]
    stdin: str | None = None  #: the path in ``contents`` that is no file


@dataclass(frozen=True, slots=True)
class Plan:
    """What ``rewrite`` would write: nothing is written yet."""

    run: Run
    files: Files
    new: dict[str, bytes]  #: by path: the files that change, as they would be

    @property
    def regions(self) -> tuple[tuple[str, str], ...]:
        """(path, qualified name) of every region that it migrates, in the order of the files' lines."""
        return tuple(
            (report.path, region.qualname)
            for report in self.run.reports
            if report.path in self.new
            for region in report.regions
            if region.state is RegionState.CONVERTIBLE
        )


def read(paths: Sequence[str], config: Config, stdin: tuple[str, bytes] | None = None) -> Files:
    """The files at ``paths``; those that cannot be read are reports already."""
    found = discover(paths, config)
    problems = [report_problem(*item) for item in found.problems]
    contents: dict[str, bytes] = {}
    notes = [f"{path}: no Python files in this directory" for path in found.empty]
    spared = {path for path in found.files if config.of_file(path).spares_file(path)}
    if spared:
        many = f"{len(spared)} file{'s' * (len(spared) > 1)}"
        notes.append(f"{many} not looked at: tests, or without wanted findings (`tests`, `per-file-ignores`)")
    tests = _tests_among(found.files, paths, config) - spared
    if tests:
        many = "1 test file" if len(tests) == 1 else f"{len(tests)} test files"
        notes.append(f"{many} not looked at: tests are the reference (name them, or their folder, to rewrite them)")
    for path in found.files:
        if path in spared or path in tests:
            continue
        try:
            contents[path] = read_bytes(path)
        except Problem as problem:
            problems.append(report_problem(path, problem))
    if stdin is not None and not (is_excluded(stdin[0], config) or config.of_file(stdin[0]).spares_file(stdin[0])):
        contents[stdin[0]] = stdin[1]
    return Files(contents, tuple(problems), tuple(notes), stdin[0] if stdin is not None else None)


def _tests_among(files: Iterable[str], paths: Sequence[str], config: Config) -> set[str]:
    """Those of `files` that are tests by their names or folders, but for what ``paths`` asks for by such a name."""
    named = [Path(path).absolute() for path in paths if config.of_file(path).names_test(path)]
    tests = (path for path in files if config.of_file(path).is_test(path))
    return {path for path in tests if not any(Path(path).absolute().is_relative_to(given) for given in named)}


def plan(files: Files, config: Config, progress: Progress | None = None) -> Plan:
    """What becomes of each file under ``config``. Raises ConfigError when it names regions that are not there."""
    from np2tnp.files.formatting import formatted
    from np2tnp.files.writing import refuse_link_outwards

    config = replace(config, rewrite=True)
    reports = list(files.problems)
    changes: list[Change] = []
    new: dict[str, bytes] = {}
    analysed = [
        report
        for own, paths in _by_config(files.contents, config)
        for report in _analyse([(path, files.contents[path]) for path in paths], own, progress)
    ]
    for report in sorted(analysed, key=lambda report: report.path):
        reports.append(report)
        if report.new_text is None or report.error is not None:
            continue
        try:
            source = decode(report.path, files.contents[report.path])
            notebook = notebooks.read(source) if notebooks.is_notebook(report.path) else None
            old = source.text if notebook is None else notebook.program
            if report.new_text == old:
                continue
            if report.path != files.stdin:
                refuse_link_outwards(report.path, config.root)
            if notebook is None:
                text = formatted(report.new_text, old, report.path)
            else:
                text = _in_notebook(notebook, report.new_text)
            new[report.path] = source.encode(text)
        except Problem as problem:
            reports[-1] = report_problem(report.path, problem, report)
            continue
        changes.append(Change(report.path, source.text, text, source.encoding, source.bom))
    _require_regions(reports, config)
    run = _run(reports, config, notes=files.notes)
    return Plan(replace(run, changes=tuple(changes)), files, new)


def _require_regions(reports: Iterable[FileReport], config: Config) -> None:
    """Raise ConfigError when ``--only`` asks for functions that no file has; a file that nobody could read may have."""
    reports = list(reports)
    if not any(report.error for report in reports):
        config.require_regions((report.path, region.qualname) for report in reports for region in report.regions)


def _in_notebook(notebook: notebooks.Notebook, program: str) -> str:
    """The notebook's text with another program, as its project's formatter has that, if the cells stay as they are."""
    from np2tnp.files.formatting import formatted

    path = f"{notebook.source.path}.py"  # for formatters, which take the one text for Python's
    made = formatted(program, notebook.program, path)
    if made != program:
        with contextlib.suppress(Problem):
            return notebook.with_program(made)
    return notebook.with_program(program)


def write(made: Plan, config: Config, writer: Writer | None = None) -> Run:
    """Write the planned files, each in one step; the run without those that could not be written."""
    from np2tnp.files.writing import Writer

    run = made.run
    writer = writer or Writer()
    failed = _copy_runtimes(made, config, writer)
    for path, data in made.new.items():
        if path == made.files.stdin or path in failed:
            continue
        try:
            writer.replace(path, made.files.contents[path], data)
        except Problem as problem:
            failed[path] = problem
    run = replace(run, notes=(*run.notes, *writer.notes))
    if not failed:
        return run
    reports = [
        report_problem(report.path, failed[report.path], report) if report.path in failed else report
        for report in run.reports
    ]
    changes = tuple(change for change in run.changes if change.path not in failed)
    return replace(_run(reports, config, run.notes, skipped=run.skipped), changes=changes)


def runtime_folders(made: Plan, config: Config) -> dict[str, list[str]]:
    """Where the changed files import the runtime from, if not from us: by folder the files."""
    from np2tnp.rewrite.vendoring import vendored

    found: dict[str, list[str]] = {}
    for change in made.run.changes:
        if config.of_file(change.path).runtime == "vendor" and change.path != made.files.stdin:
            found.setdefault(vendored(change.path, change.old_text).directory, []).append(change.path)
    return found


def _copy_runtimes(made: Plan, config: Config, writer: Writer) -> dict[str, Problem]:
    """Copy the runtime to where the changed files import it from; the files for which that failed."""
    from np2tnp.rewrite.vendoring import copy_runtime

    failed: dict[str, Problem] = {}
    for folder, paths in runtime_folders(made, config).items():
        try:
            copy_runtime(folder, writer)
        except Problem as problem:
            failed.update(dict.fromkeys(paths, problem))
    return failed


class Analyst:
    """What runs in a worker: one file's report after the other. What one file made known of the project serves all."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.project: Project | None = None

    def __reduce__(self) -> tuple[type[Analyst], tuple[Config]]:
        return Analyst, (self.config,)

    def open_modules(self) -> Iterable[str]:
        """The modules that are open because others asked about them: their own reports cost least now."""
        return self.project.open_modules() if self.project is not None else ()

    def __call__(self, item: tuple[str, bytes]) -> FileReport:
        """One file's report. Leaves the search for garbage switched off, for the next file.

        Trees are millions of objects without circles: the search finds next to nothing and costs a fifth of the time.
        """
        gc.disable()
        return analyse_bytes(self.config, item, self)


def analyse_bytes(config: Config, item: tuple[str, bytes], analyst: Analyst | None = None) -> FileReport:
    """One file's report. Raises nothing but Ctrl-C."""
    path, data = item
    if notebooks.is_notebook(path):
        return _analyse_notebook(config, path, data, analyst or Analyst(config))
    try:
        source = decode(path, data)
    except Problem as problem:
        return report_problem(path, problem)
    return _analyse_text(config, source, data, analyst or Analyst(config))


def _analyse_notebook(config: Config, path: str, data: bytes, analyst: Analyst) -> FileReport:
    """The report of a notebook, whose cells are one program; ``new_text`` is that program's."""
    notebook = None
    try:
        notebook = notebooks.read(decode(path, data))
        if notebook.language != "python":
            return FileReport(path, language=notebook.language)
        notebook.require_python()
    except Problem as problem:
        report = report_problem(path, problem)
        return report if notebook is None else notebooks.in_cells(report, notebook)
    except Exception as error:
        return report_problem(path, Problem("TNP906", describe_bug(error)))
    source = Source(path, notebook.program, in_notebook=True)
    # A cell shows its last value: the top level of a notebook, and what its objects hold, stay NumPy's.
    own = replace(config, top_level=False, state="numpy")
    report = _analyse_text(own, source, notebook.program.encode(), analyst if own == config else Analyst(own))
    return notebooks.in_cells(report, notebook)


def _analyse_text(config: Config, source: Source, data: bytes, analyst: Analyst) -> FileReport:
    path = source.path
    try:
        if not holds_needle(data, config.names_numpy()):
            return _glance(source)
        from np2tnp.files import guards

        guards.check(source.text)
        report = guards.call_with_deep_stack(_analyse_source, source, analyst, seconds=config.file_timeout)
    except Problem as problem:
        if problem.code == "TNP905":  # it may have stopped anywhere, with circles that nobody opened
            analyst.project = None
            gc.collect()
        return report_problem(path, problem)
    except (Exception, SystemExit) as error:
        return report_problem(path, Problem("TNP906", describe_bug(error)))
    from np2tnp.files import suppress

    if report.new_text is not None and suppress.has_any(source.text):
        report = replace(report, new_text=_without_needless(source, report, config))

    left, suppressed = suppress.apply(source.text, path, report.findings)
    return replace(report, findings=left, suppressed=suppressed)


def _without_needless(source: Source, report: FileReport, config: Config) -> str | None:
    """The new text without comments that hid findings of the old one, and hide none of what is left."""
    from np2tnp.engine import analyze
    from np2tnp.files import guards, suppress

    text = report.new_text or ""
    try:
        asked = replace(config, rewrite=False)
        again = guards.call_with_deep_stack(analyze, replace(source, text=text), asked, seconds=config.file_timeout)
    except Exception:  # what cannot be asked needs all of them
        return report.new_text
    left = again.findings
    return suppress.without_needless(source.text, report.findings, text, left)


def summarize(reports: Iterable[FileReport]) -> Summary:
    """The totals of some reports."""
    files = with_numpy = errors = calls = convertible = unresolved = 0
    verdicts: Counter[str] = Counter()
    states: Counter[str] = Counter()
    for report in reports:
        files += 1
        with_numpy += report.uses_numpy
        errors += report.error is not None
        unresolved += len(report.unresolved)
        # Errors are counted as files, above: they are no verdicts about code.
        verdicts.update(item.verdict.value for item in report.findings if not item.code.startswith("TNP90"))
        for region in report.regions:
            states[region.state.value] += 1
            calls += region.calls
            if region.state in (RegionState.CONVERTIBLE, RegionState.MIGRATED):
                convertible += region.converted
    return Summary(
        files=files,
        files_with_numpy=with_numpy,
        errors=errors,
        findings={verdict.value: verdicts[verdict.value] for verdict in Verdict},
        regions={state.value: states[state.value] for state in RegionState},
        calls=calls,
        calls_convertible=convertible,
        unresolved=unresolved,
    )


def fold_repeats(run: Run) -> Run:
    """The run as reports show it: what is found in one function more than once is one finding with its lines."""
    reports = tuple(replace(report, findings=tuple(_folded(report.findings))) for report in run.reports)
    return replace(
        run, reports=reports, summary=replace(summarize(reports), hidden=run.summary.hidden, known=run.summary.known)
    )


def _folded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """What is found in one function more than once, as one finding with its lines."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for item in findings:
        key = (item.region, item.code, item.message, item.verdict, item.safety, item.cell)
        alike.setdefault(key, []).append(item)
    for items in alike.values():
        told = next((item for item in items if item.decides), items[0])
        lines = tuple(sorted({item.span.line for item in items}))
        yield replace(told, lines=lines) if len(items) > 1 else told


def _run(
    reports: Iterable[FileReport],
    config: Config,
    notes: Iterable[str] = (),
    texts: dict[str, str] | None = None,
    skipped: Iterable[str] = (),
) -> Run:
    def chosen_findings(report: FileReport) -> FileReport:
        own = config.of_file(report.path)
        wanted = {code: own.reports(code, report.path) for code in {item.code for item in report.findings}}
        return replace(report, findings=tuple(item for item in report.findings if wanted[item.code]))

    found = list(reports)
    others = [report.path for report in found if report.language]
    found = [report for report in found if not report.language]
    skipped = [*skipped, *_of_other_languages(others)]
    chosen = tuple(map(chosen_findings, found))
    hidden = sum(len(report.findings) + report.suppressed for report in found)
    hidden -= sum(len(report.findings) for report in chosen)
    summary = replace(summarize(chosen), hidden=hidden)
    return Run(chosen, summary, tuple(notes), texts=texts or {}, skipped=tuple(skipped))


def _of_other_languages(paths: list[str]) -> list[str]:
    if not paths:
        return []
    many = "1 notebook runs" if len(paths) == 1 else f"{len(paths)} notebooks run"
    return [f"{many} no Python ({paths[0]}{', ...' if paths[1:] else ''})"]


def _analyse(items: Sequence[tuple[str, bytes]], config: Config, progress: Progress | None) -> Iterator[FileReport]:
    work = Analyst(config)
    heavy = sum(holds_needle(data, config.names_numpy()) for _, data in items)
    workers = executors.worker_count(heavy, config.jobs) if heavy > 1 else 1
    if workers > 1:
        path = importing.path_without_projects(list({os.path.dirname(path) for path, _ in items}))
        results = executors.map_in_processes(work, items, workers, config.file_timeout, path)
    else:
        numbers = {os.path.abspath(path): number for number, (path, _) in enumerate(items)}
        # what was opened for others has answers that are forgotten, and found again, once it is closed
        results = executors.map_serially(work, items, lambda: (numbers.get(path, -1) for path in work.open_modules()))
    collecting = gc.isenabled()
    try:
        for done, (index, result) in enumerate(results, 1):
            if isinstance(result, executors.Lost):
                from np2tnp.files import guards

                words = guards.late(config.file_timeout) if result.is_late else f"analysis failed: {result.reason}"
                result = report_problem(items[index][0], Problem("TNP905" if result.is_late else "TNP906", words))
            yield result
            if progress is not None:
                progress(done, len(items))
    finally:
        if collecting:
            gc.enable()


def _analyse_source(source: Source, analyst: Analyst) -> FileReport:
    from np2tnp.engine import analyze
    from np2tnp.files import syntax
    from np2tnp.project import Project

    if analyst.project is None:
        analyst.project = Project(analyst.config)
    project = analyst.project
    flags = source.compiler_flags
    wrong = syntax.accepted_python2(source.text)
    wrong = wrong or syntax.refused_by_compiler(source.text, project.modules.trees, flags)
    if wrong is not None:
        raise wrong
    try:
        return analyze(source, analyst.config, project)
    except Exception as error:
        if type(error).__name__ != "ParserSyntaxError":
            raise
        raise _explain(source, error) from None


def _glance(source: Source) -> FileReport:
    """The report of a file without NumPy: only whether it is Python. Python's own parser costs a tenth of libcst's."""
    from np2tnp.files import syntax

    if not syntax.is_accepted(source.text):
        # It may be in a newer Python than the one that runs this: libcst knows them all.
        from np2tnp.files import guards

        guards.check(source.text)
        guards.call_with_deep_stack(_parse, source)
    return FileReport(source.path)


def _parse(source: Source) -> None:
    import libcst

    try:
        libcst.parse_module(source.text)
    except libcst.ParserSyntaxError as error:
        raise _explain(source, error) from None


def _explain(source: Source, error: Exception) -> Problem:
    from np2tnp.files import syntax

    line, column = getattr(error, "raw_line", 1), getattr(error, "raw_column", 0) + 1
    return syntax.explain(source.text, line, column, getattr(error, "message", "cannot be parsed"))


def _cache_directory(config: Config) -> str:
    return os.path.join(config.root, config.cache_dir or ".np2tnp_cache")


def _run_key(config: Config) -> str:
    """What reports depend on besides the file: options, Python's version, our version and the state of our code."""
    from np2tnp.files.cache import hash_bytes

    files = deciding_files(os.path.dirname(os.path.abspath(np2tnp.__file__)))
    stamps = [f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in files]
    return hash_bytes("\n".join([__version__, config.fingerprint(), sys.version, *stamps]).encode())


def deciding_files(package: str, inside: str = "") -> list[tuple[str, os.stat_result]]:
    """Our files that reports depend on, by their paths in the folder `package`, in order."""
    found: list[tuple[str, os.stat_result]] = []
    try:
        with os.scandir(os.path.join(package, inside)) as entries:
            for entry in entries:
                path = f"{inside}/{entry.name}" if inside else entry.name
                if entry.name.endswith((".py", ".json", ".toml")):
                    found.append((path, entry.stat()))
                elif "." not in entry.name and path not in NOT_DECIDING and entry.name != "__pycache__":
                    found += deciding_files(package, path)
    except OSError:  # not a folder, or one that cannot be read
        pass
    return sorted(found, key=lambda item: item[0])


def _text(data: bytes) -> str:
    try:
        return decode("<stdin>", data).text
    except Problem:
        return ""
