"""What findings say is true of the program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from np2tnp import pipeline
from np2tnp.analysis.domain.env import ITERATED
from np2tnp.analysis.module.parameter_kinds import shown_otherwise
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import Callee, Finding, RegionState
from np2tnp.pipeline import check
from np2tnp.report.totals import shown, totals
from np2tnp.rules.cases import location_words
from np2tnp.rules.host.host_updates import _twice, _words


def findings(text: str) -> Iterator[Finding]:
    source = "import numpy as np\n" + textwrap.dedent(text)
    yield from pipeline.analyse_bytes(Config(), ("f.py", source.encode())).findings


def deciding(text: str) -> list[Finding]:
    return [finding for finding in findings(text) if finding.decides]


# --- memory

RESULT = """
    def f(image, scales, edges=True, texture="a"):
        image = np.asarray(image)
        work = texture_of(image, edges=edges, texture=texture)
        return np.exp(scales), work.pick(edges, texture, image)
"""


def test_a_flag_is_not_said_to_be_an_array() -> None:
    told = [
        it.message for it in findings(f"from m import texture_of\n\n{textwrap.dedent(RESULT)}") if it.code == "TNP207"
    ]
    assert not [message for message in told if "if edges is" in message or "if texture is" in message]


def test_a_store_names_the_callee_that_may_have_kept_the_array() -> None:
    text = """
        def f(x, observe):
            z = np.zeros((4, 4))
            y = np.exp(x)
            for i in range(4):
                z[i] = y * observe(z)
            return z
    """
    told = [it.message for it in findings(text) if it.code == "TNP202"]
    assert all("holds" not in message for message in told)


def test_an_object_that_holds_an_array_is_not_to_be_stored_through() -> None:
    text = """
        def f(x, i):
            from scipy import sparse
            held = sparse.csr_array((np.exp(x), (i, i)))
            held.data /= np.sqrt(x)
            return np.exp(x), held.sum(), held
    """
    told = [it.message for it in findings(text) if it.code == "TNP201"]
    assert told
    assert all("store through held" not in message for message in told)


def test_the_length_of_an_array_is_not_changed_by_a_store() -> None:
    text = "def f(x):\n    y = np.exp(x)\n    flat = y.ravel()\n    flat[0] = 1\n    return {}\n"
    assert [it.code for it in deciding(text.format("y"))] == ["TNP201"]
    assert deciding(text.format("len(y) + flat")) == []


def test_a_name_of_the_module_is_told_without_its_file() -> None:
    text = "held = np.zeros(3)\n\n\ndef f(x, g):\n    y = np.exp(x)\n    g(y)\n    return y + held\n"
    assert not [it.message for it in findings(text) if "global:" in it.message or "f.py" in it.message]


# --- decorators

DECORATED = """
    def require(name):
        import functools

        def decorator(function):
            @functools.wraps(function)
            def wrapped(*args, **kwargs):
                if name:
                    return function(*args, **kwargs)
                raise ImportError(f"{function} of {function.__module__} needs {name}, {str(function)}")
            return wrapped
        return decorator

    @require("a")
    def f(x):
        return np.exp(x)
