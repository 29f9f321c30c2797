"""``rewrite --confirmed FILE``: only what ``profile`` measured to be equal and faster stays in the plan."""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from np2tnp import pipeline
from np2tnp.config import EMISSION, Config, ConfigError, RegionOptions
from np2tnp.files.problems import Problem
from np2tnp.files.source import decode
from np2tnp.migration.reverted import Reverted

SCHEMA = 1

Place = tuple[str, str]  #: (path, qualified name)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a result file says of one function of one of the run's files."""

    confirmed: bool
    reason: str
    above: int = 0  #: with ``--dispatch`` it could be rewritten for arrays of at least so many elements
    together: frozenset[str] = frozenset()  #: what of its file had been migrated, too, when it was measured


def leave_out_what_did_not_win(
    made: pipeline.Plan, config: Config, names: Sequence[str], dispatch: bool
) -> tuple[pipeline.Plan, Config, list[Reverted]]:
    """The part of the plan that the result files `names` confirm, the configuration that gives it, and the rest.

    With `dispatch` also functions that won for large arrays only, with a size test. Raises ConfigError for files that
    cannot be used: not results, incomplete, measured under other options, or of sources that have changed since.
    """
    texts = _texts(made)
    entries: dict[Place, _Entry] = {}
    for name in names:
        entries.update(_entries(_read(name), name, texts, config))
    if not entries:
        raise ConfigError(f"--confirmed: {', '.join(names)} holds nothing about the files named")
    wanted = {place for place, it in entries.items() if it.confirmed or (dispatch and it.above)}
    dropped = _drop_dependents(wanted, entries, texts)
    special = tuple(
        RegionOptions(*place, above=entries[place].above) for place in sorted(wanted) if entries[place].above
    )
    # chosen by what was measured, so not again by what the facts say of speed
    config = replace(config, slow="convert", chosen_regions=frozenset(wanted), region_options=special)
    chosen = pipeline.plan(made.files, config)
    left = []
    for path, name in made.regions:
        if (path, name) not in chosen.regions:
            left.append(Reverted(path, name, _reason((path, name), entries, dropped, dispatch)))
    return chosen, config, left


def _reason(place: Place, entries: dict[Place, _Entry], dropped: dict[Place, str], dispatch: bool) -> str:
    if place in dropped:
        return f"it was measured together with {dropped[place]}, which is not confirmed"
    entry = entries.get(place)
    if entry is None:
        return "it was not measured"
    more = f" (--dispatch migrates it for {entry.above:,} elements and more)" if entry.above and not dispatch else ""
    return entry.reason + more


def _texts(made: pipeline.Plan) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, data in made.files.contents.items():
        try:
            found[path] = decode(path, data).text
        except Problem:
            continue
    return found


def _read(name: str) -> dict[str, Any]:
    try:
        with open(name, encoding="utf-8") as stream:
            document = json.load(stream)
    except OSError as error:
        raise ConfigError(f"--confirmed {name}: cannot be read: {error.strerror or error}") from None
    except ValueError:
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
    try:
        companions = {(item["path"], item["function"]) for item in document.get("companions", ())}
        hot = document.get("hot", ())
        for item in document["functions"]:
            decision, digest = item["decision"], item["original"]["sha256"]
            together = frozenset(item["migrated"])
            if options := _differing(item["options"], config):
                raise ConfigError(f"--confirmed {name}: {item['function']} was measured with {options}")
            if decision["compile"] != config.compile and decision["confirmed"]:
                raise ConfigError(
                    f"--confirmed {name}: {item['function']} won with --compile {decision['compile']}: say so here, too"
                )
            for path in _files(item["path"], digest, name, texts):
                above = 0 if decision["confirmed"] else decision["above"] or 0
                found[path, item["function"]] = _Entry(decision["confirmed"], decision["reason"], above, together)
                for _, other in (place for place in companions if place[0] == item["path"]):
                    found.setdefault((path, other), _Entry(True, "only confirmed functions call it", 0, together))
        for item in hot:
            for path in texts:
                if item["obstacle"] and _is_same_file(item["path"], path, name):
                    found.setdefault(
                        (path, item["function"]), _Entry(False, f"it could not be measured: {item['obstacle']}")
                    )
    except (KeyError, TypeError):
        raise ConfigError(f"--confirmed {name}: written by another version; profile again") from None
    return found


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


def _is_same_file(measured: str, path: str, name: str) -> bool:
    """Whether `measured`, as the result file `name` calls it, is the run's file `path`."""
    absolute = os.path.realpath(path)
    folder = os.path.dirname(os.path.abspath(name))
    return absolute in (os.path.realpath(measured), os.path.realpath(os.path.join(folder, measured)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _drop_dependents(wanted: set[Place], entries: dict[Place, _Entry], texts: dict[str, str]) -> dict[Place, str]:
    """Take out of `wanted` what was measured with something migrated that will not be: (place) → that function."""
    mentioned = {path: _mentioned(texts[path]) for path in {path for path, _ in wanted}}
    dropped: dict[Place, str] = {}
    again = True
    while again:
        again = False
        for path, name in sorted(wanted):
            words = mentioned[path].get(name, frozenset())
            for other in sorted(entries[path, name].together - {name}):
                if other.rpartition(".")[2] in words and (path, other) not in wanted:
                    wanted.discard((path, name))
                    dropped[path, name] = other
                    again = True
                    break
    return dropped


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
