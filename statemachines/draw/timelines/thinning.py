"""Bars and flags that stand closer than an eye can tell, drawn as one: a picture is as large as its
paper, not as its log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from statemachines.draw.timelines.timeline_rows import FindingFlag, StateBar

SEVERAL_STATES = "…"
"""State of a bar that stands for several."""


def thinned_bars(bars: Iterable[StateBar], least: float) -> Iterator[StateBar]:
    """Put neighbouring bars that are shorter than a length together.

    Args:
        bars: of one row, in order of time.
        least: milliseconds (or steps) that one can still see.

    Yields:
        Bars in order; one that stands for several says how many.
    """
    run: list[StateBar] = []
    for bar in bars:
        if bar.last - bar.first < least:
            run.append(bar)
        else:
            yield from _merged_bar(run)
            run = []
            yield bar
    yield from _merged_bar(run)


def _merged_bar(run: list[StateBar]) -> Iterator[StateBar]:
    if len(run) > 1:
        states = tuple(dict.fromkeys(bar.state for bar in run))
        yield StateBar(
            SEVERAL_STATES,
            run[0].first,
            max(bar.last for bar in run),
            note=f"{len(run):,} steps: {', '.join(states)}",
        )
    else:
        yield from run


def merged_flags(flags: Iterable[FindingFlag], least: float) -> tuple[FindingFlag, ...]:
    """Put flags that are nearer to the first of them than a length together; the worst verdict is
    shown, the number is told.

    Args:
        flags: of one row, in any order.
        least: milliseconds between two flags that one can tell apart.

    Returns:
        Flags in the order of time, each with how many it stands for.
    """
    heaps: list[list[FindingFlag]] = []
    for flag in sorted(flags, key=lambda flag: flag.at):
        if heaps and flag.at - heaps[-1][0].at < least:
            heaps[-1].append(flag)
        else:
            heaps.append([flag])
    return tuple(_merged_flag(heap) for heap in heaps)


def _merged_flag(heap: list[FindingFlag]) -> FindingFlag:
    worst = max(heap, key=lambda flag: flag.verdict)
    return (
        evolve(worst, at=heap[0].at, note=f"{worst.note} (and {len(heap) - 1:,} more)")
        if len(heap) > 1
        else worst
    )
