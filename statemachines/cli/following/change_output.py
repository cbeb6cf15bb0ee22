"""Where changes and summaries of followed logs are written."""

from __future__ import annotations

import json
import sys

from statemachines.cli.arguments.check_request import JSON_LINES, CheckRequest
from statemachines.cli.console import terminal
from statemachines.model.evidence.changes import LogChange
from statemachines.model.evidence.reports import Report
from statemachines.report import report_rows
from statemachines.report.change_lines import change_json, change_line
from statemachines.report.text.document import to_text


def write_change(change: LogChange, request: CheckRequest) -> None:
    """Write a change: to standard output, or to stderr where the report will stand there in another
    form.
    """
    if request.form == JSON_LINES:
        _write(change_json(change))
    elif request.form == "text":
        style = terminal.output_style(stream=sys.stdout, whole=True)
        _write(change_line(change, request.zone, style))
    else:
        terminal.print_message(change_line(change, request.zone))


def write_summary(report: Report, request: CheckRequest) -> None:
    """Write what is known by now, because somebody asked."""
    if request.form == JSON_LINES:
        _write(summary_json(report))
    elif request.form == "text":
        for line in to_text(report, terminal.report_style(sys.stdout)):
            _write(line)
    else:
        for line in to_text(report):
            terminal.print_message(line)


def summary_json(report: Report) -> str:
    """Write how a report begins as one JSON object on one line."""
    return json.dumps(
        {
            "change": "summary",
            "verdict": report.verdict.name,
            "checked": report_rows.checked(report.checked),
            "open": sum(incident.is_ill for incident in report.incidents),
        }
    )


def _write(line: str) -> None:
    """Write a line at once: whoever reads it waits for it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
