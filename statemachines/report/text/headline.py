"""The first line: the verdict, how much was checked, and the most urgent fact."""

from __future__ import annotations

from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.verdict_summary import checked_amount, most_urgent_fact
from statemachines.report.text.text_columns import COLUMN_GAP, OutputStyle, unpainted

STYLES = {Verdict.HOLDS: "good", Verdict.INCONCLUSIVE: "doubt", Verdict.VIOLATED: "bad"}


def headline(report: Report, look: OutputStyle) -> str:
    """Return the first line of a report."""
    interrupted = "interrupted; so far: " if report.interrupted else ""
    verdict = look.paint(report.verdict.name, STYLES[report.verdict])
    line = f"{verdict}{COLUMN_GAP}{interrupted}{checked_amount(report)}"
    urgent = most_urgent_fact(report)
    return f"{line}{COLUMN_GAP}{look.paint(urgent, 'bad')}" if urgent else line


def plain_headline(report: Report) -> str:
    """Return the first line without colours, for logs and standard error."""
    return headline(report, OutputStyle(paint=unpainted))
