"""A machine, or several interleaved copies of one, within a scope: where it begins and what every
event does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from types import MappingProxyType
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.checkpoints.encoded_values import decode_value, encode_value
from statemachines.explore.models.event_memos import (
    EventMemo,
    build_event_memos,
    column_picker,
    encode_usage,
    partial_snapshot,
    restore_usage,
)
from statemachines.explore.models.map_columns import NO_KEYS, MapKeys, listed_values, map_keys
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.row_columns import Column, Row, machine_columns
from statemachines.explore.models.scopes import (
    ExplorationScope,
    iterate_initial_snapshots,
    no_initial_snapshot,
    scope_extent,
)
from statemachines.explore.models.successors import (
    NO_SUCCESSORS,
    EventSuccessors,
    FairEvent,
    Successor,
)
from statemachines.explore.properties.bound_values import EachName, bindings
from statemachines.explore.properties.row_conditions import (
    CopyCondition,
    build_condition,
    copy_conditions,
)
from statemachines.explore.resources.limits import Budget, Limits, SearchEnding
from statemachines.explore.results.machine_results import Trace, TraceStep
from statemachines.explore.symmetry.model_names import ModelNames, machine_names
from statemachines.model.definitions.data_definitions import Fairness
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.arguments.enumeration import check_nothing
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import DomainSizes

MOST_COMPARED_ROWS = 1000
"""Initial rows that are compared where a search is taken up again."""


@frozen(eq=False)
class CopyEvent:
    """An event of one copy."""

    copy: int
    offset: int
    """The first column of the copy."""
    memo: EventMemo
    pick_columns: Callable[[Row], Row]

    def successors(self, row: Row) -> EventSuccessors:
        """Return what it does in a row.

        Args:
            row: of all copies.

        Returns:
            What it does, the same value each time.
        """
        numbers = self.pick_columns(row)
        return self.memo.known_successors.get(numbers) or self.memo.successors(numbers)

    def successors_but(self, row: Row, skipped: Container[str]) -> EventSuccessors:
        """Return the same where some events are not possible now; these are not asked.

        Args:
            row: of all copies.
            skipped: names of events.

        Returns:
            What it does.
        """
        return NO_SUCCESSORS if self.memo.event in skipped else self.successors(row)

    def own_event(self, taken: Successor) -> str:
        """Return the event of a step that the copy takes by itself.

        Args:
            taken: the step.

        Returns:
            The event's name.
        """
        del taken
        return self.memo.event

    def fair_event(self, taken: Successor, fair: Fairness) -> FairEvent | None:
        """Return what a step is of an event that is not put off for ever; None: nothing.

        Args:
            taken: the step.
            fair: what is said of the event.

        Returns:
            Which of the fair events it is.
        """
        if self.memo.event != fair.event:
            return None
        if fair.argument is None:
            return (self.copy,)
        return self.copy, taken.arguments[fair.argument]


@define(eq=False)
class MachineModel(Model):
    """All that is explored."""

    tables: MachineTables
    extent: DomainSizes
    scope: ExplorationScope
    columns: tuple[Column, ...]
    """Of one machine; all copies share the numbers."""
    memos: tuple[EventMemo, ...]
    events: tuple[CopyEvent, ...]
    """Of all copies: those of the first one first, each in the author's order."""
    copies: int
    initial_rows: tuple[Row, ...]
    truncations: tuple[str, ...] = ()
    """Beginnings that were left out, and why: there are too many, or it took too long to find them.
    """
    ending: SearchEnding = field(factory=SearchEnding)
    """Whether a limit was hit, or somebody ended it, before all beginnings were found."""

    def set_limit_check(self, spend: Callable[[], None] = check_nothing) -> None:
        """Call this now and then while arguments are drawn; see `Model`."""
        for rule in self.memos:
            rule.enumeration.check_limits = spend

    def clear_memos(self) -> None:
        """Let go of what can be asked again, where no memory is left."""
        for rule in self.memos:
            rule.known_successors.clear()

    @property
    def machine(self) -> MachineDefinition:
        """The machine."""
        return self.tables.machine

    @property
    def known_size(self) -> int:
        """How many states may be met, of a machine without data; else nothing is known."""
        return 0 if self.tables.has_data else len(self.tables.states) ** self.copies

    @property
    def claims_deadlock_freedom(self) -> bool:
        """Whether it must not come to an end, though nothing was said of that."""
        return not self.tables.has_data

    @property
    def fixed_columns(self) -> frozenset[int]:
        """The columns that have all their values at the beginning: all but those of variables."""
        items = (place for place, column in enumerate(self.columns) if column.is_item)
        return frozenset([*range(1 + len(self.data.parameters)), *items])

    @property
    def width(self) -> int:
        """The columns of one copy."""
        return len(self.columns)

    @property
    def names(self) -> ModelNames:
        """Its interchangeable names, and its copies."""
        return machine_names(self.machine, self.extent, self.columns, self.copies)

    def conditions(
        self, node: Expression, each: Sequence[EachName] = (), number: Callable[[Any], int] = bool
    ) -> list[CopyCondition]:
        """Return what is claimed of one machine, for each copy of it; see `Model`."""
        return [
            condition
            for bound in bindings(each, self.tables.behaviour, self.extent)
            for condition in copy_conditions(
                build_condition(self.tables, self.columns, node, bound, number, self.memos),
                self.copies,
            )
        ]

    def may_stop(self, row: Row) -> bool:
        """Tell whether it is legal that no copy changes any more; see `Model`."""
        return all(
            self.tables.final >> row[copy * self.width] & 1
            or (self.final_conditions and self.final_conditions[copy].holds_in(row))
            for copy in range(self.copies)
        )

    @cached_property
    def final_conditions(self) -> list[CopyCondition]:
        """What says beside the states that it is legal to stop; nothing: the states alone do."""
        node = self.data.final
        return [] if node is None else self.conditions(node)

    def fault_at(self, row: Row) -> tuple[CopyEvent, Successor]:
        """Return the first event, with its arguments, where the spec is wrong; see `Model`."""
        event = next(event for event in self.events if event.successors(row).faults)
        arguments, _ = event.successors(row).faults[0]
        return event, Successor(arguments, (), raised=False, leaves_range=False)

    def rows_of(self, trace: Trace) -> Iterator[Row]:
        """Yield the rows of a run, the first one included; see `Model`."""
        for snapshots in trace.snapshots:
            yield tuple(itertools.chain.from_iterable(map(self.row, snapshots)))

    def trace(
        self,
        begin: Row,
        taken: Iterable[tuple[CopyEvent, Successor]],
        loop_start: int | None = None,
    ) -> Trace:
        """Return a run: each step is asked of `step` again; see `Model`."""
        first = self.snapshots(begin)
        now, steps = list(first), list[TraceStep]()
        for event, successor in taken:
            called = event.memo.event
            answer = unchecked_step(self.tables, now[event.copy], called, successor.arguments)
            now[event.copy] = answer.after
            steps.append(TraceStep(called, successor.arguments, answer, event.copy))
        return Trace(first, tuple(steps), loop_start=loop_start)

    def identity(self) -> tuple[object, ...]:
        """Return what tells this apart from what else may be explored."""
        machine = self.machine
        content = (
            machine.states,
            machine.transitions,
            machine.otherwise,
            machine.events,
            machine.data,
        )
        begins = self.initial_rows[:MOST_COMPARED_ROWS]
        return machine.name, machine.release, content, self.extent, self.copies, begins

    def encode(self) -> dict[str, Any]:
        """Return what the numbers of the columns stand for, and what was asked, as plain data."""
        columns = [[encode_value(value) for value in column.values] for column in self.columns]
        return {"columns": columns, **encode_usage(self.memos)}

    def restore(self, stored: dict[str, Any]) -> bool:
        """Take the numbers of a search that was kept; see `Model`."""
        if len(stored["columns"]) != len(self.columns):
            return False
        for column, values in zip(self.columns, stored["columns"], strict=True):
            for number, value in enumerate(values):
                if column.value_id(decode_value(value)) != number:
                    return False
        restore_usage(self.memos, stored)
        return True

    def snapshots(self, row: Row) -> tuple[Snapshot, ...]:
        """Return the snapshots of all copies in a row.

        Args:
            row: of all copies.

        Returns:
            A snapshot a copy.
        """
        parts = [row[copy * self.width : (copy + 1) * self.width] for copy in range(self.copies)]
        return tuple(
            partial_snapshot(self.tables, self.columns, dict(enumerate(part))) for part in parts
        )

    def row(self, snapshot: Snapshot) -> Row:
        """Return the numbers of one copy's snapshot.

        Args:
            snapshot: of one copy.

        Returns:
            A number a column.
        """
        values = {**snapshot.parameters, **snapshot.variables}
        return (
            self.columns[0].value_id(snapshot.state),
            *(column.value_id(column.part(values[column.name])) for column in self.columns[1:]),
        )


