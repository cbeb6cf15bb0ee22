"""Lines that a container's tool cut into parts: a word of the line may stand in none of them."""

from __future__ import annotations

import re

from statemachines.logs.search.byte_search import find_bytes

_PARTS = (b" stdout P ", b" stderr P ")
"""What says of a part that it goes on in the next line of its stream, as Kubernetes writes them."""
_STREAM = b'","stream":"std'
_WHOLE = b'\\n","stream":"std'
"""Docker writes the line feed at the end of a whole line into its object, and none at the end of a
part.
"""
_SHORTEST_PART = 16_384
"""Bytes of a part that Docker cut off."""
_MARKED = re.compile(rb' std(?:out|err) P |(?<!\\n)(?P<docker>","stream":"std)')


def cut_line_starts(data: bytes) -> list[int]:
    """Return where the lines begin that may be parts and go on in a later line, in order.

    Args:
        data: whole lines.

    Returns:
        0-based places; a line that only looks so may be among them.

    >>> cut_line_starts(b"a stdout F x\\nb stdout P y\\nc stdout F z\\n")
    [13]
    """
    has_parts = any(find_bytes(data, text) >= 0 for text in _PARTS)
    if not has_parts and data.count(_STREAM) == data.count(_WHOLE):
        return []
    return sorted({start for sign in _MARKED.finditer(data) if (start := _part_start(sign)) >= 0})


def _part_start(sign: re.Match[bytes]) -> int:
    """Return where the line of a sign begins; -1 where it is too short to have been cut."""
    start = sign.string.rfind(b"\n", 0, sign.start()) + 1
    return -1 if sign["docker"] and sign.start() - start < _SHORTEST_PART else start
