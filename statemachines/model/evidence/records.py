"""A log entry as it was read, before anyone knows what it means."""

from __future__ import annotations

from statemachines.model.values import frozen


@frozen(slots=True)
class Record:
    """One log entry.

    A record is decided from its own text and what stands right before it, never from where a piece
    of the file began.
    """

    line: int
    """1-based line of its first line, counted from the start of the piece that was scanned."""
    offset: int
    """Byte offset of its first line in the uncompressed, UTF-8 form of the file."""
    text: str
    """The whole first line as it stands in the file (prefixes too), without its line end; bad bytes
    as U+FFFD.
    """
    message: str
    """The first line of the message, prefix and layout taken off, trailing blanks off."""
    layout: str
    """Name of the layout that read it; `plain` where none did."""
    following_lines: tuple[str, ...] = ()
    """The following lines of the message and of a stack trace, prefixes taken off; at most 200."""
    at_ms: int | None = None
    """Epoch milliseconds, taking an unknown zone as UTC; None without any time.

    Where `dated` is false: milliseconds since the midnight before the first such time of its
    process in the piece.
    """
    dated: bool = True
    zoned: bool = False
    """Whether the time tells its zone."""
    level: str | None = None
    """TRACE, DEBUG, INFO, WARN, ERROR or FATAL."""
    logger: str | None = None
    """As written: full, abbreviated or a class name."""
    thread: str | None = None
    process: str | None = None
    """What a prefix says of the process (container, pod, host), None without prefix."""
    is_trailing_exception: bool = False
    """Whether it is no log entry of its own but an exception that stands below one, whose time and
    process it has.
    """
    is_cut: bool = False
    """Whether the file ends where its message does, without an end: more of it may be to come."""
    is_continuation: bool = False
    """Whether it is no log entry of its own but another line below one, which holds a word that was
    looked for.
    """
