"""What was true at a moment before the end of the log, as its timeline shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from statemachines.model.evidence.incidents import Incident, IncidentEffect
from statemachines.model.evidence.reports import (
    CurrentState,
    Episode,
    EpisodeOutcome,
    InstanceKey,
    Instant,
    Report,
    TimelineStep,
)


def states_at(report: Report, until_ms: int) -> tuple[CurrentState, ...]:
    """Return the states at a moment: of each subject the last step until then, or the state at the
    end if it began before.

    Args:
        report: with its timeline, which has the generations of a subject in their order.
        until_ms: epoch milliseconds, an unknown zone taken as UTC.

    Returns:
        By machine and subject. Final are the states that are so at the end of the log, where
        anything is in them.

    Complexity: one pass over the timeline; memory for each subject.
    """
    names = _subject_fields(report)
    last: dict[tuple[str, str, InstanceKey], tuple[TimelineStep, TimelineStep]] = {}
    for step in report.timeline:
        if step.at is None or step.at.ms is None or step.at.ms <= until_ms:
            subject = tuple(
                field for field in step.instance if field[0] in names.get(step.machine, (field[0],))
            )
            known = last.get((step.machine, step.process, subject))
            made = (
                step
                if known is None or step.place is not None or known[1].target != step.target
                else known[1]
            )
            last[step.machine, step.process, subject] = step, made
    states = {
        (now.machine, now.process, now.subject): now
        for now in report.now
        if now.since and (now.since.ms or 0) <= until_ms
    }
    finals = {(now.machine, state) for now in report.now if now.final for state in now.state}
    programs = {now.machine for now in report.now if now.program}
    observed = {
        who: _state_after_step(who[2], step, made, finals, programs)
        for who, (step, made) in last.items()
        if step.target is not None
    }
    return tuple((observed | states).values())


def _state_after_step(
    subject: InstanceKey,
    step: TimelineStep,
    made: TimelineStep,
    finals: set[tuple[str, str]],
    programs: set[str],
) -> CurrentState:
    state, final = step.target or "", (step.machine, step.target or "") in finals
    return CurrentState(
        step.machine,
        subject,
        (state,),
        made.at,
        final,
        made.place,
        step.process,
        step.machine in programs,
    )


def _subject_fields(report: Report) -> Mapping[str, frozenset[str]]:
    """Return the names of the fields that make a subject, by machine, if the report has them."""
    rows: Iterator[CurrentState | Episode] = iter((*report.now, *report.episodes))
    return {row.machine: frozenset(name for name, _ in row.subject) for row in rows}


def episode_at(episode: Episode, until_ms: int) -> Episode:
    """Return an episode as it was at a moment: open where it ended later.

    Args:
        episode: of the report.
        until_ms: epoch milliseconds.

    Returns:
        The same, or an open one.
    """
    return (
        evolve(episode, until=None, open=True, orderly=False, outcome=EpisodeOutcome.OPEN)
        if _is_later(episode.until, until_ms)
        else episode
    )


def incident_at(incident: Incident, episodes: Sequence[Episode], until_ms: int) -> Incident:
    """Return an incident as it was at a moment: open where it ended later, without the effects
    that began later.

    Args:
        incident: of the report.
        episodes: of the report, which tell what is said while something goes on.
        until_ms: epoch milliseconds.

    Returns:
        The same, or one that knows less.
    """
    titles = {
        (episode.machine, episode.subject, episode.was): episode.title for episode in episodes
    }
    known = (effect for effect in incident.effects if not _is_later(effect.since, until_ms))
    effects = tuple(_effect_at(effect, titles, until_ms) for effect in known)
    if not _is_later(incident.until, until_ms) and not incident.is_open:
        return evolve(incident, effects=effects)
    title = titles.get((incident.machine, incident.subject, incident.title), incident.title)
    begins = incident.since.ms if incident.since else None
    is_long = begins is None or until_ms - begins > incident.normal_ms or bool(effects)
    return evolve(
        incident, until=None, outcome=EpisodeOutcome.OPEN, title=title, effects=effects,
        is_long=is_long,
    )  # fmt: skip


def _effect_at(
    effect: IncidentEffect, titles: Mapping[tuple[str, InstanceKey, str], str], until_ms: int
) -> IncidentEffect:
    if not _is_later(effect.until, until_ms):
        return effect
    title = titles.get((effect.machine, effect.first, effect.title), effect.title)
    return evolve(effect, until=None, title=title, open_count=max(effect.open_count, 1))


def _is_later(instant: Instant | None, until_ms: int) -> bool:
    return instant is not None and instant.ms is not None and instant.ms > until_ms
