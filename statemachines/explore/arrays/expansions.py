"""All steps from many rows at once: what is alike of a machine with its copies, and of a system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from statemachines.explore.arrays.findings import (
    ChunkFindings,
    PendingGoals,
    add_deadlock_hits,
    add_row_hits,
)
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import AnyPacking, RowCodes
from statemachines.explore.models.model_protocol import Condition, Model
from statemachines.explore.visited.visited_rows import GatheredLevel


class ArrayExpansion(ABC):
    """The tables of a model under one packing."""

    __slots__ = ()

    numpy: Any
    model: Model
    packing: AnyPacking
    """Where each column lies within a number."""

    @property
    @abstractmethod
    def leaves_range(self) -> bool:
        """Whether some step has left the range that is explored of integers."""

    @property
    @abstractmethod
    def is_full(self) -> bool:
        """Whether what is remembered takes so much memory that it should be forgotten."""

    @abstractmethod
    def column_ids(self, codes: RowCodes, column: int, copy: int) -> Array:
        """Return the numbers in a column of a copy."""

    @abstractmethod
    def values(
        self, condition: Condition, codes: RowCodes, before: RowCodes | None = None
    ) -> Array:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""

    @abstractmethod
    def take_steps(
        self,
        codes: RowCodes,
        goals: PendingGoals,
        level: GatheredLevel,
        chunk: ChunkFindings,
        changed: Array,
        spend: Callable[[ChunkFindings], None],
    ) -> None:
        """Take all steps from rows from which a search goes on; `changed` notes the rows that some
        step changes, and is None where nobody asks.
        """

    @abstractmethod
    def steps(self, codes: RowCodes) -> Iterator[tuple[RowCodes, RowCodes]]:
        """Yield rows that steps leave, and those that they lead to; these may be gone through
        several times.
        """

    def within_range(self, codes: RowCodes) -> RowCodes:
        """Leave out rows in which an integer without bounds has left the range that is explored."""
        for column, one in enumerate(self.model.columns):
            if any(one.out_of_range):
                outside = self.numpy.array(one.out_of_range, dtype=bool)
                for copy in range(self.model.copies):
                    codes = codes[~outside[self.column_ids(codes, column, copy)]]
        return codes

    def within_constraint(self, codes: RowCodes) -> RowCodes:
        """Leave out rows beyond the state constraint."""
        for condition in self.model.state_constraints:
            codes = codes[self.values(condition, codes)]
        return codes

    def check_row_goals(self, codes: RowCodes, goals: PendingGoals, chunk: ChunkFindings) -> None:
        """Look at the goals in rows."""
        add_row_hits(codes, goals, self.values, chunk)

    def expand(
        self,
        codes: RowCodes,
        goals: PendingGoals,
        level: GatheredLevel,
        chunk: ChunkFindings,
        spend: Callable[[ChunkFindings], None],
    ) -> None:
        """Take all steps from rows.

        Args:
            codes: the rows.
            goals: what is looked for on the way.
            level: where it is gathered what steps lead to.
            chunk: where it is counted.
            spend: is called now and then; what it raises ends it.

        Raises:
            PackingOverflow: the packing has no bits for a value that was met.
        """
        codes = self.within_constraint(self.within_range(codes))
        changed = self.numpy.zeros(len(codes), dtype=bool) if goals.deadlocks else None
        self.take_steps(codes, goals, level, chunk, changed, spend)
        if changed is not None and not changed.all():
            stuck = codes[~changed]
            rows = [self.packing.row(code, self.model.copies) for code in stuck.tolist()]
            add_deadlock_hits(stuck, rows, goals, chunk)


ExpansionMaker = Callable[[AnyPacking], ArrayExpansion]
"""Returns the tables for a packing; it has what is known of the events, whatever the packing."""
