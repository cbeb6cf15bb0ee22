"""Snapshots as JSON: to be kept by a program, and refused where they belong to another machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.frozen_values import FrozenMap, record_class
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError

_SNAPSHOT_FORMAT = "statemachines.snapshot/1"


class StrangerError(ValueError):
    """A snapshot that is not one of this machine in this release."""


def to_json(machine: MachineDefinition | TablesHolder, snapshot: Snapshot) -> str:
    """Write a snapshot with the machine and the release that it belongs to; equal snapshots give
    equal texts.

    Args:
        machine: what the snapshot is of.
        snapshot: what is written.

    Returns:
        JSON text.

    Raises:
        TypeError: an id is of a class that JSON does not have (ids may be any hashable; `str`,
            `int`, `bool` can be written).
    """
    tables = machine_tables(machine)
    written = {
        "format": _SNAPSHOT_FORMAT,
        "machine": tables.machine.name,
        "release": tables.machine.release,
        "state": snapshot.state,
        "variables": json_values(snapshot.variables),
        "parameters": json_values(snapshot.parameters),
    }
    return json.dumps(written, ensure_ascii=False)


def from_json(machine: MachineDefinition | TablesHolder, text: str) -> Snapshot:
    """Read a snapshot of this machine.

    Args:
        machine: what the snapshot is of.
        text: as `to_json` wrote it.

    Returns:
        A snapshot, checked against the machine.

    Raises:
        StrangerError: it is of another machine or release, of a state that this one does not have,
            or no snapshot at all.
    """
    tables = machine_tables(machine)
    read = json_object(text)
    if read.get("format") != _SNAPSHOT_FORMAT:
        raise StrangerError(
            f"it is no snapshot: `format` is {read.get('format')!r}, not {_SNAPSHOT_FORMAT!r}"
        )
    theirs, ours = (
        [read.get("machine"), read.get("release")],
        [tables.machine.name, tables.machine.release],
    )
    if theirs != ours:
        raise StrangerError(
            f"it is a snapshot of {' '.join(map(str, theirs)).strip()}, not of {tables.title}"
        )
    if not isinstance(read.get("state"), str) or read["state"] not in tables.state_index:
        raise StrangerError(
            f"it is in state {read.get('state')!r}, which {tables.title} does not have (an older"
            " edition of the spec?)"
        )
    return _checked_snapshot(
        tables,
        Snapshot(
            read["state"],
            values_from_json(read.get("variables")),
            values_from_json(read.get("parameters")),
        ),
    )


def _checked_snapshot(tables: MachineTables, snapshot: Snapshot) -> Snapshot:
    """Look whether the values are those of this machine's variables and parameters."""
    if not (tables.has_data or snapshot.variables or snapshot.parameters):
        return snapshot
    known = [variable.name for variable in tables.machine.data.variables]
    if sorted(known) != sorted(snapshot.variables):
        theirs, ours = ", ".join(snapshot.variables) or "none", ", ".join(known) or "none"
        raise StrangerError(
            f"it has the variables {theirs}; {tables.title} has {ours} (an older edition of the"
            " spec?)"
        )
    try:
        return tables.behaviour.checked_snapshot(snapshot)
    except ArgumentsError as wrong:
        raise StrangerError(f"it does not fit {tables.title}: {wrong}") from None


def json_object(text: str) -> dict[str, Any]:
    """Return the object that a text is.

    Args:
        text: JSON.

    Returns:
        Its keys and values.

    Raises:
        StrangerError: it is none.
    """
    try:
        read = json.loads(text)
    except RecursionError:
        raise StrangerError("it is no snapshot: it is nested too deeply") from None
    except ValueError as error:
        raise StrangerError(f"it is no snapshot: {error}") from error
    if not isinstance(read, dict):
        raise StrangerError(f"it is no snapshot: {text[:40]!r} is not an object")
    return read


def values_from_json(read: Any) -> FrozenMap[str, Value]:
    """Return values as they were before they were written.

    Args:
        read: what a reader of JSON made of it.

    Returns:
        The values by name.

    Raises:
        StrangerError: it is no object of values.
    """
    if not isinstance(read, dict):
        raise StrangerError("it is no snapshot: `variables` and `parameters` are objects")
    try:
        return FrozenMap({name: value_from_json(value) for name, value in read.items()})
    except StrangerError:
        raise
    except (
        TypeError,
        ValueError,
        RecursionError,
    ):  # a record's field that is no name, a pair of three, a set of what has no hash
        raise StrangerError("it is no snapshot: a value in it is none") from None


def json_values(values: Mapping[str, Value]) -> dict[str, Any]:
    """Return values by name so that they are read as they were.

    Args:
        values: of variables or parameters.

    Returns:
        What a writer of JSON takes.
    """
    return {name: value_to_json(value) for name, value in sorted(values.items())}


def value_to_json(value: Any) -> Any:
    """Write a value so that it is read as it was: what JSON has no words for is an object with one
    key that says what it is.

    Args:
        value: one of the notation's.

    Returns:
        What a writer of JSON takes.

    Raises:
        TypeError: an id is of a class that JSON does not have.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case Mapping():
            return {
                "map": sorted(
                    ([value_to_json(key), value_to_json(member)] for key, member in value.items()),
                    key=json.dumps,
                )
            }
        case frozenset() | set():
            return {"set": sorted(map(value_to_json, value), key=json.dumps)}
        case tuple() if hasattr(value, "_fields"):
            return {
                "record": type(value).__name__,
                "fields": {name: value_to_json(getattr(value, name)) for name in value._fields},
            }
        case tuple() | list():
            return [value_to_json(member) for member in value]
        case _:
            raise TypeError(f"{value!r} cannot be written as JSON")


def value_from_json(written: Any) -> Value:
    """Return a value as it was before it was written.

    Args:
        written: as `value_to_json` gave it.

    Returns:
        A value of the notation.

    Raises:
        StrangerError: it is none.
    """
    match written:
        case {"map": entries}:
            return FrozenMap(
                {value_from_json(key): value_from_json(value) for key, value in entries}
            )
        case {"set": elements}:
            return frozenset(map(value_from_json, elements))
        case {"record": str(name), "fields": dict(fields)}:
            return record_class(name, tuple(fields))(*map(value_from_json, fields.values()))
        case list():
            return tuple(map(value_from_json, written))
        case None | bool() | int() | str():
            return written
        case _:
            raise StrangerError(f"it is no snapshot: {written!r} is no value")
