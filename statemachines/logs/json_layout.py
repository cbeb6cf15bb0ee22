"""Layouts of lines that are one JSON object each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from attrs import field, frozen

from statemachines.logs.levels import level_of
from statemachines.logs.reading import Reading, with_plain_blanks
from statemachines.logs.times import Moment, read_time

_MOST = 200
"""Lines of a message and its stack trace that are kept."""
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a character that two escapes tell."""
_PAIR = re.compile(r'"([^"\\]{1,64})"\s*:\s*(?:("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false)|"((?:[^"\\]|\\.)*)$)')


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
        if any(look_up(told, key) is None for key in self.when):
            return None
        message = self._first(told, "message")
        if message is None:
            return None
        lines = (message if isinstance(message, str) else json.dumps(message, separators=(",", ":"), ensure_ascii=False)).split("\n")
        return Reading(
            self.name,
            with_plain_blanks(lines[0]).strip(),
            _json_time(self._first(told, "time")),
            level_of(self._first(told, "level")),
            _text(self._first(told, "logger")),
            _text(self._first(told, "thread")),
            (*lines[1:], *_stack(self._first(told, "stack")))[:_MOST],
        )

    def _first(self, told: Mapping[str, Any], what: str) -> object:
        return next((value for key in self.keys.get(what, ()) if (value := look_up(told, key)) is not None), None)


def look_up(told: Mapping[str, Any], key: str) -> object:
    """The value of a key; a dotted one also inside nested objects."""
    if key in told:
        return told[key]
    outer, dot, inner = key.partition(".")
    nested = told.get(outer) if dot else None
    return look_up(nested, inner) if isinstance(nested, dict) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _stack(value: object) -> list[str]:
    return value.rstrip("\n").split("\n") if isinstance(value, str) and value else []


def _json_time(value: object) -> Moment | None:
    """A text in any form; a number as epoch seconds, milliseconds, microseconds or nanoseconds, by its size; an `instant` of log4j2."""
    if isinstance(value, str):
        return read_time(value.strip())
    if isinstance(value, dict):
        return _instant(value.get("epochSecond"), value.get("nanoOfSecond", 0))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e20:
        return None
    for size, scale in ((1e11, 1000), (1e14, 1), (1e17, 1e-3)):
        if value < size:
            return Moment(int(value * scale), zoned=True)
    return Moment(int(value) // 1_000_000, zoned=True)


def _instant(second: object, nano: object) -> Moment | None:
    if not isinstance(second, int) or not isinstance(nano, int) or not 0 <= second < 1e11 or not 0 <= nano < 1e9:
        return None
    return Moment(second * 1000 + nano // 1_000_000, zoned=True)


@lru_cache(maxsize=8)
def json_object(text: str) -> dict[str, Any] | None:
    """The object that a line is, or begins to be where the line was cut; None for any other line.

    Must not be changed: several readers look at the same one.
    """
    try:
        told = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _cut_object(text)
    return _readable(text, told) if isinstance(told, dict) else None


def _readable(text: str, told: dict[str, Any]) -> dict[str, Any]:
    """Put U+FFFD where an escape tells half of a character: a message that was cut to a length may end in one, and no file can hold it."""
    if "\\ud" not in text and "\\uD" not in text:
        return told
    sound: dict[str, Any] = json.loads(_HALF.sub("\ufffd", json.dumps(told, ensure_ascii=False)))
    return sound


def _cut_object(text: str) -> dict[str, Any] | None:
    """The plain values of an object that is not whole: of a line that was cut, or is longer than what is looked at."""
    told: dict[str, Any] = {}
    for name, value, unfinished in _PAIR.findall(text) if text.startswith('{"') else ():
        try:
            told.setdefault(name, json.loads(value or f'"{unfinished}"', strict=False))
        except ValueError:
            continue
    return _readable(text, told) if len(told) > 1 else None
