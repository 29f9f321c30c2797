"""How many dimensions results are said to have: never other than NumPy's, and known where the arguments tell."""

from __future__ import annotations

import copy
import itertools
import warnings
from typing import Any

import libcst as cst
import numpy as np
import pytest

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import rank_of
from np2tnp.analysis.domain.values import Array, Sequence, Value
from np2tnp.config import Config
from np2tnp.files.source import Source
from np2tnp.project import Project

_NAMES = {
    "s": "3.0",
    "k": "2",
    "p": "np.sum(np.ones(3))",
    "v": "np.ones(4)",
    "i": "np.arange(3)",
    "m": "np.eye(4) + np.ones((4, 4))",
    "t": "np.ones((2, 4, 4))",
    "l": "[1.0, 2.0, 3.0]",
    "n": "[[1.0, 2.0], [3.0, 4.0]]",
}
_ONE = (
    "np.{0}({1})|np.{0}({1}, axis=None)|np.{0}({1}, axis=0)|np.{0}({1}, axis=-1)|np.{0}({1}, axis=(0, 1))"
    "|np.{0}({1}, keepdims=True)|np.{0}({1}, axis=0, keepdims=True)|{1}.{0}()|{1}.{0}(axis=0)|{1}.{0}(axis=None)"
).split("|")
_FUNCTIONS = (
    "sum prod mean std var min max any all argmin argmax median average ptp count_nonzero nansum trace linalg.norm"
    " linalg.det copy zeros_like ones_like empty_like sort cumsum cumprod round around flip roll asarray array"
    " ascontiguousarray argsort abs exp sqrt isnan logical_not floor fliplr flipud rot90 fft.fft fft.ifft fft.fft2"
    " fft.fftn fft.rfft fft.fftshift nan_to_num real imag angle conj linalg.inv linalg.pinv linalg.cholesky transpose"
    " flatnonzero nonzero bincount histogram ravel flatten ediff1d hanning roots poly argwhere diag diagonal tril triu"
    " unique diff atleast_1d atleast_2d atleast_3d hstack vstack column_stack dstack concatenate stack linalg.eigvals"
    " linalg.eigvalsh arange zeros ones empty eye identity squeeze gradient nancumsum unwrap fix sinc i0 linalg.trace"
    " linalg.diagonal fft.fftfreq partition frexp modf isreal where vander tri cov corrcoef"
).split()
_TWO = (
    "np.{0}({1}, {2})|np.{0}({1}, {2}, axis=None)|np.{0}({1}, {2}, axis=0)|{1}.{0}({2})"
    "|np.{0}({1}, {2}, axis=0, keepdims=True)|np.{0}({1}, {2}, out=np.zeros((4, 4)))|np.{0}(({1}, {2}))"
).split("|")
_PAIRED = (
    "add power maximum arctan2 logical_and matmul dot vdot outer add.outer inner kron percentile quantile clip isclose"
    " digitize searchsorted interp take repeat delete append full full_like linspace geomspace arange roll convolve"
    " correlate concatenate stack hstack vstack column_stack dstack union1d isin broadcast_to expand_dims swapaxes"
    " linalg.solve linalg.matrix_power linalg.norm tile reshape unravel_index pad add.reduce add.accumulate"
    " random.normal random.uniform polyval choose insert moveaxis partition eye where argpartition"
).split()
_OTHERS = [
    "np.vstack((v, v))",
    "np.arange(s, 9.0)",
    "np.linspace(0, 1, k)",
    "np.zeros((2, 3))",
    "np.array([v, v])",
    "np.where(m > 1, s, v)",
    "np.where(v > 0, k, s)",
    "np.add(s, k, where=v > 0)",
    "np.add(s, k, out=v)",
    "np.unique(m, return_inverse=True)",
    "np.unique(m, return_counts=True)",
    "np.unique(m, axis=0)",
    "np.sort(m, axis=None)",
    "np.argsort(m, axis=None)",
    "np.zeros_like(v, shape=(2, 3))",
    "np.array(v, ndmin=3)",
    "np.matmul(m, v, axes=[(0, 1), 0, 0])",
    "np.linspace(v, s, 5)",
    "np.logspace(0, 1, 5, base=v)",
    "np.interp(s, v, v)",
    "np.expand_dims(v, (0, 1))",
    "np.clip(s, v, k)",
    "np.clip(v, None, s)",
    "v.clip(0, m)",
    "m.dot(v)",
    "np.trace(t, axis1=1, axis2=2)",
    "np.average(m, axis=0, weights=v)",
    "np.triu_indices(4)",
    "np.fromiter([1, 2], float)",
    "np.insert(m, 1, v, axis=0)",
    "np.isclose(m, v, rtol=v)",
    "np.ldexp(v, k)",
    "np.percentile(m, [25, 75], axis=0)",
    "np.percentile(m, 25, axis=0)",
    "np.var(t, axis=1, keepdims=k > 1)",
    "np.random.randint(0, [3, 4])",
    "np.random.randint(i + 1)",
    "np.random.randint(k)",
    "np.random.poisson(v)",
    "np.random.normal([0.0, 1.0], s)",
    *(f"{array}.reshape({shape})" for array in ("v", "m", "np.ones(())", "v[:1]") for shape in (
        "2, 2", "4, 4", "(2, 2)", "[2, 2]", "4", "-1", "k, -1", "k, k", "1, k, -1", "(k, -1)", "()", "(4,)", "v.shape",
        "*(2, 2)", "2, *[2]", "2, 2, order='F'", "(2, 2), order='F'", "(), order='C'", "*(1,)", "1", "*m.shape", "i[1]",
        "*()", "i[:1]", "[]", "tuple([2, 2])",
    )),
    "np.reshape(v, (k, k))",
    "np.reshape(v, k * k)",
    "np.reshape(v, shape=(2, 2))",
    "np.reshape(np.ones(1), ())",
]  # fmt: skip


