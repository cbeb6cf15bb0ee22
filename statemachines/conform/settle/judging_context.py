"""What judging needs to know beside the observations of one instance: what the profiles of all
files say together, settled when every profile is known; and the order in which its observations are
judged.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from operator import attrgetter, le, lt

from attrs import field

from statemachines.conform.interchange.check_plan import CheckPlan, FamilyPlan
from statemachines.conform.interchange.doubled_lines import LineSignature
from statemachines.conform.interchange.observations import KeyValues, Observation, Position
from statemachines.conform.interchange.profiles import (
    BEGIN_KINDS,
    CarriedGeneration,
    ProcessEvent,
    Profile,
    Shift,
    UnitProfile,
)
from statemachines.conform.settle.processes import (
    CheckedFile,
    Process,
    Unit,
    fit_releases,
    process_names,
    rotation_indexes,
)
from statemachines.logs import LONGEST_NUMBER
from statemachines.model.evidence.sources import KEPT_APART
from statemachines.model.values import define


@define
class JudgingContext:
    """Everything that judging needs to know beside an instance's own observations."""

    plan: CheckPlan
    files: tuple[CheckedFile, ...]
    processes: list[Process]
    process_by_unit: dict[Unit, int]
    shifts: dict[Unit, Shift]
    """How the times of a file move by the files of its stem that are older."""
    generations: dict[Unit, list[CarriedGeneration]]
    abroad: tuple[Observation, ...] = ()
    """Lines of many instances that do not tell their keys."""
    doubled: frozenset[Unit] = frozenset()
    """Units of which whole kinds of lines stand twice: two appenders write to one place."""
    stems: dict[str, int] = field(init=False)
    rotation_indexes: tuple[int, ...] = field(init=False)
    _generations_by_carrier: dict[Unit, dict[tuple[str, str, str], list[tuple[int, str]]]] = field(
        init=False, factory=dict
    )
    """`carried` by what it was told for; each unit on first use."""
    abroad_by_teller: dict[tuple[int, int], list[Observation]] = field(init=False, factory=dict)
    """`abroad` by machine and teller; each on first use."""

    def __attrs_post_init__(self) -> None:
        names = sorted({file.stem for file in self.files})
        self.stems = {stem: number for number, stem in enumerate(names)}
        self.rotation_indexes = rotation_indexes(self.files)

    @cached_property
    def doubled_files(self) -> frozenset[int]:
        """Files in which lines stand twice."""
        return frozenset(file for file, _ in self.doubled)

    @cached_property
    def may_have_copies(self) -> bool:
        """Whether several files that are not rotated ones of each other tell of one process."""
        return any(
            len({self.files[file].stem for file, _ in process.units}) > 1
            for process in self.processes
        )

    def process_index(self, observation: Observation) -> int:
        """Return the number of the process that an observation comes from."""
        return self.process_by_unit[observation.file, observation.unit]

    def system_index(self, process: int) -> int:
        """Return the number of the system that a process belongs to, below zero: -1 unless folders
        are kept apart.
        """
        if not self.plan.options.separate_folders:
            return -1
        own = self.files[self.processes[process].units[0][0]]
        return self.systems[own.system_below(self.plan.options.systems_root)]

    @cached_property
    def systems(self) -> dict[str, int]:
        """Folders that are systems, and the number of each."""
        root = self.plan.options.systems_root
        folders = sorted({file.system_below(root) for file in self.files})
        return {folder: -1 - number for number, folder in enumerate(folders)}

    def run_key(self, process: int, owner: int, position: Position) -> tuple[object, ...]:
        """Return what names the run of a process that a machine's line belongs to: one release has
        written it.
        """
        return process, *self.processes[process].run_key(
            owner, self.plan.specs[owner].family.name, position
        )

    def position(self, observation: Observation) -> Position:
        """Return where an observation stands in its process."""
        return self.line_position(
            observation.file, observation.unit, observation.reached, observation.line
        )

    def line_position(
        self, file: int, unit: str | None, reached: int | None, line: int
    ) -> Position:
        """Return where a line stands in its process."""
        reached = (
            self.shifts[file, unit].shifted_latest(unit, reached)
            if (file, unit) in self.shifts
            else reached
        )
        return Position(
            reached or 0, self.stems[self.files[file].stem], self.rotation_indexes[file], line
        )

    def file_at(self, position: Position) -> str:
        """Return the name of the file in which a position is."""
        numbered = enumerate(self.files)
        return next(
            file.name
            for n, file in numbered
            if (self.stems[file.stem], self.rotation_indexes[n]) == (position.stem, position.part)
        )

    def with_generation(self, observation: Observation) -> Observation | None:
        """Fill a generation that the line does not tell from an earlier line of its file; None: no
        line told one.
        """
        log = self.plan.owners[observation.owner].log
        if None not in observation.key or log is None:
            return observation
        carrier = (
            str(observation.key[log.instance.index(log.generation_carrier)])
            if log.generation_carrier in log.instance
            else ""
        )
        latest_generation = self._latest_generation(
            (log.generation or "", log.generation_carrier or "", carrier), observation
        )
        if latest_generation is None or (
            log.generation in log.numeric_fields and len(latest_generation) > LONGEST_NUMBER
        ):
            return None
        value = (
            int(latest_generation) if log.generation in log.numeric_fields else latest_generation
        )
        return observation._replace(key=tuple(value if v is None else v for v in observation.key))

    def _latest_generation(
        self, carrier_key: tuple[str, str, str], observation: Observation
    ) -> str | None:
        """Return the last generation that a line up to an observation's told for a carrier."""
        unit = observation.file, observation.unit
        if unit not in self._generations_by_carrier:
            self._generations_by_carrier[unit] = defaultdict(list)
            for entry in self.generations.get(unit, ()):
                self._generations_by_carrier[unit][entry.field, entry.carrier, entry.value].append(
                    (entry.line, entry.generation)
                )
        entries = self._generations_by_carrier[unit].get(carrier_key, [])
        index = bisect_right(entries, observation.line, key=lambda entry: entry[0])
        return entries[index - 1][1] if index else None


