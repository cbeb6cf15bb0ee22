"""`lint`: everything that is wrong with specs."""

from __future__ import annotations

import click

from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.cli.outcomes.exit_codes import BAD_INPUT, FINE, FOUND


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC…]", type=click.Path())
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
def verb(specs: tuple[str, ...], strict: bool) -> int:
    """Read specs and report every error in one go, with its place and what would be right.

    SPEC is a file, a folder of specs, or a name from the catalogue. Default: the whole catalogue.

    Exit code: 0 no error, 1 errors (with --strict: or warnings), 2 something that could not be
    read.
    """
    from statemachines.report.specs.lint_results import lint

    with reported_errors():
        result = lint(specs)
    terminal.print_lines([result.text])
    if result.missing:
        return BAD_INPUT
    return FOUND if result.errors or (strict and result.warnings) else FINE
