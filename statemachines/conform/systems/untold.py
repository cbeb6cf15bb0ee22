"""Systems whose parts a log tells of, and whose rules it does not tell enough for: said, so that nobody takes silence for a proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from statemachines.model.systems import System, SystemSpec
from statemachines.notation.systems.resolving import system_of


def untold(systems: Sequence[SystemSpec]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the machines of some systems, each with what a report says where it saw one: that the rules are not judged, and why.

    Args:
        systems: those whose rules logs cannot be judged by.
    """
    whys: dict[str, list[str]] = defaultdict(list)
    for spec in systems:
        why = f"rules of {spec.name}: {reason(system_of(spec))}"
        for _, machine in spec.machines:
            whys[machine.name].append(why)
    return tuple((machine, tuple(said)) for machine, said in whys.items())


def reason(system: System) -> str:
    """Return why a log cannot be judged by the rules of a system."""
    if system.data.parameters:
        return f"no line tells {_listed([one.name for one in system.data.parameters])}"
    if system.data.variables:
        return f"no line tells {_listed([one.name for one in system.data.variables])}"
    data = [name for name, machine in system.machines if machine.data.variables or machine.data.parameters]
    if data:
        return f"no line tells the variables of {_listed(data)}"
    return "nothing tells which instances belong together"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
