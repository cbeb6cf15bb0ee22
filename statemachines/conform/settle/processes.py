"""Which processes a log tells of, which releases fit them and what their files show: settled when
every profile is known.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from attrs import Factory, define, field, frozen

from statemachines.conform.interchange.check_plan import LEVEL_RANKS, CheckPlan, FamilyPlan
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.interchange.profiles import (
    BEGIN_KINDS,
    CarriedGeneration,
    LineSignature,
    ProcessEvent,
    Profile,
    Shift,
    UnitProfile,
)
from statemachines.conform.settle.fitting_releases import ReleaseFit, fit_releases
from statemachines.logs import LONGEST_NUMBER

Unit = tuple[int, "str | None"]
"""A file's number and a prefix in it."""


@frozen
class CheckedFile:
    """A log file of a check."""

    name: str
    """As reports call it."""
    stem: str
    """The name without its rotation suffix."""
    age: tuple[object, ...] = ()
    """Sorts the files of a stem, oldest first."""

    @property
    def folder(self) -> str:
        """The folder that the file lies in."""
        return os.path.dirname(self.name)

    @property
    def system(self) -> str:
        """The first folder of its name: where systems are kept apart, all below it is one."""
        return self.name.partition("/")[0] if "/" in self.name else ""


@define
class Process:
    """A process that lines tell of."""

    name: str
    units: list[Unit] = Factory(list)
    fits: dict[str, list[ReleaseFit]] = Factory(dict)
    """Family: the releases that fit, from which position on."""
    own_fits: dict[int, list[ReleaseFit]] = Factory(dict)
    """Machines that write a release line of their own."""
    shown_levels: dict[tuple[int, int, str], int] = Factory(dict)
    """Stem, owner and logger: rank of the quietest level that was read."""
    possible_starts: list[Position] = Factory(list)
    """Where the process begins, or may begin, sorted."""
    certain_starts: list[Position] = Factory(list)
    """Where it surely begins, sorted: what it told before is over."""
    ends: list[Position] = Factory(list)
    problems: list[str] = Factory(list)

    def fitting_releases(self, owner: int, family: str, position: Position) -> int:
        """Return the releases that fit a machine's line at a position."""
        known = self.own_fits.get(owner) or self.fits.get(family) or []
        index = bisect_right([fit.start for fit in known], position) - 1
        return known[max(index, 0)].releases if known else 0

    def only_fit(self, owner: int, family: str) -> int:
        """Return the releases that fit all lines of a machine; -1 where they are not the same."""
        known = self.own_fits.get(owner) or self.fits.get(family) or []
        return known[0].releases if len(known) == 1 else -1 if known else 0

    def run_key(self, owner: int, family: str, position: Position) -> tuple[object, ...]:
        """Return what names the run of the process that a line belongs to, as far as banners and
        beginnings tell runs apart.
        """
        own = self.own_fits.get(owner)
        known = own or self.fits.get(family) or []
        index = bisect_right([fit.start for fit in known], position) - 1
        return family, owner if own else -1, index, bisect_right(self.possible_starts, position)

    def began_between(self, after: Position, until: Position) -> bool:
        """Say whether the process began between two positions."""
        index = bisect_right(self.possible_starts, after)
        return index < len(self.possible_starts) and self.possible_starts[index] < until

    def started_after(self, position: Position) -> Position | None:
        """Return the first place after a position where the process surely began anew."""
        index = bisect_right(self.certain_starts, position)
        return self.certain_starts[index] if index < len(self.certain_starts) else None

    def ended_after(self, position: Position) -> bool:
        """Say whether the process ended after a position, and did not begin again."""
        last_begin = self.possible_starts[-1] if self.possible_starts else position
        return bool(self.ends) and self.ends[-1] > max(position, last_begin)


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
    stems: dict[str, int] = field(init=False)
    rotation_indexes: tuple[int, ...] = field(init=False)
    _generations_by_carrier: dict[Unit, dict[tuple[str, str, str], list[tuple[int, str]]]] = field(
        init=False, factory=dict
    )
    """`carried` by what it was told for; each unit on first use."""
    kept: dict[tuple[int, int], list[Observation]] = field(init=False, factory=dict)
    """`abroad` by machine and teller; each on first use."""

    def __attrs_post_init__(self) -> None:
        names = sorted({file.stem for file in self.files})
        self.stems = {stem: number for number, stem in enumerate(names)}
        self.rotation_indexes = rotation_indexes(self.files)

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
        systems = sorted({file.system for file in self.files})
        return -1 - systems.index(self.files[self.processes[process].units[0][0]].system)

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
        found = self._latest_generation(
            (log.generation or "", log.generation_carrier or "", carrier), observation
        )
        if found is None or (log.generation in log.numeric_fields and len(found) > LONGEST_NUMBER):
            return None
        value = int(found) if log.generation in log.numeric_fields else found
        return observation._replace(key=tuple(value if v is None else v for v in observation.key))

    def _latest_generation(
        self, told: tuple[str, str, str], observation: Observation
    ) -> str | None:
        """Return the last generation that a line up to an observation's told for a carrier."""
        unit = observation.file, observation.unit
        if unit not in self._generations_by_carrier:
            self._generations_by_carrier[unit] = defaultdict(list)
            for entry in self.generations.get(unit, ()):
                self._generations_by_carrier[unit][entry.field, entry.carrier, entry.value].append(
                    (entry.line, entry.generation)
                )
        entries = self._generations_by_carrier[unit].get(told, [])
        index = bisect_right(entries, observation.line, key=lambda entry: entry[0])
        return entries[index - 1][1] if index else None


