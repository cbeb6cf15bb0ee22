"""Episodes of a subject: when a condition began and ceased to hold, over its generations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.conform.judged import EpisodePoint


def episodes_of(points: Iterable[EpisodePoint]) -> Iterator[tuple[EpisodePoint, EpisodePoint | None, EpisodePoint]]:
    """Yield where each episode began, where it ended (None: it is open), and what is to blame.

    Args:
        points: those of one kind of episode and one subject, oldest generation first.
    """
    since: EpisodePoint | None = None
    blame: EpisodePoint | None = None
    for point in points:
        if point.holds is None:
            blame = blame or (point if since else None)
        elif point.holds and since is None:
            since = point
        elif not point.holds and since is not None:
            yield since, point, blame or since
            since = blame = None
    if since is not None:
        yield since, None, blame or since
