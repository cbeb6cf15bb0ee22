"""Levels of rows under one packing, and in another one."""

from __future__ import annotations

from attrs import evolve, frozen

from statemachines.explore.arrays.packing import Packing, RowCodes, repacked
from statemachines.explore.arrays.row_expansion import ArrayExpansion, KnownSteps
from statemachines.explore.visited.row_store import RowStore, StoredRows, joined_rows

Hits = dict[int, tuple[int, RowCodes]]
"""Goal to the level where it was first met, and the rows there that meet it, or that a step leaves
that does.
"""


@frozen(eq=False)
class PackedLevels:
    """What a packing is part of: replaced as a whole, so that an interrupt finds either all of the
    old or all of the new.
    """

    packing: Packing
    levels: list[StoredRows]
    hits: Hits
    expansion: ArrayExpansion

    def repacked(
        self, packing: Packing, known: KnownSteps, store: RowStore, many: int
    ) -> PackedLevels:
        """Return the same in another packing, so many rows at once; the old ones are let go of."""
        levels = list[StoredRows]()
        for level in self.levels:
            levels.append(self.repacked_rows(level, packing, store, many))
            store.forget(level)
        hits = {
            goal: (level, repacked(self.packing, codes, packing))
            for goal, (level, codes) in self.hits.items()
        }
        return evolve(
            self, packing=packing, levels=levels, hits=hits, expansion=known.expansion(packing)
        )

    def repacked_rows(
        self, rows: StoredRows, packing: Packing, store: RowStore, many: int
    ) -> StoredRows:
        """Return rows in another packing, so many at once."""
        return joined_rows(
            store.keep(repacked(self.packing, codes, packing)) for codes in rows.chunks(many)
        )
