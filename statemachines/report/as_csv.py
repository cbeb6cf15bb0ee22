"""Tables for spreadsheets and data frames: the timeline, or the findings, a row each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from statemachines.model.reports import Report
from statemachines.report import rows
from statemachines.report.as_json import SURROGATES

T = TypeVar("T")
STEP = ("machine", "instance", "process", "life", "at", "at_ms", "from", "to", "how", "file", "line")
FINDING = (
    *("kind", "verdict", "machine", "instance", "process", "at", "at_ms", "file", "line", "text", "from", "to", "outcome"),
    *("legal", "missing", "legal_in", "count", "message"),
)


def timeline_csv(report: Report) -> Iterator[str]:
    """Write the timeline as CSV (RFC 4180, with a heading): the keys of the JSON report are the columns, in their order.

    What is no plain value there (the instance) is JSON in its cell; null is an empty cell.
    """
    return _table(STEP, report.timeline, rows.step)


def findings_csv(report: Report) -> Iterator[str]:
    """Write the findings as CSV, like `timeline_csv`."""
    return _table(FINDING, report.findings, rows.finding)


def _table(columns: tuple[str, ...], values: Iterable[T], row: Callable[[T], rows.Row]) -> Iterator[str]:
    yield _line(columns)
    for value in values:
        told = row(value)
        yield _line([_cell(told[column]) for column in columns])


def _cell(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return SURROGATES.sub("�", written.getvalue())
