"""Which processes tell of one system together, and which releases fit where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from statemachines.conform.systems.system_instances import StepsByInstance
from statemachines.logs import rotation_key
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.evidence.reports import (
    InstanceKey,
    Instant,
    Place,
    ProcessReleases,
    TimelineStep,
)
from statemachines.notation.releases.release_ranges import parse_ranges

_SAME_NAMES = "instances of one name in several processes, so nothing tells which belong together"
_FOLDERS_APART = (
    "folders that are kept apart may tell of one instance each, and the rules go over processes"
)


@frozen
class ProcessGroup:
    """What belongs together: the rows of one process, or of all where machines are shared."""

    rows: StepsByInstance
    processes: tuple[str, ...]
    unjudgeable_reason: str = ""
    """Why nothing can be judged in it."""
    remembered: Mapping[tuple[str, InstanceKey], InstanceKey] = field(factory=dict)
    """Fields that instances are known by beside their keys."""


def group_processes(
    spec: SystemSpecDefinition,
    rows: Sequence[TimelineStep],
    remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey],
    *,
    separate: bool,
) -> list[ProcessGroup]:
    """Put the steps of a system's machines together.

    Args:
        spec: one of whose machines is `shared` goes over all processes; else each process is by
            itself.
        rows: of its machines.
        remembered: what instances are known by beside their keys, as a report has it.
        separate: whether folders are systems of their own.
    """
    shared = {
        machine.name
        for _, machine in spec.machines
        if machine.log is not None and machine.log.shared
    }
    processes = dict.fromkeys(step.process for step in rows)
    if shared and len(processes) > 1:
        return [_group_all(spec, rows, remembered, shared, separate=separate)]
    found: dict[str, dict[tuple[str, InstanceKey], list[TimelineStep]]] = {
        process: defaultdict(list) for process in processes
    }
    for step in rows:
        found[step.process][step.machine, step.instance].append(step)
    return [
        ProcessGroup(mine, (process,), remembered=_remembered_rows(mine, remembered))
        for process, mine in found.items()
    ]


def _remembered_rows(
    rows: StepsByInstance, remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey]
) -> dict[tuple[str, InstanceKey], InstanceKey]:
    """Return what the instances of a group are known by beside their keys."""
    return {
        who: remembered[step.machine, step.process, step.instance]
        for who, steps in rows.items()
        for step in steps[:1]
        if (step.machine, step.process, step.instance) in remembered
    }


def _group_all(
    spec: SystemSpecDefinition,
    rows: Sequence[TimelineStep],
    remembered: Mapping[tuple[str, str, InstanceKey], InstanceKey],
    shared: set[str],
    *,
    separate: bool,
) -> ProcessGroup:
    """Put all processes together; what is not shared and has one name in two of them is two
    instances.
    """
    tellers: dict[tuple[str, InstanceKey], dict[str, None]] = defaultdict(dict)
    for step in rows:
        tellers[step.machine, step.instance][step.process] = None
    twins = {
        who for who, processes in tellers.items() if who[0] not in shared and len(processes) > 1
    }
    together: dict[tuple[str, InstanceKey], list[TimelineStep]] = defaultdict(list)
    for step in rows:
        own = (("process", step.process),) if (step.machine, step.instance) in twins else ()
        together[step.machine, (*step.instance, *own)].append(step)
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
    processes = tuple(dict.fromkeys(step.process for step in rows))
    return ProcessGroup(together, processes, why, _remembered_rows(together, remembered))


@frozen
class SystemFits:
    """The releases of a system that fit, by process and place."""

    spec: SystemSpecDefinition
    stretches: Mapping[str, Sequence[tuple[ProcessReleases, ReleaseSet]]]
    tolerance: int
    _fitting_process: dict[str, ReleaseSet] = field(init=False, factory=dict, eq=False)
    """What fits a process anywhere, once asked."""

    @classmethod
    def from_rows(
        cls, spec: SystemSpecDefinition, rows: Iterable[ProcessReleases], tolerance: int
    ) -> SystemFits:
        """Read the rows of a report; those of other families say nothing."""
        found: dict[str, list[tuple[ProcessReleases, ReleaseSet]]] = defaultdict(list)
        for row in rows:
            if spec.family.name and row.family in ("", spec.family.name):
                found[row.process].append(
                    (row, parse_ranges(row.releases, spec.family, Span("", 1, 1))[0])
                )
        return cls(spec, found, tolerance)

    def fitting_anywhere(self, processes: Iterable[str]) -> ReleaseSet:
        """Return the releases of the system that fit some processes anywhere; all where nothing is
        told of them.
        """
        fitting = 0
        for process in processes:
            known = self.stretches.get(process)
            fitting |= _union_releases(known) if known else self.spec.releases
        return fitting & self.spec.releases

    def fitting_step(self, step: TimelineStep) -> ReleaseSet:
        """Return the releases that fit the line of a step."""
        return self.fitting_at(step.process, step.place, step.at)

    def fitting_at(self, process: str, place: Place | None, at: Instant | None) -> ReleaseSet:
        """Return the releases that fit a line; near a banner in another file those on both sides of
        it.
        """
        known = self.stretches.get(process)
        if not known or len(known) == 1 or place is None:
            if process not in self._fitting_process:
                self._fitting_process[process] = self.fitting_anywhere([process])
            return self._fitting_process[process]
        begun = [
            number
            for number, (row, _) in enumerate(known)
            if self._has_begun(row, place, at, -self.tolerance)
        ]
        surely = [
            number
            for number in begun
            if self._has_begun(known[number][0], place, at, self.tolerance)
        ]
        return (
            _union_releases(known[max(surely, default=0) : max(begun, default=0) + 1])
            & self.spec.releases
        )

    def _has_begun(
        self, row: ProcessReleases, place: Place, at: Instant | None, slack: int
    ) -> bool:
        """Tell whether a stretch has begun by a line; of another log so many milliseconds before
        it.
        """
        if row.from_line is None or row.from_file is None:
            return True
        if rotation_key(row.from_file)[0] == rotation_key(place.file)[0]:
            return (*rotation_key(row.from_file), row.from_line) <= (
                *rotation_key(place.file),
                place.line,
            )
        if at is None or at.ms is None or row.from_ms is None:
            return slack < 0
        return row.from_ms + slack <= at.ms


def _union_releases(known: Sequence[tuple[ProcessReleases, ReleaseSet]]) -> ReleaseSet:
    fitting = 0
    for _, releases in known:
        fitting |= releases
    return fitting
