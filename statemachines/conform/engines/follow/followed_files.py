"""Which file holds which log now: logs are rotated, cut, copied, packed and replaced.

A log is followed by its file and not by its name: a file that is renamed goes on under its new
name, one that is cut or replaced begins a new log, and what was read of the old one stays known.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from attrs import Factory, define

from statemachines.conform.engines.follow.followed_log import FileIdentity, FollowedLog
from statemachines.conform.engines.follow.log_names import LogNames
from statemachines.conform.engines.follow.log_reading import (
    LogReading,
    file_identity,
    problems_of_plain,
)
from statemachines.conform.engines.growing.raw_files import open_raw
from statemachines.conform.engines.inputs import refuse_pipe
from statemachines.logs import open_log, rotation_key
from statemachines.logs.search.buffers import FileBuffer

_MOST_LOOKS = 5
"""At files that are renamed again and again, one after the other."""
_MOST_HANDLES = 200
"""Files that are held open at once."""
_MOST_UNSETTLED = 8
"""Logs that no file holds any more and that may go on in a file that comes: the others are as
they are.
"""
_AT_REST_NS = 10 * 10**9
"""A log to which nothing was written for so long before the next one was has no record that is not
whole (ten seconds).
"""
_FilesThere = dict[FileIdentity, tuple[str, Path, os.stat_result]]
"""What is there now: name, place and status."""


@define
class _ReadLogs:
    """Logs of which something was read."""

    by_size: dict[int, list[FollowedLog]] = Factory(lambda: defaultdict(list))
    """By how much of them was read."""
    without_file: list[FollowedLog] = Factory(list)
    """Those that no file held when they were added."""

    def add(self, log: FollowedLog) -> None:
        """Take a log in; again, where no file holds it any more."""
        if log.edges.size and log.identity is None:
            self.without_file.append(log)
        elif log.edges.size:
            self.by_size[log.edges.size].append(log)

    def like(self, size: int) -> list[FollowedLog]:
        """Return the logs of which a file of so many bytes may hold more, or a copy, the longest
        first.
        """
        left = [log for log in self.without_file if log.identity is None]
        return sorted([*self.by_size.get(size, ()), *left], key=_longest_first)


@define
class FollowedFiles:
    """The logs of some paths, as their files come and go.

    Complexity: a look is linear in the logs; a file that is new is compared with those that no file
    holds any more, and with those that are as long.
    """

    list_files: Callable[[], Iterable[tuple[str, Path]]]
    """Names and places of the files that are there now."""
    reading: LogReading
    on_new: Callable[[FollowedLog], None]
    """Called with a log that begins, before anything of it is read."""
    logs: list[FollowedLog]
    """All logs, by their numbers; what is gone stays."""
    problems: dict[str, str] = Factory(dict)
    """Files that cannot be read, and why."""
    _by_file: dict[FileIdentity, FollowedLog] = Factory(dict)
    copies: dict[FileIdentity, int] = Factory(dict)
    """Files that hold what another file holds that is still written, and their sizes: they count
    when the other one is cut or deleted. Before the first look: those of which that was known
    before a restart.
    """
    _is_first_look: bool = True

    _names: LogNames = Factory(LogNames)
    _open: list[FollowedLog] = Factory(list)
    """Logs whose files are held open, the oldest first, and some that were let go since."""
    _without_file: list[FollowedLog] = Factory(list)
    """Logs that were left and whose ends may still be read again, the oldest first."""
    _read_logs: _ReadLogs | None = None
    """Logs of which something was read; None where that has to be looked at anew."""

    def poll(self, *, to_the_end: bool = False) -> bool:
        """Look at all files, and read what is new; say whether anything is."""
        there = self._files_there()
        self._read_logs = None
        changed = self._leave_gone(there)
        for identity, (name, path, status) in there.items():
            if identity in self._by_file:
                changed |= self._keep_known(self._by_file[identity], name, path, status)
        changed |= self._take_new_files(there)
        followed = [log for log in self.logs if log.identity is not None]
        for log in followed:
            changed |= self._read(log, to_the_end)
        return self._settle_rotated(followed) or changed

    def close(self) -> None:
        """Let go of all files."""
        for log in self.logs:
            log.let_go()

    def _files_there(self) -> _FilesThere:
        """Look until what is seen is seen twice: of files that are renamed meanwhile, one whose
        name another takes would be missed, and what it told be taken for undone and said again.
        """
        there = self._seen_files()
        for _ in range(_MOST_LOOKS):
            if {known: log.name for known, log in self._by_file.items()} == _names(there):
                return there
            before, there = there, self._seen_files()
            if _names(before) == _names(there):
                return there
        return there

    def _seen_files(self) -> _FilesThere:
        files: _FilesThere = {}
        for name, path in self.list_files():
            with suppress(OSError):
                status = path.stat()
                files.setdefault(file_identity(status), (name, path, status))
        return files

    def _leave_gone(self, there: _FilesThere) -> bool:
        """Read the last lines of logs whose file was deleted or moved away, and leave it."""
        changed = False
        for identity in [known for known in self._by_file if known not in there]:
            log = self._by_file[identity]
            log.path = None
            changed |= log.handle is not None and self._read(log, False)
            self._leave(log)
        self.copies = {known: size for known, size in self.copies.items() if known in there}
        return self._settle_ends() or changed

    def _settle_ends(self) -> bool:
        """Let the ends of logs that are gone be as they are, but for the last; say whether any is.

        Complexity: what was read of the end of a log is held for `_MOST_UNSETTLED` of them.
        """
        self._without_file = [log for log in self._without_file if log.identity is None]
        ended, self._without_file = (
            self._without_file[:-_MOST_UNSETTLED],
            self._without_file[-_MOST_UNSETTLED:],
        )
        for log in ended:
            self.reading.settle_end(log)
        return bool(ended)

    def _settle_rotated(self, followed: Iterable[FollowedLog]) -> bool:
        """Let the ends of logs be as they are behind which another part of the same has settled
        lines, once they have been at rest; say whether there are any. Else whoever has lines in
        such an end were judged from the first of them on whenever there is another one.
        """
        written = dict[str, FollowedLog]()
        for log in followed:
            if log.reading.settled_end and log.size_and_time is not None:
                stem = rotation_key(log.shown_name)[0]
                if stem not in written or _is_newer(log, written[stem]):
                    written[stem] = log
        ended = [log for log in followed if _is_ended(log, written)]
        for log in ended:
            self.reading.settle_end(log)
        return bool(ended)

    def _leave(self, log: FollowedLog) -> None:
        """Know a log on, which no file holds any more."""
        if log.identity is not None:
            self._by_file.pop(log.identity, None)
        log.identity = log.path = None
        log.let_go()
        self.copies.clear()
        self._without_file.append(log)
        self._know(log)

    def _keep_known(self, log: FollowedLog, name: str, path: Path, status: os.stat_result) -> bool:
        """Follow a file under the name that it has now; begin anew where it holds another log."""
        log.path = path
        if self._holds_another(log, status):
            self._leave(log)
            self._begin(file_identity(status), name, path)
            return True
        if log.shown_name == name:
            return False
        self._names.give(log, name)
        return True

    def _holds_another(self, log: FollowedLog, status: os.stat_result) -> bool:
        if log.size_and_time is None or log.size_and_time == (status.st_size, status.st_mtime_ns):
            return False
        if not log.is_plain:
            with suppress(OSError):
                return status.st_size < log.size_and_time[0] or not self.reading.goes_on(log)
            return False
        if status.st_size < log.reading.size:
            return True
        assert log.path is not None
        with suppress(OSError), open_raw(log.path) as raw:
            return raw is not None and log.edges.size > 0 and not log.edges.begins(raw)
        return False

    def _take_new_files(self, there: _FilesThere) -> bool:
        """Take files that were not there before. At the first look those that hold the same are
        logs of their own, as they are to a check, but for those that were copies before a restart,
        which are compared with all others.
        """
        before, self.copies = self.copies, {} if self._is_first_look else self.copies
        changed = False
        for identity in sorted(there, key=before.__contains__):
            if identity not in self._by_file:
                may_be_copy = not self._is_first_look or identity in before
                changed |= self._take_new_file(identity, *there[identity], may_be_copy)
        self._is_first_look = False
        return changed

    def _take_new_file(
        self,
        identity: FileIdentity,
        name: str,
        path: Path,
        status: os.stat_result,
        may_be_copy: bool,
    ) -> bool:
        """Take a file that was not there before: a new log, or one that is known."""
        if self.copies.get(identity) == status.st_size:
            return False
        try:
            known = self._log_in(path) if may_be_copy and not path.is_fifo() else None
        except OSError as problem:
            self.problems[name] = problem.strerror or str(problem)
            return False
        if known is None:
            self._begin(identity, name, path)
        elif known.identity is not None:
            self.copies[identity] = status.st_size
            return False
        else:
            self._names.give(known, name)
            self._hold(known, identity, path)
        return True

    def _log_in(self, path: Path) -> FollowedLog | None:
        """Return the log that a new file holds: one that no file holds any more and that it begins
        with, or one that is still written and of which it is a copy.
        """
        known = self._known_logs()
        if not (known.by_size or known.without_file):
            return None
        with open_log(path) as opened:
            content = opened.buffer
            if not isinstance(content, FileBuffer):
                return None
            return next(
                (log for log in known.like(len(content)) if log.edges.begins(content)), None
            )

    def _know(self, log: FollowedLog) -> None:
        if self._read_logs is not None:  # else it is looked at with all the others
            self._read_logs.add(log)

    def _known_logs(self) -> _ReadLogs:
        if self._read_logs is None:
            self._read_logs = _ReadLogs()
            for log in self.logs:
                self._read_logs.add(log)
        return self._read_logs

    def _begin(self, identity: FileIdentity, name: str, path: Path) -> None:
        """Begin to follow a log."""
        log = FollowedLog(len(self.logs), name, path)
        self._names.give(log, name)
        self.logs.append(log)
        self._hold(log, identity, path)
        self.on_new(log)
        self._know(log)

    def _hold(self, log: FollowedLog, identity: FileIdentity, path: Path) -> None:
        """Let a file hold a log from now on."""
        log.path, log.identity, log.size_and_time = path, identity, None
        self._by_file[identity] = log
        self.copies.pop(identity, None)
        with suppress(OSError):
            problems = problems_of_plain(path)
            log.is_plain, log.problems = problems is not None, problems or ()
            if log.is_plain:
                if len(self._open) >= _MOST_HANDLES:
                    self._open = [log for log in self._open if log.handle is not None]
                if len(self._open) >= _MOST_HANDLES:
                    self._open.pop(0).let_go()
                self._open.append(log)
                log.handle = open(path, "rb")

    def _read(self, log: FollowedLog, to_the_end: bool) -> bool:
        try:
            if log.shown_name in self.problems and log.identity and log.path:
                log.let_go()
                self._hold(log, log.identity, log.path)  # it may be readable by now
            if not log.is_plain and log.path is not None:
                refuse_pipe(log.path, log.is_named)
            changed = self.reading.read_file(log, to_the_end=to_the_end)
        except OSError as problem:
            self.problems[log.shown_name] = problem.strerror or str(problem)
            return False
        self.problems.pop(log.shown_name, None)
        return changed


def _is_newer(log: FollowedLog, other: FollowedLog) -> bool:
    return log.as_file().age > other.as_file().age


def _is_ended(log: FollowedLog, written: Mapping[str, FollowedLog]) -> bool:
    """Say whether a log that may still be there is at rest since the one that is written began."""
    if not log.is_plain or log.size_and_time is None or log.reading.settled_end >= log.reading.size:
        return False
    newer = written.get(rotation_key(log.shown_name)[0])
    if newer is None or newer.size_and_time is None or not _is_newer(newer, log):
        return False
    return newer.size_and_time[1] - log.size_and_time[1] >= _AT_REST_NS


def _longest_first(log: FollowedLog) -> tuple[int, int]:
    return -log.edges.size, log.number


def _names(there: _FilesThere) -> dict[FileIdentity, str]:
    return {identity: name for identity, (name, _, _) in there.items()}
