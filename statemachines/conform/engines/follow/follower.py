"""Following logs: what changes is said as their lines come, and a report at any time."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from attrs import Factory, evolve, frozen

from statemachines.conform.checking import JudgingRequest
from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.follow.followed_files import FollowedFiles
from statemachines.conform.engines.follow.followed_log import FileIdentity, FollowedLog
from statemachines.conform.engines.follow.followed_observations import FollowedObservations
from statemachines.conform.engines.follow.live_judging import LiveJudging
from statemachines.conform.engines.follow.log_reading import LogReading, file_identity
from statemachines.conform.engines.follow.pipe_window import PipeWindow
from statemachines.conform.engines.follow.state_keeping import StateKeeping
from statemachines.conform.engines.follow.whole_report import whole_report
from statemachines.conform.engines.inputs import STDIN, folder_files, is_state_file
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, rotation_key
from statemachines.model.evidence.changes import LogChange
from statemachines.model.evidence.reports import Finding, Report

_SYSTEMS_SHARE = 20
"""Rules of systems take all steps of all their parts: they are asked at most for one part in so
many of the time …"""
MOST_FOR_SYSTEMS = 200_000
"""… and while there are no more observations than that, for all steps are in memory then."""


class Follower:
    """Follows logs; a context manager.

    Limits: rules of systems are asked while there are at most `MOST_FOR_SYSTEMS` observations, and
    in whole reports. Memory grows with the instances that go on; of what is over the last thousand
    things are known, and observations go to disk beyond 20,000.
    """

    def __init__(
        self,
        paths: Iterable[str],
        request: JudgingRequest,
        state: StateFolder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to follow.

        Args:
            paths: files and folders, which may come later; `-` for lines that `feed` is given.
            request: what to judge by.
            state: what is kept over a restart.
            clock: seconds.
        """
        self._request, self._clock = request, clock
        self._has_warned = False
        self.observations = FollowedObservations()
        self._logs: list[FollowedLog] = []
        self._keeping = StateKeeping(state)
        reading = LogReading(self._file_reader(), self._settle, self.observations.replace_tail)
        self._named = tuple(paths)
        self._followed = FollowedPaths(self._named, self._keeping.folder)
        self._files = FollowedFiles(
            lambda: self._followed.files(
                lambda: [log.identity for log in self._logs if log.identity]
            ),
            reading,
            self._resume,
            self._logs,
        )
        self._files.copies = self._keeping.copies()
        self._pipe: tuple[PipeWindow, FollowedLog] | None = None
        self._live = LiveJudging(request.plan, self.observations)
        self._reported = self._keeping.reported_changes()
        self._live.settled_before = self._reported.settled_before
        self._system_findings: tuple[Finding, ...] | None = None
        """None where the rules of systems were not asked yet."""
        self._systems_due, self._systems_outdated, self._is_new = 0.0, True, True
        self.latest: Report | None = None
        """What is known now, as far as changes need it."""

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()
        self._keeping.close()
        self.observations.__exit__()

    def feed(self, content: bytes) -> None:
        """Take what came through standard input.

        Args:
            content: bytes, which may end within a line.
        """
        if self._pipe is None:
            log = FollowedLog(len(self._logs), STDIN, None, is_named=True)
            self._logs.append(log)
            self._pipe = PipeWindow(), log
        self._pipe[0].append(content)

    def poll(self, *, to_the_end: bool = False) -> list[LogChange]:
        """Read what is new, judge it, and return what changed.

        Args:
            to_the_end: take last lines without a line feed too: no more is to come.

        Returns:
            What changed since the last time, in the order of time.
        """
        self._settle_past()
        self._read_new(to_the_end=to_the_end)
        self._warn_of_systems()
        if self._is_new:
            self._is_new = False
            self._systems_outdated = True
            self.latest = self._live.report(self._logs)
        elif not self._is_systems_time(at_last=to_the_end):
            return []
        if self._is_systems_time(at_last=to_the_end):
            self._ask_systems()
        if self.latest is None:
            return []
        findings = (*self.latest.findings, *(self._system_findings or ()))
        is_first = self._reported.is_first
        changes = self._reported.update(
            evolve(self.latest, findings=findings), has_systems=self._system_findings is not None
        )
        if is_first:
            self._keeping.begin(self._reported, changes)
        return changes

    def _settle_past(self) -> None:
        """Let go of what was said and is over, where that is much; what becomes of it later is not
        said, and the state folder knows that at once.
        """
        if self.latest is not None and self._live.settle_past(self.latest):
            self.latest = self._live.report(self._logs)
            self._reported.settle_past(self.latest, self._live.settled_before)
            self.keep()

    def note_said(self, change: LogChange) -> None:
        """Write at once into the state folder that a change was said, so that it is not said again
        whatever happens before `keep` is called.

        Args:
            change: one that `poll` returned.
        """
        self._keeping.note_said(change)

    def leave_out(self, change: LogChange) -> None:
        """Take note that a change is not passed on: what becomes of it is not returned either.

        Args:
            change: one that `poll` returned.
        """
        self._keeping.note_left_out(self._reported.leave_out(change))

    def report(self, *, to_the_end: bool = False) -> Report:
        """Return the whole report: the one that a check of the same lines gives.

        Args:
            to_the_end: take last lines without a line feed too: no more is to come.

        Returns:
            A report of all that was read so far.
        """
        self._read_new(to_the_end=to_the_end)
        return self._whole_report()

    def _whole_report(self) -> Report:
        errors = [f"{name}: {why}" for name, why in self._followed.problems.items()]
        return whole_report(
            self._request, self._logs, self.observations, self._files.problems, errors
        )

    def keep(self, *, is_last: bool = False) -> None:
        """Write what was read and said into the state folder.

        Args:
            is_last: whether nothing is read after that.
        """
        self._keeping.write(self._logs, self._reported, self._files.copies, is_last=is_last)

    def _read_new(self, *, to_the_end: bool = False) -> None:
        self._is_new |= self._files.poll(to_the_end=to_the_end)
        if self._pipe is not None:
            pipe, log = self._pipe
            self._is_new |= self._files.reading.read_pipe(log, pipe, to_the_end=to_the_end)

    def _file_reader(self) -> FileReader:
        reader = CatalogueReader(self._request.plan)
        scanner = Scanner(reader.scan_literals)
        return FileReader(
            self._request.plan, reader, scanner, self._request.layouts, ObservationStore()
        )

    def _settle(self, log: FollowedLog, observations: list[Observation]) -> None:
        self.observations.add(observations)
        self._keeping.settle(log, observations)

    def _resume(self, log: FollowedLog) -> None:
        log.is_named = log.name in self._named
        self.observations.take_over(self._keeping.resume(log))
        self.observations.replace_tail(log.number, log.reading.tail_observations)

    def _is_systems_time(self, *, at_last: bool = False) -> bool:
        return (
            bool(self._request.systems)
            and self._systems_outdated
            and self.observations.total <= MOST_FOR_SYSTEMS
            and (at_last or self._clock() >= self._systems_due)
        )

    def _warn_of_systems(self) -> None:
        """Say once that rules of systems are not asked any more, but in whole reports."""
        total = self.observations.total
        if self._request.systems and total > MOST_FOR_SYSTEMS and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"rules of systems wait for a summary or the end from here on: there are more than"
                f" {MOST_FOR_SYSTEMS:,} observations",
                stacklevel=3,
            )

    def _ask_systems(self) -> None:
        """Ask the rules of systems, and not again before that is worth it."""
        began = self._clock()
        machines = {spec.name for spec in self._request.plan.specs}
        self._system_findings = tuple(
            finding
            for finding in self._whole_report().findings
            if finding.rule is not None or finding.machine not in machines
        )
        self._systems_outdated = False
        self._systems_due = self._clock() + _SYSTEMS_SHARE * (self._clock() - began)


