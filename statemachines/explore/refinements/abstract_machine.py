"""The machine that is refined: which of its steps leads from one of its rows to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define, field

from statemachines.explore.models.machine_model import model_without_rows
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.part_blocks import PartEvent
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import Successor
from statemachines.explore.results.abstract_runs import AbstractStep
from statemachines.explore.scopes import ExplorationScope, id_types
from statemachines.model.definitions.data_definitions import Refinement
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import EnumType, FiniteType, IdType
from statemachines.semantics.machine.initial_values import initial_variables
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    integer_range,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError

_Path = tuple[tuple[PartEvent, Successor], ...]
_ROWS_BETWEEN_CLEARING = 1024
"""Rows after which it is forgotten what single events do: what comes of it is kept by row."""


@define(eq=False)
class AbstractMachine:
    """What a machine that is refined does, asked row by row."""

    model: Model
    """Without initial rows: where it begins is asked of single rows."""
    most: int = 1
    """How many of its steps one step of what refines it is at most."""
    events_taken: set[str] = field(factory=set)
    """The events that a step was found to be."""
    known_steps: dict[Row, dict[Row, tuple[str, ...]]] = field(factory=dict)
    """A row, to the rows to which so many steps lead, with the events of the first path."""
    known_rows: dict[Row, Row] = field(factory=dict)
    """Each row to itself: those to which many steps lead are kept once."""
    known_beginnings: dict[tuple[str, Mapping[str, Value]], frozenset[Mapping[str, Value]]] = field(
        factory=dict
    )
    """A state and parameters, to the variables with which it begins there."""

    @property
    def is_cut(self) -> bool:
        """Whether some event has more arguments than were looked at."""
        return any(memo.enumeration.is_truncated for memo in self.model.memos)

    def is_step(self, before: Row, after: Row) -> bool:
        """Tell whether an event leads from one row to another, or as many as may be one step."""
        following = self.known_steps.get(before)
        if following is None:
            following = {
                self.known_rows.setdefault(row, row): tuple(event.name for event, _ in path)
                for row, path in self._paths(before)
            }
            self.known_steps[before] = following
            if not len(self.known_steps) % _ROWS_BETWEEN_CLEARING:
                self.model.clear_memos()
        events = following.get(after, ())
        self.events_taken.update(events)
        return bool(events)

    def path_between(self, before: Row, after: Row) -> tuple[AbstractStep, ...]:
        """Return the steps of the first shortest path from one row to another; none where it takes
        more steps than one may be.
        """
        path = next((path for row, path in self._paths(before) if row == after), ())
        trace = self.model.trace(before, path)
        return tuple(
            AbstractStep(step.event, step.arguments, step.answer.after, is_legal=True)
            for step in trace.steps
        )

    def _paths(self, before: Row) -> Iterator[tuple[Row, _Path]]:
        """Yield each row to which so many steps lead, with the first shortest path there."""
        visited = set[Row]()
        last: list[tuple[Row, _Path]] = [(before, ())]
        for _ in range(self.most):
            level = list[tuple[Row, _Path]]()
            for now, path in last:
                for event, successor, row in self.model.steps(now):
                    if row not in visited:
                        visited.add(row)
                        level.append((row, (*path, (event, successor))))
            yield from level
            last = level

    def begins_in(self, row: Row) -> bool:
        """Tell whether it may begin in a row."""
        snapshot = self.model.whole_snapshot(row)[0]
        key = snapshot.state, snapshot.parameters
        if key not in self.known_beginnings:
            self.known_beginnings[key] = self._beginnings(snapshot)
        return snapshot.variables in self.known_beginnings[key]

    def _beginnings(self, snapshot: Snapshot) -> frozenset[Mapping[str, Value]]:
        behaviour, machine = self.model.tables.behaviour, self.model.machine_tables.machine
        if not any(state.initial and state.name == snapshot.state for state in machine.states):
            return frozenset()
        try:
            behaviour.checked_parameters(snapshot.parameters)
            valuations = [*initial_variables(behaviour, snapshot.parameters, self.model.extent)]
        except ArgumentsError:
            return frozenset()
        node = machine.data.initially
        holds = None if node is None else behaviour.evaluator(node)
        return frozenset(
            FrozenMap(valuation)
            for valuation in valuations
            if holds is None or holds(snapshot.state, valuation, snapshot.parameters)
        )


def build_abstract_machine(
    machine: MachineDefinition, refinement: Refinement, extent: DomainSizes
) -> AbstractMachine:
    """Return a machine that is refined."""
    named = {type_.name for type_ in id_types(machine)}
    sizes = {name: size for name, size in extent.sizes.items() if name in named}
    scope = ExplorationScope(sizes, extent.integers, extent.longest_list)
    given = {name: _values(type_, extent) for name, type_ in refinement.ids}
    model = model_without_rows(machine_tables(machine), scope, id_values=given)
    return AbstractMachine(model, refinement.most_steps)


def _values(type_: FiniteType, extent: DomainSizes) -> tuple[Value, ...]:
    """Return the values that stand for those of an `id` type."""
    match type_:
        case IdType():
            return extent.id_values(type_)
        case EnumType():
            return type_.members
    return tuple(integer_range(type_, extent))