ObservationOrder = tuple["int | str", Position]
InstanceIdentity = tuple[int, int, KeyValues]
"""Machine, who tells of it, and key."""


_PLACE = attrgetter("file", "unit", "line", "reached")


def order_observations(
    context: JudgingContext, observations: Sequence[Observation]
) -> Sequence[Observation]:
    """Return the observations of one instance in the order in which they are judged; themselves,
    where they stand so. What one line tells of it twice stays in the order of that line.
    """
    if _is_in_order(observations):
        return observations
    return sorted(observations, key=partial(observation_order, context))


def _is_in_order(observations: Sequence[Observation]) -> bool:
    """Say at a glance whether observations are of one file, line after line."""
    if not observations:
        return True
    files, units, lines, reached = zip(*map(_PLACE, observations), strict=True)
    return (
        files.count(files[0]) == len(lines)
        and units.count(units[0]) == len(lines)
        and None not in reached
        and all(map(lt, lines, lines[1:]))
        and all(map(le, reached, reached[1:]))
    )


def observation_order(context: JudgingContext, observation: Observation) -> ObservationOrder:
    """Return what orders the observations of one instance: the place in its process; across
    processes the time.
    """
    return (
        context.process_index(observation) if not is_shared(context, observation.owner) else 0
    ), context.position(observation)


def is_shared(context: JudgingContext, owner: int) -> bool:
    """Say whether several processes tell of one instance of a machine."""
    log = context.plan.owners[owner].log
    return log is not None and log.shared


def instance_identity(context: JudgingContext, observation: Observation) -> InstanceIdentity:
    """Return what tells an instance from others: the machine, who tells of it (see `teller`) and
    the key.
    """
    return (
        observation.owner,
        reporting_process(context, observation.owner, context.process_index(observation)),
        observation.key,
    )


def reporting_process(context: JudgingContext, owner: int, process: int) -> int:
    """Return who tells of a machine's instances in a process: the process, or its system (a
    negative number) where processes share them.
    """
    return context.system_index(process) if is_shared(context, owner) else process


