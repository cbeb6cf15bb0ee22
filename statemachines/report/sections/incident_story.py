"""What is said of an incident, once for all forms: what, since when, over or not, why, and what
followed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from attrs import evolve

from statemachines.model.definitions.incident_definitions import Harm
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.incidents import (
    Incident,
    IncidentCause,
    IncidentEffect,
    IncidentEvidence,
)
from statemachines.model.evidence.reports import EpisodeOutcome, Instant, Quote, Report
from statemachines.model.values import frozen
from statemachines.report.sections.display_names import ReportClock, place_name, subject_name
from statemachines.report.sections.plain_texts import printable_text

_LINE_TIME = re.compile(
    r"^\W{0,2}(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"(?: ?Z| ?[+-]\d\d:?\d\d)?(?:\s*[\])}>|,;:-]){0,2}\s*"
)
"""The time that a quoted line begins with, which stands beside it already."""
SIGNS = {EpisodeOutcome.OPEN: "✗", EpisodeOutcome.MAY_BE_OVER: "?", EpisodeOutcome.ENDED: "○"}
MOST_NAMED = 5
_TOGETHER_MS = 2_000
"""What began and ended within so short a time is told together."""
_FEW_ALIKE = 2
"""So many that are alike have a line each: people look for the name and the time of each."""
ORDINARY_NOW, ORDINARY = "Goes on, and is no trouble", "Over, and was no trouble"
"""The titles of what goes on, and of what went on, in order."""
_NO_LINE_TELLS = "may be over (no line would tell)"


ToldIncident = tuple[Incident, tuple[Incident, ...], tuple[Incident, ...]]
"""The first incident of a row, the later ones of its subject, and others that are alike."""


@frozen
class IncidentStory:
    """An incident in words."""

    sign: str
    title: str
    when: str
    why: str
    """The deepest cause that a line names, or the line itself without its time."""
    where: str
    """`file:line` of the line to look at."""
    thrown_at: str
    """The line of the user's own program that threw it; empty: none is told."""
    effects: tuple[str, ...]
    also_logged: tuple[tuple[str, str], ...]
    """Lines without their time, and `file:line`: what the program itself called trouble then."""
    also_unusual: tuple[tuple[str, str], ...]
    """Likewise: what the program hardly ever says, shortly before."""
    next: str


def incident_story(
    incident: Incident, clock: ReportClock, again: Sequence[Incident] = ()
) -> IncidentStory:
    """Put an incident into words.

    Args:
        incident: of the report.
        clock: of the report, which writes its moments.
        again: the later ones of the same kind and subject that are told with it.

    Returns:
        Title, times, reason, effects and place as texts.
    """
    cause = incident.cause
    inferred = incident.evidence is IncidentEvidence.INFERRED
    return IncidentStory(
        "·" if incident.is_open and is_ordinary(incident) else SIGNS.get(incident.outcome, "✓"),
        incident.title,
        (_again_text((incident, *again), clock) if again else _when_text(incident, clock))
        + (" (inferred)" if inferred else ""),
        _why_text(cause) if cause else "",
        place_name(cause.quote.place) if cause else "",
        printable_text(cause.thrown_at) if cause else "",
        (
            *([_replaced_text(incident)] if incident.replaced_by and not again else []),
            *(_effect_text(effect, clock) for effect in _joined_effects((incident, *again))),
        ),
        tuple(map(_text_and_place, incident.also_logged)),
        tuple(map(_text_and_place, incident.also_unusual)),
        incident.next,
    )


def _when_text(incident: Incident, clock: ReportClock) -> str:
    if incident.evidence is IncidentEvidence.INFERRED and incident.count > 1 and incident.until:
        return f"at {clock.moment(incident.since)}"  # several signs of one thing
    times = f"{incident.count:,} times " if incident.count > 1 else ""
    if incident.outcome is EpisodeOutcome.OPEN:
        lasting = clock.lasting(incident.since)
        return f"{times}{clock.since(incident.since)}{f', {lasting}' if lasting else ''}"
    if incident.outcome is EpisodeOutcome.MAY_BE_OVER:
        return f"{times}at {clock.moment(incident.since)}, {_NO_LINE_TELLS}"
    if incident.harm is Harm.DELAY and incident.count > 1:
        return f"{times}from {clock.moment(incident.since)} to {clock.moment(incident.until)}"
    return times + _past_text(incident.since, incident.until, clock)


