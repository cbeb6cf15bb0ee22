"""What is trouble because it happens to one subject again and again, however short each time is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from statemachines.conform.incidents.incident_kinds import IncidentKinds
from statemachines.conform.incidents.troubles import (
    Trouble,
    episode_end,
    episode_start,
    episode_stretches,
    rendered_title,
)
from statemachines.model.definitions.incident_definitions import IncidentDefinition
from statemachines.model.evidence.quotes import EpisodeOutcome, InstanceKey, Instant
from statemachines.model.evidence.reports import Episode

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
        rendered_title(kinds, template, first.subject, first.process), first.since, until, outcome,
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
