"""Conversion patterns, as log4j, log4j2 and logback files write them, to regular expressions.

A layout is declared by the very pattern that the program was configured with (`%d{ISO8601} [%t]
%-5p %c - %m%n`), so that a user copies it from the program's configuration. A pattern is read more
loosely than it would be written: `%d` reads every form of time, blanks may be more, padding is
taken off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property

from attrs import frozen

from statemachines.logs.fields.date_patterns import DateReader, make_date_reader
from statemachines.logs.fields.levels import LEVEL_REGEX
from statemachines.logs.fields.log_times import DAMAGED_TIME_REGEX, TIME_REGEX

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
_LOGGER_REGEX = r"[A-Za-z_$][\w$./@-]*(?:::[\w$]+)*"
_DASH_REGEX = "(?:--?|[\u2013\u2014])"
"""One, two, or one that a word processor made: which it is differs from release to release of a
layout.
"""
_LOCATION_REGEX = r"(?:(?::\d{1,9}| ?\([\w$.-]{1,200}:(?:\d{1,9}|\?)\)))?"
"""Where in the source a logger was called."""
_LOGGER_PLACEHOLDER = "\0logger\0"
_QUALIFIED_LOGGER_REGEX = (
    r"(?:[A-Za-z_$][\w$@/-]*\.[\w$./@-]+|[A-Z][^a-z\W]*[a-z][^A-Z\W]*[A-Z]\w*)"
)


_DAMAGED_OR_READABLE_TIME = rf"(?:{DAMAGED_TIME_REGEX}|{TIME_REGEX})"
_LONGEST_TIME_CHARACTERS = 200
"""No time is longer; a bound, so that a long line is not searched in every way."""


@cache
def _damaged_time_after(lead: str) -> re.Pattern[str]:
    """The beginning of all lines that have a damaged time behind this literal."""
    return re.compile(re.escape(lead) + _DAMAGED_OR_READABLE_TIME, re.DOTALL)


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


@frozen
class CompiledPattern:
    """What a conversion pattern became; the expressions are compiled when they are first needed."""

    lead: str | None
    """The literal before a time that begins the line (nothing or a bracket); None where the line
    begins otherwise.
    """
    head_source: str
    tail_source: str | None
    is_bare: bool
    """Whether nothing but a time that begins the line stands before the message, and nothing after
    it.
    """
    has_time: bool
    """Whether the time stands elsewhere than at the beginning of the line."""
    parts: tuple[PatternPart, ...] = ()
    """Of which it was made, in the order of the pattern."""

    @cached_property
    def date(self) -> DateReader | None:
        """Reads its times, where their form is asked for."""
        return next((part.date for part in self.parts if part.date), None)

    @cached_property
    def head(self) -> re.Pattern[str]:
        """From after the leading time (else from the line's beginning) to the message, which is the
        group `message`.
        """
        return re.compile(self.head_source, re.DOTALL)

    def match_head(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Match a line from after its leading time, or from `start`, to its message.

        Cost: an expression with a time in it takes milliseconds to compile, which most lines are
        spared: what its outline refuses, it refuses.
        """
        if self.has_time and not self._outline.match(text, start):
            return None
        return self.head.match(text, start)

    @cached_property
    def _outline(self) -> re.Pattern[str]:
        """The head with anything in place of the time: what the head matches, it matches too."""
        anything = f".{{0,{_LONGEST_TIME_CHARACTERS}}}?"
        return re.compile(self.head_source.replace(TIME_REGEX, anything), re.DOTALL)

    def match_untimed(self, text: str) -> re.Match[str] | None:
        """Match a line in which a damaged time stands in place of the time; as soon as
        `match_head`.
        """
        outline = self._outline if self.lead is None else _damaged_time_after(self.lead)
        return self.untimed.match(text) if outline.match(text) and self.untimed else None

    @cached_property
    def untimed(self) -> re.Pattern[str] | None:
        """From the line's beginning to the message where a damaged time stands in place of the
        time; None where no time stands.
        """
        if self.lead is None and not self.has_time:
            return None
        if self.lead is not None:
            source = re.escape(self.lead) + _DAMAGED_OR_READABLE_TIME + self.head_source
        else:
            source = self.head_source.replace(TIME_REGEX, _DAMAGED_OR_READABLE_TIME)
        return re.compile(source, re.DOTALL)

    @cached_property
    def tail(self) -> re.Pattern[str] | None:
        """What follows the message, at the end of its last line; None where nothing does."""
        return re.compile(self.tail_source, re.DOTALL) if self.tail_source else None


def compile_pattern(pattern: str, *, qualified: bool = False) -> CompiledPattern:
    """Compile a conversion pattern.

    Args:
        pattern: as in the program's configuration; without variables (`${…}`), which only the
            program can fill in.
        qualified: a logger has a dot or a capital inside its name.

    Raises:
        PatternError: for an unknown conversion, a variable, or a pattern without message.
    """
    if "${" in pattern:
        raise PatternError(f"{pattern!r} has a variable: write what it stands for")
    parts = list(_merge_literals(_pattern_parts(pattern)))
    at = next(
        (i for i, part in enumerate(parts) if not part.is_literal and part.content == "message"),
        None,
    )
    if at is None:
        raise PatternError(f"{pattern!r} has no message (%m)")
    lead, head = _split_lead(parts[:at])
    tail = [
        part for part in parts[at + 1 :] if part.is_literal or part.content not in ("end", "thrown")
    ]
    source = _parts_regex(head) + " *(?P<message>.*)"
    logger = _QUALIFIED_LOGGER_REGEX if qualified else _LOGGER_REGEX
    ending = (
        _parts_regex(_without_trailing_blanks(tail)) + " *$"
        if _without_trailing_blanks(tail)
        else None
    )
    fields = [part.content for part in head if not part.is_literal]
    is_bare = lead is not None and not fields and ending is None
    return CompiledPattern(
        lead,
        _possessive_blanks(source).replace(_LOGGER_PLACEHOLDER, logger),
        ending
        and _AFTER_NO_BLANK + _possessive_blanks(ending).replace(_LOGGER_PLACEHOLDER, logger),
        is_bare,
        "time" in fields,
        tuple(parts),
    )


_BLANK_RUNS = re.compile(r"(?: \*|\[ \t\][*+])+")
_AFTER_NO_BLANK = r"(?!(?<=[ \t])[ \t])"
"""Where a search for an ending begins: at the first of some blanks or behind the last, so that a
run of them is gone through once.
"""


def _possessive_blanks(source: str) -> str:
    """Let each run of blanks be taken whole and at once: nothing that follows begins with one.

    Otherwise a line of a hundred thousand blanks is divided among the parts of a pattern in every
    way, which takes hours.
    """
    return _BLANK_RUNS.sub(lambda found: "[ \t]++" if "+" in found[0] else "[ \t]*+", source)


def mismatch(reader: CompiledPattern, text: str) -> tuple[int, str]:
    """Say how far a pattern reads a line that it does not read whole.

    Returns:
        The 0-based place in the text at which it stops, and what was expected there, in words.
    """
    best, wanted = 0, reader.parts[0] if reader.parts else PatternPart("message", False)
    for count in range(1, len(reader.parts)):
        source = _parts_regex(list(reader.parts[:count])).replace(
            _LOGGER_PLACEHOLDER, _LOGGER_REGEX
        )
        if found := re.compile(source, re.DOTALL).match(text):
            best, wanted = found.end(), reader.parts[count]
    return best, f"{wanted.content!r}" if wanted.is_literal else wanted.description


def _split_lead(head: list[PatternPart]) -> tuple[str | None, list[PatternPart]]:
    if any(part.date for part in head):
        return None, head
    if head and not head[0].is_literal and head[0].content == "time":
        return "", head[1:]
    if (
        len(head) > 1
        and head[0].is_literal
        and head[0].content == "["
        and head[1].content == "time"
    ):
        return "[", head[2:]
    return None, head


def _without_trailing_blanks(parts: list[PatternPart]) -> list[PatternPart]:
    """Without trailing blanks."""
    while parts and parts[-1].is_literal and not parts[-1].content.strip():
        parts = parts[:-1]
    return parts


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
    found = _OPTIONS.match(pattern, at)
    return found.end() if found else at


def _parse_conversion(pattern: str, at: int) -> tuple[PatternPart | None, int]:
    """The conversion at a place and where it ends; None for the beginning of a group such as
    `%highlight(`.
    """
    found = _CONVERSION.match(pattern, at)
    word = (found["word"] or "") if found else ""
    if found and found["group"] and word in _GROUP_WORDS:
        return None, found.end()
    if not found or word not in _KIND_BY_WORD:
        raise PatternError(f"{pattern!r}: unknown conversion {pattern[at : at + 12]!r}")
    date = make_date_reader(found["options"]) if _KIND_BY_WORD[word] == "time" else None
    is_cut = found["pad"] in (".1", ".-1")
    return PatternPart(
        _KIND_BY_WORD[word], False, bool(found["pad"]), is_cut, found[0], date
    ), found.end() - len(found["group"] or "")


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


def _parts_regex(parts: list[PatternPart]) -> str:
    out = ""
    for i, part in enumerate(parts):
        before = parts[i - 1] if i else None
        after = parts[i + 1] if i + 1 < len(parts) else None
        out += (
            _literal_regex(part.content, before, after)
            if part.is_literal
            else _REGEX_WRITERS[part.content](part, before, after)
        )
    return _with_unique_groups(out)


def _with_unique_groups(source: str) -> str:
    """A conversion that comes again is read again, and what it told first counts."""
    seen: set[str] = set()

    def name(found: re.Match[str]) -> str:
        again = found[1] in seen
        seen.add(found[1])
        return "(?:" if again else found[0]

    return re.sub(r"\(\?P<(\w+)>", name, source)


def _literal_regex(text: str, before: PatternPart | None, after: PatternPart | None) -> str:
    parts = re.split(r"( +)", text)
    return "".join(
        (
            _blank_regex(before, after)
            if part.startswith(" ")
            else _DASH_REGEX
            if part == "-" and text.strip() == "-"
            else re.escape(part)
        )
        for part in parts
    )


def _blank_regex(before: PatternPart | None, after: PatternPart | None) -> str:
    loose = any(part is not None and part.content == "any" for part in (before, after))
    return "[ \t]*" if loose else "[ \t]+"


def _padded_writer(
    source: str,
) -> Callable[[PatternPart, PatternPart | None, PatternPart | None], str]:
    def expression(part: PatternPart, before: PatternPart | None, after: PatternPart | None) -> str:
        return f" *{source} *" if part.is_padded else source

    return expression


def _thread_regex(part: PatternPart, before: PatternPart | None, after: PatternPart | None) -> str:
    """Thread names may hold blanks and bars; what encloses or ends them may not stand in them."""
    opening = before.content[-1:] if before and before.is_literal else ""
    closing = after.content.strip()[:1] if after and after.is_literal else ""
    if (opening, closing) in (("[", "]"), ("(", ")"), ("<", ">")):
        return rf"(?P<thread>[^\{closing}]*)"
    if closing and closing in "|;,":
        return rf"(?P<thread>[^{re.escape(closing)}]*?)"
    return r"(?P<thread>.*?)" if opening in ("[", "(") else r"(?P<thread>\S+)"


def _context_regex(part: PatternPart, before: PatternPart | None, after: PatternPart | None) -> str:
    """Contexts stand in brackets of their own, unless the pattern puts brackets around them."""
    closing = after.content[:1] if after and after.is_literal else ""
    if closing == ">":
        return r"[^<>]*(?:<[^<>]*>[^<>]*)?"
    return (
        rf"[^\{closing}]*"
        if closing and closing in "])}"
        else r"(?:\[[^\]]*\]|\{[^}]*\}|\([^)]*\))?"
    )


def _time_regex(part: PatternPart, before: PatternPart | None, after: PatternPart | None) -> str:
    source = rf"(?P<time>{part.date.source if part.date else TIME_REGEX})"
    return f" *{source} *" if part.is_padded else source


def _level_regex(part: PatternPart, before: PatternPart | None, after: PatternPart | None) -> str:
    source = "(?P<level>[A-Z])" if part.is_one_letter else rf"(?P<level>{LEVEL_REGEX})"
    return f" *{source} *" if part.is_padded and not part.is_one_letter else source


_REGEX_WRITERS: dict[str, Callable[[PatternPart, PatternPart | None, PatternPart | None], str]] = {
    "time": _time_regex,
    "level": _level_regex,
    "logger": _padded_writer(rf"(?P<logger>{_LOGGER_PLACEHOLDER}){_LOCATION_REGEX}"),
    "thread": _thread_regex,
    "number": _padded_writer(r"(?:\d+|\?|-)?"),
    "word": _padded_writer(r"[^\s|\]]*"),
    "any": _context_regex,
    "end": _padded_writer(""),
    "thrown": _padded_writer(""),
    "message": _padded_writer("(?:.*)"),
}
