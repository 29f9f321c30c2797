"""Reads the catalog: facts.json (measured, generated) with overlay.toml (human decisions) on top.

``load()`` costs a few milliseconds and imports neither NumPy nor TensorFlow; a fact becomes an object when it is
first asked for.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FOLDER = Path(__file__).parent


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

    name: str  #: ``tnp.sum``, ``rt.sum``, ``rt.linalg.inv``
    accepted: frozenset[str] = frozenset()  #: parameters with which the call was measured equal
    dtypes: str = ""  #: dtype characters of the first array argument for which it was
    host_dtypes: str = ""  #: ``rt`` only: right, but by asking NumPy on the host
    pairs_bad: tuple[str, ...] = ()  #: operators: pairs of dtype characters that differ
    pairs_loud: tuple[str, ...] = ()  #: those of pairs_bad that raise in TensorFlow instead of giving something else
    loud: str = ""  #: dtype characters for which the call raises in TensorFlow where NumPy returns
    python_bad: str = ""  #: dtype characters of the Python numbers, alone or in lists, for which it is not equal
    weak_int_bad: str = ""  #: operators: array dtypes that differ with a Python int as the other operand
    weak_float_bad: str = ""  #: the same with a Python float
    weak_bool_bad: str = ""
    weak_complex_bad: str = ""
    weak_int_overflow: str = ""  #: array dtypes for which a Python int outside the dtype's range differs
    traced: Stage | None = None  #: inside ``tf.function``; None where that was not measured
    compiled: Stage | None = None  #: under XLA on a CPU; None where that was not measured
    gpu: Stage | None = None  #: eagerly on a GPU; None where that was not measured

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
    """All that is known of one NumPy API. See docs/architecture.md, "The catalog", for the meaning of the fields."""

    name: str
    kind: str
    parameters: tuple[str, ...] = ()
    effect: str = "may-view"
    mutates: tuple[str, ...] = ()
    zero_d: str = "array"
    result: str | None = None
    returns: str = "array"
    tnp: Target | None = None
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


class Catalog:
    """Facts by canonical NumPy name."""

    def __init__(
        self, facts: dict[str, Any], overlay: dict[str, Any], has_stages: bool = True, target_numpy: str = "newest"
    ) -> None:
        self._raw: dict[str, dict[str, Any]] = facts["apis"]
        groups = {name: group for group in overlay.get("decision", ()) for name in group["names"]}
        own = overlay.get("api", {})
        self._overlay: dict[str, dict[str, Any]] = {n: {**groups.get(n, {}), **own.get(n, {})} for n in groups | own}
        self._has_stages = has_stages
        self.target_numpy = target_numpy  #: for which NumPy the code is written: ``1.26`` has other names
        self._known: dict[str, ApiFact | None] = {}
        self._is_pure: dict[str, bool] = {}
        self._suggested: dict[str, str | None] = {}
        self.versions: dict[str, str] = facts.get("versions", {})
        #: draws of numpy.random and its generators that rt.random has: ``normal``
        self.device_draws: frozenset[str] = frozenset(overlay.get("draws", {}).get("device", ()))
        external = overlay.get("external", {})
        self._pure: frozenset[str] = frozenset(external.get("pure", ()))
        self._not_pure: frozenset[str] = frozenset(external.get("not_pure", ()))
        self._gives_back: frozenset[str] = frozenset(external.get("gives_back", ()))
        self._inputs = {
            f"scipy.special.{name}": int(number)
            for number, names in external.get("inputs", {}).items()
            for name in names.split()
        }
        self._objects = {
            module: frozenset(names.split())
            for module, _, names in (t.partition(":") for t in external.get("objects", ()))
        }

    def get(self, name: str) -> ApiFact | None:
        """The fact for a canonical name (``numpy.linalg.norm``, ``ndarray.sum``, ``operator.add``), or None when
        unknown.
        """
        if name not in self._known:
            self._known[name] = self._make(name)
        return self._known[name]

    def names(self) -> tuple[str, ...]:
        """All known names, sorted."""
        return tuple(sorted(self._raw))

    def suggest(self, name: str) -> str | None:
        """The known name most like `name` (``np.`` may stand for ``numpy.``), or None."""
        if name not in self._suggested:  # whoever mistypes does it again
            import difflib  # not worth its import time otherwise

            full = f"numpy.{name[3:]}" if name.startswith("np.") else name
            close = difflib.get_close_matches(full, self._raw, n=1, cutoff=0.75)
            if not close and not full.startswith("numpy."):  # `smu`, `linalg.nrom`
                near: dict[str, float] = {}
                for owner in ("numpy.", "ndarray."):
                    members = [known.removeprefix(owner) for known in self._raw if known.startswith(owner)]
                    for member in difflib.get_close_matches(full, members, n=1, cutoff=0.65):
                        near[owner + member] = difflib.SequenceMatcher(None, member, full).ratio()
                close = sorted(near, key=near.__getitem__, reverse=True)
            self._suggested[name] = next(iter(close), None)
        return self._suggested[name]

    def is_pure(self, dotted: str) -> bool:
        """Whether a callable outside NumPy (``math.sqrt``, ``scipy.special.erf``) is known to neither change nor
        keep its arguments.
        """
        known = self._is_pure.get(dotted)
        if known is None:
            known = _is_under(dotted, self._pure) and not _is_under(dotted, self._not_pure)
            self._is_pure[dotted] = known
        return known

    def is_stored_into(self, dotted: str, positional: int) -> bool:
        """Whether the last of so many positional arguments of a callable outside NumPy is its ``out``."""
        return positional > self._inputs.get(dotted, positional)

    def gives_back(self, dotted: str) -> bool:
        """Whether what a pure callable outside NumPy gives may be, or hold, one of its arguments or their items."""
        return _is_under(dotted, self._gives_back)

    def makes_object(self, dotted: str) -> bool:
        """Whether a pure callable outside NumPy gives an object that is no array, with pure methods (a plot's axes)."""
        last = dotted.rpartition(".")[2]
        return any(last in names and dotted.startswith(f"{module}.") for module, names in self._objects.items())

    def _make(self, name: str) -> ApiFact | None:
        raw = self._raw.get(name)
        if raw is None:
            return None
        target = raw.get("alias_of")
        legacy, since = bool(raw.get("legacy")), raw.get("since", "")
        if target is not None:
            raw = self._raw.get(target)
            if raw is None:  # a Python builtin: numpy.float was float
                return ApiFact(name, "dtype", alias_of=target, legacy=legacy, effect="fresh", zero_d="scalar")
        decision = {**self._overlay.get(target or name, {}), **self._overlay.get(name, {})}
        merged = {**raw, **{k: v for k, v in decision.items() if k not in ("versions", "names")}}
        return ApiFact(
            name=name,
            kind=merged["kind"],
            parameters=tuple(merged.get("parameters", ())),
            effect=merged.get("effect", "may-view"),
            mutates=tuple(merged.get("mutates", ())),
            zero_d=merged.get("zero_d") or "array",
            result=merged.get("result"),
            returns=merged.get("returns", "array"),
            tnp=_make_target(merged.get("tnp"), self._has_stages),
            rt=_make_target(merged.get("rt"), self._has_stages),
            agreement=merged.get("agreement", {}),
            verdict=merged.get("verdict"),
            reason=merged.get("reason"),
            alias_of=target,
            legacy=legacy,
            since=since,
            gives_back=_make_given_back(merged.get("gives_back")),
            measured="effect" in merged,
            attempt=merged.get("attempt", ""),
            prefer=merged.get("prefer"),
        )


def _make_given_back(raw: dict[str, Any] | None) -> GivenBack | None:
    if raw is None:
        return None
    when = {name: tuple(value) if isinstance(value, list) else value for name, value in raw.get("when", {}).items()}
    return GivenBack(
        raw["argument"], tuple(raw.get("items", ())), when, raw.get("may_hold", False), raw.get("in_list", False)
    )


def _make_target(raw: dict[str, Any] | None, has_stages: bool) -> Target | None:
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
        python_bad=raw.get("python_bad", ""),
        weak_int_bad=raw.get("weak_int_bad", ""),
        weak_float_bad=raw.get("weak_float_bad", ""),
        weak_bool_bad=raw.get("weak_bool_bad", ""),
        weak_complex_bad=raw.get("weak_complex_bad", ""),
        weak_int_overflow=raw.get("weak_int_overflow", ""),
        traced=_make_stage(raw.get("traced"), raw) if has_stages else None,
        compiled=_make_stage(raw.get("compiled"), raw) if has_stages else None,
        gpu=_make_stage(raw.get("gpu"), raw) if has_stages else None,
    )


