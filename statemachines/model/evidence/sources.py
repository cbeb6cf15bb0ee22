"""What a check read: its files, and the releases that wrote them."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.model.evidence.quotes import Instant
from statemachines.model.values import frozen

KEPT_APART = "--separate keeps several systems apart"
"""How a problem ends that says that a process is told of in several folders."""

ENDS_EARLY = "before the others"
"""How a doubt ends that says that a process logs nothing any more, and others do."""


@frozen
class SourceSummary:
    """A file that was read."""

    file: str
    layout: str | None
    level: Mapping[str, str]
    """Logger and the quietest level that it showed."""
    zone: str
    process: tuple[str, ...]
    lines: int
    unread_lines: int
    first: Instant | None
    last: Instant | None
    problems: tuple[str, ...] = ()


@frozen
class ProcessReleases:
    """The releases that fit a process, and how that is known."""

    process: str
    releases: str
    """As the notation writes ranges."""
    how: str
    """`given`, `banner`, `banner <number>`, `lines`, `assumed`."""
    from_line: int | None = None
    """Where a later banner takes over."""
    family: str = ""
    from_file: str | None = None
    """The file of `from_line`."""
    from_ms: int | None = None
    """When the later banner took over."""
