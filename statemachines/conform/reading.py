"""Reading one file piece by piece: observations into a store, and the file's profile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path

from attrs import field, frozen

from statemachines.conform.observations import Observation
from statemachines.conform.observe import Observer
from statemachines.conform.plan import Plan
from statemachines.conform.profile import Profile, join, shift_between
from statemachines.conform.reader import Reader
from statemachines.conform.sources import FileFacts
from statemachines.conform.store import Store
from statemachines.logs import Layouts, Moment, Scan, Scanner, first_and_last, open_log, pieces, scan
from statemachines.logs.scanner import Buffer
from statemachines.model.reports import Instant
from statemachines.model.zones import zone_of

PIECE = 8 << 20
"""Bytes that are read before their observations are put away."""


@frozen
class FileRead:
    """What one file shows."""

    profile: Profile = field(factory=Profile)
    facts: FileFacts = field(factory=FileFacts)
    error: str | None = None
    """Why it could not be read to its end."""
    interrupted: bool = False
    """Whether it was not, because the check was stopped."""


@frozen
class FileReader:
    """Reads files by one plan."""

    plan: Plan
    reader: Reader
    scanner: Scanner
    layouts: Layouts
    store: Store

    def read(self, number: int, path: Path, progress: Callable[[int], None]) -> FileRead:
        """Read one file into the store; after an interrupt what was read until then is there, and its profile.

        Args:
            number: of the file in the check.
            progress: called with the bytes of each piece.

        Raises:
            OSError: the file cannot be opened.
        """
        zone = zone_of(self.plan.options.zone)
        with open_log(path) as log:
            profile, facts, interrupted = Profile(), facts_of(log.buffer, self.layouts, zone, log.problems), False
            try:
                for start, end in pieces(log.size, PIECE):
                    part = scan(log.buffer, start, end, self.scanner, self.layouts, zone=zone, loggers=self.reader.loggers)
                    piece, observations = self._read_piece(number, part)
                    shift, profile = shift_between(profile, piece), join(profile, piece)
                    self.store.add(shift.moved(seen) for seen in observations)
                    progress(end - start)
            except KeyboardInterrupt:
                interrupted = True
            return FileRead(profile, with_lost(facts, log.lost), log.lost, interrupted)

    def _read_piece(self, number: int, part: Scan) -> tuple[Profile, list[Observation]]:
        """Read a piece, whose times and lines count from its own start."""
        observer = Observer(self.plan, self.reader, number)
        observations = list(observer.observe(part))
        return finished(observer, part), observations


def facts_of(buffer: Buffer, layouts: Layouts, zone: tzinfo | None, problems: tuple[str, ...]) -> FileFacts:
    """Return what is known of a file beside its profile; its first and last bytes are enough for that."""
    first, last = (_instant(moment) for moment in first_and_last(buffer, layouts, zone=zone))
    return FileFacts(first, last, problems, _first_line(buffer))


def with_lost(facts: FileFacts, lost: str | None) -> FileFacts:
    """Say of a file that its end was not there any more when it came to it; what was known before stays."""
    if lost is None or any(lost in problem for problem in facts.problems):
        return facts
    return FileFacts(facts.first, None, (*facts.problems, lost), facts.first_text)


def finished(observer: Observer, part: Scan) -> Profile:
    """Return the profile of a piece that was read to its end."""
    observer.profile.lines = part.lines
    observer.profile.midnights = part.midnights
    observer.profile.problems.update(part.problems)
    observer.unread(part.unread)
    return observer.profile


def _instant(moment: Moment | None) -> Instant | None:
    return None if moment is None else Instant(moment.at_ms, ("Z" if moment.zoned else "unknown") if moment.dated else "none")


def _first_line(buffer: Buffer) -> str:
    return bytes(buffer[:4096]).split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
