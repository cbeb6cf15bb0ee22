"""Which of many literals a message holds: one pass over it where google-re2 is there, one test a
literal elsewhere; which literals find all lines that a set finds; and as what each may be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, reduce
from itertools import chain, product
from typing import Any

_PartVariants = Sequence[tuple[bytes, ...]]
"""For each part of a literal in turn, what it may be written as."""

_JSON_SPELLINGS = {
    b'"': (b'"', b'\\"', b'\\\\\\"', b"\\u0022"),
    b"\\": (b"\\", b"\\\\", b"\\\\\\\\"),
    b"/": (b"/", b"\\/"),
    b"\t": (b"\t", b"\\t", b"\\\\t"),
    b"<": (b"<", b"\\u003c", b"\\u003C"),
    b">": (b">", b"\\u003e", b"\\u003E"),
    b"=": (b"=", b"\\u003d", b"\\u003D"),
    b"&": (b"&", b"\\u0026"),
    b"'": (b"'", b"\\u0027"),
}
"""What encoders write for a byte, also one encoder inside another."""
_SPELLED_OTHERWISE = re.compile(b"[" + b"".join(map(re.escape, _JSON_SPELLINGS)) + rb"\x80-\xff]")
"""What may stand in a literal that is written in several ways."""
_BYTE_REGEXES = tuple(
    chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\x{byte:02x}" for byte in range(256)
)
_MOST_VARIANTS = 100
_SHORTEST_PART = 4
"""A part that is shorter would find nearly every line."""


def _part_variants(literal: bytes) -> _PartVariants:
    """How a program, or a JSON encoder (also one inside another), may write a literal.

    A literal that could be written in too many ways, or with escapes for letters beyond ASCII, is
    cut to its longest part that cannot be escaped: that part finds more lines, never fewer.
    """
    parts = [_JSON_SPELLINGS.get(bytes([byte]), (bytes([byte]),)) for byte in literal]
    if (
        max(literal) < 128
        and reduce(lambda count, part: count * len(part), parts, 1) <= _MOST_VARIANTS
    ):
        return parts
    longest = max(_unescapable_parts(literal), key=len)
    return [(longest,)] if len(longest) >= _SHORTEST_PART else [_escaped_variants(literal)]


def _unescapable_parts(literal: bytes) -> list[bytes]:
    plain = bytes(
        byte if byte < 128 and bytes([byte]) not in _JSON_SPELLINGS else 10 for byte in literal
    )
    return plain.split(b"\n")


def _escaped_variants(literal: bytes) -> tuple[bytes, ...]:
    """As it is, and as JSON writes it where every letter beyond ASCII is escaped."""
    escaped = json.dumps(literal.decode("utf-8", "replace"))[1:-1].encode()
    capital = re.sub(rb"\\u....", lambda match: b"\\u" + match[0][2:].upper(), escaped)
    return tuple(sorted({literal, escaped, capital, escaped.replace(b"\\", b"\\\\")}))


def literal_variants(literal: bytes) -> tuple[bytes, ...]:
    """Every text that a literal may be written as.

    Args:
        literal: as a spec writes it, in UTF-8.

    Returns:
        Texts of which every record that holds it holds one; where they would be many, the longest
        part that is never escaped.
    """
    if not _SPELLED_OTHERWISE.search(literal):
        return (literal,)
    return tuple(b"".join(parts) for parts in product(*_part_variants(literal)))


def variants_regex(literal: bytes) -> str:
    """A regular expression of RE2 over bytes (Latin-1) for the same texts.

    Args:
        literal: as a spec writes it, in UTF-8.

    Returns:
        The source of the expression.
    """
    if not _SPELLED_OTHERWISE.search(literal):
        return _byte_regex(literal)
    return "".join(map(_part_regex, _part_variants(literal)))


@cache
def _part_regex(part: tuple[bytes, ...]) -> str:
    """One of some texts; most parts are the same few bytes."""
    return "|".join(map(_byte_regex, part)).join(("(?:", ")") if len(part) > 1 else ("", ""))


def _byte_regex(text: bytes) -> str:
    return "".join([_BYTE_REGEXES[byte] for byte in text])


_TEXTS = 8
"""Texts of which it is remembered what they hold: one line is asked about several times."""
_FIRST_TEXTS = 100
"""Texts that are asked with Python alone: to prepare more takes as long as asking three times as
many.
"""


_SETS = 4
"""Sets that stay compiled: who checks again and again has the same ones."""


class LiteralSet:
    """A set of texts to look for, in an order of their own."""

    def __init__(self, literals: Sequence[str], *, fast: bool = True) -> None:
        """Prepare the search.

        Args:
            fast: whether google-re2 may be used; the answer is the same.
        """
        self._literals, self._fast, self._texts_seen = tuple(literals), fast, 0
        self._find_once = lru_cache(_TEXTS)(self._find)

    def found_in(self, text: str) -> Sequence[str]:
        """Return the literals that a text holds, in their order.

        Args:
            text: that is searched.

        Returns:
            Literals, each once.
        """
        return self._find_once(text)

    def _find(self, text: str) -> Sequence[str]:
        self._texts_seen += 1
        if self._texts_seen <= _FIRST_TEXTS or self._compiled is None:
            return [literal for literal in self._literals if literal in text]
        return [self._literals[index] for index in sorted(self._compiled.Match(text) or ())]

    @cached_property
    def _compiled(self) -> Any:
        return _compile_set(self._literals) if self._fast else None


@lru_cache(_SETS)
def _compile_set(literals: tuple[str, ...]) -> Any:
    try:
        import re2
    except ImportError:
        return None
    if not literals:
        return None
    searched = re2.Set.SearchSet()
    for literal in literals:
        searched.Add(re2.escape(literal))
    searched.Compile()
    return searched


def checked_literals(literals: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return literals that a line can hold.

    Args:
        literals: parts of one line each, in UTF-8.

    Returns:
        Each once, in order of their bytes.

    Raises:
        ValueError: one is empty, or holds a line feed.
    """
    ordered = sorted(set(literals))
    for literal in ordered:
        if not literal or b"\n" in literal:
            raise ValueError(f"a literal is a part of one line, not {literal!r}")
    return tuple(ordered)


def minimal_literals(literals: Iterable[bytes]) -> tuple[bytes, ...]:
    """Drop every literal that contains another, and sort the others.

    Args:
        literals: parts of one line each, in UTF-8.

    Returns:
        The shortest ones, in order of their bytes.

    Raises:
        ValueError: one is empty, or holds a line feed.
    """
    ordered = sorted(checked_literals(literals), key=lambda text: (len(text), text))
    size = len(ordered[0]) if ordered else 0
    by_beginning: dict[bytes, tuple[bytes, ...]] = {}
    for literal in ordered:
        if not _holds_one(literal, size, by_beginning):
            head = literal[:size]
            by_beginning[head] = (*by_beginning.get(head, ()), literal)
    return tuple(sorted(chain.from_iterable(by_beginning.values())))


def _holds_one(text: bytes, size: int, by_beginning: Mapping[bytes, tuple[bytes, ...]]) -> bool:
    """Say whether a text holds one of some, each told by its first bytes."""
    heads = [text[at : at + size] for at in range(len(text) - size + 1)]
    places = [at for at, head in enumerate(heads) if head in by_beginning]
    return any(text.startswith(by_beginning[heads[at]], at) for at in places)
