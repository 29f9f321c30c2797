"""Which programs the oracle runs, and how. Installed packages are found by import, none of their files is changed."""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"


@dataclass(frozen=True)
class Task:
    """Files that are observed while steps run in one process of their own; the steps are told in ``witness.child``."""

    name: str
    subjects: tuple[Path, ...]
    steps: tuple[tuple[str, ...], ...]


#: Package, and its modules with doctests.
DOCTESTS = {
    "scipy": (
        *("signal._signaltools", "signal._filter_design", "signal._ltisys", "signal._fir_filter_design"),
        *("signal._spectral_py", "signal._waveforms", "signal._peak_finding", "signal.windows._windows"),
        *("interpolate._interpolate", "interpolate._cubic", "interpolate._polyint", "interpolate._bary_rational"),
        *("linalg._special_matrices", "linalg._basic", "linalg._matfuncs", "integrate._quadrature"),
        *("optimize._optimize", "optimize._minpack_py", "optimize._numdiff", "spatial._geometric_slerp"),
        *("special._basic", "special._spherical_bessel", "special._logsumexp", "stats._binned_statistic"),
        *("stats._morestats", "stats._entropy", "cluster.hierarchy", "cluster.vq", "ndimage._measurements"),
    ),
    "skimage": (
        *("color.colorconv", "draw.draw", "transform._geometric", "transform._warps", "transform._thin_plate_splines"),
        *("measure.fit", "measure._moments", "measure.profile", "measure.block", "exposure.exposure"),
        *("filters.edges", "filters.thresholding", "feature.corner", "feature.peak", "feature.texture"),
        *("util.shape", "util._invert", "metrics.set_metrics", "segmentation._join", "restoration.uft"),
        *("restoration.deconvolution", "morphology.misc", "segmentation.active_contour_model", "graph._graph_cut"),
    ),
    "colour": (
        *("algebra.common", "algebra.extrapolation", "algebra.interpolation", "algebra.regression"),
        *("adaptation.vonkries", "adaptation.cie1994", "models.cie_lab", "models.cie_xyy", "models.rgb.cylindrical"),
        *("temperature.ohno2013", "utilities.array", "difference.delta_e", "colorimetry.tristimulus_values"),
    ),
    "networkx": ("convert_matrix", "drawing.layout", "algorithms.link_analysis.pagerank_alg"),
    "mir_eval": ("util", "segment", "melody", "beat"),
}
#: Package, and the folder with its own tests; all of its modules that use NumPy are observed.
TESTS = {
    "numpy_financial": "numpy_financial/tests",
    "pymap3d": "pymap3d/tests",
    "transforms3d": "transforms3d/tests",
}


def find_tasks(scratch: Path) -> list[Task]:
    """All tasks whose packages are installed; texts of snippets are written to `scratch`."""
    programs = tuple(sorted((FIXTURES / "programs").glob("*.py")))
    projects = tuple(sorted(path / f"{path.name}.py" for path in (FIXTURES / "projects").iterdir() if path.is_dir()))
    tasks = [
        Task("programs", programs, tuple(("examples", str(path)) for path in programs)),
        Task("projects", projects, tuple(("examples", str(path)) for path in projects)),
        _snippets(scratch),
    ]
    for package, modules in DOCTESTS.items():
        found = [(name, path) for name in modules if (path := _origin(f"{package}.{name}")) is not None]
        if found:
            tasks.append(
                Task(
                    package,
                    tuple(path for _, path in found),
                    tuple(("doctest", f"{package}.{name}") for name, _ in found),
                )
            )
    for package, folder in TESTS.items():
        origin = _origin(package)
        if origin is None:
            continue
        tests = origin.parents[1] / folder
        files = [
            path for path in sorted(origin.parent.rglob("*.py")) if "tests" not in path.parts and _uses_numpy(path)
        ]
        tasks.append(Task(package, tuple(files), (("pytest", str(tests)),)))
    return tasks


def _snippets(scratch: Path) -> Task:
    """The texts of fixtures/semantics as modules."""
    sys.path.insert(0, str(ROOT / "tests"))
    from snippets import read_all

    paths, steps = [], []
    for number, snippet in enumerate(read_all()):
        if snippet.state == "refused":
            continue  # what its calls show does not happen in migrated code: the boundary asks first
        path = scratch / f"snippet_{number}_{re.sub('[^a-z0-9]', '_', snippet.name.lower())}.py"
        path.write_text(snippet.text, encoding="utf-8")
        paths.append(path)
        steps.append(("calls", str(path), *snippet.calls))
    return Task("semantics", tuple(paths), tuple(steps))


def _origin(module: str) -> Path | None:
    parts = module.split(".")
    try:
        spec = importlib.util.find_spec(parts[0])
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin)
    if len(parts) > 1:
        path = path.parent.joinpath(*parts[1:]).with_suffix(".py")
    return path if path.exists() else None


def _uses_numpy(path: Path) -> bool:
    return "numpy" in path.read_text(encoding="utf-8", errors="replace")
