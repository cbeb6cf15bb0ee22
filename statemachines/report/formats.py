"""Every form a report can be written in, by the name that a person gives; each is imported when it
is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from statemachines.model.evidence.reports import Report

FORM_WRITERS = {
    "json": ("json_format", "to_json", True),
    "html": ("html.document", "to_html", True),
    "markdown": ("markdown_format", "to_markdown", False),
    "junit": ("junit_format", "to_junit", False),
    "sarif": ("sarif_format", "to_sarif", False),
    "csv": ("csv_format", "timeline_csv", True),
    "findings-csv": ("csv_format", "findings_csv", False),
    "baseline": ("baseline", "to_baseline", False),
}
"""Forms for programs, where their writers are, and whether they read the timeline, which need not
be made where none does; `text` is for people and takes a look besides (`text.document.to_text`).
"""
FORMS_WITHOUT_TIMELINE = {"text"} | {form for form, row in FORM_WRITERS.items() if not row[2]}


def report_in_form(report: Report, form: str, *, timeline: bool = True) -> Iterator[str]:
    """Write a report in a form for programs.

    Args:
        report: what a check found.
        form: one of `FORM_WRITERS`.
        timeline: False leaves the timeline out of the JSON report.

    Returns:
        Pieces of text.
    """
    module, name, _ = FORM_WRITERS[form]
    write: Callable[..., Iterator[str]] = getattr(
        import_module(f"statemachines.report.{module}"), name
    )
    return write(report, timeline=timeline) if form == "json" else write(report)
