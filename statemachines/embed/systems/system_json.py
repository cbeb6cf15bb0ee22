"""Snapshots of systems as JSON: refused where they belong to another system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from statemachines.embed.snapshot_json import (
    StrangerError,
    json_object,
    json_values,
    value_from_json,
    value_to_json,
    values_from_json,
)
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    PendingEvent,
    SystemSnapshot,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_snapshots import wholly_checked_snapshot
from statemachines.semantics.system.system_tables import SystemTables

_SYSTEM_SNAPSHOT_FORMAT = "statemachines.system-snapshot/1"


def system_to_json(tables: SystemTables, snapshot: SystemSnapshot) -> str:
    """Write a snapshot with the system and the release that it belongs to; equal snapshots give
    equal texts.

    Args:
        tables: those of the machine.
        snapshot: what is written.

    Returns:
        JSON text.

    Raises:
        TypeError: a value is of a class that JSON does not have.
    """
    waiting = [_written_pending(pending, given) for pending, given in snapshot.waiting.items()]
    written = {
        "format": _SYSTEM_SNAPSHOT_FORMAT,
        "system": tables.system.name,
        "release": tables.system.release,
        "parts": {name: _written_part(held) for name, held in sorted(snapshot.parts.items())},
        "variables": json_values(snapshot.variables),
        "parameters": json_values(snapshot.parameters),
        "waiting": sorted(waiting, key=json.dumps),
    }
    return json.dumps(written, ensure_ascii=False)


def system_from_json(tables: SystemTables, text: str) -> SystemSnapshot:
    """Read a snapshot of this system.

    Args:
        tables: those of the machine.
        text: as `system_to_json` wrote it.

    Returns:
        A snapshot, checked against the system.

    Raises:
        StrangerError: it is of another system or release, does not fit this one, or is no snapshot
            at all.
    """
    read = json_object(text)
    if read.get("format") != _SYSTEM_SNAPSHOT_FORMAT:
        raise StrangerError(
            f"it is no snapshot: `format` is {read.get('format')!r},"
            f" not {_SYSTEM_SNAPSHOT_FORMAT!r}"
        )
    theirs = [read.get("system"), read.get("release")]
    if theirs != [tables.system.name, tables.system.release]:
        title = " ".join(map(str, theirs)).strip()
        raise StrangerError(f"it is a snapshot of {title}, not of {tables.title}")
    try:
        return wholly_checked_snapshot(tables, _read_snapshot(read))
    except ArgumentsError as wrong:
        raise StrangerError(f"it does not fit {tables.title}: {wrong}") from None


def _read_snapshot(read: Mapping[str, Any]) -> SystemSnapshot:
    try:
        parts = {name: _read_part(held) for name, held in read["parts"].items()}
        waiting = dict(map(_read_pending, read["waiting"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise StrangerError("it is no snapshot: a part or what waits is none") from None
    return SystemSnapshot(
        FrozenMap(parts),
        values_from_json(read.get("variables")),
        values_from_json(read.get("parameters")),
        FrozenMap(waiting),
    )


def _written_part(held: PartSnapshots) -> Any:
    if held is None:
        return None
    if isinstance(held, Mapping):
        written = [
            [value_to_json(key), _written_snapshot(snapshot)] for key, snapshot in held.items()
        ]
        return {"each": sorted(written, key=json.dumps)}
    return _written_snapshot(held)


def _read_part(written: Any) -> PartSnapshots:
    if written is None:
        return None
    if "each" in written:
        return FrozenMap(
            {
                value_from_json(key): _read_part_snapshot(snapshot)
                for key, snapshot in written["each"]
            }
        )
    return _read_part_snapshot(written)


def _written_snapshot(held: Snapshot) -> dict[str, Any]:
    return {
        "state": held.state,
        "variables": json_values(held.variables),
        "parameters": json_values(held.parameters),
    }


def _read_part_snapshot(written: Any) -> Snapshot:
    return Snapshot(
        written["state"],
        values_from_json(written["variables"]),
        values_from_json(written["parameters"]),
    )


def _written_pending(pending_event: PendingEvent, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "link": pending_event.link,
        "sender": value_to_json(pending_event.sender),
        "receiver": value_to_json(pending_event.receiver),
        "position": pending_event.position,
        "arguments": json_values(given),
    }


def _read_pending(written: Any) -> tuple[PendingEvent, FrozenMap[str, Any]]:
    sender, receiver = value_from_json(written["sender"]), value_from_json(written["receiver"])
    pending = PendingEvent(int(written["link"]), sender, receiver, int(written.get("position", 0)))
    return pending, values_from_json(written["arguments"])
