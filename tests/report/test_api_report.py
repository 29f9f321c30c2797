"""What people read of the catalog: ``np2tnp api`` and docs/coverage.md."""

from __future__ import annotations

import csv
import io
import json
import operator
import subprocess
import sys
from pathlib import Path

import pytest

from np2tnp.catalog import load
from np2tnp.catalog.catalog import Catalog
from np2tnp.cli import main
from np2tnp.config import Config
from np2tnp.report import comparison, to_api, to_coverage
from np2tnp.report.fates import VERDICTS

COVERAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("np.take", "numpy.take"),
        ("take", "numpy.take"),
        ("numpy.fft.rfft", "numpy.fft.rfft"),
        ("linalg.inv", "numpy.linalg.inv"),
        ("ndarray.sort", "ndarray.sort"),
        ("x.sort", "ndarray.sort"),
        ("rng.integers", "numpy.random.Generator.integers"),
        ("add()", "numpy.add"),
        ("operator.add", "operator.add"),
        ("ndarray.__radd__", "ndarray.__radd__"),
        ("x.__getitem__", "ndarray.__getitem__"),
        ("__setitem__", "ndarray.__setitem__"),
        ("getitem", "operator.getitem"),
        ("np.float_", "numpy.float_"),
    ],
)
def test_names_as_people_type_them(typed: str, found: str) -> None:
    fact = to_api.find(typed, load())
    assert fact is not None
    assert fact.name == found


def test_differences_are_said_in_words() -> None:
    text = to_api.render("numpy.take", load(), Config())
    assert text is not None
    assert "gives other values" in text
    assert "(v, [-1])" in text
    assert "rt.take" in text


def test_refused_keywords_name_their_dtypes_in_words() -> None:
    text = to_api.render("numpy.sum", load(), Config())
    assert text is not None
    assert "initial: raises TypeError: (v, initial=2) for every dtype" in text


def test_dtype_rules_are_said_in_words() -> None:
    rules = {
        fact.result for name in load().names() if (fact := load().get(name)) and fact.result not in (None, "python")
    }
    assert all("(" not in to_api.describe_rule(rule) and to_api.describe_rule(rule) for rule in rules)
    assert to_api.describe_rule("sum(a)") == "that of a, small integers to 64 bits"
    assert to_api.describe_rule("promote(x1,x2)") == "x1, x2 promoted"
    assert to_api.describe_rule("dtype(dtype)[d]") == "that of the argument dtype, else float64"


@pytest.mark.parametrize("name", ["numpy.pi", "numpy.float64", "numpy.linalg", "numpy.ScalarType"])
def test_of_what_is_not_called_no_behaviour_is_told(name: str) -> None:
    text = to_api.render(name, load(), Config())
    assert text is not None
    assert "memory" not in text


def test_unknown_names() -> None:
    assert to_api.render("numpy.nothing_like_it", load(), Config()) is None
    assert load().suggest("np.arnage") == "numpy.arange"


@pytest.mark.parametrize("name", ["numpy.clip", "numpy.cross", "numpy.hypot"])
def test_a_page_does_not_point_to_itself(name: str) -> None:
    told = to_api.render(name, load(), Config())
    assert told is not None
    assert "gives something else" in told
    assert "np2tnp api" not in told.partition("measured with")[0]


def test_mutation_is_said() -> None:
    text = to_api.render("ndarray.sort", load(), Config())
    assert text is not None
    assert "changes in place: self" in text


@pytest.mark.parametrize(
    ("chars", "words"),
    [
        ("?bhilBHILefdFD", "every dtype"),
        ("?bhilBHILefd", "every real dtype"),
        ("bhilBHILd", "integers, float64"),
        ("?l", "bool, int64"),
        ("", "no dtype"),
    ],
)
def test_dtypes_in_words(chars: str, words: str) -> None:
    assert to_api.describe_dtypes(chars) == words


