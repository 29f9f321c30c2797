"""What SARIF 2.1.0, GitLab's Code Quality and rdjson say of what np2tnp writes: nothing else may be in a report.

SARIF's is the part of its schema for the objects that we use, with what GitHub asks for besides.
"""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string", "minLength": 1}
_NUMBER = {"type": "integer", "minimum": 1}


def _object(needed: dict[str, Any], more: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = {**needed, **(more or {})}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


def _list(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_MESSAGE = _object({"text": _TEXT})
#: GitHub wants paths from the repository's top; RFC 3986 without scheme, query and fragment.
_ARTIFACT = _object(
    {
        "uri": {"type": "string", "pattern": r"^(?!/)(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})+$"},
        "uriBaseId": {"const": "%SRCROOT%"},
    }
)
_LOCATION = _object(
    {
        "physicalLocation": _object(
            {
                "artifactLocation": _ARTIFACT,
                "region": _object(
                    {"startLine": _NUMBER}, {"startColumn": _NUMBER, "endLine": _NUMBER, "endColumn": _NUMBER}
                ),
            }
        )
    },
    {"logicalLocations": _list(_object({"fullyQualifiedName": _TEXT, "kind": {"const": "function"}}))},
)
_RULE = _object(
    {
        "id": {"type": "string", "pattern": r"^TNP\d{3}$"},
        "name": {"type": "string", "maxLength": 255},
        "shortDescription": _object({"text": {"type": "string", "minLength": 1, "maxLength": 1024}}),
        "fullDescription": _object({"text": {"type": "string", "minLength": 1, "maxLength": 1024}}),
        "help": _object({"text": _TEXT, "markdown": _TEXT}),
    }
)
_RESULT = _object(
    {
        "ruleId": _TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": _LEVEL,
        "message": _MESSAGE,
        "locations": _list(_LOCATION, minItems=1, maxItems=1),
        "partialFingerprints": {"type": "object", "minProperties": 1, "additionalProperties": _TEXT},
    },
    {"relatedLocations": _list(_LOCATION, maxItems=1000), "properties": {"type": "object"}},
)
_INVOCATION = _object(
    {
        "executionSuccessful": {"type": "boolean"},
        "toolExecutionNotifications": _list(_object({"level": _LEVEL, "message": _MESSAGE})),
    }
)
_DRIVER = _object({"name": _TEXT, "version": _TEXT, "rules": _list(_RULE, uniqueItems=True)})
_RUN = _object(
    {
        "tool": _object({"driver": _DRIVER}),
        "invocations": _list(_INVOCATION, minItems=1),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "originalUriBaseIds": {
            "type": "object",
            "additionalProperties": _object({"description": _MESSAGE}, {"uri": _TEXT}),
        },
        "results": _list(_RESULT, maxItems=25_000),
    }
)
SARIF = _object(
    {
        "$schema": {"const": "https://json.schemastore.org/sarif-2.1.0.json"},
        "version": {"const": "2.1.0"},
        "runs": _list(_RUN, minItems=1),
    }
)

GITLAB = _list(
    _object(
        {
            "description": _TEXT,
            "check_name": _TEXT,
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": _object(
                # a path from the top, not one with ./ before it
                {
                    "path": {"type": "string", "pattern": r"^(?!\.?/)"},
                    "lines": _object({"begin": _NUMBER}, {"end": _NUMBER}),
                }
            ),
        }
    )
)

_POSITION = _object({"line": _NUMBER, "column": _NUMBER})
RDJSON = _object(
    {
        "source": _object({"name": _TEXT}),
        "diagnostics": _list(
            _object(
                {
                    "message": _TEXT,
                    "location": _object({"path": _TEXT, "range": _object({"start": _POSITION, "end": _POSITION})}),
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": _object({"value": _TEXT}),
                }
            )
        ),
    }
)

#: Element → its attributes, and what may stand in it: what Jenkins and GitLab take.
JUNIT = {
    "testsuites": ("name tests failures errors", "testsuite"),
    "testsuite": ("name tests failures errors skipped", "testcase"),
    "testcase": ("name classname", "failure error skipped system-out"),
    "failure": ("type message", ""),
    "error": ("type message", ""),
    "skipped": ("message", ""),
    "system-out": ("", ""),
}
