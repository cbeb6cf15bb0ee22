"""Every form a report can be written in, by the name that a person gives; each is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from statemachines.model.reports import Report

HOMES = {
    "json": ("as_json", "to_json"),
    "html": ("as_html", "to_html"),
    "junit": ("as_junit", "to_junit"),
    "sarif": ("as_sarif", "to_sarif"),
    "csv": ("as_csv", "timeline_csv"),
    "findings-csv": ("as_csv", "findings_csv"),
    "baseline": ("baseline", "to_baseline"),
}
"""Forms for programs, and where their writers are; `text` is for people and takes a look besides (`as_text.to_text`)."""
WITHOUT_TIMELINE = {"text", "junit", "sarif", "findings-csv", "baseline"}
"""Forms that do not read the timeline, so that it need not be made."""


def written(report: Report, form: str, *, timeline: bool = True) -> Iterator[str]:
    """Write a report in a form for programs.

    Args:
        report: what a check found.
        form: one of `HOMES`.
        timeline: False leaves the timeline out of the JSON report.

    Returns:
        Pieces of text.
    """
    module, name = HOMES[form]
    write: Callable[..., Iterator[str]] = getattr(import_module(f"statemachines.report.{module}"), name)
    return write(report, timeline=timeline) if form == "json" else write(report)
