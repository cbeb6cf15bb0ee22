"""Incidents as lines: what is wrong now, what healed, what ended without having recovered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from statemachines.model.counts import count_text
from statemachines.model.evidence.alike_states import alike_states
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import CurrentState, EpisodeOutcome, Report
from statemachines.report.sections.display_names import ReportClock
from statemachines.report.sections.incident_story import (
    IncidentStory,
    ToldIncident,
    alike_incidents,
    counted_incidents,
    incident_story,
    open_incidents,
    ordinary_incidents,
    others_text,
    past_incidents,
    told_incidents,
    usual_incidents,
)
from statemachines.report.sections.other_processes import states_in_other_processes
from statemachines.report.sections.related_states import related_states
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.text.current_state import related_lines, state_cells
from statemachines.report.text.text_columns import (
    Cell,
    CellShortening,
    OutputStyle,
    aligned_blocks,
    aligned_rows,
)
from statemachines.report.text.wrapped_lines import (
    MARGIN,
    QUOTE_LINES,
    hanging_lines,
    quoted_lines,
)

_IncidentGroup = tuple[Incident, tuple[Incident, ...]]
"""An incident, and others that are told together with it."""
_MOST_REASON_LINES = 4
"""On so many lines stands an exception: what it says of a record often ends with its key."""
_FEW_INCIDENTS, _MANY_INCIDENTS = 2, 7
"""So few have room for such a reason, and for two lines of what else was logged; of so many, what
is over has one line for its reason: the others must be on the first screen too.
"""
_FEW_EFFECTS = 3
"""So many kinds of effects are shown; of more, how many there are."""
_ALSO_LOGGED = "also logged  "
_ALSO_UNUSUAL = "also unusual, before  "
MOST_LOUD_NOW, MOST_LOUD_PAST = 2, 1
"""Such lines that are shown beside what goes on, and beside what is over."""
STYLES = {EpisodeOutcome.OPEN: "bad", EpisodeOutcome.MAY_BE_OVER: "doubt"}


def open_incident_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show what is wrong now, in order of harm, each with its cause and what followed.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    groups = alike_incidents(open_incidents(report))
    shown = [first for first, _ in groups[: style.limit]]
    others, far = related_states(report, shown), states_in_other_processes(report, shown)
    names = SubjectNames(report)
    states = (now for _, now, _ in alike_states(report.now))
    programs = {(now.machine, now.subject, now.process) for now in states if now.program}
    rows = [(first, (), alike) for first, alike in groups[: style.limit]]
    lines = _title_lines(rows, clock, style)
    for incident, (title, story, likewise) in zip(shown, lines, strict=True):
        yield from title
        yield from _why_lines(report, incident, story, style)
        yield from _loud_lines(report, story, style, MOST_LOUD_NOW, len(story.also_unusual))
        yield from _story_lines(story, likewise, style)
        whose = incident.machine, incident.subject, incident.process
        for machine, nows in others.get(whose, {}).items() if whose in programs else ():
            yield from related_lines(machine, nows, names, clock, style)
        yield from _elsewhere_lines(far.get(id(incident), ()), names, clock, style)
    yield from _rest_lines(groups[style.limit :], "✗", style)
    yield from _next_line(shown, style)


def usual_incident_lines(report: Report, clock: ReportClock, style: OutputStyle) -> Iterator[str]:
    """Show what goes on and has not lasted too long yet: no trouble so far.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    groups = alike_incidents(usual_incidents(report))
    for first, others in groups[: style.limit]:
        story = incident_story(first, clock)
        more = f", {others_text(first, others)}" if others else ""
        yield from hanging_lines(f"{story.title} {story.when}{more}", "  · ", style)
    yield from _rest_lines(groups[style.limit :], "·", style)


def past_incident_lines(
    report: Report, outcome: EpisodeOutcome, clock: ReportClock, style: OutputStyle
) -> Iterator[str]:
    """Show what is over, in order of harm: when it was, and why.

    Args:
        report: what a check found.
        outcome: in which they ended.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield from _past_lines(report, past_incidents(report, outcome), clock, style)


def ordinary_incident_lines(
    report: Report, clock: ReportClock, style: OutputStyle, *, is_open: bool
) -> Iterator[str]:
    """Show what is in order: what somebody asked for, and what took its time.

    Args:
        report: what a check found.
        is_open: what goes on, or else what is over.
        clock: of the report, which writes its moments.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield from _past_lines(report, ordinary_incidents(report, is_open=is_open), clock, style)


