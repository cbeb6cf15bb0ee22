"""All steps from many rows at once: of a machine and its copies, and of a system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from attrs import define

from statemachines.explore.arrays.event_decisions import EventDecisions, build_decisions
from statemachines.explore.arrays.findings import ChunkFindings, PendingGoals
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import (
    AnyPacking,
    Packing,
    RowCodes,
    roomy_packing,
    wide_packing,
)
from statemachines.explore.arrays.row_expansion import RowExpansion
from statemachines.explore.arrays.system_expansion import SystemTrees
from statemachines.explore.models.derived_columns import no_derived_columns
from statemachines.explore.models.machine_model import MachineModel
from statemachines.explore.models.model_protocol import Condition, Model
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.visited.visited_rows import GatheredLevel


class ArrayExpansion(Protocol):
    """The tables of a model under one packing."""

    @property
    def packing(self) -> AnyPacking:
        """Where each column lies within a number."""
        ...

    @property
    def leaves_range(self) -> bool:
        """Whether some step has left the range that is explored of integers."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether what is remembered takes so much memory that it should be forgotten."""
        ...

    def within_constraint(self, codes: RowCodes) -> RowCodes:
        """Leave out rows beyond the state constraint."""
        ...

    def check_row_goals(
        self, codes: RowCodes, goals: PendingGoals, findings: ChunkFindings
    ) -> None:
        """Look at the goals in rows."""
        ...

    def values(
        self, condition: Condition, codes: RowCodes, before: RowCodes | None = None
    ) -> Array:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""
        ...

    def expand(
        self,
        codes: RowCodes,
        goals: PendingGoals,
        level: GatheredLevel,
        findings: ChunkFindings,
        spend: Callable[[ChunkFindings], None],
    ) -> None:
        """Take all steps from rows.

        Args:
            codes: the rows.
            goals: what is looked for on the way.
            level: where it is gathered what steps lead to.
            findings: where it is counted.
            spend: is called now and then; what it raises ends it.

        Raises:
            PackingOverflow: the packing has no bits for a value that was met.
        """
        ...

    def steps(self, codes: RowCodes) -> Iterator[tuple[RowCodes, RowCodes]]:
        """Yield rows that steps leave, and those that they lead to."""
        ...


class ExpansionMaker(Protocol):
    """What is known of the events of a model, whatever the packing."""

    def expansion(self, packing: AnyPacking) -> ArrayExpansion:
        """Return the tables for a packing."""
        ...


@define(eq=False)
class _MachineExpansions:
    """What the events of a machine do."""

    numpy: Any
    model: MachineModel
    decisions: list[EventDecisions] | None = None

    def expansion(self, packing: AnyPacking) -> RowExpansion:
        """Return the tables for a packing."""
        assert isinstance(packing, Packing), "rows of machines have one word"
        if self.decisions is None:
            derived = no_derived_columns(self.model.tables, self.model.columns)
            self.decisions = [
                build_decisions(memo, packing, derived)
                for memo in self.model.memos
                if memo.has_data
            ]
        return RowExpansion(self.numpy, self.model, packing, self.decisions)


def expansion_maker(numpy: Any, model: Model) -> ExpansionMaker:
    """Return what expands the rows of a model."""
    if isinstance(model, SystemModel):
        return SystemTrees(numpy, model)
    assert isinstance(model, MachineModel)
    return _MachineExpansions(numpy, model)


def suitable_packing(model: Model, numpy: Any, *, is_kept: bool) -> AnyPacking | None:
    """Return a packing: of several words for a system that needs them, where no file keeps the
    search; None where there is none.
    """
    packing = roomy_packing(model)
    if packing is None and isinstance(model, SystemModel) and not is_kept:
        return wide_packing(numpy, model)
    return packing
