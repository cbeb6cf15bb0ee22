"""What events do, remembered: an event looks at some columns only, so what it does is asked once
for what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from attrs import define, field

from statemachines.explore.models.row_columns import (
    NO_VALUE,
    Column,
    ColumnPlaces,
    Row,
    column_places,
    has_unbounded_integers,
)
from statemachines.explore.models.successors import EventSuccessors, Successor
from statemachines.model.definitions.data_definitions import Case
from statemachines.model.definitions.machine_definitions import FallbackKind, Transition
from statemachines.model.definitions.snapshots import NamedValues, Refused, Snapshot, Value
from statemachines.model.language.expression_nodes import Expression, type_sets
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.arguments.enumeration import ArgumentEnumeration, build_enumeration
from statemachines.semantics.evaluation.behaviour import CompiledOperation
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import (
    forced_target,
    matching_fallback,
    unchecked_step,
    was_taken,
)
from statemachines.semantics.machine.value_enumeration import DomainSizes

_NO_COLUMNS, _ITS_STATE = frozenset[int](), frozenset([0])


@define(eq=False)
class EventMemo:
    """One event of a machine."""

    tables: MachineTables
    columns: tuple[Column, ...]
    event: str
    reads: tuple[int, ...]
    """The columns that it looks at or writes; the state is always one."""
    places: ColumnPlaces
    enumeration: ArgumentEnumeration
    may_leave_range: bool
    """Whether some variable has integers without bounds."""
    fair_arguments: tuple[str, ...] = ()
    """The arguments for each of whose values it is fair by itself."""
    known_successors: dict[Row, EventSuccessors] = field(factory=dict)
    """Numbers in these columns to what it does."""
    taken_transitions: set[int] = field(factory=set)
    """The `id` of every transition that was taken."""
    asked_states: set[int] = field(factory=set)
    """The numbers of the states in which it was asked."""

    @property
    def has_data(self) -> bool:
        """Whether it has arguments, or some transition of it has a guard or an effect."""
        transitions = self.tables.machine.transitions
        return bool(self.enumeration.arguments) or any(
            transition.event == self.event and transition.case is not None
            for transition in transitions
        )

    def successors(self, numbers: Row) -> EventSuccessors:
        """Return what the event does where its columns hold these values.

        Args:
            numbers: of the columns that it looks at, in their order.

        Returns:
            What it does, the same value each time.
        """
        successors = self.known_successors.get(numbers)
        if successors is None:
            successors = self.known_successors[numbers] = self._compute(numbers)
        return successors

    def is_enabled(self, now: Snapshot, given: NamedValues) -> bool:
        """Tell whether something takes the event with some arguments given.

        Nothing is remembered of it: whoever asks may stand where no search goes on.

        Args:
            now: the snapshot.
            given: the arguments that are given, by name.

        Returns:
            True where some other arguments make it so.
        """
        return any(
            was_taken(unchecked_step(self.tables, now, self.event, arguments))
            for arguments in self.enumeration.arguments_at(now)
            if given.items() <= arguments.items()
        )

    def _compute(self, numbers: Row) -> EventSuccessors:
        """Ask about all arguments: what `decided` would answer, without its answers; a law holds
        the two equal.
        """
        before = dict(zip(self.reads, numbers, strict=True))
        now = partial_snapshot(self.tables, self.columns, before)
        plans = self.tables.compiled_operations(now.state, self.event)
        self.asked_states.add(numbers[0])
        outcomes, wrong, disabled = list[Successor](), list[tuple[Successor, str]](), 0
        for arguments in self.enumeration.arguments_at(now):
            outcome, message = self._successor(plans, now, arguments, before)
            if outcome is None:
                disabled += 1
            else:
                outcomes.append(outcome)
                self.taken_transitions.add(id(outcome.transition))
            if message:
                wrong.append((Successor(arguments, (), False, False), message))
        return EventSuccessors(tuple(outcomes), disabled, tuple(wrong))

    def _successor(
        self,
        plans: tuple[CompiledOperation, ...],
        now: Snapshot,
        arguments: NamedValues,
        before: dict[int, int],
    ) -> tuple[Successor | None, str | None]:
        """Return the step that is taken, and what is wrong with the spec there."""
        for index, plan in enumerate(plans):
            if plan.decide is None:
                return self._transition_successor(
                    plan.transitions[0], None, {}, arguments, before
                ), self._overlap_fault(plans[index + 1 :], now, arguments)
            decision = plan.decide(now.state, now.variables, now.parameters, arguments)
            if decision is not None:
                number, changes, _, misfit = decision
                if misfit is not None:
                    return None, refusal_reason(self.tables, now, self.event, arguments)
                transition, error = plan.cases[number]
                return self._transition_successor(
                    transition, error, changes or {}, arguments, before
                ), self._overlap_fault(plans[index + 1 :], now, arguments)
        entry = matching_fallback(self.tables, now.state, self.event)
        if entry is None or entry.does is not FallbackKind.FORCE:
            return None, None
        target = self.columns[0].value_id(forced_target(self.tables, now.state, self.event))
        moved = ((0, target),) if target != before[0] else ()
        return Successor(arguments, moved, raised=False, leaves_range=False), None

    def _transition_successor(
        self,
        transition: Transition,
        error: str | None,
        changes: NamedValues,
        arguments: NamedValues,
        before: dict[int, int],
    ) -> Successor:
        target = self.columns[0].value_id(transition.target)
        sets = [(0, target)] if target != before[0] else []
        for name, value in changes.items():
            for index in self.places.variable(name):
                number = self.columns[index].value_id(self.columns[index].part(value))
                if number != before[index]:
                    sets.append((index, number))
        leaves = self.may_leave_range and any(
            self.columns[index].out_of_range[number] for index, number in sets
        )
        begun = _ITS_STATE if transition.restarts and error is None else _NO_COLUMNS
        raised = error is not None
        return Successor(arguments, tuple(sets), raised, leaves, transition, begun=begun)

    def _overlap_fault(
        self, plans: tuple[CompiledOperation, ...], now: Snapshot, arguments: NamedValues
    ) -> str | None:
        """Say where another transition than the one that takes an event may take it too."""
        held = now.state, now.variables, now.parameters, arguments
        if any(plan.decide is None or plan.decide(*held) is not None for plan in plans):
            return (
                f"two transitions may take `{self.event}` from {now.state or 'here'}; only the"
                " first ever would"
            )
        return None


def refusal_reason(tables: MachineTables, now: Snapshot, event: str, arguments: NamedValues) -> str:
    """Return why a step is refused whose variables would leave their types."""
    answer = unchecked_step(tables, now, event, arguments)
    return answer.reason if isinstance(answer, Refused) else ""


def partial_snapshot(
    tables: MachineTables, columns: tuple[Column, ...], numbers: dict[int, int]
) -> Snapshot:
    """Return a snapshot with the values of some columns; what is not among them is left out.

    Args:
        tables: of the machine.
        columns: of its rows.
        numbers: by column.

    Returns:
        A snapshot that a guard may look at as far as it goes.
    """
    first = 1 + len(tables.machine.data.parameters)
    parameters, variables = dict[str, Value](), dict[str, Value]()
    maps = dict[str, dict[Value, Value]]()
    for index, number in numbers.items():  # asked for each key of each table
        if index:
            column = columns[index]
            value = column.values[number]
            if not column.is_item:
                (parameters if index < first else variables)[column.name] = value
                continue
            if column.name not in maps:
                maps[column.name], variables[column.name] = {}, None  # in the author's order
            if value != NO_VALUE:
                maps[column.name][column.key] = value
    for name, items in maps.items():
        variables[name] = FrozenMap(items)
    state = str(columns[0].values[numbers[0]])
    return Snapshot(state, FrozenMap(variables), FrozenMap(parameters))


def build_event_memos(
    tables: MachineTables,
    extent: DomainSizes,
    columns: tuple[Column, ...],
    fair: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> tuple[EventMemo, ...]:
    """Return the rules of a machine, in the order of its events.

    Args:
        tables: of the machine.
        extent: how many values types have.
        columns: of its rows.
        fair: event to the arguments for each of whose values it is fair by itself.

    Returns:
        A memo an event.
    """
    places = column_places(tables, columns)
    may_leave = any(
        column.type is not None and has_unbounded_integers(column.type) for column in columns
    )
    return tuple(
        EventMemo(
            tables,
            columns,
            event,
            _event_columns(tables, event, places),
            places,
            build_enumeration(tables.behaviour, extent, event),
            may_leave,
            fair.get(event, ()),
        )
        for event in tables.events
    )


def _event_columns(tables: MachineTables, event: str, places: ColumnPlaces) -> Row:
    """Return the columns that an event looks at or writes."""
    cases = [
        transition.case
        for transition in tables.machine.transitions
        if transition.event == event and transition.taken and transition.case
    ]
    signature = tables.behaviour.signature(event)
    checked = {
        name: type_
        for case in cases
        for name, type_ in tables.behaviour.compiler.unproved_variables(case.effect)
    }
    types = [*(argument.type for argument in signature.arguments), *checked.values()]
    nodes = [node for type_ in types for node in type_sets(type_)]
    nodes += [let.value for let in signature.lets] + (
        [signature.where] if signature.where is not None else []
    )
    nodes += [node for case in cases for node in _case_expressions(case)]
    assigned = [assignment.variable for case in cases for assignment in case.effect]
    written = map(places.variable, [*checked, *assigned])
    return tuple(sorted({0, *places.read_by(nodes)}.union(*written)))


def _case_expressions(case: Case) -> Iterator[Expression]:
    yield from (node for node in (case.guard, case.when) if node is not None)
    yield from (let.value for let in case.lets)
    yield from (assignment.value for assignment in case.effect)
    if isinstance(case.returns, Expression):
        yield case.returns
    elif case.returns is not None:
        yield from (value for _, value in case.returns)


def column_picker(columns: tuple[int, ...], offset: int = 0) -> Callable[[Row], Row]:
    """Return a function that picks columns of a row.

    Args:
        columns: their indices.
        offset: is added to each.

    Returns:
        From a row to these columns of it.
    """
    column_indices = [offset + column for column in columns]
    if len(column_indices) == 1:
        (only,) = column_indices
        return lambda row: (row[only],)
    return itemgetter(*column_indices) if column_indices else lambda row: ()


def encode_usage(memos: Sequence[EventMemo]) -> dict[str, Any]:
    """Return for each event the states in which it was asked and the places of the transitions that
    were taken, and the events some of whose arguments were left out.
    """
    transitions = memos[0].tables.machine.transitions if memos else ()
    index = {id(transition): number for number, transition in enumerate(transitions)}
    used = [
        (
            sorted(memo.asked_states),
            sorted(
                index[taken_transition]
                for taken_transition in memo.taken_transitions
                if taken_transition in index
            ),
        )
        for memo in memos
    ]
    cut = [number for number, memo in enumerate(memos) if memo.enumeration.is_truncated]
    return {"used": used, "cut": cut}


def restore_usage(memos: Sequence[EventMemo], stored: dict[str, Any]) -> None:
    """Note what was asked in a search that was kept."""
    for memo, (states, taken) in zip(memos, stored["used"], strict=True):
        transitions = memo.tables.machine.transitions
        memo.asked_states.update(states)
        memo.taken_transitions.update(id(transitions[number]) for number in taken)
    for number in stored["cut"]:
        memos[number].enumeration.is_truncated = True
