"""Layouts: how a line is taken apart into time, level, logger, thread and message.

They are data (`layouts/*.yaml`, each with samples) in a fixed order, most specific first: a line is
read by the first that reads it whole, whatever was read before it, so that no cut of a file changes
how its lines are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, field

from statemachines.logs.fields.levels import parse_level
from statemachines.logs.fields.log_times import (
    DAMAGED_TIME_PATTERN,
    TIME_PATTERN,
    Timestamp,
    parse_time,
)
from statemachines.logs.layouts.conversion_patterns import CompiledPattern
from statemachines.logs.layouts.json_layouts import JsonLayout, parse_json_line
from statemachines.logs.layouts.parsed_lines import ParsedLine
from statemachines.logs.layouts.tabular_lines import (
    csv_cells,
    event_cells,
    event_pairs,
    labelled_pairs,
    logfmt_pairs,
)
from statemachines.logs.layouts.wrappers import UnwrappedLine
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.values import frozen

_TAIL_CHARACTERS = 2048
"""Characters at the end of a message in which a layout looks for what follows it: a search may take
the square of them.
"""
_LATEST_TIME_CHARACTERS = 100
"""Characters of a line among which its time stands."""
_LATER_LINES = ("at ", "Caused by:", "... ")
"""With these the lines of a stack trace begin."""


class LayoutError(ValueError):
    """A layout that cannot be used; the message says why."""


@frozen(slots=True)
class TextLayout:
    """A layout of text lines."""

    name: str
    pattern: CompiledPattern
    multiline: bool = False
    """Reads the first line of a message whose tail (the logger) stands at the end of a later line.
    """
    allows_epoch: bool = True
    """Whether a bare number that begins the line is a time."""
    samples: tuple[Mapping[str, Any], ...] = field(default=(), eq=False)
    line_above: CompiledPattern | None = None
    """What stands on the line before, of a layout that takes two lines: the line with the message
    begins no record without it.
    """

    def read(self, text: str, lead: tuple[int, Timestamp] | None) -> ParsedLine | None:
        """Read a line.

        Args:
            text: the line without prefixes and colours.
            lead: where the time that begins the line ends, and that time; None where none begins
                it.

        Returns:
            Time, level, logger and message; None where the line is of another layout.
        """
        if lead and not self.allows_epoch and ":" not in text[: lead[0]]:
            return None
        match = self.pattern.match_head(text, lead[0] if lead else 0)
        if not match:
            return None
        groups = match.groupdict()
        if "level" in groups and parse_level(groups["level"]) is None:
            return None
        moment = (
            lead[1] if lead else self._parse_time(groups["time"]) if groups.get("time") else None
        )
        if moment is None and groups.get("time"):
            return None
        return self._without_tail(groups, moment)

    def _parse_time(self, text: str) -> Timestamp | None:
        return self.pattern.date.read(text) if self.pattern.date else parse_time(text)

    def read_untimed(self, text: str) -> ParsedLine | None:
        """Read a line whose time cannot be read; None too where nothing else says that it begins a
        record: a level, a logger, digits.

        Args:
            text: the line without prefixes and colours.

        Returns:
            As of `read`, without a time.
        """
        match = self.pattern.match_untimed(text)
        if not match:
            return None
        groups = {**match.groupdict(), "time": None}
        if "level" in groups and parse_level(groups["level"]) is None:
            return None
        reading = self._without_tail(groups, None)
        begins = reading and (
            reading.level
            or reading.logger
            or TIME_PATTERN.match(text, len(self.pattern.lead or ""))
        )
        return reading if begins else None

    def read_below(
        self, text: str, above: str, lead: tuple[int, Timestamp] | None
    ) -> ParsedLine | None:
        """Read the second line of a record that takes two; `above` is the first, and `lead` the
        time that begins it, as `read` takes it.

        Args:
            text: the second line.
            above: the first line.
            lead: where its time ends, and that time.

        Returns:
            As of `read`; None where the two are no record of this layout.
        """
        header = (
            TextLayout(self.name, self.line_above).read(above, lead) if self.line_above else None
        )
        reading = self.read(text, None) if header and not header.message else None
        if reading is None or header is None:
            return None
        return evolve(
            reading,
            timestamp=header.timestamp,
            logger=header.logger,
            level=reading.level or header.level,
            thread=reading.thread or header.thread,
        )

    def _without_tail(self, groups: dict[str, Any], moment: Timestamp | None) -> ParsedLine | None:
        """Take off what follows the message, or leave it for the record's later lines."""
        message, tail = groups["message"], self.pattern.tail
        if tail:
            ending = tail.search(message, max(0, len(message) - _TAIL_CHARACTERS))
            if ending is None and not self.multiline:
                return None
            if ending:
                message, tail = message[: ending.start()], None
                groups.update(ending.groupdict())
        thread = groups.get("thread")
        return ParsedLine(
            self.name,
            message.rstrip(),
            moment,
            parse_level(groups.get("level")),
            groups.get("logger"),
            (thread or "").strip() or None,
            (),
            tail,
        )


