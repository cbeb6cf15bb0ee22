"""What is found in some rows of a level, and the steps from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import RowCodes


@define(eq=False)
class ChunkFindings:
    """What was found in some rows of a level."""

    transitions: int = 0
    disabled: int = 0
    hits: dict[int, list[RowCodes]] = field(factory=dict)
    """Goal to rows that meet it, or that a step leaves that does."""

    def add_hits(self, goal: int, codes: RowCodes) -> None:
        """Remember rows that meet a goal."""
        if len(codes):
            self.hits.setdefault(goal, []).append(codes)


LabelledSteps = Callable[[RowCodes], tuple[Array, Array, Array]]
"""Returns the steps from rows that change something, row by row, in the order in which a row has
them: the place of the row, the number of the row after it, and the label of the step.
"""
RowNumbers = Callable[[RowCodes], Array]
"""Returns the number of each of some rows."""
LABEL_BITS = 32
"""Bits of a label; those above number the event that a step is."""


@frozen(eq=False)
class StepBatch:
    """Steps of some rows that stand side by side among those that were given."""

    rows: RowCodes
    sources: Array
    """Of each step, the place of its row; None: it is one step of each row."""
    after: RowCodes
    """Of each step, the row after it."""
    transitions: int
    """Steps, with those that come to the same."""
    disabled: int
    faulty: RowCodes
    """Rows in which the spec is wrong."""
    begin: int = 0
    """Where the rows begin among those that were given."""
    changed: Array | None = None
    """By row: whether a step changes it, where that is known; None: each step is looked at."""

    @property
    def before(self) -> RowCodes:
        """Of each step, the row that it leaves."""
        return self.rows if self.sources is None else self.rows.take(self.sources)

    def note_changes(self, changed: Array) -> None:
        """Note which of all rows a step changes."""
        if self.changed is not None:
            changed[self.begin : self.begin + len(self.rows)] |= self.changed
        elif self.sources is None:
            changed[self.begin : self.begin + len(self.rows)] |= self.after != self.rows
        else:
            changed[self.begin + self.sources[self.after != self.before]] = True


def row_by_row(
    numpy: Any, pieces: Sequence[tuple[Array, Array, Array]]
) -> tuple[Array, Array, Array]:
    """Return steps with their labels as one: those of a row by their events, and those of an event
    in the order in which they come.
    """
    sources, after, labels = (numpy.concatenate(parts) for parts in zip(*pieces, strict=True))
    order = numpy.lexsort((labels >> LABEL_BITS, sources))
    labels = labels.take(order) & ((1 << LABEL_BITS) - 1)
    return sources.take(order), after.take(order), labels
