"""Layouts of lines that are one JSON object each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from attrs import field

from statemachines.logs.fields.levels import parse_level
from statemachines.logs.fields.log_times import Timestamp, parse_time
from statemachines.logs.layouts.parsed_lines import ParsedLine, normalise_blanks
from statemachines.model.late_patterns import late_pattern
from statemachines.model.values import frozen

_MOST_NESTED = 4
"""How deep the program's object may lie in those that tools put around it."""
_MOST_MESSAGE_LINES = 200
"""Lines of a message and its stack trace that are kept."""
_LONE_SURROGATE = late_pattern("[\ud800-\udfff]")
"""Half of a character that two escapes tell."""
_DECODER = json.JSONDecoder(strict=False)
_HOLE = late_pattern(r"\{[@$]?(\w{1,100})(?:[,:][^{}]{0,100})?\}")
"""Where a value stands in a message template (messagetemplates.org)."""
INSTANT_PATTERN = late_pattern(
    r'"epochSecond"\s{0,4}:\s{0,4}(?P<seconds>\d{10}),\s{0,4}'
    r'"nanoOfSecond"\s{0,4}:\s{0,4}(?P<nanos>\d{1,9})(?!\d)'
)
"""An `instant` of log4j2 as it stands in a line."""
_LEVEL_DIGITS = r'"(?:[^"\\]{1,40}\.)?(?:%s)"\s{0,4}:\s{0,4}"?[-A-Za-z]{0,9}(?P<digits>\d{1,18})'
_DIGITS_IN_KEY = late_pattern(r'\d[^"\\]{0,64}"\s{0,4}:')
_STRING = late_pattern(r'"(?:[^"\\]|\\.)*"')
_NUMBER = late_pattern(r"(?<![\d.eE+-])\d(?=\d)|(?<=-)\d(?=\d)")
_OBJECTS_TOO = ("message", "time", "values")
"""What may be told by an object."""
_POWERSHELL_TIME = late_pattern(r"/Date\((\d{1,15})\)/")
_JSON_PAIR = late_pattern(
    r'"([^"\\]{1,64})"\s*:\s*(?:("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false)|"((?:[^"\\]|\\.)*)$)'
)


@frozen(slots=True)
class JsonLayout:
    """A layout of lines that are one JSON object each."""

    name: str
    keys: Mapping[str, tuple[str, ...]]
    """For message, template, values, time, level, logger, thread and stack: the keys to look at,
    first one wins; dots go into nested objects.
    """
    required_keys: tuple[str, ...]
    """Keys that an object of this layout has."""
    samples: tuple[Mapping[str, Any], ...] = field(default=(), eq=False)

    def read(self, values: Mapping[str, Any]) -> ParsedLine | None:
        """Read a line's object; None where it is of another layout.

        Args:
            values: the line's object.

        Returns:
            Time, level, logger and message.
        """
        if any(value_at_key(values, key) is None for key in self.required_keys):
            return None
        message = self._first_value(values, "message") or self._filled_template(values)
        if message is None:
            return None
        lines = (
            (
                message
                if isinstance(message, str)
                else json.dumps(message, separators=(",", ":"), ensure_ascii=False)
            )
            .rstrip("\n")
            .split("\n")
        )
        return ParsedLine(
            self.name,
            normalise_blanks(lines[0]).strip(),
            _parse_json_time(self._first_value(values, "time")),
            parse_level(self._first_value(values, "level")),
            _text_or_none(self._first_value(values, "logger")),
            _text_or_none(self._first_value(values, "thread")),
            (*lines[1:], *_stack_lines(self._first_value(values, "stack")))[:_MOST_MESSAGE_LINES],
        )

    def _filled_template(self, values: Mapping[str, Any]) -> str | None:
        """The message of a program that logs its template and the values beside it."""
        template = self._first_value(values, "template")
        if not isinstance(template, str):
            return None
        inner = self._first_value(values, "values")
        filling = {**values, **inner} if isinstance(inner, dict) else values
        return _HOLE.sub(lambda hole: str(filling.get(hole[1], hole[0])), template)

    def _first_value(self, values: Mapping[str, Any], what: str) -> object:
        """The value of the first key that an object has; of the layout that requires no key also
        one inside nested objects, where a tool put its own object around the program's.
        """
        objects = (values,) if self.required_keys else with_nested(values)
        return next(
            (
                value
                for mapping in objects
                for key in self.keys.get(what, ())
                if (value := value_at_key(mapping, key)) is not None
                and (not isinstance(value, dict) or what in _OBJECTS_TOO)
            ),
            None,
        )


