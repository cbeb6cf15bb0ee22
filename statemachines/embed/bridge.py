"""A machine as one of the `transitions` library, for programs that use it already: its callbacks, its `may_…`, its diagrams."""

from __future__ import annotations

from typing import Any

from transitions import Event, MachineError, State
from transitions import Machine as Bridged

from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import failure
from statemachines.model.machines import Does, Machine
from statemachines.model.snapshots import Raised, Refused, Snapshot
from statemachines.semantics.step import forced_target, manner, step
from statemachines.semantics.tables import Holder, Tables, tables_of


class RefusedByMachine(NotAllowed, MachineError):
    """A refusal, as both libraries know it."""


class _Asked(Event):
    """An event of `transitions` that asks our machine what becomes of it where no transition begins."""

    def trigger(self, model: Any, *args: Any, **kwargs: Any) -> bool:
        state = self.machine.get_model_state(model).name
        tables: Tables = self.machine.tables
        if state in self.transitions or state not in tables.number or self.name not in tables.event_number:
            return bool(super().trigger(model, *args, **kwargs))
        entry = manner(tables, state, self.name)
        if entry is not None and entry.does is Does.IGNORE:
            return False
        if entry is not None and entry.does is Does.FORCE:
            self.machine.set_state(forced_target(tables, state, self.name), model)
            return True
        raise _error(tables, state, self.name)


class _Machine(Bridged):
    event_cls = _Asked

    def __init__(self, tables: Tables, *args: Any, **kwargs: Any) -> None:
        self.tables = tables
        super().__init__(*args, **kwargs)


def to_transitions(machine: Machine | Holder, model: Any = None, *, begin: str | None = None, **options: Any) -> Any:
    """Return a working `transitions.Machine` that does what the machine does.

    Every event is a trigger, also those that nothing takes: an ignored one returns False, a refused one raises `NotAllowed` that is a
    `MachineError` too, one that raises raises an error of the declared name, a forced one changes the state and returns True.

    Args:
        machine: what to translate.
        model: the object (or list of them) that gets `state`, the triggers and `may_…`; without it the machine is its own model.
        begin: the state to begin in; the first beginning where nothing is said.
        options: passed on to `transitions.Machine` (`after_state_change`, `send_event`, …).

    Returns:
        A `transitions.Machine`; states keep the author's order, final ones are marked.

    Raises:
        ImportError: the extra `transitions` is not installed.
        ValueError: a state is called so that `transitions` cannot have it (a machine without states).

    Limits:
        A forced step calls no callbacks and is no arrow of a diagram, and `may_…` says no to it. Transitions that are never taken
        (`taken: false`), predicates and documentation are not carried over. With `queued=True` a forbidden event is answered for the
        state at the time of the call. Guards and effects are not carried over: machines with variables are refused.
    """
    tables = tables_of(machine)
    _refuse_what_cannot_be_said(tables)
    states = [State(state.name, final=state.final) for state in tables.machine.states]
    bridged = _Machine(
        tables,
        model="self" if model is None else model,
        states=states,
        initial=begin if begin is not None else tables.names(tables.initial)[0],
        auto_transitions=False,
        **{"name": tables.title, **options},
    )
    _add_events(bridged, tables)
    return bridged


def _add_events(bridged: Any, tables: Tables) -> None:
    """Add a trigger for every event; one that nothing takes gets it by an arrow that is taken away again."""
    for arrow in (arrow for arrows in tables.candidates.values() for arrow in arrows):
        bridged.add_transition(arrow.event, arrow.source, arrow.target)
    for event in tables.events:
        if event not in bridged.events:
            bridged.add_transition(event, tables.states[0], None)
            bridged.events[event].transitions.clear()


def _refuse_what_cannot_be_said(tables: Tables) -> None:
    if tables.states == ("",):
        raise ValueError(f"{tables.title} has no states to speak of: `transitions` needs a name for each")
    if any(arrow.case is not None for arrow in tables.machine.transitions):
        raise ValueError(f"{tables.title} has guards or effects, which `transitions` has no words for; use `machine.instance()`")


def _error(tables: Tables, state: str, event: str) -> Exception:
    answer = step(tables, Snapshot(state), event)
    assert isinstance(answer, Refused | Raised)
    told = failure(tables, state, event, answer)
    assert isinstance(told, NotAllowed)
    return told if answer.error is not None else RefusedByMachine(*told.args)