def _past_lines(
    report: Report, incidents: Sequence[Incident], clock: ReportClock, style: OutputStyle
) -> Iterator[str]:
    singly: list[ToldIncident] = [(incident, (), ()) for incident in incidents]
    groups = singly if style.shows_all else told_incidents(incidents)
    named = {incident.next for incident in open_incidents(report)}
    shown = [first for first, *_ in groups[: style.limit]]
    rows = _title_lines(groups[: style.limit], clock, style)
    for first, (title, story, likewise) in zip(shown, rows, strict=True):
        yield from title
        yield from _why_lines(report, first, story, style)
        yield from _loud_lines(report, story, style, MOST_LOUD_PAST, MOST_LOUD_PAST)
        yield from _story_lines(story, likewise, style)
    if groups:
        rest = [(first, (*again, *others)) for first, again, others in groups[style.limit :]]
        yield from _rest_lines(rest, incident_story(groups[0][0], clock).sign, style)
    yield from _next_line([first for first in shown if first.next not in named], style)


def _title_lines(
    groups: Sequence[ToldIncident], clock: ReportClock, style: OutputStyle
) -> Iterator[tuple[list[str], IncidentStory, str]]:
    """Yield the first lines of each group, its story, and what else the same befell."""
    stories = [incident_story(first, clock, again) for first, again, _ in groups]
    rows = [
        [
            Cell(
                f"{story.sign} {story.title}",
                STYLES.get(first.outcome, "plain"),
                CellShortening.OWN_LINES,
            ),
            Cell(story.when),
        ]
        for (first, *_), story in zip(groups, stories, strict=True)
    ]
    likewise = [others_text(first, others) for first, _, others in groups]
    return zip(aligned_blocks(rows, style), stories, likewise, strict=True)


def _why_lines(
    report: Report, incident: Incident, story: IncidentStory, style: OutputStyle
) -> Iterator[str]:
    """Show why something is, or was: the words of an exception, or a line of the log."""
    is_exception = incident.cause is not None and incident.cause.words
    most = _MOST_REASON_LINES if is_exception and _is_roomy(report) else QUOTE_LINES
    if len(report.incidents) >= _MANY_INCIDENTS and not incident.is_open:
        most = 1
    yield from quoted_lines(story.why, story.where, style, most)
    if story.thrown_at:
        yield from hanging_lines(f"thrown at {story.thrown_at}", MARGIN, style)


def _loud_lines(
    report: Report, story: IncidentStory, style: OutputStyle, logged: int, unusual: int
) -> Iterator[str]:
    """Show what the program itself called trouble then and what it hardly ever says and said
    shortly before, both of which no machine knows.
    """
    lines = QUOTE_LINES if _is_roomy(report) else 1
    for heading, quotes, most in (
        (_ALSO_LOGGED, story.also_logged, logged),
        (_ALSO_UNUSUAL, story.also_unusual, unusual),
    ):
        for text, where in quotes if style.shows_all else quotes[:most]:
            yield from quoted_lines(f"{heading}{text}", where, style, lines)


def _is_roomy(report: Report) -> bool:
    return len(report.incidents) <= _FEW_INCIDENTS


def _story_lines(story: IncidentStory, likewise: str, style: OutputStyle) -> Iterator[str]:
    """Show what else it befell, and what followed."""
    if likewise:
        yield from hanging_lines(likewise, MARGIN, style)
    effects = story.effects if style.limit > OutputStyle().limit else story.effects[:_FEW_EFFECTS]
    for effect in effects:
        yield from hanging_lines(effect, f"{MARGIN}→ ", style)
    if more := len(story.effects) - len(effects):
        yield f"{MARGIN}→ and {count_text(more, 'more kind')} of effects"


def _elsewhere_lines(
    nows: Sequence[CurrentState], names: SubjectNames, clock: ReportClock, style: OutputStyle
) -> Iterator[str]:
    rows = [state_cells(now, names, clock) for now in nows]
    return aligned_rows(rows, style, margin=f"{MARGIN}elsewhere ")


def _rest_lines(groups: Sequence[_IncidentGroup], sign: str, style: OutputStyle) -> Iterator[str]:
    rest = [other for first, others in groups for other in (first, *others)]
    if rest:
        text = f"… and {len(rest):,} more (--all lists them): {counted_incidents(rest)}"
        yield from hanging_lines(text, f"  {sign} ", style)


def _next_line(shown: Sequence[Incident], style: OutputStyle) -> Iterator[str]:
    """Name the pages of what is wrong: what people usually find, and what to look at next."""
    commands = list(dict.fromkeys(incident.next for incident in shown if incident.next))
    if commands:
        text = f"what to look at next: {' · '.join(commands)}"
        marked = text.replace(" explain ", "\0explain\0")
        lines = wrap(marked, style.width - 4, break_on_hyphens=False)
        yield from ("  " + style.paint(line.replace("\0", " "), "dim") for line in lines)