def _make_stage(raw: Any, target: dict[str, Any]) -> Stage | None:
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


def _is_under(dotted: str, prefixes: Container[str]) -> bool:
    parts = dotted.split(".")
    return any(".".join(parts[:count]) in prefixes for count in range(1, len(parts) + 1))


def load(target_tensorflow: str = "newest", target_numpy: str = "newest") -> Catalog:
    """The catalog, read once.

    Parameters
    ----------
    target_tensorflow : ``"2.18"``, ...: with the facts of that version where they differ from the newest measured.
    target_numpy : ``"1.26"``: for code written for that version; only which names there are differs.
    """
    return _load(target_tensorflow, target_numpy)


@functools.cache
def _load(target_tensorflow: str, target_numpy: str) -> Catalog:
    facts = json.loads((_FOLDER / "facts.json").read_bytes())
    older = facts.pop("by_tensorflow", {}).get(target_tensorflow)
    if older is not None:
        facts["versions"] = older["versions"]
        for name, changes in older["apis"].items():
            if changes.get("tnp") and "python_bad" in (facts["apis"][name].get("tnp") or ()):
                # what is made of Python's own is not TensorFlow's to decide
                changes["tnp"].setdefault("python_bad", facts["apis"][name]["tnp"]["python_bad"])
            facts["apis"][name].update(changes)
    has_stages = older is None or older.get("staged", False)
    overlay = tomllib.loads((_FOLDER / "overlay.toml").read_text(encoding="utf-8"))
    return Catalog(facts, overlay, has_stages, target_numpy)
