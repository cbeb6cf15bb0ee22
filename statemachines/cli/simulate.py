"""`simulate`: a machine or a system tried out at random."""

from __future__ import annotations

import sys
from random import Random

import click

from statemachines.api.catalogue import find, in_release
from statemachines.api.tried import tried
from statemachines.api.trying import Session, Tried
from statemachines.api.walking import Walked, walked
from statemachines.api.walking_systems import find_system, system_in_release, system_walked
from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.cli.exits import FINE, FOUND
from statemachines.cli.naming import machine_argument, release_option
from statemachines.report.text.columns import Cell, Gives, table


@click.command(short_help="Walk through a machine or a system at random, looking at its properties.")
@machine_argument()
@release_option()
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same walks.")
@click.option("--steps", default=20, show_default=True, help="Events of a walk that do something.")
@click.option("--walks", default=1, show_default=True, help="How many walks; of several, the first broken one is shown, else the last.")
@click.option("--interactive", "-i", is_flag=True, help="Choose each event yourself: see what may happen, and why the rest may not.")
@click.option("--scope", "--size", "scope", metavar="NAME=N,…", multiple=True, help="As for explore; beats the spec's.")
def verb(name: str, release: str | None, seed: int, steps: int, walks: int, interactive: bool, scope: tuple[str, ...]) -> int:
    """Walk through machine or system NAME at random, within its scope: events, arguments, what became of them, and what its properties say.

    With --interactive you choose: a number, an event with its arguments, `why`, `random`, `back`, `help`. The input may be a pipe.

    Exit code: 1 where a property is broken or a variable would leave its type, else 0. A walk proves nothing that it does not meet.
    """
    with complaints():
        together = find_system(name)
        if together is not None:
            system, said = system_in_release(together, release)
            if interactive:
                return _talk(tried(system, scope), seed, said)
            result = system_walked(system, seed=seed, steps=steps, walks=walks, scope=scope)
        else:
            machine, said = in_release(find(name), release)
            if interactive:
                return _talk(tried(machine, scope), seed, said)
            result = walked(machine, seed=seed, steps=steps, walks=walks, scope=scope)
    if said:
        terminal.note(said)
    _show(result)
    return FOUND if result.broken else FINE


def _talk(what: Tried, seed: int, said: str) -> int:
    """Answer line after line until the input ends."""
    if said:
        terminal.note(said)
    session, asks = Session(what, Random(seed)), terminal.standard_input().isatty()
    terminal.say(session.opening())
    while not session.over:
        if asks:
            sys.stdout.write("> ")
            sys.stdout.flush()
        line = terminal.standard_input().readline()
        if not line:
            break
        if not asks:
            terminal.say([f"> {line.rstrip()}"])
        terminal.say(session.answer(line))
    return FINE


def _show(result: Walked) -> None:
    look = terminal.look()
    terminal.say([look.paint(result.title, "head"), f"  begins  {result.begin}"])
    rows = [[Cell(str(row.number)), Cell(row.event, gives=Gives.ITS_END), Cell(row.became, gives=Gives.ITS_END)] for row in result.rows]
    terminal.say(table(rows, look))
    for claim in result.claims:
        style = "bad" if claim.broken else "good" if claim.met else "dim"
        terminal.say([f"  {look.paint(claim.word, style)}  {claim.said}"])
