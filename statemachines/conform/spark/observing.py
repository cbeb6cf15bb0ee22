"""The first stage, on the workers: byte ranges of files to observations, and what each range shows as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from attrs import define, field, frozen

from statemachines.conform.inputs import refuse_pipe
from statemachines.conform.observe import Observer
from statemachines.conform.plan import Plan
from statemachines.conform.profile import Profile
from statemachines.conform.reader import Reader
from statemachines.conform.reading import facts_of, finished
from statemachines.conform.sources import FileFacts
from statemachines.conform.spark.pieces import Piece
from statemachines.conform.spark.rows import OBSERVATION, PROFILE, READ, kept_unpacked, mapped, packed, values
from statemachines.conform.spark.windows import Window, window
from statemachines.logs import Scan, Scanner, scan
from statemachines.model.zones import zone_of

Row = tuple[int, int, int, int, bytes]


@frozen
class ToRead:
    """What every task of the first stage needs."""

    plan: Plan
    layouts: Any


@define
class Kit:
    """The same, prepared once a worker."""

    work: ToRead
    reader: Reader = field(init=False)
    scanner: Scanner = field(init=False)
    zone: tzinfo | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.reader = Reader(self.work.plan)
        self.scanner = Scanner(self.reader.literals)

        self.zone = zone_of(self.work.plan.options.zone)

    def observer(self, file: int, buffer: Any, start: int, end: int) -> tuple[Observer, Scan]:
        """Return what observes a byte range, and the records to observe."""
        records = scan(buffer, start, end, self.scanner, self.work.layouts, zone=self.zone, loggers=self.reader.loggers)
        return Observer(self.work.plan, self.reader, file), records

    def facts(self, opened: Window) -> FileFacts:
        """Return what is known of a file beside its pieces."""
        return facts_of(opened.ends, self.work.layouts, self.zone, opened.problems)


_kits: dict[bytes, Kit] = {}
"""The kit that this worker used last; a worker lives for many tasks."""


def observing(work: ToRead, tasks: list[tuple[Piece, ...]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function of the first stage, for a frame whose `id` is the number of a task."""
    body = packed(work)

    def read(batches: Iterator[Any]) -> Iterator[Row]:
        kit = kit_of(body)
        for batch in batches:
            for (task,) in values(batch, "id"):
                for piece in tasks[task]:
                    yield from rows_of(kit, piece)

    return mapped(READ, read)


def kit_of(body: bytes) -> Kit:
    """Return the prepared kit; another check's is forgotten."""
    if body not in _kits:
        _kits.clear()
        _kits[body] = Kit(kept_unpacked(body))
    return _kits[body]


def rows_of(kit: Kit, piece: Piece) -> Iterator[Row]:
    """Read one piece: its observations, then one row of what it shows; a file that cannot be divided gives the rows of all its pieces.

    The lines and times of the observations count from the beginning of their piece.
    """
    try:
        refuse_pipe(piece.file.path, piece.file.named)
        with window(piece) as opened:
            yield from window_rows(kit, piece, opened)
    except OSError as problem:
        facts = FileFacts(problems=(f"cannot be read: {problem.strerror}",))
        yield PROFILE, piece.file.number, piece.number, 0, packed((Profile(), facts, problem.strerror if piece.file.named else None))


def window_rows(kit: Kit, piece: Piece, opened: Window) -> Iterator[Row]:
    """Read a piece that is open."""
    for number, (start, end) in enumerate(opened.ranges or ((0, 0),), piece.number):
        facts = kit.facts(opened) if number == 0 else None
        yield from _piece_rows(kit, piece.file.number, number, opened, start, end, facts)


def _piece_rows(kit: Kit, file: int, piece: int, opened: Window, start: int, end: int, facts: FileFacts | None) -> Iterator[Row]:
    """Read one byte range of an open file."""
    observer, records = kit.observer(file, opened.buffer, start, end)
    for number, seen in enumerate(observer.observe(records)):
        yield OBSERVATION, file, piece, number, packed(seen)
    yield PROFILE, file, piece, 0, packed((finished(observer, records), facts, opened.lost))
