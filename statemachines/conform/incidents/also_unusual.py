"""What a program hardly ever says and said shortly before the first thing that went wrong."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from statemachines.conform.incidents.also_logged import ProcessLine, process_line
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.interchange.rare_lines import RARE, RareLine
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import Place, Quote

_SHORTLY_MS = 60_000
"""So long before the first incident a line may have been a sign of it."""
_MOST_UNUSUAL = 3


def with_unusual_lines(
    incidents: Sequence[Incident], context: JudgingContext, profiles: Sequence[Profile]
) -> tuple[Incident, ...]:
    """Return incidents, the first one in time with the rare lines at WARN, ERROR or FATAL that no
    machine knows and that its process wrote shortly before; those that stand beside an incident
    already are left out. At most three in all.

    Args:
        incidents: in the order of the report.
        context: which process each unit of a file is.
        profiles: of all files, by number.
    """
    lines = _rare_lines(context, profiles)
    told = {line.place for incident in incidents for line in incident.also_logged}
    timed = [
        incident
        for incident in incidents
        if incident.since is not None and incident.since.ms is not None
    ]
    for first in sorted(
        timed, key=lambda incident: ((incident.since and incident.since.ms) or 0, incident.number)
    ):
        if quotes := tuple(_lines_before(first, lines.get(first.process, ()), told)):
            marked = evolve(first, also_unusual=quotes)
            return tuple(marked if incident is first else incident for incident in incidents)
    return tuple(incidents)


def _rare_lines(
    context: JudgingContext, profiles: Sequence[Profile]
) -> Mapping[str, Sequence[ProcessLine]]:
    """Return the lines of each process whose wording stands in it twice at most, by time."""
    counted: dict[str, dict[bytes, list[ProcessLine]]] = defaultdict(lambda: defaultdict(list))
    frequent: set[tuple[str, bytes]] = set()
    for number, profile in enumerate(profiles):
        for (unit, wording), one in profile.rare.items():
            process = context.process_by_unit.get((number, unit))
            if process is None:
                continue
            name = context.processes[process].name
            same = counted[name][wording]
            same += _lines_of(context, number, unit, one)
            if one.times > RARE or len(same) > RARE:
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
    incident: Incident, lines: Sequence[ProcessLine], told: set[Place]
) -> Iterator[Quote]:
    """Yield the last few lines before an incident began, none of one wording twice."""
    since = incident.since.ms if incident.since else None
    assert since is not None
    first = bisect_left(lines, since - _SHORTLY_MS, key=lambda one: one.at_ms)
    last = bisect_left(lines, since, key=lambda one: one.at_ms)
    cause = incident.cause.quote.place if incident.cause else None
    kept: dict[bytes, ProcessLine] = {}
    for line in reversed(lines[first:last]):
        place = Place(line.file, line.line)
        if place not in told and place != cause and len(kept) < _MOST_UNUSUAL:
            kept.setdefault(line.wording, line)
    for line in sorted(kept.values()):
        yield Quote(Place(line.file, line.line), line.text)
