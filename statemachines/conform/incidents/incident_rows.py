"""The incidents of a report: what happened, with what followed from it, in order of harm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.conform.incidents.incident_causes import CauseFinder
from statemachines.conform.incidents.incident_kinds import IncidentKinds
from statemachines.conform.incidents.repeated_troubles import repeated_parts, repeated_troubles
from statemachines.conform.incidents.troubles import (
    Trouble,
    episode_troubles,
    joined_delays,
    mark_troubles,
    without_short_ones,
)
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.join.log_subjects import LogSubjects
from statemachines.conform.join.report_names import short_process_names
from statemachines.conform.join.subject_episodes import programs_by_process
from statemachines.model.evidence.incidents import (
    Incident,
    IncidentCause,
    IncidentEffect,
    IncidentEvidence,
)
from statemachines.model.evidence.reports import Episode, EpisodeOutcome

_OUTCOME_ORDER = (
    EpisodeOutcome.OPEN,
    EpisodeOutcome.MAY_BE_OVER,
    EpisodeOutcome.ENDED,
    EpisodeOutcome.HEALED,
)


def find_incidents(
    log_subjects: LogSubjects,
    judged: Sequence[InstanceJudgement],
    episodes: Sequence[Episode],
    end_ms: int | None,
) -> tuple[Incident, ...]:
    """Return what happened, what goes on first, the worst first.

    Args:
        log_subjects: the subjects of the log.
        judged: all instances, also those that only counted lines tell of.
        episodes: of all subjects.
        end_ms: the last time of the log.
    """
    processes = log_subjects.context.processes
    short = short_process_names([one.name for one in processes])
    kinds = IncidentKinds(log_subjects.context.plan, short)
    found = sorted(
        without_short_ones(
            (
                *episode_troubles(kinds, episodes, end_ms),
                *mark_troubles(log_subjects.context, kinds, judged, end_ms),
                *repeated_troubles(kinds, episodes, end_ms),
            )
        ),
        key=_trouble_sort_key,
    )
    programs = {processes[p].name: keys for p, keys in programs_by_process(log_subjects).items()}
    roots = CauseFinder(kinds, found, programs, repeated_parts(found)).roots()
    rows = sorted(_incidents(kinds, found, roots), key=_incident_sort_key)
    return tuple(evolve(row, number=number) for number, row in enumerate(rows, start=1))


def _trouble_sort_key(one: Trouble) -> tuple[object, ...]:
    subject = tuple((isinstance(value, str), value) for _, value in one.subject)
    place = (one.quote.place.file, one.quote.place.line) if one.quote else ("", 0)
    return one.since_ms, one.machine, subject, one.kind.kind, place


def _incidents(
    kinds: IncidentKinds, found: Sequence[Trouble], roots: Sequence[int]
) -> Iterator[Incident]:
    """Yield an incident for each root, and for each effect that outlasts it."""
    effects: dict[int, list[Trouble]] = defaultdict(list)
    alone: list[Trouble] = []
    for index, root in enumerate(roots):
        if index == root or _outlasts(found[index], found[root]):
            alone.append(found[index])
            continue
        effects[root].append(found[index])
    by_root = {id(found[root]): rows for root, rows in effects.items()}
    for one in joined_delays(alone):
        followed = by_root.get(id(one), [])
        if followed or not one.kind.needs_effect:
            yield _incident(kinds, one, followed)


def _outlasts(effect: Trouble, cause: Trouble) -> bool:
    lasting = (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER)
    return effect.outcome in lasting and cause.outcome is not EpisodeOutcome.OPEN


def _incident(kinds: IncidentKinds, one: Trouble, effects: Sequence[Trouble]) -> Incident:
    worst = [one.kind.harm, *(e.kind.harm for e in effects if e.outcome is one.outcome)]
    return Incident(
        0, one.kind.kind, min(worst, key=lambda harm: harm.rank), one.machine, one.subject,
        one.process, one.title, one.kind.many, one.since, one.until, one.outcome,
        IncidentEvidence.INFERRED if one.inferred else IncidentEvidence.TOLD, _cause(one),
        tuple(_effect_rows(effects)), one.count,
        is_long=one.is_long or any(effect.is_long for effect in effects),
        next=kinds.explain_command(one.kind),
    )  # fmt: skip


def _cause(one: Trouble) -> IncidentCause | None:
    return None if one.quote is None else IncidentCause(one.quote, one.reason, one.thrown_at)


def _effect_rows(effects: Sequence[Trouble]) -> Iterator[IncidentEffect]:
    """Yield what followed, a row a kind, the worst first."""
    by_kind: dict[tuple[int, str, str], list[Trouble]] = defaultdict(list)
    for one in effects:
        by_kind[one.kind.harm.rank, one.kind.kind, one.machine].append(one)
    for (_, kind, machine), same in sorted(by_kind.items()):
        first = same[0]
        open_count = sum(one.outcome is EpisodeOutcome.OPEN for one in same)
        yield IncidentEffect(
            kind, machine, first.title, first.kind.many, len(same), open_count, first.subject,
            first.since, first.until,
        )  # fmt: skip


def _incident_sort_key(one: Incident) -> tuple[object, ...]:
    subject = tuple((isinstance(value, str), value) for _, value in one.subject)
    since = (one.since.ms or 0) if one.since else 0
    place = (one.cause.quote.place.file, one.cause.quote.place.line) if one.cause else ("", 0)
    return (
        not one.is_ill, _OUTCOME_ORDER.index(one.outcome), one.harm.rank, since, one.machine,
        subject, one.kind, place,
    )  # fmt: skip