@frozen
class FollowedPaths:
    """Files and folders that were named."""

    paths: tuple[str, ...]
    state: Path | None = None
    """The state folder, whose own files are no logs."""
    problems: dict[str, str] = Factory(dict)
    """Folders that could not be listed when they were looked at last, and why."""

    def files(self, known: Callable[[], Collection[FileIdentity]]) -> Iterator[tuple[str, Path]]:
        """Yield the names and places of the files that are there now.

        Args:
            known: the files that are followed by now: of a file that was named, those beside it
                that it was renamed to are followed on.
        """
        self.problems.clear()
        named = [path for path in self.paths if path != STDIN]
        for path in named:
            prefix = Path("" if len(self.paths) == 1 else path)
            if os.path.isdir(path):
                yield from self._in_folder(Path(path), prefix)
                continue
            if os.path.isfile(path):
                yield path, Path(path)
            yield from _rotated(Path(path), known())

    def _in_folder(self, folder: Path, prefix: Path) -> Iterator[tuple[str, Path]]:
        unlisted: dict[Path, str] = {}
        for file in sorted(folder_files(folder, unlisted)):
            if (file.is_file() or file.is_fifo()) and not self._is_of_state(file):
                yield (prefix / file.relative_to(folder)).as_posix(), file
        for place, why in unlisted.items():
            self.problems[(prefix / place).as_posix()] = why

    def _is_of_state(self, file: Path) -> bool:
        return self.state is not None and is_state_file(file, self.state)


def _rotated(path: Path, known: Collection[FileIdentity]) -> Iterator[tuple[str, Path]]:
    """Yield the files beside one that it was renamed to since it is followed."""
    with suppress(OSError):
        for other in os.scandir(path.parent):
            if rotation_key(other.name)[0] != path.name or other.name == path.name:
                continue
            with suppress(OSError):
                if file_identity(other.stat()) in known:
                    yield os.path.join(os.path.dirname(str(path)), other.name), Path(other.path)
