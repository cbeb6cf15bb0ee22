"""What was read of a log that may grow, and how reading goes on where it ended.

What stands near the end of a log may mean something else once more is there: a line that is not yet
finished, the lines that belong to a record. So a reading has two parts: what no line that is
appended can change, which is kept, and the tail, which is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import Factory, evolve, frozen

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.engines.file_reader import (
    FileReader,
    file_facts,
    with_read_problem,
)
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import Profile, join_profiles, shift_between
from statemachines.conform.join.report_sources import FileFacts
from statemachines.logs import OpenLog
from statemachines.logs.search.scanner import Buffer
from statemachines.model.evidence.moments import time_zone

TAIL_BYTES = 192 << 10
"""Bytes at the end that are read again (192 KiB): a record looks at 64 KiB after its first line,
and a line there is read for 64 KiB.
"""
Keep = Callable[[list[Observation], Sequence[ObservationColumns]], None]
"""Takes observations that no line which is appended can change, as far as they are no columns, and
those that are.
"""


@frozen
class ContentReading:
    """What is known of the first `size` bytes of a log."""

    size: int = 0
    settled_end: int = 0
    """Where the tail begins: the start of a line."""
    settled: Profile = Factory(Profile)
    tail: Profile = Factory(Profile)
    tail_observations: tuple[Observation, ...] = ()
    """At their places in the whole log."""
    facts: FileFacts = Factory(FileFacts)
    error: str | None = None
    """Why it could not be read to its end."""
    interrupted: bool = False
    """Whether it was not, because the check was stopped."""

    @property
    def profile(self) -> Profile:
        """What all of it shows."""
        return join_profiles(self.settled, self.tail)

    def of_file(self, number: int) -> ContentReading:
        """Return the same reading as that of the file with a number."""
        settled, tail = (
            evolve(profile, abroad=list(renumbered(profile.abroad, number)))
            for profile in (self.settled, self.tail)
        )
        rows = tuple(renumbered(self.tail_observations, number))
        return evolve(self, settled=settled, tail=tail, tail_observations=rows)


@frozen
class ContentReader:
    """Reads a log on from where a reading of it ended."""

    reader: FileReader
    number: int
    """Of the file, as observations have it."""
    keep: Keep
    progress: Callable[[int], None]

    def read_on(self, log: OpenLog, before: ContentReading) -> ContentReading:
        """Read the rest of an open log; after an interrupt the reading is of what was read and kept
        until then.

        Args:
            log: begins with what was read before.
            before: `ContentReading()` of one that was not.
        """
        zone = time_zone(self.reader.plan.options.zone)
        facts = file_facts(log.buffer, self.reader.layouts, zone, log.problems)
        reading = evolve(before, size=before.settled_end, tail=Profile(), tail_observations=())
        interrupted = False
        try:
            self.progress(log.stored_bytes(reading.size))
            boundary = settled_boundary(log.buffer)
            for piece in self.reader.pieces(self.number, log.buffer, reading.size, boundary):
                shift = shift_between(reading.settled, piece.profile)
                settled, end = (
                    join_profiles(reading.settled, piece.profile),
                    reading.size + piece.size,
                )
                reading = evolve(reading, size=end, settled_end=end, settled=settled)
                observations = list(shift.shifted_observations(piece.observations))
                self.keep(observations, [columns.shifted(shift) for columns in piece.columns])
                self.progress(log.stored_bytes(piece.size))
            if reading.size < log.size:
                reading = self.with_tail(log, reading)
                self.progress(log.stored_bytes(reading.size - reading.settled_end))
        except KeyboardInterrupt:
            interrupted = True
        return evolve(
            reading,
            facts=with_read_problem(facts, log.incomplete_reason),
            error=log.incomplete_reason,
            interrupted=interrupted,
        )

    def with_tail(self, log: OpenLog, reading: ContentReading) -> ContentReading:
        """Read all that comes after what is settled, as the tail."""
        start, end = reading.settled_end, log.size
        tail, observations = self.reader.read_chunk(self.number, log.buffer, start, end)
        shift = shift_between(reading.settled, tail)
        observed = tuple(shift.shifted_observations(observations))
        return evolve(reading, size=end, tail=tail, tail_observations=observed)


def settled_boundary(buffer: Buffer) -> int:
    """Return where the tail of a log begins: at the start of a line, with `TAIL_BYTES` or more
    after it; 0 for a shorter one.
    """
    return buffer.rfind(b"\n", 0, max(0, len(buffer) - TAIL_BYTES)) + 1


def renumbered(observations: Iterable[Observation], number: int) -> Iterable[Observation]:
    """Yield observations as those of the file with a number."""
    return (observation._replace(file=number) for observation in observations)
