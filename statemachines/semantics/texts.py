"""Values as text, and a machine's templates for people."""

from __future__ import annotations

import re
from collections.abc import Callable

from statemachines.model.machines import Machine
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.mistakes import unknown

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def text(machine: Machine, name: str, snapshot: Snapshot) -> str:
    """Fill one of a machine's texts with a snapshot's values.

    Raises:
        ArgumentsError: the machine has no such text.
    """
    templates = {template.name: template.text for template in machine.data.texts}
    if name not in templates:
        raise unknown("text", name, templates, machine.name)
    values = {"state": snapshot.state, **snapshot.parameters, **snapshot.variables}

    def filled(found: re.Match[str]) -> str:
        return found[0][0] if found[1] is None else plain(values[found[1]])

    return _FIELD.sub(filled, templates[name])


def plain(value: Value) -> str:
    """Write a value for people: names without quotes, sets and maps in one order.

    >>> plain(frozenset(["b", "a"])), plain((1, True)), plain(None)
    ('{a, b}', '[1, True]', 'None')
    """
    if isinstance(value, str):
        return value
    return _written(value, plain)


def exact(value: Value) -> str:
    """Write a value as an expression would have it: names in quotes.

    >>> exact(frozenset(["b", "a"]))
    "{'a', 'b'}"
    """
    return _written(value, exact)


def _written(value: Value, write: Callable[[Value], str]) -> str:
    """Write a value with its parts written by another function."""
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(write, value))) + "}" if value else "set()"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{write(key)}: {write(item)}" for key, item in value.items())) + "}"
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return f"{type(value).__name__}({', '.join(f'{name}={write(item)}' for name, item in zip(fields, value, strict=True))})"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(write, value)) + "]"
    return repr(value)
