"""Machines for other programs: JSON and SCXML; `tla` has TLA+.

Pictures as text (DOT, Mermaid, PlantUML) are the business of `draw`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from statemachines.interop.export_limits import CannotExport
from statemachines.interop.scxml.scxml_data_writer import data_scxml
from statemachines.interop.scxml.scxml_text import (
    OWN_NAMESPACE,
    SCXML_NAMESPACE,
    comment_text,
    name_attribute,
)
from statemachines.model.definitions.data_definitions import Case, Variable
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    MachineDefinition,
    Otherwise,
    State,
    Transition,
)
from statemachines.model.evidence.durations import exact_duration
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.machine.step import forced_target, matching_fallback
from statemachines.semantics.messages.expression_text import format_expression

_MACHINE_FORMAT = "statemachines.machine/1"


@frozen
class FallbackStep:
    """An event that no transition takes from a state, and that is not just dropped."""

    state: str
    event: str
    entry: Otherwise
    target: str
    """Where it leads all the same, for `force`; the state itself for `raise`."""


def to_json(machine: MachineDefinition | TablesHolder) -> str:
    """Write a machine as JSON, in the author's order, two blanks indent, ending in a line feed; log
    lines and properties are left out.

    Types and expressions of a machine with data are texts of the notation.

    Args:
        machine: in one release.

    Returns:
        JSON text.

    >>> from statemachines.model.definitions.machine_definitions import MachineDefinition, State
    >>> print(to_json(MachineDefinition("lamp", "", (State("OFF", initial=True),), ()))[:61])
    {
      "format": "statemachines.machine/1",
      "machine": "lamp",
    """
    definition = machine_tables(machine).machine
    content = {
        "format": _MACHINE_FORMAT,
        "machine": definition.name,
        "release": definition.release,
        "doc": definition.doc,
        "source": definition.source,
        "states": [_state_data(state) for state in definition.states],
        "transitions": [_transition_data(transition) for transition in definition.transitions],
        "otherwise": [_fallback_data(entry) for entry in definition.otherwise],
        "predicates": {
            predicate.name: list(predicate.states) for predicate in definition.predicates
        },
        "events": {event.name: event.doc for event in definition.events},
        **_data_members(definition),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _state_data(state: State) -> dict[str, Any]:
    return {
        "name": state.name,
        "initial": state.initial,
        "final": state.final,
        "group": state.group,
        "doc": state.doc,
    }


def _transition_data(transition: Transition) -> dict[str, Any]:
    known = {
        "from": transition.source,
        "to": transition.target,
        "event": transition.event,
        "by": list(transition.by),
    }
    return {
        **known,
        "silent": transition.silent,
        "taken": transition.taken,
        **({"after_ms": transition.after_ms} if transition.after_ms else {}),
        **({"restarts": True} if transition.restarts else {}),
        "doc": transition.doc,
        **_case_data(transition.case),
    }


def _case_data(case: Case | None) -> dict[str, Any]:
    """Return guard, effects and results of a transition, those that it has."""
    if case is None:
        return {}
    returns = (
        dict(case.returns)
        if isinstance(case.returns, tuple)
        else {"value": case.returns}
        if case.returns is not None
        else {}
    )
    members: dict[str, Any] = {"let": {let.name: format_expression(let.value) for let in case.lets}}
    members |= {
        "guard": format_expression(case.guard) if case.guard else None,
        "when": format_expression(case.when) if case.when else None,
    }
    members |= {
        "effect": {
            assignment.variable: format_expression(assignment.value) for assignment in case.effect
        },
        "raises": case.raises,
    }
    members["returns"] = {name: format_expression(value) for name, value in returns.items()}
    return {key: value for key, value in members.items() if value}


def _data_members(machine: MachineDefinition) -> dict[str, Any]:
    """Return types, parameters, variables and arguments, of a machine that has some."""
    data = machine.data
    arguments = {
        event.name: event.signature.arguments for event in machine.events if event.signature
    }
    members = {
        "parameters": {parameter.name: str(parameter.type) for parameter in data.parameters},
        "variables": {
            variable.name: {"type": str(variable.type), "initial": _initial_text(variable)}
            for variable in data.variables
        },
        "arguments": {
            event: {argument.name: str(argument.type) for argument in taken}
            for event, taken in arguments.items()
            if taken
        },
        "definitions": {
            definition.name: format_expression(definition.body) for definition in data.definitions
        },
    }
    return {key: value for key, value in members.items() if value}


def _initial_text(variable: Variable) -> str:
    return "any" if variable.initial is None else format_expression(variable.initial)


def _fallback_data(entry: Otherwise) -> dict[str, Any]:
    known = {
        "does": str(entry.does),
        "error": entry.error,
        "from": _list_or_none(entry.sources),
        "to": _list_or_none(entry.targets),
    }
    return {**known, "event": entry.event, "doc": entry.doc}


def _list_or_none(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)


def to_scxml(machine: MachineDefinition | TablesHolder) -> str:
    """Write a machine as SCXML, the W3C's State Chart XML, ending in a line feed.

    An event that nothing takes is dropped there, as it is where ours ignores or refuses; one that
    raises raises the internal event `error.NAME`, one that is forced is a transition. A state that
    may be left again, or that is a beginning, is no `<final>` there: it is marked in a namespace of
    ours, as are further beginnings and silent transitions. Transitions that are never taken are
    left out.

    A machine with data has an ECMAScript datamodel: an event's arguments are the fields of its
    data; what an operation gives back is the internal event `returned.EVENT`. What does not carry
    over stands in comments on top.

    Args:
        machine: in one release.

    Returns:
        An SCXML document.

    Raises:
        CannotExport: the machine has no state to begin in, or an expression has no words there.

    Source: W3C, State Chart XML (SCXML), 2015.
    """
    tables = machine_tables(machine)
    if tables.has_data:
        return data_scxml(tables)
    initial_states = tables.state_names(tables.initial)
    if not initial_states:
        raise CannotExport(f"{tables.title} has no state to begin in")
    definition = tables.machine
    name = name_attribute(definition.name)
    head = (
        f'<scxml xmlns="{SCXML_NAMESPACE}" xmlns:sm="{OWN_NAMESPACE}" version="1.0"{name}'
        f' initial="{initial_states[0]}" datamodel="null">'
    )
    title = " ".join(part for part in (tables.title, definition.doc) if part)
    about = f"  <!-- {comment_text(title)} -->"
    body = [
        line
        for state in definition.states
        for line in _scxml_state_lines(tables, state, initial_states)
    ]
    return (
        "\n".join(('<?xml version="1.0" encoding="UTF-8"?>', head, about, *body, "</scxml>")) + "\n"
    )


def _scxml_state_lines(
    tables: MachineTables, state: State, initial_states: tuple[str, ...]
) -> Iterator[str]:
    leaving = [
        transition
        for transition in tables.machine.transitions
        if transition.source == state.name and transition.taken
    ]
    answers = [step for step in fallback_steps(tables) if step.state == state.name]
    attributes = ' sm:initial="true"' if state.initial and state.name != initial_states[0] else ""
    if state.final and not state.initial and not leaving and not answers:
        yield f'  <final id="{state.name}"{attributes}/>'
        return
    attributes += ' sm:final="true"' if state.final else ""
    timed = any(transition.after_ms for transition in leaving)
    inside = [
        *(_scxml_transition(transition, timed=timed) for transition in leaving),
        *(_scxml_fallback(answer) for answer in answers),
    ]
    yield (
        f'  <state id="{state.name}"{attributes}>'
        if inside
        else f'  <state id="{state.name}"{attributes}/>'
    )
    yield from (f"    {line}" for line in inside)
    if inside:
        yield "  </state>"


def _scxml_transition(transition: Transition, *, timed: bool) -> str:
    """Return a transition; one that only stays where time counts has no target: it enters none."""
    stays = timed and transition.source == transition.target and not transition.restarts
    attributes = ' sm:silent="true"' if transition.silent else ""
    attributes += (
        f' sm:after="{exact_duration(transition.after_ms)}"' if transition.after_ms else ""
    )
    target = "" if stays else f' target="{transition.target}"'
    return f'<transition event="{transition.event}"{target}{attributes}/>'


def _scxml_fallback(step: FallbackStep) -> str:
    if step.entry.does is FallbackKind.FORCE:
        return f'<transition event="{step.event}" target="{step.target}" sm:otherwise="force"/>'
    raised = f'<raise event="error.{step.entry.error}"/>'
    return f'<transition event="{step.event}" sm:otherwise="raise">{raised}</transition>'


def fallback_steps(tables: MachineTables) -> tuple[FallbackStep, ...]:
    """Return the requests that no transition takes and that raise, or that change the state all the
    same.

    Args:
        tables: those of the machine.

    Returns:
        State, event and what becomes of it, in the author's order.
    """
    steps = []
    for state in tables.states:
        for event in tables.events:
            entry = (
                None
                if (state, event) in tables.candidates
                else matching_fallback(tables, state, event)
            )
            if entry is not None and entry.does in (FallbackKind.RAISE, FallbackKind.FORCE):
                target = (
                    forced_target(tables, state, event)
                    if entry.does is FallbackKind.FORCE
                    else state
                )
                steps.append(FallbackStep(state, event, entry, target))
    return tuple(steps)
