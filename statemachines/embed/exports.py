"""Machines for other programs: JSON and SCXML; `tla` has TLA+. Pictures as text (DOT, Mermaid, PlantUML) are the business of `draw`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from statemachines.model.data import Case, Variable
from statemachines.model.machines import Does, Machine, Otherwise, State, Transition
from statemachines.semantics.step import forced_target, manner
from statemachines.semantics.tables import Holder, Tables, tables_of
from statemachines.semantics.wording import wording

FORMAT = "statemachines.machine/1"
SCXML = "http://www.w3.org/2005/07/scxml"
OWN = "urn:statemachines:1"
"""Namespace of what SCXML has no word for."""


class CannotExport(ValueError):
    """A form cannot say what the machine says; the message says what."""


@frozen
class Answered:
    """An event that no transition takes from a state, and that is not just dropped."""

    state: str
    event: str
    entry: Otherwise
    target: str
    """Where it leads all the same, for `force`; the state itself for `raise`."""


def to_json(machine: Machine | Holder) -> str:
    """Write a machine as JSON, in the author's order, two blanks indent, ending in a line feed; log lines and properties are left out.

    Types and expressions of a machine with data are texts of the notation.

    >>> from statemachines.model.machines import Machine, State
    >>> print(to_json(Machine("lamp", "", (State("OFF", initial=True),), ()))[:61])
    {
      "format": "statemachines.machine/1",
      "machine": "lamp",
    """
    told = tables_of(machine).machine
    content = {
        "format": FORMAT,
        "machine": told.name,
        "release": told.release,
        "doc": told.doc,
        "source": told.source,
        "states": [_state(state) for state in told.states],
        "transitions": [_transition(each) for each in told.transitions],
        "otherwise": [_otherwise(entry) for entry in told.otherwise],
        "predicates": {each.name: list(each.states) for each in told.predicates},
        "events": {each.name: each.doc for each in told.events},
        **_data(told),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _state(state: State) -> dict[str, Any]:
    return {"name": state.name, "initial": state.initial, "final": state.final, "group": state.group, "doc": state.doc}


def _transition(each: Transition) -> dict[str, Any]:
    known = {"from": each.source, "to": each.target, "event": each.event, "by": list(each.by)}
    return {**known, "silent": each.silent, "taken": each.taken, "doc": each.doc, **_case(each.case)}


def _case(case: Case | None) -> dict[str, Any]:
    """Return guard, effects and results of a transition, those that it has."""
    if case is None:
        return {}
    returns = dict(case.returns) if isinstance(case.returns, tuple) else {"value": case.returns} if case.returns is not None else {}
    found: dict[str, Any] = {"let": {let.name: wording(let.value) for let in case.lets}}
    found |= {"guard": wording(case.guard) if case.guard else None, "when": wording(case.when) if case.when else None}
    found |= {"effect": {one.variable: wording(one.value) for one in case.effect}, "raises": case.raises}
    found["returns"] = {name: wording(value) for name, value in returns.items()}
    return {key: value for key, value in found.items() if value}


def _data(machine: Machine) -> dict[str, Any]:
    """Return types, parameters, variables and arguments, of a machine that has some."""
    data = machine.data
    arguments = {event.name: event.signature.arguments for event in machine.events if event.signature}
    found = {
        "parameters": {one.name: str(one.type) for one in data.parameters},
        "variables": {one.name: {"type": str(one.type), "initial": _initial(one)} for one in data.variables},
        "arguments": {event: {one.name: str(one.type) for one in taken} for event, taken in arguments.items() if taken},
        "definitions": {one.name: wording(one.body) for one in data.definitions},
    }
    return {key: value for key, value in found.items() if value}


def _initial(variable: Variable) -> str:
    return "any" if variable.initial is None else wording(variable.initial)


def _otherwise(entry: Otherwise) -> dict[str, Any]:
    known = {"does": str(entry.does), "error": entry.error, "from": _listed(entry.sources), "to": _listed(entry.targets)}
    return {**known, "event": entry.event, "doc": entry.doc}


def _listed(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)


def to_scxml(machine: Machine | Holder) -> str:
    """Write a machine as SCXML, the W3C's State Chart XML, ending in a line feed.

    An event that nothing takes is dropped there, as it is where ours ignores or refuses; one that raises raises the internal event
    `error.NAME`, one that is forced is a transition. A state that may be left again, or that is a beginning, is no `<final>` there: it is
    marked in a namespace of ours, as are further beginnings and silent transitions. Transitions that are never taken are left out.

    A machine with data has an ECMAScript datamodel: an event's arguments are the fields of its data; what an operation gives back is the
    internal event `returned.EVENT`. What does not carry over stands in comments on top.

    Raises:
        CannotExport: the machine has no state to begin in, or an expression has no words there.
    """
    tables = tables_of(machine)
    if tables.has_data:
        from statemachines.embed.scxml_data import data_scxml

        return data_scxml(tables)
    begins = tables.names(tables.initial)
    if not begins:
        raise CannotExport(f"{tables.title} has no state to begin in")
    told = tables.machine
    name = token(told.name)
    head = f'<scxml xmlns="{SCXML}" xmlns:sm="{OWN}" version="1.0"{name} initial="{begins[0]}" datamodel="null">'
    about = f"  <!-- {comment(' '.join(part for part in (tables.title, told.doc) if part))} -->"
    body = [line for state in told.states for line in _scxml_state(tables, state, begins)]
    return "\n".join(('<?xml version="1.0" encoding="UTF-8"?>', head, about, *body, "</scxml>")) + "\n"


def _scxml_state(tables: Tables, state: State, begins: tuple[str, ...]) -> Iterator[str]:
    leaving = [each for each in tables.machine.transitions if each.source == state.name and each.taken]
    answers = [each for each in answered(tables) if each.state == state.name]
    marks = ' sm:initial="true"' if state.initial and state.name != begins[0] else ""
    if state.final and not state.initial and not leaving and not answers:
        yield f'  <final id="{state.name}"{marks}/>'
        return
    marks += ' sm:final="true"' if state.final else ""
    inside = [*(_scxml_transition(each) for each in leaving), *(_scxml_answer(each) for each in answers)]
    yield f'  <state id="{state.name}"{marks}>' if inside else f'  <state id="{state.name}"{marks}/>'
    yield from (f"    {line}" for line in inside)
    if inside:
        yield "  </state>"


def _scxml_transition(each: Transition) -> str:
    silent = ' sm:silent="true"' if each.silent else ""
    return f'<transition event="{each.event}" target="{each.target}"{silent}/>'


def _scxml_answer(each: Answered) -> str:
    if each.entry.does is Does.FORCE:
        return f'<transition event="{each.event}" target="{each.target}" sm:otherwise="force"/>'
    raised = f'<raise event="error.{each.entry.error}"/>'
    return f'<transition event="{each.event}" sm:otherwise="raise">{raised}</transition>'


def answered(tables: Tables) -> tuple[Answered, ...]:
    """Return the requests that no transition takes and that raise, or that change the state all the same."""
    found = []
    for state in tables.states:
        for event in tables.events:
            entry = None if (state, event) in tables.candidates else manner(tables, state, event)
            if entry is not None and entry.does in (Does.RAISE, Does.FORCE):
                target = forced_target(tables, state, event) if entry.does is Does.FORCE else state
                found.append(Answered(state, event, entry, target))
    return tuple(found)


def token(name: str) -> str:
    """Return the attribute of a name, where there is one: SCXML allows no slashes and blanks in it."""
    called = re.sub(r"\W+", "_", name)
    return f' name="{called}"' if name else ""


def comment(text: str) -> str:
    """Write a text so that it does not end an XML comment."""
    return re.sub(r"-(?=-|$)", "- ", " ".join(text.split()))
