"""Machines with data as machines of the `transitions` library: each trigger is answered by `step`,
and its one transition is taken.
"""

from __future__ import annotations

from typing import Any

from transitions import Event, MachineError
from transitions import Machine as Bridged
from transitions import Transition as Arrow

from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import not_allowed_error
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Forced,
    Ignored,
    Raised,
    Refused,
    Snapshot,
)
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import step

ONLY_STATE = "there"
"""What the one state of a machine is called that is all data: `transitions` needs a name for each.
"""


class RefusedByMachine(NotAllowed, MachineError):
    """A refusal, as both libraries know it."""


def bridge_refusal(
    tables: MachineTables, state: str, event: str, answer: Refused | Raised
) -> Exception:
    """Build the error for an event that was not allowed, as both libraries know it.

    Args:
        tables: of the machine.
        state: in which it was asked.
        event: what was asked.
        answer: what `step` says of it.

    Returns:
        An exception, to be raised.
    """
    error = not_allowed_error(tables, state, event, answer)
    assert isinstance(error, NotAllowed)
    return error if answer.error is not None else RefusedByMachine(*error.args)


class _DecidedTransition(Arrow):
    """A transition that is taken where our machine decided so; it writes the variables with the
    state.
    """

    def __init__(self, *args: Any, transition: Transition | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.transition = transition

    def _eval_conditions(self, event_data: Any) -> bool:
        return event_data.model.answer.decided_by is self.transition and bool(
            super()._eval_conditions(event_data)
        )

    def _change_state(self, event_data: Any) -> None:
        event_data.model.snapshot = event_data.model.answer.after
        if self.dest != self.source:
            super()._change_state(event_data)


class _AnsweredEvent(Event):
    """An event of `transitions` that our machine answers."""

    def trigger(self, model: Any, *args: Any, **kwargs: Any) -> bool:
        state = self.machine.get_model_state(model).name
        if self.transitions.get(state):
            return bool(super().trigger(model, *args, **kwargs))
        return self._apply_fallback(model, kwargs)

    def _process(self, event_data: Any) -> bool:
        model, before = event_data.model, event_data.model.snapshot.state
        model.answer = answer = self._answer(model, event_data.kwargs)
        if not isinstance(answer.decided_by, Transition):
            event_data.result = self._apply_fallback(model, event_data.kwargs)
            return bool(event_data.result)
        super()._process(event_data)
        if isinstance(answer, Raised) and event_data.result:
            raise not_allowed_error(self.machine.tables, before, self.name, answer)
        return bool(event_data.result)

    def _answer(self, model: Any, arguments: dict[str, Any]) -> Any:
        return step(self.machine.tables, model.snapshot, self.name, **arguments)

    def _apply_fallback(self, model: Any, arguments: dict[str, Any]) -> bool:
        """Do what becomes of an event that no transition takes."""
        model.answer = answer = self._answer(model, arguments)
        if isinstance(answer, Ignored):
            return False
        if isinstance(answer, Forced):
            model.snapshot = answer.after
            self.machine.set_state(answer.after.state or ONLY_STATE, model)
            return True
        raise bridge_refusal(self.machine.tables, model.snapshot.state, self.name, answer)


class BridgedDataMachine(Bridged):
    """A machine of `transitions` whose models have a snapshot."""

    event_cls = _AnsweredEvent
    transition_cls = _DecidedTransition

    def __init__(self, tables: MachineTables, *args: Any, begin: Snapshot, **kwargs: Any) -> None:
        self.tables = tables
        self.begin = begin
        super().__init__(*args, **kwargs)

    def add_model(self, model: Any, initial: Any = None) -> None:
        """Register a model, which begins where all do.

        Args:
            model: the object that gets the events as methods.
            initial: as for `add_model` of the library.
        """
        for host in model if isinstance(model, list) else [model]:
            own: Any = self if host == self.self_literal else host
            own.snapshot, own.answer = self.begin, None
        super().add_model(model, initial)

    def add_machine_transition(self, transition: Transition) -> None:
        """Add one of our transitions.

        Args:
            transition: one of the machine's.
        """
        self.add_transition(
            transition.event,
            transition.source or ONLY_STATE,
            transition.target or ONLY_STATE,
            transition=transition,
        )

    def _can_trigger(self, model: Any, trigger: str, *args: Any, **kwargs: Any) -> bool:
        answer = step(self.tables, model.snapshot, trigger, **kwargs)
        return isinstance(answer, Advanced) and bool(
            super()._can_trigger(model, trigger, *args, **kwargs)  # type: ignore[misc]  # transitions is not typed
        )