#: What has no elements, in many ways: nothing that is made of it may be said to have some.
_EMPTY = [
    form.format(empty)
    for empty in ("v[4:]", "v[v > 9]", "m[:0]", "m[:, 4:]", "np.zeros((0, 3))", "np.arange(0)", "np.nonzero(v > 9)[0]",
                  "v[[]]", "np.repeat(v, 0)", "m[1:1]", "np.compress(v > 9, v)", "np.full(k - 2, s)", "v[-1:0]")
    for form in (
        "np.abs({0})", "np.concatenate([{0}, {0}])", "np.sum({0}, axis=-1)", "np.add({0}, s)", "np.sort({0})",
        "np.ravel({0})", "np.reshape({0}, -1)", "np.outer({0}, v)", "np.zeros_like({0})", "np.where({0} > 0, {0}, s)",
        "np.array({0})", "np.stack([{0}, {0}])", "{0}.copy()", "np.transpose({0})", "np.percentile(v, {0})",
        "np.flip({0})",
        "np.zeros({0}.shape)", "np.tile(v, {0}.size)", "np.unique({0})", "np.broadcast_to(v[:1], {0}.shape)",
        "np.negative({0} * 2 + 1)", "np.exp({0}[::2])", "np.exp(np.ones((3, {0}.size))[1])",
    )
]  # fmt: skip


def _calls() -> list[str]:
    """Calls that NumPy accepts, each of another text."""
    texts = [form.format(name, x) for name in _FUNCTIONS for x in _NAMES for form in _ONE]
    pairs = list(itertools.product(_NAMES, repeat=2))
    texts += [form.format(name, x, y) for name in _PAIRED for x, y in pairs for form in _TWO]
    return list(dict.fromkeys(texts + _OTHERS + _EMPTY))


def _run(texts: list[str]) -> dict[str, Any]:
    names = {name: eval(text) for name, text in _NAMES.items()}
    results = {}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in texts:
            try:
                results[text] = eval(text, {**copy.deepcopy(names), "np": np})
            except Exception:  # no such call
                continue
    return results


