"""Where something was written: carried along, never part of what it means."""

from __future__ import annotations

from attrs import frozen


@frozen
class Span:
    """A stretch of one line of a spec file."""

    file: str
    line: int
    """1-based."""
    column: int
    """1-based, in characters."""
    length: int = 1
    """In characters; at least 1."""
