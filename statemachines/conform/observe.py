"""From the records of a piece of a file to observations of instances, and the piece's profile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from statemachines.conform.observations import KeyValues, Observation
from statemachines.conform.plan import RANK, Plan
from statemachines.conform.profile import UNREAD, Carried, Mark, Profile, Signature, UnitProfile, joined_rows, merged_reasons
from statemachines.conform.reader import PROCESS_SIGNS, Match, Reader, Reading, items
from statemachines.logs import LONGEST_NUMBER, Unread
from statemachines.model.loglines import Line, Log, Says
from statemachines.model.records import Record

CAUSE = re.compile(r"^(?:Caused by: )?((?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*)(?:: (.*))?$")
"""A line of a stack trace that names an exception."""

CAUSED_BY = "Caused by: "
TRACEBACK = "Traceback (most recent call last):"
"""How Python begins a stack trace; the exception stands in the first line after it that is not indented."""
LONGEST_CAUSE = 300

HIDDEN = "a wording behind what no layout knows (give a layout: --layout)"
"""Why a line is not judged that would be read but for what stands before its message."""
REASON = "reason"
"""A field of this name tells why."""


class Observer:
    """Turns the records of one piece into observations; what is known of the piece as a whole gathers in `profile`."""

    def __init__(self, plan: Plan, reader: Reader, file: int) -> None:
        self.plan, self.reader, self.file = plan, reader, file
        self.profile = Profile()
        logs = ((owner.family, owner.log) for owner in plan.owners if owner.log)
        self._carriers = sorted({(family, log.generation, log.carried_by) for family, log in logs if log.generation and log.carried_by})
        """Family, generation field and the field that carries it."""
        self._latest: dict[tuple[str | None, tuple[str, str, str]], str] = {}

    def observe(self, records: Iterable[Record]) -> Iterator[Observation]:
        """Yield what the records tell of instances, in their order."""
        for record in records:
            record, readings = self.reader.understand(record)
            if record.below and not readings:
                continue
            unit = self.profile.unit(record.process)
            self._reach(record, unit)
            self.profile.records += 1
            unit.records += 1
            self.profile.layouts[record.layout] += 1
            if not readings:
                self.profile.unread += 1
                if len(self.profile.unread_samples) < UNREAD:
                    self.profile.unread_samples.append((record.line, record.text))
                if self.reader.is_hidden(record):
                    self.profile.unjudged = merged_reasons(self.profile.unjudged, [(HIDDEN, 1, record.line, record.text)])
                elif logger := self.reader.loggers.known(record.logger):
                    self._count_unread(record.process, logger, record.line, record.text)
            for reading in readings:
                self._remember(reading, record, unit)
                yield from self._observations(reading, record, unit)

    def unread(self, wordless: Sequence[Unread]) -> None:
        """Count the records that nothing reads, for they hold no word of the catalogue; after all others."""
        for entry in wordless:
            self._count_unread(*entry)
        samples = [*self.profile.unread_samples, *((entry.line, entry.text) for entry in wordless[:UNREAD])]
        self.profile.unread, self.profile.unread_samples = self.profile.unread + len(wordless), sorted(samples)[:UNREAD]

    def _count_unread(self, process: str | None, logger: str, line: int, text: str) -> None:
        unread, key = self.profile.unread_of, (process, logger)
        unread[key] = joined_rows(unread.get(key), (1, line, text))

    @staticmethod
    def _reach(record: Record, unit: UnitProfile) -> None:
        if record.at_ms is not None:
            unit.reached = record.at_ms if unit.reached is None else max(unit.reached, record.at_ms)
            unit.dated = record.dated

    def _remember(self, reading: Reading, record: Record, unit: UnitProfile) -> None:
        """Put into the profile what a line shows of its process."""
        lines = tuple(sorted({match.line.number for _, match in reading.matches}))
        releases = 0
        for within, match in reading.matches:
            releases |= within & self.reader.releases_of(reading.owner, match.fields) or within
            self._remember_fields(match, record, unit)
        unit.read[Signature(reading.owner, lines, releases & self.plan.owners[reading.owner].releases)] += 1
        match = reading.matches[0][1]
        if (rank := RANK.get(record.level or match.line.level or "")) is not None:
            for logger in match.line.loggers or ("",):
                unit.levels[reading.owner, logger] = min(rank, unit.levels.get((reading.owner, logger), rank))
        if says := PROCESS_SIGNS.intersection(match.line.says):
            unit.marks.append(Mark(unit.reached or 0, record.line, str(min(says)), reading.owner, match.fields.get("release") or ""))

    def _remember_fields(self, match: Match, record: Record, unit: UnitProfile) -> None:
        fields = match.fields
        family = self.plan.family_of(match.owner)
        if (process := fields.get(family.log.process or "")) is not None:
            values = unit.named.setdefault(family.family.name, set())
            if len(values) < 3:
                values.add(process)
        for family_name, *names in self._carriers:
            if family_name == family.family.name:
                self._carry(names, fields, record, unit)

    def _carry(self, names: list[str], fields: dict[str, str], record: Record, unit: UnitProfile) -> None:
        """Remember the generation that a line tells for a carrier, where it is another than before."""
        generation, carrier = (fields.get(name) for name in names)
        if generation is None or carrier is None:
            return
        told = (names[0], names[1], carrier)
        if self._latest.get((record.process, told)) != generation:
            self._latest[record.process, told] = generation
            unit.carried.append(Carried(record.line, *told, generation))

    def _observations(self, reading: Reading, record: Record, unit: UnitProfile) -> Iterator[Observation]:
        log = self.plan.owners[reading.owner].log
        if log is None or not any(_tells_of_instances(match.line) for _, match in reading.matches):
            return
        zone = ("Z" if record.zoned else "unknown") if record.dated else "none"
        for key, same in self._keyed(log, reading).items():
            if key is None:
                self.profile.unjudged = merged_reasons(self.profile.unjudged, [("no instance", 1, record.line, record.text)])
                continue
            tellings = tuple(self.reader.telling(within, match, fields) for within, match, fields in same)
            yield Observation(
                reading.owner,
                key,
                tellings,
                self.file,
                record.process,
                record.line,
                unit.reached,
                record.at_ms,
                zone,
                record.text,
                reason(reading.matches[0][1].fields.get(REASON), record.rest),
            )

    @staticmethod
    def _keyed(log: Log, reading: Reading) -> dict[KeyValues | None, list[tuple[int, Match, dict[str, str]]]]:
        """Gather what the entries tell, by instance: a list that was captured tells of many."""
        found: dict[KeyValues | None, list[tuple[int, Match, dict[str, str]]]] = {}
        for within, match in reading.matches:
            each = items(match.line, match.fields, match.line.each.item) if match.line.each else [match.fields]
            for fields in each:
                found.setdefault(key_of(log, fields), []).append((within, match, fields))
        return found


def _tells_of_instances(line: Line) -> bool:
    return bool(line.mark or line.sets) or (line.says != (Says.NOTE,) and not PROCESS_SIGNS.intersection(line.says))


def key_of(log: Log, fields: dict[str, str]) -> KeyValues | None:
    """Return the values of the key fields; None where one is missing that no other line can tell."""
    values: list[str | int | None] = []
    for name in log.instance:
        value = fields.get(name)
        if value is None and not (name == log.generation and log.carried_by):
            return None
        if value is not None and name in log.numbers and len(value) > LONGEST_NUMBER:
            return None
        values.append(int(value) if value is not None and name in log.numbers else value)
    return tuple(values)


def reason(field: str | None, rest: tuple[str, ...]) -> str:
    """Say why something happened: what a line's field `reason` says, and what the lines after the record name as the cause.

    >>> reason("SHUTDOWN", ("shop.TillError: cannot pay", "  at shop.Till.pay", "Caused by: shop.NoCoin: no coin of 2"))
    'SHUTDOWN: shop.NoCoin: no coin of 2; in shop.TillError: cannot pay'
    """
    return ": ".join(text for text in (field, cause(rest)) if text)


def cause(rest: tuple[str, ...]) -> str:
    """Return the exceptions that the lines after a record name.

    Args:
        rest: the lines of the record after its first.

    Returns:
        The deepest cause with its message, and after it the exception that was thrown, each of at most 300 characters; empty where no
        line names one.
    """
    if TRACEBACK in rest:
        raised = list(_raised(rest))
        return "; in ".join(text[:LONGEST_CAUSE] for text in dict.fromkeys([*raised[:1], *raised[-1:]]))
    texts = (text.strip() for text in rest)
    named = [text for text in texts if CAUSE.match(text)]
    if not named:
        return ""
    thrown = named[0].removeprefix(CAUSED_BY)[:LONGEST_CAUSE]
    deepest = [text for text in named[1:] if text.startswith(CAUSED_BY)][-1:]
    return "; in ".join([*(text.removeprefix(CAUSED_BY)[:LONGEST_CAUSE] for text in deepest), thrown])


def _raised(rest: Iterable[str]) -> Iterator[str]:
    """Yield the exceptions of Python's stack traces: the first is the cause, the last is what was raised in the end."""
    within = False
    for text in rest:
        if within and text[:1].strip():
            yield text.strip()
            within = False
        within = within or text == TRACEBACK
