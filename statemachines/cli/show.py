"""`show`: a machine as text."""

from __future__ import annotations

from collections.abc import Iterator

import click

from statemachines.api.catalogue import find, in_release
from statemachines.api.signatures import signatures
from statemachines.api.walking_systems import find_system, system_in_release
from statemachines.api.worded import arrows
from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.cli.naming import machine_argument, release_option
from statemachines.cli.shown_data import CUT, declared, defined, head, properties, taken
from statemachines.cli.shown_systems import shown_system
from statemachines.model.diagnostics import SpecError
from statemachines.model.machines import Does, Machine, Otherwise, Spec, State
from statemachines.model.systems import SystemSpec
from statemachines.report.text.columns import Cell, Look, section, table


@click.command(short_help="Show a machine: states, transitions, what becomes of the rest.")
@machine_argument()
@release_option()
def verb(name: str, release: str | None) -> int:
    """Show machine or system NAME in one release (default: the newest): what is declared, where each state leads, what events take and
    give back, what becomes of any other request, what shall hold. Nothing is cut where no terminal is.
    """
    look = terminal.look(whole=True)
    with complaints():
        spec = _machine_or_system(name)
        if isinstance(spec, Spec):
            machine, said = in_release(spec, release)
            lines = _shown(spec, machine, look)
        else:
            system, said = system_in_release(spec, release)
            lines = shown_system(spec, system, look)
    if said:
        terminal.note(said)
    terminal.say(lines)
    return 0


def _machine_or_system(name: str) -> Spec | SystemSpec:
    try:
        return find(name)
    except SpecError:
        system = find_system(name)
        if system is None:
            raise
        return system


def _shown(spec: Spec, machine: Machine, look: Look) -> Iterator[str]:
    of = f"  {machine.release}  (of {spec.family.ranges(spec.releases)})" if machine.release else ""
    yield from head(machine.name, of, machine.doc, machine.source, look)
    yield from section("States", table([_state(machine, state) for state in machine.states], look), look)
    yield from section("Any other request", table([_otherwise(entry) for entry in machine.otherwise], look), look)
    yield from _data(machine, look)
    rows = [[Cell(predicate.name), Cell(", ".join(predicate.states), gives=CUT)] for predicate in machine.predicates]
    yield from section("Predicates", table(rows, look), look)
    yield from section("Properties", properties(machine.data, look), look)
    if machine.log is not None:
        yield from _log(machine, look)


def _data(machine: Machine, look: Look) -> Iterator[str]:
    yield from declared(machine.data, look)
    yield from taken(signatures(machine), look)
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
    yield from defined(machine.data, look)


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
