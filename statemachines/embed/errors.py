"""What an embedded machine raises."""

from __future__ import annotations

from functools import cache


class NotAllowed(Exception):
    """An event that nothing allows where the instance is; the instance is as it was.

    >>> print(NotAllowed("turnstile", "", "LOCKED", "push", ("coin",)))
    turnstile: `push` is not allowed in LOCKED; legal here: `coin`
    >>> print(NotAllowed("Order", "2.0", "CLOSED", "pay", (), "raise TooLate"))
    Order 2.0: `pay` is not allowed in CLOSED; nothing is legal here; the system would raise TooLate
    >>> print(NotAllowed("counter", "", "", "up", ("down",), why="`count < limit` is false"))
    counter: `up` is not allowed in its only state: `count < limit` is false; legal here: `down`
    """

    def __init__(
        self,
        machine: str,
        release: str,
        state: str,
        event: str,
        legal: tuple[str, ...],
        does: str = "refuse",
        why: str = "",
    ) -> None:
        Exception.__init__(
            self, machine, release, state, event, legal, does, why
        )  # beside it may stand an error of another library
        self.machine = machine
        self.release = release
        """Empty for a machine without a family."""
        self.state = state
        self.event = event
        self.legal = legal
        """Other events that a transition from here may take, in the author's order; of those with
        arguments guards are not asked.
        """
        self.does = does
        """What the system does with it: `refuse`, or `raise X`."""
        self.why = why
        """Which guards were false; empty where no transition from here has the event."""

    def __str__(self) -> str:
        title = f"{self.machine} {self.release}".strip()
        legal = ", ".join(f"`{event}`" for event in self.legal)
        sentences = (
            f"{title}: `{self.event}` is not allowed in"
            f" {self.state or 'its only state'}{f': {self.why}' if self.why else ''}; "
        )
        sentences += (
            f"legal here: {legal}"
            if legal
            else f"nothing {'else ' if self.why else ''}is legal here"
        )
        return sentences if self.does == "refuse" else f"{sentences}; the system would {self.does}"


class Declared(Exception):
    """An error that a spec declares; each name has a class of its own, see `declared`."""


@cache
def declared(name: str) -> type[Declared]:
    """Return the class of the errors that specs call `name`; always the same one.

    Args:
        name: of an error that a spec declares.

    Returns:
        A subclass of `Declared`.

    >>> declared("TooLate").__name__, declared("TooLate") is declared("TooLate")
    ('TooLate', True)
    """
    return type(name, (Declared,), {"__module__": __name__, "__reduce__": _reduce_declared})


@cache
def not_allowed(name: str) -> type[NotAllowed]:
    """Return the class that is both `declared(name)` and NotAllowed: what `otherwise: [{does: raise
    NAME}]` raises.

    Args:
        name: of an error that a fallback raises.

    Returns:
        A subclass of both.

    >>> issubclass(not_allowed("TooLate"), declared("TooLate"))
    True
    """
    return type(
        name,
        (declared(name), NotAllowed),
        {"__module__": __name__, "__reduce__": _reduce_not_allowed},
    )


def _reduce_declared(error: Declared) -> tuple[object, ...]:
    return _rebuild, (declared, type(error).__name__, error.args)


def _reduce_not_allowed(error: NotAllowed) -> tuple[object, ...]:
    return _rebuild, (not_allowed, type(error).__name__, error.args)


def _rebuild(class_of: object, name: str, arguments: tuple[object, ...]) -> object:
    assert callable(class_of)
    return class_of(name)(*arguments)