def build_machine_model(
    machine: MachineDefinition,
    scope: ExplorationScope,
    copies: int = 1,
    limits: Limits | None = None,
) -> MachineModel:
    """Return a machine's model.

    Raises:
        ArgumentsError: the scope does not fit the machine, or nothing may begin.
    """
    tables = machine_tables(machine)
    keys = map_keys(tables, scope_extent(tables.behaviour, scope), copies)
    model, cut = model_without_rows(tables, scope, copies, keys=keys), list[str]()
    rows = _initial_rows(model, cut, limits)
    model.truncations = tuple(cut)
    for row in rows:
        for column, number in zip(model.columns, row, strict=True):
            column.out_of_range[number] = (
                False  # what an instance begins with was not reached by counting
            )
    model.initial_rows = tuple(
        tuple(itertools.chain(*chosen))
        for chosen in itertools.product(dict.fromkeys(rows), repeat=copies)
    )
    return model


def model_without_rows(
    tables: MachineTables,
    scope: ExplorationScope,
    copies: int = 1,
    id_values: Mapping[str, tuple[Value, ...]] = MappingProxyType({}),
    keys: MapKeys = NO_KEYS,
) -> MachineModel:
    """Return a machine within a scope, before it is asked where it begins.

    Raises:
        ArgumentsError: the scope does not fit the machine.
    """
    within = evolve(scope_extent(tables.behaviour, scope), given=id_values)
    columns = machine_columns(tables.machine, within.integers, keys)
    _number_items(tables, within, columns)
    rules = build_event_memos(tables, within, columns)
    width = len(columns)
    events = tuple(
        CopyEvent(copy, copy * width, rule, column_picker(rule.reads, copy * width))
        for copy in range(copies)
        for rule in rules
    )
    return MachineModel(tables, within, scope, columns, rules, events, copies, ())


def _number_items(tables: MachineTables, extent: DomainSizes, columns: tuple[Column, ...]) -> None:
    """Number all that the columns of keys may hold: they need no more bits later."""
    for column in columns:
        if column.is_item and column.type is not None:
            for value in listed_values(tables, extent, column.type):
                column.value_id(value)


def _initial_rows(model: MachineModel, cut: list[str], limits: Limits | None) -> list[Row]:
    """Return the rows in which one copy begins.

    Raises:
        ArgumentsError: there is none.
    """
    model.ending.bounds = cut
    budget, rows, behaviour = (
        Budget.for_initial_snapshots(limits, cut),
        list[Row](),
        model.tables.behaviour,
    )
    with nullcontext() if limits is None else model.ending.catch_ending():
        for snapshot in iterate_initial_snapshots(
            behaviour, model.extent, model.scope, cut, lambda: budget.check_when_due(0, 0, 0)
        ):
            rows.append(model.row(snapshot))
    if not rows and not model.ending.ended_early:
        raise no_initial_snapshot(behaviour)
    return rows
