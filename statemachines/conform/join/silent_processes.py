"""Processes whose logs stop long before those of the others, and say no end: nobody knows whether
they still are what they were seen last.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.settle.judging_context import JudgingContext

FEWEST_RECORDS = 10
"""Of fewer nobody can say how often a process usually logs."""
SHARE = 4
"""Who is silent for this part of the log of another one, from whom it differs, is missed ..."""
USUAL_GAPS = 10
"""... where that is so many times the mean time between its own records."""
MANY_GAPS, LONG_MS = 100, 60_000
"""So many times that, and so long: it is missed in a log of any length."""


class ProcessSpan(NamedTuple):
    """What the files of a process cover."""

    first: int
    """Epoch milliseconds, as `last`."""
    last: int
    records: int
    """Those that the catalogue reads."""


def process_spans(
    context: JudgingContext, profiles: Sequence[Profile], facts: Sequence[FileFacts]
) -> dict[int, ProcessSpan]:
    """Return what the files of each process cover; a process none of whose files tells a time is
    left out.
    """
    spans: dict[int, ProcessSpan] = {}
    for number, profile in enumerate(profiles):
        first, last = facts[number].first, facts[number].last
        if last is None or last.ms is None:
            continue
        begin = last.ms if first is None or first.ms is None else first.ms
        for prefix in profile.prefixes:
            process = context.process_by_unit[number, prefix]
            before = spans.get(process, ProcessSpan(begin, last.ms, 0))
            unit = profile.units.get(prefix)
            spans[process] = ProcessSpan(
                min(begin, before.first),
                max(last.ms, before.last),
                before.records + (unit.records if unit is not None else 0),
            )
    return spans


def silent_processes(
    context: JudgingContext, spans: Mapping[int, ProcessSpan]
) -> Mapping[int, int]:
    """Return the processes that say nothing any more though they did not end, and for how long.

    Another process of the same system has to have logged before and long after: what ran one after
    the other, or by clocks that differ by hours, misses nobody. A process that logs seldom is not
    missed.

    Complexity: that of sorting them.

    Args:
        context: of the judging.
        spans: what the files of each process cover.

    Returns:
        Process to milliseconds.
    """
    by_system: dict[int, list[int]] = defaultdict(list)
    for process in sorted(spans, key=lambda process: spans[process].first):
        by_system[context.system_index(process)].append(process)
    silent: dict[int, int] = {}
    for processes in by_system.values():
        firsts = [spans[process].first for process in processes]
        latest = list(accumulate((spans[p] for p in processes), _later_end))
        for process in processes:
            other = latest[bisect_right(firsts, spans[process].last) - 1]
            if _is_missed(spans[process], other) and not context.processes[process].is_ended:
                silent[process] = other.last - spans[process].last
    return silent


def _later_end(one: ProcessSpan, other: ProcessSpan) -> ProcessSpan:
    return max(one, other, key=lambda span: span.last)


def _is_missed(span: ProcessSpan, other: ProcessSpan) -> bool:
    silence = other.last - span.last
    if span.records < FEWEST_RECORDS or silence <= 0:
        return False
    gap = (span.last - span.first) / span.records
    is_share = silence * SHARE >= other.last - other.first and silence >= USUAL_GAPS * gap
    return is_share or silence >= max(LONG_MS, MANY_GAPS * gap)