@frozen
class Layouts:
    """An ordered list of layouts."""

    text_layouts: tuple[TextLayout, ...]
    json_layouts: tuple[JsonLayout, ...] = ()
    clock_anywhere: bool = False
    """Whether a time of day may stand where only these layouts find it, so that every line must be
    read for midnights.
    """

    def read(self, text: str) -> ParsedLine | None:
        """Read a line by the first layout that reads it whole.

        Args:
            text: one line without prefixes, colours and line end.

        Returns:
            What it says, or None where it begins no record that any layout knows.
        """
        text = text.lstrip(" ")
        if text.startswith("{") and self.json_layouts:
            groups = parse_json_line(text)
            if groups is not None:
                return next(
                    (reading for layout in self.json_layouts if (reading := layout.read(groups))),
                    None,
                )
        if self.json_layouts and (columns := self._read_columns(text)):
            return columns
        literal, lead = _leading_time(text)
        for layout in self._by_lead[literal if lead else None]:
            reading = layout.read(text, None if layout.pattern.lead is None else lead)
            if reading:
                return reading
        return self._read_untimed(text)

    def second_line_layouts(self, text: str) -> tuple[TextLayout, ...]:
        """Return the layouts that take two lines, the second of which a text may be.

        Args:
            text: a line that no layout reads alone.

        Returns:
            In their order; they look at the first line only when they read both.
        """
        return tuple(layout for layout in self._two_line if layout.pattern.match_head(text))

    def read_below(
        self,
        text: str,
        above: Callable[[], str],
        layouts: Sequence[TextLayout] | None = None,
    ) -> ParsedLine | None:
        """Read a line that no layout reads alone by one that takes two, or as the message of a
        header that has none.

        Args:
            text: a line that no layout reads alone.
            above: gives the line before it.
            layouts: its `second_line_layouts`, where they are known.

        Returns:
            As of `read`.
        """
        if not text.strip() or text.lstrip().startswith(_LATER_LINES):
            return None
        header = above()
        literal, lead = _leading_time(header)
        leads = None, literal if lead else None
        readings = (
            layout.read_below(text, header, lead)
            for layout in (self.second_line_layouts(text) if layouts is None else layouts)
            if layout.line_above and layout.line_above.lead in leads
        )
        reading = next((reading for reading in readings if reading), None)
        return reading or (self._read_message(text, header) if lead else None)

    def _read_message(self, text: str, above: str) -> ParsedLine | None:
        """Read a line as the message of a record whose first line tells all but that."""
        header = self.read(above)
        if header is None or header.message or not (header.level and header.logger):
            return None
        return evolve(header, layout="header-above", message=text.strip(), tail_pattern=None)

    @cached_property
    def unread_texts(self) -> dict[str, tuple[UnwrappedLine, tuple[TextLayout, ...]]]:
        """Texts that none of these reads alone, unwrapped, and whose second lines they may be: kept
        for who reads line by line, for those of stack traces stand in all logs of a program.
        """
        return {}

    @cached_property
    def unread_wrapped(self) -> dict[str, tuple[TextLayout, ...]]:
        """The same of texts that were wrapped, each time with another time around them."""
        return {}

    @cached_property
    def _two_line(self) -> tuple[TextLayout, ...]:
        return tuple(layout for layout in self.text_layouts if layout.line_above)

    def _read_columns(self, text: str) -> ParsedLine | None:
        """Read a line of pairs or of exported cells by the keys of JSON; a cell may hold a line of
        another layout.
        """
        if text[:1].isdigit() and (cells := event_cells(text)):
            return self._read_by_keys(cells, "log4j2-csv")
        if text.startswith('"') or (text[:1].isdigit() and ',"' in text):
            groups = csv_cells(text)
            inner = (
                self.read(groups["message"]) if groups and groups["message"][:1] != '"' else None
            )
            if inner and inner.timestamp and groups:
                return inner
            if groups or text.startswith('"'):
                return self._read_by_keys(groups, "csv")
        if (at := text.find("CEF:", 0, _LATEST_TIME_CHARACTERS)) >= 0:
            return self._read_by_keys(event_pairs(text[at:]), "cef")
        if "\t" in text and (pairs := labelled_pairs(text)):
            return self._read_by_keys(pairs, "ltsv")
        return (
            self._read_by_keys(logfmt_pairs(text), "logfmt")
            if "=" in text.partition(" ")[0]
            else None
        )

    def _read_by_keys(self, groups: dict[str, Any] | None, name: str) -> ParsedLine | None:
        reading = self.json_layouts[-1].read(groups) if groups else None
        return evolve(reading, layout=name) if reading else None

    def _read_untimed(self, text: str) -> ParsedLine | None:
        """Read a line that begins a record but for its time, which is none: it must not be taken
        for a part of the record before it.
        """
        if not DAMAGED_TIME_PATTERN.search(text, 0, _LATEST_TIME_CHARACTERS):
            return None
        return next(
            (
                reading
                for layout in self.text_layouts
                if not layout.line_above and (reading := layout.read_untimed(text))
            ),
            None,
        )

    def record_time(self, text: str) -> Timestamp | None:
        """The time of the record that a line begins, None where it begins none or tells none; what
        `read` says, sooner.

        Args:
            text: a line as it stands in the file.

        Returns:
            The moment, with or without a date.
        """
        text = text.lstrip(" ")
        if text[:1] in ("", "\t"):
            return None
        literal, lead = _leading_time(text)
        bare = self._bare_by_lead.get(literal)
        if lead and bare and bare.read(text, lead):
            return lead[1]
        reading = self.read(text)
        return reading.timestamp if reading else None

    @cached_property
    def _by_lead(self) -> dict[str | None, tuple[TextLayout, ...]]:
        """The layouts that may read a line, by the literal before the time that begins it (None: no
        time begins it).
        """
        return {
            lead: tuple(
                x for x in self.text_layouts if x.pattern.lead in (None, lead) and not x.line_above
            )
            for lead in ("", "[", None)
        }

    @cached_property
    def _bare_by_lead(self) -> dict[str, TextLayout]:
        """The layouts that read every line that begins with a time, by the literal before it."""
        return {x.pattern.lead or "": x for x in self.text_layouts if x.pattern.is_bare}

    @property
    def reads_all_dated(self) -> bool:
        """Whether any line that begins with a time, in brackets or not, begins a record."""
        return {"", "["} <= self._bare_by_lead.keys()

    def sources(self) -> Iterator[str]:
        """Yield the regular expressions of the text layouts."""
        for layout in self.text_layouts:
            for pattern in (layout.pattern, layout.line_above):
                if pattern is not None:
                    yield pattern.head_source
                    yield pattern.tail_source or ""

    def selected(self, names: Sequence[str]) -> Layouts:
        """Only the layouts of these names, in the order of the list.

        Args:
            names: of layouts.

        Returns:
            Those layouts.

        Raises:
            LayoutError: a name is unknown; the message has the nearest one.
        """
        known = {layout.name for layout in self.text_layouts} | {
            layout.name for layout in self.json_layouts
        }
        missing = [name for name in names if name not in known]
        if missing:
            raise LayoutError(
                f"no layout is called {missing[0]!r}; {did_you_mean(missing[0], sorted(known))}"
            )
        return evolve(
            self,
            text_layouts=tuple(x for x in self.text_layouts if x.name in names),
            json_layouts=tuple(x for x in self.json_layouts if x.name in names),
        )

    def followed_by(self, other: Layouts) -> Layouts:
        """These layouts, then those of `other`.

        Args:
            other: asked where none of these reads a line.

        Returns:
            All of both.
        """
        return Layouts(
            self.text_layouts + other.text_layouts,
            self.json_layouts + other.json_layouts,
            self.clock_anywhere or other.clock_anywhere,
        )


def _leading_time(text: str) -> tuple[str, tuple[int, Timestamp] | None]:
    """The literal before the time that begins a line, where that time ends, and the time."""
    literal = "[" if text.startswith("[") else ""
    match = TIME_PATTERN.match(text, len(literal))
    moment = parse_time(match[0]) if match else None
    return literal, (match.end(), moment) if match and moment else None
