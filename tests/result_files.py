"""Result files of ``profile`` against docs/profile-schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SCHEMA = Path(__file__).parent.parent / "docs" / "profile-schema.json"


def read_result(path: Path) -> dict[str, Any]:
    """The document, checked. Keys that the schema does not name are errors here, though not for readers."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    check(document)
    return document


def check(document: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    errors = jsonschema.Draft202012Validator(_closed(schema)).iter_errors(document)
    found = [f"{error.json_path}: {error.message[:200]}" for error in errors]
    if found:
        raise AssertionError("; ".join(found))


def _closed(part: Any) -> Any:
    if isinstance(part, list):
        return [_closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    closed = {key: _closed(value) for key, value in part.items()}
    return (
        {"additionalProperties": False, **closed} if part.get("type") == "object" and "properties" in part else closed
    )
