"""``np2tnp api --table markdown|csv|json``: the comparison of all names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from np2tnp.report.comparison import COLUMNS, Row, as_dict
from np2tnp.report.to_api import describe_dtypes


def to_json(rows: list[Row]) -> str:
    """A list of objects, one a name."""
    return json.dumps([as_dict(row) for row in rows], indent=1) + "\n"


def to_csv(rows: list[Row]) -> str:
    """A line a name; several keywords are separated by blanks."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = as_dict(row)
        writer.writerow([" ".join(v) if isinstance(v, tuple) else v for v in values.values()])
    return stream.getvalue()


def to_markdown(rows: list[Row]) -> str:
    """One table."""
    lines = ["| name | verdict | target | equal for | tnp's own | traced | XLA | why |", "|" + " --- |" * 8]
    for row in rows:
        shown = row.dtypes and describe_dtypes(row.dtypes)
        if row.host_dtypes:
            shown += f"; *host*: {describe_dtypes(row.host_dtypes)}"
        own = describe_dtypes(row.tnp_dtypes) if row.tnp_dtypes else "differs" if row.differs else ""
        stages = [state if row.target and state != "unknown" else "" for state in (row.traced, row.compiled)]
        cells = [f"`{row.api}`", row.verdict, f"`{row.target}`" if row.target else "", shown, own, *stages, row.reason]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


FORMATS: dict[str, Callable[[list[Row]], str]] = {"markdown": to_markdown, "csv": to_csv, "json": to_json}
