"""The text report: what somebody wants to know at three in the morning, in that order."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.evidence.reports import Report
from statemachines.report.sections.display_names import report_clock
from statemachines.report.sections.plain_texts import cut_end
from statemachines.report.text import current_state, findings, repetitions, unjudged
from statemachines.report.text.headline import headline
from statemachines.report.text.text_columns import OutputStyle, titled_section

REFUSAL_KINDS = ("refused", "raised", "ignored")


def to_text(report: Report, look: OutputStyle | None = None) -> Iterator[str]:
    """Write a report for a person.

    The first line answers. Then what is wrong now, the states of everything else (counted where
    they are many), what healed, what happened again and again, what was forbidden with the line and
    what was legal, what cannot be told, what the program refused or failed to do, and what was not
    judged. Each list is cut at `look.limit` rows and says how many it leaves out, so that a healthy
    system of any size fits one screen.

    Args:
        report: what a check found; its timeline is not read.
        look: width, colours and limit; None: 120 columns without colours.

    Returns:
        Lines without line feeds; none holds a control character.
    """
    look = look or OutputStyle()
    clock = report_clock(report, local=True)
    yield headline(report, look)
    if span := clock.span():
        yield look.paint(cut_end(f"  {span}", look.width), "dim")
    ending = f"Now ({clock.moment(clock.end)}, the end of the log)" if clock.end else "Now"
    yield from titled_section(
        ending,
        (
            *current_state.open_episode_lines(report, clock, look),
            *current_state.maybe_over_lines(report, clock, look),
            *current_state.state_lines(report, clock, look),
        ),
        look,
    )
    yield from titled_section(
        "Ended in order", current_state.ended_lines(report, clock, look), look
    )
    yield from titled_section(
        "Ended without having recovered", current_state.unrecovered_lines(report, clock, look), look
    )
    yield from titled_section("Healed", current_state.healed_lines(report, clock, look), look)
    yield from titled_section(
        "Again and again", repetitions.repeated_lines(report, clock, look), look
    )
    yield from titled_section("Forbidden", findings.violated_lines(report, clock, look), look)
    yield from titled_section(
        "Cannot be told", findings.inconclusive_lines(report, clock, look), look
    )
    yield from titled_section(
        "Refused by the program (it behaved)",
        findings.behaved_lines(report, REFUSAL_KINDS, look),
        look,
    )
    yield from titled_section(
        "Tried and failed", findings.behaved_lines(report, ("failed",), look), look
    )
    yield from titled_section("Unusual", findings.behaved_lines(report, ("unusual",), look), look)
    yield from titled_section(
        "Read by no line of the catalogue", unjudged.unread_lines(report, look), look
    )
    yield from titled_section("Not judged", unjudged.unjudged_lines(report, look), look)
