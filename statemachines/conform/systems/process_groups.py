"""Which processes log one system together, and which releases fit where."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from attrs import field, frozen

from statemachines.conform.interchange.instance_steps import InstanceSteps
from statemachines.conform.systems.observed_steps import (
    InstanceName,
    ObservedInstances,
    StepsByInstance,
)
from statemachines.logs import rotation_key
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.evidence.reports import (
    InstanceKey,
    Instant,
    Place,
    ProcessReleases,
)
from statemachines.notation.releases.release_ranges import parse_ranges

_PlaceKey = tuple["str | int", ...]
"""The log of a line, and its place in all files of it."""
_Ordered = TypeVar("_Ordered", int, _PlaceKey)
_SAME_NAMES = "instances of one name in several processes, so nothing tells which belong together"
_FOLDERS_APART = (
    "folders that are kept apart may tell of one instance each, and the rules go over processes"
)


@frozen
class ProcessGroup:
    """What belongs together: what one process told, or all where machines are shared."""

    instances: ObservedInstances
    processes: tuple[str, ...]
    unjudgeable_reason: str = ""
    """Why nothing can be judged in it."""
    remembered: Mapping[tuple[str, InstanceKey], InstanceKey] = field(factory=dict)
    """Fields that instances are known by beside their keys."""


def group_processes(
    spec: SystemSpecDefinition,
    instances: Sequence[InstanceSteps],
    remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey],
    *,
    separate: bool,
) -> list[ProcessGroup]:
    """Put the steps of a system's machines together.

    Args:
        spec: one of whose machines is `shared` goes over all processes; else each process is by
            itself.
        instances: of its machines.
        remembered: what instances are known by beside their keys, as a report has it.
        separate: whether folders are systems of their own.
    """
    shared = {
        machine.name
        for _, machine in spec.machines
        if machine.log is not None and machine.log.shared
    }
    processes = dict.fromkeys(name for some in instances for name in some.processes)
    if shared and len(processes) > 1:
        return [_group_all(spec, instances, remembered, shared, separate=separate)]
    by_process: dict[str, dict[InstanceName, list[InstanceSteps]]] = {
        process: defaultdict(list) for process in processes
    }
    for some in instances:
        for process in some.processes:
            by_process[process][some.machine, some.instance].append(some.of_process(process))
    return [
        ProcessGroup(
            ObservedInstances(mine), (process,), remembered=_remembered_rows(mine, remembered)
        )
        for process, mine in by_process.items()
    ]


def _remembered_rows(
    rows: StepsByInstance, remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey]
) -> dict[tuple[str, InstanceKey], InstanceKey]:
    """Return what the instances of a group are known by beside their keys."""
    known = {
        who: (some[0].machine, some[0].processes[0], some[0].instance) for who, some in rows.items()
    }
    return {who: remembered[name] for who, name in known.items() if name in remembered}


def _group_all(
    spec: SystemSpecDefinition,
    instances: Sequence[InstanceSteps],
    remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey],
    shared: set[str],
    *,
    separate: bool,
) -> ProcessGroup:
    """Put all processes together; what is not shared and has one name in two of them is two
    instances.
    """
    tellers: dict[tuple[str, InstanceKey], dict[str, None]] = defaultdict(dict)
    for some in instances:
        tellers[some.machine, some.instance] |= dict.fromkeys(some.processes)
    twins = {
        who for who, processes in tellers.items() if who[0] not in shared and len(processes) > 1
    }
    together: dict[InstanceName, list[InstanceSteps]] = defaultdict(list)
    for some in instances:
        if (some.machine, some.instance) not in twins:
            together[some.machine, some.instance].append(some)
            continue
        for process in some.processes:
            own = *some.instance, ("process", process)
            together[some.machine, own].append(some.of_process(process))
    alone = {
        part.machine
        for _, wiring in spec.versions
        for part in wiring.parts
        if part.each is None and not part.optional
    }
    why = (
        _FOLDERS_APART
        if separate
        else _SAME_NAMES
        if any(machine in alone for machine, _ in twins)
        else ""
    )
    processes = tuple(dict.fromkeys(name for some in instances for name in some.processes))
    return ProcessGroup(
        ObservedInstances(together), processes, why, _remembered_rows(together, remembered)
    )


class _Stretches:
    """The stretches of one process by the banners that begin them, oldest first."""

    def __init__(self, known: Sequence[tuple[ProcessReleases, ReleaseSet]]) -> None:
        self._known = known
        self._keys = [_place_key(row) for row, _ in known]
        self._logs = {key[0] for key in self._keys if key is not None}
        self._times = [row.from_ms for row, _ in known]

    def around(
        self, place: Place, at: Instant | None, tolerance: int
    ) -> Sequence[tuple[ProcessReleases, ReleaseSet]]:
        """Return the stretches that a line may stand in; near a banner in another file those on
        both sides of it.

        Complexity: a search of all banners by halves where they stand in one log in their order;
        else all are looked at.
        """
        log, where = rotation_key(place.file)
        key = (log, *where, place.line)
        surely = self._last_begun(key, at, tolerance)
        begun = surely if self._logs == {log} else self._last_begun(key, at, -tolerance)
        return self._known[min(surely, begun) : begun + 1]

    def _last_begun(self, key: _PlaceKey, at: Instant | None, slack: int) -> int:
        """Return the index of the last stretch that has begun by a line; of another log so many
        milliseconds before it.
        """
        ms = at.ms if at is not None else None
        if self._logs == {key[0]} and self._keys_in_order is not None:
            return bisect_right(self._keys_in_order, key)
        if key[0] not in self._logs and ms is not None and self._times_in_order is not None:
            return bisect_right(self._times_in_order, ms - slack)
        last = len(self._known) - 1
        return next((n for n in range(last, 0, -1) if self._has_begun(n, key, ms, slack)), 0)

    @cached_property
    def _keys_in_order(self) -> list[_PlaceKey] | None:
        """Where the stretches behind the first begin; None where it is not in their order."""
        return _in_order(self._keys[1:])

    @cached_property
    def _times_in_order(self) -> list[int] | None:
        """When they begin, likewise."""
        return _in_order(self._times[1:])

    def _has_begun(self, number: int, key: _PlaceKey, ms: int | None, slack: int) -> bool:
        began, time = self._keys[number], self._times[number]
        if began is None:
            return True
        if began[0] == key[0]:
            return began <= key
        return slack < 0 if ms is None or time is None else time + slack <= ms


def _place_key(row: ProcessReleases) -> _PlaceKey | None:
    if row.from_line is None or row.from_file is None:
        return None
    log, where = rotation_key(row.from_file)
    return (log, *where, row.from_line)


def _in_order(values: Sequence[_Ordered | None]) -> list[_Ordered] | None:
    """Return some values if all are there, and in their order."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) and known == sorted(known) else None


