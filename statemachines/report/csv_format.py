"""Tables for spreadsheets and data frames: the timeline, or the findings, a row each."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar, cast

from statemachines.model.evidence.packed_steps import PackedSteps, PackedTimeline, StepModel
from statemachines.model.evidence.reports import Report
from statemachines.report import report_rows
from statemachines.report.json_format import SURROGATES, TERMINAL_CONTROLS, terminal_safe_json
from statemachines.report.sections.timestamps import rfc3339_text

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
    if not hasattr(report.timeline, "packed_steps"):
        return _csv_lines(_STEP_COLUMNS, report.timeline, report_rows.step)
    packed = cast("PackedTimeline", report.timeline).packed_steps()
    return chain([_csv_line(_STEP_COLUMNS)], chain.from_iterable(map(_PackedLineWriter(), packed)))


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


class _PackedLineWriter:
    """Writes rows of the timeline that come as columns: the same text, several times as fast.

    Complexity: memory for the texts of the models of one block.
    """

    def __init__(self) -> None:
        self._models: Sequence[StepModel] = ()
        self._texts: list[tuple[str, str, bool, str, str]] = []

    def __call__(self, rows: PackedSteps) -> Iterator[str]:
        """Yield the lines of rows."""
        if rows.models is not self._models:
            self._models, self._texts = rows.models, list(map(_model_texts, rows.models))
        head = _csv_part(rows.machine, dict(rows.instance))
        for code, at, line in zip(rows.codes, rows.times, rows.lines, strict=True):
            life, zone, is_timed, placed, unplaced = self._texts[code]
            when = f"{rfc3339_text(at, zone)},{at}" if is_timed else ","
            where = f"{placed},{line}" if line else f"{unplaced},"
            yield f"{head},{life},{when},{where}\r\n"


def _model_texts(model: StepModel) -> tuple[str, str, bool, str, str]:
    """Return what stands before the time of a row, its zone, whether it has a time, and what stands
    before its line; and where it has none.
    """
    step = model.source, model.target, model.how
    return (
        _csv_part(model.process, model.life),
        model.zone,
        model.is_timed,
        _csv_part(*step, model.file),
        _csv_part(*step, None),
    )


def _csv_part(*values: object) -> str:
    """Return some cells of a line, without its end."""
    return _csv_line(map(_csv_cell, values)).removesuffix("\r\n")


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
