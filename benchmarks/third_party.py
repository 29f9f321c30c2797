"""Rewrites packages that np2tnp never saw and runs their own tests before and after.

Run as ``python benchmarks/third_party.py [--slow keep|convert] [--work DIR] [--tests DIR] [NAME...]`` with a Python
in which the packages, pytest, pytest-timeout and TensorFlow are installed. Each package is copied to the work
directory; what it has installed is never touched. Tests that a wheel leaves out are taken from the unpacked source
distribution ``DIR/<distribution>-<version>`` (``pip download --no-binary :all: --no-deps NAME``, then ``tar xzf``).

Prints one row a package and setting, and every test that passed before and not after: REFUSED if np2tnp's runtime said
that it cannot vouch for an input, else BROKEN. Exit status 1 if a test is broken, if np2tnp could not analyse a file,
or if a second rewrite changes anything.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.metadata
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from np2tnp import pipeline
from np2tnp.config import Config

#: What a test did, the first line of what it says, and how many seconds it took.
Outcome = tuple[str, str, float]

CHECKOUT = Path(__file__).resolve().parent.parent
#: Eager TensorFlow is slow where arrays are small: a test that takes longer, or was not reached, counts as unfinished.
SECONDS_A_TEST = 60
SECONDS_A_RUN = 600


@dataclass(frozen=True)
class Package:
    """What is taken of one package. Paths are relative to the directory that holds the package."""

    name: str  #: of the distribution
    module: str  #: the folder or file that is imported
    rewrite: tuple[str, ...] = ()  #: globs of files to rewrite; empty: all but its tests
    tests: tuple[str, ...] = ()  #: what pytest is given; empty: the folder taken from the source distribution
    source_tests: str = ""  #: the folder of the source distribution with the tests, copied to the same place
    options: tuple[str, ...] = ()  #: for pytest


PACKAGES = (
    Package("numpy-financial", "numpy_financial", tests=("numpy_financial/tests",)),
    Package("pymap3d", "pymap3d", tests=("pymap3d/tests",)),
    Package("transforms3d", "transforms3d", tests=("transforms3d/tests",)),
    Package("vg", "vg", tests=("vg",)),
    Package("nolds", "nolds", tests=("nolds/test_measures.py",)),
    Package("PyAbel", "abel", tests=("abel/tests",)),
    Package("numdifftools", "numdifftools", tests=("numdifftools/tests",)),
    Package("nitime", "nitime", tests=("nitime/tests", "nitime/algorithms/tests")),
    Package("hmmlearn", "hmmlearn", tests=("hmmlearn/tests",)),
    Package("PyWavelets", "pywt", tests=("pywt/tests",)),
    # Its other tests need data that the source distribution leaves out.
    Package(
        *("mir_eval", "mir_eval"),
        tests=("tests/test_util.py", "tests/test_sonify.py", "tests/test_input_output.py", "tests/test_hierarchy.py"),
        source_tests="tests",
    ),
    Package(
        *("scikit-fuzzy", "skfuzzy"),
        tests=tuple(
            f"skfuzzy/{name}/tests"
            for name in (
                *("cluster", "control", "defuzzify", "filters", "fuzzymath", "image", "intervals", "membership"),
            )
        ),
        source_tests="skfuzzy",
    ),
    Package("AHRS", "ahrs", source_tests="tests"),
    Package("pyriemann", "pyriemann", source_tests="tests"),
    Package(
        *("filterpy", "filterpy"),
        tests=tuple(
            f"filterpy/{name}/tests"
            for name in ("common", "discrete_bayes", "gh", "hinfinity", "kalman", "leastsq", "memory", "stats")
        ),
        source_tests="filterpy",
    ),
    Package("emd", "emd", tests=("emd/tests",)),
    Package("similaritymeasures", "similaritymeasures", tests=("tests/tests.py",), source_tests="tests"),
    Package("pydoe3", "pyDOE3", source_tests="tests"),
    Package("spectrum", "spectrum", source_tests="test"),
    Package(
        *("control", "control"),
        tests=tuple(
            f"control/tests/{name}_test.py"
            for name in (
                *("bdalg", "bspline", "canonical", "convert", "ctrlutil", "delay", "descfcn", "discrete", "frd", "lti"),
                *("freqresp", "margin", "mateqn", "minreal", "modelsimp", "statesp", "sysnorm", "xferfcn"),
            )
        ),
    ),
    Package("lmfit", "lmfit", source_tests="tests"),
    Package("pytransform3d", "pytransform3d", source_tests="pytransform3d"),
    Package("EMD-signal", "PyEMD", tests=("PyEMD/tests",)),
    Package("pydmd", "pydmd", source_tests="tests"),
    Package("AllanTools", "allantools", source_tests="tests"),
    Package("uncertainties", "uncertainties", source_tests="tests"),
    Package("nashpy", "nashpy", source_tests="tests"),
    Package("python-picard", "picard", source_tests="picard/tests"),
    Package("MiniSom", "minisom", tests=("minisom.py",)),
    Package("scikit-commpy", "commpy", source_tests="commpy"),
    Package("pyswarms", "pyswarms", source_tests="tests"),
    Package("sgp4", "sgp4", tests=("sgp4/tests.py",)),
    Package("PyKrige", "pykrige", source_tests="tests"),
    Package("pyproximal", "pyproximal", source_tests="pytests"),
    Package("tensorly", "tensorly", source_tests="tensorly"),
    Package("opt_einsum", "opt_einsum", tests=("opt_einsum/tests",), source_tests="opt_einsum"),
    Package("empyrical-reloaded", "empyrical", source_tests="tests"),
    Package("autograd", "autograd", source_tests="tests"),
    Package(  # its tests stand among the functions
        *("colorspacious", "colorspacious"),
        tests=tuple(
            f"colorspacious/{name}.py"
            for name in ("basics", "ciecam02", "comparison", "conversion", "cvd", "illuminants", "luoetal2006", "util")
        ),
    ),
    Package(
        *("scikit-rf", "skrf"),
        rewrite=("skrf/*.py", "skrf/media/*.py", "skrf/calibration/*.py"),
        tests=("skrf/tests", "skrf/media/tests", "skrf/calibration/tests"),
    ),
    Package(
        *("colour-science", "colour"),
        rewrite=("colour/algebra/*", "colour/utilities/array.py", "colour/models/*", "colour/adaptation/*"),
        tests=("colour/algebra", "colour/utilities/tests/test_array.py", "colour/models", "colour/adaptation"),
    ),
    Package(
        *("scikit-image", "skimage"),
        rewrite=(
            *("skimage/transform/*", "skimage/color/*", "skimage/util/*", "skimage/measure/*", "skimage/exposure/*"),
            *("skimage/draw/*", "skimage/filters/*", "skimage/metrics/*", "skimage/morphology/*"),
        ),
        tests=tuple(
            f"skimage/{name}/tests"
            for name in (
                *("transform", "color", "util", "measure", "exposure", "draw", "filters", "metrics", "morphology"),
            )
        ),
    ),
    Package(
        *("statsmodels", "statsmodels"),
        rewrite=("statsmodels/tools/*", "statsmodels/tsa/*.py", "statsmodels/tsa/filters/*", "statsmodels/stats/*"),
        tests=(
            *("statsmodels/tools/tests", "statsmodels/tsa/filters/tests", "statsmodels/tsa/tests/test_stattools.py"),
            *("statsmodels/tsa/tests/test_tsa_tools.py", "statsmodels/stats/tests"),
        ),
    ),
    Package(
        *("scipy", "scipy"),
        rewrite=(
            *("scipy/signal/*.py", "scipy/signal/windows/*", "scipy/linalg/*.py", "scipy/optimize/_minpack_py.py"),
            *("scipy/optimize/_optimize.py", "scipy/interpolate/_polyint.py", "scipy/integrate/_quadrature.py"),
            *("scipy/stats/_stats_py.py", "scipy/special/_basic.py", "scipy/ndimage/*.py", "scipy/spatial/distance.py"),
        ),
        tests=(
            *("scipy/signal/tests/test_windows.py", "scipy/signal/tests/test_waveforms.py"),
            *("scipy/signal/tests/test_signaltools.py", "scipy/linalg/tests/test_special_matrices.py"),
            *("scipy/linalg/tests/test_basic.py", "scipy/optimize/tests/test_minpack.py"),
            *("scipy/interpolate/tests/test_polyint.py", "scipy/integrate/tests/test_quadrature.py"),
            *("scipy/stats/tests/test_stats.py", "scipy/spatial/tests/test_distance.py"),
        ),
    ),
    Package(
        *("scikit-learn", "sklearn"),
        rewrite=("sklearn/metrics/*.py", "sklearn/utils/*.py", "sklearn/preprocessing/*.py"),
        tests=("sklearn/metrics/tests", "sklearn/utils/tests/test_extmath.py", "sklearn/preprocessing/tests"),
    ),
    Package(
        *("librosa", "librosa"),
        rewrite=("librosa/util/*", "librosa/core/*", "librosa/filters.py"),
        tests=("tests/test_util.py", "tests/test_filters.py"),
        source_tests="tests",
    ),
)


@dataclass
class Result:
    """One package under one setting."""

    package: str
    version: str
    slow: str
    files: int = 0
    changed: int = 0
    regions: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)  #: outcome → tests
    after: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)  #: test that passed before → the UnverifiedError after
    broken: dict[str, str] = field(default_factory=dict)  #: test that passed before → what else it says after
    unfinished: int = 0  #: tests that passed before and ran out of time after
    slower: float = 0.0  #: time after / before: the median of the ten longest tests that passed before and after
    problems: list[str] = field(default_factory=list)  #: of np2tnp itself


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="packages (default: all that are installed)")
    parser.add_argument("--slow", action="append", choices=["keep", "convert"], help="default: both, in turn")
    parser.add_argument("--on-unverified", default="numpy", choices=["numpy", "raise"], help="as of rewrite")
    parser.add_argument("--work", type=Path, default=Path("third-party"), help="where the copies go")
    parser.add_argument("--tests", type=Path, default=Path("sources"), help="unpacked source distributions")
    parser.add_argument("--only", nargs="*", help="rewrite these files only (globs)")
    parser.add_argument("--pytest", nargs="*", help="run these tests instead")
    parser.add_argument("--no-tests", action="store_true", help="rewrite only")
    parser.add_argument("--seconds", type=int, default=SECONDS_A_TEST, help="for one test")
    parser.add_argument("--session", type=int, default=SECONDS_A_RUN, help="seconds for one run of a package's tests")
    parser.add_argument("--json", type=Path, help="append every result to this file, one line each")
    options = parser.parse_args()
    results = []
    for package in PACKAGES:
        if options.names and package.name not in options.names and package.module not in options.names:
            continue
        if importlib.util.find_spec(package.module) is None:
            print(f"{package.name}: not installed", file=sys.stderr)
            continue
        for result in measure(package, options):
            results.append(result)
            report(result)
            if options.json:
                with options.json.open("a") as stream:
                    stream.write(json.dumps(vars(result)) + "\n")
    print_table(results)
    return int(any(result.broken or result.problems for result in results))


def measure(package: Package, options: argparse.Namespace) -> Iterable[Result]:
    """The results of one package, one for each setting."""
    work: Path = (options.work / package.module).resolve()
    tests = tuple(options.pytest or package.tests or (package.source_tests,))
    before: dict[str, str] | None = None
    found: dict[str, Outcome] = {}
    for slow in options.slow or ("keep", "convert"):
        version = importlib.metadata.version(package.name)
        copy(package, version, work, options.tests)
        if before is None:
            found = {} if options.no_tests else run_tests(work, tests, package, options)
            before = {name: outcome for name, (outcome, _, _) in found.items()}
        result = Result(package.name, version, slow, before=Counter(before.values()))
        rewrite(package, work, result, options.only, options.on_unverified)
        if not options.no_tests:
            after = run_tests(work, tests, package, options)
            result.after = Counter(outcome for outcome, _, _ in after.values())
            result.slower = slower(found, after)
            for name, outcome in before.items():
                now, says, _ = after.get(name, ("unfinished", "", 0.0))
                if outcome != "passed" or now in ("passed", "skipped"):
                    continue
                if now == "unfinished" or says.startswith("Failed: Timeout"):
                    result.unfinished += 1
                else:
                    (result.refused if "UnverifiedError" in says else result.broken)[name] = says
        yield result


def copy(package: Package, version: str, work: Path, sources: Path) -> None:
    """A fresh copy of the package, and of its tests, in ``work``."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "pytest.ini").write_text("[pytest]\n")
    spec = importlib.util.find_spec(package.module)
    assert spec is not None
    assert spec.origin is not None
    origin = Path(spec.origin)
    ignore = shutil.ignore_patterns("__pycache__")
    if origin.name == "__init__.py":
        shutil.copytree(origin.parent, work / package.module, ignore=ignore)
        libraries = origin.parents[1] / f"{package.module}.libs"
        if libraries.exists():  # compiled modules look for these beside the package
            (work / libraries.name).symlink_to(libraries)
    else:
        shutil.copy(origin, work / origin.name)
    if package.source_tests:
        # Some tests read their data by paths from the top of the source distribution, so all of it but the code comes.
        found = [path for path in sources.glob("*") if _plain(path.name) == _plain(f"{package.name}-{version}")]
        if not found:
            raise SystemExit(f"{sources}: {package.name}-{version} is not there")
        shutil.copytree(found[0] / package.source_tests, work / package.source_tests, ignore=ignore, dirs_exist_ok=True)
        (work / "pytest.ini").write_text("[pytest]\n")


