"""The text report: what somebody wants to know at three in the morning, in that order."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.reports import Report
from statemachines.report.text import again, found, now, unjudged
from statemachines.report.text.columns import Look, clipped, section
from statemachines.report.text.headline import headline
from statemachines.report.text.names import clock_of

REFUSED = ("refused", "raised", "ignored")


def to_text(report: Report, look: Look | None = None) -> Iterator[str]:
    """Write a report for a person.

    The first line answers. Then what is wrong now, the states of everything else (counted where they are many), what healed, what
    happened again and again, what was forbidden with the line and what was legal, what cannot be told, what the program refused or failed
    to do, and what was not judged. Each list is cut at `look.limit` rows and says how many it leaves out, so that a healthy system of any
    size fits one screen.

    Args:
        report: what a check found; its timeline is not read.
        look: width, colours and limit; None: 120 columns without colours.

    Returns:
        Lines without line feeds; none holds a control character.
    """
    look = look or Look()
    clock = clock_of(report, local=True)
    yield headline(report, look)
    if span := clock.span():
        yield look.paint(clipped(f"  {span}", look.width), "dim")
    ending = f"Now ({clock.moment(clock.end)}, the end of the log)" if clock.end else "Now"
    yield from section(
        ending, (*now.open_episodes(report, clock, look), *now.maybe_over(report, clock, look), *now.states_now(report, clock, look)), look
    )
    yield from section("Ended in order", now.over_and_done(report, clock, look), look)
    yield from section("Ended without having recovered", now.unrecovered(report, clock, look), look)
    yield from section("Healed", now.healed(report, clock, look), look)
    yield from section("Again and again", again.again(report, clock, look), look)
    yield from section("Forbidden", found.violated(report, clock, look), look)
    yield from section("Cannot be told", found.inconclusive(report, clock, look), look)
    yield from section("Refused by the program (it behaved)", found.behaved(report, REFUSED, look), look)
    yield from section("Tried and failed", found.behaved(report, ("failed",), look), look)
    yield from section("Unusual", found.behaved(report, ("unusual",), look), look)
    yield from section("Read by no line of the catalogue", unjudged.unread(report, look), look)
    yield from section("Not judged", unjudged.not_judged(report, look), look)
