"""Conversion patterns, as log4j, log4j2 and logback files write them, to regular expressions.

A layout is declared by the very pattern that the program was configured with (`%d{ISO8601} [%t]
%-5p %c - %m%n`), so that a user copies it from the program's configuration. A pattern is read more
loosely than it would be written: `%d` reads every form of time, blanks may be more, padding is
taken off.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import takewhile

from statemachines.logs.fields.date_patterns import DateReader
from statemachines.logs.fields.log_times import (
    DAMAGED_TIME_PATTERN,
    DAMAGED_TIME_REGEX,
    TIME_PATTERN,
    TIME_REGEX,
)
from statemachines.logs.layouts.conversion_parts import PatternError, PatternPart, parse_pattern
from statemachines.logs.layouts.conversion_regexes import (
    AFTER_NO_BLANK,
    parts_regex,
    possessive_blanks,
)
from statemachines.model.values import frozen

_DAMAGED_OR_READABLE_TIME = rf"(?:{DAMAGED_TIME_REGEX}|{TIME_REGEX})"
_LONGEST_TIME_CHARACTERS = 200
"""No time is longer; a bound, so that a long line is not searched in every way."""


def _begins_with_any_time(text: str, lead: str) -> bool:
    """Tell whether a line begins with a literal and a time, readable or damaged."""
    at = len(lead)
    return text.startswith(lead) and bool(
        DAMAGED_TIME_PATTERN.match(text, at) or TIME_PATTERN.match(text, at)
    )


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

        Cost: an expression takes up to some milliseconds to compile, which most layouts are spared:
        a line without a literal of theirs, or refused by their outline, is refused by the whole.

        Args:
            text: the line without prefixes and colours.
            start: 0-based place behind the leading time.

        Returns:
            The match, with a group for each conversion that tells something; None where the line is
            another's.
        """
        if not self._has_literals(text):
            return None
        if self.has_time and not self._outline.match(text, start):
            return None
        return self.head.match(text, start)

    def _has_literals(self, text: str) -> bool:
        return all(map(text.__contains__, self._literals))

    @cached_property
    def _literals(self) -> tuple[str, ...]:
        """What stands before the message as it is written; a dash may be another one."""
        head = takewhile(lambda part: part.is_literal or part.content != "message", self.parts)
        texts = (part.content for part in head if part.is_literal and part.content.strip() != "-")
        return tuple(dict.fromkeys(word for text in texts for word in text.split(" ") if word))

    @cached_property
    def _outline(self) -> re.Pattern[str]:
        """The head with anything in place of the time: what the head matches, it matches too."""
        anything = f".{{0,{_LONGEST_TIME_CHARACTERS}}}?"
        return re.compile(self.head_source.replace(TIME_REGEX, anything), re.DOTALL)

    def match_untimed(self, text: str) -> re.Match[str] | None:
        """Match a line in which a damaged time stands in place of the time; as soon as
        `match_head`.

        Args:
            text: the line without prefixes and colours.

        Returns:
            As of `match_head`.
        """
        may_match = self._has_literals(text) and (
            self.has_time and self._outline.match(text)
            if self.lead is None
            else _begins_with_any_time(text, self.lead)
        )
        return self.untimed.match(text) if may_match and self.untimed else None

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

    Returns:
        What reads lines by it.

    Raises:
        PatternError: for an unknown conversion, a variable, or a pattern without message.

    Source: the manuals of Log4j 2 (Pattern Layout) and Logback (PatternLayout).
    """
    if "${" in pattern:
        raise PatternError(f"{pattern!r} has a variable: write what it stands for")
    parts = list(parse_pattern(pattern))
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
    source = parts_regex(head, qualified=qualified) + " *(?P<message>.*)"
    tail = _without_trailing_blanks(tail)
    ending = parts_regex(tail, qualified=qualified) + " *$" if tail else None
    fields = [part.content for part in head if not part.is_literal]
    is_bare = lead is not None and not fields and ending is None
    return CompiledPattern(
        lead,
        possessive_blanks(source),
        ending and AFTER_NO_BLANK + possessive_blanks(ending),
        is_bare,
        "time" in fields,
        tuple(parts),
    )


def mismatch(reader: CompiledPattern, text: str) -> tuple[int, str]:
    """Say how far a pattern reads a line that it does not read whole.

    Args:
        reader: a compiled pattern.
        text: a line.

    Returns:
        The 0-based place in the text at which it stops, and what was expected there, in words.
    """
    best, wanted = 0, reader.parts[0] if reader.parts else PatternPart("message", False)
    for count in range(1, len(reader.parts)):
        source = parts_regex(reader.parts[:count])
        if match := re.compile(source, re.DOTALL).match(text):
            best, wanted = match.end(), reader.parts[count]
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
