"""Scopes of a search as a person writes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.semantics.messages.argument_errors import ArgumentsError

_QUOTED_OR_CHARACTER = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|.""", re.DOTALL)
"""A text in quotes, or one character."""
_INTEGER_RANGE = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})")


def scope_from_texts(
    definition: MachineDefinition | SystemDefinition, texts: Iterable[str]
) -> ExplorationScope:
    """Read a scope: `Task=3` (values of an `id` type), `int=0..3`, `list=4` (the longest),
    `limit=3` (a parameter, as Python writes it).

    Args:
        definition: a machine or a system in one release.
        texts: one or more settings each, between commas.

    Returns:
        The scope; what no text names is as the spec has it.

    Raises:
        ArgumentsError: it is none of these.
    """
    sizes, parameters = dict[str, int](), dict[str, Value]()
    integers, longest = None, None
    named = {parameter.name for parameter in definition.data.parameters}
    for text in (part for whole in texts for part in _comma_separated(whole) if part.strip()):
        name, _, value = (part.strip() for part in text.partition("="))
        if name in named:
            parameters[name] = _python_value(name, value)
        elif name == "int" and (numbers := _INTEGER_RANGE.fullmatch(value)):
            integers = int(numbers[1]), int(numbers[2])
        elif (number := natural_number(value)) is None:
            raise ArgumentsError(
                f"`{text}` is no scope; write `Task=3`, `int=0..3`, `list=4`, or a parameter and"
                " its value"
            )
        elif name == "list":
            longest = number
        else:
            sizes[name] = number
    return ExplorationScope(sizes, integers, longest, parameters)


def natural_number(text: str) -> int | None:
    """Read a number of things; None for what is none, or has more than nine digits.

    >>> natural_number("3"), natural_number("-3"), natural_number("³")
    (3, None, None)

    Args:
        text: as a person wrote it.

    Returns:
        0 or more.
    """
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def _comma_separated(text: str) -> list[str]:
    """Cut a text at its commas, those within brackets and quotes left alone.

    >>> _comma_separated("Task=3, stock={'tea, green': [1, 2], 'milk': []},int=0..3")
    ['Task=3', " stock={'tea, green': [1, 2], 'milk': []}", 'int=0..3']
    """
    parts, depth = [""], 0
    for piece in _QUOTED_OR_CHARACTER.findall(text):
        depth += (piece in "([{") - (piece in ")]}")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _python_value(name: str, text: str) -> Value:
    try:
        value: Value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ArgumentsError(
            f"`{text}` is no value for the parameter `{name}`; write it as Python does, words in"
            " quotes"
        ) from None
    return value
