"""The first two lines: how the system is, and the verdict about the rules."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from statemachines.model.evidence.incidents import Health
from statemachines.model.evidence.reports import OVER, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.display_names import ReportClock, report_clock
from statemachines.report.sections.plain_texts import printable_text
from statemachines.report.sections.verdict_summary import (
    checked_amount,
    health_text,
    health_word,
    most_urgent_finding,
)
from statemachines.report.text.text_columns import COLUMN_GAP, OutputStyle, unpainted

_HEALTH_STYLES = {
    Health.ILL.name: "bad",
    Health.UNKNOWN.name: "doubt",
    OVER.upper(): "doubt",
    Health.HEALED.name: "good",
    Health.WELL.name: "good",
}
_NARROWEST_TEXT = 40
STYLES = {Verdict.HOLDS: "good", Verdict.INCONCLUSIVE: "doubt", Verdict.VIOLATED: "bad"}


def health_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Say first, and whole, how the system is, and what is worst.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        A line; where it is wider than the screen, what does not fit below it.
    """
    word = health_word(report)
    margin = " " * (len(word) + len(COLUMN_GAP))
    room = max(style.width - len(margin), _NARROWEST_TEXT) if style.wraps else None
    text = printable_text(health_text(report, clock))
    first, *rest = (
        wrap(text, room, break_on_hyphens=False, break_long_words=False) if room else [text]
    )
    yield style.paint(word, _HEALTH_STYLES[word]) + COLUMN_GAP + first
    yield from (margin + line for line in rest)


def headline(report: Report, style: OutputStyle) -> str:
    """Return the second line of a report: the verdict about the rules, and how much was checked.

    Args:
        report: what a check found.
        style: columns, colours, and what is shortened.

    Returns:
        One line.
    """
    interrupted = "interrupted; so far: " if report.interrupted else ""
    verdict = style.paint(report.verdict.name, STYLES[report.verdict])
    line = f"{verdict}{COLUMN_GAP}{interrupted}{checked_amount(report)}"
    urgent = most_urgent_finding(report)
    return f"{line}{COLUMN_GAP}{style.paint(urgent, 'bad')}" if urgent else line


def plain_headline(report: Report) -> str:
    """Return the verdict and the health without colours, for logs and standard error.

    Args:
        report: what a check found.

    Returns:
        One line.
    """
    style = OutputStyle(paint=unpainted)
    clock = report_clock(report, local=True)
    health = f"{health_word(report)}{COLUMN_GAP}{printable_text(health_text(report, clock))}"
    return f"{headline(report, style)}{COLUMN_GAP}{health}"
