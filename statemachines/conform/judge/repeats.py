"""What happens again and again, with its reasons: episodes of one subject, and what lines are
counted for.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from statemachines.conform.interchange.judgements import CounterRun, StatePoint
from statemachines.conform.interchange.observations import Observation
from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.evidence.reports import Episode, InstanceKey, Instant, Place, Repetition

MOST_REASONS = 20
"""Different reasons that are counted; later ones are `others`."""
OTHERS = "others"
_LONGEST_REASON = 200
_CHANGING_WORD = re.compile(r"[^\s,;:()\[\]{}'\"=]*\d[^\s,;:()\[\]{}'\"=]*")
"""A word with a digit: a name, a number, a time."""

Reasons = tuple[tuple[str, int], ...]
MOST_RUNS = 100
"""Incidents of one mark and instance that are told apart; the last one takes in all later ones."""


def normalise_reason(reason: str) -> str:
    """Return a reason without what differs from time to time.

    >>> normalise_reason("parcel 17 was dropped by till-3a9 (after 20 s)")
    'parcel … was dropped by … (after … s)'
    """
    return _CHANGING_WORD.sub("…", reason)[:_LONGEST_REASON]


def add_reason(reasons: Reasons, reason: str) -> Reasons:
    """Count one more reason, in the order in which they came; none where it is empty."""
    if not reason:
        return reasons
    counts, reason_kind = dict(reasons), normalise_reason(reason)
    reason_kind = reason_kind if reason_kind in counts or len(counts) < MOST_REASONS else OTHERS
    counts[reason_kind] = counts.get(reason_kind, 0) + 1
    return tuple(counts.items())


def incident_gaps(log: LogDefinition | None) -> dict[str, int]:
    """Return the marks that are incidents, each with how far apart its lines may stand: of several
    kinds by the strictest, for lines that were told apart can be joined later.
    """
    gaps: dict[str, int] = {}
    for kind in log.incidents if log else ():
        for counter in kind.of:
            gaps[counter] = min(gaps.get(counter, kind.repeats_ms), kind.repeats_ms)
    return gaps


def incident_runs(
    runs: tuple[CounterRun, ...], gap_ms: int | None, point: StatePoint, observation: Observation
) -> tuple[CounterRun, ...]:
    """Count one more line of a mark to the incidents that it makes.

    Args:
        runs: those of the lines before, oldest first.
        gap_ms: how far apart the lines of one incident may stand; None: the mark is no incident.
        point: where the line stands.
        observation: the line.
    """
    if gap_ms is None:
        return ()
    last = runs[-1] if runs else None
    if last is not None and (_is_near(last.last, point, gap_ms) or len(runs) >= MOST_RUNS):
        joined = last._replace(
            last=point,
            total=last.total + 1,
            reason=last.reason or observation.reason,
            thrown_at=last.thrown_at or observation.thrown_at,
        )
        return (*runs[:-1], joined)
    return (
        *runs,
        CounterRun(point, point, 1, observation.text, observation.reason, observation.thrown_at),
    )


def _is_near(before: StatePoint, point: StatePoint, gap_ms: int) -> bool:
    if before.at is None or point.at is None:
        return True
    return gap_ms > 0 and point.at - before.at <= gap_ms


def find_repeats(
    episodes: Sequence[Episode], marks: Iterable[Repetition]
) -> tuple[Repetition, ...]:
    """Return what happened more than once, most frequent first; what a line is counted for is told
    from its first time on.

    Args:
        episodes: of all subjects; several processes may tell of one.
        marks: a row an instance; those of one subject are joined.
    """
    of_one: dict[tuple[str, str, InstanceKey], list[Episode]] = defaultdict(list)
    for episode in sorted(
        (episode for episode in episodes if episode.open or not episode.orderly),
        key=lambda episode: _instant_ms(episode.since),
    ):
        of_one[episode.machine, episode.kind, episode.subject].append(episode)
    counted: dict[tuple[str, str, InstanceKey], Repetition] = {}
    for repetition in marks:
        who = repetition.machine, repetition.kind, repetition.subject
        counted[who] = _join_repeats(counted[who], repetition) if who in counted else repetition
    rows = [*(_repeat_row(same) for same in of_one.values() if len(same) > 1), *counted.values()]
    return tuple(
        sorted(
            rows,
            key=lambda row: (-row.count, row.machine, row.kind, row.place.file, row.place.line),
        )
    )


def _repeat_row(same: Sequence[Episode]) -> Repetition:
    first, last = same[0], same[-1]
    lasted = [
        _instant_ms(episode.until) - _instant_ms(episode.since)
        for episode in same
        if episode.until is not None and episode.since is not None
    ]
    reasons: Reasons = ()
    for episode in same:
        reasons = add_reason(reasons, episode.reason)
    places_seen = [
        episode.blame.place if episode.blame else Place("", 1) for episode in (first, last)
    ]
    return Repetition(
        first.kind, first.machine, first.subject, first.process, len(same), first.since, last.since,
        max(lasted, default=None), sum(lasted) if lasted else None, rank_reasons(reasons),
        last.open, *places_seen,
    )  # fmt: skip


def _join_repeats(one: Repetition, other: Repetition) -> Repetition:
    """Join the counts of two instances of one subject."""
    reasons = Counter(dict(one.reasons))
    reasons.update(dict(other.reasons))
    first, last = sorted(
        (one, other), key=lambda row: (_instant_ms(row.first), row.place.file, row.place.line)
    )
    return Repetition(
        one.kind, one.machine, one.subject, first.process, one.count + other.count, first.first,
        last.last, None, None, rank_reasons(tuple(reasons.items())), False, first.place,
        last.last_place,
    )  # fmt: skip


def rank_reasons(reasons: Reasons) -> Reasons:
    """Put the most frequent reason first."""
    return tuple(sorted(reasons, key=lambda row: -row[1]))


def _instant_ms(instant: Instant | None) -> int:
    return instant.ms if instant is not None and instant.ms is not None else 0
