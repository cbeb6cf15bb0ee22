"""From a record to the entries of the catalogue that read it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from attrs import evolve

from statemachines.conform.headers import starts
from statemachines.conform.observations import Telling
from statemachines.conform.plan import Plan
from statemachines.logs import Loggers, is_shortened, loggers_of
from statemachines.logs.literals import Literals
from statemachines.model.loglines import Line, Says, Template
from statemachines.model.machines import Spec
from statemachines.model.records import Record
from statemachines.model.releases import Releases
from statemachines.model.zones import zone_of
from statemachines.notation.templates import SHORTEST_LITERAL, STATE_FIELDS, Words, fields_of, parse, render_template

STATE_NAME = r"[^\W\d][\w$-]*(?:\.[\w$-]+)*"
"""What may be the name of a state that no spec has."""
_STATES = re.compile(r"\(\?P<(from|to|state)>((?:[^()\\]|\\.)*)\)")
"""Where the names of states stand in the pattern of a wording."""
SHORTEST_LEAD = 3
"""Characters of the words with which a wording begins, so that a bracket that begins like them is a part of it."""
MOST_PLACES = 3
"""Places of a message at which a wording is looked for behind something unknown."""
PROCESS_SIGNS = {Says.RELEASE, Says.PROCESS_BEGINS, Says.PROCESS_MAY_BEGIN, Says.PROCESS_ENDS}


class Match(NamedTuple):
    """An entry that read a record, and what it captured."""

    owner: int
    line: Line
    fields: dict[str, str]
    fit: tuple[int, int]
    """How well logger and level agree; more is better."""


class Reading(NamedTuple):
    """What one machine or family reads in a record: the entries of the best fit, release by release."""

    owner: int
    matches: tuple[tuple[int, Match], ...]
    """Releases and the entry that counts in them."""


class Reader:
    """Reads records by the lines of a whole catalogue.

    Complexity: one substring test a distinct literal and record, then the regular expressions of the literals that hit.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._by_literal: dict[str, list[tuple[int, Line, str]]] = defaultdict(list)
        self._leads: dict[str, set[str]] = defaultdict(set)
        for number, owner in enumerate(plan.owners):
            for line in owner.lines:
                for template in line.templates:
                    self._by_literal[template.literal].append((number, line, template.pattern))
                    self._leads[template.literal].update(_lead(template))
        self._literals = Literals(tuple(self._by_literal))
        self._zone = zone_of(plan.options.zone)
        self._brackets = tuple(sorted({lead for leads in self._leads.values() for lead in leads if lead.startswith("[")}))
        self._spellings = [_spellings(spec) for spec in plan.specs]
        self._named = [_releases_of_names(spec) for spec in plan.specs]

    @property
    def literals(self) -> tuple[bytes, ...]:
        """What a scanner has to look for: the words, and the loggers that write of instances."""
        return tuple(sorted({*self.words, *self.loggers.literals}))

    @property
    def words(self) -> tuple[bytes, ...]:
        """The literals of the lines that are read."""
        return tuple(sorted(literal.encode() for literal in self._by_literal))

    @cached_property
    def loggers(self) -> Loggers:
        """The loggers that write of instances: what no line reads of theirs is counted."""
        lines = (line for spec in self.plan.specs if spec.log for line in spec.log.lines)
        return loggers_of((name for line in lines if line.says != (Says.NOTE,) for name in line.loggers), self._by_literal)

    def read(self, record: Record) -> list[Reading]:
        """Return what each machine and family reads in a record, in the order of `Plan.owners`."""
        by_owner: dict[int, list[Match]] = defaultdict(list)
        for match in self._matches(record):
            by_owner[match.owner].append(match)
        return [Reading(owner, _best(matches)) for owner, matches in sorted(by_owner.items())]

    def understand(self, record: Record) -> tuple[Record, list[Reading]]:
        """Return what is read in a record, also behind a header that no layout knows, and the record as it was read."""
        readings = self.read(record)
        if readings or record.below:
            return record, readings
        others = tuple(starts(record, self._brackets, self._zone))
        for other in others:
            if readings := self.read(other):
                return other, readings
        for other in (record, *others):
            if readings := self.read_unknown(other):
                return other, readings
        return record, []

    def is_hidden(self, record: Record) -> bool:
        """Say whether a wording stands in a record that nothing reads, behind something that is no header."""
        message = record.message
        if message.startswith(self._brackets):
            return False
        leads = {lead for literal in self._literals.within(message) for lead in self._leads[literal] if len(lead) >= SHORTEST_LITERAL}
        places = {at for lead in leads if (at := message.find(lead, 1)) > 0}
        behind = (evolve(record, message=message[at:]) for at in sorted(places)[:MOST_PLACES])
        return any(match.fit[0] for other in behind for reading in self.read(other) for _, match in reading.matches)

    def read_unknown(self, record: Record) -> list[Reading]:
        """Return what is read where a state stands that a spec does not have; for a record that `read` reads nothing in.

        Of the entries that know the logger best only those count in which the fewest states are unknown.
        """
        found: dict[tuple[int, int], dict[int, list[Match]]] = defaultdict(lambda: defaultdict(list))
        for match in self._matches(record, unknown=True):
            unknown = len(self.unknown_states(match.owner, match.fields))
            found[-match.fit[0], unknown][match.owner].append(match)
        best = found[min(found)] if found else {}
        return [Reading(owner, _best(matches)) for owner, matches in sorted(best.items())]

    def _matches(self, record: Record, *, unknown: bool = False) -> Iterator[Match]:
        for literal in self._literals.within(record.message):
            for owner, line, pattern in self._by_literal[literal]:
                logger = logger_fit(record.logger, line.loggers)
                if (line.strict and logger < 2) or (unknown and not (logger and _tells_states(line))):
                    continue
                if unknown:
                    pattern = _any_state(pattern)
                if found := compiled(pattern).fullmatch(record.message):
                    level = 1 if record.level is None or line.level is None else 2 * (record.level == line.level)
                    if (fields := _with_thread(line, found.groupdict(), record.thread)) is not None:
                        yield Match(owner, line, fields, (logger, level))

    def unknown_states(self, owner: int, fields: dict[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the fields of states that hold a name which no state of the machine has, with that name."""
        if owner >= len(self._spellings):
            return ()
        names = self._spellings[owner]
        return tuple((name, text) for name in STATE_FIELDS if (text := fields.get(name)) is not None and text not in names)

    def releases_of(self, owner: int, fields: dict[str, str]) -> Releases:
        """Return the releases that have all the states that a line names; all where it names none."""
        found = -1
        if owner < len(self._named):
            for name in STATE_FIELDS:
                found &= self._named[owner].get(fields.get(name) or "", -1)
        return found

    def telling(self, releases: int, match: Match, fields: dict[str, str]) -> Telling:
        """Return what an entry says of states, by their names in the spec."""
        names = self._spellings[match.owner]
        line = match.line
        return Telling(
            releases,
            line.number,
            _told(names, fields, "from", line.source),
            _told(names, fields, "to", line.target),
            names.get(fields["state"]) if "state" in fields else line.state,
            line.event,
            _filled(line.arguments, fields),
            _filled(line.sets, fields),
            self.unknown_states(match.owner, fields),
        )


def _with_thread(line: Line, fields: dict[str, str], thread: str | None) -> dict[str, str] | None:
    """Put what the thread's name tells to what a message tells; None where another thread wrote it. No thread tells nothing."""
    if line.thread is None or thread is None:
        return fields
    found = compiled(line.thread.pattern).fullmatch(thread)
    return {**found.groupdict(), **fields} if found else None


def _lead(template: Template) -> Iterator[str]:
    """Yield the words with which a wording begins, where it begins with some."""
    first = parse(template.text)[:1]
    if first and isinstance(first[0], Words) and len(first[0].text) >= SHORTEST_LEAD:
        yield first[0].text


def _filled(templates: tuple[tuple[str, str], ...], fields: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Put what was captured into templates; one with a field that this wording does not capture tells nothing."""
    if not templates:
        return ()
    given = {name: text for name, text in fields.items() if text is not None}
    return tuple((name, render_template(text, given)) for name, text in templates if given.keys() >= set(fields_of(text)))


def _told(names: dict[str, str], fields: dict[str, str], field: str, fixed: tuple[str, ...]) -> str | None:
    if field in fields:
        return names.get(fields[field])
    return fixed[0] if len(fixed) == 1 else None


def _spellings(spec: Spec) -> dict[str, str]:
    return {spelling: state.name for state in reversed(spec.states) for spelling in (*state.spellings, state.name)}


def _releases_of_names(spec: Spec) -> dict[str, Releases]:
    """Return the releases that have a state of a name or a spelling."""
    found: dict[str, Releases] = defaultdict(int)
    for state in spec.states:
        for spelling in {state.name, *state.spellings}:
            found[spelling] |= state.releases
    return dict(found)


def _tells_states(line: Line) -> bool:
    return line.says != (Says.NOTE,) and any(set(STATE_FIELDS).intersection(template.fields) for template in line.templates)


@cache
def _any_state(pattern: str) -> str:
    """Return the pattern of a wording with any name where the names of states stand, known ones first."""
    return _STATES.sub(lambda field: f"(?P<{field[1]}>(?:{field[2]})(?!\\w)|{STATE_NAME})", pattern)


def _best(matches: list[Match]) -> tuple[tuple[int, Match], ...]:
    """Give each release to the match that fits best; the author's order decides between equals."""
    claimed, chosen = 0, []
    for match in sorted(matches, key=lambda m: (-m.fit[0], -m.fit[1], m.line.number)):
        if releases := match.line.releases & ~claimed:
            chosen.append((releases, match))
            claimed |= releases
    return tuple(chosen)


compiled = cache(re.compile)
"""Only the patterns whose literal is met are compiled, each once."""


@lru_cache(maxsize=4096)
def logger_fit(told: str | None, known: tuple[str, ...]) -> int:
    """Say how well a told logger agrees with those of an entry: 2 it is one of them (perhaps shortened), 1 nothing is known, 0 another.

    >>> logger_fit("c.e.door.Turnstile", ("com.example.door.Turnstile",)), logger_fit("Door", ("com.example.door.Turnstile",))
    (2, 0)
    """
    if not told or not known:
        return 1
    return 2 if any(told == logger or is_shortened(told, logger) for logger in known) else 0


def items(line: Line, fields: dict[str, str], template: Template) -> Iterator[dict[str, str]]:
    """Yield the fields of every item of a captured list, those of the line beside them."""
    assert line.each
    for found in re.finditer(_any_state(template.pattern), fields.get(line.each.field) or ""):
        yield {**{k: v for k, v in fields.items() if k != line.each.field and v is not None}, **found.groupdict()}
