"""What is explored, as rows of small numbers: a machine, copies of one side by side, or a system of
parts. What searches, judges and shows knows no difference.

`machine_model` and `system_model` make it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from attrs import define, field

from statemachines.explore.models.event_memos import EventMemo, encode_usage, restore_usage
from statemachines.explore.models.linked_steps import LinkedEvent, LinkedSteps
from statemachines.explore.models.part_blocks import PartBlock, PartEvent, PartKind, part_event
from statemachines.explore.models.row_columns import Row, ValueColumn
from statemachines.explore.models.successors import Successor
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.models.taken_steps import delivery, part_step
from statemachines.explore.properties.bound_values import EachName, bindings
from statemachines.explore.properties.row_conditions import (
    RowCondition,
    ValueNumber,
    part_conditions,
    system_condition,
)
from statemachines.explore.resources.limits import SearchEnding
from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.symmetry.model_names import ModelNames, model_names
from statemachines.model.definitions.data_definitions import MachineData
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.arguments.enumeration import check_nothing
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.system.system_tables import SystemTables

MOST_COMPARED_ROWS = 1000
"""Initial rows that are compared where a search is taken up again."""
Taken = tuple[Any, Successor]
"""A step that was taken: the event, and what it did."""


ModelEvent = PartEvent | LinkedEvent
"""Something that may happen."""


class Condition(Protocol):
    """Something that holds in a row, or of a step, or does not."""

    @property
    def bound(self) -> Mapping[str, Value]:
        """What names stand for of which it is claimed for each value."""
        ...

    def holds_in(self, row: Row) -> bool:
        """Tell whether it holds in a row."""
        ...

    def holds_of_step(self, before: Row, after: Row) -> bool:
        """Tell whether it holds of a step."""
        ...


@define(eq=False, slots=False)
class Model:
    """All that is explored: some parts, and in a system what stands beside them."""

    tables: MachineTables | SystemTables
    """The machine or the system, ready to be asked."""
    scope: ExplorationScope
    extent: DomainSizes
    """How many values types have; of a system its own."""
    kinds: tuple[PartKind, ...]
    """The machines of its parts, those too of which there is none."""
    blocks: tuple[PartBlock, ...]
    """Where each part stands in a row."""
    columns: tuple[ValueColumn, ...]
    """The columns of a row."""
    layout: SystemColumns | None = None
    """What stands where in the rows of a system; None of a machine: its copies stand side by
    side.
    """
    linked: LinkedSteps | None = None
    """What links make of events; None of a machine."""
    initial_rows: tuple[Row, ...] = field(default=(), kw_only=True)
    """The rows in which it begins."""
    truncations: tuple[str, ...] = field(default=(), kw_only=True)
    """Initial rows that were left out, and why: there are too many, or it took too long to find
    them.
    """
    ending: SearchEnding = field(factory=SearchEnding, kw_only=True)
    """Whether a limit was hit, or somebody ended it, before all initial rows were found."""
    events: tuple[ModelEvent, ...] = field(init=False)
    """What may happen, in order."""

    def __attrs_post_init__(self) -> None:
        linked = {} if self.linked is None else self.linked.events
        of_parts = (
            linked.get((block.offset, memo.event)) or part_event(block, memo)
            for block in self.blocks
            for memo in block.kind.memos
        )
        delivered = (event for event in linked.values() if event.block is None)
        self.events = (*of_parts, *delivered)

    @property
    def definition(self) -> MachineDefinition | SystemDefinition:
        """The machine or the system, in one release."""
        tables = self.tables
        return tables.machine if isinstance(tables, MachineTables) else tables.system

    @property
    def machine_tables(self) -> MachineTables:
        """The tables of the machine, where it is no system."""
        assert isinstance(self.tables, MachineTables)
        return self.tables

    @property
    def system_tables(self) -> SystemTables:
        """The tables of the system, where it is one."""
        assert isinstance(self.tables, SystemTables)
        return self.tables

    @property
    def system_columns(self) -> SystemColumns:
        """What stands where, where it is a system."""
        assert self.layout is not None
        return self.layout

    @property
    def names(self) -> ModelNames:
        """Its interchangeable names, copies of a machine among them."""
        return model_names(self.blocks, self.columns, self.layout, self.extent)

    @property
    def data(self) -> MachineData:
        """What is declared and claimed of it."""
        return self.definition.data

    @property
    def memos(self) -> tuple[EventMemo, ...]:
        """The events of all kinds of parts."""
        return tuple(memo for kind in self.kinds for memo in kind.memos)

    @property
    def is_without_data(self) -> bool:
        """Whether it is a machine of named states alone: then it must not come to an end, though
        nothing was said of that.
        """
        return isinstance(self.tables, MachineTables) and not self.tables.has_data

    @property
    def known_size(self) -> int:
        """How many states there are at least that a search may meet, as far as that is plain."""
        if not self.is_without_data:
            return 0
        return math.prod(len(block.kind.tables.states) for block in self.blocks)

    def steps(self, row: Row) -> Iterator[tuple[Any, Successor, Row]]:
        """Yield every step from a row, in order.

        Args:
            row: of all copies.

        Yields:
            The event, what it does, and the row after it.
        """
        for event in self.events:
            for successor in event.successors(row).successors:
                yield event, successor, successor.applied_to(row, event.offset)

    @cached_property
    def state_constraints(self) -> Sequence[RowCondition]:
        """The state constraint of the scope, one for each copy; none where there is none."""
        node = self.data.scope.constraint
        return () if node is None else self.conditions(node)

    def count_beyond_constraint(self, rows: Sequence[Row]) -> int:
        """Count the rows in which the state constraint does not hold.

        Args:
            rows: each of all copies.

        Returns:
            0 where there is no constraint: then none is looked at.
        """
        constraints = self.state_constraints
        some = rows if constraints else ()
        return sum(not all(each.holds_in(row) for each in constraints) for row in some)

    def goes_on_from(self, row: Row) -> bool:
        """Tell whether a search goes on from a row.

        Args:
            row: of all copies.

        Returns:
            False where an integer without bounds lies outside the range that is explored, or where
            the state constraint does not hold.
        """
        pairs = zip(self.columns, row, strict=True)
        return not any(column.out_of_range[number] for column, number in pairs) and all(
            constraint.holds_in(row) for constraint in self.state_constraints
        )

    def conditions(
        self,
        node: Expression,
        each: Sequence[EachName] = (),
        number: ValueNumber = bool,
    ) -> Sequence[RowCondition]:
        """Return what is claimed, as conditions: one for each copy, and for each value that names
        stand for.

        Args:
            node: an expression.
            each: names in it that stand for each value of a type.
            number: what stands for its values: whether they are true, or numbers.

        Returns:
            A condition a copy and a value.
        """
        every = bindings(each, self.tables.behaviour, self.extent)
        if self.linked is not None:
            return [system_condition(self.linked, node, bound, number) for bound in every]
        claims = (part_conditions(self.blocks, node, bound, number) for bound in every)
        return list(itertools.chain.from_iterable(claims))

    def may_stop(self, row: Row) -> bool:
        """Tell whether it is legal that nothing changes any more.

        Args:
            row: of all copies.

        Returns:
            True where the system, or each copy of a machine, may stop.
        """
        if isinstance(self.tables, SystemTables):
            return self.tables.may_stop(self.whole_snapshot(row))
        final = self.tables.final
        return all(
            final >> row[block.offset] & 1
            or (self._final_conditions and self._final_conditions[copy].holds_in(row))
            for copy, block in enumerate(self.blocks)
        )

    @cached_property
    def _final_conditions(self) -> Sequence[RowCondition]:
        """What says beside the states that it is legal to stop; nothing: the states alone do."""
        node = self.data.final
        return () if node is None else self.conditions(node)

    def fault_at(self, row: Row) -> Taken:
        """Return the first step from a row in which the spec is wrong.

        Args:
            row: in which there is one.

        Returns:
            The event, and what it does.
        """
        event = next(event for event in self.events if event.successors(row).faults)
        return event, event.successors(row).faults[0][0]

    def whole_row(self, snapshot: Any) -> Row:
        """Return the row of a snapshot.

        Args:
            snapshot: of a system, or of a machine a tuple with one a copy.

        Returns:
            A number a column.
        """
        if self.layout is not None:
            return self.layout.row(snapshot)
        return tuple(itertools.chain.from_iterable(map(self.kinds[0].row, snapshot)))

    def whole_snapshot(self, row: Row) -> Any:
        """Return the snapshot of a row.

        Args:
            row: of all copies.

        Returns:
            That of a system, or of a machine a tuple with one a copy.
        """
        if self.layout is not None:
            return self.layout.snapshot(row)
        return tuple(block.snapshot(row) for block in self.blocks)

    def trace_step(self, now: Any, event: ModelEvent, taken: Successor) -> TraceStep:
        """Ask `step` what becomes of a step.

        Args:
            now: the snapshot in which it is taken.
            event: what happens.
            taken: what it does.

        Returns:
            The step with its answer.
        """
        if isinstance(self.tables, SystemTables):
            if taken.pending is not None:
                return delivery(self.tables, now, taken.pending)
            assert event.block is not None
            part = event.block.kind.name, event.block.key
            return part_step(self.tables, now, part, event.name, taken.arguments)
        copy: Any = None if event.block is None else event.block.key
        answer = unchecked_step(self.tables, now[copy], event.name, taken.arguments)
        return TraceStep(event.name, taken.arguments, answer, copy)

    def trace(self, begin: Row, taken: Iterable[Taken], loop_start: int | None = None) -> Trace:
        """Return a run for people: each step is asked of `step` again.

        Args:
            begin: the first row.
            taken: its steps.
            loop_start: the step to which it returns for ever; None: it ends.

        Returns:
            A trace that was run.
        """
        now = first = self.whole_snapshot(begin)
        steps = list[TraceStep]()
        for event, successor in taken:
            steps.append(self.trace_step(now, event, successor))
            now = steps[-1].snapshot_after(now)
        return Trace(first, tuple(steps), loop_start)

    def set_limit_check(self, spend: Callable[[], None] = check_nothing) -> None:
        """Call this now and then while arguments are drawn.

        Args:
            spend: raises where the search is to end.
        """
        for memo in self.memos:
            memo.enumeration.check_limits = spend

    def clear_memos(self) -> None:
        """Let go of what can be asked again, where no memory is left."""
        for memo in self.memos:
            memo.known_successors.clear()
        if self.linked is not None:
            self.linked.clear()

    def identity(self) -> tuple[object, ...]:
        """Return what tells this apart from what else may be explored."""
        begins = [self.whole_snapshot(row) for row in self.initial_rows[:MOST_COMPARED_ROWS]]
        of, kinds = self.definition, [(kind.name, kind.extent) for kind in self.kinds]
        content = definition_content(of), len(self.blocks), kinds
        return of.name, of.release, content, self.extent, begins

    @cached_property
    def numbered_columns(self) -> tuple[ValueColumn, ...]:
        """The columns that have numbers of their own: parts of a kind share theirs."""
        return tuple({id(column): column for column in self.columns}.values())

    def encode(self) -> dict[str, Any]:
        """Return what the numbers of its columns stand for, and what was asked, as plain data."""
        columns = [
            [column.write(value) for value in column.values] for column in self.numbered_columns
        ]
        used = [encode_usage(kind.memos) for kind in self.kinds]
        linked = None if self.linked is None else self.linked.encode()
        return {"columns": columns, "used": used, "linked": linked}

    def restore(self, stored: dict[str, Any]) -> bool:
        """Take the numbers of a search that was kept.

        Args:
            stored: from a checkpoint.

        Returns:
            False where there are others already.
        """
        if len(stored["columns"]) != len(self.numbered_columns):
            return False
        for column, values in zip(self.numbered_columns, stored["columns"], strict=True):
            for number, data in enumerate(values):
                if column.value_id(column.read(data)) != number:
                    return False
        for kind, used in zip(self.kinds, stored["used"], strict=True):
            restore_usage(kind.memos, used)
        if self.linked is not None:
            self.linked.restore(stored["linked"])
        return True


def definition_content(definition: MachineDefinition | SystemDefinition) -> tuple[object, ...]:
    """Return what a machine or a system does, without how it is logged."""
    if isinstance(definition, MachineDefinition):
        of = definition
        return of.states, of.transitions, of.otherwise, of.events, of.data
    system = definition
    machines = [(name, definition_content(machine)) for name, machine in system.machines]
    return system.parts, system.links, system.data, system.same, system.channels, machines
