"""Bars and flags that stand closer than an eye can tell, drawn as one: a picture is as large as its paper, not as its log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from statemachines.draw.rows import Bar, Flag

MANY = "…"
"""State of a bar that stands for several."""


def thinned(bars: Iterable[Bar], least: float) -> Iterator[Bar]:
    """Put neighbouring bars that are shorter than a length together.

    Args:
        bars: of one row, in order of time.
        least: milliseconds (or steps) that one can still see.

    Yields:
        Bars in order; one that stands for several says how many.
    """
    run: list[Bar] = []
    for bar in bars:
        if bar.last - bar.first < least:
            run.append(bar)
        else:
            yield from _together(run)
            run = []
            yield bar
    yield from _together(run)


def _together(run: list[Bar]) -> Iterator[Bar]:
    if len(run) > 1:
        states = tuple(dict.fromkeys(bar.state for bar in run))
        yield Bar(MANY, run[0].first, max(bar.last for bar in run), note=f"{len(run):,} steps: {', '.join(states)}")
    else:
        yield from run


def heaped(flags: Iterable[Flag], least: float) -> tuple[Flag, ...]:
    """Put flags that are nearer to the first of them than a length together; the worst verdict is shown, the number is told.

    Args:
        flags: of one row, in any order.
        least: milliseconds between two flags that one can tell apart.
    """
    heaps: list[list[Flag]] = []
    for flag in sorted(flags, key=lambda flag: flag.at):
        if heaps and flag.at - heaps[-1][0].at < least:
            heaps[-1].append(flag)
        else:
            heaps.append([flag])
    return tuple(_heap(heap) for heap in heaps)


def _heap(heap: list[Flag]) -> Flag:
    worst = max(heap, key=lambda flag: flag.verdict)
    return evolve(worst, at=heap[0].at, note=f"{worst.note} (and {len(heap) - 1:,} more)") if len(heap) > 1 else worst
