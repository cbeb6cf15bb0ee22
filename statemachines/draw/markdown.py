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
    yield _row(["from \\ to", *(_code(name) for name in names)])
    yield _row(["---", *(":-:" for _ in names)])
    for state in machine.states:
        yield _row([_named(state), *(cells.get((state.name, name), "") for name in names)])


def _list(machine: Machine) -> Iterator[str]:
    states = {state.name: state for state in machine.states}
    yield _row(["from", "event", "to", "by", ""])
    yield _row(["---"] * 5)
    for each in machine.transitions:
        target = "stays" if each.target == each.source else _code(each.target)
        yield _row([_named(states[each.source]), _code(" ".join(parts(each))), target, ", ".join(map(_code, each.by)), _remark(each)])


def _rest(machine: Machine) -> Iterator[str]:
    yield from ("", "Every other request:", "") if machine.otherwise else ()
    yield from (f"- {_answer(entry)}" for entry in machine.otherwise)


def _answer(entry: Otherwise) -> str:
    where = f" in {', '.join(map(_code, entry.sources))}" if entry.sources else ""
    asked = f" {', '.join(map(_code, entry.targets))}" if entry.targets else f" {_code(entry.event)}" if entry.event else " anything"
    does = f"{entry.does} {_code(entry.error)}" if entry.error else str(entry.does)
    return f"asked for{asked}{where}: {does}{f' ({_cell(entry.doc)})' if entry.doc else ''}"


def _named(state: State) -> str:
    return f"{'→ ' if state.initial else ''}{_code(state.name)}{' ■' if state.final else ''}"


def _sign(transition: Transition) -> str:
    return "○" if not transition.taken else "◌" if transition.silent else "●"


def _remark(transition: Transition) -> str:
    return "never taken" if not transition.taken else "silent" if transition.silent else ""


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
