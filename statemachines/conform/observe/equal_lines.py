"""Notes of the lines of one piece which of them are the second of two that are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b

from statemachines.conform.interchange.doubled_lines import EqualLines, LineEdges, LineSignature
from statemachines.conform.interchange.profiles import UnitProfile
from statemachines.model.values import define

_DIGEST_BYTES = 16


@define
class _EqualRun:
    """Equal lines, as far as they were met."""

    first: int
    last: int
    text: str
    prefix: str | None
    signatures: tuple[LineSignature, ...]

    def lines(self) -> EqualLines:
        digest = blake2b(self.text.encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).digest()
        return EqualLines(self.first, self.last, digest, self.prefix, self.signatures)


class EqualLineCounter:
    """Takes the lines that are observed, those of each process in their order.

    Complexity: a comparison a line; one text of each process is kept.
    """

    def __init__(self) -> None:
        self._first: _EqualRun | None = None
        self._last = dict[str | None, _EqualRun]()
        """By process: where lines are wrapped, a block is read process by process."""

    def take(
        self, number: int, text: str, prefix: str | None, signatures: tuple[LineSignature, ...]
    ) -> bool:
        """Take one line, and say whether it is the second of a pair."""
        last = self._last.get(prefix)
        if last and (last.last, last.text) == (number - 1, text):
            last.last = number
            return (number - last.first) % 2 == 1
        self._last[prefix] = _EqualRun(number, number, text, prefix, signatures)
        if number == 1:
            self._first = self._last[prefix]
        return False

    def take_all(
        self,
        numbers: Sequence[int],
        repeating: Iterable[int],
        line_at: Callable[[int], tuple[str, tuple[LineSignature, ...]]],
        prefix: str | None,
        unit: UnitProfile,
    ) -> None:
        """Take many lines of one process.

        Args:
            numbers: of the lines.
            repeating: the places among them of those that are the same as the line directly before
                them, in order.
            line_at: returns the text of the line at a place, and what reads it.
            prefix: of the process.
            unit: its profile, in which seconds of pairs are counted.
        """
        text, signatures = line_at(0)
        if self.take(numbers[0], text, prefix, signatures):
            unit.doubled.update(signatures)
        begun = self._last[prefix]
        first, before, end = begun.first, 0, len(numbers) - 1
        for place in repeating:
            if place > before + 1:
                first = numbers[place - 1]
            elif first == begun.first:
                begun.last = numbers[place]
            before = place
            if (numbers[place] - first) % 2 == 1:
                unit.doubled.update(line_at(place)[1])
        if before < end:
            first = numbers[end]
        if first > begun.first:
            text, signatures = line_at(end)
            self._last[prefix] = _EqualRun(first, numbers[end], text, prefix, signatures)

    def edges(self, lines: int) -> LineEdges:
        """Return the ends of the piece, which has so many lines."""
        latest = max(self._last.values(), key=lambda run: run.last, default=None)
        ends = (run.lines() if run is not None else None for run in (self._first, latest))
        return LineEdges(lines, *ends)
