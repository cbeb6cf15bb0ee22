"""Where a search on arrays can go on: before a level, or within one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import field, frozen

from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.checkpoints.checkpoint_files import Blobs, Checkpoint, PlainData
from statemachines.explore.visited.row_store import RowStore, StoredRows


@frozen(eq=False)
class LevelProgress:
    """How much of a level was done before: the search was stopped there, or ran out of bits."""

    expanded: int = 0
    """Rows whose steps were taken."""
    reached: frozenset[int] | None = None
    """The goals that were reached before the first of these steps; None: none was taken."""
    gathered: StoredRows = field(factory=StoredRows)
    """The rows that these steps lead to."""
    is_narrowed: bool = False
    """Whether some of them were left out, as there are too many: nothing is kept from then on."""


@frozen(eq=False)
class ResumePoint:
    """A search before some rows of a level are explored: all that its file keeps, whatever happens
    later.
    """

    packing: Packing
    levels: list[StoredRows]
    level_count: int
    """Of the levels: later ones are not known yet."""
    hits: dict[int, tuple[int, RowCodes]]
    transitions: int
    disabled: int
    left_range: bool
    progress: LevelProgress
    gathered: Callable[[], StoredRows]
    """The rows that steps of the last level lead to, as far as they were taken."""

    def as_stored(self, chunk_rows: int) -> tuple[PlainData, Blobs]:
        """Return what a file keeps of it.

        Args:
            chunk_rows: rows that are written at once.

        Returns:
            Plain data, and the rows: of all levels, and of the one that follows.
        """
        levels = self.levels[: self.level_count]
        reached = self.progress.reached
        stored = {
            "bits": self.packing.bits,
            "levels": [len(codes) for codes in levels],
            "met": [(goal, level, codes.tolist()) for goal, (level, codes) in self.hits.items()],
            "left": self.left_range,
            "expanded": self.progress.expanded,
            "reached_before": None if reached is None else sorted(reached),
            "transitions": self.transitions,
            "turned_down": self.disabled,
        }
        codes = (codes for level in levels for codes in level.chunks(chunk_rows))
        return stored, {"codes": codes, "following": self.gathered().chunks(chunk_rows)}


def restored_rows(
    numpy: Any, keep: Checkpoint, store: RowStore
) -> tuple[list[StoredRows], dict[int, tuple[int, RowCodes]], LevelProgress]:
    """Return the rows that a file keeps.

    Args:
        numpy: the package.
        keep: the file.
        store: where the rows lie from now on.

    Returns:
        The levels, the last of which is to be gone through; where goals were first met; and how
        much of the last level was done.
    """
    stored = keep.stored
    codes, following = (
        numpy.array(keep.blobs[name], dtype=numpy.int64) for name in ("codes", "following")
    )
    levels = [store.keep(part) for part in numpy.split(codes, numpy.cumsum(stored["levels"])[:-1])]
    hits = {
        goal: (level, numpy.array(rows, dtype=numpy.int64)) for goal, level, rows in stored["met"]
    }
    if (reached := stored["reached_before"]) is None:
        return levels, hits, LevelProgress()
    done = LevelProgress(stored["expanded"], frozenset(reached), store.keep(following))
    return levels, hits, done
