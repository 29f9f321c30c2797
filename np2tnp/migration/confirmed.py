"""``rewrite --confirmed FILE``: only what ``profile`` measured to be equal and faster stays in the plan."""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from np2tnp import pipeline
from np2tnp.config import EMISSION, NEVER, Config, ConfigError, RegionOptions
from np2tnp.files.problems import Problem
from np2tnp.files.source import decode, read_bytes
from np2tnp.migration.transaction import Reverted

SCHEMA = 1
MOST_BYTES = 200_000_000  #: of a result file

Place = tuple[str, str]  #: (path, qualified name)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a result file says of one function of one of the run's files."""

    confirmed: bool
    reason: str
    modes: dict[str, float] = field(default_factory=dict)  #: values of ``--compile`` under which it won: how much
    above: int = 0  #: with ``--dispatch`` it could be rewritten for arrays of at least so many elements
    together: frozenset[Place] = frozenset()  #: what had been migrated, too, when it was measured
    is_equal: bool = True  #: no comparison failed


def leave_out_what_did_not_win(
    made: pipeline.Plan,
    config: Config,
    names: Sequence[str],
    dispatch: bool,
    refused: Callable[[Place], str] = lambda place: "",
) -> tuple[pipeline.Plan, Config, list[Reverted]]:
    """The part of the plan that the result files `names` confirm, the configuration that gives it, and the rest.

    With `dispatch` also functions that won for large arrays only, with a size test; what they call, and was migrated
    when they were measured, is migrated for them alone. `refused` says of a function why it stays whatever was
    measured. Raises ConfigError for files that cannot be used: not results, incomplete, measured under other options,
    or of sources that have changed since.
    """
    texts = _texts(made)
    entries: dict[Place, _Entry] = {}
    companions: set[Place] = set()
    for name in names:
        document = read_result(name)
        try:
            entries.update(_entries(document, name, texts, config))
            companions |= _companions(document, name, texts)
        except (KeyError, TypeError, AttributeError, ValueError):
            raise ConfigError(f"--confirmed {name}: written by another version; profile again") from None
    if not entries:
        raise ConfigError(f"--confirmed: {', '.join(names)} holds nothing about the files named")
    possible = frozenset(pipeline.plan(made.files, replace(config, slow="convert")).regions)
    companions = {place for place in companions if not refused(place)}
    for place in possible | entries.keys():
        if why := refused(place):
            entries[place] = _Entry(False, why, is_equal=False)
    callers = _callers({place for place, it in entries.items() if it.confirmed}, companions, texts)
    dropped: dict[Place, str] = {}
    while True:
        known = {**entries, **dict.fromkeys(companions, _Entry(True, "only confirmed functions call it"))}
        wanted = {place for place in possible & known.keys() if _is_wanted(known[place], dispatch)}
        spare = {it for it in possible - wanted if it not in known or known[it].is_equal} if dispatch else set()
        needs = _needs(known, spare, texts)
        modes = _settle(wanted, known, needs, spare, dropped)
        left_alone = {place for place in companions if not callers[place] <= wanted}
        if not left_alone:  # else they are called by what stays NumPy: their own measurements decide
            break
        companions -= left_alone
    entries = known
    above = {place: entries[place].above if place in wanted else NEVER for place in modes}
    special = tuple(RegionOptions(*place, compile=modes[place], above=above[place]) for place in sorted(modes))
    # chosen by what was measured, so not again by what the facts say of speed
    config = replace(config, slow="convert", chosen_regions=frozenset(modes), region_options=special)
    chosen = pipeline.plan(made.files, config)
    left = []
    for path, name in made.regions:
        if (path, name) not in chosen.regions:
            left.append(Reverted(path, name, _reason((path, name), entries, dropped, dispatch)))
    return chosen, config, left


