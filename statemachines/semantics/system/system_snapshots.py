"""Snapshots of systems that a caller has: are they of the system, and do their values fit?"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    SystemPart,
    SystemSnapshot,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.channels import Waiting, is_overfull, ordered_waiting, queue_of
from statemachines.semantics.system.shared_variables import snapshots_of_part
from statemachines.semantics.system.system_tables import SystemTables


def checked_system_snapshot(tables: SystemTables, snapshot: SystemSnapshot) -> SystemSnapshot:
    """Return a snapshot that a caller has, with its shared values as the system has them; a part's
    are looked at by its own step.

    Args:
        tables: of the system.
        snapshot: as the caller has it.

    Returns:
        The same snapshot where it is as it should be, else one with values in the system's form.

    Raises:
        ArgumentsError: its parts are not those of the system, or a variable or parameter is
            missing, unknown or not of its type.
    """
    if not isinstance(snapshot, SystemSnapshot):
        raise ArgumentsError(f"{snapshot!r} is no snapshot of a system; `start()` returns one")
    for name in snapshot.parts:
        if name not in tables.parts:
            raise unknown_word("part", name, tables.parts, tables.title)
    if missing := [name for name in tables.parts if name not in snapshot.parts]:
        raise ArgumentsError(f"the snapshot lacks the part `{missing[0]}` of {tables.title}")
    _check_same_variables(tables, snapshot)
    if isinstance(snapshot.variables, FrozenMap) and isinstance(snapshot.parameters, FrozenMap):
        return snapshot
    shared = tables.behaviour.checked_snapshot(
        Snapshot("", snapshot.variables, snapshot.parameters)
    )
    return evolve(snapshot, variables=shared.variables, parameters=shared.parameters)


def wholly_checked_snapshot(tables: SystemTables, snapshot: SystemSnapshot) -> SystemSnapshot:
    """Return a snapshot that comes from elsewhere, with all values as the system has them: those of
    its parts and of what waits too.

    Args:
        tables: of the system.
        snapshot: read from a file or made by a program.

    Returns:
        An equal snapshot whose values have the system's own types.

    Raises:
        ArgumentsError: something in it is missing, unknown or not of its type.
    """
    checked = checked_system_snapshot(tables, snapshot)
    shared = tables.behaviour.checked_snapshot(Snapshot("", checked.variables, checked.parameters))
    parts = {name: _checked_part(tables, name, checked.parts[name]) for name in tables.parts}
    _check_waiting(tables, checked.waiting)
    return SystemSnapshot(
        FrozenMap(parts), shared.variables, shared.parameters, FrozenMap(checked.waiting)
    )


def _checked_part(tables: SystemTables, name: str, held: PartSnapshots) -> PartSnapshots:
    part = tables.parts[name]
    if isinstance(held, Mapping) != (part.each is not None):
        raise ArgumentsError(
            f"`{name}` is one snapshot" if part.each is None else f"`{name}` is a map of snapshots"
        )
    if held is None and not part.optional:
        raise ArgumentsError(f"the part `{name}` is not optional, and the snapshot has none")
    if isinstance(held, Mapping):
        return FrozenMap(
            {key: _checked_part_snapshot(tables, name, snapshot) for key, snapshot in held.items()}
        )
    return None if held is None else _checked_part_snapshot(tables, name, held)


def _checked_part_snapshot(tables: SystemTables, name: str, held: Snapshot) -> Snapshot:
    machine = tables.tables[name]
    machine.index_of_state(held.state)
    return machine.behaviour.checked_snapshot(held)


def _check_waiting(tables: SystemTables, waiting: Waiting) -> None:
    for pending in waiting:
        link = tables.link_of.get(pending.link)
        if link is None or link.send is None or not link.deferred:
            raise ArgumentsError(f"no link sends what waits at {pending}")
        if pending.sender is not None and not queue_of(tables, pending).sender[0]:
            raise ArgumentsError(
                f"the channel `{link.channel}` is shared: what waits there has no sender,"
                f" and {pending.sender!r} is named"
            )
    if ordered_waiting(tables, waiting) != waiting or is_overfull(tables, waiting):
        raise ArgumentsError("the positions of what waits in a channel are not those of its queue")


def _check_same_variables(tables: SystemTables, snapshot: SystemSnapshot) -> None:
    """Refuse a snapshot in which one variable has two values."""
    for same in tables.system.same:
        values = [
            (f"{name}.{variable}", held.variables.get(variable))
            for name, variable in same.members
            for held in snapshots_of_part(snapshot.parts[name])
        ]
        for name, value in values:
            if value != values[0][1]:
                raise ArgumentsError(
                    f"`{values[0][0]}` and `{name}` are the same (`{same.name}`), and the snapshot"
                    f" says {values[0][1]!r} and {value!r}"
                )


def missing_part_message(part: SystemPart, key: Value, held: PartSnapshots) -> str:
    """Say why there is no such one of a part.

    Args:
        part: of the system.
        key: that was asked for.
        held: what there is of the part.

    Returns:
        A clause for an error message.
    """
    if part.each is None:
        return (
            f"`{part.name}` is absent"
            if held is None
            else f"there is one `{part.name}` only; it has no key {key!r}"
        )
    known = ", ".join(repr(key) for key in held) if isinstance(held, Mapping) else ""
    if key is None:
        return f"there are several `{part.name}`, one for each key: say which, of {known or 'none'}"
    return f"`{part.name}` has no key {key!r}; there are {known or 'none'}"
