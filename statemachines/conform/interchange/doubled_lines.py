"""Lines that stand twice, one directly behind the other, as two appenders of one logger write them:
counted in the pieces of a file, however it is cut.
"""

from __future__ import annotations

from typing import NamedTuple


class LineSignature(NamedTuple):
    """A kind of line that was read: by whom, by which entries, in which releases such a line
    exists.
    """

    owner: int
    entries: tuple[int, ...]
    releases: int


class EqualLines(NamedTuple):
    """Lines that are the same, time and all, and stand one directly behind the other."""

    first: int
    last: int
    """Their numbers."""
    digest: bytes
    """Of their text."""
    prefix: str | None
    """Of their process."""
    signatures: tuple[LineSignature, ...]

    def moved(self, lines: int) -> EqualLines:
        """Return the same lines behind so many others."""
        return self._replace(first=self.first + lines, last=self.last + lines)

    @property
    def is_odd(self) -> bool:
        """Whether the last of them is not the second of a pair."""
        return (self.last - self.first) % 2 == 0


class LineEdges(NamedTuple):
    """The equal lines at both ends of a piece, which may go on beyond it."""

    lines: int = 0
    """How many the piece has."""
    first: EqualLines | None = None
    """Those that begin with its first line; None where that was not observed."""
    last: EqualLines | None = None
    """Those that were observed last."""

    def touching(self, after: LineEdges) -> EqualLines | None:
        """Return the equal lines at the end of this piece and the beginning of the next one, as
        they stand in both together; None where they are not the same.
        """
        left, right = self.last, after.first
        if left is None or right is None or left.last != self.lines or left[2:4] != right[2:4]:
            return None
        return right._replace(first=left.first, last=right.last + self.lines)

    def parted_pair(self, after: LineEdges) -> EqualLines | None:
        """Return the equal lines of which one of a pair stands at the end of this piece and the
        other at the beginning of the next one.
        """
        across = self.touching(after)
        is_parted = across and self.last and self.last.is_odd and after.first and after.first.is_odd
        return across if is_parted else None

    def followed_by(self, after: LineEdges) -> LineEdges:
        """Return the ends of both pieces together; associative, with `LineEdges()` as the empty
        piece.
        """
        across, first = self.touching(after), self.first
        last = self.last if after.last is None else after.last.moved(self.lines)
        if across is not None and after.last == after.first:
            last = across
        if across is not None and self.last == self.first:
            first = across
        if not self.lines:
            first = after.first
        return LineEdges(self.lines + after.lines, first, last)
