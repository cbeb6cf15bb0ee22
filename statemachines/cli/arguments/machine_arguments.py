"""Arguments that name a machine; shells complete them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem


def completed_machine_names(
    _: click.Context, __: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete the name of a machine, by its whole name or its last part.

    Args:
        begun: what was typed so far.

    Returns:
        Names of the catalogue that begin so, in its order.
    """
    from statemachines.api.queries.catalogue import machine_names

    return [
        CompletionItem(name)
        for name in machine_names()
        if name.startswith(begun) or name.rpartition("/")[2].startswith(begun)
    ]


def machine_argument() -> Callable[[Any], Any]:
    """Return the argument NAME."""
    return click.argument("name", metavar="NAME", shell_complete=completed_machine_names)


def release_option() -> Callable[[Any], Any]:
    """Return the option --release."""
    return click.option(
        "--release", metavar="R", help="A release, or a minor line such as 2.5 for its newest."
    )
