"""A system in one release; without the reader, so that a check by the compiled catalogue does
without it.
"""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.notation.releases.machine_selection import (
    abstracts_of,
    machine_of,
    release_of_other,
)
from statemachines.notation.releases.release_resolution import (
    resolve_release,
    unknown_release_error,
)


def system_of(spec: SystemSpecDefinition, release: str | None = None) -> SystemDefinition:
    """Return a system in one release.

    Args:
        spec: the system in all its releases.
        release: one of them, a minor line (its newest), or None for the newest.

    Returns:
        The system; the same object for the same question.

    Raises:
        UnknownRelease: the system does not exist in it.
    """
    name = spec.family.newest(spec.releases)
    if release is not None:
        resolved = resolve_release(spec.family, release, within=spec.releases)
        if not resolved.is_known:
            raise unknown_release_error(spec.name, spec.family, spec.releases, release)
        name = resolved.release
    bit = spec.family.bit(name)
    wiring = next(wiring for releases, wiring in spec.versions if releases & bit)
    by_name = {machine.name: machine for _, machine in spec.machines}
    machines = tuple(
        (part.name, _part_machine(spec, by_name[part.machine], bit)) for part in wiring.parts
    )
    return SystemDefinition(
        spec.name,
        name,
        wiring.parts,
        wiring.links,
        machines,
        wiring.data,
        spec.doc,
        spec.source,
        spec.file,
        spec.sha256,
        wiring.same,
        abstracts_of(spec.abstracts, spec.family, bit),
        wiring.channels,
    )


def _part_machine(
    system: SystemSpecDefinition, spec: SpecDefinition, bit: ReleaseSet
) -> MachineDefinition:
    own = release_of_other(spec, system.family, bit)
    return machine_of(spec, spec.family.newest(own) if spec.family.name else None)
