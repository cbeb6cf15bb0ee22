"""`explore`: every state of a machine within a scope, and what its properties say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from statemachines.api.catalogue import find, in_release
from statemachines.api.drawing import PICTURES
from statemachines.api.explore import Explored, How, Shown, explored, how_of, to_json
from statemachines.api.explore_systems import system_explored
from statemachines.api.explored_markdown import is_shown, to_markdown
from statemachines.api.state_graphs import state_graph_drawn
from statemachines.api.system_graphs import system_state_graph_drawn
from statemachines.api.walking_systems import find_system, system_in_release
from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.cli.draw import form_of
from statemachines.cli.ending import terminated_in_order
from statemachines.cli.exits import FINE, FOUND, INTERRUPTED, UNDECIDED
from statemachines.cli.files import write_bytes
from statemachines.cli.naming import machine_argument, release_option
from statemachines.cli.options import Word
from statemachines.cli.progress import Counted
from statemachines.model.systems import SystemSpec
from statemachines.model.verdicts import Verdict
from statemachines.report.text.columns import Cell, Gives, Look, count, table

STYLES = {Verdict.HOLDS: "good", Verdict.INCONCLUSIVE: "doubt", Verdict.VIOLATED: "bad"}
FORMS = ["text", "markdown", "json"]
CODES = {Verdict.HOLDS: FINE, Verdict.INCONCLUSIVE: UNDECIDED, Verdict.VIOLATED: FOUND}


@click.command(short_help="Visit every state of a machine or a system, looking at its properties.")
@machine_argument()
@release_option()
@click.option(
    "--scope", "scope", metavar="NAME=N,…", multiple=True, help="Task=3, int=0..3, list=4, a parameter's value; beats the spec's."
)
@click.option("--symmetry", is_flag=True, help="Count states that differ in interchangeable names only once.")
@click.option("--copies", default=1, show_default=True, type=click.IntRange(1, 64), help="Explore this many of the machine side by side.")
@click.option("--most-states", default=5_000_000, show_default=True, type=click.IntRange(1), help="Give up beyond this many states.")
@click.option(
    "--memory", "most_memory", metavar="MIB", type=click.IntRange(1), help="Give up where more memory is used. [default: three quarters]"
)
@click.option("--time", "most_seconds", metavar="SECONDS", type=click.IntRange(1), help="Give up after this time.")
@click.option("--jobs", metavar="N", type=click.IntRange(1), help="Use at most this many cores. [default: all]")
@click.option(
    "--resume", type=click.Path(dir_okay=False), metavar="FILE", help="Go on from FILE; keep there what is known when it stops early."
)
@click.option("--traces", type=Word(["wrong", "all", "none"]), default="wrong", show_default=True, help="Which traces are shown.")
@click.option("--program", is_flag=True, help="Show traces as programs too.")
@click.option(
    "--graph", "file", type=click.Path(dir_okay=False), metavar="FILE", help="Draw all states, at most 300: .svg .dot .mmd .puml .png"
)
@click.option("--format", "form", type=Word(FORMS), default="text", show_default=True, help="Form of the result.")
def verb(
    name: str, release: str | None, scope: tuple[str, ...], traces: str, program: bool, file: str | None, form: str, **asked: Any
) -> int:
    """Visit every state of machine or system NAME within its scope, breadth first; of each property, say whether it holds.

    What is broken comes with the shortest trace.

    Exit code: 0 everything holds within the scope, 1 something is violated, 3 a bound was hit (memory too), 130 interrupted or
    terminated (what is known is shown).
    """
    with complaints(), terminated_in_order(), Counted() as told:
        how, drawn = how_of(told=told, **asked), None if file is None else form_of(file, PICTURES, hint="")
        together = find_system(name)
        if together is not None:
            found, said, draw = _of_system(together, name, release, scope, how)
        else:
            found, said, draw = _of_machine(name, release, scope, how)
    if said:
        terminal.note(said)
    if form == "json":
        terminal.say([json.dumps(to_json(found), indent=2, ensure_ascii=False)])
    elif form == "markdown":
        terminal.say([to_markdown(found, traces, program=program)])
    else:
        _show(found, traces, program)
    if found.value.interrupted:
        terminal.note("stopped before its end; the report says what was known by then")
    if how.resume is not None and how.resume.exists():
        terminal.note(_kept(how.resume, found.value.interrupted))
    if file is not None and drawn is not None and not found.value.interrupted:
        with complaints():
            write_bytes(file, draw(drawn))
    return INTERRUPTED if found.value.interrupted else CODES[found.value.verdict]


def _kept(file: Path, interrupted: bool) -> str:
    """Say how a search that stopped early goes on."""
    return f"the search is kept in {file}; the same command {'' if interrupted else 'with a higher ceiling '}goes on from there"


Draw = Callable[[str], bytes]
"""Given a form, the picture of all states."""


def _of_system(together: SystemSpec, name: str, release: str | None, scope: tuple[str, ...], how: How) -> tuple[Explored, str, Draw]:
    system, said = system_in_release(together, release)
    found = system_explored(system, scope, how, _expression("load_system", name, system.release))
    return found, said, lambda form: system_state_graph_drawn(system, form, scope, symmetry=how.symmetry)


def _of_machine(name: str, release: str | None, scope: tuple[str, ...], how: How) -> tuple[Explored, str, Draw]:
    machine, said = in_release(find(name), release)
    found = explored(machine, scope, how, _expression("load", name, machine.release))
    return found, said, lambda form: state_graph_drawn(machine, form, scope, symmetry=how.symmetry, copies=how.copies)


def _expression(load: str, name: str, release: str) -> str:
    return f"sm.{load}({name!r}).at({repr(release) if release else ''})"


def _show(found: Explored, traces: str, program: bool) -> None:
    look, value = terminal.look(), found.value
    within = f"within {value.scope}" if value.scope else ""
    terminal.say([f"{look.paint(value.verdict.name, STYLES[value.verdict])}   {look.paint(found.title, 'head')}   {within}".rstrip()])
    counts = [count(value.states, "state"), count(value.transitions, "transition"), f"at most {count(value.deepest, 'step')} away"]
    terminal.say(["  " + "   ".join(counts) + ("   up to symmetry" if value.symmetry else "")])
    terminal.say(f"  {look.paint('not everything was seen:', 'doubt')} {bound}" for bound in value.bounds)
    terminal.say([f"  {found.missed}"] if found.missed else [])
    rows = [[Cell(one.verdict.name, STYLES[one.verdict]), Cell(one.title), Cell(one.said, gives=Gives.ITS_END)] for one in found.examined]
    terminal.say(table(rows, look))
    for one in found.examined:
        if is_shown(one, traces):
            _show_trace(one, look, program)


def _show_trace(one: Shown, look: Look, program: bool) -> None:
    terminal.say(["", look.paint(f"{one.title}: {one.said}", "head"), f"  begins  {one.begin}"])
    rows = [[Cell(str(row.number)), Cell(row.event, gives=Gives.ITS_END), Cell(row.became, gives=Gives.ITS_END)] for row in one.rows]
    terminal.say(table(rows, look))
    if one.back_to is not None:
        again = f"and again from step {one.back_to + 1}" if one.back_to < len(one.rows) else "and nothing happens any more"
        terminal.say([f"  {again}"])
    if program:
        terminal.say(["", *(f"    {line}".rstrip() for line in one.program.splitlines())])
