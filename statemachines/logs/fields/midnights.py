"""Days for times that have no date: midnights are where the time of day falls by more than twelve
hours.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from statemachines.model.evidence.moments import DAY_MS

_HALF_MS = DAY_MS // 2
_DISORDER_MS = 60_000
"""By how much a line may be older than the one before it and still be of the same midnight (a
minute).
"""


@frozen(slots=True)
class ClockSpan:
    """What a piece of a log shows of a clock without date."""

    first_ms: int
    """Milliseconds of the day of the piece's first time."""
    last_ms: int
    """Milliseconds of the day of its last time."""
    midnights: int = 0
    """Midnights between the two; may be negative where the order of lines runs back over a
    midnight.
    """

    def followed_by(self, later: ClockSpan) -> ClockSpan:
        """This piece followed by a later one; associative.

        Args:
            later: what comes next of the same process.

        Returns:
            First and last time of both, and midnights between them.
        """
        return ClockSpan(
            self.first_ms,
            later.last_ms,
            self.midnights + _midnights_between(self.last_ms, later.first_ms) + later.midnights,
        )


@frozen(slots=True)
class Midnights:
    """The clocks of a piece, one for each process that prefixes tell apart."""

    spans: Mapping[str | None, ClockSpan] = field(factory=dict)

    def followed_by(self, later: Midnights) -> Midnights:
        """This piece followed by a later one; associative, with `Midnights()` as the empty one.

        Args:
            later: what comes next in the file.

        Returns:
            The spans of all processes of both.
        """
        joined = dict(self.spans)
        for process, clock in later.spans.items():
            joined[process] = joined[process].followed_by(clock) if process in joined else clock
        return Midnights(joined)

    def days_before(self, chunk: Midnights, process: str | None) -> int:
        """The days to add to the times of a process in `chunk`, which follows this one (all pieces
        before it, joined).

        Args:
            chunk: the piece that follows.
            process: name; None where a file is one process.

        Returns:
            Whole days, 0 or more.
        """
        before, clock = self.spans.get(process), chunk.spans.get(process)
        if before is None or clock is None:
            return 0
        return before.midnights + _midnights_between(before.last_ms, clock.first_ms)


def _midnights_between(before_ms: int, after_ms: int) -> int:
    """Midnights between two times of day of neighbouring lines: 1, 0, or -1 where lines stand out
    of order around midnight.
    """
    if after_ms < before_ms - _HALF_MS:
        return 1
    return -1 if after_ms > before_ms + DAY_MS - _DISORDER_MS else 0
