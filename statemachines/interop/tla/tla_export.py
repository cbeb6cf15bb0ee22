"""Machines as TLA+ modules, so that TLC can check the same machine."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.interop.scxml.scxml_writer import fallback_steps
from statemachines.interop.tla.tla_data_module import data_module, module_name
from statemachines.interop.tla.tlc_configuration import TlcConfiguration
from statemachines.model.definitions.machine_definitions import FallbackKind, MachineDefinition
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)


def to_tla(machine: MachineDefinition | TablesHolder) -> str:
    """Write a machine as a TLA+ module, for TLC, ending in a line feed.

    One action an event, the values of variables as an invariant, the spec's properties, within the
    scope that the spec names (as `explore` has it: where it names none, two values of an `id` type,
    integers without bounds from 0 to 3 as arguments). What is forced is a step; what is ignored or
    refused changes nothing and is none; what raises is one where a transition says so. Transitions
    that are never taken are left out, as is what operations return. Below the module stand the
    configurations for TLC, which it does not read there.

    Args:
        machine: in one release.

    Returns:
        A TLA+ module.

    Raises:
        CannotExport: something has no words in TLA+; the message says what.

    Source: L. Lamport, Specifying Systems, 2002.
    """
    module, configuration = tla_module(machine)
    lines = [module, "===="]
    for run in configuration.runs:
        claims = ", ".join((*run.invariants, *run.properties))
        lines += [
            "",
            f"For TLC, which is to find {claims} {'broken' if run.breaks else 'to hold'}:",
            configuration.text(run).rstrip(),
        ]
    return "\n".join(lines) + "\n"


def tla_module(machine: MachineDefinition | TablesHolder) -> tuple[str, TlcConfiguration]:
    """Return a module without its last line, and how TLC checks it; raises as `to_tla` does.

    Args:
        machine: in one release.

    Returns:
        The text, and the constants, constraints and properties for TLC.
    """
    tables = machine_tables(machine)
    return data_module(tables) if tables.has_data else _table_module(tables)


def _table_module(tables: MachineTables) -> tuple[str, TlcConfiguration]:
    steps = _state_pairs(tables)
    lines = [
        f"---- MODULE {module_name(tables.title)} ----",
        "VARIABLE state",
        "vars == << state >>",
        "",
    ]
    lines += [
        f"States == {_set_text(tables.states)}",
        f"Final == {_set_text(tables.state_names(tables.final))}",
    ]
    lines += [
        "TypeOK == state \\in States",
        f"Init == state \\in {_set_text(tables.state_names(tables.initial))}",
    ]
    for event, pairs in steps.items():
        lines += ["", f"{_action_name(event)} ==", *_disjunct_lines(pairs)]
    following = " \\/ ".join(map(_action_name, steps)) or "FALSE /\\ UNCHANGED vars"
    lines += [
        "",
        f"Next == {following}",
        "Spec == Init /\\ [][Next]_vars",
        "NoDeadlock == state \\in Final \\/ ENABLED <<Next>>_vars",
    ]
    return "\n".join(lines), TlcConfiguration(
        without_constants=True, invariants=("TypeOK", "NoDeadlock")
    )


def _state_pairs(tables: MachineTables) -> dict[str, list[tuple[str, str]]]:
    """Return the pairs of states that each event joins, forced ones too."""
    steps: dict[str, list[tuple[str, str]]] = {}
    for transition in tables.machine.transitions:
        if transition.taken:
            steps.setdefault(transition.event, []).append((transition.source, transition.target))
    for forced in fallback_steps(tables):
        if forced.entry.does is FallbackKind.FORCE:
            steps.setdefault(forced.event, []).append((forced.state, forced.target))
    return steps


def _disjunct_lines(pairs: list[tuple[str, str]]) -> Iterator[str]:
    return (
        f'  \\/ state = "{source}" /\\ state\' = "{target}"'
        for source, target in dict.fromkeys(pairs)
    )


def _action_name(event: str) -> str:
    """Return the name of an event's action, apart from every name of the module and from the words
    of TLA+.
    """
    return f"Event_{event}"


def _set_text(names: tuple[str, ...]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"{{{quoted}}}"
