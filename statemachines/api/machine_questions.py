"""What a machine is asked: names in the author's order, what states allow, where it begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from statemachines.api.description import Described
from statemachines.model.definitions import machine_definitions as model
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.report.specs.event_signatures import EventSignature, event_signature
from statemachines.semantics.machine.definition_functions import (
    DefinitionFunction,
    definition_functions,
)
from statemachines.semantics.machine.initial_snapshots import initial_snapshot, initial_snapshots
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.messages.argument_errors import unknown_word
from statemachines.semantics.messages.value_text import filled_text

if TYPE_CHECKING:
    pass


class MachineQuestions(Described):
    """A machine that is asked and not used: it stays as it is."""

    __slots__ = ()

    value: model.MachineDefinition

    @property
    def tables(self) -> MachineTables:
        """The dense tables that everything asks."""
        return machine_tables(self.value)

    @property
    def states(self) -> tuple[str, ...]:
        """The states' names, in the author's order."""
        return self.tables.states

    @property
    def initial(self) -> tuple[str, ...]:
        """The states in which instances begin."""
        return self.tables.state_names(self.tables.initial)

    @property
    def final(self) -> tuple[str, ...]:
        """The states in which instances may end."""
        return self.tables.state_names(self.tables.final)

    @property
    def events(self) -> tuple[str, ...]:
        """Everything that may be asked of it; a table of moves may be asked for `to_<STATE>` of
        every state.
        """
        return self.tables.events

    def event(self, name: str) -> EventSignature:
        """Return what an event takes, needs of its arguments, gives back and raises.

        Args:
            name: one of `events`.

        Returns:
            Its arguments, conditions, results and errors, each as text.

        Raises:
            ArgumentsError: there is no such event; the message has the nearest name.
        """
        if name not in self.tables.event_index:
            raise unknown_word("event", name, self.events, self.tables.title)
        return event_signature(self.value, name)

    @property
    def errors(self) -> tuple[str, ...]:
        """The names of the errors that it declares."""
        return tuple(error.name for error in self.value.data.errors)

    @property
    def predicates(self) -> tuple[str, ...]:
        """The names of its predicates; `holds` asks one."""
        return tuple(self.tables.predicates)

    @property
    def transitions(self) -> tuple[model.Transition, ...]:
        """In the author's order: each has a `source`, a `target` and an `event`."""
        return self.value.transitions

    @property
    def otherwise(self) -> tuple[model.Otherwise, ...]:
        """What becomes of every other request: the first entry that matches counts."""
        return self.value.otherwise

    def state(self, name: str) -> model.State:
        """Return all that the spec says of a state.

        Args:
            name: one of `states`.

        Returns:
            The state: whether it is initial or final, its documentation, its `meta`.

        Raises:
            ArgumentsError: there is no such state; the message has the nearest name.
        """
        return self.value.states[self.tables.index_of_state(name)]

    def transition(self, source: str, event: str) -> model.Transition | None:
        """Return the first transition of an event from a state.

        Args:
            source: one of `states`.
            event: one of `events`.

        Returns:
            The transition that is tried first, whatever its guard; None where none takes the event.

        Raises:
            ArgumentsError: there is no such state or event.
        """
        self.tables.index_of_state(source)
        if event not in self.tables.event_index:
            raise unknown_word("event", event, self.tables.events, self.tables.title)
        return next(iter(self.tables.candidates.get((source, event), ())), None)

    def allows(self, source: str, target: str) -> bool:
        """Tell whether a transition leads from one state to the other, whatever its event.

        A transition that the program itself never takes (`taken: false`) counts: it stands in the
        program's own table.

        Args:
            source: one of `states`.
            target: one of `states`.

        Returns:
            Whether there is such a transition; its guard may still refuse it.

        Raises:
            ArgumentsError: there is no such state.
        """
        return self.tables.allows(source, target)

    def holds(self, predicate: str, state: str | Snapshot) -> bool:
        """Tell whether a predicate holds in a state.

        Args:
            predicate: one of `predicates`.
            state: the name of a state, or a snapshot in it.

        Returns:
            Whether the state is one of those that the predicate names.

        Raises:
            ArgumentsError: there is no such predicate or state.
        """
        return self.tables.holds(predicate, state.state if isinstance(state, Snapshot) else state)

    def start(self, **parameters: Value) -> Snapshot:
        """Return the snapshot in which an instance begins.

        Args:
            parameters: of the instance, by name.

        Returns:
            The initial state with the initial values of the variables.

        Raises:
            ArgumentsError: there are several (`starts` has them all), or a parameter does not fit.
        """
        return initial_snapshot(self.value, **parameters)

    def starts(self, **parameters: Value) -> tuple[Snapshot, ...]:
        """Return every snapshot in which an instance may begin.

        Args:
            parameters: of the instance, by name; all of them.

        Returns:
            At least one snapshot, in the author's order.

        Raises:
            ArgumentsError: a parameter does not fit.
        """
        return initial_snapshots(self.value, **parameters)

    @property
    def define(self) -> Mapping[str, DefinitionFunction]:
        """The definitions by name, to be called: with a snapshot first where they look at the
        machine's data, then with their inputs.
        """
        return definition_functions(self.tables.behaviour)

    def text(self, name: str, snapshot: Snapshot) -> str:
        """Fill one of the machine's texts with a snapshot's values.

        Args:
            name: of the text, as the spec names it under `texts`.
            snapshot: of this machine.

        Returns:
            The text, each of its braces filled with a value.

        Raises:
            ArgumentsError: there is no such text.
        """
        return filled_text(self.value, name, snapshot)
