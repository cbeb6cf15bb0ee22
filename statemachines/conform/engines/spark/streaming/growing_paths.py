"""Files that appear and grow below some paths, as far as they can be read: no Spark is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import time

from attrs import frozen

from statemachines.conform.engines.inputs import is_remote
from statemachines.conform.engines.spark.input_listing import list_logs
from statemachines.conform.engines.spark.stages.file_chunks import LogFile
from statemachines.conform.engines.spark.stages.worker_files import file_system, remote_stream
from statemachines.logs import open_log

SETTLED_SECONDS = 60
"""A file that nobody wrote to for so long is there as a whole: an archive is read then, and the
last line of a log that does not end.
"""
_BLOCK_BYTES = 1 << 20

Ends = Mapping[str, int]
"""Of each file, by its name, how many bytes of it were read."""
Line = tuple[str, int, bytes]
"""The name of a file, the byte at which a line of it begins, the line without its end."""


class LogReplaced(RuntimeError):
    """A file became another one while it was read; the message says which and what to do."""


@frozen
class ByteRange:
    """What is read at once of a file: whole lines."""

    name: str
    file: LogFile
    start: int
    end: int

    def lines(self) -> Iterator[Line]:
        """Read the lines.

        Raises:
            OSError: The file is gone.
        """
        at, rest = self.start, b""
        for block in self._blocks():
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield self.name, at, line
                at += len(line) + 1
        if rest:
            yield self.name, at, rest

    def _blocks(self) -> Iterator[bytes]:
        """Read the text, some at once."""
        with remote_stream(self.file.path) as stream:
            if self.file.divisible:
                for start in range(self.start, self.end, _BLOCK_BYTES):
                    yield stream.read_at(min(_BLOCK_BYTES, self.end - start), start)
                return
            with open_log(stream, name=self.file.path) as log:
                for start in range(0, len(log.buffer), _BLOCK_BYTES):
                    yield bytes(log.buffer[start : start + _BLOCK_BYTES])


@frozen
class GrowingPaths:
    """The files below some paths, as they are now."""

    paths: tuple[str, ...]

    def ends(self, known: Ends, most: int | None = None) -> dict[str, int]:
        """Return how far each file can be read: to the end of a line, or of an archive.

        Args:
            known: How far each was read.
            most: Bytes of all of them that are read at once; None: any number.

        Raises:
            LogReplaced: One is shorter than what was read of it, or an archive has changed.
        """
        ends, room = dict(known), most
        for name, file in self._files().items():
            start = known.get(name, 0)
            if file.size < start or (start and file.size > start and not file.divisible):
                raise LogReplaced(
                    f"{file.path} is another file than the one that was read: a stream reads files"
                    " that only grow and keep their names; `statemachines check --follow` reads"
                    " rotated ones"
                )
            end = file.size if room is None else min(file.size, start + room)
            if end > start:
                ends[name] = _end_of_lines(file, start, end)
                room = None if room is None else max(0, room - ends[name] + start)
        return {name: end for name, end in ends.items() if end}

    def ranges(self, start: Ends, end: Ends) -> list[ByteRange]:
        """Return what stands between two ends of all files."""
        changed = [name for name in sorted(end) if end[name] > start.get(name, 0)]
        files = self._files() if changed else {}
        if missing := [name for name in changed if name not in files]:
            raise LogReplaced(
                f"{missing[0]} is gone before all of it was read: a stream reads files that stay"
            )
        return [ByteRange(name, files[name], start.get(name, 0), end[name]) for name in changed]

    def _files(self) -> dict[str, LogFile]:
        listing = list_logs(self.paths, Path(tempfile.gettempdir()))
        return dict(listing.files)


def refuse_other_paths(paths: tuple[str, ...]) -> None:
    """See that paths may be read as a stream.

    Raises:
        ValueError: One is a pipe, or is not there.
    """
    for path in paths:
        if path == "-":
            raise ValueError("a stream reads files: `check --follow -` reads a pipe")
        if not is_remote(path) and not Path(path).exists():
            raise ValueError(f"{path}: there is no such file or folder")


def _end_of_lines(file: LogFile, start: int, end: int) -> int:
    """Return where the last whole line before a place ends, from another one on."""
    if end == file.size and _is_settled(file):
        return end
    if not file.divisible:
        return start
    with remote_stream(file.path) as stream:
        for until in range(end, start, -_BLOCK_BYTES):
            first = max(start, until - _BLOCK_BYTES)
            place = bytes(stream.read_at(until - first, first)).rfind(b"\n")
            if place >= 0:
                return first + place + 1
    return start if end == file.size else end  # a line longer than what is read at once is cut


def _is_settled(file: LogFile) -> bool:
    """Say whether nobody wrote to a file for some time."""
    system, inside = file_system(file.path)
    written = system.get_file_info(inside).mtime
    return written is None or time() - written.timestamp() > SETTLED_SECONDS
