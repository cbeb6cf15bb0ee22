"""One file of a stream, read on as its lines come: no Spark is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from attrs import define, evolve, field, frozen

from statemachines.conform.engines.file_reader import FileReader, file_facts
from statemachines.conform.engines.follow.pipe_window import PipeWindow
from statemachines.conform.engines.growing.content_readings import ContentReader, ContentReading
from statemachines.conform.engines.state.packed_values import pack_value, unpack_value
from statemachines.conform.interchange.observations import Observation
from statemachines.logs import OpenLog
from statemachines.logs.search.buffers import FileBuffer
from statemachines.model.counts import count_text
from statemachines.model.evidence.moments import time_zone

OrderValue = tuple[bool, "int | float | str"]
"""Whether there is a value, and the value: rows without one come first, as Spark sorts them."""


class StreamedLine(NamedTuple):
    """A line of a file; lines sort as they stand in it."""

    order: tuple[OrderValue, ...]
    text: bytes
    at_ms: int | None = None
    """When it was written, where lines may come late."""


class StreamedNews(NamedTuple):
    """What a trigger learnt of one file."""

    file: str
    settled: tuple[Observation, ...]
    """Observations that no later line changes."""
    reading: ContentReading
    """What all of the file shows that came so far; its tail is read again with the next lines."""


@frozen
class StreamedReader:
    """Reads the files of a stream."""

    reader: FileReader
    lateness_ms: int = 0
    """For how long a line may come after lines that stand behind it."""


@define
class StreamedFile:
    """What is kept of a file between two triggers.

    Limits: the first 512 KiB, the last 448 KiB, and the lines that others may still precede.
    """

    name: str
    reading: ContentReading = field(factory=ContentReading)
    """Of the lines that no other line may precede any more."""
    held: list[StreamedLine] = field(factory=list)
    """Lines that others may still precede, in their order."""
    last: StreamedLine | None = None
    """The last line before those."""
    latest_ms: int | None = None
    """The latest time of all lines that came."""
    left_out: int = 0
    """How many lines came when those behind them were settled."""
    window: PipeWindow = field(factory=PipeWindow)

    def take(self, lines: Iterable[StreamedLine], by: StreamedReader) -> StreamedNews:
        """Take the lines of one trigger, in any order; one that is here already counts once."""
        self._place(sorted(lines, key=_sort_key))
        settled: list[Observation] = []
        reading = ContentReader(by.reader, 0, lambda rows, _: settled.extend(rows), _ignore)
        self.window.append(_lines_bytes(self._release(by.lateness_ms)))
        log = OpenLog(self.name, FileBuffer(self.window))
        self.reading = reading.read_on(log, self.reading)
        shown = self._with_held(reading) if self.held else self.reading
        self.window.settle(self.reading.settled_end)
        return StreamedNews(self.name, tuple(settled), self._with_problem(shown))

    def _place(self, lines: Sequence[StreamedLine]) -> None:
        """Put sorted lines among those that are held."""
        known = _sort_key(self.last) if self.last is not None else None
        fresh = [line for line in lines if known is None or _sort_key(line) > known]
        late = lines[: len(lines) - len(fresh)]
        self.left_out += sum(_sort_key(line) != known for line in late)
        times = [line.at_ms for line in fresh if line.at_ms is not None]
        if times:
            self.latest_ms = max(*times, times[0] if self.latest_ms is None else self.latest_ms)
        together = groupby(merge(self.held, fresh, key=_sort_key), key=_sort_key)
        self.held = [next(equal) for _, equal in together]

    def _release(self, lateness_ms: int) -> list[StreamedLine]:
        """Return the lines that no other may precede any more, and hold the rest."""
        oldest = (self.latest_ms or 0) - lateness_ms
        waits = (
            number
            for number, line in enumerate(self.held)
            if lateness_ms and line.at_ms is not None and line.at_ms >= oldest
        )
        count = next(waits, len(self.held))
        released, self.held = self.held[:count], self.held[count:]
        self.last = released[-1] if released else self.last
        return released

    def _with_held(self, reading: ContentReader) -> ContentReading:
        """Read what is held as the end of the file."""
        whole = PipeWindow.from_parts(*self.window.parts)
        whole.append(_lines_bytes(self.held))
        log = OpenLog(self.name, FileBuffer(whole))
        plan, layouts = reading.reader.plan, reading.reader.layouts
        facts = file_facts(log.buffer, layouts, time_zone(plan.options.zone), log.problems)
        return evolve(reading.with_tail(log, self.reading), facts=facts)

    def _with_problem(self, reading: ContentReading) -> ContentReading:
        """Say that lines were left out."""
        if not self.left_out:
            return reading
        problem = (
            f"{count_text(self.left_out, 'line')} came too late or once more, and were left out"
        )
        problems = (*reading.facts.problems, problem)
        return evolve(reading, facts=evolve(reading.facts, problems=problems))

    def packed(self) -> bytes:
        """Return it as bytes."""
        held = [tuple(line) for line in self.held]
        last = tuple(self.last) if self.last is not None else None
        rest = (self.latest_ms, self.left_out, self.window.parts)
        return pack_value((self.name, self.reading, held, last, *rest))

    @classmethod
    def unpacked(cls, body: bytes) -> StreamedFile:
        """Make one of its bytes.

        Raises:
            DamagedValue: they are not as they were written.
        """
        name, reading, held, last, latest, left_out, parts = unpack_value(body)
        lines = [StreamedLine(*line) for line in held]
        known = StreamedLine(*last) if last is not None else None
        window = PipeWindow.from_parts(*parts)
        return cls(name, reading, lines, known, latest, left_out, window)


def _sort_key(line: StreamedLine) -> tuple[tuple[OrderValue, ...], bytes]:
    return line.order, line.text


def _lines_bytes(lines: Iterable[StreamedLine]) -> bytes:
    """Return lines as a file has them, each with one line feed."""
    return b"".join(line.text.removesuffix(b"\n") + b"\n" for line in lines)


def _ignore(_: int) -> None:
    """Show no progress: nobody waits for an end."""
