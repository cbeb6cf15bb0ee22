"""Reading what is new in a log: whole lines only, until nothing comes after them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from attrs import evolve, frozen

from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.follow.followed_log import FollowedLog, LogEdges, log_edges
from statemachines.conform.engines.follow.pipe_window import PipeWindow
from statemachines.conform.engines.growing.content_readings import ContentReader
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import Profile
from statemachines.logs import OpenLog, open_log, unread_reason
from statemachines.logs.search.buffers import FileBuffer
from statemachines.logs.storage.open_logs import is_divisible, is_plain_utf8
from statemachines.logs.storage.unpacking import HEAD_BYTES

_STEP_BYTES = 1 << 16
"""Bytes that are searched at once for the last line feed."""
NO_LINES_IN_PIPE = (
    "it is packed, in another encoding than UTF-8, or its records are no lines: what is followed"
    " through a pipe is read line by line all the same; follow a file, or check it when it is whole"
)


@frozen
class LogReading:
    """Reads logs on, and hands their observations over."""

    reader: FileReader
    settle: Callable[[FollowedLog, list[Observation]], None]
    """Takes observations that stay."""
    replace_tail: Callable[[int, Iterable[Observation]], None]
    """Takes those near the end of a log."""

    def read_file(self, log: FollowedLog, *, to_the_end: bool = False) -> bool:
        """Read what is new in the file of a log; say whether there was anything.

        Args:
            log: which one.
            to_the_end: take a last line without a line feed too.

        Raises:
            OSError: it cannot be read.
        """
        status = log.file_status()
        if status is None:
            return False
        size_and_time = (status.st_size, status.st_mtime_ns)
        if log.size_and_time == size_and_time and not to_the_end:
            return False
        log.size_and_time = size_and_time
        if log.is_plain and log.path is not None and _may_show_its_form(log):
            log.take_form(problems_of_plain(log.path))
        if not log.is_plain:
            assert log.path is not None
            with open_log(log.path) as opened:
                return self._read_on(log, opened)
        if log.handle is None:
            assert log.path is not None
            with _open_plain(log) as opened:
                return self._read_lines(log, opened, to_the_end)
        whole = OpenLog(log.name, FileBuffer(log.handle), log.problems)
        return self._read_lines(log, whole, to_the_end)

    def goes_on(self, log: FollowedLog) -> bool:
        """Say whether the file of a log that is read as a whole begins with what is settled of it.

        Args:
            log: whose file has changed since.

        Raises:
            OSError: it cannot be read.
        """
        assert log.path is not None
        if not log.settled_edges.size:
            return True
        with open_log(log.path) as opened:
            content = opened.buffer
            return isinstance(content, FileBuffer) and log.settled_edges.begins(content)

    def read_pipe(self, log: FollowedLog, pipe: PipeWindow, *, to_the_end: bool = False) -> bool:
        """Read what came through a pipe, line by line; say whether there was anything new."""
        if _may_show_its_form(log):
            is_plain = is_plain_utf8(pipe.read_range(0, HEAD_BYTES))
            log.problems = () if is_plain else (NO_LINES_IN_PIPE,)
        opened = OpenLog(log.name, FileBuffer(pipe), log.problems)
        changed = self._read_lines(log, opened, to_the_end)
        pipe.settle(log.reading.settled_end)
        return changed

    def settle_end(self, log: FollowedLog) -> None:
        """Let what stands near the end of a log stay as it was read: nothing more comes."""
        reading = log.reading
        self.replace_tail(log.number, ())
        self.settle(log, list(reading.tail_observations))
        log.reading = evolve(
            reading, settled_end=reading.size, settled=reading.profile, tail=Profile(),
            tail_observations=(),
        )  # fmt: skip

    def _read_lines(self, log: FollowedLog, opened: OpenLog, to_the_end: bool) -> bool:
        """Read whole lines."""
        assert isinstance(opened.buffer, FileBuffer)
        end = opened.size
        if not to_the_end:
            end = _end_of_lines(opened.buffer, log.reading.size)
        if end <= log.reading.size:
            return False
        lines = OpenLog(log.name, opened.buffer.up_to(end), opened.problems)
        return self._read_on(log, lines)

    def _read_on(self, log: FollowedLog, opened: OpenLog) -> bool:
        """Read an open log on from where its reading ended."""
        before = log.reading.size
        reading = ContentReader(
            self.reader, log.number, lambda rows, _: self.settle(log, rows), _ignore
        ).read_on(opened, log.reading)
        log.reading = reading
        self.replace_tail(log.number, reading.tail_observations)
        if isinstance(opened.buffer, FileBuffer):
            log.edges = log_edges(opened.buffer, reading.size)
            if not log.is_plain:
                log.settled_edges = log_edges(opened.buffer, reading.settled_end)
        else:
            log.edges = log.settled_edges = LogEdges()
        if reading.interrupted:
            raise KeyboardInterrupt
        return reading.size != before or before == 0


def _may_show_its_form(log: FollowedLog) -> bool:
    """Say whether the bytes that tell how a log is to be read were not all there when it was read
    last: nothing of it is settled then.
    """
    return log.reading.size < HEAD_BYTES and not log.reading.settled_end


def problems_of_plain(path: Path) -> tuple[str, ...] | None:
    """Return what a reader of the report should know of a file that is text and can be read from
    any place; None of any other.

    Args:
        path: of a file.

    Raises:
        OSError: it is not there, or may not be read.
    """
    if not is_divisible(path):
        return None
    with open_log(path) as opened:
        return None if unread_reason(opened.problems) else opened.problems


def _open_plain(log: FollowedLog) -> OpenLog:
    """Open the file of a log as it is."""
    assert log.path is not None
    file = open(log.path, "rb")
    return OpenLog(log.name, FileBuffer(file), log.problems, files=(file,))


def _end_of_lines(buffer: FileBuffer, known: int) -> int:
    """Return where the last whole line ends; `known` where nothing after it is whole."""
    end = len(buffer)
    while end > known:
        start = max(known, end - _STEP_BYTES)
        if (feed := buffer.read_range(start, end).rfind(b"\n")) >= 0:
            return start + feed + 1
        end = start
    return known


def _ignore(_: int) -> None:
    """Show no progress: nobody waits for an end."""


def file_identity(status: os.stat_result) -> tuple[int, int]:
    """Return what tells a file from others, whatever it is called."""
    return status.st_dev, status.st_ino
