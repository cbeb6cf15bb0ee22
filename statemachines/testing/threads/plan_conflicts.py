"""Whether calls of several threads have anything to do with each other, as the machine sees it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import permutations
from typing import Any, TypeVar

SnapshotT = TypeVar("SnapshotT", bound=Hashable)
Answerer = Callable[[SnapshotT, Any], tuple[Hashable, SnapshotT]]
"""What the machine answers to a call, and where it is then."""


def are_in_conflict(
    answered: Answerer[SnapshotT], now: SnapshotT, threads: Sequence[Sequence[Any]]
) -> bool:
    """Tell whether it matters which of two threads comes first: to what one of them is answered, or
    to where both lead.

    Args:
        answered: what the machine answers to a call.
        now: where it is when they begin.
        threads: the calls of each.

    Returns:
        False where every two of them may change places, and nobody would notice.
    """
    return any(
        _answers_to_all(answered, now, first)[0] != _answers_to_all(answered, after, first)[0]
        or _answers_to_all(answered, after, first)[1]
        != _answers_to_all(answered, _answers_to_all(answered, now, first)[1], second)[1]
        for first, second in permutations(threads, 2)
        for after in [_answers_to_all(answered, now, second)[1]]
    )


def _answers_to_all(
    answered: Answerer[SnapshotT], now: SnapshotT, calls: Sequence[Any]
) -> tuple[list[Hashable], SnapshotT]:
    answers = list[Hashable]()
    for call in calls:
        answer, now = answered(now, call)
        answers.append(answer)
    return answers, now
