"""From a record to the entries of the catalogue that read it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from attrs import evolve

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import LineReading
from statemachines.conform.observe.line_headers import records_without_header
from statemachines.logs import TEXT_IN_BYTES, WARNING_WORDS, Loggers, is_abbreviation, make_loggers
from statemachines.logs.search.literal_sets import LiteralSet
from statemachines.model.definitions.log_definitions import (
    LineDefinition,
    LineKind,
    ListCapture,
)
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.evidence.moments import time_zone
from statemachines.model.evidence.records import Record
from statemachines.notation.lines.line_matching import parts_within
from statemachines.notation.lines.line_templates import (
    SHORTEST_LITERAL,
    STATE_FIELDS,
    leading_text,
    render_template,
    template_fields,
)

STATE_NAME_REGEX = r"[^\W\d][\w$-]*(?:\.[\w$-]+)*"
"""What may be the name of a state that no spec has."""
_STATE_GROUPS = re.compile(r"\(\?P<(from|to|state)>((?:[^()\\]|\\.)*)\)")
"""Where the names of states stand in the pattern of a wording."""
SHORTEST_LEAD = 3
"""Characters of the words with which a wording begins, so that a bracket that begins like them is a
part of it.
"""
MOST_POSITIONS = 3
"""Places of a message at which a wording is looked for behind something unknown."""
PROCESS_EVENTS = {
    LineKind.RELEASE,
    LineKind.PROCESS_BEGINS,
    LineKind.PROCESS_MAY_BEGIN,
    LineKind.PROCESS_ENDS,
}


class EntryMatch(NamedTuple):
    """An entry that read a record, and what it captured."""

    owner: int
    line: LineDefinition
    fields: dict[str, str]
    agreement: tuple[int, int]
    """How well logger and level agree; more is better."""


class OwnerMatches(NamedTuple):
    """What one machine or family reads in a record: the entries of the best fit, release by
    release.
    """

    owner: int
    matches: tuple[tuple[int, EntryMatch], ...]
    """Releases and the entry that counts in them."""


class CatalogueReader:
    """Reads records by the lines of a whole catalogue.

    Complexity: one substring test a distinct literal and record, then the regular expressions of
    the literals that hit.
    """

    def __init__(self, plan: CheckPlan) -> None:
        self.plan = plan
        self._by_literal: dict[str, list[tuple[int, LineDefinition, str]]] = defaultdict(list)
        self._leading_words: dict[str, set[str]] = defaultdict(set)
        for number, owner in enumerate(plan.owners):
            for line in owner.lines:
                for template in line.templates:
                    self._by_literal[template.literal].append((number, line, template.pattern))
                    if len(lead := leading_text(template.text)) >= SHORTEST_LEAD:
                        self._leading_words[template.literal].add(lead)
        self._literals = LiteralSet(tuple(self._by_literal))
        self._zone = time_zone(plan.options.zone)
        self._brackets = tuple(
            sorted(
                {
                    lead
                    for leads in self._leading_words.values()
                    for lead in leads
                    if lead.startswith("[")
                }
            )
        )
        self._states_by_spelling = [_map_spellings(spec) for spec in plan.specs]
        self._releases_by_spelling = [_map_spelling_releases(spec) for spec in plan.specs]

    @property
    def scan_literals(self) -> tuple[bytes, ...]:
        """What a scanner has to look for: the words, the loggers that write of instances, what is
        loud, and what says that a text stands in a form that no word is found in.
        """
        return tuple(
            sorted(
                {
                    *self.line_literals,
                    *self.loggers.scan_literals,
                    *WARNING_WORDS,
                    *TEXT_IN_BYTES,
                }
            )
        )

    @property
    def line_literals(self) -> tuple[bytes, ...]:
        """The literals of the lines that are read."""
        return tuple(sorted(literal.encode() for literal in self._by_literal))

    @cached_property
    def loggers(self) -> Loggers:
        """The loggers that write of instances: what no line reads of theirs is counted."""
        lines = (line for spec in self.plan.specs if spec.log for line in spec.log.lines)
        return make_loggers(
            (name for line in lines if line.kinds != (LineKind.NOTE,) for name in line.loggers),
            self._literals,
        )

    @cached_property
    def carriers(self) -> list[tuple[str, str, str]]:
        """Families with a generation field and the field that carries it."""
        return sorted(
            {
                (owner.family, owner.log.generation, owner.log.generation_carrier)
                for owner in self.plan.owners
                if owner.log and owner.log.generation and owner.log.generation_carrier
            }
        )

    @cached_property
    def packages(self) -> dict[str, tuple[str, ...]]:
        """The packages that are not the user's, by family."""
        return {known.family.name: known.log.packages for known in self.plan.families}

    def read_record(self, record: Record) -> list[OwnerMatches]:
        """Return what each machine and family reads in a record, in the order of `Plan.owners`.

        Args:
            record: of a log.

        Returns:
            A row for each that reads something.
        """
        by_owner: dict[int, list[EntryMatch]] = defaultdict(list)
        for match in self._matches(record):
            by_owner[match.owner].append(match)
        return [
            OwnerMatches(owner, _best_matches(matches))
            for owner, matches in sorted(by_owner.items())
        ]

    def read_with_headers(self, record: Record) -> tuple[Record, list[OwnerMatches]]:
        """Return what is read in a record, also behind a header that no layout knows, and the
        record as it was read.

        Args:
            record: of a log.

        Returns:
            The record, without such a header, and a row for each that reads something.
        """
        readings = self.read_record(record)
        if readings or record.is_trailing_exception:
            return record, readings
        others = tuple(records_without_header(record, self._brackets, self.loggers, self._zone))
        for other in others:
            if readings := self.read_record(other):
                return other, readings
        for other in (record, *others):
            if readings := self.read_unknown_states(other):
                return other, readings
        return record, []

    def has_hidden_message(self, record: Record) -> bool:
        """Say whether a wording stands in a record that nothing reads, behind something that is no
        header.

        Args:
            record: of a log.

        Returns:
            True where one stands there.
        """
        if record.message.startswith(self._brackets):
            return False
        if self._hides(record, record.message):
            return True
        # A time that none can read may be no time at all, and what stands behind it no logger
        return record.at_ms is None and self._hides(evolve(record, logger=None), record.text)

    def _hides(self, record: Record, text: str) -> bool:
        """Whether a wording stands in a text of a record, but not where it begins."""
        leads = {
            lead
            for literal in self._literals.found_in(text)
            for lead in self._leading_words[literal]
            if len(lead) >= SHORTEST_LITERAL
        }
        starts = {at for lead in leads if (at := text.find(lead, 1)) > 0}
        behind = (evolve(record, message=text[at:]) for at in sorted(starts)[:MOST_POSITIONS])
        return any(
            match.agreement[0]
            for other in behind
            for reading in self.read_with_headers(other)[1]
            for _, match in reading.matches
        )

    def read_unknown_states(self, record: Record) -> list[OwnerMatches]:
        """Return what is read where a state stands that a spec does not have; for a record that
        `read` reads nothing in.

        Of the entries that know the logger best only those count in which the fewest states are
        unknown.

        Args:
            record: of a log.

        Returns:
            A row for each that reads something.
        """
        by_owner: dict[tuple[int, int], dict[int, list[EntryMatch]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for match in self._matches(record, unknown=True):
            unknown = len(self.unknown_states(match.owner, match.fields))
            by_owner[-match.agreement[0], unknown][match.owner].append(match)
        best = by_owner[min(by_owner)] if by_owner else {}
        return [
            OwnerMatches(owner, _best_matches(matches)) for owner, matches in sorted(best.items())
        ]

    def _matches(self, record: Record, *, unknown: bool = False) -> Iterator[EntryMatch]:
        for literal in self._literals.found_in(record.message):
            for owner, line, pattern in self._by_literal[literal]:
                logger = logger_agreement(record.logger, line.loggers)
                if (line.strict and logger < 2) or (
                    unknown and not (logger and _names_states(line))
                ):
                    continue
                if unknown:
                    pattern = _any_state_pattern(pattern)
                if match := compile_cached(pattern).fullmatch(record.message):
                    level = (
                        1
                        if record.level is None or line.level is None
                        else 2 * (record.level == line.level)
                    )
                    fields = _add_thread_fields(line, match.groupdict(), record.thread)
                    if (
                        fields is not None
                        and (fields := _add_rest_fields(line, fields, record.following_lines))
                        is not None
                    ):
                        fields |= parts_within(line, fields)
                        yield EntryMatch(owner, line, fields, (logger, level))

    def unknown_states(self, owner: int, fields: dict[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the fields of states that hold a name which no state of the machine has, with that
        name.

        Args:
            owner: its place in `owners`.
            fields: that the line holds.

        Returns:
            Pairs of field and name.
        """
        if owner >= len(self._states_by_spelling):
            return ()
        names = self._states_by_spelling[owner]
        return tuple(
            (name, text)
            for name in STATE_FIELDS
            if (text := fields.get(name)) is not None and text not in names
        )

    def releases_with_states(self, owner: int, fields: dict[str, str]) -> ReleaseSet:
        """Return the releases that have all the states that a line names; all if it names none.

        Args:
            owner: its place in `owners`.
            fields: that the line holds.

        Returns:
            A set of releases.
        """
        releases = -1
        if owner < len(self._releases_by_spelling):
            for name in STATE_FIELDS:
                releases &= self._releases_by_spelling[owner].get(fields.get(name) or "", -1)
        return releases

    def line_reading(self, releases: int, match: EntryMatch, fields: dict[str, str]) -> LineReading:
        """Return what an entry says of states, by their names in the spec.

        Args:
            releases: in which it counts, a bit each.
            match: the entry.
            fields: that the line holds.

        Returns:
            What an observation keeps of it.
        """
        names = self._states_by_spelling[match.owner]
        line = match.line
        return LineReading(
            releases,
            line.index,
            _state_name(names, fields, "from", line.source),
            _state_name(names, fields, "to", line.target),
            names.get(fields["state"]) if "state" in fields else line.state,
            line.event,
            filled(line.argument_templates, fields),
            filled(line.variable_templates, fields),
            self.unknown_states(match.owner, fields),
        )


def _add_thread_fields(
    line: LineDefinition, fields: dict[str, str], thread: str | None
) -> dict[str, str] | None:
    """Put what the thread's name tells to what a message tells; None where another thread wrote it.

    No thread tells nothing.
    """
    if line.thread is None or thread is None:
        return fields
    match = compile_cached(line.thread.pattern).fullmatch(thread)
    return {**match.groupdict(), **fields} if match else None


def _add_rest_fields(
    line: LineDefinition, fields: dict[str, str], rest: tuple[str, ...]
) -> dict[str, str] | None:
    """Put what lines of the record below its first tell to what the first tells; None where one is
    missing that must be there.
    """
    for template in line.following_lines:
        pattern = compile_cached(template.pattern)
        match = next((match for text in rest if (match := pattern.fullmatch(text.strip()))), None)
        if match is None:
            return None
        fields = {**match.groupdict(), **fields}
    return fields


def filled(
    templates: tuple[tuple[str, str], ...], fields: dict[str, str]
) -> tuple[tuple[str, str], ...]:
    """Put what was captured into templates; one with a field that this wording does not capture
    tells nothing.
    """
    if not templates:
        return ()
    given = {name: text for name, text in fields.items() if text is not None}
    return tuple(
        (name, render_template(text, given))
        for name, text in templates
        if given.keys() >= set(template_fields(text))
    )


def _state_name(
    names: dict[str, str], fields: dict[str, str], field: str, fixed: tuple[str, ...]
) -> str | None:
    if field in fields:
        return names.get(fields[field])
    return fixed[0] if len(fixed) == 1 else None


def _map_spellings(spec: SpecDefinition) -> dict[str, str]:
    return {
        spelling: state.name
        for state in reversed(spec.states)
        for spelling in (*state.spellings, state.name)
    }


def _map_spelling_releases(spec: SpecDefinition) -> dict[str, ReleaseSet]:
    """Return the releases that have a state of a name or a spelling."""
    spelling_releases: dict[str, ReleaseSet] = defaultdict(int)
    for state in spec.states:
        for spelling in {state.name, *state.spellings}:
            spelling_releases[spelling] |= state.releases
    return dict(spelling_releases)


def _names_states(line: LineDefinition) -> bool:
    return line.kinds != (LineKind.NOTE,) and any(
        set(STATE_FIELDS).intersection(template.fields) for template in line.templates
    )


@cache
def _any_state_pattern(pattern: str) -> str:
    """Return the pattern of a wording with any name where the names of states stand, known ones
    first.
    """
    return _STATE_GROUPS.sub(
        lambda field: f"(?P<{field[1]}>(?:{field[2]})(?!\\w)|{STATE_NAME_REGEX})", pattern
    )


def _best_matches(matches: list[EntryMatch]) -> tuple[tuple[int, EntryMatch], ...]:
    """Give each release to the match that fits best, then to one that looked at more of the record;
    the author's order decides the rest.
    """
    claimed, chosen = 0, []
    for match in sorted(
        matches,
        key=lambda m: (
            -m.agreement[0],
            -m.agreement[1],
            -len(m.line.following_lines),
            m.line.index,
        ),
    ):
        if releases := match.line.releases & ~claimed:
            chosen.append((releases, match))
            claimed |= releases
    return tuple(chosen)


compile_cached = cache(re.compile)
"""Only the patterns whose literal is met are compiled, each once."""


@lru_cache(maxsize=4096)
def logger_agreement(written: str | None, known: tuple[str, ...]) -> int:
    """Say how well a told logger agrees with those of an entry: 2 it is one of them (perhaps
    shortened), 1 nothing is known, 0 another.

    >>> logger_agreement("c.e.door.Turnstile", ("com.example.door.Turnstile",))
    2
    >>> logger_agreement("Door", ("com.example.door.Turnstile",))
    0
    """
    if not written or not known:
        return 1
    return (
        2 if any(written == logger or is_abbreviation(written, logger) for logger in known) else 0
    )


def list_items(capture: ListCapture, fields: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield the fields of every item of a captured list, those of the line beside them; where each
    item holds a list, of every item of these.

    Args:
        capture: the list.
        fields: that the line holds.

    Yields:
        The fields of an item.
    """
    for match in re.finditer(
        _any_state_pattern(capture.item.pattern), fields.get(capture.field) or ""
    ):
        item = {
            **{k: v for k, v in fields.items() if k != capture.field and v is not None},
            **match.groupdict(),
        }
        if capture.inner:
            yield from list_items(capture.inner, item)
        else:
            yield item