def with_nested(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield an object, then those inside it, outer ones first.

    Args:
        values: an object of a line.

    Yields:
        Objects, at most as deep as they are written.
    """
    level = [values]
    for _ in range(_MOST_NESTED):
        yield from level
        level = [inner for outer in level for inner in outer.values() if isinstance(inner, dict)]


def value_at_key(values: Mapping[str, Any], key: str) -> object:
    """The value of a key; a dotted one also inside nested objects.

    Args:
        values: an object.
        key: as written, or names between dots.

    Returns:
        The value; None where there is none.
    """
    if key in values:
        return values[key]
    outer, dot, inner = key.partition(".")
    nested = values.get(outer) if dot else None
    return value_at_key(nested, inner) if isinstance(nested, dict) else None


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _stack_lines(value: object) -> list[str]:
    return value.rstrip("\n").split("\n") if isinstance(value, str) and value else []


def _parse_json_time(value: object) -> Timestamp | None:
    """A text in any form; a number as epoch seconds, milliseconds, microseconds or nanoseconds, by
    its size, also quoted or as PowerShell writes it; an `instant` of log4j2.
    """
    if isinstance(value, str) and (match := _POWERSHELL_TIME.fullmatch(value)):
        value = int(match[1])
    if isinstance(value, str) and value.isdecimal() and 14 < len(value) < 20:
        value = int(value)
    if isinstance(value, str):
        return parse_time(value.strip())
    if isinstance(value, dict):
        return _parse_instant(value.get("epochSecond"), value.get("nanoOfSecond", 0))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e20:
        return None
    for size, scale in ((1e11, 1000), (1e14, 1), (1e17, 1e-3)):
        if value < size:
            return Timestamp(int(value * scale), zoned=True)
    return Timestamp(int(value) // 1_000_000, zoned=True)


def parse_instant_text(text: str) -> Timestamp | None:
    """Read what an `instant` of log4j2 holds.

    Args:
        text: what `INSTANT_PATTERN` fits.

    Returns:
        The moment; None for another text.
    """
    match = INSTANT_PATTERN.fullmatch(text)
    return _parse_instant(int(match["seconds"]), int(match["nanos"])) if match else None


def may_be_told_by_digits(text: str) -> bool:
    """Say whether digits of a line's object may decide how it is read: those of escapes and of
    keys.

    Args:
        text: a line that is an object.

    Returns:
        False where all digits stand in values.
    """
    return "\\u" in text or _DIGITS_IN_KEY.search(text) is not None


def number_starts(text: str) -> frozenset[int]:
    """Return where in a line's object the numbers begin that have several digits: no zero may stand
    there.

    Args:
        text: a line that is an object.

    Returns:
        0-based places.
    """
    bare = _STRING.sub(lambda string: "_" * len(string[0]), text)
    return frozenset(match.start() for match in _NUMBER.finditer(bare))


def level_digits(layouts: Iterable[JsonLayout], text: str) -> frozenset[int]:
    """Return where in a line's object digits stand that tell a level.

    Args:
        layouts: that may read it.
        text: the line.

    Returns:
        0-based places.
    """
    keys = {key.rpartition(".")[2] for layout in layouts for key in layout.keys.get("level", ())}
    pattern = _LEVEL_DIGITS % "|".join(map(re.escape, sorted(keys)))
    matches = re.finditer(pattern, text) if keys else ()
    return frozenset(place for match in matches for place in range(*match.span("digits")))


def _parse_instant(second: object, nano: object) -> Timestamp | None:
    """Numbers, or texts of digits as a record of YAML has them."""
    texts = (str(second), str(nano))
    if not all(text.isdecimal() and len(text) < 12 for text in texts):
        return None
    seconds, nanos = map(int, texts)
    return (
        Timestamp(seconds * 1000 + nanos // 1_000_000, zoned=True)
        if seconds < 1e11 and nanos < 1e9
        else None
    )


@lru_cache(maxsize=8)
def parse_json_line(text: str) -> dict[str, Any] | None:
    """The object that a line is, or begins to be where the line was cut; None for any other line.

    Must not be changed: several readers look at the same one.
    """
    try:
        values = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        values = _first_object(text)
        if values is None:
            return _parse_cut_object(text)
    return _without_lone_surrogates(text, values) if isinstance(values, dict) else None


def _first_object(text: str) -> object:
    """The object with which a line begins; None where it is not whole, and no object where another
    one follows: a line is one record, and no second one may get lost.
    """
    try:
        values, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return () if "{" in text[end:] else values


def _without_lone_surrogates(text: str, values: dict[str, Any]) -> dict[str, Any]:
    """Put U+FFFD where an escape tells half of a character: a message that was cut to a length may
    end in one, and no file can hold it.
    """
    if "\\ud" not in text and "\\uD" not in text:
        return values
    sound: dict[str, Any] = json.loads(
        _LONE_SURROGATE.sub("\ufffd", json.dumps(values, ensure_ascii=False))
    )
    return sound


def _parse_cut_object(text: str) -> dict[str, Any] | None:
    """The plain values of an object that is not whole: of a line that was cut, or is longer than
    what is looked at.
    """
    values: dict[str, Any] = {}
    for name, value, unfinished in _JSON_PAIR.findall(text) if text.startswith('{"') else ():
        try:
            values.setdefault(name, json.loads(value or f'"{unfinished}"', strict=False))
        except ValueError:
            continue
    return _without_lone_surrogates(text, values) if len(values) > 1 else None
