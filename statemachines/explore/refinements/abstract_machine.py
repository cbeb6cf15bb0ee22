"""The machine that is refined: which of its steps leads from one of its rows to another."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.models.machine_model import MachineModel, model_without_rows
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.scopes import ExplorationScope, id_types
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.value_enumeration import DomainSizes, initial_variables
from statemachines.semantics.messages.argument_errors import ArgumentsError

AbstractEvent = tuple[str, NamedValues]
"""An event with its arguments."""
_ROWS_BETWEEN_CLEARING = 1024
"""Rows after which it is forgotten what single events do: what comes of it is kept by row."""


@define(eq=False)
class AbstractMachine:
    """What a machine that is refined does, asked row by row."""

    model: MachineModel
    """Without initial rows: where it begins is asked of single rows."""
    events_taken: set[str] = field(factory=set)
    """The events that a step was found to be."""
    known_steps: dict[Row, dict[Row, str]] = field(factory=dict)
    """A row, to the rows to which its steps lead, with the first event that does."""
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
        """Tell whether an event leads from one row to another."""
        following = self.known_steps.get(before)
        if following is None:
            following = {}
            for event, _, row in self.model.steps(before):
                following.setdefault(self.known_rows.setdefault(row, row), event.memo.event)
            self.known_steps[before] = following
            if not len(self.known_steps) % _ROWS_BETWEEN_CLEARING:
                self.model.clear_memos()
        found = following.get(after)
        if found is not None:
            self.events_taken.add(found)
        return found is not None

    def event_between(self, before: Row, after: Row) -> AbstractEvent | None:
        """Return the first event that leads from one row to another; None where none does."""
        for event, successor, row in self.model.steps(before):
            if row == after:
                return event.memo.event, successor.arguments
        return None

    def begins_in(self, row: Row) -> bool:
        """Tell whether it may begin in a row."""
        snapshot = self.model.snapshots(row)[0]
        key = snapshot.state, snapshot.parameters
        if key not in self.known_beginnings:
            self.known_beginnings[key] = self._beginnings(snapshot)
        return snapshot.variables in self.known_beginnings[key]

    def _beginnings(self, snapshot: Snapshot) -> frozenset[Mapping[str, Value]]:
        behaviour, machine = self.model.tables.behaviour, self.model.machine
        if not any(state.initial and state.name == snapshot.state for state in machine.states):
            return frozenset()
        try:
            behaviour.checked_parameters(snapshot.parameters)
            found = [*initial_variables(behaviour, snapshot.parameters, self.model.extent)]
        except ArgumentsError:
            return frozenset()
        node = machine.data.initially
        holds = None if node is None else behaviour.evaluator(node)
        return frozenset(
            FrozenMap(each)
            for each in found
            if holds is None or holds(snapshot.state, each, snapshot.parameters)
        )


def build_abstract_machine(machine: MachineDefinition, extent: DomainSizes) -> AbstractMachine:
    """Return a machine that is refined.

    Args:
        machine: in one release.
        extent: of what refines it: types of the same name have as many values.
    """
    named = {type_.name for type_ in id_types(machine)}
    sizes = {name: size for name, size in extent.sizes.items() if name in named}
    scope = ExplorationScope(sizes, extent.integers, extent.longest_list)
    return AbstractMachine(model_without_rows(machine_tables(machine), scope))
