"""The incidents of a report: what happened, with what followed from it, in order of harm; and what
is trouble because it happens to one subject again and again, however short each time is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from statemachines.conform.incidents.incident_causes import (
    CLOCK_MS,
    NOTICED_MS,
    CauseFinder,
    linked_instances,
)
from statemachines.conform.incidents.incident_kinds import IncidentKinds
from statemachines.conform.incidents.troubles import (
    Trouble,
    episode_end,
    episode_start,
    episode_stretches,
    episode_troubles,
    joined_delays,
    mark_troubles,
    without_short_ones,
)
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.join.log_subjects import LogSubjects
from statemachines.conform.join.report_sources import remembered_fields
from statemachines.conform.join.subject_episodes import programs_by_process
from statemachines.model.definitions.incident_definitions import Harm, IncidentDefinition
from statemachines.model.evidence.incidents import (
    Incident,
    IncidentCause,
    IncidentEffect,
    IncidentEvidence,
)
from statemachines.model.evidence.instance_names import short_process_names
from statemachines.model.evidence.quotes import InstanceKey, Instant
from statemachines.model.evidence.reports import Episode, EpisodeOutcome

_UNIQUE = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{5,}", re.IGNORECASE)
"""What is different each time: identifiers made at random, offsets, times."""
_LONGEST_REASON = 200
_LASTING = (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER)


def repeated_troubles(
    kinds: IncidentKinds, episodes: Iterable[Episode], end_ms: int | None
) -> Iterator[Trouble]:
    """Yield what is trouble because episodes of one subject come again and again, each no later
    after the end of the one before than the kind says.

    Complexity: that of sorting them.

    Args:
        kinds: what the specs say of incidents.
        episodes: all of a report; those on the way to an orderly end do not count.
        end_ms: the last time of the log.
    """
    by_subject: dict[tuple[str, str, InstanceKey], list[tuple[int, Episode]]] = defaultdict(list)
    for episode in episodes:
        since = episode.since.ms if episode.since else None
        if since is not None and episode.outcome is not EpisodeOutcome.ORDERLY:
            by_subject[episode.machine, episode.kind, episode.subject].append((since, episode))
    for (machine, name, _), timed in by_subject.items():
        ordered = [episode for _, episode in sorted(timed, key=lambda pair: pair[0])]
        for kind in kinds.of_many_times(machine, name):
            meant = [episode for episode in ordered if episode.reason or not kind.needs_cause]
            for same in episode_stretches(meant, kind.repeats_ms):
                if len(same) >= kind.least_times:
                    yield _trouble(kinds, kind, same, end_ms)


def _trouble(
    kinds: IncidentKinds, kind: IncidentDefinition, same: Sequence[Episode], end_ms: int | None
) -> Trouble:
    first, last = same[0], same[-1]
    outcome, until = _outcome_and_end(kind, last, end_ms)
    blamed, reason = _most_frequent_reason(same)
    template = kind.title if until is None else kind.past_title or kind.title
    return Trouble(
        kind, first.machine, first.subject, first.process,
        kinds.title(first.machine, template, first.subject, first.process), first.since, until,
        outcome,
        blamed.blame, reason, kind.inferred, len(same),
        is_long=episode_end(last) - episode_start(first) > kind.within_ms or not kind.within_ms,
        thrown_at=blamed.thrown_at,
    )  # fmt: skip


def _outcome_and_end(
    kind: IncidentDefinition, last: Episode, end_ms: int | None
) -> tuple[EpisodeOutcome, Instant | None]:
    """Return whether it is over: not where the last time is not, nor where the log ends before the
    next one was due.
    """
    if last.outcome in _LASTING:
        return last.outcome, None
    if end_ms is not None and end_ms - episode_end(last) <= kind.repeats_ms:
        return EpisodeOutcome.OPEN, None
    return EpisodeOutcome.HEALED, last.until or last.since


def _most_frequent_reason(same: Sequence[Episode]) -> tuple[Episode, str]:
    """Return the first episode of those that have the most frequent reason, and how often that was
    the reason. Names count: who brings it about is what people ask for.
    """
    reasons = [_UNIQUE.sub("…", repetition.reason)[:_LONGEST_REASON] for repetition in same]
    counts = Counter(reason for reason in reasons if reason)
    if not counts:
        return same[0], ""
    reason, times = counts.most_common(1)[0]
    return same[reasons.index(reason)], f"{times:,} × {reason}" if times > 1 else reason


def repeated_parts(troubles: Sequence[Trouble]) -> Mapping[int, int]:
    """Return which troubles are one time of those that come again and again: the index of the
    whole for each part.

    Complexity: a binary search for each.
    """
    wholes: dict[tuple[str, str, InstanceKey], list[int]] = defaultdict(list)
    for index in sorted(range(len(troubles)), key=lambda i: troubles[i].since_ms):
        for name in troubles[index].kind.of if troubles[index].kind.least_times else ():
            wholes[troubles[index].machine, name, troubles[index].subject].append(index)
    parts: dict[int, int] = {}
    for index, trouble in enumerate(troubles):
        whole = None if trouble.kind.least_times else _whole(troubles, wholes, trouble)
        if whole is not None:
            parts[index] = whole
    return parts


def _whole(
    troubles: Sequence[Trouble],
    wholes: Mapping[tuple[str, str, InstanceKey], Sequence[int]],
    trouble: Trouble,
) -> int | None:
    for name in trouble.kind.of:
        same = wholes.get((trouble.machine, name, trouble.subject), ())
        place = bisect_right(same, trouble.since_ms, key=lambda index: troubles[index].since_ms)
        if place:
            until = troubles[same[place - 1]].until_ms
            if until is None or trouble.since_ms <= until:
                return same[place - 1]
    return None


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
    context = log_subjects.context
    short = short_process_names([process.name for process in context.processes])
    remembered = remembered_fields(context, judged)
    kinds = IncidentKinds(context.plan, short, remembered)
    systems = {process.name: context.system_index(n) for n, process in enumerate(context.processes)}
    apart = context.plan.options.separate_folders and len(context.systems) > 1
    folders = {number: f"{folder}: " for folder, number in context.systems.items() if folder}
    rows = [
        evolve(row, title=f"{folders.get(system, '')}{row.title}") if apart else row
        for system in sorted({-1, *systems.values()}, reverse=True)
        for row in _incidents_of_system(
            log_subjects,
            kinds,
            [j for j in judged if (*map(context.system_index, j.processes[:1]), -1)[0] == system],
            [episode for episode in episodes if systems.get(episode.process, -1) == system],
            end_ms,
        )
    ]
    rows.sort(key=_incident_sort_key)
    return tuple(evolve(row, number=number) for number, row in enumerate(rows, start=1))


def _incidents_of_system(
    log_subjects: LogSubjects,
    kinds: IncidentKinds,
    judged: Sequence[InstanceJudgement],
    episodes: Sequence[Episode],
    end_ms: int | None,
) -> Iterator[Incident]:
    """Yield what happened in one system: nothing follows from what befell another."""
    context = log_subjects.context
    troubles = sorted(
        without_short_ones(
            (
                *episode_troubles(kinds, episodes, end_ms),
                *mark_troubles(context, kinds, judged, end_ms),
                *repeated_troubles(kinds, episodes, end_ms),
            )
        ),
        key=_trouble_sort_key,
    )
    programs = {
        context.processes[p].name: keys for p, keys in programs_by_process(log_subjects).items()
    }
    links = linked_instances(log_subjects)
    roots = CauseFinder(kinds, troubles, programs, links, repeated_parts(troubles)).roots()
    return _incidents(kinds, troubles, roots, end_ms)


def _trouble_sort_key(trouble: Trouble) -> tuple[object, ...]:
    subject = tuple((isinstance(value, str), value) for _, value in trouble.subject)
    place = (trouble.quote.place.file, trouble.quote.place.line) if trouble.quote else ("", 0)
    return trouble.since_ms, trouble.machine, subject, trouble.kind.kind, place


def _incidents(
    kinds: IncidentKinds, troubles: Sequence[Trouble], roots: Sequence[int], end_ms: int | None
) -> Iterator[Incident]:
    """Yield an incident for each root, and for each effect that outlasts it."""
    effects: dict[int, list[Trouble]] = defaultdict(list)
    alone: list[Trouble] = []
    for index, root in enumerate(roots):
        if index == root or _stands_alone(troubles[index], troubles[root]):
            is_new = index != root and _is_aftermath(troubles[index], troubles[root], end_ms)
            alone.append(evolve(troubles[index], is_long=False) if is_new else troubles[index])
            continue
        effects[root].append(_as_of_cause(troubles[index], troubles[root]))
    by_root = {id(troubles[root]): rows for root, rows in effects.items()}
    for trouble, times in joined_delays(alone):
        followed = [effect for repeated in times for effect in by_root.get(id(repeated), ())]
        if followed or trouble.came_back or not trouble.kind.needs_effect:
            yield _incident(kinds, trouble, followed)


def _stands_alone(effect: Trouble, cause: Trouble) -> bool:
    """Tell whether an effect is an incident of its own: it outlasts its cause, or users noticed it
    and it is over while what somebody asked for goes on, which is no trouble itself.
    """
    lasts = effect.outcome in (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER)
    if cause.outcome is EpisodeOutcome.OPEN:
        is_noticed = effect.kind.harm is Harm.OUTAGE and cause.kind.harm is Harm.NONE
        return is_noticed and not lasts
    return lasts


def _as_of_cause(effect: Trouble, cause: Trouble) -> Trouble:
    """Return an effect whose end is not known as going on, where its cause goes on."""
    goes_on = (cause.outcome, effect.outcome) == (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER)
    return effect.while_it_goes_on if goes_on and effect.present_title else effect


def _is_aftermath(effect: Trouble, cause: Trouble, end_ms: int | None) -> bool:
    """Tell whether something began as its cause was over, so shortly before the end of the log that
    it may pass: who has just come back is not found by everybody at once.
    """
    if end_ms is None or cause.until_ms is None or effect.outcome is not EpisodeOutcome.OPEN:
        return False
    began = effect.since_ms
    return began >= cause.until_ms - CLOCK_MS and end_ms - began <= NOTICED_MS


def _incident(kinds: IncidentKinds, trouble: Trouble, effects: Sequence[Trouble]) -> Incident:
    counted = [effect for effect in effects if _counts(effect, trouble)]
    worst = min((part.kind.harm for part in (trouble, *counted)), key=lambda harm: harm.rank)
    is_asked_for = trouble.kind.harm is Harm.NONE
    goes_on = is_asked_for and trouble.outcome is EpisodeOutcome.OPEN
    return Incident(
        0, trouble.kind.kind, worst, trouble.machine,
        trouble.subject, trouble.process, trouble.title, trouble.kind.many, trouble.since,
        trouble.until, trouble.outcome,
        IncidentEvidence.INFERRED if trouble.inferred else IncidentEvidence.TOLD, _cause(trouble),
        tuple(_effect_rows(effects)), trouble.count,
        is_long=any(e.is_long for e in (counted if goes_on else (trouble, *effects))),
        normal_ms=max(trouble.kind.within_ms or 0, trouble.limit_ms),
        next=kinds.explain_command(trouble.kind), replaced_by=trouble.replaced_by,
    )  # fmt: skip


def _counts(effect: Trouble, cause: Trouble) -> bool:
    """Tell whether the harm of an effect is that of its incident: of what was asked for only what
    users notice.
    """
    is_noticed = effect.kind.harm is Harm.OUTAGE or cause.kind.harm is not Harm.NONE
    return is_noticed and effect.outcome is cause.outcome


def _cause(trouble: Trouble) -> IncidentCause | None:
    return (
        None
        if trouble.quote is None
        else IncidentCause(trouble.quote, trouble.reason, trouble.thrown_at)
    )


def _effect_rows(effects: Sequence[Trouble]) -> Iterator[IncidentEffect]:
    """Yield what followed, a row a kind, the worst first."""
    by_kind: dict[tuple[int, str, str], list[Trouble]] = defaultdict(list)
    for effect in effects:
        by_kind[effect.kind.harm.rank, effect.kind.kind, effect.machine].append(effect)
    for (_, kind, machine), same in sorted(by_kind.items()):
        first = same[0]
        open_count = sum(trouble.outcome is EpisodeOutcome.OPEN for trouble in same)
        yield IncidentEffect(
            kind, machine, first.title, first.kind.many, len(same), open_count, first.subject,
            first.since, first.until,
        )  # fmt: skip


def _incident_sort_key(incident: Incident) -> tuple[object, ...]:
    subject = tuple((isinstance(value, str), value) for _, value in incident.subject)
    since = (incident.since.ms or 0) if incident.since else 0
    place = (
        (incident.cause.quote.place.file, incident.cause.quote.place.line)
        if incident.cause
        else ("", 0)
    )
    return (
        not incident.is_ill, _OUTCOME_ORDER.index(incident.outcome), incident.harm.rank, since,
        incident.machine, subject, incident.kind, place,
    )  # fmt: skip
