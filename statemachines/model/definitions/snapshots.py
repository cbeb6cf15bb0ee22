"""What a machine is at one moment, and its five answers to an event."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from statemachines.model.definitions.machine_definitions import Otherwise, Transition
from statemachines.model.values import frozen

Value = object
"""A value of the notation: bool, int, str, None, frozenset, tuple, an immutable map, a named tuple.
"""
NamedValues = Mapping[str, Value]


@frozen
class Snapshot:
    """State and variables of a machine at one moment."""

    state: str
    variables: Mapping[str, Value] = field(factory=dict)
    parameters: Mapping[str, Value] = field(factory=dict)

    def replace(self, state: str | None = None, **changes: Value) -> Snapshot:
        """Return a copy in another state, or with other values of variables; what the machine says
        of it is said where it is used.

        Args:
            state: none: the same. No variable may be called so.
            changes: new values by variable; parameters are fixed for an instance.

        Returns:
            A new snapshot; this one stays as it is.

        >>> Snapshot("OPEN", {"balance": 3, "owner": None}).replace(balance=4)
        Snapshot(state='OPEN', variables={'balance': 4, 'owner': None}, parameters={})
        >>> Snapshot("OPEN", {"balance": 3}).replace(state="SHUT")
        Snapshot(state='SHUT', variables={'balance': 3}, parameters={})
        """
        variables = {**self.variables, **changes} if changes else self.variables
        return Snapshot(self.state if state is None else state, variables, self.parameters)


@frozen
class Advanced:
    """A transition took the event."""

    after: Snapshot
    decided_by: Transition
    returned: Value = None
    error: str | None = None
    candidates: tuple[Transition, ...] = ()
    """Transitions of this event from this state whose guards were false."""


@frozen
class Ignored:
    """The event was swallowed; nothing changed."""

    after: Snapshot
    decided_by: Otherwise | None
    returned: Value = None
    error: str | None = None
    candidates: tuple[Transition, ...] = ()


@frozen
class Refused:
    """The system said no; nothing changed."""

    after: Snapshot
    decided_by: Otherwise | None
    """None where no entry of `otherwise` says so: refusing is the default."""
    returned: Value = None
    error: str | None = None
    candidates: tuple[Transition, ...] = ()
    reason: str = field(default="", eq=False)
    """Which guard was false, or which variable would have left its type; empty where no transition
    from here has the event.
    """


@frozen
class Raised:
    """An exception left the system; a transition's may have effects."""

    after: Snapshot
    decided_by: Otherwise | Transition
    returned: Value = None
    error: str | None = None
    candidates: tuple[Transition, ...] = ()
    reason: str = field(default="", eq=False)
    """Which guard was false, where `otherwise` raises for what no transition takes."""


@frozen
class Forced:
    """The state was changed although nothing allows it."""

    after: Snapshot
    decided_by: Otherwise
    returned: Value = None
    error: str | None = None
    candidates: tuple[Transition, ...] = ()


Answer = Advanced | Ignored | Refused | Raised | Forced
