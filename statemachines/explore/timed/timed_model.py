"""A machine or a system in discrete time: its rows with clocks, and time as one more event.

All clocks run alike. An event that is due comes before time goes on; what else may happen at that
moment may come before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from attrs import define, evolve, field, frozen

from statemachines.explore.models.model_protocol import Model, ModelEvent, Taken
from statemachines.explore.models.part_blocks import PartBlock
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import (
    NO_SUCCESSORS,
    EventSuccessors,
    FairEvent,
    Successor,
)
from statemachines.explore.timed.clocks import WAIT, Clock, common_unit_ms, schedules
from statemachines.model.definitions.data_definitions import Fairness
from statemachines.semantics.messages.argument_errors import ArgumentsError

TIME = Fairness("time goes on")
"""Time is not put off for ever: neither a unit of it, nor an event that is due."""


@frozen(eq=False)
class TimedEvent:
    """An event of one copy, or all that one part does by itself, with what it does to clocks."""

    model: TimedModel
    inner: ModelEvent
    clock: Clock | None
    """Of the copy or the part."""

    @property
    def offset(self) -> int:
        """The first column of the copy that steps."""
        return self.inner.offset

    def successors(self, row: Row) -> EventSuccessors:
        """Return what it does in a row; an event that time sends, only where it is due."""
        early = self.clock.early_events(row) if self.clock else frozenset[str]()
        if self.inner.name in early:
            return NO_SUCCESSORS
        inner = self.inner.successors(row)
        if not inner.successors:
            return inner
        return EventSuccessors(
            tuple(self._with_clocks(row, successor) for successor in inner.successors),
            inner.disabled,
            inner.faults,
        )

    @property
    def block(self) -> PartBlock | None:
        """The part that steps by itself; None where something is delivered."""
        return self.inner.block

    @property
    def name(self) -> str:
        """The event's name; empty of a delivery."""
        return self.inner.name

    def is_due(self, row: Row) -> bool:
        """Tell whether it is what time sends in a row."""
        due = self.clock.due(row) if self.clock else WAIT
        return due != WAIT and self.inner.name == due

    def _with_clocks(self, row: Row, taken: Successor) -> Successor:
        after, due = taken.applied_to(row, self.offset), self.is_due(row)
        changes = tuple(
            (column - self.offset, number)
            for clock in self.model.clocks
            for column, number in clock.changes(
                row,
                after,
                took_due=due and clock is self.clock,
                begun=clock.state_column - self.offset in taken.begun,
            )
        )
        return self.model.changed(taken, changes, due=due)

    def fair_event(self, taken: Successor, fair: Fairness) -> FairEvent | None:
        """Return what a step is of an event that is not put off for ever; None: nothing."""
        if fair is TIME:
            return () if id(taken) in self.model.due_steps else None
        return self.inner.fair_event(taken, fair)


@frozen(eq=False)
class TimeEvent:
    """A unit of time, for all clocks at once."""

    model: TimedModel
    offset: int = 0
    block: None = None
    name: str = ""

    def successors(self, row: Row) -> EventSuccessors:
        """Return the row a unit later: none where an event is due, or where no clock runs."""
        if any(
            event.is_due(row) and event.successors(row).successors
            for event in self.model.due_events(row)
        ):
            return NO_SUCCESSORS
        moved = ((clock.column, clock.ticked(row)) for clock in self.model.clocks)
        changes = tuple((column, number) for column, number in moved if number != row[column])
        if not changes:
            return NO_SUCCESSORS
        return EventSuccessors((self.model.changed(_NOTHING, changes),), 0)

    def fair_event(self, taken: Successor, fair: Fairness) -> FairEvent | None:
        """Return what a step is of an event that is not put off for ever; None: nothing."""
        del taken
        return () if fair is TIME else None


_NOTHING = Successor({}, (), raised=False, leaves_range=False)


