"""Values as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import PendingEvent
from statemachines.model.language.frozen_values import FrozenMap, make_record


def encode_value(value: Value) -> object:
    """Write a value as plain data.

    >>> encode_value(frozenset([("a", 1)]))
    {'set': [{'list': ['a', 1]}]}

    Args:
        value: as a snapshot has it.

    Returns:
        What JSON can write.
    """
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return {
            "record": type(value).__name__,
            "fields": list(fields),
            "values": [encode_value(item) for item in value],
        }
    match value:
        case tuple():
            return {"list": [encode_value(item) for item in value]}
        case frozenset():
            return {"set": [encode_value(item) for item in sorted(value, key=repr)]}
        case dict():
            return {"map": [[encode_value(key), encode_value(item)] for key, item in value.items()]}
    return value


def decode_value(data: Any) -> Value:
    """Read a value from plain data.

    Args:
        data: as JSON has it.

    Returns:
        The value that was written.
    """
    if not isinstance(data, dict):
        value: Value = data
        return value
    if "record" in data:
        made: Value = make_record(
            data["record"], tuple(data["fields"]), [decode_value(item) for item in data["values"]]
        )
        return made
    if "map" in data:
        return FrozenMap({decode_value(key): decode_value(item) for key, item in data["map"]})
    if "set" in data:
        return frozenset(decode_value(item) for item in data["set"])
    return tuple(decode_value(item) for item in data["list"])


def encode_waiting(waiting: Mapping[PendingEvent, Mapping[str, Value]]) -> object:
    """Write what waits as plain data.

    Args:
        waiting: places and arguments.

    Returns:
        What JSON can write.
    """
    return [
        [
            at.link,
            at.position,
            encode_value(at.sender),
            encode_value(at.receiver),
            encode_value(FrozenMap(given)),
        ]
        for at, given in waiting.items()
    ]


def decode_waiting(data: Any) -> FrozenMap[PendingEvent, Value]:
    """Read what waits from plain data.

    Args:
        data: as JSON has it.

    Returns:
        Places and arguments.
    """
    return FrozenMap(_decoded_event(*encoded) for encoded in data)


def _decoded_event(
    link: int, position: int, sender: Any, receiver: Any, given: Any
) -> tuple[PendingEvent, Value]:
    pending = PendingEvent(link, decode_value(sender), decode_value(receiver), position)
    return pending, decode_value(given)
