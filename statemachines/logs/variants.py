"""The ways in which JSON may write a literal."""

from __future__ import annotations

import json
import re
from itertools import product

_ESCAPED = {
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
_MOST = 16
_SHORTEST = 4
"""A part that is shorter would find nearly every line."""


def variants(literal: bytes) -> tuple[bytes, ...]:
    """The texts that a literal may be written as, by a program or by a JSON encoder (also one inside another).

    A literal that could be written in too many ways is cut to its longest part that cannot be escaped: that part finds
    more lines, never fewer.
    """
    ways = [_ESCAPED.get(bytes([byte]), (bytes([byte]),)) if byte < 128 else None for byte in literal]
    count = 1
    for way in ways:
        count *= len(way) if way else _MOST + 1
    if count <= _MOST:
        return tuple(b"".join(parts) for parts in product(*(way for way in ways if way)))
    longest = max(_plain_parts(literal), key=len)
    return (longest,) if len(longest) >= _SHORTEST else _encoded(literal)


def _encoded(literal: bytes) -> tuple[bytes, ...]:
    """As it is, and as JSON writes it where every letter beyond ASCII is escaped."""
    escaped = json.dumps(literal.decode("utf-8", "replace"))[1:-1].encode()
    capital = re.sub(rb"\\u....", lambda found: b"\\u" + found[0][2:].upper(), escaped)
    return tuple(sorted({literal, escaped, capital}))


def _plain_parts(literal: bytes) -> list[bytes]:
    plain = bytes(byte if byte < 128 and bytes([byte]) not in _ESCAPED else 10 for byte in literal)
    return plain.split(b"\n")
