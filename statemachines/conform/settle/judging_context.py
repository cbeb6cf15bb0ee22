"""What judging needs to know beside the observations of one instance."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from functools import cached_property

from attrs import define, field

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.interchange.profiles import (
    CarriedGeneration,
    Shift,
)
from statemachines.conform.settle.processes import CheckedFile, Process, Unit, rotation_indexes
from statemachines.logs import LONGEST_NUMBER


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
        systems = [file.system_below(self.plan.options.systems_root) for file in self.files]
        own = systems[self.processes[process].units[0][0]]
        return -1 - sorted(set(systems)).index(own)

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
