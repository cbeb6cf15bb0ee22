"""Tables for spreadsheets and data frames: the timeline, or the findings, a row each."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from statemachines.model.reports import Report
from statemachines.report import rows
from statemachines.report.as_json import OBEYED, SURROGATES, plain

T = TypeVar("T")
_RUN = re.compile(r"\s*[=+@＝＋＠－-]")
"""With what a formula begins; spreadsheets of some languages take the wide signs too."""
_OBEYED = re.compile(f"[\x00-\x08\x0b-\x1f]|{OBEYED.pattern}|{SURROGATES.pattern}")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
STEP = ("machine", "instance", "process", "life", "at", "at_ms", "from", "to", "how", "file", "line")
FINDING = (
    *("kind", "verdict", "machine", "instance", "process", "at", "at_ms", "file", "line", "text", "from", "to", "outcome"),
    *("legal", "missing", "legal_in", "count", "message"),
)


def timeline_csv(report: Report) -> Iterator[str]:
    """Write the timeline as CSV (RFC 4180, with a heading): the keys of the JSON report are the columns, in their order.

    What is no plain value there (the instance) is JSON in its cell; null is an empty cell. What a log says is text, whatever it looks
    like: control characters become U+FFFD, and before what a spreadsheet would run as a formula stands an apostrophe.
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
    text = plain(json.dumps(value, ensure_ascii=False)) if isinstance(value, (dict, list)) else _OBEYED.sub("�", str(value))
    return f"'{text}" if _RUN.match(text) and not _NUMBER.fullmatch(text) else text


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()
