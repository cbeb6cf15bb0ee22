"""The text report: what somebody wants to know at three in the morning, in that order."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.evidence.reports import EpisodeOutcome, Report
from statemachines.report.sections.display_names import ReportClock, report_clock
from statemachines.report.sections.incident_story import ORDINARY, ORDINARY_NOW
from statemachines.report.sections.log_notes import log_notes
from statemachines.report.sections.plain_texts import cut_end, printable_line, printable_text
from statemachines.report.text import (
    current_state,
    findings,
    incident_lines,
    repetitions,
    unjudged,
)
from statemachines.report.text.headline import headline, health_lines
from statemachines.report.text.screen_fit import (
    AGAIN,
    STATES,
    UNDER_WAY,
    UNJUDGED,
    fitted_sections,
)
from statemachines.report.text.text_columns import OutputStyle, titled_section, unpainted

REFUSAL_KINDS = ("refused", "raised", "ignored")
HEALED, ENDED = EpisodeOutcome.HEALED, EpisodeOutcome.ENDED


def to_text(report: Report, style: OutputStyle | None = None) -> Iterator[str]:
    """Write a report for a person.

    The first line says how the system is, the second the verdict about the rules. Then what is
    wrong now with its cause and what followed, what ended without having recovered, what healed,
    what was forbidden with the line and what was legal, what cannot be told, what happened again
    and again, what the program refused or failed to do, the states of everything else (counted
    where they are many), and what was not judged. Each list is cut at `style.limit` rows and says
    how many it leaves out, so that a healthy system of any size fits one screen; where something
    was wrong, what stands below the answer has a line for each section once the screen is full.

    Args:
        report: what a check found; its timeline is not read.
        style: width, colours and limit; None: 120 columns without colours.

    Returns:
        Lines without line feeds; none holds a control character, but for the colours of `style`.
    """
    style = style or OutputStyle()
    shown = printable_text if style.paint is unpainted else printable_line
    return map(shown, _report_lines(report, style))


def _report_lines(report: Report, style: OutputStyle) -> Iterator[str]:
    clock = report_clock(report, local=True)
    answer = list(_answer_lines(report, clock, style))
    yield from answer
    for title, lines in fitted_sections(
        report, list(_other_sections(report, clock, style)), len(answer), style
    ):
        yield from titled_section(title, lines, style)


def _answer_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Say how the system is, what is and what was wrong, and which rules were broken."""
    yield from health_lines(report, clock, style)
    yield headline(report, style)
    if span := clock.span():
        yield style.paint(cut_end(f"  {span}", style.width), "dim")
    for note in log_notes(report):
        yield cut_end(f"  {note}", style.width)
    is_cut = report.window is not None and report.window.log_end != clock.end
    whose = "what is reported" if is_cut else "the log"
    ordinary_lines = incident_lines.ordinary_incident_lines
    ending = f"Now ({clock.moment(clock.end)}, the end of {whose})" if clock.end else "Now"
    for title, lines in (
        (ending, incident_lines.open_incident_lines(report, clock, style)),
        (
            "Ended without having recovered",
            incident_lines.past_incident_lines(report, ENDED, clock, style),
        ),
        ("Healed", incident_lines.past_incident_lines(report, HEALED, clock, style)),
        (ORDINARY_NOW, ordinary_lines(report, clock, style, is_open=True)),
        (ORDINARY, ordinary_lines(report, clock, style, is_open=False)),
        ("Ended in order", current_state.ended_lines(report, clock, style)),
        ("Forbidden", findings.violated_lines(report, clock, style)),
        ("Cannot be told", findings.inconclusive_lines(report, clock, style)),
    ):
        yield from titled_section(title, lines, style)


def _other_sections(
    report: Report, clock: ReportClock, style: OutputStyle
) -> Iterator[tuple[str, list[str]]]:
    """Yield what is no part of the answer."""
    for title, lines in (
        (UNDER_WAY, incident_lines.usual_incident_lines(report, clock, style)),
        (
            "Refused by the program (it behaved)",
            findings.behaved_lines(report, REFUSAL_KINDS, clock, style),
        ),
        ("Tried and failed", findings.behaved_lines(report, ("failed",), clock, style)),
        ("Unusual", findings.behaved_lines(report, ("unusual",), clock, style)),
        (AGAIN, repetitions.repeated_lines(report, clock, style)),
        (STATES, current_state.state_lines(report, clock, style)),
        ("Read by no line of the catalogue", unjudged.unread_lines(report, style)),
        (UNJUDGED, unjudged.unjudged_lines(report, style)),
    ):
        yield title, list(lines)
