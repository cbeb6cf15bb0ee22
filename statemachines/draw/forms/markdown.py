"""A machine as a Markdown table: for documents, and for those who read rather than look."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.draw.graphs.edge_labels import is_table_of_moves, label_parts
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Otherwise,
    State,
    Transition,
)
from statemachines.model.evidence.durations import exact_duration


def to_markdown(machine: MachineDefinition) -> str:
    """Write the transition table of a machine, and below it what becomes of every other request.

    A table of moves becomes a square, a row where it leaves and a column where it leads: ● may
    happen, ◌ may happen without a line in a log, ○ stands in the table and is never taken. A
    machine with events of its own becomes a list of its transitions.

    Args:
        machine: in one release.

    Returns:
        Markdown of one heading, a table and the fallbacks, ending in a line feed.
    """
    rows = _square_rows(machine) if is_table_of_moves(machine) else _transition_rows(machine)
    heading = f"**{machine.name}**{f' {machine.release}' if machine.release else ''}"
    return "\n".join((heading, "", *rows, *_fallback_lines(machine))) + "\n"


def _square_rows(machine: MachineDefinition) -> Iterator[str]:
    names = [state.name for state in machine.states]
    cells = {(move.source, move.target): _transition_sign(move) for move in machine.moves}
    yield table_row(["from \\ to", *(code_cell(name) for name in names)])
    yield table_row(["---", *(":-:" for _ in names)])
    for state in machine.states:
        yield table_row(
            [_state_cell(state), *(cells.get((state.name, name), "") for name in names)]
        )


def _transition_rows(machine: MachineDefinition) -> Iterator[str]:
    states = {state.name: state for state in machine.states}
    yield table_row(["from", "event", "to", "by", ""])
    yield table_row(["---"] * 5)
    for transition in machine.transitions:
        target = "stays" if transition.target == transition.source else code_cell(transition.target)
        yield table_row(
            [
                _state_cell(states[transition.source]),
                code_cell(" ".join(label_parts(transition))),
                target,
                ", ".join(map(code_cell, transition.by)),
                _transition_remark(transition),
            ]
        )


def _fallback_lines(machine: MachineDefinition) -> Iterator[str]:
    yield from ("", "Every other request:", "") if machine.otherwise else ()
    yield from (f"- {_fallback_line(entry)}" for entry in machine.otherwise)


def _fallback_line(entry: Otherwise) -> str:
    where = f" in {', '.join(map(code_cell, entry.sources))}" if entry.sources else ""
    requests = (
        f" {', '.join(map(code_cell, entry.targets))}"
        if entry.targets
        else f" {code_cell(entry.event)}"
        if entry.event
        else " anything"
    )
    does = f"{entry.does} {code_cell(entry.error)}" if entry.error else str(entry.does)
    return f"asked for{requests}{where}: {does}{f' ({cell_text(entry.doc)})' if entry.doc else ''}"


def _state_cell(state: State) -> str:
    return f"{'→ ' if state.initial else ''}{code_cell(state.name)}{' ■' if state.final else ''}"


def _transition_sign(transition: Transition) -> str:
    return "○" if not transition.taken else "◌" if transition.silent else "●"


def _transition_remark(transition: Transition) -> str:
    remarks = (
        "" if transition.taken else "never taken",
        "silent" if transition.silent and transition.taken else "",
        f"after {exact_duration(transition.after_ms)}" if transition.after_ms else "",
        "time begins again" if transition.restarts else "",
    )
    return ", ".join(filter(None, remarks))


def code_cell(text: str) -> str:
    """Write a text as code in a cell; nothing where it is empty.

    Args:
        text: what is written.

    Returns:
        The text in backticks, with what would end the cell escaped.
    """
    return f"`{cell_text(text)}`" if text else ""


def cell_text(text: str) -> str:
    """Write a text so that it stays in its cell.

    Args:
        text: what is written.

    Returns:
        The text, with what would end the cell escaped.
    """
    return " ".join(text.split()).replace("|", "\\|")


def table_row(cells: list[str]) -> str:
    """Return a row of a table.

    Args:
        cells: texts that are escaped already.

    Returns:
        One line of Markdown.
    """
    return f"| {' | '.join(cells)} |"