def _reason(place: Place, entries: dict[Place, _Entry], dropped: dict[Place, str], dispatch: bool) -> str:
    if place in dropped:
        return f"it was measured together with {dropped[place]}, which is not confirmed like that"
    entry = entries.get(place)
    if entry is None:
        return "it was not measured"
    more = f" (--dispatch rewrites it for {entry.above:,} elements and more)" if entry.above and not dispatch else ""
    return entry.reason + more


def _texts(made: pipeline.Plan) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, data in made.files.contents.items():
        try:
            found[path] = decode(path, data).text
        except Problem:
            continue
    return found


def read_result(name: str) -> dict[str, Any]:
    """A result file of ``profile``. Raises ConfigError for one that cannot be used."""
    try:
        document = json.loads(read_bytes(name, MOST_BYTES))
    except Problem as problem:
        raise ConfigError(f"--confirmed {name}: {problem}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"--confirmed {name}: not a result file of np2tnp profile") from None
    if not isinstance(document, dict) or not isinstance(document.get("functions"), list):
        raise ConfigError(f"--confirmed {name}: not a result file of np2tnp profile")
    if document.get("schema") != SCHEMA:
        raise ConfigError(f"--confirmed {name}: written by another version (schema {document.get('schema')})")
    if document.get("complete") is not True:
        raise ConfigError(f"--confirmed {name}: the measurement was interrupted; profile again")
    return document


def _entries(document: dict[str, Any], name: str, texts: dict[str, str], config: Config) -> dict[Place, _Entry]:
    found: dict[Place, _Entry] = {}
    hot = document.get("hot", ())
    for item in document["functions"]:
        decision, digest = item["decision"], item["original"]["sha256"]
        migrated = [other.rpartition("::") for other in item["migrated"]]
        if options := _differing(item["options"], config):
            raise ConfigError(f"--confirmed {name}: {item['function']} was measured with {options}")
        for path in _files(item["path"], digest, name, texts):
            together = frozenset(
                (_run_path(where, name, texts) if where else path, other) for where, _, other in migrated
            )
            above = 0 if decision["confirmed"] else int(decision["above"] or 0)
            modes = decision["modes"] or {decision["compile"]: decision["gain"]}
            is_equal = not any(trial["reason"].startswith("not equal") for trial in item["trials"])
            entry = _Entry(decision["confirmed"], decision["reason"], modes, above, together, is_equal)
            found[path, item["function"]] = entry
    for item in hot:
        for path in texts:
            if item["obstacle"] and _is_same_file(item["path"], path, name):
                found.setdefault(
                    (path, item["function"]), _Entry(False, f"it could not be measured: {item['obstacle']}")
                )
    return found


def _companions(document: dict[str, Any], name: str, texts: dict[str, str]) -> set[Place]:
    """Functions that only confirmed ones called: however slow they are when called by themselves, they are not."""
    found = [(item["path"], item["function"]) for item in document.get("companions", ())]
    return {
        (path, other)
        for item in document["functions"]
        for path in _files(item["path"], item["original"]["sha256"], name, texts)
        for where, other in found
        if where == item["path"]
    }


def _callers(confirmed: set[Place], companions: set[Place], texts: dict[str, str]) -> dict[Place, set[Place]]:
    """For each companion what mentions it among those that were to be rewritten with it."""
    both = confirmed | companions
    mentioned = {path: _mentioned(texts[path]) for path, _ in both}
    return {
        place: {
            (path, name)
            for path, name in both - {place}
            if place[1].rpartition(".")[2] in mentioned[path].get(name, frozenset())
        }
        for place in companions
    }


def _is_wanted(entry: _Entry, dispatch: bool) -> bool:
    return entry.confirmed or (dispatch and bool(entry.above))


def _differing(measured: dict[str, Any], config: Config) -> str:
    parts = [f"{key.replace('_', '-')} = {measured[key]}" for key in EMISSION if measured[key] != getattr(config, key)]
    return ", ".join(parts)


def _files(path: str, digest: str, name: str, texts: dict[str, str]) -> Iterable[str]:
    """The run's files that hold the very text that was measured. Raises ConfigError when it changed since."""
    same = [it for it, text in texts.items() if _digest(text) == digest]
    placed = [it for it in texts if _is_same_file(path, it, name)]
    if any(it not in same for it in placed):
        raise ConfigError(f"--confirmed {name}: {path} has changed since it was measured; profile again")
    return placed or same


def _run_path(path: str, name: str, texts: dict[str, str]) -> str:
    """What the run calls the file that the result file `name` calls `path`; that, where it is not in the run."""
    return next((it for it in texts if _is_same_file(path, it, name)), path)


def _is_same_file(measured: str, path: str, name: str) -> bool:
    """Whether `measured`, as the result file `name` calls it, is the run's file `path`."""
    absolute = os.path.realpath(path)
    folder = os.path.dirname(os.path.abspath(name))
    return absolute in (os.path.realpath(measured), os.path.realpath(os.path.join(folder, measured)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _needs(entries: dict[Place, _Entry], spare: set[Place], texts: dict[str, str]) -> dict[Place, set[Place]]:
    """What each function mentions of the functions that had been migrated when it was measured.

    What one of `spare` mentions of these is needed, too: it is not there for itself.
    """
    mentioned = {path: _mentioned(text) for path, text in texts.items()}
    found = {}
    for place, entry in entries.items():
        needed: set[Place] = set()
        todo = [place]
        while todo:
            path, name = todo.pop()
            words = mentioned[path].get(name, frozenset())
            more = {it for it in entry.together - needed - {place} if it[1].rpartition(".")[2] in words}
            needed |= more
            todo += more & spare
        found[place] = needed
    return found


def _settle(
    wanted: set[Place],
    entries: dict[Place, _Entry],
    needs: dict[Place, set[Place]],
    spare: set[Place],
    dropped: dict[Place, str],
) -> dict[Place, str]:
    """Take out of `wanted` what was measured with something migrated that will not be, or not compiled alike.

    A compiled function passes tracers to those that it calls: they must be compiled as it is. `dropped` becomes
    place → the function that it needs. The value of ``--compile`` for each that is left, and for those of `spare` that
    it needs.
    """
    while True:
        for place in sorted(wanted):
            missing = sorted(needs[place] - wanted - spare)
            if missing:
                wanted.discard(place)
                dropped[place] = missing[0][1]
                break
        else:
            modes: dict[Place, str] = {}
            for group in _groups(wanted, needs):
                judged = [entries[place].modes for place in group & wanted if entries[place].modes]
                common = set.intersection(*map(set, judged)) if judged else {"none"}
                if not common:
                    place = max(group & wanted, key=lambda it: (len(needs[it]), it))
                    wanted.discard(place)
                    dropped[place] = sorted(needs[place])[0][1]
                    break
                best = max(sorted(common), key=lambda mode: min((gains[mode] for gains in judged), default=0.0))
                modes.update(dict.fromkeys(group, best))
            else:
                return modes


def _groups(wanted: set[Place], needs: dict[Place, set[Place]]) -> list[set[Place]]:
    """`wanted` in parts between which nobody needs anybody."""
    groups: list[set[Place]] = []
    for place in sorted(wanted):
        linked = {place} | needs[place]
        touching = [group for group in groups if group & linked]
        groups = [group for group in groups if not group & linked]
        groups.append(linked.union(*touching))
    return groups


def _mentioned(text: str) -> dict[str, frozenset[str]]:
    """Every name and attribute that each function's code mentions, by qualified name."""
    found: dict[str, frozenset[str]] = {}
    stack: list[tuple[str, ast.AST]] = [("", ast.parse(text))]
    while stack:
        prefix, node = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                words = {item.id for item in ast.walk(child) if isinstance(item, ast.Name)}
                words |= {item.attr for item in ast.walk(child) if isinstance(item, ast.Attribute)}
                found[prefix + child.name] = found.get(prefix + child.name, frozenset()) | words
            elif isinstance(child, ast.ClassDef):
                stack.append((f"{prefix}{child.name}.", child))
            else:
                stack.append((prefix, child))
    return found
