"""How an instance of a machine begins."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.model.machines import Machine
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.suggestions import did_you_mean
from statemachines.model.values import FrozenMap
from statemachines.semantics.choices import first_values
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.tables import Holder, Tables, tables_of

KEPT = 64
"""Parameters whose beginnings are kept."""


def starts(machine: Machine | Holder, /, **parameters: Value) -> tuple[Snapshot, ...]:
    """Return every snapshot in which an instance may begin, in the author's order of the states.

    Raises:
        ArgumentsError: a parameter that the machine does not have.
    """
    tables = tables_of(machine)
    if parameters or tables.machine.data.parameters:
        return _begun(tables, FrozenMap(tables.behaviour.parameters(parameters)))
    if not tables.born:
        tables.born.extend(_beginnings(tables, {}))
    return tuple(tables.born)


def start(machine: Machine | Holder, /, **parameters: Value) -> Snapshot:
    """Return the only snapshot in which an instance begins.

    Raises:
        ArgumentsError: there are several (the message names their states), or a parameter that the machine does not have.
    """
    found = starts(machine, **parameters)
    if len(found) != 1:
        title = tables_of(machine).title
        states = ", ".join(f"`{each.state}`" for each in found)
        raise ArgumentsError(f"{title} has {len(found)} beginnings ({states}); `starts()` gives all of them")
    return found[0]


def beginning(machine: Machine | Holder, begin: str | Snapshot | None, /, **parameters: Value) -> Snapshot:
    """Return the snapshot in which an instance shall begin or go on.

    Args:
        machine: what it is an instance of.
        begin: a state in which instances may begin; or any snapshot, to go on from; None: the first beginning in the author's order.
        parameters: of the instance; with a snapshot: none, it has its own.

    Raises:
        ArgumentsError: no instance begins there, or the snapshot is none of this machine: its state, a variable, a parameter.
    """
    tables = tables_of(machine)
    if begin is None:
        return starts(tables, **parameters)[0]
    if isinstance(begin, Snapshot):
        if parameters:
            raise ArgumentsError(f"a snapshot has its own parameters; it cannot be given {', '.join(map('`{}`'.format, parameters))} too")
        return tables.usable(begin)
    if not isinstance(begin, str):
        raise ArgumentsError(f"an instance begins in a state, named by a text, or in a snapshot; {begin!r} is neither")
    found = starts(tables, **parameters)
    for each in found:
        if each.state == begin:
            return each
    tables.place(begin)
    hint = did_you_mean("", [each.state for each in found])
    raise ArgumentsError(f"no instance of {tables.title} begins in `{begin}`; {hint}: give a snapshot to go on from any state")


def _begun(tables: Tables, parameters: FrozenMap[str, Value]) -> tuple[Snapshot, ...]:
    """Return the beginnings with some parameters, found once as long as few others are asked for."""
    if parameters not in tables.begun:
        if len(tables.begun) >= KEPT:
            tables.begun.clear()
        tables.begun[parameters] = _beginnings(tables, parameters)
    return tables.begun[parameters]


def _beginnings(tables: Tables, parameters: Mapping[str, Value]) -> tuple[Snapshot, ...]:
    beginnings = tuple(first_values(tables.behaviour, parameters)) if tables.has_data else ({},)
    states = [state.name for state in tables.machine.states if state.initial]
    found = [Snapshot(state, FrozenMap(variables), FrozenMap(parameters)) for state in states for variables in beginnings]
    condition = tables.machine.data.initially
    if condition is None:
        return tuple(found)
    holds = tables.behaviour.evaluate(condition)
    return tuple(each for each in found if holds(each.state, each.variables, each.parameters))