"""


def test_a_decorator_that_only_writes_the_function_into_a_text_is_in_nobodys_way() -> None:
    assert "TNP405" not in {finding.code for finding in findings(DECORATED)}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("from m import traced", "comes from outside of the project"),
        (
            "def traced(function):\n    TABLE[function.__code__] = 1\n    return function\nTABLE = {}",
            "may do more with",
        ),
    ],
)
def test_a_decorator_is_told_by_what_is_known_of_it(made: str, words: str) -> None:
    told = [
        it.message for it in findings(f"{made}\n\n@traced\ndef f(x):\n    return np.exp(x)\n") if it.code == "TNP405"
    ]
    assert words in told[0]


def test_what_is_called_jit_is_taken_for_a_compiler() -> None:
    text = "from .accel import {0}\n\n\n@{0}\ndef f(x):\n    return np.exp(x)\n"
    (told,) = deciding(text.format("jit"))
    assert (told.code, told.left) == ("TNP405", "native")
    assert told.message.startswith("the decorator accel.jit seems to compile it")
    (other,) = deciding(text.format("traced"))
    assert other.left == ""


@pytest.mark.parametrize(("use", "codes"), [("", set()), ("table = {'mad': mad}\n", {"TNP504"})])
def test_an_import_of_the_same_name_hands_no_function_on(use: str, codes: set[str]) -> None:
    text = "import numba\nimport numpy as np\n\ntry:\n    from robust import mad as mad\nexcept ImportError:\n\n"
    text += "    def mad(data):\n        data = np.asarray(data)\n"
    text += "        return np.median(np.abs(data - np.median(data)))\n"
    report = analyze(Source("m.py", f"{text}\n\n{use}"), Config(rewrite=True))
    assert {finding.code for finding in report.findings if finding.code == "TNP504"} == codes


# --- results

SEVERAL = """
    class Circle:
        def check(self, center, radius):
            center = np.array(center)
            print(center)
            return center, radius

        def values(self, params):
            params = np.array(params)
            print(params)
            return self.check(params[:2], params[2])
"""


def test_the_advice_for_a_result_does_not_break_a_tuple() -> None:
    told = [it for it in findings(SEVERAL) if it.code == "TNP511"]
    calls = [it.message for it in told if "self.check" in it.message]
    assert all("of a tuple, say so where self.check makes it" in message for message in calls)
    assert all("may have had effects" in it.message for it in told)


#: Code whose advice names `np.array(...)`, with which it migrates: `.copy()` of an unknown object may give anything.
COPIES = {
    "two arguments": (
        """
        def add(x, y, out=None):
            return np.add(x, y, out=out)


        def twice(x, out=None):
            once = add(x, x, out=out)
            return add({}, x, out=out)
        """,
        "once",
    ),
    "a result": (
        """
        class Store:
            def get(self, name, k: int):
                v = getattr(self, name)[k:]
                if k:
                    shape = list(v.shape[1:])
                    shape[0] = np.sum(np.exp(np.sin(v)))
                    return {}
                return v

            @property
            def shape(self):
                return self.rows, self.columns
        """,
        "v.reshape(shape)",
    ),
}


@pytest.mark.parametrize(("text", "name"), COPIES.values(), ids=COPIES.keys())
def test_the_copy_that_is_advised_is_one_that_helps(text: str, name: str) -> None:
    found = deciding(text.format(name))
    assert [item.message for item in found if "np.array(" in item.message]
    assert not deciding(text.format(f"np.array({name})"))


def test_what_an_object_holds_is_not_called_by_a_name_that_arrays_have() -> None:
    assert location_words(frozenset((".shape",))) == "what an object holds"
    assert location_words(frozenset((".weights",))) == "the attribute .weights"


def test_a_parameter_that_is_documented_as_a_function_is_no_array() -> None:
    text = '''import functools
import numpy as np


def best(image, denoise):
    """Choose.

    Parameters
    ----------
    image : ndarray
    denoise : function
        What takes noise away.
    """
    return functools.partial(keep, denoise, np.argmin(np.exp(image)))
'''
    node = cst.parse_module(text).body[2]
    assert shown_otherwise(node) == {"denoise"}


ADVICE = {
    "seterr": ("def f(x):\n    np.seterr(invalid='ignore')\n    return x / np.sum(x)\n", "np.errstate(...)"),
    "text of an expression": ("def f(x):\n    print(f'{np.sum(x)=}')\n    return np.exp(x)\n", "write f'x={x!r}'"),
}


@pytest.mark.parametrize(("text", "advice"), ADVICE.values(), ids=ADVICE.keys())
def test_advice_names_what_is_written_instead(text: str, advice: str) -> None:
    assert [item.message for item in deciding(text) if advice in item.message]


def test_what_a_loop_iterates_over_is_no_name_to_assign_to() -> None:
    words = _words(ITERATED, ["rand"], frozenset(("seen by move",)))
    assert "iterate over np.array(...) of it" in words
    assert f"{ITERATED} =" not in words


# --- an object's own code

_OWN = """
class Log:
    def __truediv__(self, other):
        self.held[0] = 1
        return other

    def __iter__(self):
        self.held[0] = 1
        return iter(self.held)

    def __getitem__(self, i):
        self.held[i] = 1
        return self.held


