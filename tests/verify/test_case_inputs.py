"""The further calls that the probe makes of each API: lists, Python numbers, 0-d, special values, no elements."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

from np2tnp.catalog import load  # noqa: E402
from np2tnp.probe import agreement, domains, surface  # noqa: E402
from np2tnp.probe.cases import cases_inputs  # noqa: E402
from np2tnp.probe.cases.all_cases import DTYPES, all_cases, fresh_arguments, names_in  # noqa: E402
from np2tnp.probe.cases.cases_inputs import make_arguments  # noqa: E402

pytestmark = pytest.mark.usefixtures("forked_children")


def vary(*calls: str, is_function: bool = True) -> list[str]:
    arrays = {"v": 1, "w": 1, "m": 2}
    return list(dict.fromkeys(text for _, text, _ in cases_inputs.vary([*calls], arrays, is_function)))


def test_the_plainest_call_gets_every_class_of_input() -> None:
    expected = ["v_list", "number", "z", "e", "v_special", "s"]
    assert vary("m, axis=0", "v") == expected
    assert vary("v", "z", "e", "s") == ["v_list", "number"]


def test_of_two_arrays_each_is_a_list_once() -> None:
    assert vary("v, w")[:4] == ["v_list, w_list", "v, w_list", "v, number", "number, w"]
    assert vary("v, w", is_function=False)[:2] == ["v, w_list", "v, number"]


def test_an_array_whose_attributes_are_read_stays_one() -> None:
    assert vary("v, v.dtype") == []
    assert vary("[v, w[0]]") == ["[v_list, w[0]]", "[number, w[0]]", "[z, w[0]]", "[e, w[0]]", "[v_special, w[0]]", "[s, w[0]]"]  # fmt: skip # noqa: E501


@pytest.mark.parametrize("char", DTYPES)
def test_the_other_forms_hold_what_their_names_say(char: str) -> None:
    names = make_arguments(char)
    assert names["m_list"] == names["m"].tolist()
    assert type(names["number"]) in (bool, int, float, complex)
    assert names["m_special"].dtype.char == char
    assert names["m_special"].shape == names["m"].shape
    assert names["m_empty"].shape == (0, 4)
    if char in "efd":
        assert np.isnan(names["m_special"]).any()
        assert np.array_equal(np.sort(names["g_special"]), names["g_special"], equal_nan=True)


def test_lists_are_fresh_for_each_call() -> None:
    fresh_arguments("m_list", "d")["m_list"][0][0] = 99.0
    assert fresh_arguments("m_list", "d")["m_list"] == make_arguments("d")["m"].tolist()


def test_every_name_of_a_case_is_an_argument_or_bound_by_the_call() -> None:
    forms = (*cases_inputs.FORMS, "number")
    known = make_arguments("d")
    used = {name for listed in all_cases().values() for case in listed for name in names_in(case.call)}
    assert {name for name in used if name.endswith(forms)} <= known.keys()


def test_numeric_functions_are_called_with_lists_numbers_and_arrays_of_every_class() -> None:
    catalog, missing = load(), []
    for api, listed in all_cases().items():
        fact = catalog.get(api)
        if fact is None or fact.kind != "ufunc" or not surface.list_surface()[api].get("parameters"):
            continue
        names = set().union(*(names_in(case.call) for case in listed))
        lists = "number" in names and cases_inputs.has_lists(names)
        if not (lists and names & {"z"} and names & {"s", "S"} and names & {"e", "em"}):
            missing.append(api)
    # of the products of vectors and matrices the plainest calls have two arrays; special values are in other tests
    assert {api for api in missing if api.count(".") == 1} <= {
        "numpy.matmul", "numpy.vecdot", "numpy.matvec", "numpy.vecmat",
    }  # fmt: skip


def test_what_tnp_makes_of_lists_takes_no_dtype_of_arrays_away() -> None:
    right = dict.fromkeys(DTYPES, "equal")
    wrong = {"?": "equal", "l": "error TypeError", "d": "type", "D": "equal"}
    observed = [["v", right], ["v_list", wrong], ["number", dict.fromkeys("?ldD", "equal")]]
    entry, _ = domains.summarize(observed, ["a"], "tnp.f")
    assert entry["dtypes"] == DTYPES
    assert entry["outside"] == {"ints a": ["l", "error TypeError: (v_list)"], "list a": ["d", "type: (v_list)"]}
    entry, _ = agreement.summarize(observed, ["a"], "rt.f")
    assert not {"l", "d"} & set(entry["dtypes"])


@pytest.mark.parametrize(
    "call", ["split(m, 3)", "hsplit(m, 2)", "vsplit(m, 3)", "dsplit(t, 2)", "rollaxis(t, 2)", "unstack(m)"]
)
def test_lists_are_not_split(call: str) -> None:
    pytest.importorskip("tensorflow")
    from np2tnp import runtime

    names = {name: np.ones(shape).tolist() for name, shape in (("m", (3, 4)), ("t", (2, 3, 4)))}
    for module in (np, runtime):
        with pytest.raises(AttributeError):
            eval(f"module.{call}", {"module": module, **names})


@pytest.mark.parametrize("number", [True, 2, 2.5, 1j])
def test_a_number_has_no_dtype_to_change(number: complex) -> None:
    pytest.importorskip("tensorflow")
    from np2tnp import runtime

    for call in (lambda: number.astype(np.float32), lambda: runtime.astype(number, np.float32)):
        with pytest.raises(AttributeError, match="has no attribute 'astype'"):
            call()
    assert runtime.astype(np.float64(2.5), np.float32).numpy() == 2.5


def test_what_was_tried_of_a_class_stands_for_the_rest_of_it() -> None:
    observed = [["v", dict.fromkeys(DTYPES, "equal")], ["z", {**dict.fromkeys("?ilBHefdD", "equal"), "i": "value"}]]
    for target in ("tnp.f", "rt.f"):
        entry, notes = agreement.summarize(observed, ["a"], target)
        assert entry["dtypes"] == "?lBHILefdFD"
        assert notes["cases"] == len(DTYPES) + len("?ilBHefdD")
