"""The catalog's loader, and that the facts keep the shape that docs/dev/reference/catalog-format.md promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from np2tnp.catalog import Catalog, load
from np2tnp.catalog.facts import Target
from np2tnp.config import CHOICES, Config

FACTS = Path(__file__).parents[2] / "np2tnp" / "catalog" / "facts.json"
RAW = json.loads(FACTS.read_text())
KINDS = {"function", "ufunc", "method", "attribute", "constant", "dtype", "class", "module", "operator", "object"}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load()


def test_loading_imports_no_numpy() -> None:
    code = (
        "import sys; from np2tnp.catalog import load; assert load().get('numpy.sum').kind == 'function';"
        "assert not {'numpy', 'tensorflow', 'libcst'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_of_numpy_is_known(catalog: Catalog) -> None:
    for module, prefix in (
        (np, "numpy"),
        (np.linalg, "numpy.linalg"),
        (np.fft, "numpy.fft"),
        (np.random, "numpy.random"),
    ):
        missing = [n for n in dir(module) if not n.startswith("_") and catalog.get(f"{prefix}.{n}") is None]
        assert not missing
    assert not [n for n in dir(np.ndarray) if not n.startswith("_") and catalog.get(f"ndarray.{n}") is None]


@pytest.mark.parametrize("name", sorted(RAW["apis"]))
def test_every_fact_is_well_formed(catalog: Catalog, name: str) -> None:
    fact = catalog.get(name)
    assert fact is not None
    assert fact.kind in KINDS
    assert fact.effect in {"fresh", "view", "may-view", "none"}
    assert fact.zero_d in {"scalar", "array", "either"}
    assert fact.returns in {"array", "tuple", "list", "python", "none", "mixed"}
    for target in (fact.tnp, fact.rt):
        if target is not None and fact.kind != "operator":
            assert target.name.startswith(("tnp.", "tf.", "rt.", "operator"))
            assert set(target.dtypes) <= set("?bhilBHILefdFD")


@pytest.mark.parametrize(
    ("name", "effect", "mutates", "result"),
    [
        ("numpy.sum", "fresh", (), "sum(a)"),
        ("numpy.add", "fresh", (), "promote(x1,x2)"),
        ("numpy.divide", "fresh", (), "true_divide(x1,x2)"),
        ("numpy.isnan", "fresh", (), "bool"),
        ("numpy.argmax", "fresh", (), "intp"),
        ("numpy.zeros", "fresh", (), "dtype(dtype)[d]"),
        ("numpy.reshape", "may-view", (), "same(a)"),
        ("numpy.ravel", "may-view", (), "promote(a)"),
        ("numpy.fill_diagonal", "none", ("a",), "python"),
        ("numpy.copyto", "none", ("dst",), "python"),
        ("numpy.random.shuffle", "none", ("x",), "python"),
        ("ndarray.sort", "none", ("self",), "python"),
        ("ndarray.T", "view", (), "same(self)"),
        ("ndarray.flatten", "fresh", (), "same(self)"),
        ("operator.iadd", "view", ("a",), "same(a)"),
    ],
)
def test_measured_behaviour(catalog: Catalog, name: str, effect: str, mutates: tuple[str, ...], result: str) -> None:
    fact = catalog.get(name)
    assert fact is not None
    assert (fact.effect, fact.mutates, fact.result) == (effect, mutates, result)


def test_aliases_share_the_fact_of_what_they_name(catalog: Catalog) -> None:
    alias, canonical = catalog.get("numpy.abs"), catalog.get("numpy.absolute")
    assert alias is not None
    assert canonical is not None
    assert alias.alias_of == canonical.name == "numpy.absolute"
    assert alias.parameters == canonical.parameters


def test_names_that_numpy_2_dropped_are_known(catalog: Catalog) -> None:
    for name in (
        "numpy.float_",
        "numpy.product",
        "numpy.NINF",
        "numpy.round_",
        "numpy.alltrue",
        "numpy.cumproduct",
        "numpy.float",
    ):
        fact = catalog.get(name)
        assert fact is not None, name
        assert fact.legacy


def test_parameters_tell_positional_from_keyword_only(catalog: Catalog) -> None:
    fact = catalog.get("numpy.reshape")
    assert fact is not None
    assert fact.positional[:2] == ("a", "shape")
    assert fact.positional_only == {"a"}
    assert "copy" in fact.parameter_names
    assert "copy" not in fact.positional


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("newest", ["NumPy 2 has no np.in1d", "NumPy 2 has no np.int; use int"]),
        ("1.26", ["NumPy 1.26 has no np.concat: it came with"]),
    ],
)
def test_names_are_those_of_the_numpy_that_the_code_is_written_for(target: str, said: list[str]) -> None:
    from np2tnp.engine import analyze
    from np2tnp.files.source import from_text

    text = "import numpy as np\n\n\ndef f(a, b):\n    return np.concat([a, b]), np.in1d(a, b), np.int(3)\n"
    report = analyze(from_text("f.py", text), Config(target_numpy=target))
    found = [finding.message for finding in report.findings if finding.code == "TNP308"]
    assert [message[: len(words)] for message, words in zip(found, said, strict=True)] == said


def test_suggestions_and_unknown_names(catalog: Catalog) -> None:
    assert catalog.get("numpy.does_not_exist") is None
    assert catalog.suggest("numpy.arnage") == "numpy.arange"
    assert catalog.suggest("zzzzzzzz") is None


def test_external_purity(catalog: Catalog) -> None:
    assert catalog.is_pure("scipy.special.erf")
    assert not catalog.is_pure("scipy.linalg.blas.dgemm")
    assert not catalog.is_pure("somewhere.else")


#: Silent differences of tnp's that no fact may call equal: API, parameters of the call, dtype of the first array.
TRAPS = [
    ("numpy.arange", {"start_or_stop", "stop", "step"}, "d"),
    ("numpy.floor_divide", {"x1", "x2"}, "d"),
    ("numpy.divmod", {"x1", "x2"}, "d"),
    ("numpy.remainder", {"x1", "x2"}, "l"),
    ("numpy.var", {"a", "dtype"}, "F"),
    ("numpy.geomspace", {"start", "stop", "dtype"}, "d"),
    ("numpy.linspace", {"start", "stop", "dtype"}, "d"),
    ("numpy.logspace", {"start", "stop", "dtype"}, "d"),
    ("numpy.take", {"a", "indices"}, "d"),
    ("numpy.argmax", {"a"}, "d"),
    ("numpy.argmin", {"a"}, "f"),
    ("numpy.sort", {"a"}, "d"),
    ("numpy.argsort", {"a"}, "d"),
    ("numpy.isclose", {"a", "b"}, "d"),
    ("numpy.round", {"a", "decimals"}, "d"),
    ("numpy.round", {"a", "decimals"}, "l"),
    ("numpy.clip", {"a", "a_min", "a_max"}, "b"),
    ("numpy.clip", {"a", "a_min", "a_max"}, "d"),
    ("numpy.all", {"a"}, "D"),
    ("numpy.any", {"a"}, "D"),
    ("numpy.logical_and", {"x1", "x2"}, "D"),
    ("numpy.logical_not", {"x"}, "D"),
    ("numpy.signbit", {"x"}, "d"),
    ("numpy.heaviside", {"x1", "x2"}, "d"),
    ("numpy.angle", {"z"}, "d"),
    ("numpy.isinf", {"x"}, "l"),
    ("numpy.isposinf", {"x"}, "l"),
    ("numpy.isneginf", {"x"}, "D"),
    ("numpy.concatenate", {"arrays"}, "d"),
    ("numpy.std", {"a", "dtype"}, "d"),
    ("numpy.max", {"a"}, "d"),
    ("numpy.min", {"a"}, "l"),
    ("numpy.ptp", {"a"}, "d"),
    ("numpy.log2", {"x"}, "f"),
    ("numpy.log10", {"x"}, "f"),
    ("numpy.logaddexp2", {"x1", "x2"}, "f"),
    ("numpy.hypot", {"x1", "x2"}, "f"),
    ("numpy.sin", {"x"}, "B"),
    ("numpy.exp", {"x"}, "b"),
    ("numpy.sqrt", {"x"}, "?"),
    ("numpy.floor", {"x"}, "l"),
    ("numpy.ceil", {"x"}, "i"),
    ("numpy.fix", {"x"}, "l"),
    ("numpy.fabs", {"x"}, "l"),
    ("numpy.divide", {"x1", "x2"}, "B"),
    ("numpy.float_power", {"x1", "x2"}, "f"),
    ("numpy.float_power", {"x1", "x2"}, "l"),
    ("numpy.cumsum", {"a"}, "B"),
    ("numpy.cumprod", {"a"}, "I"),
    ("numpy.array", {"object"}, "f"),
    ("numpy.polyval", {"p", "x"}, "f"),
    ("numpy.vander", {"x"}, "f"),
    ("numpy.diag_indices", {"n"}, "l"),
    ("numpy.trace", {"a"}, "i"),
    ("numpy.average", {"a", "weights"}, "d"),
    ("numpy.mean", {"a"}, "e"),
    ("numpy.isscalar", {"element"}, "d"),
    ("numpy.add", {"x1", "x2"}, "B"),
    ("numpy.where", {"condition"}, "?"),
]


@pytest.mark.parametrize(("name", "parameters", "dtype"), TRAPS)
def test_known_silent_differences_were_found(catalog: Catalog, name: str, parameters: set[str], dtype: str) -> None:
    fact = catalog.get(name)
    assert fact is not None
    known = set(fact.parameter_names) | {text.lstrip("*") for text in fact.parameters}
    assert parameters <= known
    # the whole call is not promised, or a form of it is left out
    assert fact.tnp is None or not fact.tnp.takes(parameters, dtype) or _is_partly_left_out(fact.tnp, dtype)


def _is_partly_left_out(target: Target, dtype: str) -> bool:
    return any(dtype in chars for chars, _ in target.outside.values())


@pytest.mark.parametrize(
    ("name", "parameters", "dtypes"),
    [
        ("numpy.sum", {"a", "axis", "keepdims"}, "bhilBHILefdFD"),
        ("numpy.transpose", {"a"}, "?lfdD"),
        ("numpy.sqrt", {"x"}, "fd"),
        ("numpy.tanh", {"x"}, "fd"),
        ("numpy.zeros", {"shape", "dtype"}, "d"),
        ("numpy.multiply", {"x1", "x2"}, "fd"),
    ],
)
def test_what_tnp_does_well_is_used(catalog: Catalog, name: str, parameters: set[str], dtypes: str) -> None:
    fact = catalog.get(name)
    assert fact is not None
    assert fact.tnp is not None
    assert all(fact.tnp.takes(parameters, dtype) for dtype in dtypes)


@pytest.mark.parametrize(
    ("operator", "pair"),
    [
        ("add", "??"),
        ("truediv", "BB"),
        ("truediv", "hb"),
        ("floordiv", "ll"),
        ("floordiv", "dd"),
        ("mod", "ll"),
        ("eq", "dd"),
        ("ne", "ff"),
    ],
)
def test_operators_that_differ(catalog: Catalog, operator: str, pair: str) -> None:
    fact = catalog.get(f"operator.{operator}")
    assert fact is not None
    assert fact.tnp is not None
    assert pair in fact.tnp.pairs_bad


@pytest.mark.parametrize(
    ("alias", "name", "target"),
    [
        ("__add__", "operator.add", "rt.op_add"),
        ("__rlshift__", "operator.lshift", "rt.op_lshift"),
        ("__iand__", "operator.iand", "rt.iand"),
        ("__getitem__", "operator.getitem", "rt.at(a)[key].get()"),
        ("__setitem__", "operator.setitem", "rt.at(a)[key].set(value)"),
        ("__rdivmod__", "ndarray.__divmod__", "rt.op_divmod"),
    ],
)
def test_methods_of_operators_are_other_names(catalog: Catalog, alias: str, name: str, target: str) -> None:
    fact = catalog.get(f"ndarray.{alias}")
    assert fact is not None
    assert (fact.alias_of, fact.kind) == (name, "operator")
    assert fact.rt is not None
    assert fact.rt.name == target
    assert fact.rt.dtypes


@pytest.mark.parametrize("version", ["2.18", "2.19", "2.20", "newest"])
def test_every_form_of_index_is_read_and_stored_for_every_dtype(version: str) -> None:
    for name in ("getitem", "setitem"):
        fact = load(version).get(f"operator.{name}")
        assert fact is not None
        assert fact.rt is not None
        assert fact.rt.takes(set(fact.parameter_names))


def test_operators_that_agree(catalog: Catalog) -> None:
    for operator in ("add", "sub", "mul", "truediv", "lt"):
        fact = catalog.get(f"operator.{operator}")
        assert fact is not None
        assert fact.tnp is not None
        assert not {"dd", "ff", "fd"} & set(fact.tnp.pairs_bad)


def test_a_stage_of_which_no_call_told_is_not_measured() -> None:
    target = {"target": "rt.f", "accepted": ["a"], "dtypes": "?", "traced": {"accepted": [], "dtypes": ""}}
    known = Catalog({"apis": {"numpy.f": {"kind": "function", "rt": target}}}, {}).get("numpy.f")
    assert known is not None
    assert known.traced == "unknown"


def test_stages_hold_no_more_than_the_eager_promise() -> None:
    target = {"target": "rt.f", "accepted": ["a", "axis"], "dtypes": "?ld"}
    stages = {"traced": "ok", "compiled": {"dtypes": "d", "accepted": ["a"], "fails": {"l": "error X in 1 of 1: (v)"}}}
    facts = {"apis": {"numpy.f": {"kind": "function", "rt": {**target, **stages}}, "numpy.g": {"kind": "function"}}}
    known = Catalog(facts, {}).get("numpy.f")
    assert known is not None
    assert known.rt is not None
    assert (known.traced, known.compiled) == ("ok", "partly")
    assert known.rt.takes({"a", "axis"}, "l", compile="graph")
    assert known.rt.takes({"a"}, "d", compile="xla")
    assert not known.rt.takes({"a", "axis"}, "d", compile="xla")
    assert not known.rt.takes({"a"}, "l", compile="xla")
    assert not known.rt.takes({"b"}, "d", compile="graph")
    unknown = Catalog(facts, {}, has_stages=False).get("numpy.f")
    assert unknown is not None
    assert unknown.rt is not None
    assert (unknown.traced, unknown.rt.takes({"a"}, "d", compile="graph")) == ("unknown", False)
    without = Catalog(facts, {}).get("numpy.g")
    assert without is not None
    assert without.compiled == "unknown"


MEASURED = [version for version in CHOICES["target_tensorflow"] if version != "newest"]


@pytest.mark.parametrize("version", MEASURED)
def test_every_target_tensorflow_was_measured(version: str) -> None:
    assert load(version).versions["tensorflow"].startswith(f"{version}.")


def test_the_newest_facts_are_those_of_the_first_target() -> None:
    assert load().versions == load(MEASURED[0]).versions
    assert load() is load("newest")


def test_a_target_tensorflow_has_its_own_facts() -> None:
    older = load("2.18")
    one, other = older.get("numpy.add"), load().get("numpy.add")
    assert one is not None
    assert other is not None
    assert one.rt is not None
    assert (one.effect, one.result) == (other.effect, other.result)
    fact, newest = older.get("numpy.floor"), load().get("numpy.floor")  # integers became floats before NumPy 2.1
    assert fact is not None
    assert newest is not None
    assert fact.tnp is not None
    assert newest.tnp is not None
    assert "l" in fact.tnp.dtypes
    assert "l" not in newest.tnp.dtypes
    assert fact.effect == newest.effect


@pytest.mark.parametrize("version", sorted(RAW["by_tensorflow"]))
def test_stages_of_a_target_tensorflow_count_where_they_were_measured(version: str) -> None:
    fact, newest = load(version).get("numpy.add"), load().get("numpy.add")
    assert fact is not None
    assert newest is not None
    assert fact.rt is not None
    assert newest.rt is not None
    measured = (newest.rt.traced, newest.rt.compiled)
    assert None not in measured
    is_staged = RAW["by_tensorflow"][version].get("staged", False)
    assert (fact.rt.traced, fact.rt.compiled) == (measured if is_staged else (None, None))


def test_the_engine_asks_the_target_s_facts() -> None:
    from np2tnp.engine import analyze
    from np2tnp.files.source import from_text

    source = from_text(
        "f.py", "import numpy as np\n\n\ndef f(x):\n    n = np.zeros(9, int)\n    return np.floor(n) + x\n"
    )
    reports = {v: analyze(source, Config(rewrite=True, target_tensorflow=v)) for v in ("2.18", "newest")}
    assert all("tnp.floor(n)" in (report.new_text or "") for report in reports.values())
    codes = {v: {it.code for it in report.findings if "np.floor" in it.message} for v, report in reports.items()}
    assert codes == {"2.18": {"TNP001"}, "newest": {"TNP003"}}


@pytest.mark.parametrize("version", MEASURED)
def test_what_was_decided_for_a_name_holds_for_every_target(version: str) -> None:
    fact = load(version).get("numpy.swapaxes")  # equal in all calls, as far as a class of exceptions is for its base
    assert fact is not None
    assert fact.target is not None
    assert (fact.prefer, fact.target.name) == ("rt", "rt.swapaxes")


@pytest.mark.parametrize("version", [*MEASURED, "newest"])
@pytest.mark.parametrize("name", ["clip", "moveaxis", "cross", "take_along_axis"])
def test_what_tnp_was_measured_to_get_wrong_is_left_to_the_helper(version: str, name: str) -> None:
    fact = load(version).get(f"numpy.{name}")
    assert fact is not None
    assert fact.tnp is not None
    assert fact.target is not None
    assert (fact.prefer, fact.tnp.dtypes, fact.target.name) == (None, "", f"rt.{name}")


def test_every_ufunc_that_changes_its_argument_has_a_helper() -> None:
    catalog = load()
    in_place = [
        fact for name in catalog.names() if name.endswith(".at") and (fact := catalog.get(name)) and fact.mutates
    ]
    assert len(in_place) > 80
    assert [fact.name for fact in in_place if fact.rt is None] == []
