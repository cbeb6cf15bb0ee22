"""Variables of several parts that are one: parts made to have the same value."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from statemachines.model.definitions.snapshots import (
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.system.system_tables import SystemTables


def shared_parts(
    tables: SystemTables, parts: Mapping[str, PartSnapshots]
) -> dict[str, PartSnapshots]:
    """Return the parts of a system at its beginning, each variable that is the same as the first
    part has it that is there.

    Args:
        tables: of the system.
        parts: by name, each as its machine begins.

    Returns:
        The parts by name; new values only where something is shared.
    """
    shared = dict(parts)
    for same_variable in tables.system.same:
        values = [
            held.variables[variable]
            for name, variable in same_variable.members
            for held in snapshots_of_part(parts[name])
        ]
        for name, variable in same_variable.members if values else ():
            shared[name] = _with_variable(shared[name], variable, values[0])
    return shared


def snapshots_of_part(held: PartSnapshots) -> tuple[Snapshot, ...]:
    """Return what there is of a part.

    Args:
        held: a snapshot, or one for each key, or None.

    Returns:
        Those that are there, in the order of their keys.
    """
    if isinstance(held, Mapping):
        return tuple(held.values())
    return () if held is None else (held,)


def _with_variable(held: PartSnapshots, variable: str, value: Value) -> PartSnapshots:
    """Return a part in which a variable has a value; the very same where it has it already."""
    if isinstance(held, Mapping):
        if all(snapshot.variables[variable] == value for snapshot in held.values()):
            return held
        return FrozenMap(
            {key: _snapshot_with(snapshot, variable, value) for key, snapshot in held.items()}
        )
    return None if held is None else _snapshot_with(held, variable, value)


def _snapshot_with(held: Snapshot, variable: str, value: Value) -> Snapshot:
    if held.variables[variable] == value:
        return held
    return evolve(held, variables=FrozenMap({**held.variables, variable: value}))
