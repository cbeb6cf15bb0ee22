"""A program under test, as the machine sees it: called, and looked at."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Set
from typing import Any

from attrs import field, frozen

from statemachines.embed.instances import Instance
from statemachines.model.snapshots import Value
from statemachines.model.values import FrozenMap

MISSING = object()
"""What a subject shows that has no such attribute."""


@frozen
class Outcome:
    """What became of a call: a value, or an exception."""

    value: Value = None
    error: Exception | None = None

    def __str__(self) -> str:
        return f"returned {self.value!r}" if self.error is None else f"raised {type(self.error).__name__}: {self.error}"


@frozen
class Manners:
    """How a subject says what the machine says."""

    refusals: tuple[type[Exception], ...]
    errors: Mapping[str, type[Exception]] = field(factory=dict)
    """A declared error's name to the subject's class, where the class is called differently."""
    observe: Mapping[str, str | Callable[[Any], Value]] = field(factory=dict)
    """A variable (or `state`) to the subject's attribute, or to a function of the subject."""

    def is_error(self, error: Exception, name: str) -> bool:
        """Tell whether an exception is the declared error: by the given class, or by the name of its class or one it inherits from."""
        given = self.errors.get(name)
        return isinstance(error, given) if given is not None else name in {each.__name__ for each in type(error).__mro__}


def call(subject: Any, event: str, arguments: Mapping[str, Value]) -> Outcome:
    """Call the subject's method of an event; what it raises is an outcome."""
    try:
        return Outcome(subject.send(event, **arguments) if isinstance(subject, Instance) else getattr(subject, event)(**arguments))
    except Exception as error:  # whatever the subject raises is its behaviour, and is compared with the machine's
        return Outcome(error=error)


def understands(subject: Any, event: str) -> bool:
    """Tell whether the subject has a method for an event."""
    return isinstance(subject, Instance) or callable(getattr(subject, event, None))


def look(subject: Any, name: str, manners: Manners) -> Value:
    """Return what the subject shows under a name, as a value of the machine; MISSING where it shows nothing."""
    way = manners.observe.get(name, name)
    if callable(way):
        return as_value(way(subject))
    if isinstance(subject, Instance) and way != "state":
        return as_value(subject.variables.get(way, MISSING))
    shown = getattr(subject, way, MISSING)
    return as_value(shown() if callable(shown) else shown)


def as_value(shown: Any) -> Value:
    """Return a value of the notation for what a program holds: lists are tuples, sets frozensets, maps hash, enumerations `str`.

    >>> as_value({"tea": [1, 2]}) == FrozenMap({"tea": (1, 2)})
    True
    """
    match shown:
        case enum.Enum():
            return shown.value if isinstance(shown.value, str) else shown.name
        case str():
            return shown
        case Mapping():
            return FrozenMap({as_value(key): as_value(value) for key, value in shown.items()})
        case Set():
            return frozenset(map(as_value, shown))
        case list() | tuple():
            return getattr(shown, "_make", tuple)([as_value(each) for each in shown])  # a record stays one
        case _:
            return shown
