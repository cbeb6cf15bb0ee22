"""How an instance of a machine begins."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.initial_values import initial_variables
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError

_MOST_CACHED_PARAMETERS = 64
"""Parameters whose beginnings are kept."""


def initial_snapshots(
    machine: MachineDefinition | TablesHolder, /, **parameters: Value
) -> tuple[Snapshot, ...]:
    """Return every snapshot in which an instance may begin, in the author's order of the states.

    Args:
        machine: what instances are of.
        parameters: of the instance, by name; all where the machine has any.

    Returns:
        The snapshots; several where states, or first values, may be chosen.

    Raises:
        ArgumentsError: a parameter that the machine does not have.
    """
    tables = machine_tables(machine)
    if parameters or tables.machine.data.parameters:
        return _cached_initial_snapshots(
            tables, FrozenMap(tables.behaviour.checked_parameters(parameters))
        )
    if not tables.cached_initial_snapshots:
        tables.cached_initial_snapshots.extend(_compute_initial_snapshots(tables, {}))
    return tuple(tables.cached_initial_snapshots)


def initial_snapshot(machine: MachineDefinition | TablesHolder, /, **parameters: Value) -> Snapshot:
    """Return the only snapshot in which an instance begins.

    Args:
        machine: what the instance is of.
        parameters: of the instance, by name; all where the machine has any.

    Returns:
        The snapshot.

    Raises:
        ArgumentsError: there are several (the message names their states), or a parameter that the
            machine does not have.
    """
    snapshots = initial_snapshots(machine, **parameters)
    if len(snapshots) != 1:
        title = machine_tables(machine).title
        states = ", ".join(f"`{snapshot.state}`" for snapshot in snapshots)
        raise ArgumentsError(
            f"{title} has {len(snapshots)} beginnings ({states}); `starts()` gives all of them"
        )
    return snapshots[0]


def chosen_snapshot(
    machine: MachineDefinition | TablesHolder, begin: str | Snapshot | None, /, **parameters: Value
) -> Snapshot:
    """Return the snapshot in which an instance shall begin or go on.

    Args:
        machine: what it is an instance of.
        begin: a state in which instances may begin; or any snapshot, to go on from; None: the first
            beginning in the author's order.
        parameters: of the instance; with a snapshot: none, it has its own.

    Returns:
        The snapshot, with its values as the machine has them.

    Raises:
        ArgumentsError: no instance begins there, or the snapshot is none of this machine: its
            state, a variable, a parameter.
    """
    tables = machine_tables(machine)
    if begin is None:
        return initial_snapshots(tables, **parameters)[0]
    if isinstance(begin, Snapshot):
        if parameters:
            raise ArgumentsError(
                "a snapshot has its own parameters; it cannot be given"
                f" {', '.join(map('`{}`'.format, parameters))} too"
            )
        return tables.checked_snapshot(begin)
    if not isinstance(begin, str):
        raise ArgumentsError(
            f"an instance begins in a state, named by a text, or in a snapshot; {begin!r} is"
            " neither"
        )
    snapshots = initial_snapshots(tables, **parameters)
    for snapshot in snapshots:
        if snapshot.state == begin:
            return snapshot
    tables.index_of_state(begin)
    hint = did_you_mean("", [snapshot.state for snapshot in snapshots])
    raise ArgumentsError(
        f"no instance of {tables.title} begins in `{begin}`; {hint}: give a snapshot to go on from"
        " any state"
    )


def _cached_initial_snapshots(
    tables: MachineTables, parameters: FrozenMap[str, Value]
) -> tuple[Snapshot, ...]:
    """Return the initial snapshots for some parameters; the last few answers are kept."""
    if parameters not in tables.cached_initial_by_parameters:
        if len(tables.cached_initial_by_parameters) >= _MOST_CACHED_PARAMETERS:
            tables.cached_initial_by_parameters.clear()
        tables.cached_initial_by_parameters[parameters] = _compute_initial_snapshots(
            tables, parameters
        )
    return tables.cached_initial_by_parameters[parameters]


def _compute_initial_snapshots(
    tables: MachineTables, parameters: Mapping[str, Value]
) -> tuple[Snapshot, ...]:
    initial = tuple(initial_variables(tables.behaviour, parameters)) if tables.has_data else ({},)
    states = [state.name for state in tables.machine.states if state.initial]
    snapshots = [
        Snapshot(state, FrozenMap(variables), FrozenMap(parameters))
        for state in states
        for variables in initial
    ]
    condition = tables.machine.data.initially
    if condition is None:
        return tuple(snapshots)
    holds = tables.behaviour.evaluator(condition)
    return tuple(
        snapshot
        for snapshot in snapshots
        if holds(snapshot.state, snapshot.variables, snapshot.parameters)
    )
