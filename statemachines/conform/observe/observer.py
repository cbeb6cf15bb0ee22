"""From the records of a piece of a file to observations of instances, and the piece's profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.interchange.check_plan import LEVEL_RANKS, CheckPlan
from statemachines.conform.interchange.doubled_lines import LineSignature
from statemachines.conform.interchange.observations import KeyValues, LineReading, Observation
from statemachines.conform.interchange.profiles import (
    MOST_UNREAD_SAMPLES,
    ProcessEvent,
    UnitProfile,
)
from statemachines.conform.observe.catalogue_reader import (
    PROCESS_EVENTS,
    CatalogueReader,
    EntryMatch,
    OwnerMatches,
    filled,
    list_items,
)
from statemachines.conform.observe.chunk_profile import ChunkProfile
from statemachines.conform.observe.cut_records import may_go_on
from statemachines.conform.observe.equal_lines import EqualLineCounter
from statemachines.conform.observe.plain_observer import PlainObserver
from statemachines.conform.observe.reasons import reason_text, thrown_place
from statemachines.logs import LONGEST_NUMBER, WARNING_LEVELS, LoudRecord, UnreadRecord
from statemachines.logs.records.plain_columns import PlainColumns
from statemachines.logs.records.plain_lines import PlainRun
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind, LogDefinition
from statemachines.model.evidence.records import Record

HIDDEN_REASON = "a wording behind what no layout knows (give a layout: --layout)"
"""Why a line is not judged that would be read but for what stands before its message."""
BELOW_REASON = "a wording below another record, as a part of it (a line without a time of its own)"
"""Why a line is not judged that would be read if it were a record."""
CUT_REASON = "the last line of its file, which has no end and may go on"
"""Why a line is not judged that was copied while it was written."""
REASON_FIELD = "reason"
"""A field of this name tells why."""

_Matches = list[tuple[int, EntryMatch, dict[str, str]]]
"""Releases, the entry that counts in them, and its fields."""


class Observer:
    """Turns the records of one piece into observations; what is known of the piece as a whole
    gathers in `profile`.
    """

    def __init__(self, plan: CheckPlan, reader: CatalogueReader, file: int) -> None:
        self.plan, self.reader, self.file = plan, reader, file
        self._notes = ChunkProfile()
        self._equal = EqualLineCounter()
        self.profile = self._notes.profile
        self._plain = PlainObserver(self._notes, file, self._equal)

    @property
    def columns(self) -> list[ObservationColumns]:
        """What was observed as columns, beside what `observe` yields."""
        return self._plain.columns

    def observe(self, records: Iterable[Record | PlainRun | PlainColumns]) -> Iterator[Observation]:
        """Yield what the records tell of instances, in their order; of what comes as columns only
        what does not become `columns`.
        """
        for record in records:
            if isinstance(record, PlainRun):
                yield from self._plain.observe_run(record)
                continue
            if isinstance(record, PlainColumns):
                yield from self._plain.observe_columns(record)
                continue
            if record.is_continuation:
                if self.reader.read_with_headers(record)[1]:
                    self._notes.count_unjudged(BELOW_REASON, record)
                continue
            record, readings = self.reader.read_with_headers(record)
            if record.is_trailing_exception and not readings:
                continue
            unit = self.profile.unit(record.process)
            self._advance_time(record, unit)
            self.profile.records += 1
            unit.records += 1
            self.profile.layouts[record.layout] += 1
            if not readings:
                self.profile.unread += 1
                self._notes.sample_unread(record.line, record.text)
                if record.level in WARNING_LEVELS:
                    self._notes.note_warning(_loud_record(record))
                if self.reader.has_hidden_message(record):
                    self._notes.count_unjudged(HIDDEN_REASON, record)
                elif logger := self.reader.loggers.full_name(record.logger):
                    self._notes.count_unread(record.process, logger, record.line, record.text)
            if record.is_cut and may_go_on(record, readings, self.plan):
                self._notes.count_unjudged(CUT_REASON, record)
                continue
            signatures = self._signatures(readings)
            unit.signatures.update(signatures)
            if self._equal.take(record.line, record.text, record.process, signatures):
                unit.doubled.update(signatures)
            for reading in readings:
                self._update_profile(reading, record, unit)
                yield from self._observations(reading, record, unit)

    def _add_unread(self, wordless: Sequence[UnreadRecord]) -> None:
        for entry in wordless:
            self._notes.count_unread(*entry)
        samples = [
            *self.profile.unread_samples,
            *nsmallest(MOST_UNREAD_SAMPLES, ((entry.line, entry.text) for entry in wordless)),
        ]
        self.profile.unread, self.profile.unread_samples = (
            self.profile.unread + len(wordless),
            sorted(samples)[:MOST_UNREAD_SAMPLES],
        )

    def finish(self, wordless: Sequence[UnreadRecord], loud: Sequence[LoudRecord] = ()) -> None:
        """Complete the profile when all records were observed.

        Args:
            wordless: records that nothing reads, for they hold no word of the catalogue.
            loud: those at WARN, ERROR or FATAL that hold none.
        """
        for record in loud:
            self._notes.note_warning(record)
        self._plain.finish()
        self._add_unread(wordless)
        self.profile.edges = self._equal.edges(self.profile.lines)

    @staticmethod
    def _advance_time(record: Record, unit: UnitProfile) -> None:
        if record.at_ms is not None:
            unit.reached = record.at_ms if unit.reached is None else max(unit.reached, record.at_ms)
            unit.dated = record.dated

    def _line_releases(self, readings: Sequence[OwnerMatches]) -> list[int]:
        """Return the releases in which a line exists, by each machine that reads it: of releases
        that do not have a machine, the others of its family tell.
        """
        owners = [self.plan.owners[reading.owner] for reading in readings]
        known = [self._own_releases(reading) for reading in readings]
        by_family: dict[str, int] = defaultdict(int)
        for owner, releases in zip(owners, known, strict=True):
            by_family[owner.family] |= releases
        return [
            releases | by_family[owner.family] & ~owner.releases
            for owner, releases in zip(owners, known, strict=True)
        ]

    def _own_releases(self, reading: OwnerMatches) -> int:
        releases = 0
        for within, match in reading.matches:
            releases |= (
                within & self.reader.releases_with_states(reading.owner, match.fields) or within
            )
        return releases & self.plan.owners[reading.owner].releases

    def _signatures(self, readings: Sequence[OwnerMatches]) -> tuple[LineSignature, ...]:
        """Return what each of some machines reads in a line."""
        return tuple(
            LineSignature(
                reading.owner,
                tuple(sorted({match.line.index for _, match in reading.matches})),
                releases,
            )
            for reading, releases in zip(readings, self._line_releases(readings), strict=True)
        )

    def _update_profile(self, reading: OwnerMatches, record: Record, unit: UnitProfile) -> None:
        """Put into the profile what a line shows of its process."""
        for _, match in reading.matches:
            self._update_process_fields(match, record, unit)
        match = reading.matches[0][1]
        if (rank := LEVEL_RANKS.get(record.level or match.line.level or "")) is not None:
            for logger in match.line.loggers or ("",):
                unit.levels[reading.owner, logger] = min(
                    rank, unit.levels.get((reading.owner, logger), rank)
                )
        if says := PROCESS_EVENTS.intersection(match.line.kinds):
            unit.process_events.append(
                ProcessEvent(
                    unit.reached or 0,
                    record.line,
                    str(min(says)),
                    reading.owner,
                    match.fields.get("release") or "",
                )
            )

    def _update_process_fields(self, match: EntryMatch, record: Record, unit: UnitProfile) -> None:
        fields = match.fields
        family = self.plan.owner_family(match.owner)
        if (process := fields.get(family.log.process or "")) is not None:
            self._notes.take_process_name(family.family.name, process, unit)
        for family_name, *names in self.reader.carriers:
            if family_name == family.family.name:
                self._update_generation(names, fields, record, unit)

    def _update_generation(
        self, names: list[str], fields: dict[str, str], record: Record, unit: UnitProfile
    ) -> None:
        """Remember the generation that a line tells for a carrier, if it is a new one."""
        generation, carrier = (fields.get(name) for name in names)
        if generation is None or carrier is None:
            return
        key = (names[0], names[1], carrier)
        self._notes.take_generation(key, generation, record.process, record.line, unit)

    def _observations(
        self, reading: OwnerMatches, record: Record, unit: UnitProfile
    ) -> Iterator[Observation]:
        log = self.plan.owners[reading.owner].log
        if log is None or not any(
            _observes_instances(log, match.line) for _, match in reading.matches
        ):
            return
        by_instance = self._matches_by_instance(log, reading)
        for key, same in by_instance.items():
            if key is None:
                self._notes.count_unjudged("no instance", record)
                continue
            for once in _separate_items(same):
                observation = self._observation(reading, key, once, record, unit)
                _, match, fields = once[0]
                if match.line.is_abroad:
                    self.profile.abroad.append(
                        observation._replace(about=filled(match.line.about or (), fields))
                    )
                else:
                    yield observation
        complete = [pair for pair in reading.matches if pair[1].line.state_of_others]
        if same := [(within, match, match.fields) for within, match in complete]:
            nobody = (None,) * len(log.instance)
            observation = self._observation(reading, nobody, same, record, unit)
            about = filled(same[0][1].line.about or (), same[0][2])
            self.profile.abroad.append(
                of_those_not_named(
                    observation._replace(about=about),
                    [match.line for _, match, _ in same],
                    by_instance,
                )
            )

    def _observation(
        self,
        reading: OwnerMatches,
        key: KeyValues,
        same: _Matches,
        record: Record,
        unit: UnitProfile,
    ) -> Observation:
        """Return what entries tell of one instance."""
        owner, (_, _, fields) = self.plan.owners[reading.owner], same[0]
        log, following = owner.log, record.following_lines
        assert log is not None
        tellings = (self.reader.line_reading(n, match, values) for n, match, values in same)
        return Observation(
            reading.owner,
            key,
            tuple(tellings),
            self.file,
            record.process,
            record.line,
            unit.reached,
            record.at_ms,
            ("Z" if record.zoned else "unknown") if record.dated else "none",
            record.text,
            reason_text(reading.matches[0][1].fields.get(REASON_FIELD), following),
            fields.get(log.life or ""),
            number_of(log, fields),
            previous=_decimal(fields.get(log.previous or "")),
            thrown_at=thrown_place(following, self.reader.packages.get(owner.family, ())),
            remembered=remembered_fields(log, fields),
        )

    @staticmethod
    def _matches_by_instance(
        log: LogDefinition, reading: OwnerMatches
    ) -> dict[KeyValues | None, _Matches]:
        """Gather what the entries tell, by instance: a list that was captured tells of many."""
        matches: dict[KeyValues | None, _Matches] = {}
        for within, match in reading.matches:
            items = list_items(match.line.each, match.fields) if match.line.each else [match.fields]
            for fields in items:
                key = (
                    key_values(log, fields)
                    if not match.line.is_abroad
                    else tuple(fields.get(name) for name in log.instance)
                )
                matches.setdefault(key, []).append((within, match, fields))
        return matches


def _separate_items(same: _Matches) -> list[_Matches]:
    """Divide what a line tells of one instance where its list names it more than once, each time
    with other values: the one item is told after the other.
    """
    if len(same) < 2:
        return [same]
    turns: list[_Matches] = []
    by_entry: dict[tuple[int, int], list[dict[str, str]]] = {}
    for within, match, fields in same:
        items = by_entry.setdefault((within, match.line.index), [])
        if fields not in items:
            items.append(fields)
            turns += [[]] if len(items) > len(turns) else []
            turns[len(items) - 1].append((within, match, fields))
    return turns


def _loud_record(record: Record) -> LoudRecord:
    return LoudRecord(
        record.process, record.at_ms, record.dated, record.line, record.text, record.message,
        record.level or "",
    )  # fmt: skip


def _observes_instances(log: LogDefinition, line: LineDefinition) -> bool:
    return bool(
        line.counter
        or line.variable_templates
        or line.takes_instance
        or not set(log.remembers).isdisjoint(line.fields)
    ) or (line.kinds != (LineKind.NOTE,) and not PROCESS_EVENTS.intersection(line.kinds))


def key_values(log: LogDefinition, fields: dict[str, str]) -> KeyValues | None:
    """Return the values of the key fields; None if one is missing that no other line can tell."""
    values: list[str | int | None] = []
    for name in log.instance:
        value = fields.get(name)
        if value is None and not (name == log.generation and log.generation_carrier):
            return None
        if value is not None and name in log.numeric_fields and len(value) > LONGEST_NUMBER:
            return None
        values.append(int(value) if value is not None and name in log.numeric_fields else value)
    return tuple(values)


def number_of(log: LogDefinition, fields: dict[str, str]) -> int | None:
    """Return the number of the change that a line tells; None where it tells none."""
    return _decimal(fields.get(log.sequence or ""))


def remembered_fields(log: LogDefinition, fields: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what a line tells that its instance is known by from here on."""
    return tuple(
        (name, value)
        for name in log.remembers
        if (value := fields.get(name))
        and (len(value) <= LONGEST_NUMBER or name not in log.numeric_fields)
    )


def _decimal(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) <= LONGEST_NUMBER else None


def of_those_not_named(
    observation: Observation,
    lines: Sequence[LineDefinition],
    named: Iterable[KeyValues | None],
) -> Observation:
    """Return the observation of all instances that a complete list does not name; what else its
    line tells is about those that it names.

    Args:
        observation: of the line, without a key; `about` is what those have in common of whom the
            list is complete.
        lines: the entries that read it, one a reading of the observation.
        named: the keys of the instances in the list; None for one that cannot be told.
    """
    readings = map(_reading_of_others, observation.readings, lines)
    listed = frozenset(key for key in named if key is not None)
    return observation._replace(readings=tuple(readings), listed=listed, remembered=())


def _reading_of_others(reading: LineReading, line: LineDefinition) -> LineReading:
    state = line.state_of_others
    if LineKind.STEP in line.kinds:
        return reading._replace(target=state)
    return reading._replace(state=state)
