"""`show`: a machine as text."""

from __future__ import annotations

from collections.abc import Iterator

import click

from statemachines.api.queries.catalogue import (
    find_machine,
    find_system,
    machine_in_release,
    system_in_release,
)
from statemachines.cli.arguments.machine_arguments import machine_argument, release_option
from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.model.definitions.log_definitions import EpisodeDefinition
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    MachineDefinition,
    Otherwise,
    SpecDefinition,
    State,
)
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.report.specs.descriptions import limit_text, transition_rows
from statemachines.report.specs.event_signatures import event_signatures
from statemachines.report.specs.sheet_sections import (
    CUT_AT_END,
    declared_sections,
    definition_section,
    event_section,
    property_lines,
    sheet_heading,
)
from statemachines.report.specs.system_sheet import system_sheet
from statemachines.report.text.text_columns import Cell, OutputStyle, aligned_rows, titled_section


@click.command()
@machine_argument()
@release_option()
def verb(name: str, release: str | None) -> int:
    """Show machine or system NAME in one release (default: the newest): what is declared, where
    each state leads, what events take and return, what happens to any other request, and which
    properties must hold. Lines are shortened to the width of a terminal, and never elsewhere.
    """
    style = terminal.output_style(whole=True)
    with reported_errors():
        spec = _machine_or_system(name)
        if isinstance(spec, SpecDefinition):
            machine, note = machine_in_release(spec, release)
            lines = _machine_sheet(spec, machine, style)
        else:
            system, note = system_in_release(spec, release)
            lines = system_sheet(spec, system, style)
    if note:
        terminal.print_note(note)
    terminal.print_lines(lines)
    return 0


def _machine_or_system(name: str) -> SpecDefinition | SystemSpecDefinition:
    try:
        return find_machine(name)
    except SpecError:
        system = find_system(name)
        if system is None:
            raise
        return system


def _machine_sheet(
    spec: SpecDefinition, machine: MachineDefinition, style: OutputStyle
) -> Iterator[str]:
    of = f"  {machine.release}  (of {spec.family.ranges(spec.releases)})" if machine.release else ""
    yield from sheet_heading(machine.name, of, machine.doc, machine.source, style)
    yield from titled_section(
        "States",
        aligned_rows([_state_cells(machine, state) for state in machine.states], style),
        style,
    )
    yield from titled_section(
        "Any other request",
        aligned_rows([_fallback_cells(entry) for entry in machine.otherwise], style),
        style,
    )
    yield from _data_lines(machine, style)
    rows = [
        [Cell(predicate.name), Cell(", ".join(predicate.states), shortening=CUT_AT_END)]
        for predicate in machine.predicates
    ]
    yield from titled_section("Predicates", aligned_rows(rows, style), style)
    yield from titled_section("Properties", property_lines(machine.data, style), style)
    if machine.log is not None:
        yield from _log_section(machine, style)


def _data_lines(machine: MachineDefinition, style: OutputStyle) -> Iterator[str]:
    yield from declared_sections(machine.data, style)
    yield from event_section(event_signatures(machine), style)
    rows = [
        [
            Cell(row.event, "head"),
            Cell(row.endpoints),
            Cell(f"if {row.guard}" if row.guard else "", shortening=CUT_AT_END),
            Cell(row.effect, shortening=CUT_AT_END),
        ]
        for row in transition_rows(machine)
    ]
    title = (
        "Guards and effects"
        if any(row.guard or row.effect for row in transition_rows(machine))
        else "Events"
    )
    yield from titled_section(title, aligned_rows(rows, style), style)
    yield from definition_section(machine.data, style)


def _state_cells(machine: MachineDefinition, state: State) -> list[Cell]:
    labels = " ".join(
        word for word, has in (("initial", state.initial), ("final", state.final)) if has
    )
    if state.within is not None:
        labels = f"{labels} within {limit_text(state.within)}".lstrip()
    leaving = [transition for transition in machine.moves if transition.source == state.name]
    targets = dict.fromkeys(
        transition.target + ("" if transition.taken else " (never done)") for transition in leaving
    )
    return [
        Cell(state.name, "head"),
        Cell(labels, "dim"),
        Cell(("-> " + ", ".join(targets)) if targets else "leads nowhere", shortening=CUT_AT_END),
    ]


def _fallback_cells(entry: Otherwise) -> list[Cell]:
    does = f"raises {entry.error}" if entry.does is FallbackKind.RAISE else f"{entry.does.value}d"
    where = "from " + ", ".join(entry.sources) if entry.sources is not None else "from anywhere"
    to = (
        f" to {', '.join(entry.targets)}"
        if entry.targets is not None
        else f" on {entry.event}"
        if entry.event
        else ""
    )
    return [
        Cell(where + to, shortening=CUT_AT_END),
        Cell({"forced": "done all the same", "refused": "refused"}.get(does, does)),
    ]


def _log_section(machine: MachineDefinition, style: OutputStyle) -> Iterator[str]:
    assert machine.log is not None
    rows = [
        [
            Cell(" or ".join(line.kinds)),
            Cell(line.level or ""),
            Cell(line.templates[0].text, shortening=CUT_AT_END),
        ]
        for line in machine.log.lines
    ]
    known_by = f", known by {', '.join(machine.log.remembers)} too" if machine.log.remembers else ""
    title = f"Log lines (of one {', '.join(machine.log.instance)}{known_by})"
    yield from titled_section(title, aligned_rows(rows, style), style)
    episodes = [_episode_cells(episode) for episode in machine.log.episodes]
    yield from titled_section("Episodes", aligned_rows(episodes, style), style)


def _episode_cells(episode: EpisodeDefinition) -> list[Cell]:
    sign = episode.ends_with
    ends = f", ends with {' or '.join(sign.signs)} of {sign.machine}" if sign else ""
    promised = episode.within is not None and episode.within == episode.longer_than
    limits = (
        ("longer than", None if promised else episode.longer_than),
        ("within", episode.within),
    )
    ends += "".join(f", {word} {limit_text(limit)}" for word, limit in limits if limit)
    open_while = "a request is open" if episode.requests else " or ".join(episode.states)
    return [
        Cell(episode.name),
        Cell(f"while {open_while}{ends}"),
        Cell(episode.title, shortening=CUT_AT_END),
    ]
