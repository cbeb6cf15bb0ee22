"""The claim that steps are steps of an abstract machine, as a condition over rows and steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define, evolve

from statemachines.explore.models.model_protocol import Condition, Model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.properties.row_conditions import RowCondition
from statemachines.explore.refinements.abstract_machine import (
    AbstractMachine,
    build_abstract_machine,
)
from statemachines.explore.results.abstract_runs import AbstractRun, AbstractStep
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.data_definitions import Refinement
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.expression_nodes import Literal
from statemachines.model.language.value_types import TextType

_NAMELESS_STATE = Literal("", type=TextType())
"""The state of a machine without named ones."""


@define(eq=False)
class RefinedSteps:
    """That a step is one of an abstract machine (or as many as one may be), or changes nothing
    there.

    Source: M. Abadi and L. Lamport, The Existence of Refinement Mappings, 1991.
    """

    abstract: AbstractMachine
    mapped: tuple[RowCondition, ...]
    """By column of the abstract machine: the number of the value that it has in a row."""
    guard: Condition | None
    """Where it does not hold, nothing is claimed."""

    @property
    def bound(self) -> Mapping[str, Value]:
        """What names stand for of which it is claimed for each value."""
        return self.mapped[0].bound

    def abstract_row(self, row: Row) -> Row:
        """Return the row of the abstract machine that a row is."""
        return tuple(value.value_in(row) for value in self.mapped)

    def is_step(self, before: Row, after: Row) -> bool:
        """Tell of two rows of the abstract machine whether one leads to the other."""
        return before == after or self.abstract.is_step(before, after)

    def holds_in(self, row: Row) -> bool:
        """Tell whether the abstract machine may begin as it is in a row."""
        return self._claims_nothing(row) or self.abstract.begins_in(self.abstract_row(row))

    def holds_of_step(self, before: Row, after: Row) -> bool:
        """Tell whether a step is one of the abstract machine, or none."""
        return self.is_step(
            self.abstract_row(before), self.abstract_row(after)
        ) or self._claims_nothing(after)

    def _claims_nothing(self, row: Row) -> bool:
        return self.guard is not None and not self.guard.holds_in(row)

    def run(self, model: Model, trace: Trace) -> AbstractRun:
        """Return the abstract machine's side of a run of a model."""
        abstract_rows = [self.abstract_row(model.whole_row(now)) for now in trace.snapshots]
        snapshots = [self.abstract.model.whole_snapshot(row)[0] for row in abstract_rows]
        steps = []
        for before, after, snapshot in zip(
            abstract_rows, abstract_rows[1:], snapshots[1:], strict=False
        ):
            if before == after or not (path := self.abstract.path_between(before, after)):
                steps.append(AbstractStep("", {}, snapshot, is_legal=before == after))
            else:
                steps.append(evolve(path[-1], earlier=path[:-1]))
        return AbstractRun(self.abstract.model.tables.title, snapshots[0], tuple(steps))


def refinement_claims(model: Model) -> Iterator[tuple[Refinement, tuple[RefinedSteps, ...]]]:
    """Yield what a model says that it refines, with a condition for each copy and each value."""
    machines = dict(model.definition.abstracts)
    for refinement in model.data.refinements:
        abstract = build_abstract_machine(machines[refinement.abstract], refinement, model.extent)
        yield refinement, tuple(_refined_steps(model, refinement, abstract))


def _refined_steps(
    model: Model, refinement: Refinement, abstract: AbstractMachine
) -> Iterator[RefinedSteps]:
    """Yield the condition for each copy, and for each value that names stand for."""
    by, each, columns = dict(refinement.by), refinement.each, abstract.model.columns
    nodes = [by.get("state", _NAMELESS_STATE), *(by[column.name] for column in columns[1:])]
    mapped = [
        model.conditions(node, each, column.value_id)
        for node, column in zip(nodes, columns, strict=True)
    ]
    guards = [] if refinement.guard is None else model.conditions(refinement.guard, each)
    for place, numbers in enumerate(zip(*mapped, strict=True)):
        yield RefinedSteps(abstract, numbers, guards[place] if guards else None)
