"""`show`: a machine as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from statemachines.api.catalogue import find, in_release
from statemachines.api.worded import arrows, claims, events, variables
from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.cli.naming import machine_argument, release_option
from statemachines.model.machines import Does, Machine, Otherwise, Spec, State
from statemachines.report.text.columns import Cell, Gives, Look, section, table

CUT = Gives.ITS_END
DOC = " " * 6
"""Before what is said of the line above."""


@click.command(short_help="Show a machine: states, transitions, what becomes of the rest.")
@machine_argument()
@release_option()
def verb(name: str, release: str | None) -> int:
    """Show machine NAME in one release (default: the newest): its states, where each leads, and what becomes of any other request."""
    with complaints():
        spec = find(name)
        machine, said = in_release(spec, release)
    if said:
        terminal.note(said)
    terminal.say(_shown(spec, machine, terminal.look()))
    return 0


def _shown(spec: Spec, machine: Machine, look: Look) -> Iterator[str]:
    of = f"  {machine.release}  (of {spec.family.ranges(spec.releases)})" if machine.release else ""
    yield look.paint(machine.name, "head") + of
    for paragraph in machine.doc.split("\n\n"):
        yield from textwrap.wrap(paragraph, look.width - 2, initial_indent="  ", subsequent_indent="  ")
    if machine.source:
        yield look.paint(f"  {machine.source}", "dim")
    yield from section("States", table([_state(machine, state) for state in machine.states], look), look)
    yield from section("Any other request", table([_otherwise(entry) for entry in machine.otherwise], look), look)
    yield from _data(machine, look)
    rows = [[Cell(predicate.name), Cell(", ".join(predicate.states), gives=CUT)] for predicate in machine.predicates]
    yield from section("Predicates", table(rows, look), look)
    yield from section("Properties", _properties(machine, look), look)
    if machine.log is not None:
        yield from _log(machine, look)


def _data(machine: Machine, look: Look) -> Iterator[str]:
    declared = [
        [Cell(name, "head"), Cell(type_), Cell(f"= {first}" if first else "", gives=CUT)] for name, type_, first in variables(machine)
    ]
    yield from section("Variables", table(declared, look), look)
    yield from section(
        "Arguments of events", table([[Cell(name, "head"), Cell(said, gives=CUT)] for name, said in events(machine)], look), look
    )
    told = [
        [
            Cell(each.event, "head"),
            Cell(each.move),
            Cell(f"if {each.needs}" if each.needs else "", gives=CUT),
            Cell(each.changes, gives=CUT),
        ]
        for each in arrows(machine)
    ]
    title = "Guards and effects" if any(each.needs or each.changes for each in arrows(machine)) else "Events"
    yield from section(title, table(told, look), look)


def _properties(machine: Machine, look: Look) -> Iterator[str]:
    """Say what shall hold, each with what its author wrote of it below."""
    told = claims(machine)
    rows = table([[Cell(each.said, "head"), Cell(each.holds, gives=CUT)] for each in told], look)
    for each, row in zip(told, rows, strict=True):
        yield row
        yield from (look.paint(line, "dim") for line in textwrap.wrap(each.doc, look.width - 6, initial_indent=DOC, subsequent_indent=DOC))


def _state(machine: Machine, state: State) -> list[Cell]:
    marks = " ".join(word for word, has in (("initial", state.initial), ("final", state.final)) if has)
    leaving = [arrow for arrow in machine.moves if arrow.source == state.name]
    targets = dict.fromkeys(arrow.target + ("" if arrow.taken else " (never done)") for arrow in leaving)
    return [
        Cell(state.name, "head"),
        Cell(marks, "dim"),
        Cell(("-> " + ", ".join(targets)) if targets else "leads nowhere", gives=CUT),
    ]


def _otherwise(entry: Otherwise) -> list[Cell]:
    does = f"raises {entry.error}" if entry.does is Does.RAISE else f"{entry.does.value}d"
    where = "from " + ", ".join(entry.sources) if entry.sources is not None else "from anywhere"
    to = f" to {', '.join(entry.targets)}" if entry.targets is not None else f" on {entry.event}" if entry.event else ""
    return [Cell(where + to, gives=CUT), Cell({"forced": "done all the same", "refused": "refused"}.get(does, does))]


def _log(machine: Machine, look: Look) -> Iterator[str]:
    assert machine.log is not None
    rows = [[Cell(" or ".join(line.says)), Cell(line.level or ""), Cell(line.templates[0].text, gives=CUT)] for line in machine.log.lines]
    yield from section(f"Log lines (of one {', '.join(machine.log.instance)})", table(rows, look), look)
    episodes = [[Cell(e.name), Cell(f"while {' or '.join(e.states)}"), Cell(e.title, gives=CUT)] for e in machine.log.episodes]
    yield from section("Episodes", table(episodes, look), look)
