"""Which processes tell of one system together, and which releases fit where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from statemachines.conform.systems.gathering import Rows
from statemachines.logs import rotation
from statemachines.model.places import Span
from statemachines.model.releases import Releases
from statemachines.model.reports import Instant, Key, Place, ProcessReleases, Step
from statemachines.model.systems import SystemSpec
from statemachines.notation.ranges import parse_ranges

TWINS = "instances of one name in several processes, so nothing tells which belong together"
APART = "folders that are kept apart may tell of one instance each, and the rules go over processes"


@frozen
class World:
    """What belongs together: the rows of one process, or of all where machines are shared."""

    rows: Rows
    processes: tuple[str, ...]
    why: str = ""
    """Why nothing can be judged in it."""


def worlds_of(spec: SystemSpec, rows: Sequence[Step], *, separate: bool) -> list[World]:
    """Put the steps of a system's machines together.

    Args:
        spec: one of whose machines is `shared` goes over all processes; else each process is by itself.
        rows: of its machines.
        separate: whether folders are systems of their own.
    """
    shared = {machine.name for _, machine in spec.machines if machine.log is not None and machine.log.shared}
    processes = dict.fromkeys(step.process for step in rows)
    if shared and len(processes) > 1:
        return [_over_all(spec, rows, shared, separate=separate)]
    found: dict[str, dict[tuple[str, Key], list[Step]]] = {process: defaultdict(list) for process in processes}
    for step in rows:
        found[step.process][step.machine, step.instance].append(step)
    return [World(mine, (process,)) for process, mine in found.items()]


def _over_all(spec: SystemSpec, rows: Sequence[Step], shared: set[str], *, separate: bool) -> World:
    """Put all processes together; what is not shared and has one name in two of them is two instances."""
    tellers: dict[tuple[str, Key], dict[str, None]] = defaultdict(dict)
    for step in rows:
        tellers[step.machine, step.instance][step.process] = None
    twins = {who for who, processes in tellers.items() if who[0] not in shared and len(processes) > 1}
    together: dict[tuple[str, Key], list[Step]] = defaultdict(list)
    for step in rows:
        own = (("process", step.process),) if (step.machine, step.instance) in twins else ()
        together[step.machine, (*step.instance, *own)].append(step)
    alone = {part.machine for _, wiring in spec.versions for part in wiring.parts if part.each is None and not part.optional}
    why = APART if separate else TWINS if any(machine in alone for machine, _ in twins) else ""
    return World(together, tuple(dict.fromkeys(step.process for step in rows)), why)


@frozen
class Fits:
    """The releases of a system that fit, by process and place."""

    spec: SystemSpec
    stretches: Mapping[str, Sequence[tuple[ProcessReleases, Releases]]]
    tolerance: int
    _alone: dict[str, Releases] = field(init=False, factory=dict, eq=False)
    """What fits a process anywhere, once asked."""

    @classmethod
    def of(cls, spec: SystemSpec, rows: Iterable[ProcessReleases], tolerance: int) -> Fits:
        """Read the rows of a report; those of other families say nothing."""
        found: dict[str, list[tuple[ProcessReleases, Releases]]] = defaultdict(list)
        for row in rows:
            if spec.family.name and row.family in ("", spec.family.name):
                found[row.process].append((row, parse_ranges(row.releases, spec.family, Span("", 1, 1))[0]))
        return cls(spec, found, tolerance)

    def anywhere(self, processes: Iterable[str]) -> Releases:
        """Return the releases of the system that fit some processes anywhere; all where nothing is told of them."""
        fitting = 0
        for process in processes:
            known = self.stretches.get(process)
            fitting |= _union(known) if known else self.spec.releases
        return fitting & self.spec.releases

    def of_step(self, step: Step) -> Releases:
        """Return the releases that fit the line of a step."""
        return self.at(step.process, step.place, step.at)

    def at(self, process: str, place: Place | None, at: Instant | None) -> Releases:
        """Return the releases that fit a line; near a banner in another file those on both sides of it."""
        known = self.stretches.get(process)
        if not known or len(known) == 1 or place is None:
            if process not in self._alone:
                self._alone[process] = self.anywhere([process])
            return self._alone[process]
        begun = [number for number, (row, _) in enumerate(known) if self._began(row, place, at, -self.tolerance)]
        surely = [number for number in begun if self._began(known[number][0], place, at, self.tolerance)]
        return _union(known[max(surely, default=0) : max(begun, default=0) + 1]) & self.spec.releases

    def _began(self, row: ProcessReleases, place: Place, at: Instant | None, slack: int) -> bool:
        """Tell whether a stretch has begun by a line; of another log so many milliseconds before it."""
        if row.from_line is None or row.from_file is None:
            return True
        if rotation(row.from_file)[0] == rotation(place.file)[0]:
            return (*rotation(row.from_file), row.from_line) <= (*rotation(place.file), place.line)
        if at is None or at.ms is None or row.from_ms is None:
            return slack < 0
        return row.from_ms + slack <= at.ms


def _union(known: Sequence[tuple[ProcessReleases, Releases]]) -> Releases:
    fitting = 0
    for _, releases in known:
        fitting |= releases
    return fitting
