"""What a program hands to `bind` beside its actions: listeners, and classes for declared errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.diagnosis.suggestions import did_you_mean

ListenerT = TypeVar("ListenerT", bound=Callable[..., Any])


class BindingError(ValueError):
    """What is bound has a name that the machine does not have, or cannot be called."""


def checked_listeners(when: str, listeners: Iterable[ListenerT]) -> tuple[ListenerT, ...]:
    """Return the listeners of a program.

    Args:
        when: `before` or `after`.
        listeners: what was handed over for them.

    Returns:
        All of them, in their order.

    Raises:
        BindingError: they are not several, or one of them cannot be called.
    """
    if callable(listeners) or not isinstance(listeners, Iterable):
        raise BindingError(f"`{when}` takes a list of listeners, such as `{when}=[print]`")
    accepted = tuple(listeners)
    for listener in accepted:
        if not callable(listener):
            raise BindingError(f"listener {listener!r} of `{when}` cannot be called")
    return accepted


def checked_errors(
    title: str,
    machines: Iterable[MachineDefinition],
    errors: Mapping[str, type[Exception]] | None,
) -> dict[str, type[Exception]]:
    """Return the classes that are raised for errors of a spec.

    Args:
        title: of the machine or system, for messages.
        machines: those whose errors they are.
        errors: name of an error to the program's class for it.

    Returns:
        The same; empty where nothing is said.

    Raises:
        BindingError: no machine has an error of that name, or what stands for one is no class of
            exceptions.
    """
    known = dict.fromkeys(name for machine in machines for name in _error_names(machine))
    for name, kind in (errors or {}).items():
        if name not in known:
            hint = did_you_mean(name, known) if known else "it raises none"
            raise BindingError(f"{title} has no error `{name}`; {hint}")
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise BindingError(f"error `{name}`: {kind!r} is no class of exceptions")
    return dict(errors or {})


def _error_names(machine: MachineDefinition) -> list[str]:
    """Return the errors that are declared or raised."""
    cases = (transition.case for transition in machine.transitions)
    return [
        *(error.name for error in machine.data.errors),
        *(entry.error for entry in machine.otherwise if entry.error is not None),
        *(case.raises for case in cases if case is not None and case.raises is not None),
    ]
