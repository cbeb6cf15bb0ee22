"""`completion`: what a shell needs to complete verbs, options and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from statemachines.cli.arguments.option_types import WordChoice
from statemachines.cli.console import terminal

_SHELLS = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/config.fish"}


@click.command()
@click.argument("shell", type=WordChoice(list(_SHELLS)))
def verb(shell: str) -> int:
    """Print the script that completes verbs, options and names of machines.

    \b
    statemachines completion bash >> ~/.bashrc
    statemachines completion zsh >> ~/.zshrc
    statemachines completion fish > ~/.config/fish/completions/statemachines.fish
    """
    from statemachines.cli.root import program

    kind = get_completion_class(shell)
    assert kind is not None
    terminal.print_lines([kind(program, {}, "statemachines", "_STATEMACHINES_COMPLETE").source()])
    return 0
