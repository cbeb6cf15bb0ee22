"""What is settled of the past of logs that are followed for long: what was wrong and is over, so
many such things back and so long ago that nothing which is still told depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import (
    CounterTotal,
    EpisodePoint,
    InstanceJudgement,
    PendingFinding,
)

MOST_OVER = 1_000
"""Things that are over and are still known; up to twice as many are until some are let go."""
_APART_MS = 300_000
"""What is over for less is known (five minutes): one log tells later than another one."""


def shortest_memory_ms(plan: CheckPlan) -> int:
    """Return how long what is over may still count: what comes again soon enough is the same."""
    kinds = (kind for owner in plan.owners if owner.log for kind in owner.log.incidents)
    return _APART_MS + max((max(kind.repeats_ms, kind.within_ms) for kind in kinds), default=0)


def settled_moment(judged: Iterable[InstanceJudgement], now_ms: int, memory_ms: int) -> int | None:
    """Return before which moment all that is over may be let go, so that `MOST_OVER` things are
    still known; None while there are not many more.

    Args:
        judged: all instances of which something is known.
        now_ms: the last time of the logs.
        memory_ms: what is over for less stays.

    Complexity: a sort of what is over.
    """
    times = sorted(at for judgement in judged for at in _times_over(judgement))
    if len(times) < 2 * MOST_OVER:
        return None
    moment = min(times[-MOST_OVER], now_ms - memory_ms)
    return moment if times[MOST_OVER - 1] < moment else None


def without_past(judgement: InstanceJudgement, before_ms: int) -> InstanceJudgement:
    """Return a judgement without what was over before a moment."""
    if not any(at < before_ms for at in _times_over(judgement)):
        return judgement
    return judgement._replace(
        episode_points=tuple(later_points(judgement.episode_points, before_ms)),
        findings=tuple(f for f in judgement.findings if not _is_before(_time(f), before_ms)),
        counters=tuple(_later_counters(judgement.counters, before_ms)),
    )


def later_points(points: Sequence[EpisodePoint], before_ms: int) -> list[EpisodePoint]:
    """Return the points of the episodes of an instance without those that were over before a
    moment; where each kind ended first stays, for what another instance of its subject began may
    have ended there.
    """
    last_over, first_end = dict[int, int](), dict[int, int]()
    for place, point in enumerate(points):
        if point.holds is False:
            first_end.setdefault(point.episode, place)
            if _is_before(point.at, before_ms):
                last_over[point.episode] = place
    ends = set(first_end.values())
    return [
        point
        for place, point in enumerate(points)
        if place > last_over.get(point.episode, -1) or place in ends
    ]


def _times_over(judgement: InstanceJudgement) -> Iterator[int]:
    """Yield when each thing was over, as far as it can be let go."""
    begun = set[int]()
    for point in judgement.episode_points:
        if point.holds:
            begun.add(point.episode)
        elif point.holds is False and point.episode in begun:
            begun.discard(point.episode)
            if point.at is not None:
                yield point.at
    times = (
        *map(_time, judgement.findings),
        *(run.last.at for counter in judgement.counters for run in counter.runs),
    )
    yield from (at for at in times if at is not None)


def _time(finding: PendingFinding) -> int | None:
    return finding.observation.at


def _later_counters(counters: Iterable[CounterTotal], before_ms: int) -> Iterator[CounterTotal]:
    for counter in counters:
        if not _is_before(counter.last.at, before_ms):
            runs = tuple(run for run in counter.runs if not _is_before(run.last.at, before_ms))
            yield counter._replace(runs=runs)


def _is_before(at: int | None, before_ms: int) -> bool:
    return at is not None and at < before_ms
