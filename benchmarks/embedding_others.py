"""The same table in libraries of others, for `embedding.py`; what is not installed is left out."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Protocol

import statemachines as sm
from statemachines.semantics.machine.machine_tables import MachineTables


def others(machine: sm.Machine) -> dict[str, Callable[[list[str]], None]]:
    """Return what sends events to a new machine of each library."""
    tables, found = machine.tables, dict[str, Callable[[list[str]], None]]()
    if find_spec("transitions"):
        found["transitions.Machine"] = lambda events: _send(
            sm.to_transitions(machine).trigger, events
        )
    if find_spec("statemachine"):
        kind = python_statemachine(tables)
        found["python-statemachine"] = lambda events: _send(kind().send, events)
    if find_spec("automat"):
        made = automat(tables)
        found["automat"] = lambda events: _call(made(), events)
    return found


def _send(send: Callable[[str], object], events: list[str]) -> None:
    for event in events:
        send(event)


def _call(one: Any, events: list[str]) -> None:
    for act in [getattr(one, event) for event in events]:
        act()


def python_statemachine(tables: MachineTables) -> Any:
    """Return a class of python-statemachine with the same moves."""
    from statemachine import State, StateMachine

    first = tables.state_names(tables.initial)[0]
    states = {name: State(name, initial=name == first) for name in tables.states}
    events: dict[str, Any] = {}
    for source, moves in tables.target_names.items():
        for event, target in moves.items():
            arrow = states[source].to(states[target])
            events[event] = events[event] | arrow if event in events else arrow
    names = {f"s_{name}": state for name, state in states.items()}
    return type("Measured", (StateMachine,), {**names, **events})


def automat(tables: MachineTables) -> Callable[[], Any]:
    """Return what makes a machine of automat with the same moves."""
    from automat import TypeMachineBuilder

    def method(name: str) -> Any:
        def event(self: Any) -> None:
            """Happen."""

        event.__name__, event.__qualname__ = name, f"Inputs.{name}"
        return event

    inputs: Any = type(Protocol)(
        "Inputs", (Protocol,), {name: method(name) for name in tables.events}
    )  # type: ignore[misc]
    builder: Any = TypeMachineBuilder(inputs, object)
    first = tables.state_names(tables.initial)[0]
    ordered = [first, *(name for name in tables.states if name != first)]
    states = {name: builder.state(name) for name in ordered}
    for source, moves in tables.target_names.items():
        for event, target in moves.items():
            states[source].upon(getattr(inputs, event)).to(states[target]).returns(None)
    make = builder.build()
    return lambda: make(object())
