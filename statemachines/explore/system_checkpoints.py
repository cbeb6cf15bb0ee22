"""A search of a system that stopped early, kept in a file; see `checkpoints`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from statemachines.explore.checkpoints import MOST_BEGINNINGS, Checkpoint, Stored, about, checkpoint_at, decoded, encoded
from statemachines.explore.marks import mark_of
from statemachines.explore.system_world import Numbers, SystemWorld
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.systems import Waiting
from statemachines.model.values import FrozenMap


def system_checkpoint(path: Path, world: SystemWorld, scope: str, how: str) -> Checkpoint:
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
    machines = [(name, each.states, each.transitions, each.otherwise, each.events, each.data) for name, each in one.machines]
    begins = [world.snapshot(row) for row in world.begins[:MOST_BEGINNINGS]]
    mark = mark_of(one.name, one.release, one.parts, one.links, one.data, machines, world.extent, world.extents, begins, how)
    return checkpoint_at(path, mark, about(one.name, one.release, scope, how))


def world_stored(world: SystemWorld) -> Stored:
    """Return what the numbers of a world stand for, and what was left out, as plain data."""
    held = {name: list(map(_snapshot, numbers.values)) for name, numbers in world.held.items()}
    rest = {"shared": list(map(encoded, _values(world.shared))), "parameters": list(map(encoded, _values(world.parameters)))}
    cut = [[name, event] for (name, event), draws in world.draws.items() if draws.cut]
    return {"held": held, **rest, "waiting": [_waiting(one) for one in world.waiting.values], "cut": cut}


def restore_world(world: SystemWorld, keep: Checkpoint) -> None:
    """Give a world the numbers that a file uses.

    Raises:
        ArgumentsError: it has others already.
    """
    stored = keep.stored
    columns: list[tuple[Numbers, list[object]]] = [
        (world.held[name], [_read_snapshot(one) for one in stored["held"][name]]) for name in world.held
    ]
    columns.append((world.shared, [decoded(one) for one in stored["shared"]]))
    columns.append((world.parameters, [decoded(one) for one in stored["parameters"]]))
    columns.append((world.waiting, [_read_waiting(one) for one in stored["waiting"]]))
    for numbers, values in columns:
        if any(numbers.number(value) != number for number, value in enumerate(values)):
            raise keep.stale()
    for name, event in stored["cut"]:
        world.draws_of(name, event).cut = True


def _values(numbers: Numbers) -> list[Value]:
    return numbers.values


def _snapshot(one: object) -> object:
    if not isinstance(one, Snapshot):
        return None
    return [one.state, encoded(FrozenMap(one.variables)), encoded(FrozenMap(one.parameters))]


def _read_snapshot(told: Any) -> object:
    return None if told is None else Snapshot(told[0], _map(decoded(told[1])), _map(decoded(told[2])))


def _waiting(one: object) -> object:
    places: Mapping[Waiting, Mapping[str, Value]] = one  # type: ignore[assignment]  # its column holds nothing else
    return [[at.link, encoded(at.sender), encoded(at.receiver), encoded(FrozenMap(given))] for at, given in places.items()]


def _read_waiting(told: Any) -> object:
    return FrozenMap({Waiting(link, decoded(sender), decoded(receiver)): decoded(given) for link, sender, receiver, given in told})


def _map(value: Value) -> FrozenMap[str, Value]:
    assert isinstance(value, FrozenMap)
    return value
