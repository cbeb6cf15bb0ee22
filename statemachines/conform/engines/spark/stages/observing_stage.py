"""The first stage, on the workers: byte ranges of files to observations, and what each range shows
as a whole.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import evolve, frozen

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.file_reader import FileReader, file_facts
from statemachines.conform.engines.inputs import refuse_pipe
from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.spark.stages.file_chunks import FileChunk, LogFile
from statemachines.conform.engines.spark.stages.instance_weights import WeighedSources
from statemachines.conform.engines.spark.stages.open_chunks import (
    OpenChunk,
    open_chunk,
    whole_log_chunk,
)
from statemachines.conform.engines.spark.stages.stage_rows import (
    OBSERVATIONS,
    PROFILE,
    READ_COLUMNS,
    column_rows,
    make_arrow_function,
    pack,
    pack_lines,
    unpack_cached,
)
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import Profile, join_profiles, shift_between
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, open_log
from statemachines.model.evidence.moments import time_zone

_ROW_BYTES = 4 << 20
"""Bytes of a log whose observations are one row at most, but where few lines tell something."""

ReadRow = tuple[int, int, int, int, bytes]

Observed = tuple[list[Observation], list[ObservationColumns]]
"""What some lines tell: line by line, and as columns. The body of a row of observations."""


@frozen
class ReadSettings:
    """What every task of the first stage needs."""

    plan: CheckPlan
    layouts: Any


def make_worker_reader(settings: ReadSettings) -> FileReader:
    """Return what reads files on a worker, prepared once."""
    reader = CatalogueReader(settings.plan)
    scanner = Scanner(reader.scan_literals)
    parts = settings.plan, reader, scanner, settings.layouts, ColumnStore()
    return FileReader(*parts, columns_from=file_reader.COLUMNS_FROM)


_worker_readers: dict[bytes, FileReader] = {}
"""The reader that this worker used last; a worker lives for many tasks."""


def make_observing_function(
    work: ReadSettings, tasks: list[tuple[FileChunk, ...]]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function of the first stage, for a frame whose `id` is the number of a task."""
    body = pack(work)

    def read(batches: Iterator[Any]) -> Iterator[ReadRow]:
        reader = worker_reader(body)
        for batch in batches:
            for (task,) in column_rows(batch, "id"):
                for chunk in tasks[task]:
                    yield from chunk_rows(reader, chunk)

    return make_arrow_function(READ_COLUMNS, read)


def worker_reader(body: bytes) -> FileReader:
    """Return the prepared reader; another check's is forgotten.

    Spark lets a worker look for garbage after each task. What stays is kept from that: looking
    through a catalogue takes as long as reading 30 MB.
    """
    if body not in _worker_readers:
        _worker_readers.clear()
        gc.unfreeze()
        _worker_readers[body] = make_worker_reader(unpack_cached(body))
        gc.freeze()
    return _worker_readers[body]


def chunk_rows(reader: FileReader, chunk: FileChunk) -> Iterator[ReadRow]:
    """Read one piece: its observations, then one row of what it shows; a file that cannot be
    divided gives the rows of all its pieces.

    The lines and times of the observations count from the beginning of their piece. Of a piece that
    cannot be opened there is no profile.
    """
    try:
        refuse_pipe(chunk.file.path, chunk.file.named)
        with open_chunk(chunk) as opened:
            yield from open_chunk_rows(reader, chunk, opened)
    except OSError as problem:
        nothing = pack((None, None, problem.strerror, {}))
        yield PROFILE, chunk.file.number, chunk.number, 0, nothing


def open_chunk_rows(reader: FileReader, chunk: FileChunk, opened: OpenChunk) -> Iterator[ReadRow]:
    """Read a piece that is open."""
    zone = time_zone(reader.plan.options.zone)
    for number, (start, end) in enumerate(opened.ranges or ((0, 0),), chunk.number):
        facts = None
        if number == 0:
            facts = file_facts(opened.file_ends, reader.layouts, zone, opened.problems)
        yield from _range_rows(reader, chunk.file.number, number, opened, start, end, facts)


def spooled_file_rows(
    reader: FileReader, file: LogFile, content: Iterable[bytes]
) -> Iterator[ReadRow]:
    """Read a file that Spark gives, as a file of this machine.

    Args:
        file: What it is called, and its number; its size does not matter.
        content: All of it, in parts.
    """
    with tempfile.TemporaryFile(prefix="statemachines-") as spool:
        spool.writelines(content)
        chunk = FileChunk(evolve(file, size=spool.tell(), divisible=False), 0, 0, spool.tell())
        spool.seek(0)
        with open_log(spool, name=file.path) as log:
            yield from open_chunk_rows(reader, chunk, whole_log_chunk(chunk, log))


def _range_rows(
    reader: FileReader,
    file: int,
    piece: int,
    opened: OpenChunk,
    start: int,
    end: int,
    facts: FileFacts | None,
) -> Iterator[ReadRow]:
    """Read one byte range of an open file, as much at once as one process does."""
    profile, weighed = Profile(), WeighedSources()
    pieces = reader.pieces(file, opened.buffer, start, end, least=_ROW_BYTES)
    for number, read in enumerate(pieces):
        shift = shift_between(profile, read.profile)
        profile = join_profiles(profile, read.profile)
        if read.observations or read.columns:
            lines = list(shift.shifted_observations(read.observations))
            shifted = (columns.shifted(shift) for columns in read.columns)
            observed: Observed = lines, [some.with_each_instance_once() for some in shifted]
            weighed.add(*observed)
            yield OBSERVATIONS, file, piece, number, pack_lines(observed)
    shown = profile, facts, opened.incomplete_reason, weighed.weights()
    yield PROFILE, file, piece, 0, pack(shown)
