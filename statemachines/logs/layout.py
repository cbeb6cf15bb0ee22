"""Layouts: how a line is taken apart into time, level, logger, thread and message.

They are data (`layouts/*.yaml`, each with samples) in a fixed order, most specific first: a line is read by the first that
reads it whole, whatever was read before it, so that no cut of a file changes how its lines are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from attrs import field, frozen

from statemachines.logs.levels import level_of
from statemachines.logs.patterns import Reader, compile_pattern
from statemachines.logs.times import TIME, Moment, read_time

_TIME = re.compile(TIME)


class LayoutError(ValueError):
    """A layout file that cannot be used; the message says why."""


@frozen(slots=True)
class Reading:
    """What a layout read from one line."""

    layout: str
    message: str
    """The first line of the message."""
    moment: Moment | None = None
    level: str | None = None
    logger: str | None = None
    thread: str | None = None
    rest: tuple[str, ...] = ()
    """The message's other lines, where one physical line holds them all (JSON)."""
    tail: re.Pattern[str] | None = None
    """What may still stand at the end of a later line of the message."""


@frozen(slots=True)
class TextLayout:
    """A layout of text lines."""

    name: str
    reader: Reader
    multiline: bool = False
    """Reads the first line of a message whose tail (the logger) stands at the end of a later line."""
    samples: tuple[Mapping[str, Any], ...] = field(default=(), eq=False)

    def read(self, text: str, lead: tuple[int, Moment] | None) -> Reading | None:
        """Read a line.

        Args:
            text: the line without prefixes and colours.
            lead: where the time that begins the line ends, and that time; None where none begins it.
        """
        if (lead is None) is not (self.reader.lead is None):
            return None
        found = self.reader.head.match(text, lead[0] if lead else 0)
        if not found:
            return None
        told = found.groupdict()
        moment = lead[1] if lead else read_time(told["time"]) if told.get("time") else None
        if moment is None and told.get("time"):
            return None
        return self._ended(told, moment)

    def _ended(self, told: dict[str, Any], moment: Moment | None) -> Reading | None:
        """Take off what follows the message, or leave it for the record's later lines."""
        message, tail = told["message"], self.reader.tail
        if tail:
            ending = tail.search(message)
            if (ending is None) is not self.multiline:
                return None
            if ending:
                message, tail = message[: ending.start()], None
                told.update(ending.groupdict())
        thread = told.get("thread")
        return Reading(
            self.name, message.rstrip(), moment, level_of(told.get("level")), told.get("logger"), thread.strip() if thread else None, (), tail
        )


@frozen(slots=True)
class JsonLayout:
    """A layout of lines that are one JSON object each."""

    name: str
    keys: Mapping[str, tuple[str, ...]]
    """For message, time, level, logger, thread and stack: the keys to look at, first one wins; dots go into nested objects."""
    when: tuple[str, ...]
    """Keys that an object of this layout has."""
    samples: tuple[Mapping[str, Any], ...] = field(default=(), eq=False)

    def read(self, told: Mapping[str, Any]) -> Reading | None:
        """Read a line's object; None where it is of another layout."""
        if any(_look(told, key) is None for key in self.when):
            return None
        message = self._first(told, "message")
        if not isinstance(message, str):
            return None
        lines = message.split("\n")
        return Reading(
            self.name,
            lines[0].strip(),
            _json_time(self._first(told, "time")),
            level_of(self._first(told, "level")),
            _text(self._first(told, "logger")),
            _text(self._first(told, "thread")),
            (*lines[1:], *_stack(self._first(told, "stack")))[:200],
        )

    def _first(self, told: Mapping[str, Any], what: str) -> object:
        return next((value for key in self.keys.get(what, ()) if (value := _look(told, key)) is not None), None)


def _look(told: Mapping[str, Any], key: str) -> object:
    """The value of a key; a dotted one also inside nested objects."""
    if key in told:
        return told[key]
    outer, dot, inner = key.partition(".")
    nested = told.get(outer) if dot else None
    return _look(nested, inner) if isinstance(nested, dict) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _stack(value: object) -> list[str]:
    return value.rstrip("\n").split("\n") if isinstance(value, str) and value else []


