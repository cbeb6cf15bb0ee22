"""Changes between two machines, as values."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import TypeVar

from attrs import field, frozen

from statemachines.compare.lockstep import Divergence

T = TypeVar("T")


class ChangeKind(enum.StrEnum):
    """What a change is about; the order of a report."""

    STATE = "state"
    DATA = "variable or parameter"
    TRANSITION = "transition"
    REQUEST = "request that nothing takes"
    PREDICATE = "predicate"
    PROPERTY = "property"
    LINE = "log line"


class ChangeSign(enum.StrEnum):
    """Which way it changed."""

    ADDED = "+"
    REMOVED = "-"
    CHANGED = "~"


@frozen
class MachineChange:
    """One thing that is not as it was."""

    about: ChangeKind
    sign: ChangeSign
    what: str
    divergence: Divergence | None = None
    """A shortest run that the two do not answer alike; None where no run shows it."""
    doc: str = field(default="", eq=False)
    is_of_time: bool = field(default=False, eq=False)
    """When a transition is taken, or when that begins to count: runs do not show it."""
    requests: frozenset[tuple[str, str]] = field(default=frozenset(), eq=False)
    """(state, event) of all requests that it tells of."""


def keyed_changes(
    about: ChangeKind, before: dict[str, T], after: dict[str, T], say: Callable[[str, T], str]
) -> Iterator[MachineChange]:
    """Yield a change for each key that came, went or means something else.

    Args:
        about: what the keys are.
        before: of the old machine, by key.
        after: of the new one, by key.
        say: writes a key with its value.

    Yields:
        Changes: keys of the new machine in their order, then those that went.
    """
    for name, thing in after.items():
        if name not in before:
            yield MachineChange(about, ChangeSign.ADDED, say(name, thing))
        elif before[name] != thing:
            yield MachineChange(about, ChangeSign.CHANGED, say(name, thing))
    yield from (
        MachineChange(about, ChangeSign.REMOVED, say(name, thing))
        for name, thing in before.items()
        if name not in after
    )
