"""Layouts: how a line is taken apart into time, level, logger, thread and message.

They are data (`layouts/*.yaml`, each with samples) in a fixed order, most specific first: a line is read by the first that
reads it whole, whatever was read before it, so that no cut of a file changes how its lines are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, field, frozen

from statemachines.logs.columns import pairs, row
from statemachines.logs.json_layout import JsonLayout, json_object
from statemachines.logs.levels import level_of
from statemachines.logs.patterns import Reader
from statemachines.logs.reading import Reading
from statemachines.logs.times import DAMAGED_TIME, TIME, Moment, read_time
from statemachines.model.suggestions import did_you_mean

_TIME = re.compile(TIME)
TAIL = 2048
"""Characters at the end of a message in which a layout looks for what follows it: a search may take the square of them."""
_DAMAGED = re.compile(DAMAGED_TIME)
LATEST_TIME = 100
"""Characters of a line among which its time stands."""


class LayoutError(ValueError):
    """A layout that cannot be used; the message says why."""


@frozen(slots=True)
class TextLayout:
    """A layout of text lines."""

    name: str
    reader: Reader
    multiline: bool = False
    """Reads the first line of a message whose tail (the logger) stands at the end of a later line."""
    epoch: bool = True
    """Whether a bare number that begins the line is a time."""
    samples: tuple[Mapping[str, Any], ...] = field(default=(), eq=False)
    above: Reader | None = None
    """What stands on the line before, of a layout that takes two lines: the line with the message begins no record without it."""

    def read(self, text: str, lead: tuple[int, Moment] | None) -> Reading | None:
        """Read a line.

        Args:
            text: the line without prefixes and colours.
            lead: where the time that begins the line ends, and that time; None where none begins it.
        """
        if lead and not self.epoch and ":" not in text[: lead[0]]:
            return None
        found = self.reader.head.match(text, lead[0] if lead else 0)
        if not found:
            return None
        told = found.groupdict()
        if "level" in told and level_of(told["level"]) is None:
            return None
        moment = lead[1] if lead else self._time(told["time"]) if told.get("time") else None
        if moment is None and told.get("time"):
            return None
        return self._ended(told, moment)

    def _time(self, text: str) -> Moment | None:
        return self.reader.date.read(text) if self.reader.date else read_time(text)

    def read_untimed(self, text: str) -> Reading | None:
        """Read a line whose time cannot be read; None too where nothing else says that it begins a record: a level, a logger, digits."""
        found = self.reader.untimed.match(text) if self.reader.untimed else None
        if not found:
            return None
        told = {**found.groupdict(), "time": None}
        if "level" in told and level_of(told["level"]) is None:
            return None
        reading = self._ended(told, None)
        begins = reading and (reading.level or reading.logger or _TIME.match(text, len(self.reader.lead or "")))
        return reading if begins else None

    def read_below(self, text: str, above: str) -> Reading | None:
        """Read the second line of a record that takes two; `above` is the first."""
        header = TextLayout(self.name, self.above).read(above, _lead(above)[1]) if self.above else None
        reading = self.read(text, None) if header and not header.message else None
        if reading is None or header is None:
            return None
        return evolve(reading, moment=header.moment, logger=header.logger, level=reading.level or header.level)

    def _ended(self, told: dict[str, Any], moment: Moment | None) -> Reading | None:
        """Take off what follows the message, or leave it for the record's later lines."""
        message, tail = told["message"], self.reader.tail
        if tail:
            ending = tail.search(message, max(0, len(message) - TAIL))
            if ending is None and not self.multiline:
                return None
            if ending:
                message, tail = message[: ending.start()], None
                told.update(ending.groupdict())
        thread = told.get("thread")
        return Reading(
            self.name, message.rstrip(), moment, level_of(told.get("level")), told.get("logger"), (thread or "").strip() or None, (), tail
        )