def f(d, log, g):
    held = g.held
    log.held = held
    y = g.area
    return np.interp(held, d, {})
"""


@pytest.mark.parametrize("late", ["2 * y", "y + 1", "np.ones(3)"])
def test_no_own_code_runs_where_no_class_has_such_an_operator(late: str) -> None:
    assert not [it.message for it in findings(_OWN.format(late)) if "may run code" in it.message]


@pytest.mark.parametrize(("late", "name"), [("y[0]", "y[...]"), ("1 + (y / d)", "1 + y / d")])
def test_the_argument_that_runs_own_code_is_named(late: str, name: str) -> None:
    told = [it.message for it in findings(_OWN.format(late)) if "may run code" in it.message]
    assert any(message.startswith(f"{name} may run code of an object of the project (__") for message in told), told
    advised = _OWN.format("late").replace("    return", f"    late = {late}\n    return")
    assert not [it.message for it in findings(advised) if "may run code" in it.message]


# --- copies of what may be no array

MADE = {
    "return functools.partial(np.sum, z)": "functools.partial() keeps what",
    "m = scipy.sparse.coo_matrix((z, (i, j)))\n    return m": "scipy.sparse.coo_matrix() keeps what",
    "return g(z)": "if g(...) is an array",
}


@pytest.mark.parametrize("end", MADE)
def test_a_copy_by_numpy_is_advised_for_arrays_only(end: str) -> None:
    head = "import functools\n\nimport scipy.sparse\nfrom lib import g, h\n\n\n"
    for finding in findings(f"{head}def f(x, i, j):\n    z = np.exp(x)\n    h(z)\n    {end}\n"):
        if finding.code == "TNP207":
            assert MADE[end] in finding.message or "np.array" not in finding.message, finding.message


SWT = (
    "def f(x, {}):\n    if np.iscomplexobj(x):\n        o = dict(n=n)\n        return f(x.real, **o) + f(x.imag, **o)\n"
)


@pytest.mark.parametrize("default", ["True", "-1", "(0, -1)", "None", "'full'", "np.inf"])
def test_a_default_that_is_no_array_is_never_two_arrays(default: str) -> None:
    text = SWT.format(f"n={default}") + "    g(x, n)\n    return np.exp(x)\n"
    assert not [it.message for it in findings(text) if "passed twice" in it.message]
    text = SWT.format("n=[0]") + "    g(x, n)\n    return np.exp(x)\n"
    assert [it.message for it in findings(text) if "passed twice" in it.message]


# --- code out of sight

_UNSEEN = """from lib import blur, mix


def tree(i):
    return mix(i, i.shape), blur(i)


def step(a, b, c):
    return blur(a, b, c)


def f(x):
    y = np.exp(x)
    p, t = tree(y)
    a = {}(y.ravel(), p.ravel(), t)
    return np.exp(y), a
