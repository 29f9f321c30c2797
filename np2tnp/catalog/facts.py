"""What is known of one API, as data: its fact, and the targets that a call of it may get."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Stage:
    """What holds of a target inside ``tf.function``, or compiled by XLA, with static shapes.

    For the dtypes and parameters in it no call was seen to give something else than NumPy. Some may raise while they
    are traced or compiled (``fails``): then they can be run eagerly.
    """

    dtypes: str = ""
    accepted: frozenset[str] = frozenset()
    unchecked: str = ""  #: a call that returns here where NumPy raises, such as an index out of range under XLA
    differs: dict[str, str] = field(
        default_factory=dict
    )  #: dtype characters -> what is silently different, with a call
    fails: dict[str, str] = field(default_factory=dict)  #: dtype characters -> what raises, with a call
    pairs_bad: tuple[str, ...] = ()  #: operators: pairs of dtype characters that differ or raise
    weak_bad: str = ""  #: operators: array dtypes that differ with some Python number as the other operand

    @property
    def state(self) -> str:
        """``ok``: as much as in eager mode; ``fails``: nothing can be staged; ``differs``; else ``partly``."""
        if not (self.fails or self.differs or self.pairs_bad or self.weak_bad):
            return "ok"
        if self.dtypes or self.pairs_bad or self.weak_bad:
            return "partly"
        return "differs" if self.differs else "fails"


@dataclass(frozen=True, slots=True)
class Target:
    """A function that can stand for a NumPy call, and for what it was measured equal."""

    name: str  #: ``tnp.sum``, ``tf.norm``, ``rt.sum``, ``rt.linalg.inv``
    accepted: frozenset[str] = frozenset()  #: parameters with which the call was measured equal
    dtypes: str = ""  #: dtype characters of the first array argument for which it was
    host_dtypes: str = ""  #: ``rt`` only: right, but by asking NumPy on the host
    pairs_bad: tuple[str, ...] = ()  #: pairs of dtype characters of two operands that differ
    pairs_loud: tuple[str, ...] = ()  #: those of pairs_bad that raise in TensorFlow instead of giving something else
    loud: str = ""  #: dtype characters for which the call raises in TensorFlow where NumPy returns
    #: by parameter, the kinds of argument that were tried (``array``, ``scalar``, ``int``, ``list``...); of ``dtype``
    #: the dtype characters, of an option the quoted words
    kinds: dict[str, frozenset[str]] = field(default_factory=dict)
    #: by condition (``empty a``, ``order='A'``), the dtype characters for which a call under it is not equal, and how
    outside: dict[str, tuple[str, str]] = field(default_factory=dict)
    weak_int_bad: str = ""  #: operators: array dtypes that differ with a Python int as the other operand
    weak_float_bad: str = ""  #: the same with a Python float
    weak_bool_bad: str = ""
    weak_complex_bad: str = ""
    weak_int_overflow: str = ""  #: array dtypes for which a Python int outside the dtype's range differs
    traced: Stage | None = None  #: inside ``tf.function``; None where that was not measured
    compiled: Stage | None = None  #: under XLA on a CPU; None where that was not measured
    gpu: Stage | None = None  #: eagerly on a GPU; None where that was not measured
    wrap: str = ""  #: what is called with its result, so that it is of NumPy's type: ``tuple`` of a list

    def takes(self, parameters: frozenset[str] | set[str], dtype: str | None = None, compile: str = "none") -> bool:
        """Whether the target was measured equal with these parameters and, unless unknown, this dtype character.

        Parameters
        ----------
        compile : ``none`` for eager calls, ``graph`` or ``xla``. An operator's pairs of dtypes are not looked at.
        """
        if not self.accepted >= parameters:
            return False
        dtypes = self.dtypes
        if compile != "none":
            stage = self.traced if compile == "graph" else self.compiled
            if stage is None or not stage.accepted >= parameters:
                return False
            dtypes = stage.dtypes
        return dtype in dtypes if dtype is not None else covers_all(dtypes)


DTYPES = "?bhilBHILefdFD"
#: The dtype characters that an argument of unknown dtype may have; the others are checked where arrays enter
#: (``refuses=``).
EVERY_DTYPE = frozenset(DTYPES)


def covers_all(dtypes: str) -> bool:
    """Whether `dtypes` holds every dtype character that a tensor of unknown dtype may have."""
    return set(dtypes) >= EVERY_DTYPE


#: Functions that are no ufuncs and calculate in the dtype that the arguments have, whatever ``out`` is.
_BY_ARGUMENTS = frozenset("clip concatenate stack vstack hstack outer".split())
#: Functions that take ``out`` and do not store into it (NumPy 2.4).
_NOT_STORING = frozenset(("numpy.fft.hfft", "numpy.fft.ifft2", "numpy.fft.irfft2"))


@dataclass(frozen=True, slots=True)
class GivenBack:
    """An argument that a result, or some items of it, may be: as ``np.asarray`` gives its argument."""

    argument: str
    items: tuple[int, ...] = ()  #: of a tuple: those that may be it, or hold it
    when: dict[str, Any] = field(default_factory=dict)  #: what other arguments are then; sequences as tuples
    may_hold: bool = False  #: the argument may be a container of such arrays, too
    in_list: bool = False  #: the items are lists of what may be it


@dataclass(frozen=True, slots=True)
class ApiFact:
    """All that is known of one NumPy API. See docs/dev/reference/catalog-format.md for the meaning of the fields."""

    name: str
    kind: str
    parameters: tuple[str, ...] = ()
    effect: str = "may-view"
    mutates: tuple[str, ...] = ()
    zero_d: str = "array"
    result: str | None = None
    returns: str = "array"
    tnp: Target | None = None  #: tnp's function, or what else of TensorFlow's stands in for it
    rt: Target | None = None
    agreement: dict[str, Any] = field(default_factory=dict)
    verdict: str | None = None
    reason: str | None = None
    alias_of: str | None = None  #: the canonical name, when `name` is another name of the same thing
    legacy: bool = False  #: NumPy 1 had the name, NumPy 2 has it no more
    since: str = ""  #: NumPy's major version that brought the name, where NumPy 1.26 did not have it
    gives_back: GivenBack | None = None
    measured: bool = False  #: effect, mutates, zero_d, result and returns were measured; else they are the worst case
    attempt: str = ""  #: what came of trying the name on a tensor, where no target was verified
    prefer: str | None = None  #: ``tnp`` `rt` or ``numpy``: a human decision about the target

    @property
    def target(self) -> Target | None:
        """The target that was decided for, or the one that holds for more dtypes: tnp's function, or the helper."""
        if self.prefer == "rt" and self.rt is not None:
            return self.rt
        candidates = [t for t in (self.tnp, self.rt) if t is not None and (t.dtypes or t.name == "operator")]
        return max(candidates, key=lambda target: len(target.dtypes), default=None)

    @property
    def traced(self) -> str:
        """What becomes of :attr:`target` inside ``tf.function``: a :attr:`Stage.state`, or ``unknown``."""
        return _state(self.target.traced if self.target is not None else None)

    @property
    def compiled(self) -> str:
        """The same under XLA, on a CPU."""
        return _state(self.target.compiled if self.target is not None else None)

    @property
    def gpu(self) -> str:
        """The same eagerly on a GPU: ``unknown`` unless the probe ran where there is one."""
        return _state(self.target.gpu if self.target is not None else None)

    @property
    def positional(self) -> tuple[str, ...]:
        """Names of the parameters that may be given by position, in order."""
        return positional(self.parameters)

    @property
    def out_casting(self) -> str:
        """How a result goes into ``out``: "same_kind", "equal" for what NumPy calculates in its dtype, empty: not."""
        if self.name in _NOT_STORING:
            return ""
        name = self.name.rpartition(".")[2]
        is_elementwise = self.kind == "ufunc" and name not in ("reduce", "accumulate", "reduceat")
        return "same_kind" if is_elementwise or name in _BY_ARGUMENTS else "equal"

    @property
    def positional_only(self) -> frozenset[str]:
        """Names of the parameters that cannot be given by keyword."""
        if "/" not in self.parameters:
            return frozenset()
        return frozenset(text.partition("=")[0] for text in self.parameters[: self.parameters.index("/")])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of all parameters, without the markers and the variadic ones."""
        return tuple(t.partition("=")[0] for t in self.parameters if t != "/" and not t.startswith("*"))


def _state(stage: Stage | None) -> str:
    return "unknown" if stage is None else stage.state


def make_given_back(raw: dict[str, Any] | None) -> GivenBack | None:
    if raw is None:
        return None
    when = {name: tuple(value) if isinstance(value, list) else value for name, value in raw.get("when", {}).items()}
    return GivenBack(
        raw["argument"], tuple(raw.get("items", ())), when, raw.get("may_hold", False), raw.get("in_list", False)
    )


def make_target(raw: dict[str, Any] | None, has_stages: bool) -> Target | None:
    if not raw:
        return None
    return Target(
        name=raw.get("target", ""),
        accepted=frozenset(raw.get("accepted", ())),
        dtypes=raw.get("dtypes", ""),
        host_dtypes=raw.get("host_dtypes", ""),
        pairs_bad=tuple(raw.get("pairs_bad", ())),
        pairs_loud=tuple(raw.get("pairs_loud", ())),
        loud=raw.get("loud", ""),
        kinds={
            name: frozenset(words if name == "dtype" else words.split()) for name, words in raw.get("kinds", {}).items()
        },
        outside={condition: (chars, why) for condition, (chars, why) in raw.get("outside", {}).items()},
        weak_int_bad=raw.get("weak_int_bad", ""),
        weak_float_bad=raw.get("weak_float_bad", ""),
        weak_bool_bad=raw.get("weak_bool_bad", ""),
        weak_complex_bad=raw.get("weak_complex_bad", ""),
        weak_int_overflow=raw.get("weak_int_overflow", ""),
        traced=make_stage(raw.get("traced"), raw) if has_stages else None,
        compiled=make_stage(raw.get("compiled"), raw) if has_stages else None,
        gpu=make_stage(raw.get("gpu"), raw) if has_stages else None,
        wrap=raw.get("wrap", ""),
    )


def make_stage(raw: Any, target: dict[str, Any]) -> Stage | None:
    """`raw` holds only what is otherwise than in eager mode; ``"ok"`` is nothing.

    No dtype, and nothing that fails or differs: no call could tell, since NumPy raised for all that were staged.
    """
    if raw is None:
        return None
    found = {} if raw == "ok" else raw
    if found.get("dtypes") == "" and not (found.get("fails") or found.get("differs")):
        return None
    return Stage(
        dtypes=found.get("dtypes", target.get("dtypes", "")),
        accepted=frozenset(found.get("accepted", target.get("accepted", ()))),
        unchecked=found.get("unchecked", ""),
        differs=found.get("differs", {}),
        fails=found.get("fails", {}),
        pairs_bad=tuple(found.get("pairs_bad", ())),
        weak_bad="".join(sorted({char for key, chars in found.items() if key.startswith("weak_") for char in chars})),
    )


def positional(parameters: Iterable[str]) -> tuple[str, ...]:
    """Names of those among `parameters` (signature text per item) that may be given by position, in order."""
    names: list[str] = []
    for text in parameters:
        if text.startswith("*"):
            break
        if text != "/":
            names.append(text.partition("=")[0])
    return tuple(names)
