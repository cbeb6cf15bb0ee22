"""Which instances of a log belong to one instance of a system."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.conform.systems.part_timelines import PartTimeline, make_part_timeline
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.instance_names import instance_name, whole_finder
from statemachines.model.evidence.reports import InstanceKey, TimelineStep

StepsByInstance = Mapping[tuple[str, InstanceKey], list[TimelineStep]]
"""The rows of one process: machine and instance to its steps."""


def is_judgeable(system: SystemDefinition) -> bool:
    """Tell whether a log tells all that a system's rules need, and which part each of its instances
    is.
    """
    told_apart = len({part.machine for part in system.parts}) == len(system.parts)
    alone = [part for part in system.parts if part.each is None and not part.optional]
    data = any(machine.data.variables or machine.data.parameters for _, machine in system.machines)
    return (
        len(alone) == 1
        and told_apart
        and not (data or system.data.parameters or system.data.variables)
    )


def group_instances(system: SystemDefinition, rows: StepsByInstance) -> list[list[PartTimeline]]:
    """Gather the instances that belong together: all of a process around its only one, else those
    whose names begin with its name.

    The one that there is exactly once comes first, then the others in the author's order of their
    parts.

    Complexity: linear in the instances.
    """
    alone = next(part for part in system.parts if part.each is None and not part.optional)
    around = {
        key: [make_part_timeline(alone.name, None, steps)]
        for (machine, key), steps in rows.items()
        if machine == alone.machine
    }
    belongs = whole_finder(around)
    parts = {part.machine: part for part in system.parts if part != alone}
    for (machine, key), steps in rows.items():
        anchor = belongs(key) if machine in parts else None
        if anchor is not None:
            part = parts[machine]
            around[anchor].append(
                make_part_timeline(
                    part.name, instance_name(key) if part.each is not None else None, steps
                )
            )
    order = {part.name: place for place, part in enumerate(system.parts)}
    return [
        sorted(lives, key=lambda life: (life.part != alone.name, order[life.part]))
        for lives in around.values()
    ]