"""


@pytest.mark.parametrize("callee", ["blur", "step"])
def test_what_blocks_by_code_out_of_sight_is_unblocked_by_a_word(callee: str) -> None:
    text = _UNSEEN.format(callee)
    told = [it for it in findings(text) if it.region == "f" and it.code == "TNP503"]
    words = '[tool.np2tnp.callees] what is done with it ("lib.blur" = "pure" where it is only read)'
    assert any(words in it.message for it in told), told
    source = "import numpy as np\n" + text
    said = Config(callees=(Callee("lib.blur"), Callee("lib.mix")))
    report = pipeline.analyse_bytes(said, ("f.py", source.encode()))
    assert [it.state for it in report.regions if it.qualname == "f"] == [RegionState.CONVERTIBLE]


@pytest.mark.parametrize("callee", ["blur", "step"])
def test_a_callee_that_may_fill_its_argument_is_given_no_copy(callee: str) -> None:
    for it in findings(_UNSEEN.format(callee)):
        assert it.region != "f" or "give it np.array" not in it.message, it.message


def test_two_arguments_that_may_be_one_array_are_both_named() -> None:
    words = _twice("y[...] and z", ["mix"], None)
    assert "y[...] and z may share memory" in words
    assert "np.array(y[...])" in words


NAMESPACE = _UNSEEN.format("nx.dot").replace("    y = np", "    nx = mix()\n    s = nx.sum(x)\n    y = np")


def test_a_name_that_may_stand_for_numpy_is_asked_for() -> None:
    words = _namespace_words(NAMESPACE)
    assert words == {'numpy-names = ["nx"] in [tool.np2tnp]'}
    assert not _namespace_words(NAMESPACE.replace("nx.sum", "nx.heat"))
    report = pipeline.analyse_bytes(Config(numpy_names=("nx",)), ("f.py", f"import numpy as np\n{NAMESPACE}".encode()))
    assert not [it for it in report.findings if it.code == "TNP503"]


def _namespace_words(text: str) -> set[str]:
    told = [it.message for it in findings(text) if it.code == "TNP503" and "stands for NumPy" in it.message]
    return {message.rpartition("say so: ")[2] for message in told}


# --- what is no array

OBJECTS = {
    "a column": (
        "def f(df):\n    d = df.astype(float)\n    return np.exp(d['x']) * np.exp(np.sum(d, axis=0))\n",
        "d is indexed by a name, as DataFrames and structured arrays are",
    ),
    "a lambda": (
        "def f(x, g):\n    y = np.exp(x)\n    z = g.apply(lambda v: len(np.unique(v)))\n    return y * z\n",
        "define it outside of the function, of which it reads nothing",
    ),
    "a result": (
        "def f(x, s):\n    y = np.exp(x)\n    print(1)\n    r = y.squeeze() if s else y.sum()\n    return r\n",
        "return np.asarray(r) of an array, float(r) of a number",
    ),
}


@pytest.mark.parametrize("case", OBJECTS)
def test_what_is_no_array_is_called_what_it_is(case: str) -> None:
    text, words = OBJECTS[case]
    assert any(words in it.message for it in findings(text)), [it.message for it in findings(text)]


def test_objects_in_arrays_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import numpy as np\n\n\ndef f(c):\n    y = np.abs(c)\n    return np.zeros(3) * y[0].held.sum() + y\n"
    )
    run = check([str(tmp_path / "a.py")], Config(root=str(tmp_path), cache=False))
    assert shown(run, Config()) == []
    assert "Best left in NumPy: 1 function works on objects in arrays (-v shows them)" in totals(run, Config())


def test_a_loop_over_an_array_for_each_axis_is_short() -> None:
    text = "def f(x, c):\n    return np.stack([i - k for i, k in zip(np.nonzero(x), c)], axis=-1) * 2\n"
    assert not [it.message for it in findings(text) if it.code in ("TNP701", "TNP704")]


@pytest.mark.parametrize(
    "made",
    [
        "refs = ['b', 'a']",
        "refs = ['a']\n    if x.size:\n        refs.append('b')",
        "refs = []\n    refs.append(f'{x.size}')\n    refs.extend(['b', 'c'])",
    ],
)
def test_texts_are_no_arrays_for_a_device(made: str) -> None:
    text = f"def f(x):\n    {made}\n    y = np.exp(x)\n    return list(np.unique(refs)), list(np.sort(refs)), y.sum()\n"
    report = analyze(Source("m.py", f"import numpy as np\n\n\n{text}"), Config(rewrite=True))
    assert not {finding.code for finding in report.findings} & {"TNP704", "TNP705"}
    assert "np.unique(refs)" in (report.new_text or "").partition("@rt.original")[0]


def test_numbers_of_a_list_are_looked_at() -> None:
    text = "def f(x):\n    found = [x.min(), x.max()]\n    return list(np.unique(found)), np.exp(x)\n"
    report = analyze(Source("m.py", f"import numpy as np\n\n\n{text}"), Config(rewrite=True))
    assert "TNP705" in {finding.code for finding in report.findings}


def test_a_table_is_never_made_an_array() -> None:
    features = "def features(epoch, output):\n    if 'a' not in epoch:\n        return epoch\n"
    features += "    output['m'] = np.mean(epoch['a'])\n    return output\n\n\n"
    text = f"{features}def f(tables):\n    data = {{}}\n    for i in tables.keys():\n        data[i] = {{}}\n"
    text += "        data[i]['found'] = np.any(np.exp(np.sin(tables[i]['a'])) > 0)\n"
    text += "        data[i] = features(tables[i], data[i])\n"
    text += "        data[i] = features(tables[i], data[i])\n    return data\n"
    report = analyze(Source("m.py", f"import numpy as np\n\n\n{text}"), Config(rewrite=True))
    told = [finding for finding in report.findings if "passed twice" in finding.message]
    assert told
    assert not any("np.array(" in finding.message for finding in told)


@pytest.mark.parametrize(("items", "told"), [("parts", []), ("np.exp(x)", ["TNP705"])])
def test_reduce_goes_through_its_second_argument_alone(items: str, told: list[str]) -> None:
    head = "from functools import reduce\n\n\ndef f(x, parts):\n    parts = [np.exp(x), x * 2]\n"
    text = f"{head}    return reduce(np.maximum, {items}, np.zeros(x.shape)) * np.tanh(x)\n"
    assert [it.code for it in findings(text) if it.code == "TNP705"] == told


# --- parameters that were not given

STAND_IN = """
    def f(x, p=None):
        x = np.exp(x)
        if p is {0}None:
            {1}
        else:
            {2}
        if np.any(x < 0):
            raise ValueError("negative")
        return x * p
