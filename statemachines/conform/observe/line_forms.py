"""What is read from the lines of one form, learnt from the reader of single lines.

The reader of single lines stays the only one who knows what a line means: a form is what it says
of a line by itself, once for the line and once for each of a few lines with other digits. Where it
does not say the same of all of them, up to the parts of the line that it quotes, nothing is known
of the form, and each of its lines is read by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import LineWords, Observation
from statemachines.conform.interchange.profiles import Profile, UnitProfile
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.observe.form_clocks import FormClocks
from statemachines.conform.observe.known_lines import (
    AbroadForm,
    KnownLine,
    ObservationForm,
    ProcessWords,
)
from statemachines.conform.observe.line_slots import (
    NoSlotError,
    SlotMemory,
    make_slot,
    probe_lines,
)
from statemachines.conform.observe.observer import Observer
from statemachines.conform.observe.spelled_digits import SpelledDigits
from statemachines.logs import Layouts, Scanner, UnreadRecord, scan
from statemachines.logs.layouts.json_layouts import (
    level_digits,
    number_starts,
)
from statemachines.logs.layouts.shipped_layouts import unwrap
from statemachines.logs.records.line_clocks import LineClock
from statemachines.logs.records.line_wrappings import LineWrappings
from statemachines.logs.records.plain_lines import (
    AroundLine,
    LinePair,
    line_key,
)
from statemachines.model.evidence.moments import time_zone
from statemachines.model.values import frozen

LEARNT_AT = 4
"""A form is learnt from the line in which it is met for so many times: learning costs as much as
reading two to five lines, and most forms of a small log are met fewer times.
"""
MOST_FORMS = 10_000
"""Forms that are known at once, and forms that are known to be met."""
_AND_DIGITS = b"\n\n"
"""Between the key of a line and its digits that matter: no key of a line alone has it."""


@frozen
class _LineAlone:
    """What is read from a line that stands in a file alone, or with the lines below it."""

    text: str
    """As the program wrote it."""
    quoted: str
    """As it stands in the file."""
    unit: UnitProfile
    """The profile of its process."""
    profile: Profile
    observations: tuple[Observation, ...]
    unread: tuple[UnreadRecord, ...]
    warning: tuple[str, str]
    """Level and wording of a line that nothing reads and that the program calls trouble, or out of
    the ordinary; both empty of any other.
    """
    is_plain: bool
    """Whether a line before or after it could not change what it tells."""

    @property
    def shape(self) -> tuple[object, ...]:
        """What must be the same of all lines of a form."""
        unit = self.unit
        return (
            tuple(self.profile.layouts.items()),
            self.profile.unread,
            tuple((key, row[0]) for key, row in self.profile.unread_by_logger.items()),
            tuple((row.process, row.logger) for row in self.unread),
            tuple(unit.signatures.elements()),
            tuple(unit.levels.items()),
            tuple((family, len(values)) for family, values in unit.process_names.items()),
            unit.reached,
            self.warning,
            tuple((event.kind, event.owner) for event in unit.process_events),
            tuple(map(_frame_of, self.observations)),
            tuple(map(_frame_of, self.profile.abroad)),
        )

    @property
    def quotes_nothing(self) -> bool:
        """Whether it tells the same as all lines of its form."""
        unit = self.unit
        return not (
            self.observations
            or self.profile.abroad
            or any(_process_words(unit))
            or unit.process_events
        )


class CatalogueForms:
    """The forms of the lines that a catalogue reads, learnt as they are met.

    Complexity: a look-up a line; a form costs the reading of eight lines.
    Limits: ASCII lines with a time that has a date.
    """

    def __init__(
        self, plan: CheckPlan, reader: CatalogueReader, scanner: Scanner, layouts: Layouts
    ) -> None:
        self._plan, self._reader, self._scanner, self._layouts = plan, reader, scanner, layouts
        self._zone = time_zone(plan.options.zone)
        self._clocks = FormClocks(layouts, self._zone)
        self.known: dict[bytes, KnownLine | None] = {}
        self.silent = set[LinePair]()
        self.wrappings = LineWrappings(scanner.line_hits, self._clocks.clock_of)
        self._times_met: dict[int, int] = {}
        self._places: dict[bytes, tuple[int, ...] | None] = {}
        self._memory = SlotMemory()

    @cached_property
    def _spelled_digits(self) -> SpelledDigits:
        return SpelledDigits(self._plan)

    @cached_property
    def _words_of_longer_records(self) -> tuple[bytes, ...]:
        """The words of the lines that also look at what stands below them."""
        lines = (line for owner in self._plan.owners for line in owner.lines)
        templates = (
            template for line in lines if line.following_lines for template in line.templates
        )
        return tuple(line_key(template.literal.encode()) for template in templates)

    def clock_of(self, raw: bytes) -> LineClock | None:
        """Return where the time of a line stands."""
        return self._clocks.clock_of(raw)

    def learn(
        self, key: bytes, raw: bytes, below: bytes = b"", around: AroundLine | None = None
    ) -> KnownLine | None:
        """Count a form that is not known, and learn it if it is met often; where digits matter,
        each has a form of its own.
        """
        if places := self._places_that_matter(raw):
            key += _AND_DIGITS + bytes(raw[place] for place in places)
            if key in self.known:
                return self.known[key]
        name = hash(key)
        times = self._times_met.get(name, 0) + 1
        if times < LEARNT_AT:
            if len(self._times_met) >= MOST_FORMS:
                self._times_met.clear()
            self._times_met[name] = times
            return None
        if not self._clocks.is_of_calendar(raw):
            return None  # the next line of the form is one to learn from
        if len(self.known) >= MOST_FORMS:
            self.known.clear()
            self._memory.forget_slots()
        form = self.known[key] = (
            self._learn(raw, below, around) if self._clocks.are_layouts_plain else None
        )
        return form

    def _places_that_matter(self, raw: bytes) -> tuple[int, ...] | None:
        """Return where a line has digits that matter; None where its time has one, or none is
        known.
        """
        key = line_key(raw)
        if key not in self._places:
            if len(self._places) >= MOST_FORMS:
                self._places.clear()
            self._places[key] = self._find_places(key, raw)
        return self._places[key]

    def _find_places(self, key: bytes, raw: bytes) -> tuple[int, ...] | None:
        clock = self.clock_of(raw)
        if clock is None:
            return None
        places = {*self._spelled_digits.places(key)}
        if raw[:1] == b"{":
            places |= level_digits(self._layouts.json_layouts, raw.decode("ascii"))
        return None if places.intersection(clock.places) else tuple(sorted(places))

    def _learn(self, raw: bytes, below: bytes, around: AroundLine | None) -> KnownLine | None:
        """Read a line, and lines of its form with other digits, above the same lines; None where
        they differ in more than what they quote.
        """
        key = line_key(raw)
        places, clock = self._places_that_matter(raw), self.clock_of(raw)
        if clock is None or places is None:
            return None
        text, at_ms = raw.decode("ascii"), self._clocks.times.time_of(clock, raw)
        first = self._read_alone(text, below, around)
        if not first.is_plain or (around is None and first.unit.reached not in (None, at_ms)):
            return None
        nonzero = number_starts(text) if text.startswith("{") else ()
        probes = probe_lines(text, {*places, *clock.places}, nonzero)
        others = probes[-1:] if first.quotes_nothing else probes
        alone = [first, *(self._read_alone(other, below, around) for other in others)]
        if not all(line_alone.is_plain and line_alone.shape == first.shape for line_alone in alone):
            return None
        try:
            is_whole = bool(below) or self._is_whole(key, first)
            return _known_line(alone, clock, self._memory, is_whole=is_whole)
        except NoSlotError:
            return None

    def _is_whole(self, key: bytes, line: _LineAlone) -> bool:
        """Say whether nothing below a line could change what it tells: it names no instance, whose
        reasons may stand there, and its layout looks for no logger there.
        """
        parsed = self._layouts.read(unwrap(line.quoted).inner)
        return not (
            line.observations
            or line.profile.abroad
            or parsed is None
            or parsed.tail_pattern
            or any(word in key for word in self._words_of_longer_records)
        )

    def _read_alone(self, text: str, below: bytes, around: AroundLine | None) -> _LineAlone:
        process = around.process if around else None
        quoted = around.quoted(text) if around else text
        line = f"{quoted}\n".encode()
        part = scan(
            line + below,
            0,
            len(line),
            self._scanner,
            self._layouts,
            zone=self._zone,
            loggers=self._reader.loggers,
        )
        observer = Observer(self._plan, self._reader, 0)
        observations = tuple(observer.observe(part))
        profile = observer.profile
        unit = profile.units.get(process) or UnitProfile()
        plain = (
            profile.records + len(part.unread) <= 1
            and set(profile.units) <= {process}
            and all(row.process == process for row in part.unread)
            and all(row.process == process for row in part.loud)
            and (around is None or unit.reached in (None, around.at_ms))
            and (around is None or all(row.at_ms == around.at_ms for row in part.loud))
            and not (part.problems or profile.unjudged)
            and unit.dated
            and all(
                observation.at == observation.reached == unit.reached and not observation.thrown_at
                for observation in (*observations, *profile.abroad)
            )
            and all(event.reached == unit.reached for event in unit.process_events)
            and all(len(values) == 1 for values in unit.process_names.values())
        )
        observer.finish((), part.loud)
        level = "ERROR" if profile.loud else "WARN"
        wordings = [(level, row.first.wording.decode()) for row in profile.rare.values()]
        warning = next(iter(wordings), ("", ""))
        return _LineAlone(
            text, quoted, unit, profile, observations, tuple(part.unread), warning, plain
        )


def _known_line(
    alone: Sequence[_LineAlone], clock: LineClock, memory: SlotMemory, *, is_whole: bool
) -> KnownLine:
    """Return what lines tell that were read alone, and that tell the same.

    Raises:
        NoSlotError: they quote what is no part of them.
    """
    first, lines = alone[0], [line_alone.text for line_alone in alone]
    words = [_process_words(line_alone.unit) for line_alone in alone]
    unit, (level, wording) = first.unit, first.warning
    if not first.profile.records:
        return KnownLine(
            clock,
            is_wordless=True,
            logger=next((row.logger for row in first.unread), None),
            warning_level=level,
            warning_message=wording,
            is_whole=is_whole,
        )
    events = [_process_events(line_alone.unit) for line_alone in alone]
    return KnownLine(
        clock,
        next(iter(first.profile.layouts)),
        is_unread=bool(first.profile.unread),
        logger=next((logger for _, logger in first.profile.unread_by_logger), None),
        signatures=tuple(unit.signatures.elements()),
        levels=tuple(unit.levels.items()),
        process=make_slot(lines, words, memory) if any(words[0]) else None,
        observations=tuple(
            _observation_form(alone, same, memory)
            for same in zip(*(line_alone.observations for line_alone in alone), strict=True)
        ),
        process_events=make_slot(lines, events, memory) if events[0] else None,
        abroad=tuple(
            _abroad_form(alone, same, memory)
            for same in zip(*(line_alone.profile.abroad for line_alone in alone), strict=True)
        ),
        warning_level=level,
        warning_message=wording,
        is_whole=is_whole,
    )


def _frame_of(observation: Observation) -> tuple[object, ...]:
    """Return what all lines of a form tell alike of an instance."""
    return observation.owner, observation.zone, observation.at, observation.reached


def _process_events(unit: UnitProfile) -> tuple[tuple[str, int, str], ...]:
    return tuple((event.kind, event.owner, event.release) for event in unit.process_events)


def _abroad_form(
    alone: Sequence[_LineAlone], same: Sequence[Observation], memory: SlotMemory
) -> AbroadForm:
    """Return the form of an observation of many instances; those that a line lists stand in no
    order, so more than one cannot be told apart.
    """
    if any(len(observation.listed) > 1 for observation in same):
        raise NoSlotError
    others = [(observation.about, tuple(observation.listed)) for observation in same]
    lines = [line_alone.text for line_alone in alone]
    return AbroadForm(_observation_form(alone, same, memory), make_slot(lines, others, memory))


def _process_words(unit: UnitProfile) -> ProcessWords:
    """Return what the line tells of its process by which a unit is known."""
    return ProcessWords(
        tuple((family, next(iter(values))) for family, values in unit.process_names.items()),
        tuple(generation[1:] for generation in unit.generations),
    )


def _observation_form(
    alone: Sequence[_LineAlone], same: Sequence[Observation], memory: SlotMemory
) -> ObservationForm:
    """Return the form of an observation that every line of some has."""
    first, lines = same[0], [line_alone.text for line_alone in alone]
    if any(observed.text != line.quoted for observed, line in zip(same, alone, strict=True)):
        raise NoSlotError
    return ObservationForm(
        first.owner,
        make_slot(lines, [observation.key for observation in same], memory),
        make_slot(lines, [_line_words(observation) for observation in same], memory),
    )


def _line_words(observation: Observation) -> LineWords:
    return LineWords(*(getattr(observation, name) for name in LineWords._fields))
