"""A machine or a system as its spec has it, explored once: what all its mutants are compared
with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.exploration import build_model
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.event_memos import (
    EventMemo,
    build_event_memos,
)
from statemachines.explore.models.machine_model import machine_model
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.part_blocks import PartKind
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import EventSuccessors
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.rows.search_goals import SearchResult
from statemachines.explore.scopes import ExplorationScope, scoped_initial_snapshots
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.mutate.operators.definition_uses import event_expressions, used_definitions
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.machine.step import forced_target, matching_fallback

StateEvent = tuple[str, str]
"""A state and an event."""
EVALUATION_ERRORS = (KeyError, IndexError, ValueError, TypeError, AttributeError, ZeroDivisionError)
"""What an expression raises where the fact that made it safe is gone; the reader of specs refuses
such a spec.
"""


@frozen(eq=False)
class ExploredOriginal:
    """A machine or a system and all that exploring found."""

    model: Model
    search: SearchResult
    exploration: Exploration[Any]
    options: ExplorationOptions

    @property
    def machine(self) -> MachineDefinition:
        """The machine, where it is no system."""
        return self.model.machine_tables.machine

    @property
    def expanded_rows(self) -> list[Row]:
        """The rows that the search went on from, in the order in which they were met."""
        return expandable_rows(self.model, self.search.rows)

    @property
    def ceiling(self) -> str:
        """What kept the search from seeing every state within the scope; empty if nothing did."""
        return reached_ceiling(self.search.bounds)


def expandable_rows(model: Model, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that a search goes on from: those in which integers are in their range and
    the state constraint holds.

    Args:
        model: of the machine or the system.
        rows: those that were reached.

    Returns:
        Rows in the same order.
    """
    return [row for row in rows if model.goes_on_from(row)]


def reached_ceiling(bounds: Iterable[str]) -> str:
    """Return what ended a search early; integers that leave their range are the scope's end, not
    the search's.

    Args:
        bounds: what ended the search, in words.

    Returns:
        The first that is a ceiling, or the empty text.
    """
    return next((bound for bound in bounds if bound.startswith("the ceiling")), "")


def explore_original(
    definition: MachineDefinition | SystemDefinition, scope: ExplorationScope, most_states: int
) -> ExploredOriginal:
    """Explore a machine, or a system whose interchangeable parts stand for each other.

    Args:
        definition: in one release.
        scope: what is said beside the spec's own.
        most_states: the ceiling, also for its mutants.

    Returns:
        The original with its model and what the search found.

    Raises:
        ArgumentsError: the scope does not fit.
    """
    symmetry = isinstance(definition, SystemDefinition)
    how = ExplorationOptions(symmetry, limits=Limits(most_states), engine="rows")
    model = build_model(definition, scope)
    exploration, result = explore_uninterrupted(model, how)
    return ExploredOriginal(model, result, exploration, how)


def explore_uninterrupted(
    model: Model, how: ExplorationOptions
) -> tuple[Exploration[Any], SearchResult]:
    """Explore a model; a search that Ctrl-C ended is not a result but an end of it all.

    Args:
        model: what is explored.
        how: the engine and the limits.

    Returns:
        What is said of it, and the search itself.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    exploration, result = explore_model(model, how)
    if result.interrupted:
        raise KeyboardInterrupt
    return exploration, result


def model_initial_snapshots(model: Model) -> tuple[Snapshot, ...]:
    """Return the snapshots in which a model begins.

    Args:
        model: of one machine.

    Returns:
        Snapshots in the order of the model's rows.
    """
    return tuple(model.whole_snapshot(row)[0] for row in model.initial_rows)


@define(eq=False)
class _SharedEventMemo(EventMemo):
    """An event that a mutant does not change: what it does was asked of the original already, or is
    asked for both.
    """

    shared_successors: dict[Row, EventSuccessors] = field(factory=dict)

    def _compute(self, numbers: Row) -> EventSuccessors:
        successors = self.shared_successors.get(numbers)
        if successors is None:
            successors = self.shared_successors[numbers] = EventMemo._compute(self, numbers)
        self.asked_states.add(numbers[0])
        self.taken_transitions.update(id(outcome.transition) for outcome in successors.successors)
        return successors


def build_mutant_model(
    original: ExploredOriginal,
    machine: MachineDefinition,
    slots: frozenset[StateEvent],
    *,
    begins: bool,
) -> Model:
    """Return a mutant's model: it shares with the original's all that the mutant does not change.

    Args:
        original: what it is a mutant of.
        machine: the mutant.
        slots: where it differs.
        begins: whether it begins otherwise.

    Returns:
        A model to be explored.
    """
    base = original.model
    columns = base.blocks[0].kind.columns
    tables, changed = machine_tables(machine), {event for _, event in slots}
    known = {rule.event: rule for rule in base.memos if rule.event not in changed}
    rules = tuple(
        _shared_memo(rule, known) for rule in build_event_memos(tables, base.extent, columns)
    )
    model = machine_model(PartKind("", tables, base.extent, columns, rules), base.scope)
    model.initial_rows = base.initial_rows
    if begins:
        model.initial_rows = tuple(
            dict.fromkeys(
                map(
                    model.kinds[0].row,
                    scoped_initial_snapshots(tables.behaviour, base.extent, base.scope),
                )
            )
        )
    return model


def _shared_memo(rule: EventMemo, known: dict[str, EventMemo]) -> EventMemo:
    like = known.get(rule.event)
    if like is None or like.reads != rule.reads:
        return rule
    parts = (
        rule.tables,
        rule.columns,
        rule.event,
        rule.reads,
        rule.places,
        rule.enumeration,
        rule.may_leave_range,
    )
    return _SharedEventMemo(*parts, shared_successors=like.known_successors)


def differing_slots(one: MachineTables, other: MachineTables) -> frozenset[StateEvent]:
    """Return where two machines of the same states and events may answer otherwise.

    Args:
        one: of the original.
        other: of the mutant.

    Returns:
        States with events.
    """
    meant = _redefined_events(one.machine, other.machine, one.events)
    return frozenset(
        (state, event)
        for event in one.events
        for state in one.states
        if event in meant
        or _slot_behaviour(one, state, event) != _slot_behaviour(other, state, event)
    )


def _redefined_events(
    one: MachineDefinition, other: MachineDefinition, events: Iterable[str]
) -> frozenset[str]:
    """Return the events that take other arguments, or use definitions that are not the same in
    both.
    """
    taken = {event.name: event.signature for event in one.events}
    redefined_events = {
        event.name for event in other.events if event.signature != taken.get(event.name)
    }
    if one.data.definitions != other.data.definitions:
        known = {definition.name: definition.body for definition in one.data.definitions}
        changed = {
            definition.name
            for definition in other.data.definitions
            if definition.body != known.get(definition.name)
        }
        redefined_events |= {
            event
            for event in events
            if changed & used_definitions(one.data, event_expressions(one, event))
        }
        redefined_events |= {
            event
            for event in events
            if changed & used_definitions(other.data, event_expressions(other, event))
        }
    return frozenset(redefined_events)


def _slot_behaviour(tables: MachineTables, state: str, event: str) -> object:
    entry = matching_fallback(tables, state, event)
    does = (entry.does, entry.error, forced_target(tables, state, event)) if entry else None
    return tables.candidates.get((state, event), ()), does