"""
MADE = "p = np.empty(3); p.fill(0.5)"


@pytest.mark.parametrize("words", [("", MADE, "p = np.atleast_1d(p)"), ("not ", "p = np.atleast_1d(p)", MADE)])
def test_an_update_of_what_stands_in_for_no_argument_is_no_update_of_an_argument(words: tuple[str, str, str]) -> None:
    assert not {finding.code for finding in findings(STAND_IN.format(*words))} & {"TNP108", "TNP109"}


def test_an_update_of_the_argument_is_one_in_the_other_branch_and_after_both() -> None:
    for words in (("", MADE, "p += 1"), ("not ", "p += 1", MADE)):
        assert "TNP109" in {finding.code for finding in findings(STAND_IN.format(*words))}
    after = STAND_IN.format("", MADE, "pass").replace("if np.any", "p += x\n        if np.any")
    assert "TNP109" in {finding.code for finding in findings(after)}


# --- tuples, and arrays of objects that their dtype does not name

TUPLE = """
    def f(a, bins, **kwargs):
        {}return {}
"""


@pytest.mark.parametrize(
    "words", [("", "np.histogram(a, bins, **kwargs)"), ("c = np.histogram(a, bins)\n        ", "c")]
)
def test_of_a_tuple_each_item_is_copied(words: tuple[str, str]) -> None:
    before = TUPLE.format(*words).replace("np.histogram(a, bins)", "np.histogram(a, bins, **kwargs)")
    (finding,) = (it for it in findings(before) if it.code == "TNP207")
    assert "np.histogram() gives a tuple, whose items may be views of a: return tuple(" in finding.message
    assert "return np.array(" not in finding.message
    advised = before.replace(f"return {words[1]}", f"return tuple(np.array(item) for item in {words[1]})")
    assert not deciding(advised)
    space: dict[str, Any] = {}
    exec("import numpy as np\n" + textwrap.dedent(advised), space)
    assert [len(part) for part in space["f"]([1.0, 2.0, 3.0], 2)] == [2, 3]


OF_OBJECTS = """
    class Own:
        pass

    def f(n, x):
        out = np.empty((n, 3), dtype={})
        for i in range(n):
            out[i] = [np.exp(x) * j for j in range(3)]
        return out
