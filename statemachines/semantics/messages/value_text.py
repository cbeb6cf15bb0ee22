"""Values as text, and a machine's templates for people."""

from __future__ import annotations

import re
from collections.abc import Callable

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.messages.argument_errors import unknown_word

_TEXT_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def filled_text(machine: MachineDefinition, name: str, snapshot: Snapshot) -> str:
    """Fill one of a machine's texts with a snapshot's values.

    Args:
        machine: has the text.
        name: of the text.
        snapshot: of the machine.

    Returns:
        The text with each placeholder replaced.

    Raises:
        ArgumentsError: the machine has no such text.
    """
    templates = {template.name: template.text for template in machine.data.texts}
    if name not in templates:
        raise unknown_word("text", name, templates, machine.name)
    values = {"state": snapshot.state, **snapshot.parameters, **snapshot.variables}

    def filled(match: re.Match[str]) -> str:
        return match[0][0] if match[1] is None else _format_value(values[match[1]])

    return _TEXT_FIELD.sub(filled, templates[name])


def _format_value(value: Value) -> str:
    """Write a value for people: names without quotes, sets and maps in one order.

    >>> _format_value(frozenset(["b", "a"])), _format_value((1, True)), _format_value(None)
    ('{a, b}', '[1, True]', 'None')
    """
    if isinstance(value, str):
        return value
    return _format_parts(value, _format_value)


def format_literal(value: Value) -> str:
    """Write a value as an expression would have it: names in quotes.

    Args:
        value: of any type.

    Returns:
        One line in the notation of specs; sets and maps in one order.

    >>> format_literal(frozenset(["b", "a"]))
    "{'a', 'b'}"
    """
    return _format_parts(value, format_literal)


def _format_parts(value: Value, write: Callable[[Value], str]) -> str:
    """Write a value with its parts written by another function."""
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(write, value))) + "}" if value else "set()"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(sorted(f"{write(key)}: {write(item)}" for key, item in value.items()))
            + "}"
        )
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        given = (f"{name}={write(item)}" for name, item in zip(fields, value, strict=True))
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(write, value)) + "]"
    return repr(value)
