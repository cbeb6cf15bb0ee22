"""What a program called trouble within seconds of an incident, and what no machine knows."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from attrs import evolve

from statemachines.conform.interchange.loud_lines import RARE, LoudLine, RareLine
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import Place, Quote

_BESIDE_MS = 5_000
"""What stands no farther from an incident's beginning stands beside it."""
_MOST_BESIDE = 3
_MOST_LOOKED_AT = 100
"""Lines before a beginning, and behind it, that are looked at."""


class ProcessLine(NamedTuple):
    """A line in its process, ordered by time."""

    at_ms: int
    file: str
    line: int
    text: str
    wording: bytes


def with_loud_lines(
    incidents: Sequence[Incident], context: JudgingContext, profiles: Sequence[Profile]
) -> tuple[Incident, ...]:
    """Return incidents with the lines at ERROR or FATAL that stand beside them and that no machine
    knows. A wording stands beside one incident of its process: the first in the order of the
    report.

    Args:
        incidents: in the order of the report.
        context: which process each unit of a file is.
        profiles: of all files, by number.
    """
    lines = _lines_by_process(context, profiles)
    listed: set[tuple[str, bytes]] = set()
    return (
        tuple(_with_lines(incident, lines, listed) for incident in incidents)
        if lines
        else (*incidents,)
    )


def _lines_by_process(
    context: JudgingContext, profiles: Sequence[Profile]
) -> Mapping[str, Sequence[ProcessLine]]:
    by_process: dict[str, list[ProcessLine]] = defaultdict(list)
    for number, profile in enumerate(profiles):
        for (unit, _), same in profile.loud.items():
            process = context.process_by_unit.get((number, unit))
            if process is not None:
                moved = (process_line(context, number, unit, line) for line in same)
                by_process[context.processes[process].name] += moved
    return {name: sorted(lines) for name, lines in by_process.items()}


def process_line(
    context: JudgingContext, number: int, unit: str | None, line: LoudLine
) -> ProcessLine:
    """Return a line with its file, and where its time has no date the days of older files."""
    shift = context.shifts.get((number, unit))
    at_ms = shift.shifted_time(unit, line.at_ms, line.dated) if shift else line.at_ms
    file = context.files[number].name
    return ProcessLine(at_ms or 0, file, line.line, line.text, line.wording)


def _with_lines(
    incident: Incident,
    lines: Mapping[str, Sequence[ProcessLine]],
    listed: set[tuple[str, bytes]],
) -> Incident:
    since = incident.since.ms if incident.since else None
    if since is None or incident.process not in lines:
        return incident
    by_wording: dict[bytes, ProcessLine] = {}
    for line in _nearest(lines[incident.process], since):
        if len(by_wording) < _MOST_BESIDE and (incident.process, line.wording) not in listed:
            by_wording.setdefault(line.wording, line)
    listed |= {(incident.process, wording) for wording in by_wording}
    quotes = (Quote(Place(line.file, line.line), line.text) for line in sorted(by_wording.values()))
    return evolve(incident, also_logged=tuple(quotes))


def _nearest(lines: Sequence[ProcessLine], since: int) -> Sequence[ProcessLine]:
    """Return the lines beside a moment, the nearest first."""
    first = bisect_left(lines, since - _BESIDE_MS, key=lambda line: line.at_ms)
    middle = bisect_left(lines, since, key=lambda line: line.at_ms)
    last = bisect_right(lines, since + _BESIDE_MS, key=lambda line: line.at_ms)
    beside = lines[max(first, middle - _MOST_LOOKED_AT) : min(last, middle + _MOST_LOOKED_AT)]
    return sorted(beside, key=lambda line: (abs(line.at_ms - since), *line[:3]))


_SHORTLY_MS = 60_000
"""So long before the first incident a line may have been a sign of it."""
_START_MS = 15_000
"""For so long a process that begins warns of settings and of what is not there yet."""
_MOST_UNUSUAL = 3