def _json_time(value: object) -> Moment | None:
    """A text in any form; a number as epoch seconds, milliseconds, microseconds or nanoseconds, by its size; an `instant` of log4j2."""
    if isinstance(value, str):
        return read_time(value.strip())
    if isinstance(value, dict) and isinstance(value.get("epochSecond"), int):
        return Moment(value["epochSecond"] * 1000 + int(value.get("nanoOfSecond", 0)) // 1_000_000, zoned=True)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e20:
        return None
    for size, scale in ((1e11, 1000), (1e14, 1), (1e17, 1e-3)):
        if value < size:
            return Moment(int(value * scale), zoned=True)
    return Moment(int(value) // 1_000_000, zoned=True)


@frozen(slots=True)
class Layouts:
    """An ordered list of layouts."""

    texts: tuple[TextLayout, ...]
    jsons: tuple[JsonLayout, ...] = ()

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
        lead = _lead(text)
        return next((reading for layout in self.texts if (reading := layout.read(text, lead.get(layout.reader.lead or "") if layout.reader.lead is not None else None))), None)

    def named(self, names: Sequence[str]) -> Layouts:
        """Only the layouts of these names, in the order of the list."""
        known = {layout.name for layout in (*self.texts, *self.jsons)}
        missing = [name for name in names if name not in known]
        if missing:
            raise LayoutError(f"no layout is called {missing[0]!r}; there are {', '.join(sorted(known))}")
        return Layouts(tuple(x for x in self.texts if x.name in names), tuple(x for x in self.jsons if x.name in names))

    def before(self, other: Layouts) -> Layouts:
        """These layouts, then those of `other`."""
        return Layouts(self.texts + other.texts, self.jsons + other.jsons)


@lru_cache(maxsize=8)
def json_object(text: str) -> dict[str, Any] | None:
    """The object that a line is; None for any other line. Must not be changed: several readers look at the same one."""
    try:
        told = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _lead(text: str) -> dict[str, tuple[int, Moment]]:
    """The time that begins a line, by the literal that stands before it."""
    literal = "[" if text.startswith("[") else ""
    found = _TIME.match(text, len(literal))
    moment = read_time(found[0]) if found else None
    return {literal: (found.end(), moment)} if found and moment else {}


@cache
def default_layouts() -> Layouts:
    """The layouts that are shipped."""
    folder = resources.files("statemachines.logs") / "layouts"
    loaded = [load_layouts((folder / name).read_text(encoding="utf-8"), name) for name in ("text.yaml", "json.yaml")]
    return loaded[0].before(loaded[1])


def load_layout_file(path: str | Path) -> Layouts:
    """Load a user's own layouts.

    Args:
        path: a YAML file with a list `layouts`, each `{name, pattern}` or `{name, json: {message: key, time: key, …}}`.

    Raises:
        LayoutError: for a file that cannot be read or used; the message names the layout.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise LayoutError(f"{path}: {error}") from error
    return load_layouts(text, str(path))


def load_layouts(text: str, where: str) -> Layouts:
    """Load layouts from YAML text; `where` is what messages call it."""
    try:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise LayoutError(f"{where}: {error}") from error
    rows = document.get("layouts") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise LayoutError(f"{where}: a layout file is a mapping with a list 'layouts'")
    made = list(_made(rows, where))
    return Layouts(tuple(x for x in made if isinstance(x, TextLayout)), tuple(x for x in made if isinstance(x, JsonLayout)))


def _made(rows: list[Any], where: str) -> Iterator[TextLayout | JsonLayout]:
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise LayoutError(f"{where}: each layout has a 'name' and a 'pattern' or 'json': {str(row)[:80]!r}")
        samples = tuple(row.get("samples") or ())
        if isinstance(row.get("pattern"), str):
            try:
                yield TextLayout(row["name"], compile_pattern(row["pattern"]), bool(row.get("multiline")), samples)
            except ValueError as error:
                raise LayoutError(f"{where}: layout {row['name']!r}: {error}") from error
        elif isinstance(row.get("json"), dict):
            keys = {what: _keys(value) for what, value in row["json"].items()}
            yield JsonLayout(row["name"], keys, _keys(row.get("when")), samples)
        else:
            raise LayoutError(f"{where}: layout {row['name']!r} has neither 'pattern' nor 'json'")


def _keys(value: Any) -> tuple[str, ...]:
    return tuple(str(key) for key in value) if isinstance(value, list) else (str(value),) if value is not None else ()
