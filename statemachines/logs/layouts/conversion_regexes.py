"""Regular expressions for the parts of a conversion pattern, a writer a kind of conversion.

A pattern is read more loosely than it would be written: `%d` reads every form of time, blanks may
be more, padding is taken off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from statemachines.logs.fields.levels import LEVEL_REGEX
from statemachines.logs.fields.log_times import TIME_REGEX
from statemachines.logs.layouts.conversion_parts import PatternPart

_RegexWriter = Callable[["PatternPart", "PatternPart | None", "PatternPart | None"], str]
"""Writes a part, which stands between two others."""
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

_BLANK_RUNS = re.compile(r"(?: \*|\[ \t\][*+])+")
AFTER_NO_BLANK = r"(?!(?<=[ \t])[ \t])"
"""Where a search for an ending begins: at the first of some blanks or behind the last, so that a
run of them is gone through once.
"""


def possessive_blanks(source: str) -> str:
    """Let each run of blanks be taken whole and at once: nothing that follows begins with one.

    Otherwise a line of a hundred thousand blanks is divided among the parts of a pattern in every
    way, which takes hours.

    Args:
        source: of a regular expression.

    Returns:
        An expression that matches the same lines.
    """
    return _BLANK_RUNS.sub(lambda match: "[ \t]++" if "+" in match[0] else "[ \t]*+", source)


def parts_regex(parts: Sequence[PatternPart], *, qualified: bool = False) -> str:
    """Return the expression that reads some parts of a pattern one after the other.

    Args:
        parts: in the order of the pattern.
        qualified: a logger has a dot or a capital inside its name.

    Returns:
        The source of a regular expression with named groups.
    """
    out = ""
    for i, part in enumerate(parts):
        before = parts[i - 1] if i else None
        after = parts[i + 1] if i + 1 < len(parts) else None
        out += (
            _literal_regex(part.content, before, after)
            if part.is_literal
            else _REGEX_WRITERS[part.content](part, before, after)
        )
    logger = _QUALIFIED_LOGGER_REGEX if qualified else _LOGGER_REGEX
    return _with_unique_groups(out).replace(_LOGGER_PLACEHOLDER, logger)


def _with_unique_groups(source: str) -> str:
    """A conversion that comes again is read again, and what it told first counts."""
    named: set[str] = set()

    def name(match: re.Match[str]) -> str:
        again = match[1] in named
        named.add(match[1])
        return "(?:" if again else match[0]

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


def _padded_writer(source: str) -> _RegexWriter:
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


_REGEX_WRITERS: dict[str, _RegexWriter] = {
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