@pytest.mark.parametrize("sign", to_api.SIGNS)
def test_an_operator_is_found_as_it_is_written(sign: str) -> None:
    np = pytest.importorskip("numpy")
    name = f"operator.{to_api.SIGNS[sign]}"
    assert (to_api.render(sign, load(), Config()) or "").startswith(f"{name}(")
    a, b = np.array([[13, 2], [3, 4]], float if sign == "/=" else int), np.array([[1, 0], [1, 1]])
    scope = {"a": a.copy(), "b": b}
    texts = {"~": "a = ~a", "[]": "a = a[b]", "in": "a = b in a", "[]=": "a[0] = b[0]"}
    in_place = to_api.SIGNS[sign].startswith("i") and sign.endswith("=")
    one = a.copy()
    arguments = {"~": (one,), "[]=": (one, 0, b[0])}.get(sign, (one, b))
    with np.errstate(all="ignore"):
        exec(texts.get(sign, f"a {sign} b" if in_place else f"a = a {sign} b"), scope)
        result = getattr(operator, to_api.SIGNS[sign])(*arguments)
    np.testing.assert_array_equal(scope["a"], one if result is None else result)


def test_colour_only_on_request() -> None:
    assert "\x1b" not in (to_api.render("sum", load(), Config()) or "")
    assert "\x1b" in (to_api.render("sum", load(), Config(), colour=True) or "")


def test_coverage_page_is_up_to_date() -> None:
    assert COVERAGE.read_text(encoding="utf-8") == to_coverage.render(load())


@pytest.fixture(scope="module")
def rows() -> list[comparison.Row]:
    return comparison.make_rows(load(), Config())


def test_every_public_name_of_numpy_has_a_row_with_verdict_and_reason(rows: list[comparison.Row]) -> None:
    np = pytest.importorskip("numpy")
    found = {row.api: row for row in rows}
    for prefix, owner in (
        ("numpy", np), ("numpy.linalg", np.linalg), ("numpy.fft", np.fft), ("numpy.random", np.random),
        ("ndarray", np.ndarray), ("numpy.random.Generator", np.random.Generator),
        ("numpy.random.RandomState", np.random.RandomState),
    ):  # fmt: skip
        public = {name for name in dir(owner) if not name.startswith("_")}
        missing = {name for name in public if f"{prefix}.{name}" not in found}
        assert not missing, prefix
    for row in rows:
        assert row.verdict in VERDICTS, row.api
        assert row.reason, row.api


#: Special methods that make no array of arrays: they belong to pickles, copies, other libraries, and Python's classes.
_NO_SYNTAX = set(dir(object)) | set(
    "__array__ __array_finalize__ __array_interface__ __array_namespace__ __array_priority__ __array_struct__"
    " __array_ufunc__ __array_function__ __array_wrap__ __buffer__ __class_getitem__ __copy__ __deepcopy__ __dlpack__"
    " __dlpack_device__ __delitem__ __setstate__ __release_buffer__".split()
)  # fmt: skip


def test_every_operator_and_special_method_of_arrays_has_a_row_with_evidence(rows: list[comparison.Row]) -> None:
    np = pytest.importorskip("numpy")
    found = {row.api: row for row in rows}
    compared = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
    special = {name for name in dir(np.ndarray) if name.startswith("__")} - (_NO_SYNTAX - compared)
    assert len(special) > 50
    assert not {name for name in special if f"ndarray.{name}" not in found}
    for row in (found[f"ndarray.{name}"] for name in special):
        assert row.verdict in ("convert", "adapt", "host"), row.api
        assert row.cases, row.api
        assert comparison.has_target(row), row.api


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("ndarray.__getitem__", "return x[key]", "return x[key]"),
        ("ndarray.__setitem__", "x[key] = value", "x = rt.at(x)[key].set(value)"),
        ("ndarray.__rsub__", "return b - x", "rt.op_sub(b, rt.zero_d_array(x))"),
        ("ndarray.__imul__", "x *= b", "x = rt.at(x)[...].multiply(b)"),
        ("ndarray.__len__", "return len(x)", "return len(x)"),
        ("operator.contains", "return item in x", "item in rt.ndarray(x)"),
    ],
)
def test_what_has_no_name_has_an_example(name: str, before: str, after: str) -> None:
    first, _, second = (to_api.render(name, load(), Config()) or "").partition("  after\n")
    assert before in first
    assert after in second


