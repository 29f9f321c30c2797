"""The domain of agreement: an odd form of a call is left out by itself, and nothing is promised that was not tried."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

import libcst as cst  # noqa: E402

from np2tnp.analysis.domain import events as ev  # noqa: E402
from np2tnp.analysis.domain.values import (  # noqa: E402
    NOTHING,
    TENSOR,
    Array,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
)
from np2tnp.catalog import load  # noqa: E402
from np2tnp.catalog.facts import Target, make_target  # noqa: E402
from np2tnp.edits.call_domain import find_problem, kinds_of  # noqa: E402
from np2tnp.edits.targets import choose  # noqa: E402
from np2tnp.probe import agreement, child, domains  # noqa: E402
from np2tnp.probe.cases.all_cases import DTYPES, all_cases, compile_call, fresh_arguments, operands  # noqa: E402

EQUAL = dict.fromkeys(DTYPES, "equal")
VECTOR = Array(TENSOR, frozenset("d"), 1)
FILLED = Array(TENSOR, frozenset("d"), 1, nonempty=True)
PLACE = ev.Place("f", None, False, 0)


def bad(word: str, chars: str = DTYPES) -> dict[str, str]:
    return {**EQUAL, **dict.fromkeys(chars, word)}


def promised(observed: list[list[object]], parameters: list[str]) -> Target:
    entry, _ = domains.summarize(observed, parameters, "tnp.f")
    target = make_target(entry, has_stages=False)
    assert target is not None
    return target


def problem(target: Target, *keywords: str, **given: Value) -> str | None:
    return find_problem(target, {name: (value,) for name, value in given.items()}, keywords, frozenset("d"))


def test_an_empty_array_takes_no_dtype_away() -> None:
    target = promised([["v", EQUAL], ["m, 0", EQUAL], ["m", EQUAL], ["e", bad("no error")]], ["a", "axis=None"])
    assert (target.dtypes, target.accepted) == (DTYPES, {"a", "axis"})
    assert target.outside == {"empty a": (DTYPES, "no error: (e)")}
    assert problem(target, a=FILLED) is None
    assert problem(target, a=VECTOR) is not None
    assert problem(target, a=Array(TENSOR, frozenset("d"), 0)) is not None  # no 0-d array was tried


def test_what_nothing_explains_takes_the_dtype_away() -> None:
    target = promised([["v", EQUAL], ["m", bad("value", "d")], ["e", EQUAL]], ["a"])
    assert "d" not in target.dtypes
    assert not target.outside


def test_special_values_are_not_blamed_on_the_form() -> None:
    calls = [["v, w", EQUAL], ["v, 2", EQUAL], ["w, 3", EQUAL], ["s, 2", bad("value", "d")], ["m, n", EQUAL]]
    assert "d" not in promised(calls, ["a", "b"]).dtypes


def test_a_form_without_an_argument() -> None:
    wrong = bad("type")
    calls = [["b", wrong], ["bm", wrong], *([text, EQUAL] for text in ("b, v, w", "bm, m, n", "b, v, 0"))]
    target = promised(calls, ["condition", "x=None", "y=None"])
    assert target.accepted == {"condition", "x", "y"}
    assert problem(target, condition=FILLED) is not None
    assert problem(target, condition=FILLED, x=FILLED, y=FILLED) is None
    assert problem(target, condition=FILLED, x=FILLED, y=Const.of(0)) is None
    assert problem(target, condition=FILLED, x=FILLED, y=Const.of(0.5)) is not None  # which was not tried


def test_a_bare_array_for_a_list_and_a_small_integer() -> None:
    calls = [["[v, w]", EQUAL], ["[m, n]", EQUAL], ["(v, w)", EQUAL], ["m", bad("shape")]]
    target = promised(calls, ["arrays"])
    assert target.outside == {"array arrays": (DTYPES, "shape: (m)")}
    pair = Sequence("list", FILLED, (FILLED, FILLED))
    assert problem(target, arrays=pair) is None
    assert problem(target, arrays=FILLED) is not None
    assert problem(target, arrays=Unknown()) is not None
    calls = [["v, 1", EQUAL], ["v, 2", EQUAL], ["m, 1", EQUAL], ["v, k0", EQUAL], ["v, np.int8(2)", bad("error X")]]
    target = promised(calls, ["a", "shift"])
    assert list(target.outside) == ["small int shift"]
    assert (
        problem(target, a=FILLED, shift=Unknown()) is None
    )  # whoever shifts by what nobody knows shifts by an integer
    assert problem(target, a=FILLED, shift=Array(TENSOR, frozenset("l"), 0)) is None
    assert problem(target, a=FILLED, shift=Array(TENSOR, frozenset("b"), 0)) is not None


def test_words_and_dtypes_that_were_not_tried_are_not_promised() -> None:
    calls = [["v", EQUAL], ["v, 'C'", EQUAL], ["m, 'F'", EQUAL], ["m, order='A'", bad("error ValueError")]]
    target = promised(calls, ["a", "order='C'"])
    assert target.kinds["order"] == {"'C'", "'F'"}
    assert problem(target, a=FILLED, order=Const.of("F")) is None
    assert problem(target, a=FILLED, order=Const.of("A")) is not None
    assert problem(target, a=FILLED, order=Const.of("K")) is not None
    assert problem(target, a=FILLED, order=Scalar("str")) is not None
    calls = [["v", EQUAL], ["v, np.float64", EQUAL], ["v, dtype=np.uint8", bad("value", "d")]]
    target = promised(calls, ["a", "dtype=None"])
    assert problem(target, a=FILLED, dtype=Symbol("numpy.float64")) is None
    assert problem(target, a=FILLED, dtype=Symbol("numpy.uint8")) is not None
    assert problem(target, a=FILLED, dtype=Symbol("numpy.int16")) is not None


def test_conditions_that_only_differ_together() -> None:
    calls = [["m, (2, 6)", EQUAL], ["v, (2, 3)", EQUAL], ["t, (6, 4)", EQUAL], ["v, (3, 2)", EQUAL], ["m, 12", EQUAL]]
    calls += [["v, (2, -1)", EQUAL], ["e, (0, 3)", EQUAL], ["e, (-1, 0)", bad("no error")]]
    target = promised(calls, ["a", "shape"])
    assert list(target.outside) == ["empty a & negative shape & zero shape"]
    shape = Sequence("tuple", Scalar("int"), (Const.of(-1), Const.of(3)))
    assert problem(target, a=VECTOR, shape=shape) is None
    hidden = Sequence("tuple", Scalar("int"), (Const.of(-1), Scalar("int")))
    assert problem(target, a=VECTOR, shape=hidden) is not None
    assert problem(target, a=FILLED, shape=hidden) is None


def test_a_parameter_may_be_right_for_some_dtypes() -> None:
    target = promised([["v", EQUAL], ["m, 0", EQUAL], ["v, dtype=np.float64", bad("value", "FD")]], ["a", "dtype=None"])
    assert "dtype" in target.accepted
    assert any(chars == "FD" for chars, _ in target.outside.values())
    assert target.dtypes == DTYPES


def test_a_dtype_is_not_promised_beside_one_with_which_it_differs() -> None:
    target = promised([["v, w", {**EQUAL, "fl": "dtype", "lf": "dtype"}], ["m, n", EQUAL]], ["x1", "x2"])
    assert (target.dtypes, set(target.pairs_bad)) == (DTYPES, {"fl", "lf"})


def test_nothing_stores_into_out() -> None:
    target = promised([["v", EQUAL], ["v, out=o", EQUAL]], ["a", "out=None"])
    assert target.accepted == {"a"}


def test_a_method_calls_its_array_self() -> None:
    entry, _ = domains.summarize([["v", EQUAL], ["m", EQUAL], ["l", EQUAL], ["e", bad("no error")]], ["a"], "tnp.f")
    method = domains.of_method(entry, "a")
    assert list(method["outside"]) == ["empty self"]
    assert list(method["kinds"]) == ["self"]


def test_kinds_of_abstract_values() -> None:
    weak = Array(TENSOR, frozenset("d"), None, weak=True)
    assert "int" in kinds_of(weak)
    assert kinds_of(weak, "self") == {"array", "scalar"}
    assert kinds_of(Sequence("list", weak, (weak, FILLED))) == {"arrays", "mixed"}
    assert kinds_of(Sequence("tuple", Scalar("int"), (Scalar("int"), Const.of(2)))) == {"ints"}
    assert kinds_of(Sequence("list", Const.of(0.5), (Const.of(0.5), Const.of(1)))) == {"list"}
    assert kinds_of(Symbol("numpy.inf")) == {"float"}
    assert "other" in kinds_of(Unknown())


@pytest.mark.parametrize(
    ("api", "condition"),
    [
        ("numpy.max", "empty a"), ("ndarray.min", "empty self"), ("numpy.roll", "small int shift"),
        ("numpy.where", "without x"), ("numpy.concatenate", "array arrays"),
        ("numpy.reshape", "empty a & negative shape & zero shape"), ("numpy.stack", "no items arrays"),
    ],
)  # fmt: skip
def test_the_catalog_says_what_is_left_out_and_keeps_the_common_form(api: str, condition: str) -> None:
    fact = load().get(api)
    assert fact is not None
    assert fact.tnp is not None
    assert condition in fact.tnp.outside
    assert {"f", "d"} <= set(fact.tnp.dtypes)


def abstract(value: object) -> Value:
    """What the analysis would know of an argument at best."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Array(TENSOR, frozenset(value.dtype.char), value.ndim, nonempty=bool(value.size))
    if value is None or isinstance(value, (int, float, complex, str)):
        return Const.of(value)
    if isinstance(value, (list, tuple)):
        items = tuple(map(abstract, value))
        return Sequence(type(value).__name__, items[0] if items else NOTHING, items)
    if isinstance(value, (type, np.dtype)):
        return Symbol(f"numpy.{np.dtype(value).name}")
    return Unknown()