def with_unusual_lines(
    incidents: Sequence[Incident], context: JudgingContext, profiles: Sequence[Profile]
) -> tuple[Incident, ...]:
    """Return incidents, the first one in time with the rare lines at WARN, ERROR or FATAL that no
    machine knows and that its process wrote shortly before; those whose wording stands beside an
    incident already are left out, and those of a start, unless the incident is near. At most three
    in all.

    Args:
        incidents: in the order of the report.
        context: which process each unit of a file is, and when it began.
        profiles: of all files, by number.
    """
    lines = _rare_lines(context, profiles)
    starts = {
        process.name: [start.reached for start in process.possible_starts]
        for process in context.processes
    }
    logged = {_wording(line.text) for incident in incidents for line in incident.also_logged}
    timed = [
        incident
        for incident in incidents
        if incident.since is not None
        and incident.since.ms is not None
        and (incident.is_ill or not incident.is_in_order)
    ]
    for first in sorted(
        timed, key=lambda incident: ((incident.since and incident.since.ms) or 0, incident.number)
    ):
        if quotes := tuple(_lines_before(first, _lines_of_life(first, lines, starts), logged)):
            marked = evolve(first, also_unusual=quotes)
            return tuple(marked if incident is first else incident for incident in incidents)
    return tuple(incidents)


def _lines_of_life(
    incident: Incident,
    lines: Mapping[str, Sequence[ProcessLine]],
    starts: Mapping[str, Sequence[int]],
) -> Sequence[ProcessLine]:
    """Return the rare lines of an incident's process, but for those of its start: it says them
    each time, and they tell of nothing but a start that has gone wrong.
    """
    since = incident.since.ms if incident.since else None
    began = starts.get(incident.process, ())
    return [
        line
        for line in lines.get(incident.process, ())
        if (since is not None and since - line.at_ms <= _BESIDE_MS)
        or not any(0 <= line.at_ms - start <= _START_MS for start in began)
    ]


def _rare_lines(
    context: JudgingContext, profiles: Sequence[Profile]
) -> Mapping[str, Sequence[ProcessLine]]:
    """Return the lines of each process whose wording stands in it twice at most, by time."""
    counted: dict[str, dict[bytes, list[ProcessLine]]] = defaultdict(lambda: defaultdict(list))
    frequent: set[tuple[str, bytes]] = set()
    for number, profile in enumerate(profiles):
        for (unit, wording), rare in profile.rare.items():
            process = context.process_by_unit.get((number, unit))
            if process is None:
                continue
            name = context.processes[process].name
            same = counted[name][wording]
            same += _lines_of(context, number, unit, rare)
            if rare.times > RARE or len(same) > RARE:
                frequent.add((name, wording))
    return {
        name: sorted(
            line
            for wording, same in by_wording.items()
            if (name, wording) not in frequent
            for line in same
        )
        for name, by_wording in counted.items()
    }


def _lines_of(
    context: JudgingContext, number: int, unit: str | None, rare_line: RareLine
) -> Iterator[ProcessLine]:
    """Yield the one line or the two lines of a wording in a file."""
    for line in (rare_line.first, rare_line.last)[: rare_line.times]:
        yield process_line(context, number, unit, line)


def _lines_before(
    incident: Incident, lines: Sequence[ProcessLine], logged: set[str]
) -> Iterator[Quote]:
    """Yield the last few lines before an incident began, none of one wording twice, and none of a
    wording that is quoted already.
    """
    since = incident.since.ms if incident.since else None
    assert since is not None
    first = bisect_left(lines, since - _SHORTLY_MS, key=lambda line: line.at_ms)
    last = bisect_left(lines, since, key=lambda line: line.at_ms)
    cause = incident.cause.quote.place if incident.cause else None
    by_wording: dict[bytes, ProcessLine] = {}
    for line in reversed(lines[first:last]):
        place = Place(line.file, line.line)
        is_quoted = place == cause or _wording(line.text) in logged
        if not is_quoted and len(by_wording) < _MOST_UNUSUAL:
            by_wording.setdefault(line.wording, line)
    for line in sorted(by_wording.values()):
        yield Quote(Place(line.file, line.line), line.text)


def _wording(text: str) -> str:
    """Return a line without what differs from time to time."""
    return re.sub(r"\d+", "0", text)