def test_what_is_unsupported_tells_the_failed_attempt(rows: list[comparison.Row]) -> None:
    unsupported = [row for row in rows if row.verdict == "unsupported" and not row.alias_of]
    assert "ndarray.strides" in {row.api for row in unsupported}
    assert not [row.api for row in unsupported if not row.evidence]


def test_the_share_of_verified_targets(rows: list[comparison.Row]) -> None:
    own = [row for row in rows if not row.alias_of]
    numeric = [row for row in own if comparison.is_numeric(row, load())]
    methods = [row for row in own if row.api.startswith("ndarray.") and row.kind == "method" and not row.legacy]
    assert len(numeric) > 300
    assert len(methods) > 50
    assert sum(map(comparison.has_target, numeric)) >= 0.9 * len(numeric)
    assert sum(map(comparison.has_target, methods)) >= 0.95 * len(methods)


def test_the_three_forms_tell_the_same(rows: list[comparison.Row]) -> None:
    as_json = json.loads(comparison.to_json(rows))
    as_csv = list(csv.DictReader(io.StringIO(comparison.to_csv(rows))))
    assert [row["api"] for row in as_json] == [row["api"] for row in as_csv] == sorted(row.api for row in rows)
    assert [row["reason"] for row in as_json] == [row["reason"] for row in as_csv]
    markdown = comparison.to_markdown(rows).splitlines()
    assert len(markdown) == len(rows) + 2
    assert {line.replace("\\|", "").count("|") for line in markdown} == {9}


def test_totals_add_up(rows: list[comparison.Row]) -> None:
    first = comparison.totals(rows, load())[0]
    counts = [int(word) for word in first.replace(",", "").split() if word.isdigit()]
    assert counts[0] == len(rows)
    assert sum(counts[2:]) == counts[0] - counts[1]


@pytest.mark.parametrize(
    ("asked", "found"),
    [("tnp.sum", "numpy.sum("), ("rt.linalg.inv", "numpy.linalg.inv("), ("rt.op_add", "operator.add")],
)
def test_names_of_our_own_output_are_numpys(asked: str, found: str) -> None:
    assert (to_api.render(asked, load(), Config()) or "").startswith(found)


def test_in1d_has_a_target_where_numpy_has_it() -> None:
    text = to_api.render("np.in1d", load("newest", "1.26"), Config(target_numpy="1.26")) or ""
    assert "return rt.in1d(ar1, ar2)" in text
    assert "NumPy 2 has no such name" not in text
    assert "NumPy 2 has no such name" in (to_api.render("np.in1d", load(), Config()) or "")


def test_the_page_of_a_name_has_its_stages_and_an_example() -> None:
    text = to_api.render("numpy.sum", load(), Config()) or ""
    assert "in tf.function: the same" in text
    assert "under XLA: the same" in text
    assert "return np.sum(x)" in text
    assert "@rt.migrated\n      def f(a):\n" in text
    assert "return tnp.sum(x)" in text


def test_a_stage_that_was_not_measured_is_called_so() -> None:
    target = {"target": "rt.sort", "accepted": ["a"], "dtypes": "d", "traced": "ok"}
    facts = {"apis": {"numpy.sort": {"kind": "function", "parameters": ["a"], "rt": target}}}
    assert "in tf.function: the same" in (to_api.render("numpy.sort", Catalog(facts, {}), Config()) or "")
    unstaged = to_api.render("numpy.sort", Catalog(facts, {}, has_stages=False), Config()) or ""
    assert "in tf.function: not measured" in unstaged
    assert "not measured" not in (to_api.render("numpy.sort", load(), Config()) or "")


