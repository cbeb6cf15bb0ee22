"""The values that every generated system is made of: text that does not depend on the spec."""

from __future__ import annotations

RUNTIME_VALUES = '''

class ArgumentsError(ValueError):
    """Arguments against their types, or a part that is not there: a mistake of the caller."""


class NotAllowed(Exception):
    """An event that nothing allows here; all parts are as they were."""

    def __init__(self, state: str, event: str, legal: tuple[str, ...], *clauses: str) -> None:
        super().__init__(state, event, legal, *clauses)
        self.part = ""
        self.state = state
        self.event = event
        self.legal = tuple(other for other in legal if other != event)
        told = tuple(dict.fromkeys(f"`{clause}`" for clause in clauses))
        self.why = f"{' and '.join(told)} {'is' if len(told) == 1 else 'are'} false" if told else ""

    def __str__(self) -> str:
        name = f"{self.part}.{self.event}" if self.part else self.event
        legal = ", ".join(f"`{event}`" for event in self.legal) or "nothing"
        where = f"`{name}` is not allowed" + (f" in {self.state}" if self.state else " now")
        why = f": {self.why}" if self.why else ""
        return f"{SYSTEM} {RELEASE}".strip() + f": {where}{why}; legal here: {legal}"


class Waiting(NamedTuple):
    """An event that was sent and has not arrived, and what may become of it."""

    part: str
    receiver: Hashable
    event: str
    arguments: Mapping[str, Any]
    queue: tuple[Hashable, ...]
    position: int
    fate: str


class _Step(NamedTuple):
    """What a part has done."""

    key: Any
    event: str
    arguments: Mapping[str, Any]
    before: Any
    after: Any
    taken: bool
    result: Any

    def enters(self, *states: str) -> bool:
        """Tell whether the part has come to one of some states."""
        state = getattr(self.after, "state", "")
        again = self.taken and self.event == f"to_{state}"
        return (again or state != getattr(self.before, "state", "")) and state in states

    def leaves(self, *states: str) -> bool:
        """Tell whether the part has left one of some states."""
        state = getattr(self.before, "state", "")
        return state != getattr(self.after, "state", "") and state in states


class _Event(NamedTuple):
    """An event of a part: how it happens, and where it is forced."""

    act: Callable[..., Any]
    may: Callable[..., bool]
    forced: tuple[str, ...] = ()
    channel: str = ""


class _Part(NamedTuple):
    """A part: where the system keeps it, and what its steps do."""

    attribute: str
    keyed: bool
    events: Mapping[str, _Event]
    ends: tuple[str, ...] = ()
    same: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    forbids: tuple[Callable[[Any, _Step], str], ...] = ()
    links: tuple[Callable[[Any, _Step], None], ...] = ()


class _Route(NamedTuple):
    """Where what a link sends waits, and what may become of it there."""

    name: Hashable
    sender: str
    part: str
    event: str
    holds: int = 0
    may: tuple[str, ...] = ()
    full: str = "refuse"
    shared: bool = False
    keeps_refused: bool = False


class _Sent(NamedTuple):
    """An event in a queue."""

    route: _Route
    arguments: Mapping[str, Any]


class _Undone(Exception):
    """Something for which there is no room: nothing of the event has happened."""


def _order(value: Any) -> tuple[str, int, str]:
    """Return what keys of a part are sorted by."""
    if isinstance(value, int):
        return "0", value, ""
    parts = sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)
    return type(value).__name__, 0, str(parts)


'''
"""Errors, what waits, and what is known of steps, events, parts and routes."""