def rotation_indexes(files: tuple[CheckedFile, ...]) -> tuple[int, ...]:
    """Number the files of each stem, oldest first."""
    by_stem: dict[str, list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        by_stem[file.stem].append(number)
    parts = [0] * len(files)
    for numbers in by_stem.values():
        for part, number in enumerate(sorted(numbers, key=lambda n: (files[n].age, files[n].name))):
            parts[number] = part
    return tuple(parts)


def settle_context(
    plan: CheckPlan, files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> JudgingContext:
    """Settle what the profiles of all files say together."""
    names = dict(process_names(plan, files, profiles))
    numbers: dict[str, int] = {}
    abroad = tuple(seen for profile in profiles for seen in profile.abroad)
    context = JudgingContext(
        plan,
        files,
        [],
        {},
        rotation_shifts(files, profiles),
        carried_generations(files, profiles),
        abroad,
    )
    for unit, name in names.items():
        if name not in numbers:
            numbers[name] = len(context.processes)
            context.processes.append(Process(name.rpartition("\0")[2]))
        context.process_by_unit[unit] = numbers[name]
        context.processes[numbers[name]].units.append(unit)
    for process in context.processes:
        _settle_process(context, process, profiles)
    return context


def process_names(
    plan: CheckPlan, files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> Iterator[tuple[Unit, str]]:
    """Yield the name of every unit's process; a name that holds in one place only is led by that
    place and a NUL.
    """
    stems: dict[tuple[str, str | None], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    folders: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file, profile in zip(files, profiles, strict=True):
        for prefix, unit in profile.units.items():
            for family, values in unit.process_names.items():
                stems[file.stem, prefix][family] |= values
                if prefix is None:
                    folders[file.folder][family] |= values
    for number, (file, profile) in enumerate(zip(files, profiles, strict=True)):
        for prefix in profile.prefixes:
            if prefix is not None:
                yield (number, prefix), f"{file.stem}\0{prefix}"
                continue
            named = _agreed_name(plan, stems[file.stem, None]) or (
                not any(stems[file.stem, None].values())
                and _agreed_name(plan, folders[file.folder])
            )
            apart = f"{file.system}\0" if plan.options.separate_folders else ""
            yield (number, prefix), f"{apart}{named}" if named else file.stem


def _agreed_name(plan: CheckPlan, named: dict[str, set[str]]) -> str | None:
    for family in plan.families:
        values = named.get(family.family.name, set())
        if len(values) == 1:
            return f"{family.log.process_word or family.log.process} {next(iter(values))}"
    return None


def rotation_shifts(files: tuple[CheckedFile, ...], profiles: list[Profile]) -> dict[Unit, Shift]:
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


def carried_generations(
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
        yield (
            f"{process.name} is told of in {' and '.join(folders)}: if these are two systems,"
            " --separate keeps them apart"
        )


def _concerns_family(plan: CheckPlan, process_event: ProcessEvent, family: FamilyPlan) -> bool:
    return plan.owners[process_event.owner].family == family.family.name and (
        process_event.kind != "release" or process_event.owner >= len(plan.specs)
    )


def given_level_ranks(plan: CheckPlan, logger: str) -> Iterable[int]:
    """Yield the level that the user says a logger's file shows."""
    for known, level in plan.options.levels:
        if known is None or logger == known or logger.startswith(known + "."):
            yield LEVEL_RANKS[level]
