"""The first stage, on the workers: byte ranges of files to observations, and what each range shows
as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from attrs import define, field, frozen

from statemachines.conform.engines.file_reader import file_facts, finished_profile
from statemachines.conform.engines.inputs import refuse_pipe
from statemachines.conform.engines.spark.stages.file_chunks import FileChunk
from statemachines.conform.engines.spark.stages.open_chunks import OpenChunk, open_chunk
from statemachines.conform.engines.spark.stages.stage_rows import (
    OBSERVATION,
    PROFILE,
    READ_COLUMNS,
    column_rows,
    make_arrow_function,
    pack,
    unpack_cached,
)
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.observe.line_forms import CatalogueForms
from statemachines.conform.observe.observer import Observer
from statemachines.logs import RecordScan, Scanner, scan
from statemachines.model.evidence.time_zones import time_zone

ReadRow = tuple[int, int, int, int, bytes]


@frozen
class ReadSettings:
    """What every task of the first stage needs."""

    plan: CheckPlan
    layouts: Any


@define
class WorkerReader:
    """The same, prepared once a worker."""

    settings: ReadSettings
    reader: CatalogueReader = field(init=False)
    scanner: Scanner = field(init=False)
    zone: tzinfo | None = field(init=False)
    forms: CatalogueForms = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.reader = CatalogueReader(self.settings.plan)
        self.scanner = Scanner(self.reader.scan_literals)
        self.forms = CatalogueForms(
            self.settings.plan, self.reader, self.scanner, self.settings.layouts
        )
        self.zone = time_zone(self.settings.plan.options.zone)

    def observer(self, file: int, buffer: Any, start: int, end: int) -> tuple[Observer, RecordScan]:
        """Return what observes a byte range, and the records to observe."""
        records = scan(
            buffer,
            start,
            end,
            self.scanner,
            self.settings.layouts,
            zone=self.zone,
            loggers=self.reader.loggers,
        )
        return Observer(self.settings.plan, self.reader, file), records

    def file_facts(self, opened: OpenChunk) -> FileFacts:
        """Return what is known of a file beside its pieces."""
        return file_facts(opened.file_ends, self.settings.layouts, self.zone, opened.problems)


_worker_readers: dict[bytes, WorkerReader] = {}
"""The kit that this worker used last; a worker lives for many tasks."""


def make_observing_function(
    work: ReadSettings, tasks: list[tuple[FileChunk, ...]]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function of the first stage, for a frame whose `id` is the number of a task."""
    body = pack(work)

    def read(batches: Iterator[Any]) -> Iterator[ReadRow]:
        kit = worker_reader(body)
        for batch in batches:
            for (task,) in column_rows(batch, "id"):
                for chunk in tasks[task]:
                    yield from chunk_rows(kit, chunk)

    return make_arrow_function(READ_COLUMNS, read)


def worker_reader(body: bytes) -> WorkerReader:
    """Return the prepared kit; another check's is forgotten."""
    if body not in _worker_readers:
        _worker_readers.clear()
        _worker_readers[body] = WorkerReader(unpack_cached(body))
    return _worker_readers[body]


def chunk_rows(kit: WorkerReader, chunk: FileChunk) -> Iterator[ReadRow]:
    """Read one piece: its observations, then one row of what it shows; a file that cannot be
    divided gives the rows of all its pieces.

    The lines and times of the observations count from the beginning of their piece.
    """
    try:
        refuse_pipe(chunk.file.path, chunk.file.named)
        with open_chunk(chunk) as opened:
            yield from open_chunk_rows(kit, chunk, opened)
    except OSError as problem:
        facts = FileFacts(problems=(f"cannot be read: {problem.strerror}",))
        yield (
            PROFILE,
            chunk.file.number,
            chunk.number,
            0,
            pack((Profile(), facts, problem.strerror if chunk.file.named else None)),
        )


def open_chunk_rows(kit: WorkerReader, chunk: FileChunk, opened: OpenChunk) -> Iterator[ReadRow]:
    """Read a piece that is open."""
    for number, (start, end) in enumerate(opened.ranges or ((0, 0),), chunk.number):
        facts = kit.file_facts(opened) if number == 0 else None
        yield from _range_rows(kit, chunk.file.number, number, opened, start, end, facts)


def _range_rows(
    kit: WorkerReader,
    file: int,
    chunk: int,
    opened: OpenChunk,
    start: int,
    end: int,
    facts: FileFacts | None,
) -> Iterator[ReadRow]:
    """Read one byte range of an open file."""
    observer, records = kit.observer(file, opened.buffer, start, end)
    for number, seen in enumerate(observer.observe(records.with_plain_lines(kit.forms))):
        yield OBSERVATION, file, chunk, number, pack(seen)
    yield (
        PROFILE,
        file,
        chunk,
        0,
        pack((finished_profile(observer, records), facts, opened.incomplete_reason)),
    )
