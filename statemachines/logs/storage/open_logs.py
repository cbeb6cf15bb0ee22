"""Open a log: whatever its compression and encoding, as one buffer of UTF-8 bytes; one whose
records stand newest first is refused.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO

from attrs import evolve, field

from statemachines.logs.fields.log_times import Timestamp
from statemachines.logs.layouts.shipped_layouts import default_layouts
from statemachines.logs.records.physical_lines import PhysicalLines
from statemachines.logs.search.buffers import CUT, FileBuffer
from statemachines.logs.search.engines import LINE_LIMIT
from statemachines.logs.search.scanner import Buffer
from statemachines.logs.storage.listed_files import ListedFile
from statemachines.logs.storage.own_files import OWN_REPORT, SPEC_FILE, own_file_reason
from statemachines.logs.storage.spread_records import put_on_lines, spread_form
from statemachines.logs.storage.unpacking import (
    HEAD_BYTES,
    archive_opener,
    detect_encoding,
    ends_lines_with_returns,
    holds_several_files,
    is_text,
    is_web_page,
    spool,
    transcode,
    unpack,
    with_line_feeds,
)
from statemachines.model.opened_files import open_for_reading, refuse_device
from statemachines.model.values import frozen

NEWEST_FIRST = (
    "its records stand newest first, and each would be taken for what came before: turn them "
    "round (`tac FILE`), or export them oldest first"
)
_MOST_RECORDS = 200
_FEWEST_FALLS = 3
"""Times that go back without one that goes on; less may be clocks that were set."""
_LEAST_FALL_MS = 1000
"""In all; lines that change places within a moment are put in order by the judge."""
_MOST_LINES = 1000


def is_newest_first(head: bytes) -> bool:
    """Whether no time in the beginning of a file is later than the one before it, at least three
    are earlier, and the last one by more than a second.

    The first time that goes on settles it: of nearly every file two lines are read.

    Args:
        head: the first bytes of a file, in UTF-8.

    Returns:
        True where lines go back in time.
    """
    falls = fallen_ms = 0
    for before, after in pairwise(islice(_dated_times(head), _MOST_RECORDS)):
        if after.at_ms > before.at_ms:
            return False
        falls += after.at_ms < before.at_ms
        fallen_ms += before.at_ms - after.at_ms
    return falls >= _FEWEST_FALLS and fallen_ms > _LEAST_FALL_MS


def _dated_times(head: bytes) -> Iterator[Timestamp]:
    """Yield the times of the records that have a date; not of the last line, which may be cut."""
    lines, offset = PhysicalLines(head, default_layouts()), 0
    end = head.rfind(b"\n") + 1
    for _ in range(_MOST_LINES):
        if offset >= end:
            return
        line = lines.line_at(offset)
        offset = line.end
        if line.parsed and line.timestamp and line.timestamp.dated:
            yield line.timestamp


CHUNK_BYTES = 64 << 20
"""Bytes of a piece, unless told otherwise (64 MiB)."""
NOT_TEXT = "not a text file"
SEVERAL_FILES = "an archive of several files: unpack it, and name the folder"
HOLE = (
    "it begins with NUL bytes, as a log that was truncated while a program went on writing where it"
    " was: its first line is not read"
)
WEB_PAGE = (
    "it looks like a page of HTML, as HtmlLayout and HTMLLayout write logs, and is not read: log as"
    " text or JSON lines as well, or save the page's table as CSV"
)


_NOTHING_READ = (NOT_TEXT, SEVERAL_FILES, WEB_PAGE, OWN_REPORT, SPEC_FILE)
"""Problems of a file of which nothing is read."""


def unread_reason(problems: Iterable[str]) -> str | None:
    """Return why nothing was read of a file that is there.

    Args:
        problems: of the log.

    Returns:
        One of the problems; None where the file was read.
    """
    return next((problem for problem in problems if problem in _NOTHING_READ), None)


@frozen(slots=True)
class OpenLog:
    """An open log; a context manager."""

    name: str
    buffer: Buffer
    """The whole file, uncompressed, as UTF-8; empty where it is no text."""
    problems: tuple[str, ...] = ()
    """What a reader of the report should know of this file."""
    unreadable: str | None = None
    """Why the file could not be read to its end; what came before is in the buffer."""
    _files: tuple[IO[bytes], ...] = field(default=(), alias="files")
    stored_size: int = 0
    """Bytes of the file as it lies on disk, packed or not."""

    @property
    def incomplete_reason(self) -> str | None:
        """Why not all was there to be read: known at the opening, or met while reading, as where
        the file is cut meanwhile.
        """
        return self.unreadable or (
            self.buffer.incomplete_reason if isinstance(self.buffer, FileBuffer) else None
        )

    def read_problem(self, *, named: bool) -> str | None:
        """Return why it, or its end, could not be read.

        Args:
            named: whether the person named this very file; one that is no log and only lies in a
                folder lacks nothing.

        Returns:
            The reason; None where all was read.
        """
        return self.incomplete_reason or (unread_reason(self.problems) if named else None)

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return len(self.buffer)

    def stored_bytes(self, count: int) -> int:
        """Return how many bytes of the file on disk so many bytes of the buffer stand for.

        Args:
            count: bytes of the buffer.

        Returns:
            Bytes; of a packed file fewer.
        """
        return count * self.stored_size // self.size if self.size else 0

    def close(self) -> None:
        """Let go of the file and of temporary ones."""
        for file in self._files:
            file.close()

    def __enter__(self) -> OpenLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_log(path: str | Path | ListedFile | BinaryIO, *, name: str | None = None) -> OpenLog:
    """Open a log.

    Args:
        path: a file, one that was listed, or a stream of bytes such as standard input (it is
            copied into a temporary file first).
        name: what to call it; the path, or `-` for a stream, if not given.

    Returns:
        The log with its bytes in UTF-8, and what was wrong with it.

    Raises:
        OSError: for a file that is not there or may not be read.
    """
    if isinstance(path, ListedFile):
        return _open_listed(path)
    file = _open_seekable(path) if isinstance(path, str | Path) else spool(path)
    called = name or (str(path) if isinstance(path, str | Path) else "-")
    try:
        return _decode_log(file, called)
    except BaseException:
        file.close()
        raise


def _open_listed(listed: ListedFile) -> OpenLog:
    """Open a file that was listed, and say what became of it since.

    Raises:
        OSError: it is not in its folder any more, or may not be read.
    """
    file = listed.open()
    try:
        size = os.fstat(file.fileno()).st_size
        log = _decode_log(file, str(listed.path))
        if os.path.basename(file.name) != listed.path.name:
            called = f"while it was checked it was renamed to {os.path.basename(file.name)}"
            log = evolve(log, problems=(called, *log.problems))
        if size < listed.size and log.unreadable is None:
            log = evolve(log, problems=(*log.problems, CUT), unreadable=CUT)
        return log
    except BaseException:
        file.close()
        raise


def _open_seekable(path: str | Path) -> IO[bytes]:
    """The file itself where any place of it can be read, else (a pipe) a copy.

    Raises:
        OSError: it is not there, it may not be read, it is a pipe that nobody writes to, or a
            device, which may never end.
    """
    refuse_device(path)
    file = open_for_reading(path)
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    with file:
        return spool(file)


def _decode_log(file: IO[bytes], name: str) -> OpenLog:
    stored_size = file.seek(0, os.SEEK_END)
    return evolve(_decoded(file, name), stored_size=stored_size)


def _decoded(file: IO[bytes], name: str) -> OpenLog:
    problems: list[str] = []
    unreadable = None
    opener = archive_opener(_read_head(file))
    if opener:
        file, unreadable = unpack(file, opener)
    encoding = detect_encoding(_read_head(file))
    if encoding:
        problems.append(f"in {encoding.upper()[:6]}, and read as such")
        file = transcode(file, encoding)
    if ends_lines_with_returns(_read_head(file)):
        problems.append("its lines end with carriage returns alone, and are read as such")
        file = with_line_feeds(file)
    own = own_file_reason(_read_head(file))
    if own:
        return OpenLog(name, b"", (*problems, own), unreadable, (file,))
    form = spread_form(_read_head(file))
    if form:
        kind = form if isinstance(form, str) else "JSON"
        problems.append(f"records in {kind} that are no lines, and read as one line each")
        file = put_on_lines(file, form)
    buffer: Buffer = FileBuffer(file)
    if holds_several_files(buffer):
        problems.append(SEVERAL_FILES)
        buffer = b""
    elif not is_text(buffer):
        problems.append(NOT_TEXT)
        buffer = b""
    elif not bytes(buffer[:LINE_LIMIT]).strip(b"\0") and len(buffer) > LINE_LIMIT:
        problems.append(HOLE)
    elif is_web_page(_read_head(file)):
        problems.append(WEB_PAGE)
        buffer = b""
    elif is_newest_first(_read_head(file)):
        buffer, unreadable = b"", NEWEST_FIRST
    return OpenLog(
        name, buffer, (*problems, *([unreadable] if unreadable else [])), unreadable, (file,)
    )


def is_divisible(path: str | Path | ListedFile) -> bool:
    """Whether a file can be read from any place: neither compressed nor in another encoding than
    UTF-8, and its records are lines, oldest first.

    Args:
        path: a file.

    Returns:
        True where a part of it can be read alone.

    Raises:
        OSError: for a file that is not there or may not be read.
    """
    if not isinstance(path, ListedFile) and not os.path.isfile(path):
        return False
    with path.open() if isinstance(path, ListedFile) else open(path, "rb") as file:
        return is_plain_utf8(file.read(HEAD_BYTES))


def is_plain_utf8(head: bytes) -> bool:
    """Whether a file that begins so is neither compressed nor in another encoding than UTF-8, and
    its records are lines, oldest first.

    Args:
        head: the first bytes of a file.

    Returns:
        True where the file can be read as it is.
    """
    return (
        archive_opener(head) is None
        and detect_encoding(head) is None
        and not ends_lines_with_returns(head)
        and not is_web_page(head)
        and own_file_reason(head) is None
        and spread_form(head) is None
        and not is_newest_first(head)
    )


def _read_head(file: IO[bytes]) -> bytes:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    return head


def chunk_ranges(size: int, chunk_size: int = CHUNK_BYTES) -> list[tuple[int, int]]:
    """Cut a file into byte ranges; a range owns the lines that begin in it.

    An empty file has none.

    Args:
        size: of the file, in bytes.
        chunk_size: in bytes.

    Returns:
        Pairs of the first byte and the first byte behind, in order, without gaps.
    """
    return [(start, min(start + chunk_size, size)) for start in range(0, size, chunk_size)]