"""


@pytest.mark.parametrize("dtype", ["np.ndarray", "list", "tuple", "dict", "Own"])
@pytest.mark.parametrize("slow", ["keep", "convert"])
def test_a_class_as_dtype_makes_an_array_of_objects(dtype: str, slow: str) -> None:
    text = "import numpy as np\n" + textwrap.dedent(OF_OBJECTS.format(dtype))
    report = pipeline.analyse_bytes(Config(rewrite=True, slow=slow), ("f.py", text.encode()))
    found = [finding for finding in report.findings if finding.region == "f"]
    assert "TNP301" in {finding.code for finding in found}
    assert not {finding.code for finding in found} & {"TNP101", "TNP704"}
    assert all("--slow convert" not in finding.message for finding in found)


def test_a_class_to_look_at_an_array_by_is_no_dtype() -> None:
    assert "TNP301" not in {it.code for it in findings("def f(x):\n    return np.exp(x).view(np.ndarray)\n")}


# --- warnings

FILTER = """
    import warnings
    from m import Odd, solve

    def f(x):
        y = np.exp(x)
        with warnings.catch_warnings():
            warnings.{}
            z = solve(3)
        return y * z
"""


@pytest.mark.parametrize(
    ("call", "other"),
    [
        ("simplefilter('error', category=Odd)", "Odd"),
        ("simplefilter('error', UserWarning)", "UserWarning"),
        ("filterwarnings('error', '', Odd)", "Odd"),
        ("simplefilter('error')", ""),
        ("simplefilter('error', RuntimeWarning)", ""),
        ("filterwarnings('error', 'Odd')", ""),
        ("simplefilter('error', np.exceptions.ComplexWarning)", ""),
    ],
)
def test_what_is_advised_for_a_filter_depends_on_its_warnings(call: str, other: str) -> None:
    (finding,) = (it for it in findings(FILTER.format(call)) if it.code == "TNP406")
    assert ("test values instead" in finding.message) is (not other)
    assert not other or f"makes errors of {other}: move the `with`" in finding.message


def test_a_function_that_holds_the_filter_unblocks() -> None:
    held = FILTER.format("simplefilter('error', Odd)").replace("z = solve(3)", "return solve(3)")
    helper = (
        held.replace("        y = np.exp(x)\n", "").replace("def f(x)", "def solved()").split("        return y")[0]
    )
    text = helper + "\n    def f(x):\n        return np.exp(x) * solved()\n"
    assert "TNP406" not in {it.code for it in findings(text) if it.region == "f"}


# --- memory order

BY_ORDER = """
    class D(Base):
        def __init__(self, *args):
            if len(args) == 2:
                self.data = np.array(args[0], dtype=complex, ndmin=1)
                if self.data.ndim == 1:
                    self.data = self.data.reshape(1, 1, -1)
            else:
                self.data = args[0].data
            self.parts = np.empty((3, 3), dtype=tuple)
            for i in range(3):
                self.parts[i, 0] = fill(self.data[i, 0, :])

    def f(x):
        y = {}
        return D(np.moveaxis(y, 0, 1), 3)
"""


def test_an_update_by_memory_order_is_told_as_what_may_be_and_the_advice_unblocks() -> None:
    (finding,) = (it for it in deciding(BY_ORDER.format("np.exp(x)")) if it.region == "f")
    assert "may be updated through a reshape" in finding.message
    assert "make it by np.ascontiguousarray(...) where it gets its name" in finding.message
    advised = BY_ORDER.format("np.exp(x)").replace(
        "np.moveaxis(y, 0, 1)", "np.ascontiguousarray(np.moveaxis(np.exp(x), 0, 1))"
    )
    assert not [it for it in findings(advised) if it.region == "f" and "reshape" in it.message]


# --- exceptions after updates

LISTED = """
    def f(a, b: np.ndarray, residuals=None, criteria="rr"):
        r = b - a @ b
        {}
        if criteria != "rr":
            raise ValueError(criteria)
        {}
        return np.exp(r) @ np.ones((99, 99))
"""


def test_what_was_updated_before_an_exception_is_named() -> None:
    store = "residuals[:] = [np.linalg.norm(r)]"
    (plain,) = (it for it in findings(LISTED.format(store, "residuals[0] = 1")) if it.code == "TNP109")
    assert "after residuals was updated in place: the caller would not see" in plain.message
    (grown,) = (it for it in findings(LISTED.format(store, "residuals.append(np.sum(r))")) if it.code == "TNP109")
    assert "a list shows that, but of an array, which residuals may be, a migrated caller would not" in grown.message
    assert not deciding(LISTED.format("", store))