def _again_text(times: Sequence[Incident], clock: ReportClock) -> str:
    """Say how often something was that comes again and again, and when, first and last."""
    count = sum(incident.count for incident in times)
    first, last = clock.moment(times[0].since), clock.moment(times[-1].since)
    longest = max(map(_lasted_ms, times))
    how_long = f", for up to {format_duration(longest)}" if longest else ""
    return f"{count:,} times from {first} to {last}{how_long}"


def _lasted_ms(incident: Incident) -> int:
    """Return how long it lasted; 0 where that is not known."""
    since, until = incident.since, incident.until
    if since is None or until is None or since.ms is None or until.ms is None:
        return 0
    return max(until.ms - since.ms, 0)


def _joined_effects(times: Sequence[Incident]) -> Iterator[IncidentEffect]:
    """Yield the first effect of each kind, with how many there were in all."""
    by_kind: dict[tuple[str, str], list[IncidentEffect]] = defaultdict(list)
    for effect in (effect for incident in times for effect in incident.effects):
        by_kind[effect.kind, effect.machine].append(effect)
    for same in by_kind.values():
        yield evolve(same[0], count=sum(effect.count for effect in same))


def _past_text(since: Instant | None, until: Instant | None, clock: ReportClock) -> str:
    """Say when something was that is over."""
    if since is None and until is None:
        return "at an unknown time"
    if since is None or until is None or since == until:
        return f"at {clock.moment(since or until)}"
    return f"for {clock.interval(since, until)}"


def _why_text(cause: IncidentCause) -> str:
    return printable_text(cause.words) if cause.words else _line_text(cause.quote)


def _text_and_place(line: Quote) -> tuple[str, str]:
    return _line_text(line), place_name(line.place)


def _line_text(line: Quote) -> str:
    """Return a line without the time that stands beside it already."""
    return printable_text(_LINE_TIME.sub("", line.text))


def _replaced_text(incident: Incident) -> str:
    return printable_text(f"replaced by {subject_name(incident.replaced_by)}")


def _effect_text(effect: IncidentEffect, clock: ReportClock) -> str:
    if effect.open_count and effect.until is None:
        when = clock.since(effect.since)
    else:
        when = _past_text(effect.since, effect.until, clock)
    alone = f"{effect.title} {when}"
    if effect.count == 1:
        return printable_text(alone)
    return printable_text(f"{alone}, and {effect.count - 1:,} more like it")


# --------------------------------------------------------------------------------------------------
# which incidents stand where


def open_incidents(report: Report) -> tuple[Incident, ...]:
    """Return what goes on, or may go on, in order of harm; what is normal so far is none.

    Args:
        report: what a check found.

    Returns:
        Incidents in that order.
    """
    lasting = (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER)
    going_on = (incident for incident in report.incidents if incident.outcome in lasting)
    return tuple(row for row in going_on if row.is_long and not is_ordinary(row))


def usual_incidents(report: Report) -> tuple[Incident, ...]:
    """Return what goes on and is in its normal time so far.

    Args:
        report: what a check found.

    Returns:
        Incidents in the report's order.
    """
    return tuple(
        incident
        for incident in report.incidents
        if incident.is_open and not incident.is_long and not is_ordinary(incident)
    )


def past_incidents(report: Report, outcome: EpisodeOutcome) -> tuple[Incident, ...]:
    """Return what was trouble and is over in one way: what healed, or what ended without having
    recovered.

    Args:
        report: what a check found.
        outcome: in which they ended.

    Returns:
        Incidents in the report's order.
    """
    past = (incident for incident in report.incidents if incident.outcome is outcome)
    return tuple(incident for incident in past if not is_ordinary(incident))


def is_ordinary(incident: Incident) -> bool:
    """Tell whether an incident is no trouble: somebody asked for it, or it only took its time, and
    no longer than is normal.

    Args:
        incident: of a report.

    Returns:
        False for what users noticed, and for what does not end.
    """
    if incident.harm is Harm.NONE:
        return True
    return incident.is_in_order and incident.outcome is EpisodeOutcome.HEALED


def ordinary_incidents(report: Report, *, is_open: bool) -> tuple[Incident, ...]:
    """Return what is in order; of what only took its time, one of a kind.

    Args:
        report: what a check found.
        is_open: what goes on, or else what is over.

    Returns:
        Incidents in the report's order, what was asked for first.
    """
    alike = [incident for incident in report.incidents if incident.is_open is is_open]
    ordinary = [incident for incident in alike if is_ordinary(incident)]
    firsts = {row.kind: row for row in reversed(ordinary) if row.harm is Harm.DELAY}
    asked_for = (row for row in ordinary if row.harm is Harm.NONE)
    return (*asked_for, *(row for row in ordinary if firsts.get(row.kind) is row))