@pytest.mark.parametrize(
    "api",
    [
        "max", "mean", "sum", "roll", "where", "concatenate", "stack", "reshape", "array", "full", "full_like", "dot",
        "maximum", "arange", "einsum", "select", "zeros", "repeat", "average",
    ],
)  # fmt: skip
def test_what_is_called_within_the_domain_is_equal(api: str) -> None:
    """Each call of the tables whose arguments the analysis takes for tnp's function is made: none may differ."""
    pytest.importorskip("tensorflow")
    from np2tnp.probe.probed_calls import find_targets, import_runtime

    import_runtime()
    fact, name, node = load().get(f"numpy.{api}"), f"numpy.{api}", cst.Arg(cst.Name("x"))
    assert fact is not None
    function, made, different = find_targets(name)["tnp"], 0, []
    for case in all_cases()[name]:
        for chars in [char for char in "?lfdD" if char in case.dtypes] + ["fd", "lf"] * (len(operands(case.call)) > 1):
            names = {**fresh_arguments(case.call, *chars), "f": lambda *args, **kwargs: (args, kwargs)}
            args, kwargs = eval(compile_call(case.call), names)
            given = [ev.Argument(node, abstract(value)) for value in args]
            given += [ev.Argument(node, abstract(value), key) for key, value in kwargs.items()]
            call = ev.Call(cst.Call(cst.Name("f")), PLACE, Unknown(), name, tuple(given), None, Unknown())
            if choose(fact, call).kind != "tnp":
                continue
            word = child._observe_one(case, chars, "tnp", function)
            made += 1
            if word is not None and not agreement.agrees(word):
                different.append((case.call, chars, word))
    assert not different
    assert made > 10


def test_what_gives_its_argument_back_is_not_equal() -> None:
    catalog = load()
    for name in ("numpy.positive", "numpy.conjugate"):
        fact = catalog.get(name)
        assert fact is not None
        assert fact.tnp is not None
        assert "d" not in fact.tnp.dtypes
