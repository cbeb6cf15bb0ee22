"""A machine as one of the `transitions` library, for programs that use it already: its callbacks,
its `may_…`, its diagrams.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transitions import Event, State
from transitions import Machine as Bridged

from statemachines.interop.transitions.data_bridge import (
    ONLY_STATE,
    BridgedDataMachine,
    bridge_refusal,
)
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    MachineDefinition,
    Transition,
)
from statemachines.model.definitions.snapshots import Raised, Refused, Snapshot, Value
from statemachines.semantics.machine.initial_snapshots import chosen_snapshot
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.machine.step import forced_target, matching_fallback, step


class _MachineEvent(Event):
    """An event of `transitions` that asks our machine what becomes of it where no transition
    begins.
    """

    def trigger(self, model: Any, *args: Any, **kwargs: Any) -> bool:
        state = self.machine.get_model_state(model).name
        tables: MachineTables = self.machine.tables
        if (
            state in self.transitions
            or state not in tables.state_index
            or self.name not in tables.event_index
        ):
            return bool(super().trigger(model, *args, **kwargs))
        entry = matching_fallback(tables, state, self.name)
        if entry is not None and entry.does is FallbackKind.IGNORE:
            return False
        if entry is not None and entry.does is FallbackKind.FORCE:
            self.machine.set_state(forced_target(tables, state, self.name), model)
            return True
        raise _refusal_of_state(tables, state, self.name)


class _BridgedMachine(Bridged):
    event_cls = _MachineEvent

    def __init__(self, tables: MachineTables, *args: Any, **kwargs: Any) -> None:
        self.tables = tables
        super().__init__(*args, **kwargs)

    def add_machine_transition(self, transition: Transition) -> None:
        self.add_transition(transition.event, transition.source, transition.target)


def to_transitions(
    machine: MachineDefinition | TablesHolder,
    model: Any = None,
    *,
    begin: str | Snapshot | None = None,
    parameters: Mapping[str, Value] | None = None,
    **options: Any,
) -> Any:
    """Return a working `transitions.Machine` that does what the machine does.

    Every event is a trigger, also those that nothing takes: an ignored one returns False, a refused
    one raises `NotAllowed` that is a `MachineError` too, one that raises raises an error of the
    declared name, a forced one changes the state and returns True.

    A machine with data asks its guards, cases and effects for every trigger, with the arguments
    given by name. Each model has `snapshot` (state, variables, parameters) and `answer`, what
    became of its last trigger: callbacks find there what it will be (`answer.after`), and callers
    what it gave back (`answer.returned`). A transition that stays in its state calls no `on_exit`
    and `on_enter`; what a transition raises is raised when its callbacks are done. A machine that
    is all data has the one state `there`.

    Args:
        machine: what to translate.
        model: the object (or list of them) that gets `state`, the triggers and `may_…`; without it
            the machine is its own model.
        begin: the state to begin in, or a snapshot to go on from; the first beginning where nothing
            is said.
        parameters: of a machine that has some, by name.
        options: passed on to `transitions.Machine` (`after_state_change`, `send_event`, …).

    Returns:
        A `transitions.Machine`; states keep the author's order, final ones are marked.

    Raises:
        ImportError: the extra `transitions` is not installed.
        ArgumentsError: no instance begins there, or a parameter does not fit.
        ValueError: a state is called so that `transitions` cannot have it (a machine without states
            and data).

    Limits:
        A forced step calls no callbacks and is no arrow of a diagram, and `may_…` says no to it.
        Transitions that are never taken (`taken: false`), predicates and documentation are not
        carried over. With `queued=True` a forbidden event is answered for the state at the time of
        the call. Diagrams show no guards.
    """
    tables = machine_tables(machine)
    if tables.has_data:
        first = chosen_snapshot(tables, begin, **(parameters or {}))
        options = {"begin": first, **options}
    elif tables.states == ("",):
        raise ValueError(
            f"{tables.title} has no states to speak of: `transitions` needs a name for each"
        )
    else:
        first = chosen_snapshot(tables, begin)
    return _build_bridge(
        tables, BridgedDataMachine if tables.has_data else _BridgedMachine, model, first, options
    )


def _build_bridge(
    tables: MachineTables, kind: Any, model: Any, first: Snapshot, options: dict[str, Any]
) -> Any:
    made = kind(
        tables,
        model="self" if model is None else model,
        states=[
            State(state.name or ONLY_STATE, final=state.final) for state in tables.machine.states
        ],
        initial=first.state or ONLY_STATE,
        auto_transitions=False,
        **{"name": tables.title, **options},
    )
    _add_events(made, tables)
    return made


def _add_events(bridged: Any, tables: MachineTables) -> None:
    """Add a trigger for every event; one that nothing takes gets it by an arrow that is taken away
    again.
    """
    for transition in (
        transition for transitions in tables.candidates.values() for transition in transitions
    ):
        bridged.add_machine_transition(transition)
    for event in tables.events:
        if event not in bridged.events:
            bridged.add_transition(event, tables.states[0] or ONLY_STATE, None)
            bridged.events[event].transitions.clear()


def _refusal_of_state(tables: MachineTables, state: str, event: str) -> Exception:
    answer = step(tables, Snapshot(state), event)
    assert isinstance(answer, Refused | Raised)
    return bridge_refusal(tables, state, event, answer)
