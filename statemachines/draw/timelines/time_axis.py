"""A time axis: where the ticks stand and what they are called."""

from __future__ import annotations

from statemachines.model.evidence.moments import DAY_MS, date_text, time_text

_STEPS_MS = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000),
    *(60_000 * minutes for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)),
    *(DAY_MS * days for days in (1, 2, 7, 14, 30, 91, 182, 365)),
)


def ticks(first: int, last: int, most: int) -> tuple[tuple[int, str], ...]:
    """Return round moments between two, with their names.

    Args:
        first: milliseconds since the epoch.
        last: milliseconds since the epoch, not before `first`.
        most: how many ticks there may be.

    Returns:
        Moment and text, in order of time.

    >>> ticks(3_599_000, 3_604_000, 3)
    ((3600000, '01:00:00'), (3602000, '01:00:02'), (3604000, '01:00:04'))
    """
    step = next(
        (size for size in _STEPS_MS if (last - first) // size < most),
        _STEPS_MS[-1] * max(1, (last - first) // _STEPS_MS[-1] // most + 1),
    )
    start = -(-first // step) * step
    return tuple((moment, axis_time(moment, step)) for moment in range(start, last + 1, step))


def axis_time(moment: int, step: int = 1_000) -> str:
    """Write a moment as finely as a step needs: date, minutes, seconds or milliseconds.

    Args:
        moment: epoch milliseconds.
        step: milliseconds between two marks of the axis.

    Returns:
        A few characters.
    """
    return date_text(moment) if step >= DAY_MS else time_text(moment, step)
