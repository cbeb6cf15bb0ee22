"""Reading files of which earlier checks have read a part, or all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.engines.file_reader import FileReader, FileSummary
from statemachines.conform.engines.growing.content_readings import (
    ContentReader,
    ContentReading,
    renumbered,
)
from statemachines.conform.engines.growing.fingerprints import Fingerprint, fingerprint
from statemachines.conform.engines.growing.raw_files import open_raw
from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.state.state_folder import KeptContent, StateFolder
from statemachines.conform.interchange.observations import Observation
from statemachines.logs import OpenLog, open_log
from statemachines.logs.search.buffers import FileBuffer
from statemachines.logs.storage.listed_files import ListedFile


@frozen
class FileContent:
    """What is kept of a file."""

    content: int
    """What its row in the folder is called."""
    parts_before: int
    """Parts of its settled observations that earlier checks have read."""
    reading: ContentReading


@frozen
class KeptFileReader:
    """Reads of a file what no check has read before: only that comes into the store, and only as
    far as no line that is appended can change it; `contents` says what else there is.
    """

    reader: FileReader
    store: ColumnStore
    """That of the reader."""
    state: StateFolder
    contents: dict[int, FileContent] = field(factory=dict)
    """By the number of a file."""

    def read(
        self, number: int, path: Path | ListedFile, progress: Callable[[int], None]
    ) -> FileSummary:
        """Read one file, as `FileReader.read` does.

        Args:
            number: of the file in the check.
            path: the file.
            progress: called with the bytes on disk of each piece, also of those that were read
                before.

        Raises:
            OSError: the file cannot be opened.
        """
        raw = _raw_fingerprint(path)
        content = self.state.known_file(raw) if raw is not None else None
        if raw is None or content is None:
            return self._read_anew(number, path, raw, progress)
        self._note(number, content.number, self.state.parts(content.number), content.reading)
        self.state.name_file(raw, content.number)
        try:
            progress(raw.size)
        except KeyboardInterrupt:
            return _summary(number, evolve(content.reading, interrupted=True))
        return _summary(number, content.reading)

    def _note(self, number: int, content: int, parts: int, reading: ContentReading) -> None:
        self.contents[number] = FileContent(content, parts, reading.of_file(number))

    def _read_anew(
        self,
        number: int,
        path: Path | ListedFile,
        raw: Fingerprint | None,
        progress: Callable[[int], None],
    ) -> FileSummary:
        """Read a file that is not, byte for byte, one that was read before."""
        with open_log(path) as log, self.state.undone_on_failure() as undo:
            content, reading = self._read_log(number, log, progress)
            if reading.error is not None or reading.interrupted:
                undo()
            elif raw is not None and _raw_size(path) == raw.size:
                self.state.name_file(raw, content)
        return _summary(number, reading)

    def _read_log(
        self, number: int, log: OpenLog, progress: Callable[[int], None]
    ) -> tuple[int, ContentReading]:
        """Read a log on from where the longest reading of its beginning ended."""
        content = log.buffer if isinstance(log.buffer, FileBuffer) else _NoBytes()
        stored = self.state.longest_beginning(content)
        if stored is None:
            stored = KeptContent(self.state.new_content(), Fingerprint(0, b""), ContentReading())
        row, before = stored.number, stored.reading.of_file(number)
        parts = self.state.parts(row)

        def keep(observations: list[Observation], columns: Sequence[ObservationColumns]) -> None:
            self.state.add_observations(row, list(renumbered(observations, 0)), columns)
            self.store.add(observations)
            self.store.add_columns(columns)

        reading = ContentReader(self.reader, number, keep, progress).read_on(log, before)
        self._note(number, row, parts, reading)
        if reading.error is None and not reading.interrupted:
            self.state.put(row, content, reading.of_file(0))
        return row, reading


class _NoBytes:
    """The content of a file that is no text."""

    def __len__(self) -> int:
        return 0

    def read_range(self, start: int, end: int) -> bytes:
        """Return nothing."""
        return b""


def _raw_fingerprint(path: Path | ListedFile) -> Fingerprint | None:
    with open_raw(path) as raw:
        return None if raw is None else fingerprint(raw)


def _raw_size(path: Path | ListedFile) -> int | None:
    with open_raw(path) as raw:
        return None if raw is None else raw.size


def _summary(number: int, reading: ContentReading) -> FileSummary:
    whole = reading.of_file(number)
    return FileSummary(whole.profile, whole.facts, whole.error, whole.interrupted)