@define(eq=False, slots=False)
class TimedModel:
    """A model with clocks; all that it does not say itself, its model says."""

    inner: Model
    unit_ms: int
    clocks: tuple[Clock, ...]
    events: tuple[TimedEvent | TimeEvent, ...] = field(init=False)
    initial_rows: tuple[Row, ...] = field(init=False)
    due_steps: dict[int, Successor] = field(factory=dict)
    """By `id`: the steps that time sends."""
    known: dict[tuple[int, tuple[tuple[int, int], ...], bool], tuple[Successor, Successor]] = field(
        factory=dict
    )
    """What was changed, by its `id` and the changes, with what it became: equal steps are one."""

    def __attrs_post_init__(self) -> None:
        self.initial_rows = tuple(
            (*row, *(0 for _ in self.clocks)) for row in self.inner.initial_rows
        )
        own = [TimedEvent(self, event, self._clock_of(event)) for event in self.inner.events]
        self.events = (*own, TimeEvent(self))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def _clock_of(self, event: Any) -> Clock | None:
        column = None if event.block is None else event.block.offset
        return next((clock for clock in self.clocks if clock.state_column == column), None)

    @property
    def width(self) -> int:
        """The columns without the clocks."""
        return self.clocks[0].column

    @property
    def known_size(self) -> int:
        """Nothing is known of how many states may be met."""
        return 0

    def changed(
        self, taken: Successor, changes: tuple[tuple[int, int], ...], *, due: bool = False
    ) -> Successor:
        """Return a step with what it does to clocks, the same value each time."""
        key = id(taken), changes, due
        if key not in self.known:
            step = evolve(taken, changes=(*taken.changes, *changes))
            self.known[key] = taken, step
            if due:
                self.due_steps[id(step)] = step
        return self.known[key][1]

    def due_events(self, row: Row) -> Iterator[TimedEvent]:
        """Yield the events of the copies and parts to which time sends something in a row."""
        for event in self.events:
            if isinstance(event, TimedEvent) and event.clock and event.clock.due(row) != WAIT:
                yield event

    def steps(self, row: Row) -> Iterator[tuple[Any, Successor, Row]]:
        """Yield every step from a row; see `Model`."""
        for event in self.events:
            for taken in event.successors(row).successors:
                yield event, taken, taken.applied_to(row, event.offset)

    def goes_on_from(self, row: Row) -> bool:
        """Tell whether a search goes on from a row; see `Model`."""
        return self.inner.goes_on_from(row[: self.width])

    def may_stop(self, row: Row) -> bool:
        """Tell whether it is legal that nothing changes any more."""
        return self.inner.may_stop(row[: self.width])

    def trace(self, begin: Row, taken: Iterable[Taken], loop_start: int | None = None) -> Any:
        """Return a run: time is no step of it, and each step says when it is taken."""
        times, steps, units = list[int](), list[Taken](), 0
        start = loop_start
        for number, (event, successor) in enumerate(taken):
            if isinstance(event, TimeEvent):
                units += 1
                start = start - 1 if start is not None and number < (loop_start or 0) else start
            else:
                inner = event.inner if isinstance(event, TimedEvent) else event
                steps.append((inner, successor))
                times.append(units * self.unit_ms)
        run: Any = self.inner.trace(begin[: self.width], cast(Any, steps), start)
        timed = (evolve(step, at_ms=at_ms) for step, at_ms in zip(run.steps, times, strict=True))
        return evolve(run, steps=tuple(timed))


def timed_model(model: Model) -> tuple[Model, int]:
    """Return a model in discrete time.

    Args:
        model: of a machine or of a system.

    Returns:
        The model, and the unit of time: the longest of which every `after` is a multiple, in
        milliseconds.

    Raises:
        ArgumentsError: time takes no step.
    """
    unit_ms = common_unit_ms(block.kind.tables.machine for block in model.blocks)
    if not unit_ms:
        raise ArgumentsError(f"{model.tables.title} has no step that time takes: no `after`")
    scheduled = ((block, schedules(block.kind.tables.machine, unit_ms)) for block in model.blocks)
    timed = [(block, by_state) for block, by_state in scheduled if by_state]
    clocks = tuple(
        Clock(column, block.offset, block.kind.columns[0].values.__getitem__, by_state)
        for column, (block, by_state) in enumerate(timed, len(model.columns))
    )
    return cast(Model, TimedModel(model, unit_ms, clocks)), unit_ms
