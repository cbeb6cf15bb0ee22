"""Records that hold none of the words that are looked for: nothing can read them, and they are not
lost in silence.
"""

from __future__ import annotations

from typing import NamedTuple


class UnreadRecord(NamedTuple):
    """A record of a known logger that nothing can read, for it holds none of the words."""

    process: str | None
    logger: str
    line: int
    text: str


class LoudRecord(NamedTuple):
    """A record at WARN, ERROR or FATAL that none of the words hit: nobody knows what it says."""

    process: str | None
    at_ms: int | None
    dated: bool
    line: int
    text: str
    message: str
    level: str