@frozen
class SystemFits:
    """The releases of a system that fit, by process and place."""

    spec: SystemSpecDefinition
    stretches: Mapping[str, Sequence[tuple[ProcessReleases, ReleaseSet]]]
    tolerance: int
    _fitting_process: dict[str, ReleaseSet] = field(init=False, factory=dict, eq=False)
    """What fits a process anywhere, once asked."""
    _stretches: dict[str, _Stretches] = field(init=False, factory=dict, eq=False)
    """By process, once asked."""

    @classmethod
    def from_rows(
        cls, spec: SystemSpecDefinition, rows: Iterable[ProcessReleases], tolerance: int
    ) -> SystemFits:
        """Read the rows of a report; those of other families say nothing."""
        by_process: dict[str, list[tuple[ProcessReleases, ReleaseSet]]] = defaultdict(list)
        for row in rows:
            if spec.family.name and row.family in ("", spec.family.name):
                by_process[row.process].append(
                    (row, parse_ranges(row.releases, spec.family, Span("", 1, 1))[0])
                )
        return cls(spec, by_process, tolerance)

    def fitting_anywhere(self, processes: Iterable[str]) -> ReleaseSet:
        """Return the releases of the system that fit some processes anywhere; all where nothing is
        told of them.
        """
        fitting = 0
        for process in processes:
            known = self.stretches.get(process)
            fitting |= _union_releases(known) if known else self.spec.releases
        return fitting & self.spec.releases

    def fitting_everywhere(self, process: str) -> ReleaseSet | None:
        """Return the releases that fit all lines of a process; None where not all are the same."""
        if len(self.stretches.get(process, ())) > 1:
            return None
        if process not in self._fitting_process:
            self._fitting_process[process] = self.fitting_anywhere([process])
        return self._fitting_process[process]

    def fitting_line(self, process: str, file: str, line: int, ms: int) -> ReleaseSet:
        """Return the releases that fit a line of a process: in which file, and when."""
        return self.fitting_at(process, Place(file, line), Instant(ms))

    def fitting_at(self, process: str, place: Place | None, at: Instant | None) -> ReleaseSet:
        """Return the releases that fit a line; near a banner in another file those on both sides of
        it.
        """
        everywhere = self.fitting_everywhere(process)
        if everywhere is not None:
            return everywhere
        known = self.stretches[process]
        if place is None:
            return self.fitting_anywhere([process])
        stretches = self._stretches.get(process)
        if stretches is None:
            stretches = self._stretches[process] = _Stretches(known)
        around = stretches.around(place, at, self.tolerance)
        return _union_releases(around) & self.spec.releases


def _union_releases(known: Sequence[tuple[ProcessReleases, ReleaseSet]]) -> ReleaseSet:
    fitting = 0
    for _, releases in known:
        fitting |= releases
    return fitting