def alike_incidents(incidents: Sequence[Incident]) -> list[tuple[Incident, tuple[Incident, ...]]]:
    """Gather incidents of one kind that began and ended together: the first of them, and others;
    where they are few, each by itself.

    Args:
        incidents: in the report's order.

    Returns:
        Pairs of the first one and the others.

    Complexity: that of sorting them; each is compared with the group before it of its kind.
    """
    groups: list[list[Incident]] = []
    latest: dict[tuple[str, str, EpisodeOutcome], list[Incident]] = {}
    for incident in incidents:
        key = incident.kind, incident.machine, incident.outcome
        group = latest.get(key)
        if group is None or not _is_together(group[0], incident):
            group = latest[key] = []
            groups.append(group)
        group.append(incident)
    return [row for group in groups for row in _rows_of_group(group)]


def told_incidents(
    incidents: Sequence[Incident],
) -> list[ToldIncident]:
    """Gather what is told on one row: what befell one subject again and again, and alike incidents
    that began and ended together.

    Args:
        incidents: that are over, in the report's order.

    Returns:
        A row each, in the order of their first ones.
    """
    by_subject: dict[tuple[object, ...], list[Incident]] = defaultdict(list)
    for incident in incidents:
        by_subject[_whose(incident)].append(incident)
    often = {key for key, same in by_subject.items() if len(same) > 1}
    once = [incident for incident in incidents if _whose(incident) not in often]
    rows: dict[int, ToldIncident] = {
        first.number: (first, (), others) for first, others in alike_incidents(once)
    }
    for key in often:
        first, *later = by_subject[key]
        rows[first.number] = first, tuple(later), ()
    return [rows[first.number] for first in incidents if first.number in rows]


def _whose(incident: Incident) -> tuple[object, ...]:
    whose = incident.kind, incident.machine, incident.subject, incident.process
    return *whose, incident.title, incident.outcome, incident.harm


def _rows_of_group(group: Sequence[Incident]) -> list[tuple[Incident, tuple[Incident, ...]]]:
    if len(group) <= _FEW_ALIKE:
        return [(incident, ()) for incident in group]
    return [(group[0], tuple(group[1:]))]


def _is_together(first: Incident, incident: Incident) -> bool:
    if first.effects or incident.effects or first.subject == incident.subject:
        return False
    moments = zip((first.since, first.until), (incident.since, incident.until), strict=True)
    return all(_is_close(before, after) for before, after in moments)


def _is_close(before: Instant | None, after: Instant | None) -> bool:
    if before is None or after is None or before.ms is None or after.ms is None:
        return before is after
    return abs(after.ms - before.ms) <= _TOGETHER_MS


def others_text(first: Incident, others: Sequence[Incident]) -> str:
    """Name what the same befell as their titles do, the first few of it; count what has no names.

    Args:
        first: the incident that is told in full.
        others: alike incidents.

    Returns:
        A clause, or nothing.
    """
    if not others:
        return ""
    if not all(other.subject for other in others):
        return f"and {len(others):,} more like it"
    named = _names_in_titles([first, *others[:MOST_NAMED]])[1:]
    more = [f"{len(others) - MOST_NAMED:,} more"] if len(others) > MOST_NAMED else []
    return f"likewise {', '.join([*named, *more])}"


def _names_in_titles(incidents: Sequence[Incident]) -> list[str]:
    """Return what differs in titles: all but the words with which all of them end; where they end
    otherwise, the keys.
    """
    titles = [incident.title.split(" ") for incident in incidents]
    endings = zip(*(reversed(title) for title in titles), strict=False)
    same = sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, endings))
    if same and all(len(title) > same for title in titles):
        return [" ".join(title[:-same]).removesuffix(":") for title in titles]
    return [subject_name(incident.subject) for incident in incidents]


def counted_incidents(incidents: Sequence[Incident]) -> str:
    """Say how many there are of each kind, in their order.

    A kind that has no words for several, or that is over, is told by its first one.

    Args:
        incidents: in the report's order.

    Returns:
        A clause.
    """
    counts = Counter((incident.kind, incident.is_open) for incident in incidents)
    firsts = {(incident.kind, incident.is_open): incident for incident in reversed(incidents)}
    return ", ".join(_counted_kind(firsts[kind], number) for kind, number in counts.items())


def _counted_kind(first: Incident, number: int) -> str:
    title = first.title
    if number == 1:
        return title
    if first.is_open and first.many:
        return f"{number:,} {first.many}"
    return f"{title} and {number - 1:,} more like it"
