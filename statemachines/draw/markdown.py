"""A machine as a Markdown table: for documents, and for those who read rather than look."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.draw.labels import is_plain, parts
from statemachines.model.machines import Machine, Otherwise, State, Transition


def to_markdown(machine: Machine) -> str:
    """Write the transition table of a machine, and below it what becomes of every other request.

    A table of moves becomes a square, a row where it leaves and a column where it leads: ● may happen, ◌ may happen without a line in a
    log, ○ stands in the table and is never taken. A machine with events of its own becomes a list of its transitions.
    """
    rows = _square(machine) if is_plain(machine) else _list(machine)
    heading = f"**{machine.name}**{f' {machine.release}' if machine.release else ''}"
    return "\n".join((heading, "", *rows, *_rest(machine))) + "\n"


def _square(machine: Machine) -> Iterator[str]:
    names = [state.name for state in machine.states]
    cells = {(each.source, each.target): _sign(each) for each in machine.moves}
    yield row(["from \\ to", *(code(name) for name in names)])
    yield row(["---", *(":-:" for _ in names)])
    for state in machine.states:
        yield row([_named(state), *(cells.get((state.name, name), "") for name in names)])


def _list(machine: Machine) -> Iterator[str]:
    states = {state.name: state for state in machine.states}
    yield row(["from", "event", "to", "by", ""])
    yield row(["---"] * 5)
    for each in machine.transitions:
        target = "stays" if each.target == each.source else code(each.target)
        yield row([_named(states[each.source]), code(" ".join(parts(each))), target, ", ".join(map(code, each.by)), _remark(each)])


def _rest(machine: Machine) -> Iterator[str]:
    yield from ("", "Every other request:", "") if machine.otherwise else ()
    yield from (f"- {_answer(entry)}" for entry in machine.otherwise)


def _answer(entry: Otherwise) -> str:
    where = f" in {', '.join(map(code, entry.sources))}" if entry.sources else ""
    asked = f" {', '.join(map(code, entry.targets))}" if entry.targets else f" {code(entry.event)}" if entry.event else " anything"
    does = f"{entry.does} {code(entry.error)}" if entry.error else str(entry.does)
    return f"asked for{asked}{where}: {does}{f' ({cell(entry.doc)})' if entry.doc else ''}"


def _named(state: State) -> str:
    return f"{'→ ' if state.initial else ''}{code(state.name)}{' ■' if state.final else ''}"


def _sign(transition: Transition) -> str:
    return "○" if not transition.taken else "◌" if transition.silent else "●"


def _remark(transition: Transition) -> str:
    return "never taken" if not transition.taken else "silent" if transition.silent else ""


def code(text: str) -> str:
    """Write a text as code in a cell; nothing where it is empty."""
    return f"`{cell(text)}`" if text else ""


def cell(text: str) -> str:
    """Write a text so that it stays in its cell."""
    return " ".join(text.split()).replace("|", "\\|")


def row(cells: list[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"
