"""Carrying what was read and said over a restart."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from attrs import define, evolve, field

from statemachines.conform.engines.follow.followed_log import FileIdentity, FollowedLog, log_edges
from statemachines.conform.engines.follow.said_file import SaidFile
from statemachines.conform.engines.growing.content_readings import renumbered
from statemachines.conform.engines.growing.raw_files import RawFile, open_raw
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.join.report_changes import ReportedChanges, SaidRow, said_row
from statemachines.model.evidence.changes import LogChange

TOLD = "told changes"
"""What the note is called that says what was said."""


_COPIES = "copies"
"""What the note is called that says which files held what others hold."""


@define
class StateKeeping:
    """Reads a state folder for logs that begin, and writes it now and then; does nothing without
    one.
    """

    state: StateFolder | None
    """None too once it cannot be written any more: it stays as it was then."""
    _contents: dict[int, int] = field(factory=dict)
    """By the number of a log: its content in the folder."""
    _taken: set[int] = field(factory=set)
    """Contents that a log was begun with."""
    _said_rows: SaidFile | None = field(init=False)

    @_said_rows.default
    def _said_file(self) -> SaidFile | None:
        if self.state is None:
            return None
        return SaidFile.in_folder(self.state.folder, self.state.made_with)

    def close(self) -> None:
        """Let go of files."""
        if self._said_rows is not None:
            self._said_rows.close()

    @property
    def folder(self) -> Path | None:
        """Return where it is."""
        return self.state.folder.resolve() if self.state is not None else None

    def reported_changes(self) -> ReportedChanges:
        """Return what was said before the restart: as of when the folder was written, and since."""
        text = self.state.note(TOLD) if self.state is not None else None
        changes = ReportedChanges.from_text(text) if text else ReportedChanges()
        for row in self._said_rows.rows() if self._said_rows is not None else ():
            changes.take(row)
        return changes

    def copies(self) -> dict[FileIdentity, int]:
        """Return the files that were copies of others before the restart, and their sizes."""
        text = self.state.note(_COPIES) if self.state is not None else None
        return {(device, inode): size for device, inode, size in json.loads(text or "[]")}

    def begin(self, changes: ReportedChanges, spoken: Sequence[LogChange]) -> None:
        """Write down what was known without a word, before anything is said."""
        if self._said_rows is not None:
            self._said_rows.add(changes.passed_over(spoken))

    def note_said(self, change: LogChange) -> None:
        """Write down that something was said."""
        if self._said_rows is not None:
            self._said_rows.add([said_row(change)])

    def note_left_out(self, row: SaidRow) -> None:
        """Write down that something is not said."""
        if self._said_rows is not None:
            self._said_rows.add([row])

    def resume(self, log: FollowedLog) -> Iterable[Observation]:
        """Give a log the reading that was kept of it; return its settled observations."""
        if log.path is None or not log.is_plain:
            return ()
        with self._giving_up_where_full():
            return renumbered(self._kept_rows(log), log.number)
        return ()

    def _kept_rows(self, log: FollowedLog) -> Iterable[Observation]:
        if self.state is None or log.path is None:
            return ()
        try:
            with open_raw(log.path) as raw:
                content = self.state.longest_beginning(raw) if raw is not None else None
                if raw is None or content is None:
                    self._contents[log.number] = self.state.new_content()
                    return ()
                settled = self.state.verified_observations(content.number)
                if settled is None:
                    self._contents[log.number] = self.state.new_content()
                    return ()
                rows = self._own_rows(log, content.number, settled)
                log.reading = content.reading.of_file(log.number)
                log.edges = log_edges(raw, log.reading.size)
        except OSError:  # renamed meanwhile, or not to be read: whoever reads it notices
            return ()
        return rows

    def _own_rows(
        self, log: FollowedLog, content: int, rows: Iterable[Observation]
    ) -> Iterable[Observation]:
        """Let a log write on in the content that it begins with; in a copy of it where another log
        does so already, for what comes may differ.
        """
        assert self.state is not None
        if content in self._taken:
            content, rows = self.state.new_content(), list(rows)
            self.state.add_observations(content, list(renumbered(rows, 0)))
        self._contents[log.number] = content
        self._taken.add(content)
        return rows

    def settle(self, log: FollowedLog, observations: list[Observation]) -> None:
        """Keep observations that stay."""
        if self.state is not None and log.number in self._contents:
            content, rows = self._contents[log.number], list(renumbered(observations, 0))
            with self._giving_up_where_full():
                self.state.add_observations(content, rows)

    def write(
        self,
        logs: Iterable[FollowedLog],
        changes: ReportedChanges,
        copies: Mapping[FileIdentity, int],
        *,
        is_last: bool = False,
    ) -> None:
        """Write the readings of all logs whose files are there, and what was said.

        Args:
            logs: all that were followed.
            changes: what was said.
            copies: files that hold what another one holds, and their sizes.
            is_last: whether nothing is followed after that; what no log is any more goes then.
        """
        if self.state is not None:
            with self._giving_up_where_full():
                self._put_all(logs)
        if self.state is not None:
            with self._giving_up_where_full():
                self._write_notes(changes, copies, is_last=is_last)

    def _put_all(self, logs: Iterable[FollowedLog]) -> None:
        assert self.state is not None
        for log in logs:
            if log.number not in self._contents:
                continue
            if log.path is None or log.identity is None:
                self.state.forget(self._contents.pop(log.number))
                continue
            if not self._put(log):  # it is read anew the next time
                self.state.forget(self._contents.pop(log.number))

    def _write_notes(
        self, changes: ReportedChanges, copies: Mapping[FileIdentity, int], *, is_last: bool
    ) -> None:
        assert self.state is not None
        assert self._said_rows is not None
        self.state.write_note(TOLD, changes.as_text())
        self.state.write_note(_COPIES, json.dumps([[*key, size] for key, size in copies.items()]))
        if self.state.finish(complete=is_last):
            self._said_rows.clear()
        else:
            self.state = None

    @contextmanager
    def _giving_up_where_full(self) -> Iterator[None]:
        """Leave the folder as it was written last, and write no more, where that cannot be done:
        what was said is still noted as far as there is room, and following goes on.
        """
        try:
            yield
        except sqlite3.Error as problem:
            assert self.state is not None
            self.state.give_up(problem)
            self.state = None

    def _put(self, log: FollowedLog) -> bool:
        """Keep the reading of a log, by its file as it is held open, whatever it is called by now.

        Returns:
            False where no file is known to hold what was read: it is not held open and was renamed
            since, or it was truncated. Of such a log lines may be kept already that are behind the
            reading which was kept before, and they would count again with that one.
        """
        assert self.state is not None
        assert log.path is not None
        if not log.edges.size:
            return True
        with suppress(OSError), _held(log) if log.handle else open_raw(log.path) as raw:
            if raw is not None and log.edges.begins(raw):
                reading = evolve(log.reading.of_file(0), error=None)
                self.state.put(self._contents[log.number], raw, reading)
                return True
        return False


def _held(log: FollowedLog) -> AbstractContextManager[RawFile]:
    assert log.handle is not None
    handle = log.handle.fileno()
    return nullcontext(RawFile(handle, os.fstat(handle).st_size))