def _plain(name: str) -> str:
    """A name as package indexes compare it: a source distribution may be called by another spelling."""
    return name.lower().replace("_", "-")


def rewrite(package: Package, work: Path, result: Result, only: Sequence[str] | None, on_unverified: str) -> None:
    """Rewrites the copy, twice: the second time must change nothing."""
    files = sorted((work / package.module).rglob("*.py")) or sorted(work.glob("*.py"))
    paths = [str(path) for path in files if _is_wanted(path, work, package, only)]
    config = Config(root=str(work), slow=result.slow, on_unverified=on_unverified, cache=False, quiet=True)
    run = pipeline.rewrite(paths, config, apply=True)
    result.files = run.summary.files_with_numpy
    result.changed = len(run.changes)
    result.regions = Counter(run.summary.regions)
    for report in run.reports:
        for finding in report.findings:
            if finding.code.startswith("TNP90"):
                result.problems.append(f"{os.path.relpath(finding.path, work)}:{finding.span.line}: {finding.message}")
    second = pipeline.rewrite(paths, config)
    result.problems += [f"{os.path.relpath(item.path, work)}: changed by a second rewrite" for item in second.changes]


def _is_wanted(path: Path, work: Path, package: Package, only: Sequence[str] | None) -> bool:
    name = path.relative_to(work).as_posix()
    if "/tests/" in name or path.name.startswith(("test_", "conftest")):
        return False
    return any(fnmatch.fnmatch(name, glob) for glob in only or package.rewrite or ("*",))