@frozen
class Layouts:
    """An ordered list of layouts."""

    texts: tuple[TextLayout, ...]
    jsons: tuple[JsonLayout, ...] = ()
    clock_anywhere: bool = False
    """Whether a time of day may stand where only these layouts find it, so that every line must be read for midnights."""

    def read(self, text: str) -> Reading | None:
        """Read a line by the first layout that reads it whole.

        Args:
            text: one line without prefixes, colours and line end.

        Returns:
            What it says, or None where it begins no record that any layout knows.
        """
        text = text.lstrip(" ")
        if text.startswith("{") and self.jsons:
            told = json_object(text)
            if told is not None:
                return next((reading for layout in self.jsons if (reading := layout.read(told))), None)
        if self.jsons and (columns := self._columns(text)):
            return columns
        literal, lead = _lead(text)
        for layout in self._tried[literal if lead else None]:
            reading = layout.read(text, None if layout.reader.lead is None else lead)
            if reading:
                return reading
        return self._untimed(text)

    def read_below(self, text: str, above: Callable[[], str]) -> Reading | None:
        """Read a line that no layout reads alone by one that takes two; `above` gives the line before it, asked for if it may be one."""
        for layout in self._below:
            if layout.reader.head.match(text) and (reading := layout.read_below(text, above())):
                return reading
        return None

    @cached_property
    def _below(self) -> tuple[TextLayout, ...]:
        return tuple(layout for layout in self.texts if layout.above)

    def _columns(self, text: str) -> Reading | None:
        """Read a line of pairs or of exported cells by the keys of JSON; a cell may hold a line of another layout."""
        if text.startswith('"'):
            told = row(text)
            inner = self.read(told["message"]) if told and told["message"][:1] != '"' else None
            if inner and inner.moment and told:
                return inner
            return self._by_keys(told, "csv")
        return self._by_keys(pairs(text), "logfmt") if "=" in text.partition(" ")[0] else None

    def _by_keys(self, told: dict[str, Any] | None, name: str) -> Reading | None:
        reading = self.jsons[-1].read(told) if told else None
        return evolve(reading, layout=name) if reading else None

    def _untimed(self, text: str) -> Reading | None:
        """Read a line that begins a record but for its time, which is none: it must not be taken for a part of the record before it."""
        if not _DAMAGED.search(text, 0, LATEST_TIME):
            return None
        return next((reading for layout in self.texts if not layout.above and (reading := layout.read_untimed(text))), None)

    def time(self, text: str) -> Moment | None:
        """The time of the record that a line begins, None where it begins none or tells none; what `read` says, sooner."""
        text = text.lstrip(" ")
        if text[:1] in ("", "\t"):
            return None
        literal, lead = _lead(text)
        bare = self._bare.get(literal)
        if lead and bare and bare.read(text, lead):
            return lead[1]
        reading = self.read(text)
        return reading.moment if reading else None

    @cached_property
    def _tried(self) -> dict[str | None, tuple[TextLayout, ...]]:
        """The layouts that may read a line, by the literal before the time that begins it (None: no time begins it)."""
        return {lead: tuple(x for x in self.texts if x.reader.lead in (None, lead) and not x.above) for lead in ("", "[", None)}

    @cached_property
    def _bare(self) -> dict[str, TextLayout]:
        """The layouts that read every line that begins with a time, by the literal before it."""
        return {x.reader.lead or "": x for x in self.texts if x.reader.is_bare}

    def named(self, names: Sequence[str]) -> Layouts:
        """Only the layouts of these names, in the order of the list."""
        known = {layout.name for layout in self.texts} | {layout.name for layout in self.jsons}
        missing = [name for name in names if name not in known]
        if missing:
            raise LayoutError(f"no layout is called {missing[0]!r}; {did_you_mean(missing[0], sorted(known))}")
        return evolve(self, texts=tuple(x for x in self.texts if x.name in names), jsons=tuple(x for x in self.jsons if x.name in names))

    def before(self, other: Layouts) -> Layouts:
        """These layouts, then those of `other`."""
        return Layouts(self.texts + other.texts, self.jsons + other.jsons, self.clock_anywhere or other.clock_anywhere)


def _lead(text: str) -> tuple[str, tuple[int, Moment] | None]:
    """The literal before the time that begins a line, where that time ends, and the time."""
    literal = "[" if text.startswith("[") else ""
    found = _TIME.match(text, len(literal))
    moment = read_time(found[0]) if found else None
    return literal, (found.end(), moment) if found and moment else None
