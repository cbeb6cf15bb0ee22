"""What happened, over the same axis of time as what every instance did: a row a subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from statemachines.draw.timelines.timeline_rows import TimeFrame
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import EpisodeOutcome, Report
from statemachines.report.html.elements import Markup, escaped_text, expandable, table, tag
from statemachines.report.html.page_styles import PageStyles
from statemachines.report.sections.display_names import ReportClock
from statemachines.report.sections.incident_story import (
    IncidentStory,
    incident_story,
    is_ordinary,
)

MOST_ROWS = 200
"""Subjects that have a row; the lists above have all of them."""
_MOST_BARS = 50
"""Incidents of one subject that have a bar."""
_LOOKS = {EpisodeOutcome.OPEN: "bad", EpisodeOutcome.MAY_BE_OVER: "doubt"}


def place_class(first: int, last: int | None, frame: TimeFrame, styles: PageStyles) -> str:
    """Return the class of what stands at a moment, or from one to another.

    Args:
        first: epoch milliseconds.
        last: epoch milliseconds; None: it is a moment.
        frame: first and last moment of the axis.
        styles: takes the styles of the page, and gives their classes.

    Returns:
        The name of a class.
    """
    left = f"--l:{_percentage(first, frame)}"
    return styles.class_of(left if last is None else f"{left};--r:{_percentage(last, frame)}")


def _percentage(moment: int, frame: TimeFrame) -> str:
    """Return where a moment is, in hundredths of the whole."""
    part = 100 * (moment - frame.first) / (frame.last - frame.first)
    return f"{part:.3f}".rstrip("0").rstrip(".")


def incident_rows(
    report: Report, clock: ReportClock, frame: TimeFrame, styles: PageStyles
) -> Markup:
    """Show what happened to each subject as bars over time, with its lines on a click; nothing
    where nothing happened or the log has no times.

    Args:
        report: what a check found.
        clock: of the report, which writes its moments.
        frame: first and last moment of the axis.
        styles: takes the styles of the page, and gives their classes.

    Returns:
        Rows with a bar for each incident.
    """
    by_subject: dict[tuple[object, ...], list[Incident]] = defaultdict(list)
    for incident in report.incidents if frame.timed else ():
        if incident.since is not None and incident.since.ms is not None:
            by_subject[incident.kind, incident.machine, incident.subject, incident.process].append(
                incident
            )
    if not by_subject:
        return Markup()
    items = [_row_item(same, clock, frame, styles) for same in by_subject.values()]
    left_out = f"{len(items) - MOST_ROWS:,} more subjects stand above." if items[MOST_ROWS:] else ""
    head = tag("h3", "What happened ", tag("span", f"{len(items):,}", class_="note"))
    listed = tag("ol", *items[:MOST_ROWS])
    note = [tag("p", left_out, class_="note")] if left_out else []
    return tag("section", head, listed, *note, data_machine="")


def _row_item(
    incidents: Sequence[Incident], clock: ReportClock, frame: TimeFrame, styles: PageStyles
) -> Markup:
    first = incidents[0]
    stories = [incident_story(incident, clock) for incident in incidents[:_MOST_BARS]]
    bars = (
        _bar(incident, story, frame, styles)
        for incident, story in zip(incidents, stories, strict=False)
    )
    summary = tag(
        "span",
        tag("span", first.title, " ", tag("small", first.process), class_="name"),
        tag("span", *bars, class_="strip"),
        tag(
            "span",
            "under way" if first.is_open and not _look_class(first) else str(first.outcome),
            class_="last",
        ),
        class_="row",
    )
    rows = table(("when", "why", "then", "line"), map(_cells, stories))
    return tag("li", expandable(summary, rows), class_=_look_class(first))


def _bar(incident: Incident, story: IncidentStory, frame: TimeFrame, styles: PageStyles) -> Markup:
    begins = incident.since.ms if incident.since and incident.since.ms is not None else frame.first
    ends = incident.until.ms if incident.until and incident.until.ms is not None else begins
    last = frame.last if incident.is_open else ends
    begins, last = (min(max(at, frame.first), frame.last) for at in (begins, max(begins, last)))
    css_class = f"incident {_look_class(incident) or 'over'}"
    where = place_class(begins, last, frame, styles)
    title = escaped_text(f"{story.title} {story.when}")
    return Markup(f'<i class="{css_class} {where}" title="{title}"></i>')


def _look_class(incident: Incident) -> str | None:
    """Return the class of what is trouble, or may be; what goes on in order is none so far."""
    is_usual = incident.is_open and not incident.is_long
    return None if is_usual or is_ordinary(incident) else _LOOKS.get(incident.outcome)


def _cells(story: IncidentStory) -> Iterator[str]:
    yield from (story.when, story.why, "; ".join(story.effects), story.where)
