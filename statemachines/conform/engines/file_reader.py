"""Reading one file piece by piece: observations into a store, and the file's profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from attrs import field

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.engines.observation_store import ColumnStore, ObservationStore
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import (
    Profile,
    Shift,
    join_profiles,
    shift_between,
)
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.observe.line_forms import CatalogueForms
from statemachines.conform.observe.observer import Observer
from statemachines.logs import (
    Layouts,
    OpenLog,
    RecordScan,
    Scanner,
    Timestamp,
    first_and_last_times,
    open_log,
    scan,
)
from statemachines.logs.search.scanner import Buffer
from statemachines.logs.storage.listed_files import ListedFile
from statemachines.model.arrays import is_numpy_installed
from statemachines.model.evidence.moments import time_zone
from statemachines.model.evidence.reports import Instant
from statemachines.model.garbage import uncollected
from statemachines.model.values import frozen

READ_CHUNK_BYTES = 8 << 20
"""Bytes that are read before their observations are put away."""
_MOST_DOUBLINGS = 2
"""How often pieces grow where few lines tell something, up to 32 MiB."""
_BYTES_A_FEW = 1 << 10
"""Bytes of which one line tells something at most, where few do (1 KiB)."""
COLUMNS_FROM = 4 << 20
"""Bytes from which on arrays pay: loading numpy takes as long as reading some of them."""


@frozen
class FileSummary:
    """What one file shows."""

    profile: Profile = field(factory=Profile)
    facts: FileFacts = field(factory=FileFacts)
    error: str | None = None
    """Why it could not be read to its end."""
    interrupted: bool = False
    """Whether it was not, because the check was stopped."""


class ReadChunk(NamedTuple):
    """What one piece of a file shows; its lines and times count from its own start."""

    profile: Profile
    observations: list[Observation]
    size: int
    """Bytes."""
    columns: Sequence[ObservationColumns] = ()
    """What stands in no observation, for many lines tell it alike."""
    has_few: bool = False
    """Whether few of its lines tell something."""


class ProfiledChunk(Protocol):
    """What one piece of a file shows."""

    @property
    def profile(self) -> Profile:
        """What it shows as a whole."""

    @property
    def size(self) -> int:
        """Bytes."""


Chunk = TypeVar("Chunk", bound=ProfiledChunk)


def join_chunks(
    chunks: Iterable[Chunk], take: Callable[[Chunk, Shift], None], progress: Callable[[int], None]
) -> tuple[Profile, bool]:
    """Join the chunks of one file.

    Args:
        chunks: in their order.
        take: called with each, and how it moves by those before.
        progress: called with the bytes of each.

    Returns:
        The profile of all, and whether an interrupt came before the last one.
    """
    profile = Profile()
    try:
        for chunk in chunks:
            shift = shift_between(profile, chunk.profile)
            profile = join_profiles(profile, chunk.profile)
            take(chunk, shift)
            progress(chunk.size)
    except KeyboardInterrupt:
        return profile, True
    return profile, False


def make_summary(
    profile: Profile, facts: FileFacts, incomplete_reason: str | None, *, interrupted: bool
) -> FileSummary:
    """Return what a file shows whose chunks were gathered."""
    known = with_read_problem(facts, incomplete_reason)
    return FileSummary(profile, known, incomplete_reason, interrupted)


@frozen
class FileReader:
    """Reads files by one plan."""

    plan: CheckPlan
    reader: CatalogueReader
    scanner: Scanner
    layouts: Layouts
    store: ObservationStore
    columns_from: int | None = None
    """From how many bytes on files are read as columns, which the store takes; None: none is."""
    forms: CatalogueForms = field()

    @forms.default
    def _make_forms(self) -> CatalogueForms:
        return CatalogueForms(self.plan, self.reader, self.scanner, self.layouts)

    def read(
        self, number: int, path: Path | ListedFile, progress: Callable[[int], None]
    ) -> FileSummary:
        """Read one file into the store; after an interrupt what was read until then is there, and
        its profile.

        Args:
            number: of the file in the check.
            progress: called with the bytes on disk of each piece.

        Raises:
            OSError: the file cannot be opened.
        """
        with open_log(path) as log:
            facts = self.facts(log)
            pieces = self.pieces(number, log.buffer, 0, log.size)
            profile, interrupted = self.gather(
                pieces, lambda count: progress(log.stored_bytes(count))
            )
            return make_summary(profile, facts, log.incomplete_reason, interrupted=interrupted)

    def facts(self, log: OpenLog) -> FileFacts:
        """Return what is known of an open file beside its profile."""
        zone = time_zone(self.plan.options.zone)
        return file_facts(log.buffer, self.layouts, zone, log.problems)

    def pieces(
        self, number: int, buffer: Buffer, start: int, end: int, least: int | None = None
    ) -> Iterator[ReadChunk]:
        """Read a range of an open file piece by piece. Where few lines tell something, pieces grow:
        what a piece costs is paid less often, and more of its lines stand in columns.

        Args:
            number: of the file in the check.
            buffer: the file, uncompressed, in UTF-8.
            start: in bytes.
            end: in bytes.
            least: bytes of the first piece; None: as many as one process reads at once.

        Yields:
            Pieces without gaps, in order.
        """
        size = least = min(least or READ_CHUNK_BYTES, READ_CHUNK_BYTES)
        while start < end:
            piece = self.read_piece(number, buffer, start, min(start + size, end))
            yield piece
            start += piece.size
            size = min(2 * size, least << _MOST_DOUBLINGS) if piece.has_few else least

    def read_piece(self, number: int, buffer: Buffer, start: int, end: int) -> ReadChunk:
        """Read a range of an open file, as columns where that pays."""
        least = self.columns_from
        in_columns = least is not None and len(buffer) >= least and is_numpy_installed()
        with uncollected():
            return self._read_chunk(number, buffer, start, end, in_columns=in_columns)

    def gather(
        self, chunks: Iterable[ReadChunk], progress: Callable[[int], None]
    ) -> tuple[Profile, bool]:
        """Put the chunks of one file into the store; return the profile of all, and whether an
        interrupt came before the last one.
        """

        def take(chunk: ReadChunk, shift: Shift) -> None:
            with uncollected():
                self.store.add(shift.shifted_observations(chunk.observations))
                if chunk.columns and isinstance(self.store, ColumnStore):
                    self.store.add_columns(column.shifted(shift) for column in chunk.columns)

        return join_chunks(chunks, take, progress)

    def read_chunk(
        self, number: int, buffer: Buffer, start: int, end: int
    ) -> tuple[Profile, list[Observation]]:
        """Read the lines that begin in a range of a file; times and lines count from its start."""
        with uncollected():
            read = self._read_chunk(number, buffer, start, end)
            return read.profile, read.observations

    def _read_chunk(
        self, number: int, buffer: Buffer, start: int, end: int, *, in_columns: bool = False
    ) -> ReadChunk:
        observer = Observer(self.plan, self.reader, number)
        part = scan(
            buffer,
            start,
            end,
            self.scanner,
            self.layouts,
            zone=time_zone(self.plan.options.zone),
            loggers=self.reader.loggers,
        )
        read = part.with_plain_columns if in_columns else part.with_plain_lines
        observations = list(observer.observe(read(self.forms)))
        profile, columns, size = finished_profile(observer, part), observer.columns, end - start
        telling = len(observations) + sum(len(some.lines) for some in columns)
        telling += len(part.unread) + len(part.loud)
        return ReadChunk(profile, observations, size, columns, telling * _BYTES_A_FEW < size)


def file_facts(
    buffer: Buffer, layouts: Layouts, zone: tzinfo | None, problems: tuple[str, ...]
) -> FileFacts:
    """Return what is known of a file beside its profile; its first and last bytes are enough for
    that.
    """
    first, last = (
        _to_instant(moment) for moment in first_and_last_times(buffer, layouts, zone=zone)
    )
    return FileFacts(first, last, problems, _first_line(buffer))


def with_read_problem(facts: FileFacts, lost: str | None) -> FileFacts:
    """Say of a file that its end was not there any more when it came to it; what was known before
    stays.
    """
    if lost is None or any(lost in problem for problem in facts.problems):
        return facts
    return FileFacts(facts.first, None, (*facts.problems, lost), facts.first_text)


def finished_profile(observer: Observer, part: RecordScan) -> Profile:
    """Return the profile of a piece that was read to its end."""
    observer.profile.lines = part.lines
    observer.profile.midnights = part.midnights
    observer.profile.problems.update(part.problems)
    observer.finish(part.unread, part.loud)
    return observer.profile


def _to_instant(moment: Timestamp | None) -> Instant | None:
    return (
        None
        if moment is None
        else Instant(moment.at_ms, ("Z" if moment.zoned else "unknown") if moment.dated else "none")
    )


def _first_line(buffer: Buffer) -> str:
    return bytes(buffer[:4096]).split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