def _look(texts: list[str]) -> dict[str, Value]:
    """What the analysis says of each call, made on local names."""
    lines = [*(f"{name} = {value}" for name, value in _NAMES.items()), *(f"_ = {text}" for text in texts)]
    body = "".join(f"    {line}\n" for line in lines)
    session, _ = Project(Config(rewrite=True)).analyze(Source("m.py", f"import numpy as np\ndef f():\n{body}"), True)
    facts = session.analysis.facts["f"]
    code = cst.Module([]).code_for_node
    return {code(event.node): event.result for event in facts.events if isinstance(event, ev.Call)}


@pytest.fixture(scope="module")
def results() -> list[tuple[str, Any, Value]]:
    found = _run(_calls())
    said = _look(list(found))
    return [(text, result, said[text]) for text, result in found.items() if text in said]


def _differs(result: Any, value: Value) -> bool:
    if isinstance(result, (tuple, list)) and isinstance(value, Sequence):
        return any(_differs(item, value.element) for item in result)
    known = rank_of(value) if isinstance(value, Array) else None
    return known is not None and known != np.ndim(result)


def test_no_rank_is_wrong(results: list[tuple[str, Any, Value]]) -> None:
    assert len(results) > 3000
    wrong = [f"{text}: {np.shape(result)}, {value}" for text, result, value in results if _differs(result, value)]
    assert not wrong, "\n".join(wrong)


def _is_wrongly_filled(result: Any, value: Value) -> bool:
    if isinstance(result, (tuple, list)) and isinstance(value, Sequence):
        return any(_is_wrongly_filled(item, value.element) for item in result)
    return isinstance(value, Array) and value.nonempty and not np.size(result)


def test_nothing_without_elements_is_said_to_have_some(results: list[tuple[str, Any, Value]]) -> None:
    assert sum(not np.size(result) for _, result, _ in results if isinstance(result, np.ndarray)) > 100
    wrong = [f"{text}: {value}" for text, result, value in results if _is_wrongly_filled(result, value)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "np.exp(m)", "np.add(m, v)", "np.sum(m, axis=0)", "np.cumsum(m)", "np.sort(v)", "np.transpose(m)",
        "np.ravel(m)", "np.outer(v, v)", "np.concatenate([v, v])", "np.concatenate((v, v[4:]))", "np.dot(m, v)",
        "np.where(m > 1, s, v)", "np.zeros((2, 3))", "np.zeros_like(m)", "np.max(m * 2 + v, axis=0)", "np.exp(m[0])",
        "np.exp(m[:, 0])", "np.exp(m[::2, :1])", "np.linspace(0, 1, 5)", "v.copy()", "np.exp(m.T)",
        "np.stack([v, v])", "m.reshape(-1)", "np.eye(4)", "np.matmul(m, m)", "np.array(v)",
        "np.exp(m[..., None])",
    ],
)  # fmt: skip
def test_elements_are_known_where_the_arguments_tell(text: str) -> None:
    value = _look([text])[text]
    assert isinstance(value, Array)
    assert value.nonempty


@pytest.mark.parametrize(
    "text",
    [
        "np.arange(k)",
        "np.arange(s, 9.0)",
        "np.linspace(0, 1, k)",
        "np.zeros((2, 3))",
        "np.zeros_like(m)",
        "np.eye(k)",
        "np.array([v, v])",
        "np.where(v > 0, k, s)",
        "np.clip(v, None, s)",
        "np.sort(m)",
        "np.cumsum(m)",
        "np.cumsum(m, axis=0)",
        "np.unique(m)",
        "np.flatnonzero(v)",
        "np.bincount(i)",
        "np.linalg.det(m)",
        "np.trace(t)",
        "np.matmul(m, v)",
        "m.dot(v)",
        "np.vstack((v, v))",
        "np.concatenate((v, v))",
        "np.diag(v)",
        "np.searchsorted(v, s)",
        "np.percentile(m, [25, 75], axis=0)",
        "np.diff(v)",
        "np.fft.fft(v)",
        "np.linalg.inv(m)",
    ],
)
def test_ranks_that_arguments_tell_are_known(results: list[tuple[str, Any, Value]], text: str) -> None:
    result, value = {name: (result, value) for name, result, value in results}[text]
    assert isinstance(value, Array)
    assert value.rank == np.ndim(result)
