"""One log that is followed, whatever file holds it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from attrs import Factory, define, frozen

from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.engines.growing.fingerprints import Bytes
from statemachines.conform.settle.processes import CheckedFile
from statemachines.logs import rotated_away, rotation_key, unread_reason

FileIdentity = tuple[int, int]
"""Device and inode."""
EDGE_BYTES = 1 << 12
"""Bytes at both ends of what was read by which a log is known again (4 KiB)."""


@frozen
class LogEdges:
    """How the first `size` bytes of a log begin and end."""

    size: int = 0
    first: bytes = b""
    last: bytes = b""

    def begins(self, content: Bytes) -> bool:
        """Say whether some bytes begin like this log, of which something was read."""
        return 0 < self.size <= len(content) and log_edges(content, self.size) == self


def log_edges(content: Bytes, size: int) -> LogEdges:
    """Return the edges of the first `size` bytes of a log."""
    first = content.read_range(0, min(size, EDGE_BYTES))
    return LogEdges(size, first, content.read_range(max(0, size - EDGE_BYTES), size))


@define(eq=False)
class FollowedLog:
    """One log, from its first line on."""

    number: int
    name: str
    path: Path | None
    """The file that holds it now; None where none does any more."""
    identity: FileIdentity | None = None
    is_plain: bool = True
    """Whether it is text that grows at its end; others are unpacked as a whole."""
    reading: ContentReading = Factory(ContentReading)
    edges: LogEdges = Factory(LogEdges)
    settled_edges: LogEdges = Factory(LogEdges)
    """The same of what stays of one that is read as a whole: its end may be another later."""
    handle: IO[bytes] | None = None
    """Its file, held open, so that its last lines are read also where it is deleted."""
    size_and_time: tuple[int, int] | None = None
    """Size and time of change of its file when it was read last."""
    problems: tuple[str, ...] = ()
    """What a reader of the report should know of a pipe, or of a file that is read line by line."""
    is_named: bool = False
    """Whether the person named this very file, so that not to read it is an error."""
    displaced: int = 0
    """Which one it is of the logs whose name another log has now."""

    @property
    def shown_name(self) -> str:
        """What reports call it: as its file, or the one that it was in."""
        return rotated_away(self.name, self.displaced) if self.displaced else self.name

    @property
    def read_problem(self) -> str | None:
        """Why it, or its end, could not be read; None of one in a folder that is no log."""
        nothing_read = unread_reason(self.reading.facts.problems) if self.is_named else None
        return self.reading.error or nothing_read

    def as_file(self) -> CheckedFile:
        """Return it as a file of a check."""
        return CheckedFile(self.shown_name, *rotation_key(self.shown_name))

    def file_status(self) -> os.stat_result | None:
        """Return the status of its file, also of a deleted one that is held open."""
        try:
            if self.handle is not None:
                return os.fstat(self.handle.fileno())
            return self.path.stat() if self.path is not None else None
        except OSError:
            return None

    def take_form(self, problems: tuple[str, ...] | None) -> None:
        """Take note of how its file shows itself by now.

        Args:
            problems: what a reader of the report should know of it; None where it is no text that
                can be read line by line: the log begins anew, and is read as a whole each time.
        """
        self.problems = problems or ()
        if problems is None:
            self.read_as_a_whole()

    def read_as_a_whole(self) -> None:
        """Begin anew, and unpack its file each time: it showed that its records are no lines."""
        self.is_plain, self.reading, self.edges = False, ContentReading(), LogEdges()
        self.let_go()

    def let_go(self) -> None:
        """Close its file."""
        if self.handle is not None:
            self.handle.close()
            self.handle = None
