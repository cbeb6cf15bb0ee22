"""A search of a system that stopped early, kept in a file; see `checkpoints`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from statemachines.explore.checkpoints.checkpoint_files import (
    MOST_COMPARED_ROWS,
    Checkpoint,
    PlainData,
    decode_value,
    encode_value,
    open_checkpoint,
    search_description,
)
from statemachines.explore.checkpoints.value_fingerprints import fingerprint_values
from statemachines.explore.models.system_model import SystemModel, ValueIds
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import PendingEvent
from statemachines.model.language.frozen_values import FrozenMap


def system_checkpoint(path: Path, world: SystemModel, scope: str, how: str) -> Checkpoint:
    """Return the file of a search of a system, with what is in it.

    Args:
        path: of the file; it need not be there.
        world: what is explored.
        scope: what is explored, for a person.
        how: options.

    Raises:
        ArgumentsError: it is no such file, or one of another search.
    """
    one = world.system
    machines = [
        (name, each.states, each.transitions, each.otherwise, each.events, each.data)
        for name, each in one.machines
    ]
    begins = [world.snapshot(row) for row in world.initial_rows[:MOST_COMPARED_ROWS]]
    mark = fingerprint_values(
        one.name,
        one.release,
        one.parts,
        one.links,
        one.data,
        one.same,
        machines,
        world.extent,
        world.extents,
        begins,
        how,
    )
    return open_checkpoint(path, mark, search_description(one.name, one.release, scope, how))


def encode_model(world: SystemModel) -> PlainData:
    """Return what the numbers of a world stand for, and what was left out, as plain data."""
    held = {
        name: list(map(_encode_snapshot, numbers.values))
        for name, numbers in world.part_values.items()
    }
    rest = {
        "shared": list(map(encode_value, _plain_values(world.shared))),
        "parameters": list(map(encode_value, _plain_values(world.parameters))),
    }
    cut = [
        [name, event] for (name, event), draws in world.enumerations.items() if draws.is_truncated
    ]
    return {
        "held": held,
        **rest,
        "waiting": [_encode_waiting(one) for one in world.waiting.values],
        "cut": cut,
    }


def restore_model(world: SystemModel, keep: Checkpoint) -> None:
    """Give a world the numbers that a file uses.

    Raises:
        ArgumentsError: it has others already.
    """
    stored = keep.stored
    columns: list[tuple[ValueIds, list[object]]] = [
        (world.part_values[name], [_decode_snapshot(one) for one in stored["held"][name]])
        for name in world.part_values
    ]
    columns.append((world.shared, [decode_value(one) for one in stored["shared"]]))
    columns.append((world.parameters, [decode_value(one) for one in stored["parameters"]]))
    columns.append((world.waiting, [_decode_waiting(one) for one in stored["waiting"]]))
    for numbers, values in columns:
        if any(numbers.value_id(value) != number for number, value in enumerate(values)):
            raise keep.stale()
    for name, event in stored["cut"]:
        world.argument_enumeration(name, event).is_truncated = True


def _plain_values(numbers: ValueIds) -> list[Value]:
    return numbers.values


def _encode_snapshot(one: object) -> object:
    if not isinstance(one, Snapshot):
        return None
    return [
        one.state,
        encode_value(FrozenMap(one.variables)),
        encode_value(FrozenMap(one.parameters)),
    ]


def _decode_snapshot(told: Any) -> object:
    return (
        None
        if told is None
        else Snapshot(
            told[0], _as_frozen_map(decode_value(told[1])), _as_frozen_map(decode_value(told[2]))
        )
    )


def _encode_waiting(one: object) -> object:
    places: Mapping[PendingEvent, Mapping[str, Value]] = one  # type: ignore[assignment]  # its column holds nothing else
    return [
        [
            at.link,
            encode_value(at.sender),
            encode_value(at.receiver),
            encode_value(FrozenMap(given)),
        ]
        for at, given in places.items()
    ]


def _decode_waiting(told: Any) -> object:
    return FrozenMap(
        {
            PendingEvent(link, decode_value(sender), decode_value(receiver)): decode_value(given)
            for link, sender, receiver, given in told
        }
    )


def _as_frozen_map(value: Value) -> FrozenMap[str, Value]:
    assert isinstance(value, FrozenMap)
    return value
