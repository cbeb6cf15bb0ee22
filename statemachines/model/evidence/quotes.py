"""When and where a log says something, of what, and how an episode ended: what all rows of a report
are made of.
"""

from __future__ import annotations

import enum

from statemachines.model.values import frozen

InstanceKey = tuple[tuple[str, "str | int"], ...]
"""Key fields of an instance or a subject with their values, in the spec's order."""


@frozen
class Instant:
    """A moment as a log tells it."""

    ms: int | None
    """Epoch milliseconds, an unknown zone taken as UTC; without a date: milliseconds since the
    first day's midnight.
    """
    zone: str = "unknown"
    """`unknown`, `none` for a time without a date, else RFC 3339's: `Z`."""


@frozen
class Place:
    """A line of a log file."""

    file: str
    line: int
    """1-based, in the uncompressed file."""


@frozen
class Quote:
    """A line of a log with its text."""

    place: Place
    text: str


class EpisodeOutcome(enum.StrEnum):
    """How an episode ended."""

    OPEN = "open"
    """It goes on at the end of the log."""
    MAY_BE_OVER = "may be over"
    """Nothing says that it is over, and no line of this log would."""
    HEALED = "healed"
    ENDED = "ended"
    """What it was true of is over, without having recovered."""
    ORDERLY = "orderly"
    """It was on the way to an orderly end, and no trouble."""
