"""A machine that lives in a program: it remembers where it is and says why it refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Self

from statemachines.embed.errors import Declared, NotAllowed, declared, not_allowed
from statemachines.embed.snapshot_json import to_json
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Raised,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.notebook_views import notebook_view
from statemachines.semantics.machine.initial_snapshots import chosen_snapshot
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import (
    ArgumentsError,
    by_name_error,
    unknown_word,
)


class Instance:
    """One instance of a machine; what `step` answers is what it does.

    An event is sent by `send("coin")` or called as a method, `instance.coin()`; variables are read
    as attributes. A name that is both is the variable, and the event is sent by `send`; one that an
    instance has itself (`state`, …) is reached by `send` and `variables`.

    Limits: not safe for several threads at once.
    """

    __slots__ = ("__weakref__", "_data", "_moves", "_state", "_tables")

    def __init__(
        self,
        machine: MachineDefinition | TablesHolder,
        begin: str | Snapshot | None = None,
        /,
        **parameters: Value,
    ) -> None:
        """Begin in the first beginning of the machine, in a state of another beginning, or go on
        from a snapshot.

        Raises:
            ArgumentsError: no instance begins there, or a parameter does not fit.
        """
        tables = machine_tables(machine)
        self._tables = tables
        self._moves = tables.target_names
        self._data = data = chosen_snapshot(tables, begin, **parameters)
        self._state = data.state

    def send(self, event: str, /, **arguments: Value) -> Value:
        """Let an event happen.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            What the operation returns (of several named results the one called `value`: listeners
            are told all); None where it returns nothing, and where the system swallows the event.

        Raises:
            NotAllowed: nothing allows it here and nothing has changed. Where the system raises an
                exception of its own, the error is of a class of that name too.
            ArgumentsError: the machine has no such event, or the arguments do not fit.
        """
        if not arguments:
            target = self._moves[self._state].get(event)
            if target is not None:
                self._state = target
                return None
        return self._apply_answer(event, step(self._tables, self.snapshot, event, **arguments))

    def may(self, event: str, /, **arguments: Value) -> bool:
        """Tell whether a transition would take the event; nothing happens.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            False also where the event would be ignored, or would raise.

        Raises:
            ArgumentsError: the machine has no such event, or the arguments do not fit.
        """
        return isinstance(step(self._tables, self.snapshot, event, **arguments), Advanced)

    def holds(self, predicate: str) -> bool:
        """Tell whether the instance is in one of a predicate's states.

        Args:
            predicate: one of the machine's predicates.

        Returns:
            Whether it holds now.

        Raises:
            ArgumentsError: the machine has no such predicate.
        """
        return self._tables.holds(predicate, self._state)

    @property
    def state(self) -> str:
        """Where it is."""
        return self._state

    @property
    def legal(self) -> tuple[str, ...]:
        """The events that a transition from here has, in the author's order."""
        return legal_events(self._tables, self._state)

    @property
    def final(self) -> bool:
        """Whether it is in a final state."""
        return bool(self._tables.final >> self._tables.state_index[self._state] & 1)

    @property
    def snapshot(self) -> Snapshot:
        """State, variables and parameters as a value: what `step` takes and another instance may go
        on from.
        """
        data = self._data
        return (
            data
            if data.state == self._state
            else Snapshot(self._state, data.variables, data.parameters)
        )

    @property
    def variables(self) -> Mapping[str, Value]:
        """The variables' values."""
        return self._data.variables

    @property
    def parameters(self) -> Mapping[str, Value]:
        """The parameters' values."""
        return self._data.parameters

    @property
    def tables(self) -> MachineTables:
        """The tables of its machine."""
        return self._tables

    @property
    def machine(self) -> str:
        """The catalogue name of its machine."""
        return self._tables.machine.name

    @property
    def release(self) -> str:
        """The release of its machine; empty for a machine without a family."""
        return self._tables.machine.release

    def to_json(self) -> str:
        """Write the snapshot with the machine and release that it belongs to; `machine.from_json`
        reads it.

        Raises:
            TypeError: a value is of a class that JSON does not have.
        """
        return to_json(self, self.snapshot)

    def copy(self) -> Self:
        """Return another instance that is where this one is."""
        twin = type(self).__new__(type(self))
        twin._tables, twin._moves, twin._data, twin._state = (
            self._tables,
            self._moves,
            self._data,
            self._state,
        )
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._tables.machine, self.snapshot)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show what notebooks show of it."""
        return notebook_view(self)

    def __repr__(self) -> str:
        return f"<{self._tables.title} in {self._state or 'its only state'}>"

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._tables.events, *self._data.variables]

    def __getattr__(self, name: str) -> Callable[..., Value]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._data.variables:
            return self._data.variables[name]  # type: ignore[return-value]  # a value of the notation; mypy is told of events only
        if name in self._tables.event_index:
            return event_call(self.send, self._tables, name)
        names = (*self._tables.events, *self._data.variables)
        raise AttributeError(
            str(unknown_word("event or variable", name, names, self._tables.title)),
            name=name,
            obj=self,
        )

    def _apply_answer(self, event: str, answer: Answer) -> Value:
        before = self._state
        self._data = answer.after
        self._state = answer.after.state
        if isinstance(answer, Refused | Raised):
            raise not_allowed_error(self._tables, before, event, answer)
        return operation_result(answer)


def event_call(
    send: Callable[..., Value], tables: MachineTables, event: str
) -> Callable[..., Value]:
    """Return what lets an event happen when it is called.

    Args:
        send: takes an event and its arguments.
        tables: of the machine.
        event: one of its events.

    Returns:
        A callable that takes the arguments by name.

    Raises:
        TypeError: when it is called with arguments that have no names.
    """

    def call(*values: Value, **arguments: Value) -> Value:
        if values:
            names = [argument.name for argument in tables.behaviour.signature(event).arguments]
            raise by_name_error(event, names, values)
        return send(event, **arguments)

    return call


def operation_result(answer: Answer) -> Value:
    """Return what the caller of an operation gets: of several named results, `value`.

    Args:
        answer: of `step`.

    Returns:
        The value; None where the operation gives nothing back.
    """
    decided, returned = answer.decided_by, answer.returned
    if (
        not isinstance(decided, Transition)
        or decided.case is None
        or not isinstance(decided.case.returns, tuple)
    ):
        return returned
    return returned.get("value") if isinstance(returned, Mapping) else None


def legal_events(tables: MachineTables, state: str) -> tuple[str, ...]:
    """Return the events that a transition from a state has, in the author's order; guards are not
    asked.

    Args:
        tables: those of the machine.
        state: where the instance is.

    Returns:
        Names of events.
    """
    return tuple(event for event in tables.events if (state, event) in tables.candidates)


def not_allowed_error(
    tables: MachineTables, state: str, event: str, answer: Refused | Raised
) -> NotAllowed | Declared:
    """Build the error for an event that was not allowed, or whose transition raises.

    Args:
        tables: those of the machine.
        state: where the instance is.
        event: its name in the spec.
        answer: of `step`.

    Returns:
        An exception, to be raised.
    """
    machine, decided = tables.machine, answer.decided_by
    if isinstance(decided, Transition):
        error = answer.error or ""
        return declared(error)(
            f"{tables.title}: `{event}` in {state or 'its only state'} raises {error}"
        )
    legal = tuple(
        other
        for other in legal_events(tables, state)
        if other != event and _may_be_taken(tables, answer.after, other)
    )
    if answer.error is None:
        return NotAllowed(machine.name, machine.release, state, event, legal, why=answer.reason)
    return not_allowed(answer.error)(
        machine.name, machine.release, state, event, legal, f"raise {answer.error}", answer.reason
    )


def _may_be_taken(tables: MachineTables, snapshot: Snapshot, event: str) -> bool:
    """Tell whether some arguments might make a transition take an event: of one that takes none
    guard and `where` are asked.
    """
    if (
        not tables.has_data
        or event in tables.data_free_events
        or tables.behaviour.signature(event).arguments
    ):
        return True
    try:
        return isinstance(step(tables, snapshot, event).decided_by, Transition)
    except ArgumentsError:
        return False
