"""Machines as TLA+ modules, so that TLC can check the same machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from statemachines.embed.exports import answered, plain_tables
from statemachines.model.machines import Does, Machine
from statemachines.semantics.tables import Holder, Tables


def to_tla(machine: Machine | Holder) -> str:
    """Write a machine as a TLA+ module, for TLC: one variable, one action an event, its states as an invariant; ending in a line feed.

    What is forced is a step, what is ignored, refused or raised changes nothing and is none; transitions that are never taken are left out.

    Raises:
        CannotExport: the machine has variables.
    """
    tables = plain_tables(machine, "TLA+")
    module = re.sub(r"\W+", "_", tables.title) or "Machine"
    steps = _steps(tables)
    lines = [f"---- MODULE {module} ----", "VARIABLE state", "vars == << state >>", "", f"States == {_set(tables.states)}"]
    lines += [
        f"Final == {_set(tables.names(tables.final))}",
        "TypeOK == state \\in States",
        f"Init == state \\in {_set(tables.names(tables.initial))}",
    ]
    for event, pairs in steps.items():
        lines += ["", f"{_action(event)} ==", *_disjuncts(pairs)]
    following = " \\/ ".join(map(_action, steps)) or "FALSE /\\ UNCHANGED vars"
    lines += ["", f"Next == {following}", "Spec == Init /\\ [][Next]_vars", "===="]
    return "\n".join(lines) + "\n"


def _steps(tables: Tables) -> dict[str, list[tuple[str, str]]]:
    """Return the pairs of states that each event joins, forced ones too."""
    steps: dict[str, list[tuple[str, str]]] = {}
    for each in tables.machine.transitions:
        if each.taken:
            steps.setdefault(each.event, []).append((each.source, each.target))
    for forced in answered(tables):
        if forced.entry.does is Does.FORCE:
            steps.setdefault(forced.event, []).append((forced.state, forced.target))
    return steps


def _disjuncts(pairs: list[tuple[str, str]]) -> Iterator[str]:
    return (f'  \\/ state = "{source}" /\\ state\' = "{target}"' for source, target in dict.fromkeys(pairs))


def _action(event: str) -> str:
    """Return the name of an event's action, apart from every name of the module and from the words of TLA+."""
    return f"Event_{event}"


def _set(names: tuple[str, ...]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"{{{quoted}}}"
