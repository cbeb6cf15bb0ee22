"""A system in one release; without the reader, so that a check by the compiled catalogue does without it."""

from __future__ import annotations

from statemachines.model.machines import Machine, Spec
from statemachines.model.releases import Family, Releases
from statemachines.model.systems import System, SystemSpec
from statemachines.notation.resolve import absent, machine_of, resolve_release


def system_of(spec: SystemSpec, release: str | None = None) -> System:
    """Return a system in one release.

    Args:
        spec: the system in all its releases.
        release: one of them, a minor line (its newest), or None for the newest.

    Raises:
        UnknownRelease: the system does not exist in it.
    """
    name = spec.family.newest(spec.releases)
    if release is not None:
        resolved = resolve_release(spec.family, release, within=spec.releases)
        if not resolved.known:
            raise absent(spec.name, spec.family, spec.releases, release)
        name = resolved.release
    bit = spec.family.bit(name)
    wiring = next(wiring for releases, wiring in spec.versions if releases & bit)
    by_name = {one.name: one for _, one in spec.machines}
    machines = tuple((part.name, _machine(spec, by_name[part.machine], bit)) for part in wiring.parts)
    return System(spec.name, name, wiring.parts, wiring.links, machines, wiring.data, spec.doc, spec.source, spec.file, spec.sha256)


def _machine(system: SystemSpec, spec: Spec, bit: Releases) -> Machine:
    own = bit_of(spec, system.family, bit)
    return machine_of(spec, spec.family.newest(own) if spec.family.name else None)


def bit_of(spec: Spec, family: Family, bit: Releases) -> Releases:
    """Return a release of a system as one of a part's machine; none where the machine does not exist in it."""
    return (bit if spec.family.name == family.name else 1) & spec.releases
