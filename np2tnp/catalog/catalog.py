"""Reads the catalog: facts.json (measured, generated) with overlay.toml (human decisions) on top.

``load()`` costs a few milliseconds and imports neither NumPy nor TensorFlow; a fact becomes an object when it is
first asked for.
"""

from __future__ import annotations

import copy
import functools
import json
import sys
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from np2tnp.catalog.facts import ApiFact, make_given_back, make_target
from np2tnp.model import Callee

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FOLDER = Path(__file__).parent


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
        #: by function of tnp's, the names of its parameters, those that take any number with their stars
        self.tnp_parameters: dict[str, tuple[str, ...]] = {
            name: tuple(text.split()) for text, names in overlay.get("signatures", {}).items() for name in names
        }
        external = overlay.get("external", {})
        self._results: dict[str, str] = overlay.get("results", {})
        rows = external.get("callee", {})
        self._callees = {name: _callee(name, row) for name, row in rows.items()}  #: by name: more than a pure one
        self._pure: frozenset[str] = frozenset(external.get("pure", ()))
        self._not_pure: frozenset[str] = frozenset(external.get("not_pure", ()))
        self._gives_back: frozenset[str] = frozenset(external.get("gives_back", ()))
        self._inputs = {
            f"scipy.special.{name}": int(number)
            for number, names in external.get("inputs", {}).items()
            for name in names.split()
        }
        arrays = external.get("arrays", {})
        self._arrays: dict[str, int] = arrays.get("places", {})
        self._vectors: dict[str, str] = external.get("vectors", {})
        self._array_keywords: frozenset[str] = frozenset(arrays.get("keywords", "").split())
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

    def callee(self, dotted: str, path: str = "") -> Callee | None:
        """What is known of a callable outside NumPy beyond what ``is_pure`` and ``gives_back`` say; None: nothing.

        path : of the module that calls it, where its name is relative to that one's package: ``._fast.solve``.
        """
        if dotted[:1] != ".":
            return self._callees.get(dotted)
        name = dotted.lstrip(".")
        folders = Path(path).parts[: -(len(dotted) - len(name))]
        return next(
            (
                found
                for start in range(len(folders))
                if (found := self._callees.get(".".join((*folders[start:], name))))
            ),
            None,
        )

    def with_callees(self, callees: Iterable[Callee]) -> Catalog:
        """The same catalog, and what its user says of callables of other libraries: that word is taken."""
        own = {callee.name: callee for callee in callees}
        if not own:
            return self
        made = copy.copy(self)
        made._callees = {**self._callees, **own}
        return made

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

    def gives_array(self, dotted: str, places: int, keywords: Iterable[str]) -> bool:
        """Whether a callable outside NumPy gives an exact ndarray with axes, or a NumPy scalar, whatever it gets.

        places, keywords : how many arguments it gets by place, and the names of the others.
        """
        return places <= self._arrays.get(dotted, -1) and self._array_keywords.issuperset(keywords)

    def vectors(self, dotted: str) -> str:
        """Of a callable outside NumPy that gives a tuple of arrays with one axis: of integers (i) or of numbers (n)."""
        return self._vectors.get(dotted, "")

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
        merged = {**raw, **{k: v for k, v in decision.items() if k not in ("versions", "names", "outside")}}
        if "outside" in decision and merged.get("tnp"):
            merged["tnp"] = {**merged["tnp"], "outside": {**merged["tnp"].get("outside", {}), **decision["outside"]}}
        return ApiFact(
            name=name,
            kind=merged["kind"],
            parameters=tuple(merged.get("parameters", ())),
            effect=merged.get("effect", "may-view"),
            mutates=tuple(merged.get("mutates", ())),
            zero_d=merged.get("zero_d") or "array",
            result=self._results.get(target or name, merged.get("result")),
            returns=merged.get("returns", "array"),
            tnp=make_target(merged.get("tnp"), self._has_stages),
            rt=make_target(merged.get("rt"), self._has_stages),
            agreement=merged.get("agreement", {}),
            verdict=merged.get("verdict"),
            reason=merged.get("reason"),
            alias_of=target,
            legacy=legacy,
            since=since,
            gives_back=make_given_back(merged.get("gives_back")),
            measured="effect" in merged,
            attempt=merged.get("attempt", ""),
            prefer=merged.get("prefer"),
        )


def _callee(name: str, row: dict[str, str]) -> Callee:
    def listed(key: str) -> tuple[str, ...]:
        return tuple(row.get(key, "").split())

    lists = listed("parameters"), listed("changes"), listed("keeps"), listed("gives")
    return Callee(name, *lists, asked_by=row.get("asked_by", ""))


def _names(lines: Iterable[str]) -> list[str]:
    """``scipy.io: savemat loadmat`` as full names."""
    parts = (line.partition(":") for line in lines)
    return [f"{module}.{name}" for module, _, names in parts for name in names.split()]


def _of_arrays(table: Mapping[str, Any]) -> dict[str, Any]:
    """By name of a function, with how many arguments by place it gives arrays; a distribution's may have many."""
    places = {name: int(count) for count, lines in table.items() if count.isdigit() for name in _names(lines)}
    found = (f"{name}.{method}" for name in table["distributions"].split() for method in table["methods"].split())
    places.update((f"scipy.stats.{name}", 5) for name in found)
    return {"places": places, "keywords": table["keywords"]}


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
            facts["apis"][name].update(changes)
    has_stages = older is None or older.get("staged", False)
    overlay = tomllib.loads((_FOLDER / "overlay.toml").read_text(encoding="utf-8"))
    callees = tomllib.loads((_FOLDER / "callees.toml").read_text(encoding="utf-8"))
    external, shows = overlay["external"], _names(callees["shows"])
    external["pure"] += [*_names(callees["pure"]), *shows]
    external["gives_back"] += shows
    external["callee"] = callees["callee"]
    external["arrays"] = _of_arrays(callees["arrays"])
    external["vectors"] = callees["vectors"]
    return Catalog(facts, overlay, has_stages, target_numpy)
