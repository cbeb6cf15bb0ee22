"""Conversion patterns, as log4j, log4j2 and logback files write them, to regular expressions.

A layout is declared by the very pattern that the program was configured with (`%d{ISO8601} [%t] %-5p %c - %m%n`), so
that a user copies it from the program's configuration. A pattern is read more loosely than it would be written: `%d`
reads every form of time, blanks may be more, padding is taken off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from attrs import frozen

from statemachines.logs.dates import DateReader, date_reader
from statemachines.logs.levels import LEVEL
from statemachines.logs.times import DAMAGED_TIME, TIME

_CONVERSION = re.compile(r"%(?P<pad>-?\d*(?:\.-?\d+)?)(?P<word>[A-Za-z]+)?(?P<options>(?:\{[^{}]*\})*)(?P<group>\()?")
_OPTIONS = re.compile(r"(?:\{[^{}]*\})*")
_WORDS = {
    "time": "d date", "level": "p le level", "logger": "c lo logger", "thread": "t tn thread threadName",
    "message": "m msg message s", "end": "n", "thrown": "ex xEx xThrowable wEx wex rEx exception throwable xwEx e nopex nopexception",
    "number": "L line r relative sn pid processId PID T tid threadId", "word": "C class M method F file h host marker level_value",
    "any": "x NDC X mdc MDC kvp notEmpty",
}  # fmt: skip
_KIND = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_IN_WORDS = {"any": "context", "end": "line end", "thrown": "stack trace"}
_GROUPS = {"", "highlight", "clr", "style", "replace", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "gray"} | {
    f"bold{colour}" for colour in ("Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White")
}
_LOGGER = r"[A-Za-z_$][\w$./@-]*"
_DASHES = "(?:--?|[\u2013\u2014])"
"""One, two, or one that a word processor made: which it is differs from release to release of a layout."""
_LOCATION = r"(?:(?::\d{1,9}| ?\([\w$.-]{1,200}:(?:\d{1,9}|\?)\)))?"
"""Where in the source a logger was called."""
_LOGGER_MARK = "\0logger\0"
_QUALIFIED = r"(?:[A-Za-z_$][\w$@/-]*\.[\w$./@-]+|[A-Z]\w*[a-z]\w*[A-Z]\w*)"


class PatternError(ValueError):
    """A conversion pattern that cannot be read back; the message says what of it."""


@frozen(slots=True)
class Piece:
    """A part of a conversion pattern: a literal text, or a conversion (then `text` is the kind)."""

    text: str
    is_literal: bool
    padded: bool = False
    cut: bool = False
    """Cut to one letter, as `%.-1p` is."""
    written: str = ""
    """As the pattern has it."""
    date: DateReader | None = None
    """Of a time whose form is asked for."""

    @property
    def what(self) -> str:
        """What it reads, in words."""
        return f"a {_IN_WORDS.get(self.text, self.text)} ({self.written})"


@frozen
class Reader:
    """What a conversion pattern became; the expressions are compiled when they are first needed."""

    lead: str | None
    """The literal before a time that begins the line (nothing or a bracket); None where the line begins otherwise."""
    head_source: str
    tail_source: str | None
    is_bare: bool
    """Whether nothing but a time that begins the line stands before the message, and nothing after it."""
    has_time: bool
    """Whether the time stands elsewhere than at the beginning of the line."""
    pieces: tuple[Piece, ...] = ()
    """Of which it was made, in the order of the pattern."""

    @cached_property
    def date(self) -> DateReader | None:
        """Reads its times, where their form is asked for."""
        return next((piece.date for piece in self.pieces if piece.date), None)

    @cached_property
    def head(self) -> re.Pattern[str]:
        """From after the leading time (else from the line's beginning) to the message, which is the group `message`."""
        return re.compile(self.head_source, re.DOTALL)

    @cached_property
    def untimed(self) -> re.Pattern[str] | None:
        """From the line's beginning to the message where a damaged time stands in place of the time; None where no time stands."""
        damaged = rf"(?:{DAMAGED_TIME}|{TIME})"
        if self.lead is not None:
            return re.compile(re.escape(self.lead) + damaged + self.head_source, re.DOTALL)
        return re.compile(self.head_source.replace(TIME, damaged), re.DOTALL) if self.has_time else None

    @cached_property
    def tail(self) -> re.Pattern[str] | None:
        """What follows the message, at the end of its last line; None where nothing does."""
        return re.compile(self.tail_source, re.DOTALL) if self.tail_source else None


def compile_pattern(pattern: str, *, qualified: bool = False) -> Reader:
    """Compile a conversion pattern.

    Args:
        pattern: as in the program's configuration; without variables (`${…}`), which only the program can fill in.
        qualified: a logger has a dot or a capital inside its name.

    Raises:
        PatternError: for an unknown conversion, a variable, or a pattern without message.
    """
    if "${" in pattern:
        raise PatternError(f"{pattern!r} has a variable: write what it stands for")
    pieces = list(_merged(_pieces(pattern)))
    at = next((i for i, piece in enumerate(pieces) if not piece.is_literal and piece.text == "message"), None)
    if at is None:
        raise PatternError(f"{pattern!r} has no message (%m)")
    lead, head = _split_lead(pieces[:at])
    tail = [piece for piece in pieces[at + 1 :] if piece.is_literal or piece.text not in ("end", "thrown")]
    source = _expression(head) + " *(?P<message>.*)"
    logger = _QUALIFIED if qualified else _LOGGER
    ending = _expression(_bare(tail)) + " *$" if _bare(tail) else None
    fields = [piece.text for piece in head if not piece.is_literal]
    is_bare = lead is not None and not fields and ending is None
    return Reader(
        lead,
        _once(source).replace(_LOGGER_MARK, logger),
        ending and _AFTER_NO_BLANK + _once(ending).replace(_LOGGER_MARK, logger),
        is_bare,
        "time" in fields,
        tuple(pieces),
    )


_BLANKS = re.compile(r"(?: \*|\[ \t\][*+])+")
_AFTER_NO_BLANK = r"(?!(?<=[ \t])[ \t])"
"""Where a search for an ending begins: at the first of some blanks or behind the last, so that a run of them is gone through once."""


def _once(source: str) -> str:
    """Let each run of blanks be taken whole and at once: nothing that follows begins with one.

    Otherwise a line of a hundred thousand blanks is divided among the parts of a pattern in every way, which takes hours.
    """
    return _BLANKS.sub(lambda found: "[ \t]++" if "+" in found[0] else "[ \t]*+", source)


def stopped(reader: Reader, text: str) -> tuple[int, str]:
    """Say how far a pattern reads a line that it does not read whole.

    Returns:
        The 0-based place in the text at which it stops, and what was expected there, in words.
    """
    best, wanted = 0, reader.pieces[0] if reader.pieces else Piece("message", False)
    for count in range(1, len(reader.pieces)):
        source = _expression(list(reader.pieces[:count])).replace(_LOGGER_MARK, _LOGGER)
        if found := re.compile(source, re.DOTALL).match(text):
            best, wanted = found.end(), reader.pieces[count]
    return best, f"{wanted.text!r}" if wanted.is_literal else wanted.what


def _split_lead(head: list[Piece]) -> tuple[str | None, list[Piece]]:
    if any(piece.date for piece in head):
        return None, head
    if head and not head[0].is_literal and head[0].text == "time":
        return "", head[1:]
    if len(head) > 1 and head[0].is_literal and head[0].text == "[" and head[1].text == "time":
        return "[", head[2:]
    return None, head


def _bare(pieces: list[Piece]) -> list[Piece]:
    """Without trailing blanks."""
    while pieces and pieces[-1].is_literal and not pieces[-1].text.strip():
        pieces = pieces[:-1]
    return pieces


def _pieces(pattern: str) -> Iterator[Piece]:
    at, depth = 0, 0
    while at < len(pattern):
        if pattern[at] == "\\":
            yield Piece(pattern[at + 1 : at + 2], True)
            at += 2
        elif pattern[at] == ")" and depth:
            depth, at = depth - 1, _past_options(pattern, at + 1)
        elif pattern[at] == "%":
            piece, at = _conversion(pattern, at)
            depth += piece is None
            yield from [piece] if piece else []
        else:
            yield Piece(pattern[at], True)
            at += 1


def _past_options(pattern: str, at: int) -> int:
    found = _OPTIONS.match(pattern, at)
    return found.end() if found else at


def _conversion(pattern: str, at: int) -> tuple[Piece | None, int]:
    """The conversion at a place and where it ends; None for the beginning of a group such as `%highlight(`."""
    found = _CONVERSION.match(pattern, at)
    word = (found["word"] or "") if found else ""
    if found and found["group"] and word in _GROUPS:
        return None, found.end()
    if not found or word not in _KIND:
        raise PatternError(f"{pattern!r}: unknown conversion {pattern[at : at + 12]!r}")
    date = date_reader(found["options"]) if _KIND[word] == "time" else None
    is_cut = found["pad"] in (".1", ".-1")
    return Piece(_KIND[word], False, bool(found["pad"]), is_cut, found[0], date), found.end() - len(found["group"] or "")


def _merged(pieces: Iterator[Piece]) -> Iterator[Piece]:
    literal = ""
    for piece in pieces:
        if piece.is_literal:
            literal += piece.text
            continue
        if literal:
            yield Piece(literal, True)
            literal = ""
        yield piece
    if literal:
        yield Piece(literal, True)


def _expression(pieces: list[Piece]) -> str:
    out = ""
    for i, piece in enumerate(pieces):
        before = pieces[i - 1] if i else None
        after = pieces[i + 1] if i + 1 < len(pieces) else None
        out += _literal(piece.text, before, after) if piece.is_literal else _FIELDS[piece.text](piece, before, after)
    return _named_once(out)


def _named_once(source: str) -> str:
    """A conversion that comes again is read again, and what it told first counts."""
    seen: set[str] = set()

    def name(found: re.Match[str]) -> str:
        again = found[1] in seen
        seen.add(found[1])
        return "(?:" if again else found[0]

    return re.sub(r"\(\?P<(\w+)>", name, source)


def _literal(text: str, before: Piece | None, after: Piece | None) -> str:
    parts = re.split(r"( +)", text)
    return "".join(
        _blanks(before, after) if part.startswith(" ") else _DASHES if part == "-" and text.strip() == "-" else re.escape(part)
        for part in parts
    )


def _blanks(before: Piece | None, after: Piece | None) -> str:
    loose = any(piece is not None and piece.text == "any" for piece in (before, after))
    return "[ \t]*" if loose else "[ \t]+"


def _padded(source: str) -> Callable[[Piece, Piece | None, Piece | None], str]:
    def expression(piece: Piece, before: Piece | None, after: Piece | None) -> str:
        return f" *{source} *" if piece.padded else source

    return expression


def _thread(piece: Piece, before: Piece | None, after: Piece | None) -> str:
    """Thread names may hold blanks and bars; what encloses or ends them may not stand in them."""
    opening = before.text[-1:] if before and before.is_literal else ""
    closing = after.text.strip()[:1] if after and after.is_literal else ""
    if (opening, closing) in (("[", "]"), ("(", ")")):
        return rf"(?P<thread>[^\{closing}]*)"
    if closing and closing in "|;,":
        return rf"(?P<thread>[^{re.escape(closing)}]*?)"
    return r"(?P<thread>.*?)" if opening in ("[", "(") else r"(?P<thread>\S+)"


def _any(piece: Piece, before: Piece | None, after: Piece | None) -> str:
    """Contexts stand in brackets of their own, unless the pattern puts brackets around them."""
    closing = after.text[:1] if after and after.is_literal else ""
    return rf"[^\{closing}]*" if closing and closing in "])}" else r"(?:\[[^\]]*\]|\{[^}]*\}|\([^)]*\))?"


def _time(piece: Piece, before: Piece | None, after: Piece | None) -> str:
    source = rf"(?P<time>{piece.date.source if piece.date else TIME})"
    return f" *{source} *" if piece.padded else source


def _level(piece: Piece, before: Piece | None, after: Piece | None) -> str:
    source = "(?P<level>[A-Z])" if piece.cut else rf"(?P<level>{LEVEL})"
    return f" *{source} *" if piece.padded and not piece.cut else source


_FIELDS: dict[str, Callable[[Piece, Piece | None, Piece | None], str]] = {
    "time": _time,
    "level": _level,
    "logger": _padded(rf"(?P<logger>{_LOGGER_MARK}){_LOCATION}"),
    "thread": _thread,
    "number": _padded(r"(?:\d+|\?|-)?"),
    "word": _padded(r"[^\s|\]]*"),
    "any": _any,
    "end": _padded(""),
    "thrown": _padded(""),
    "message": _padded("(?:.*)"),
}
