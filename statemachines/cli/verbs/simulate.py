"""`simulate`: a machine or a system tried out at random."""

from __future__ import annotations

from random import Random

import click

from statemachines.api.queries.catalogue import definition_in_release
from statemachines.cli.arguments.machine_arguments import machine_argument, release_option
from statemachines.cli.console import terminal
from statemachines.cli.console.conversations import run_conversation
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.cli.outcomes.exit_codes import FINE, FOUND
from statemachines.report.exploration.interactive_session import InteractiveSession, SessionModel
from statemachines.report.exploration.session_models import session_model
from statemachines.report.exploration.walk_report import WalkReport, walk_report
from statemachines.report.text.text_columns import Cell, CellShortening, aligned_rows


@click.command()
@machine_argument()
@release_option()
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same walks.")
@click.option(
    "--steps",
    default=20,
    show_default=True,
    help="Events per walk, not counting those that do nothing.",
)
@click.option(
    "--walks",
    default=1,
    show_default=True,
    help="How many walks; the first that breaks a property is shown, else the last.",
)
@click.option(
    "--interactive",
    "-i",
    is_flag=True,
    help="Choose each event yourself: see what may happen, and why the rest may not.",
)
@click.option(
    "--scope",
    "--size",
    "scope",
    metavar="NAME=N,…",
    multiple=True,
    help="As for explore; overrides the spec's.",
)
def verb(
    name: str,
    release: str | None,
    seed: int,
    steps: int,
    walks: int,
    interactive: bool,
    scope: tuple[str, ...],
) -> int:
    """Walk through machine or system NAME at random, within its scope, and print each event with
    its arguments, its outcome and what the properties say.

    With --interactive you choose: a number, an event with its arguments, `why`, `random`, `back`,
    `help`. The input may be a pipe.

    Exit code: 1 where a property is broken or a variable would leave its type, else 0. A walk
    proves nothing about what it does not visit.
    """
    with reported_errors():
        definition, note = definition_in_release(name, release)
        if interactive:
            return _run_session(session_model(definition, scope), seed, note)
        result = walk_report(definition, seed=seed, steps=steps, walks=walks, scope=scope)
    if note:
        terminal.print_note(note)
    _print_walk(result)
    return FOUND if result.broken else FINE


def _run_session(what: SessionModel, seed: int, note: str) -> int:
    """Answer line after line until the input ends."""
    if note:
        terminal.print_note(note)
    run_conversation(InteractiveSession(what, Random(seed)))
    return FINE


def _print_walk(result: WalkReport) -> None:
    style = terminal.output_style()
    terminal.print_lines([style.paint(result.title, "head"), f"  begins  {result.start}"])
    rows = [
        [
            Cell(str(row.number)),
            Cell(row.event, shortening=CellShortening.AT_END),
            Cell(row.outcome, shortening=CellShortening.AT_END),
        ]
        for row in result.rows
    ]
    terminal.print_lines(aligned_rows(rows, style))
    for claim in result.properties:
        verdict_style = "bad" if claim.broken else "good" if claim.satisfied else "dim"
        terminal.print_lines([f"  {style.paint(claim.label, verdict_style)}  {claim.message}"])