def run_tests(work: Path, tests: Sequence[str], package: Package, options: argparse.Namespace) -> dict[str, Outcome]:
    """Test → (outcome, first line of what it says, seconds)."""
    report = work / "results.xml"
    report.unlink(missing_ok=True)
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-c", "pytest.ini"),
        *("--rootdir=.", f"--junitxml={report}", "-o", "junit_logging=no", f"--timeout={options.seconds}"),
        *(f"--session-timeout={options.session}", "-W", "ignore", "--continue-on-collection-errors"),
        *(*package.options, *tests),
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(work), str(CHECKOUT), os.environ.get("PYTHONPATH")])),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "agg",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        # tests work on small arrays, for which the originals would be called
        "NP2TNP_ABOVE": os.environ.get("NP2TNP_ABOVE", "0"),
    }
    with (work / "pytest.log").open("w") as log:
        subprocess.run(command, cwd=work, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)
    outcomes: dict[str, Outcome] = {}
    if not report.exists():
        raise SystemExit(f"pytest wrote no report; see {work / 'pytest.log'}")
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        outcome, says = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                outcome, says = "failed", (child.get("message") or "").replace("\n", " ")[:300]
            elif child.tag == "skipped" and outcome == "passed":
                outcome = "skipped"
        outcomes[name] = (outcome, says, float(case.get("time") or 0))
    return outcomes