def settle_context(
    plan: CheckPlan, files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> JudgingContext:
    """Settle what the profiles of all files say together."""
    names = dict(process_names(plan, files, profiles))
    numbers: dict[str, int] = {}
    abroad = tuple(observation for profile in profiles for observation in profile.abroad)
    context = JudgingContext(
        plan,
        files,
        [],
        {},
        _rotation_shifts(files, profiles),
        _carried_generations(files, profiles),
        abroad,
        _doubled_units(profiles),
    )
    for unit, name in names.items():
        if name not in numbers:
            numbers[name] = len(context.processes)
            place, _, called = name.rpartition("\0")
            apart = plan.options.separate_folders and unit[1] is None and place
            context.processes.append(Process(f"{place}/{called}" if apart else called, name))
        context.process_by_unit[unit] = numbers[name]
        context.processes[numbers[name]].units.append(unit)
    for process in context.processes:
        _settle_process(context, process, profiles)
    return context


_FEWEST_DOUBLED = 5
"""Kinds of lines of which each must stand twice, for it to be no chance, and no fault of one."""


def _doubled_units(profiles: list[Profile]) -> frozenset[Unit]:
    return frozenset(
        (file, prefix)
        for file, profile in enumerate(profiles)
        for prefix, unit in profile.units.items()
        if unit.wholly_doubled >= _FEWEST_DOUBLED
    )


def _rotation_shifts(files: tuple[CheckedFile, ...], profiles: list[Profile]) -> dict[Unit, Shift]:
    """Return for each unit the latest time of the older files of its stem."""
    parts, shifts = rotation_indexes(files), dict[Unit, Shift]()
    latest: dict[tuple[str, str | None], int] = {}
    for number in sorted(range(len(files)), key=lambda n: (files[n].stem, parts[n])):
        for prefix, unit in profiles[number].units.items():
            before = latest.get((files[number].stem, prefix))
            if before is not None:
                shifts[number, prefix] = Shift(0, {prefix: before})
            reached = [time for time in (before, unit.reached) if time is not None]
            if reached:
                latest[files[number].stem, prefix] = max(reached)
    return shifts


def _carried_generations(
    files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> dict[Unit, list[CarriedGeneration]]:
    """Return the generations told in each unit, those of the older files of its stem before its own
    (with line 0).
    """
    parts, carried = rotation_indexes(files), dict[Unit, list[CarriedGeneration]]()
    latest: dict[tuple[str, str | None], dict[tuple[str, str, str], CarriedGeneration]] = {}
    for number in sorted(range(len(files)), key=lambda n: (files[n].stem, parts[n])):
        for prefix, unit in profiles[number].units.items():
            before = latest.get((files[number].stem, prefix), {})
            carried[number, prefix] = [*before.values(), *unit.generations]
            latest[files[number].stem, prefix] = {
                (c.field, c.carrier, c.value): c._replace(line=0) for c in carried[number, prefix]
            }
    return carried


def _settle_process(context: JudgingContext, process: Process, profiles: list[Profile]) -> None:
    """Fill in what the profiles of a process's units say."""
    units = [(unit, profiles[unit[0]].units.get(unit[1], UnitProfile())) for unit in process.units]
    process_events = sorted(
        (
            context.line_position(file, prefix, process_event.reached, process_event.line),
            process_event,
        )
        for (file, prefix), profile in units
        for process_event in profile.process_events
    )
    process.possible_starts = [
        position for position, process_event in process_events if process_event.kind in BEGIN_KINDS
    ]
    process.certain_starts = [
        position
        for position, process_event in process_events
        if process_event.kind == "process begins"
    ]
    process.ends = [
        position
        for position, process_event in process_events
        if process_event.kind == "process ends"
    ]
    read: Counter[LineSignature] = Counter()
    for (file, _), profile in units:
        read.update(profile.signatures)
        stem = context.stems[context.files[file].stem]
        for (owner, logger), rank in profile.levels.items():
            process.shown_levels[stem, owner, logger] = min(
                rank, process.shown_levels.get((stem, owner, logger), rank)
            )
    process.problems += _folder_problems(context, process, read)
    for family in context.plan.families:
        process.fits[family.family.name], problems = fit_releases(
            context.plan,
            family,
            list(read),
            [m for m in process_events if _concerns_family(context.plan, m[1], family)],
        )
        process.problems += problems
    for owner in {
        process_event.owner
        for _, process_event in process_events
        if process_event.kind == "release" and process_event.owner < len(context.plan.specs)
    }:
        own = [m for m in process_events if m[1].owner == owner or m[1].kind in BEGIN_KINDS]
        process.own_fits[owner], _ = fit_releases(
            context.plan, context.plan.owner_family(owner), list(read), own
        )


def _folder_problems(
    context: JudgingContext, process: Process, read: Iterable[LineSignature]
) -> Iterator[str]:
    """Say where several folders tell of one process and of an instance that processes share: one
    check judges one system.
    """
    folders = sorted({context.files[file].folder for file, _ in process.units})
    shared = any(
        owner.log is not None and owner.log.shared
        for owner in (context.plan.owners[signature.owner] for signature in read)
    )
    if len(folders) > 1 and shared:
        named = (folder or "the folder itself" for folder in folders)
        yield f"{process.name} is told of in {' and '.join(named)}: {KEPT_APART}"


def _concerns_family(plan: CheckPlan, process_event: ProcessEvent, family: FamilyPlan) -> bool:
    return plan.owners[process_event.owner].family == family.family.name and (
        process_event.kind != "release" or process_event.owner >= len(plan.specs)
    )