def test_the_calls_shown_have_their_names_explained() -> None:
    told = to_api.render("numpy.hypot", load(), Config()) or ""
    assert "in the calls shown: l, l2: a long vector; v, w: a vector; number: a Python number; S: special " in told
    assert "in the calls shown" not in (to_api.render("numpy.pi", load(), Config()) or "")


def test_the_names_explained_are_those_of_the_measurements() -> None:
    pytest.importorskip("numpy")
    from np2tnp.probe.cases.cases_inputs import make_arguments

    made = make_arguments("d")
    axes = {name: getattr(made[name], "ndim", None) for name in to_api.ARGUMENTS}
    for name, words in to_api.ARGUMENTS.items():
        wanted = {"a vector": 1, "a long vector": 1, "a matrix": 2, "an array of 3 axes": 3, "a 0-d array": 0}.get(
            words
        )
        assert wanted in (None, axes[name]), name


def test_the_table_needs_neither_numpy_nor_tensorflow() -> None:
    code = (
        "import sys; from np2tnp.cli import main; assert main(['api', '--table', 'csv', '-q']) == 0;"
        "assert not {'numpy', 'tensorflow'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("api,kind,verdict,reason")


@pytest.mark.parametrize("arguments", [[], ["sum", "--table", "csv"], ["--table", "xml"]])
def test_a_name_or_a_table(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["api", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("np2tnp api: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("np.arnage", "numpy.arange"), ("smu", "numpy.sum"), ("linalg.nrom", "numpy.linalg.norm"),
        ("ndarray.smu", "ndarray.sum"), ("tolst", "ndarray.tolist"),
    ],
)  # fmt: skip
def test_a_misspelt_name_gets_a_suggestion(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["api", typed]) == 2
    assert f"did you mean `{meant}`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("np.ma.masked_array", "numpy.ma is not in the catalog"), ("np.char.upper", "numpy.char is not in the catalog"),
        ("len", "it is Python's"), ("not", "it is Python's"),
    ],
)  # fmt: skip
def test_names_outside_of_the_catalog_get_no_suggestion(
    typed: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["api", typed]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "did you mean" not in error


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (".sum", "ndarray.sum"), ("np.sum(x, axis=0)", "numpy.sum"), ("a.reshape(2, 3)", "ndarray.reshape"),
        ("sliding_window_view", "numpy.lib.stride_tricks.sliding_window_view"),
    ],
)  # fmt: skip
def test_names_are_found_as_they_are_pasted(typed: str, name: str) -> None:
    fact = to_api.find(typed, load())
    assert fact is not None
    assert fact.name == name


def test_what_random_tf_draws_is_told() -> None:
    assert "with --random tf: rt.random.normal," in (to_api.render("random.normal", load(), Config()) or "")
    assert "rt.random.stream(rng).integers," in (to_api.render("rng.integers", load(), Config()) or "")
    assert "--random" not in (to_api.render("np.random.seed", load(), Config()) or "")


def test_methods_of_generators_are_found_without_their_module() -> None:
    fact = to_api.find("Generator.normal", load())
    assert fact is not None
    assert fact.name == "numpy.random.Generator.normal"


def test_the_names_of_the_numpy_that_the_code_is_written_for() -> None:
    old = {row.api for row in comparison.make_rows(load(target_numpy="1.26"), Config(target_numpy="1.26"))}
    both = {row.api for row in comparison.make_rows(load(), Config())}
    assert {"numpy.concat", "numpy.in1d"} <= both
    assert "numpy.in1d" in old
    assert "numpy.concat" not in old
    assert old < both
    said = to_api.render("concat", load(target_numpy="1.26"), Config(target_numpy="1.26"))
    assert "NumPy 1.26 has no such name: it came with NumPy 2" in (said or "")
    assert "NumPy 1.26" not in (to_api.render("concat", load(), Config()) or "")
