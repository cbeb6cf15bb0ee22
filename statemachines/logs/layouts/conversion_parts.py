"""The parts of a conversion pattern, as log4j, log4j2 and logback files write them: literal texts
and conversions such as `%-5p`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from statemachines.logs.fields.date_patterns import DateReader, make_date_reader
from statemachines.model.values import frozen

_CONVERSION = re.compile(
    r"%(?P<pad>-?\d*(?:\.-?\d+)?)(?P<word>[A-Za-z]+)?(?P<options>(?:\{[^{}]*\})*)(?P<group>\()?"
)
_OPTIONS = re.compile(r"(?:\{[^{}]*\})*")
_WORDS_BY_KIND = {
    "time": "d date", "level": "p le level", "logger": "c lo logger",
    "thread": "t tn thread threadName", "message": "m msg message s", "end": "n",
    "thrown": "ex xEx xThrowable wEx wex rEx exception throwable xwEx e nopex nopexception",
    "number": "L line r relative sn pid processId PID T tid threadId",
    "word": "C class M method F file h host marker level_value",
    "any": "x NDC X mdc MDC kvp notEmpty",
}  # fmt: skip
_KIND_BY_WORD = {word: kind for kind, words in _WORDS_BY_KIND.items() for word in words.split()}
_KIND_NAMES = {"any": "context", "end": "line end", "thrown": "stack trace"}
_GROUP_WORDS = {
    "",
    "highlight",
    "clr",
    "style",
    "replace",
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "gray",
} | {f"bold{colour}" for colour in ("Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White")}


class PatternError(ValueError):
    """A conversion pattern that cannot be read back; the message says what of it."""


@frozen(slots=True)
class PatternPart:
    """A part of a conversion pattern: a literal text, or a conversion (then `text` is the kind)."""

    content: str
    is_literal: bool
    is_padded: bool = False
    is_one_letter: bool = False
    """Cut to one letter, as `%.-1p` is."""
    source: str = ""
    """As the pattern has it."""
    date: DateReader | None = None
    """Of a time whose form is asked for."""

    @property
    def description(self) -> str:
        """What it reads, in words."""
        return f"a {_KIND_NAMES.get(self.content, self.content)} ({self.source})"


def parse_pattern(pattern: str) -> tuple[PatternPart, ...]:
    """Take a conversion pattern apart.

    Args:
        pattern: as in the program's configuration.

    Returns:
        Its conversions in their order, and one literal for each text between them.

    Raises:
        PatternError: for an unknown conversion.
    """
    return tuple(_merge_literals(_pattern_parts(pattern)))


def _pattern_parts(pattern: str) -> Iterator[PatternPart]:
    at, depth = 0, 0
    while at < len(pattern):
        if pattern[at] == "\\":
            yield PatternPart(pattern[at + 1 : at + 2], True)
            at += 2
        elif pattern[at] == ")" and depth:
            depth, at = depth - 1, _past_options(pattern, at + 1)
        elif pattern[at] == "%":
            part, at = _parse_conversion(pattern, at)
            depth += part is None
            yield from [part] if part else []
        else:
            yield PatternPart(pattern[at], True)
            at += 1


def _past_options(pattern: str, at: int) -> int:
    match = _OPTIONS.match(pattern, at)
    return match.end() if match else at


def _parse_conversion(pattern: str, at: int) -> tuple[PatternPart | None, int]:
    """The conversion at a place and where it ends; None for the beginning of a group such as
    `%highlight(`.
    """
    match = _CONVERSION.match(pattern, at)
    word = (match["word"] or "") if match else ""
    if match and match["group"] and word in _GROUP_WORDS:
        return None, match.end()
    if not match or word not in _KIND_BY_WORD:
        raise PatternError(f"{pattern!r}: unknown conversion {pattern[at : at + 12]!r}")
    date = make_date_reader(match["options"]) if _KIND_BY_WORD[word] == "time" else None
    is_cut = match["pad"] in (".1", ".-1")
    return PatternPart(
        _KIND_BY_WORD[word], False, bool(match["pad"]), is_cut, match[0], date
    ), match.end() - len(match["group"] or "")


def _merge_literals(parts: Iterator[PatternPart]) -> Iterator[PatternPart]:
    literal = ""
    for part in parts:
        if part.is_literal:
            literal += part.content
            continue
        if literal:
            yield PatternPart(literal, True)
            literal = ""
        yield part
    if literal:
        yield PatternPart(literal, True)
