"""Machines as TLA+ modules, so that TLC can check the same machine."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.embed.exports import answered
from statemachines.embed.tla_configuration import Configuration
from statemachines.embed.tla_data import data_module, module_name
from statemachines.model.machines import Does, Machine
from statemachines.semantics.tables import Holder, Tables, tables_of


def to_tla(machine: Machine | Holder) -> str:
    """Write a machine as a TLA+ module, for TLC, ending in a line feed.

    One action an event, the values of variables as an invariant, the spec's properties, within the scope that the spec names (as `explore`
    has it: where it names none, two values of an `id` type, integers without bounds from 0 to 3 as arguments). What is forced is a step;
    what is ignored or refused changes nothing and is none; what raises is one where a transition says so. Transitions that are never
    taken are left out, as is what operations return. Below the module stand the configurations for TLC, which it does not read there.

    Raises:
        CannotExport: something has no words in TLA+; the message says what.
    """
    module, configuration = module_of(machine)
    lines = [module, "===="]
    for run in configuration.runs:
        asked = ", ".join((*run.invariants, *run.properties))
        lines += ["", f"For TLC, which is to find {asked} {'broken' if run.breaks else 'to hold'}:", configuration.text(run).rstrip()]
    return "\n".join(lines) + "\n"


def module_of(machine: Machine | Holder) -> tuple[str, Configuration]:
    """Return a module without its last line, and how TLC checks it; raises as `to_tla` does."""
    tables = tables_of(machine)
    return data_module(tables) if tables.has_data else _plain(tables)


def _plain(tables: Tables) -> tuple[str, Configuration]:
    steps = _steps(tables)
    lines = [f"---- MODULE {module_name(tables.title)} ----", "VARIABLE state", "vars == << state >>", ""]
    lines += [f"States == {_set(tables.states)}", f"Final == {_set(tables.names(tables.final))}"]
    lines += ["TypeOK == state \\in States", f"Init == state \\in {_set(tables.names(tables.initial))}"]
    for event, pairs in steps.items():
        lines += ["", f"{_action(event)} ==", *_disjuncts(pairs)]
    following = " \\/ ".join(map(_action, steps)) or "FALSE /\\ UNCHANGED vars"
    lines += ["", f"Next == {following}", "Spec == Init /\\ [][Next]_vars", "NoDeadlock == state \\in Final \\/ ENABLED <<Next>>_vars"]
    return "\n".join(lines), Configuration(plain=True, invariants=("TypeOK", "NoDeadlock"))


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
