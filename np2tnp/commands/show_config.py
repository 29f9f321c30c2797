"""``np2tnp config``: the settings that count for a file, where each comes from, and their JSON Schema."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import fields
from typing import Any

from np2tnp.codes import CODES, GROUPS
from np2tnp.config import CALLEE_KEYS, CHOICES, PURE, Config, ConfigError, find_table, read_table, settable
from np2tnp.model import Callee
from np2tnp.options import MEANING
from np2tnp.report.style import visible
from np2tnp.terminal import CLEAN, print_exactly

#: Options of the file that have no meaning among those of the command line → what they decide.
_MEANING = {
    "above": "calls with fewer elements stay NumPy; 0: none (default: 100000, and all calls where there is no GPU)",
    "baseline": "the file of findings that check does not tell any more, beside the configuration",
    "cache": "keep results of files that did not change",
    "cache-dir": "where results are kept (default .np2tnp_cache beside the configuration)",
    "callees": 'what callables of other libraries do with arrays: "pure", or which parameters they change, keep, give',
    "device": "where migrated functions work, such as /GPU:0",
    "exclude": "files and directories that are left out, instead of the default ones",
    "extend-exclude": "files and directories that are left out, too",
    "extend-select": "codes that are reported besides those of select",
    "fail-on": "verdicts for which check exits with 1",
    "file-timeout": "seconds of processor time that one file may take; 0: any",
    "float32": "work in float32: faster on GPUs, changes values",
    "force-exclude": "leave excluded files out even where they are named, or come from standard input",
    "ignore": "codes that are not reported",
    "jobs": "worker processes; 0: as many as pay off",
    "needles": "files without any of these texts are not analysed",
    "numpy-names": "names that stand for NumPy wherever they are used, such as xp",
    "per-file-ignores": "codes that are not reported, by glob; rewrite leaves files alone for which that is ALL",
    "respect-gitignore": "leave out what .gitignore names",
    "select": "codes that are reported, or prefixes of them",
    "skip-regions": "functions that stay as they are: NAME, Class.method or FILE::NAME, globs",
    "tests": "globs of more files that rewrite leaves as they are: the reference",
    "top-level": "migrate the top level of scripts that nobody imports",
    "unsafe": "trust code that cannot be seen to change nothing",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only ``config`` understands."""
    add = parser.add_argument
    add("file", nargs="?", default=".", metavar="FILE", help="a file, or a directory (default .)")
    add("--json", action="store_true", help="print one JSON object")
    add("--schema", action="store_true", help="print the JSON Schema of [tool.np2tnp]")


def run(parsed: argparse.Namespace, config: Config) -> int:
    """The command. Raises ConfigError for a file that is not there, and for settings that cannot be followed."""
    if parsed.schema:
        print_exactly(json.dumps(schema(), indent=2) + "\n")
        return CLEAN
    if not os.path.exists(parsed.file):
        raise ConfigError(f"{parsed.file}: no such file or directory")
    sources = _sources(parsed, config)
    values = {key: _plain(key, getattr(config, key.replace("-", "_"))) for key in settable()}
    if parsed.json:
        document = {"root": config.root, "settings": {k: {"value": v, "from": sources[k]} for k, v in values.items()}}
        print_exactly(json.dumps(document, indent=2) + "\n")
        return CLEAN
    lines = [f"root = {json.dumps(config.root)}  # the project's top"]
    lines += [f"{key} = {_toml(value)}  # {sources[key]}" for key, value in values.items()]
    print_exactly("".join(f"{visible(line)}\n" for line in lines))
    return CLEAN


def _sources(parsed: argparse.Namespace, config: Config) -> dict[str, str]:
    """By option: the file, the command line, or "default"."""
    file = next((item for item in parsed.config if "=" not in item or os.path.exists(item)), "")
    inline = {item.partition("=")[0].strip().replace("_", "-") for item in parsed.config if item != file}
    table: dict[str, Any] = {}
    if file:
        table = read_table(file)
    elif not parsed.isolated:
        target = os.path.abspath(parsed.file)
        file, table = find_table(target if os.path.isdir(target) else os.path.dirname(target))
    named = {key.replace("_", "-") for key in table}
    given = {key.replace("_", "-") for key, value in vars(parsed).items() if value is not None}
    return {
        key: "the command line"
        if key in given
        else "--config"
        if key in inline
        else os.path.relpath(file)
        if key in named
        else "default"
        for key in settable()
    }


def _plain(key: str, value: Any) -> Any:
    """As it is written in TOML and JSON."""
    if key == "per-file-ignores":
        return {glob: list(codes) for glob, codes in value}
    if key == "callees":
        return {item.name: _said(item) for item in value}
    return list(value) if isinstance(value, tuple) else value


def _said(callee: Callee) -> str | dict[str, list[str]]:
    lists = {key: list(getattr(callee, key)) for key in CALLEE_KEYS if getattr(callee, key)}
    return lists or PURE


def _toml(value: Any) -> str:
    if value is None:
        return '"not set"'
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value)


def schema() -> dict[str, Any]:
    """The JSON Schema of ``[tool.np2tnp]``, made from the fields of Config."""
    defaults = {item.name.replace("_", "-"): getattr(Config(), item.name) for item in fields(Config)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "np2tnp",
        "description": "[tool.np2tnp] of pyproject.toml, or np2tnp.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: _property(key, defaults[key]) for key in settable()},
    }


def _property(key: str, default: Any) -> dict[str, Any]:
    name = key.replace("-", "_")
    found: dict[str, Any] = {"description": MEANING.get(name) or _MEANING[key]}
    names = {"enum": ["ALL", *GROUPS, *CODES.values()]}
    codes = {"type": "array", "items": {"anyOf": [{"type": "string", "pattern": r"^TNP\d{0,3}$"}, names]}}
    if key == "per-file-ignores":
        return {**found, "type": "object", "additionalProperties": codes}
    if key == "callees":
        parameters = {"type": "array", "items": {"type": "string", "pattern": r"^[^\W\d]\w*$"}, "uniqueItems": True}
        row = {"type": "object", "additionalProperties": False, "properties": dict.fromkeys(CALLEE_KEYS, parameters)}
        said = {"anyOf": [{"const": PURE}, row]}
        named = {"pattern": r"^[^\W\d]\w*(\.[^\W\d]\w*)+$"}
        return {**found, "type": "object", "propertyNames": named, "additionalProperties": said}
    if isinstance(default, bool):
        found["type"] = "boolean"
    elif isinstance(default, int) or default is None:
        found |= {"type": "integer", "minimum": 0}
    elif isinstance(default, tuple):
        texts: dict[str, Any] = {"type": "string", "minLength": 1}
        if name in CHOICES:
            texts = {"enum": list(CHOICES[name])}
        found |= codes if name in ("select", "extend_select", "ignore") else {"type": "array", "items": texts}
    elif name in CHOICES:
        found["enum"] = list(CHOICES[name])
    else:
        found["type"] = "string"
    if default is not None:
        found["default"] = _plain(key, default)
    return found
