"""What all that explores asks of what is explored: a machine, copies of one side by side, or a
system of parts.

`machine_model` and `system_model` answer; what searches, judges and shows knows no difference.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from attrs import define, field

from statemachines.explore.models.event_memos import EventMemo, encode_usage, restore_usage
from statemachines.explore.models.linked_steps import LinkedSteps
from statemachines.explore.models.part_blocks import PartBlock, PartKind
from statemachines.explore.models.row_columns import Row, ValueColumn
from statemachines.explore.models.successors import EventSuccessors, FairEvent, Successor
from statemachines.explore.properties.bound_values import EachName
from statemachines.explore.resources.limits import SearchEnding
from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.symmetry.model_names import ModelNames, model_names
from statemachines.model.definitions.data_definitions import Fairness, MachineData
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.arguments.enumeration import check_nothing
from statemachines.semantics.machine.value_enumeration import DomainSizes

MOST_COMPARED_ROWS = 1000
"""Initial rows that are compared where a search is taken up again."""
Taken = tuple[Any, Successor]
"""A step that was taken: the event, and what it did."""


class ModelEvent(Protocol):
    """Something that may happen."""

    @property
    def offset(self) -> int:
        """The first column to which what it does is relative."""
        ...

    @property
    def block(self) -> PartBlock | None:
        """The part that steps by itself; None where something is delivered."""
        ...

    @property
    def name(self) -> str:
        """The event's name; empty of a delivery."""
        ...

    def successors(self, row: Row) -> EventSuccessors:
        """Return what it does in a row."""
        ...

    def fair_event(self, taken: Successor, fair: Fairness) -> FairEvent | None:
        """Return what a step is of an event that is not put off for ever; None: nothing."""
        ...


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


class RowValue(Condition, Protocol):
    """An expression over a row: a condition, or a number that stands for its value."""

    def value_in(self, row: Row) -> int:
        """Return the number of what it is in a row."""
        ...


@define(eq=False, slots=False)
class Model(ABC):
    """All that is explored, as rows of small numbers: some parts, and in a system what stands
    beside them.
    """

    extent: DomainSizes
    """How many values types have."""
    scope: ExplorationScope
    blocks: tuple[PartBlock, ...]
    """Where each part stands in a row."""
    columns: tuple[ValueColumn, ...]
    """The columns of a row."""
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

    @property
    @abstractmethod
    def tables(self) -> Any:
        """The machine or the system, ready to be asked."""

    @property
    @abstractmethod
    def definition(self) -> MachineDefinition | SystemDefinition:
        """The machine or the system, in one release."""

    @property
    @abstractmethod
    def fixed_columns(self) -> frozenset[int]:
        """The columns that have all their values at the beginning."""

    @property
    def names(self) -> ModelNames:
        """Its interchangeable names, copies of a machine among them."""
        return model_names(self.blocks, self.columns)

    @property
    def title(self) -> str:
        """How it is called, with its release."""
        title: str = self.tables.title
        return title

    @property
    def data(self) -> MachineData:
        """What is declared and claimed of it."""
        return self.definition.data

    @cached_property
    def kinds(self) -> tuple[PartKind, ...]:
        """The machines of its parts."""
        return tuple(dict.fromkeys(block.kind for block in self.blocks))

    @property
    def memos(self) -> tuple[EventMemo, ...]:
        """The events of all kinds of parts."""
        return tuple(memo for kind in self.kinds for memo in kind.memos)

    @property
    def linked(self) -> LinkedSteps | None:
        """What links make of events; None where there are none."""
        return None

    @property
    def known_size(self) -> int:
        """How many states there are at least that a search may meet, as far as that is plain."""
        return 0

    @property
    def claims_deadlock_freedom(self) -> bool:
        """Whether it must not come to an end, though nothing was said of that."""
        return False

    def steps(self, row: Row) -> Iterator[tuple[Any, Successor, Row]]:
        """Yield every step from a row, in order, with the row after it.

        Args:
            row: of all copies.

        Yields:
            The event, what it does, and the row.
        """
        for event in self.events:
            for successor in event.successors(row).successors:
                yield event, successor, successor.applied_to(row, event.offset)

    @cached_property
    def state_constraints(self) -> Sequence[RowValue]:
        """The state constraint of the scope, one for each copy; none where there is none."""
        node = self.data.scope.constraint
        return () if node is None else self.conditions(node)

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

    @property
    def abstracts(self) -> tuple[tuple[str, MachineDefinition], ...]:
        """The machines that it refines, by the names that it has for them."""
        return self.definition.abstracts

    @abstractmethod
    def conditions(
        self,
        node: Expression,
        each: Sequence[EachName] = (),
        number: Callable[[Any], int] = bool,
    ) -> Sequence[RowValue]:
        """Return what is claimed, as conditions: one for each copy, and for each value that names
        stand for.

        Args:
            node: an expression.
            each: names in it that stand for each value of a type.
            number: what stands for its values: whether they are true, or numbers.

        Returns:
            A condition a copy and a value.
        """

    @abstractmethod
    def may_stop(self, row: Row) -> bool:
        """Tell whether it is legal that nothing changes any more.

        Args:
            row: of all copies.

        Returns:
            True where each copy, or each part, may stop.
        """

    def fault_at(self, row: Row) -> Taken:
        """Return the first step from a row in which the spec is wrong.

        Args:
            row: in which there is one.

        Returns:
            The event, and what it does.
        """
        event = next(event for event in self.events if event.successors(row).faults)
        return event, event.successors(row).faults[0][0]

    @abstractmethod
    def whole_row(self, snapshot: Any) -> Row:
        """Return the row of a snapshot, of a system or of all copies of a machine."""

    @abstractmethod
    def whole_snapshot(self, row: Row) -> Any:
        """Return the snapshot of a row: of a system, or of a machine a tuple with one a copy."""

    @abstractmethod
    def trace_step(self, now: Any, event: ModelEvent, taken: Successor) -> TraceStep:
        """Ask `step` what becomes of a step.

        Args:
            now: the snapshot in which it is taken.
            event: what happens.
            taken: what it does.

        Returns:
            The step with its answer.
        """

    def rows_of(self, trace: Trace) -> Iterator[Row]:
        """Yield the rows of a run, the first one included.

        Args:
            trace: of this model.

        Yields:
            A row a snapshot.
        """
        yield from map(self.whole_row, trace.snapshots)

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

    @property
    @abstractmethod
    def content(self) -> tuple[object, ...]:
        """What is explored, bare: what a search that was kept must be of."""

    def identity(self) -> tuple[object, ...]:
        """Return what tells this apart from what else may be explored."""
        begins = [self.whole_snapshot(row) for row in self.initial_rows[:MOST_COMPARED_ROWS]]
        of = self.definition
        return of.name, of.release, self.content, self.extent, begins

    @cached_property
    def numbered_columns(self) -> tuple[ValueColumn, ...]:
        """The columns that have numbers of their own: parts of a kind share theirs."""
        return tuple({id(column): column for column in self.columns}.values())

    def encode(self) -> dict[str, Any]:
        """Return what the numbers of its columns stand for, and what was asked, as plain data."""
        columns = [
            [column.write(value) for value in column.values] for column in self.numbered_columns
        ]
        return {"columns": columns, "used": [encode_usage(kind.memos) for kind in self.kinds]}

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
        return True


def machine_content(machine: MachineDefinition) -> tuple[object, ...]:
    """Return what a machine does, without how it is logged."""
    return machine.states, machine.transitions, machine.otherwise, machine.events, machine.data
