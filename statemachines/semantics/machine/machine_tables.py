"""Dense tables of a machine: names to numbers, moves in arrays, sets of states as bit masks."""

from __future__ import annotations

from array import array
from typing import Protocol

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Otherwise,
    Transition,
)
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.behaviour import (
    Behaviour,
    CompiledOperation,
    compile_behaviour,
    has_data,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word

StateMask = int
"""A set of states: bit `i` is set where state `i`, in the author's order, is in it."""


class TablesHolder(Protocol):
    """Whatever holds a machine: the value that users have, or an instance."""

    @property
    def tables(self) -> MachineTables:
        """The tables of the machine that it holds."""
        ...


@frozen(eq=False)
class MachineTables:
    """A machine, ready to be asked.

    Complexity: built once a machine in the number of its transitions; every question is one
    look-up.
    """

    machine: MachineDefinition
    title: str
    """Name and release, for messages: `turnstile`, `shop/Order 2.0`."""
    states: tuple[str, ...]
    """Names in the author's order."""
    events: tuple[str, ...]
    """Every event that `step` takes, in order of first mention; see `events_of`."""
    state_index: dict[str, int]
    """State to its place in `states`."""
    event_index: dict[str, int]
    """Event to its place in `events`."""
    candidates: dict[tuple[str, str], tuple[Transition, ...]]
    """(state, event) to the transitions that may take it, in the author's order, without those that
    are never taken.
    """
    target_indices: array[int]
    """At `state * len(events) + event`: the number of the state that a plain transition leads to,
    else -1.
    """
    target_names: dict[str, dict[str, str]]
    """State, then event, to the state that a plain transition leads to: what embeddings ask
    first.
    """
    successor_masks: tuple[StateMask, ...]
    """By state: where any transition leads, those never taken included."""
    first_transitions: dict[tuple[int, int], Transition]
    """(from, to) to the first transition between the two."""
    predicates: dict[str, StateMask]
    initial: StateMask
    final: StateMask
    declared_targets: dict[str, str]
    """Event to the state that its declaration says it asks for."""
    fallbacks: dict[tuple[str, str], Otherwise | None] = field(factory=dict, repr=False)
    """(state, event) to the `otherwise` entry that counts there: filled as it is asked for."""
    cached_operations: dict[tuple[str, str], tuple[CompiledOperation, ...]] = field(
        factory=dict, repr=False
    )
    """(state, event) to what may take it, compiled: filled as it is asked for."""
    cached_behaviour: list[Behaviour] = field(factory=list, repr=False)
    """The compiled data, where there is any: filled when it is asked for."""
    has_data: bool = False
    """Whether it is more than a table of moves."""
    variables: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    data_free_events: frozenset[str] = frozenset()
    """Events that take, need and change nothing, as those of a table of moves do: they may be asked
    of a state alone.
    """
    cached_initial_snapshots: list[Snapshot] = field(factory=list, repr=False)
    """The beginnings of an instance without parameters: filled when they are asked for."""
    cached_initial_by_parameters: dict[FrozenMap[str, Value], tuple[Snapshot, ...]] = field(
        factory=dict, repr=False
    )
    """The beginnings of the instances with the parameters that were asked for lately."""

    @property
    def behaviour(self) -> Behaviour:
        """The data of the machine, compiled."""
        if not self.cached_behaviour:
            self.cached_behaviour.append(compile_behaviour(self.machine))
        return self.cached_behaviour[0]

    def compiled_operations(self, state: str, event: str) -> tuple[CompiledOperation, ...]:
        """Return what may take an event, compiled, in the author's order: plain transitions, and
        operations with all their cases.

        Args:
            state: in which the event comes.
            event: by name.

        Returns:
            The operations; none where no transition takes the event in this state.
        """
        compiled_operations = self.cached_operations.get((state, event))
        if compiled_operations is None:
            compiled_operations = self.cached_operations[state, event] = (
                self.behaviour.compiled_operations(self.candidates.get((state, event), ()))
            )
        return compiled_operations

    @property
    def tables(self) -> MachineTables:
        """These tables: they hold their machine too."""
        return self

    def checked_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot that a caller has, with its values as the machine has them.

        One that this package made is taken as it is; what a caller made or changed is looked at as
        a whole.

        Args:
            snapshot: of this machine.

        Returns:
            The same snapshot, or an equal one with its values converted.

        Raises:
            ArgumentsError: its state is unknown, or a variable or parameter is missing, unknown or
                not of its type.
        """
        if not isinstance(snapshot, Snapshot):
            raise ArgumentsError(
                f"{snapshot!r} is no snapshot; `start()` returns one, `Snapshot(state, variables,"
                " parameters)` makes any"
            )
        self.index_of_state(snapshot.state)
        made = isinstance(snapshot.variables, FrozenMap) and isinstance(
            snapshot.parameters, FrozenMap
        )
        if (
            made
            and snapshot.variables.keys() == self.variables
            and snapshot.parameters.keys() == self.parameters
        ):
            return snapshot
        return self.behaviour.checked_snapshot(snapshot)

    def state_names(self, states: StateMask) -> tuple[str, ...]:
        """Return the names of a set of states, in the author's order.

        Args:
            states: a bit for each state, by its index.

        Returns:
            The names.
        """
        return tuple(name for index, name in enumerate(self.states) if states >> index & 1)

    def index_of_state(self, state: str) -> int:
        """Return the number of a state.

        Args:
            state: by name.

        Returns:
            Its index, from 0, in the author's order.

        Raises:
            ArgumentsError: the machine has no such state; the message has the nearest name.
        """
        index = self.state_index.get(state)
        if index is None:
            raise unknown_word("state", state, self.states, self.title)
        return index

    def allows(self, source: str, target: str) -> bool:
        """Tell whether a move leads from one state to the other, whatever its event; one that is
        never taken counts.

        Args:
            source: state before the move.
            target: state after it.

        Returns:
            Whether some transition leads there.

        Raises:
            ArgumentsError: the machine has no such state.
        """
        return bool(
            self.successor_masks[self.index_of_state(source)] >> self.index_of_state(target) & 1
        )

    def holds(self, predicate: str, state: str) -> bool:
        """Tell whether a state is in a predicate's set.

        Args:
            predicate: by name.
            state: by name.

        Returns:
            Whether the predicate names the state.

        Raises:
            ArgumentsError: the machine has no such state or predicate.
        """
        states = self.predicates.get(predicate)
        if states is None:
            raise unknown_word("predicate", predicate, self.predicates, self.title)
        return bool(states >> self.index_of_state(state) & 1)


_MACHINE_TABLES: dict[int, MachineTables] = {}
_MOST_MACHINE_TABLES = 1024


def machine_tables(machine: MachineDefinition | TablesHolder) -> MachineTables:
    """Return the tables of a machine; they are built once for a value and kept.

    Args:
        machine: a machine, or what holds one, such as `sm.Machine`.

    Returns:
        Its tables.

    Raises:
        ArgumentsError: it is no machine; a spec, for instance.

    Limits: the tables of 1,024 machines are kept; then it begins anew.
    """
    if not isinstance(machine, MachineDefinition):
        try:
            return machine.tables
        except AttributeError:
            raise ArgumentsError(f"{machine!r} is no machine; `at()` of a spec gives one") from None
    built = _MACHINE_TABLES.get(id(machine))
    if built is None:
        if len(_MACHINE_TABLES) >= _MOST_MACHINE_TABLES:
            _MACHINE_TABLES.clear()
        built = _MACHINE_TABLES[id(machine)] = _build_machine_tables(
            machine
        )  # the tables keep the machine alive, so its id stays its own
    return built


def accepted_events(machine: MachineDefinition) -> tuple[str, ...]:
    """Return every event that may be asked for, in order of first mention.

    A machine that is a table of moves (a transition without event belongs to `to_<TARGET>`) may be
    asked to move to any of its states, also to those to which nothing leads.

    Args:
        machine: with or without declared events.

    Returns:
        The events' names.
    """
    used = dict.fromkeys(
        [event.name for event in machine.events]
        + [transition.event for transition in machine.transitions]
    )
    used |= dict.fromkeys(entry.event for entry in machine.otherwise if entry.event is not None)
    moves = [f"to_{state.name}" for state in machine.states]
    asks_for_moves = (
        not used
        or not used.keys().isdisjoint(moves)
        or any(entry.targets for entry in machine.otherwise)
    )
    return tuple(used | dict.fromkeys(moves)) if asks_for_moves else tuple(used)


def _build_machine_tables(machine: MachineDefinition) -> MachineTables:
    states = tuple(state.name for state in machine.states)
    events = accepted_events(machine)
    number = {name: index for index, name in enumerate(states)}
    event_number = {name: index for index, name in enumerate(events)}
    candidates = _candidates_by_state_and_event(machine)
    taking = {event.name for event in machine.events if event.signature is not None}
    plain = {key: transitions for key, transitions in candidates.items() if key[1] not in taking}
    return MachineTables(
        machine=machine,
        title=f"{machine.name} {machine.release}".strip(),
        states=states,
        events=events,
        state_index=number,
        event_index=event_number,
        candidates=candidates,
        target_indices=_target_indices(plain, number, event_number),
        target_names=_target_names(states, plain),
        successor_masks=_successor_masks(machine, number),
        first_transitions={
            (number[transition.source], number[transition.target]): transition
            for transition in reversed(machine.moves)
        },
        predicates={
            predicate.name: sum({1 << number[name] for name in predicate.states})
            for predicate in machine.predicates
        },
        initial=sum(1 << number[state.name] for state in machine.states if state.initial),
        final=sum(1 << number[state.name] for state in machine.states if state.final),
        declared_targets={
            event.name: event.target
            for event in reversed(machine.events)
            if event.target is not None and event.target in number
        },
        has_data=has_data(machine),
        variables=frozenset(variable.name for variable in machine.data.variables),
        parameters=frozenset(parameter.name for parameter in machine.data.parameters),
        data_free_events=frozenset(events)
        - taking
        - {transition.event for transition in machine.transitions if transition.case is not None},
    )


def _candidates_by_state_and_event(
    machine: MachineDefinition,
) -> dict[tuple[str, str], tuple[Transition, ...]]:
    candidates: dict[tuple[str, str], tuple[Transition, ...]] = {}
    for transition in machine.transitions:
        if transition.taken:
            key = (transition.source, transition.event)
            candidates[key] = (*candidates.get(key, ()), transition)
    return candidates


def _target_indices(
    candidates: dict[tuple[str, str], tuple[Transition, ...]],
    number: dict[str, int],
    event_number: dict[str, int],
) -> array[int]:
    targets = array("i", [-1]) * (len(number) * len(event_number))
    for (state, event), transitions in candidates.items():
        if transitions[0].case is None:
            targets[number[state] * len(event_number) + event_number[event]] = number[
                transitions[0].target
            ]
    return targets


def _target_names(
    states: tuple[str, ...], candidates: dict[tuple[str, str], tuple[Transition, ...]]
) -> dict[str, dict[str, str]]:
    moves: dict[str, dict[str, str]] = {state: {} for state in states}
    for (state, event), transitions in candidates.items():
        if transitions[0].case is None:
            moves[state][event] = transitions[0].target
    return moves


def _successor_masks(machine: MachineDefinition, number: dict[str, int]) -> tuple[StateMask, ...]:
    masks = [0] * len(number)
    for transition in machine.moves:
        masks[number[transition.source]] |= 1 << number[transition.target]
    return tuple(masks)