def slower(before: dict[str, Outcome], after: dict[str, Outcome]) -> float:
    """How many times as long the ten longest tests that passed both times took; the first one starts TensorFlow."""
    passed = [name for name in before if before[name][0] == after.get(name, ("", "", 0.0))[0] == "passed"]
    longest = sorted(passed[1:], key=lambda name: before[name][2], reverse=True)[:10]
    return statistics.median(after[name][2] / max(before[name][2], 0.001) for name in longest) if longest else 0.0


def report(result: Result) -> None:
    for problem in result.problems:
        print(f"PROBLEM {result.package} --slow {result.slow}: {problem}")
    for name, says in result.refused.items():
        print(f"REFUSED {result.package} --slow {result.slow}: {name}: {says}")
    for name, says in result.broken.items():
        print(f"BROKEN {result.package} --slow {result.slow}: {name}: {says}")
    sys.stdout.flush()


def print_table(results: Iterable[Result]) -> None:
    heads = (
        *("package", "version", "--slow", "files", "changed", "migrated", "kept", "blocked"),
        *("passed before", "passed after", "refused", "unfinished", "broken", "time after / before"),
    )
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * 3 + " ---: |" * (len(heads) - 3))
    for item in results:
        cells = (
            *(item.package, item.version, item.slow, item.files, item.changed, item.regions["convertible"]),
            *(item.regions["kept"], item.regions["blocked"], item.before["passed"], item.after["passed"]),
            *(len(item.refused), item.unfinished, len(item.broken), f"{item.slower:.1f}"),
        )
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    sys.exit(main())
