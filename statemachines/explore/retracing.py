"""From levels of rows back to the way that a search row by row would have met first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define

from statemachines.explore.columns import Row
from statemachines.explore.distinct import distinct
from statemachines.explore.expanding import Expansion
from statemachines.explore.lookups import Array
from statemachines.explore.packing import Codes
from statemachines.explore.search import Goal, Path
from statemachines.explore.world import World

PIECE = 1 << 16
"""Rows that are worked on at once."""


@define(eq=False)
class Retrace:
    """The levels of a search, gone through backwards."""

    numpy: Any
    world: World
    expansion: Expansion
    levels: Sequence[Codes]

    def path(self, goal: Goal, level: int, codes: Codes) -> Path:
        """Return the way to a goal that `search` would have met first: at each step the first one that may still get there.

        Args:
            goal: that was met.
            level: where it was first met.
            codes: all rows there that meet it, or that a step leaves that does.
        """
        ways = [codes]
        for rows in reversed(self.levels[:level]):
            ways.append(self.leading(rows, ways[-1]))
        ways.reverse()
        found = [self.first(self.world.begins, ways[0])]
        for way in ways[1:]:
            found.append(self.first((after for _, _, after in self.world.steps(found[-1])), way))
        return self.ended(goal, found)

    def leading(self, codes: Codes, good: Codes) -> Codes:
        """Return the rows of a level from which a step leads to one of the good ones."""
        found = [codes[:0]]
        for begin in range(0, len(codes), PIECE):
            found += self._leading(self.expansion.inside(codes[begin : begin + PIECE]), good)
        return distinct(self.numpy, self.numpy.concatenate(found))

    def _leading(self, codes: Codes, good: Codes) -> Iterator[Codes]:
        expansion = self.expansion
        for copy in range(self.world.copies):
            for steps in expansion.steps:
                for sources, after in expansion.taken(steps, codes, steps.places(codes, copy), copy):
                    yield (codes if sources is None else codes.take(sources))[self._among(after, good)]
            for moves in expansion.moves:
                for rows, found, after in expansion.pairs(moves, codes, copy):
                    yield rows[found.sources[self._among(after, good)]]

    def _among(self, codes: Codes, good: Codes) -> Array:
        """Tell of each row whether it is a good one; these are sorted."""
        if not len(good):
            return self.numpy.zeros(len(codes), dtype=bool)
        return good.take(self.numpy.minimum(self.numpy.searchsorted(good, codes), len(good) - 1)) == codes

    def first(self, rows: Sequence[Row] | Iterator[Row], good: Codes) -> Row:
        """Return the first good row."""
        wanted = set(good.tolist())
        return next(row for row in rows if self.expansion.packing.code(row) in wanted)

    def ended(self, goal: Goal, rows: list[Row]) -> Path:
        """Return a way with what follows its last row."""
        if goal.step is not None:
            after = next(after for _, _, after in self.world.steps(rows[-1]) if goal.step(rows[-1], after))
            return Path(tuple(rows), after)
        if goal.fault:
            event = next(event for event in self.world.events if event.doings(rows[-1]).wrong)
            arguments, said = event.doings(rows[-1]).wrong[0]
            return Path(tuple(rows), None, event.rule.event, arguments, said)
        return Path(tuple(rows))
