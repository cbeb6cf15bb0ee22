"""What is wrong now, with its cause and what followed; what healed, what ended without having
recovered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from statemachines.model.counts import count_text
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import CurrentState, EpisodeOutcome, Report
from statemachines.report.html.elements import Markup, expandable, section, table, tag
from statemachines.report.html.log_excerpts import quoted_lines
from statemachines.report.html.page_context import MOST_SHOWN_IN_FULL, PageContext
from statemachines.report.sections.display_names import ReportClock
from statemachines.report.sections.incident_story import (
    ORDINARY,
    ORDINARY_NOW,
    IncidentStory,
    counted_incidents,
    incident_story,
    open_incidents,
    ordinary_incidents,
    past_incidents,
    told_incidents,
    usual_incidents,
)
from statemachines.report.sections.plain_texts import cut_line, without_origin
from statemachines.report.sections.related_states import related_states
from statemachines.report.sections.subject_names import SubjectNames

SHOWN_AT_ONCE = 25
"""Incidents that are shown at once; the rest opens on a click."""
_MOST_GLANCE_NAMES = 200
"""Names that are shown above everything else."""
_LONGEST_WHY = 200
"""Letters of a reason that is read before any click."""
MOST_ROWS = 2_000
"""Rows of a table."""
_FEW_OF_A_KIND = 5
"""So many that are over have a line each: who and when is read before any click."""


def wrong_now_section(report: Report, clock: ReportClock, around: PageContext) -> Markup:
    """Show what is wrong at the end of the log, in order of harm; where nothing is, say what was
    looked for.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        around: the machines and the lines of logs that a page shows beside the report.

    Returns:
        A section of the page.
    """
    wrong = open_incidents(report)
    if not wrong:
        return section("Wrong now", "now", _nothing_wrong_note(report, around))
    others, names = related_states(report, wrong), SubjectNames(report)
    shown = [
        _incident_article(
            place,
            incident,
            others.get((incident.machine, incident.subject, incident.process), {}),
            clock,
            around,
            names,
        )
        for place, incident in enumerate(wrong[:MOST_SHOWN_IN_FULL])
    ]
    links = [tag("p", *_incident_links(wrong), class_="names")] if len(wrong) > 1 else []
    rest = (
        [expandable(f"{len(shown) - SHOWN_AT_ONCE:,} more", *shown[SHOWN_AT_ONCE:])]
        if len(shown) > SHOWN_AT_ONCE
        else []
    )
    is_sure = any(incident.is_open for incident in wrong)
    title = "Wrong now" if is_sure else "Perhaps wrong now"
    return section(title, "now", [*links, *shown[:SHOWN_AT_ONCE], *rest])


def _nothing_wrong_note(report: Report, around: PageContext) -> Iterator[Markup]:
    """Say of how many subjects nothing is wrong."""
    watched = {machine.name for machine in around.machines if machine.log and machine.log.episodes}
    if checked := sum(now.machine in watched for now in report.now):
        note = tag("span", f"{count_text(checked, 'subject')} looked at.", class_="note")
        yield tag("p", "No trouble goes on at the end of the log: ", note)


def _incident_links(wrong: Sequence[Incident]) -> Iterator[Markup]:
    """Yield every title at a glance, each a link to what is known of it."""
    for place, incident in enumerate(wrong[:_MOST_GLANCE_NAMES]):
        yield (
            tag("a", incident.title, href=f"#wrong-{place}")
            if place < SHOWN_AT_ONCE
            else tag("span", incident.title)
        )
        yield Markup(" ")
    if len(wrong) > _MOST_GLANCE_NAMES:
        yield tag("span", f"and {len(wrong) - _MOST_GLANCE_NAMES:,} more")


def _incident_article(
    place: int,
    incident: Incident,
    others: dict[str, list[CurrentState]],
    clock: ReportClock,
    around: PageContext,
    names: SubjectNames,
) -> Markup:
    story = incident_story(incident, clock)
    parts = [tag("h3", story.title), tag("p", story.when)]
    if incident.cause is not None:
        parts += [tag("p", incident.cause.words)] if incident.cause.words else []
        parts += [tag("p", "thrown at ", tag("code", story.thrown_at))] if story.thrown_at else []
        parts += quoted_lines(incident.cause.quote.place, incident.cause.quote.text, around)
    parts += _loud_lines(incident, around)
    if story.effects:
        parts.append(tag("ul", *(tag("li", text) for text in story.effects)))
    parts += [
        tag("p", f"{names.name_of_many(nows[0], len(nows))}: {_state_counts(nows)}")
        for nows in others.values()
    ]
    if story.next:
        parts.append(tag("p", "what to look at next: ", tag("code", story.next), class_="note"))
    css_class = "bad" if incident.is_open else "doubt"
    return tag("article", *parts, class_=css_class, id=f"wrong-{place}")


def _loud_lines(incident: Incident, around: PageContext) -> Iterator[Markup]:
    """Quote what the program itself called trouble then, and what it hardly ever says."""
    for heading, lines in (
        ("also logged", incident.also_logged),
        ("also unusual, shortly before", incident.also_unusual),
    ):
        if lines:
            yield tag("p", heading, class_="note")
        for line in lines:
            yield from quoted_lines(line.place, line.text, around)


def _state_counts(nows: Sequence[CurrentState]) -> str:
    states = Counter(" or ".join(now.state) for now in nows)
    return ", ".join(f"{number:,} {state}" for state, number in states.most_common())


def healed_section(report: Report, clock: ReportClock) -> Markup:
    """Show what was wrong and is over, by kind; each one behind a click where they are many.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A section of the page, or nothing.
    """
    return section("Healed", "healed", _past_tables(report, EpisodeOutcome.HEALED, clock))


def unrecovered_section(report: Report, clock: ReportClock) -> Markup:
    """Show what was wrong and ended without having recovered, by kind.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A section of the page, or nothing.
    """
    parts = _past_tables(report, EpisodeOutcome.ENDED, clock)
    return section("Ended without having recovered", "unrecovered", parts)


def ordinary_sections(report: Report, clock: ReportClock) -> Iterator[tuple[str, Markup]]:
    """Show what goes on, and what went on, in order, by kind.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Yields:
        The identities of sections of the page, and each section, or nothing.
    """
    for title, part in ((ORDINARY_NOW, "ordinary-now"), (ORDINARY, "ordinary")):
        ordinary = ordinary_incidents(report, is_open=title is ORDINARY_NOW)
        yield part, section(title, part, _tables_by_kind(ordinary, clock))


def usual_section(report: Report, clock: ReportClock) -> Markup:
    """Show what goes on and has not lasted too long yet, by kind.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.

    Returns:
        A section of the page, or nothing.
    """
    title = "Under way, not too long yet"
    return section(title, "usual", _tables_by_kind(usual_incidents(report), clock))


def _past_tables(report: Report, outcome: EpisodeOutcome, clock: ReportClock) -> Iterator[Markup]:
    return _tables_by_kind(past_incidents(report, outcome), clock)


def _tables_by_kind(incidents: Sequence[Incident], clock: ReportClock) -> Iterator[Markup]:
    by_kind: dict[str, list[Incident]] = defaultdict(list)
    for incident in incidents:
        by_kind[incident.kind].append(incident)
    for same in by_kind.values():
        subjects = [(first, *again, *others) for first, again, others in told_incidents(same)]
        rows = subjects if len(subjects) <= _FEW_OF_A_KIND else [same]
        yield from (_past_table(row, clock) for row in rows)


_NAMES = "what", "when", "why", "then", "also logged", "line"
"""What is told of an incident that is over."""


def _facts(story: IncidentStory) -> tuple[tuple[str, ...], ...]:
    """Return what is told of an incident that is over, by `_NAMES`."""
    loud = (f"{text} ({where})" for text, where in story.also_logged + story.also_unusual)
    thrown = (f"thrown at {story.thrown_at}",) if story.thrown_at else ()
    why = (story.why, *thrown)
    return (story.title,), (story.when,), why, story.effects, (*loud,), (story.where,)


def _past_table(incidents: Sequence[Incident], clock: ReportClock) -> Markup:
    stories = [incident_story(incident, clock) for incident in incidents[:MOST_ROWS]]
    if len(stories) == 1:
        listed = _fact_list(stories[0])
    else:
        listed = table(_NAMES, (["; ".join(texts) for texts in _facts(story)] for story in stories))
    first = incidents[0]
    left_out = (
        [tag("p", f"{len(incidents) - MOST_ROWS:,} more are in the JSON report.", class_="note")]
        if len(incidents) > MOST_ROWS
        else []
    )
    is_one = len({(row.subject, row.title) for row in incidents}) == 1
    story = incident_story(first, clock, incidents[1:] if is_one else ())
    what = f"{story.title} {story.when}"
    if not is_one:
        what = f"{counted_incidents(incidents)}, the first {story.when}"
    return expandable(_answer(what, story), listed, *left_out)


def _fact_list(story: IncidentStory) -> Markup:
    """Return what the line above it has not told, or not whole."""
    filled = [
        (name, texts) for name, texts in zip(_NAMES, _facts(story), strict=True) if any(texts)
    ]
    pairs = (
        Markup("".join((tag("dt", name), *(tag("dd", text) for text in texts))))
        for name, texts in filled
        if name not in ("what", "when")
    )
    return tag("dl", *pairs)


def _answer(what: str, story: IncidentStory) -> Markup:
    """Return what is read before any click: what, when, why, and what followed first."""
    why = without_origin(cut_line(story.why, _LONGEST_WHY))
    notes = [f": {why}" if why else "", f" → {story.effects[0]}" if story.effects else ""]
    return tag("span", what, *(tag("span", note, class_="note") for note in notes if note))
