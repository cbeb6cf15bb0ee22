"""What a piece of a file shows as a whole, beside its observations, as it is noted."""

from __future__ import annotations

from bisect import insort

from statemachines.conform.interchange.loud_lines import (
    add_loud_line,
    add_rare_line,
    make_loud_line,
)
from statemachines.conform.interchange.profiles import (
    MOST_UNREAD_SAMPLES,
    CarriedGeneration,
    Profile,
    UnitProfile,
    join_counted_lines,
    merge_reasons,
)
from statemachines.logs import LOUD_LEVELS, LoudRecord
from statemachines.model.evidence.records import Record

MOST_PROCESS_NAMES = 3
"""Names of a process that are kept: more than one is as good as none."""


class ChunkProfile:
    """Notes what the lines of a piece show."""

    def __init__(self) -> None:
        self.profile = Profile()
        self.last_generation: tuple[str, ...] | None = None
        """What was told last of a generation, by a line without prefix."""
        self._latest_generations: dict[tuple[str | None, tuple[str, str, str]], str] = {}

    def count_unread(self, process: str | None, logger: str, line: int, text: str) -> None:
        """Count a line of a logger that nothing reads."""
        unread, key = self.profile.unread_by_logger, (process, logger)
        unread[key] = join_counted_lines(unread.get(key), (1, line, text))

    def sample_unread(self, line: int, text: str) -> None:
        """Keep an unread line, if it is one of the first."""
        samples = self.profile.unread_samples
        if len(samples) >= MOST_UNREAD_SAMPLES:
            if line > samples[-1][0]:
                return
            samples.pop()
        insort(samples, (line, text))

    def count_unjudged(self, reason: str, record: Record) -> None:
        """Count a record that cannot be judged."""
        counted = [(reason, 1, record.line, record.text)]
        self.profile.unjudged = merge_reasons(self.profile.unjudged, counted)

    def note_warning(self, record: LoudRecord) -> None:
        """Keep what the program itself calls trouble, or out of the ordinary."""
        line = make_loud_line(record)
        if line is not None:
            add_rare_line(self.profile.rare, record.process, line)
            if record.level in LOUD_LEVELS:
                add_loud_line(self.profile.loud, record.process, line)

    def take_process_name(self, family: str, name: str, unit: UnitProfile) -> None:
        """Note by which name lines call their process."""
        values = unit.process_names.setdefault(family, set())
        if len(values) < MOST_PROCESS_NAMES:
            values.add(name)

    def take_generation(
        self,
        key: tuple[str, str, str],
        generation: str,
        process: str | None,
        line: int,
        unit: UnitProfile,
    ) -> None:
        """Note the generation that a line tells, if it is a new one.

        Args:
            key: the field, the field that carries it, and what that one says.
            generation: as the line writes it.
            process: prefix of the line.
            line: its number.
            unit: the profile of its process.
        """
        self.last_generation = (*key, generation) if process is None else None
        if self._latest_generations.get((process, key)) != generation:
            self._latest_generations[process, key] = generation
            unit.generations.append(CarriedGeneration(line, *key, generation))
