"""Which instances of a log belong to one instance of a system."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.conform.systems.lives import Life, life_of
from statemachines.model.belonging import belonging, name_of
from statemachines.model.reports import Key, Step
from statemachines.model.systems import System

Rows = Mapping[tuple[str, Key], list[Step]]
"""The rows of one process: machine and instance to its steps."""


def is_judged(system: System) -> bool:
    """Tell whether a log tells all that a system's rules need, and which part each of its instances is."""
    told_apart = len({part.machine for part in system.parts}) == len(system.parts)
    alone = [part for part in system.parts if part.each is None and not part.optional]
    data = any(machine.data.variables or machine.data.parameters for _, machine in system.machines)
    return len(alone) == 1 and told_apart and not (data or system.data.parameters or system.data.variables)


def groups_of(system: System, rows: Rows) -> list[list[Life]]:
    """Gather the instances that belong together: all of a process around its only one, else those whose names begin with its name.

    The one that there is exactly once comes first, then the others in the author's order of their parts.

    Complexity: linear in the instances.
    """
    alone = next(part for part in system.parts if part.each is None and not part.optional)
    around = {key: [life_of(alone.name, None, steps)] for (machine, key), steps in rows.items() if machine == alone.machine}
    belongs = belonging(around)
    parts = {part.machine: part for part in system.parts if part != alone}
    for (machine, key), steps in rows.items():
        anchor = belongs(key) if machine in parts else None
        if anchor is not None:
            part = parts[machine]
            around[anchor].append(life_of(part.name, name_of(key) if part.each is not None else None, steps))
    order = {part.name: place for place, part in enumerate(system.parts)}
    return [sorted(lives, key=lambda life: (life.part != alone.name, order[life.part])) for lives in around.values()]
