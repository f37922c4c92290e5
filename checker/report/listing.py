"""The JSON report of several checks in one run; its schema is `report-list.schema.json` beside this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from ..row import Broken, Checked, Refused, Row, Skipped, Unfinished, overall
from .document import document

FORMAT: Final = "fenceproof-report-list"
VERSION: Final = 1


def list_document(rows: Sequence[Row]) -> dict[str, object]:
    """All rows as one JSON document: a whole report of each model that was searched, and of each other why not."""
    return {"format": FORMAT, "version": VERSION, "verdict": overall(rows), "reports": [_report(row) for row in rows]}


def _report(row: Row) -> dict[str, object]:
    match row:
        case Checked():
            return document(row.target, row.result)
        case Refused():
            site = str(row.site) if row.site is not None else None
            error = {"message": row.message, "site": site, "remedy": row.remedy}
            return {"target": row.target, "model_error": error}
        case Unfinished():
            return {"target": row.target, "inconclusive": row.reason}
        case Broken():
            return {"target": row.target, "internal_error": row.text}
        case Skipped():
            return {"target": row.target, "skipped": row.reason}
        case _:
            assert_never(row)
