"""Tables for spreadsheets and data frames: the timeline, or the findings, a row each."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from statemachines.model.evidence.reports import Report
from statemachines.report import report_rows
from statemachines.report.json_format import SURROGATES, TERMINAL_CONTROLS, terminal_safe_json

T = TypeVar("T")
_FORMULA_START = re.compile(r"\s*[=+@＝＋＠－-]")
"""With what a formula begins; spreadsheets of some languages take the wide signs too."""
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f]|{TERMINAL_CONTROLS.pattern}|{SURROGATES.pattern}")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_STEP_COLUMNS = (
    "machine",
    "instance",
    "process",
    "life",
    "at",
    "at_ms",
    "from",
    "to",
    "how",
    "file",
    "line",
)
FINDING_COLUMNS = (
    *(
        "kind",
        "verdict",
        "machine",
        "instance",
        "process",
        "at",
        "at_ms",
        "file",
        "line",
        "text",
        "from",
        "to",
        "outcome",
    ),
    *("legal", "missing", "legal_in", "count", "message"),
)


def timeline_csv(report: Report) -> Iterator[str]:
    """Write the timeline as CSV (RFC 4180, with a heading): the keys of the JSON report are the
    columns, in their order.

    What is no plain value there (the instance) is JSON in its cell; null is an empty cell. What a
    log says is text, whatever it looks like: control characters become U+FFFD, and before what a
    spreadsheet would run as a formula stands an apostrophe.

    Args:
        report: what a check found.

    Returns:
        The heading and the rows, each with its line end.

    Source: RFC 4180, Common Format and MIME Type for CSV Files, 2005.
    """
    return _csv_lines(_STEP_COLUMNS, report.timeline, report_rows.step)


def findings_csv(report: Report) -> Iterator[str]:
    """Write the findings as CSV, like `timeline_csv`.

    Args:
        report: what a check found.

    Returns:
        The heading and the rows, each with its line end.

    Source: RFC 4180, Common Format and MIME Type for CSV Files, 2005.
    """
    return _csv_lines(FINDING_COLUMNS, report.findings, report_rows.finding)


def _csv_lines(
    columns: tuple[str, ...], values: Iterable[T], row: Callable[[T], report_rows.RowData]
) -> Iterator[str]:
    yield _csv_line(columns)
    for value in values:
        cells = row(value)
        yield _csv_line([_csv_cell(cells[column]) for column in columns])


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    text = (
        terminal_safe_json(json.dumps(value, ensure_ascii=False))
        if isinstance(value, (dict, list))
        else _UNSAFE.sub("�", str(value))
    )
    return f"'{text}" if _FORMULA_START.match(text) and not _NUMBER.fullmatch(text) else text


def _csv_line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()
