"""The shipped machines and specs of one's own, by name or path."""

from __future__ import annotations

from attrs import frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.evidence.reports import Report


@frozen
class CatalogueEntry:
    """A machine of the catalogue, as a list shows it."""

    name: str
    releases: str
    """As the notation writes ranges; empty where it has none."""
    states: int
    """Of a system: 0."""
    doc: str
    """The first sentence."""
    parts: int = 0
    """Of a system: how many."""


def machine_names() -> tuple[str, ...]:
    """Return the names of the shipped machines, in alphabetical order; no spec is read for it."""
    from statemachines.notation import spec_names

    return spec_names()


def find_machine(name_or_path: str) -> SpecDefinition:
    """Load a machine by its catalogue name, the only last part of one, or a path.

    Args:
        name_or_path: a catalogue name, its last part where that is the only one, or a path that
            ends in `.yaml`.

    Returns:
        The machine in all its releases.

    Raises:
        SpecError: there is no such spec, or it has errors.
    """
    from statemachines.notation import load_spec

    return load_spec(name_or_path)


def catalogue_entries() -> tuple[CatalogueEntry, ...]:
    """Return what a list shows of the shipped machines and systems, each in the order of their
    names.
    """
    from statemachines.notation import cached_specs_and_systems, system_of

    machines, systems = cached_specs_and_systems()
    return (
        *(_entry(spec, states=len(spec.states)) for spec in machines),
        *(_entry(spec, parts=len(system_of(spec).parts)) for spec in systems),
    )


def _entry(
    spec: SpecDefinition | SystemSpecDefinition, *, states: int = 0, parts: int = 0
) -> CatalogueEntry:
    releases = spec.family.ranges(spec.releases)
    return CatalogueEntry(spec.name, releases, states, first_sentence(spec.doc), parts)


def machine_in_release(spec: SpecDefinition, release: str | None) -> tuple[MachineDefinition, str]:
    """Return a spec in one release, and what to tell the person who named it otherwise than the
    list does.

    Args:
        spec: the machine in all its releases.
        release: a release, a minor line, a vendor's number; None: the newest.

    Returns:
        The machine, and a note for the person; the note is empty where the release was named as the
        list has it.

    Raises:
        ValueError: it names no release of the machine; the message says which there are.
    """
    from statemachines.notation import machine_of, resolve_release

    machine = machine_of(spec, release)
    return machine, (
        ""
        if release is None
        else resolve_release(spec.family, release, within=spec.releases).message
    )


def find_system(name_or_path: str) -> SystemSpecDefinition | None:
    """Return a system without errors; None where the name is not that of one.

    Args:
        name_or_path: a catalogue name or a path.

    Returns:
        The system in all its releases.
    """
    from statemachines.notation import read_spec

    return read_spec(name_or_path).system


def system_in_release(
    spec: SystemSpecDefinition, release: str | None
) -> tuple[SystemDefinition, str]:
    """Return a system in one release, and what to tell the person who named it otherwise than the
    list does.

    Args:
        spec: in all its releases.
        release: as a person named it; None: the newest.

    Returns:
        The system, and a sentence or nothing.

    Raises:
        ValueError: it names no release of the system.
    """
    from statemachines.notation import resolve_release, system_of

    system = system_of(spec, release)
    return system, (
        ""
        if release is None
        else resolve_release(spec.family, release, within=spec.releases).message
    )


def definition_in_release(
    name_or_path: str, release: str | None
) -> tuple[MachineDefinition | SystemDefinition, str]:
    """Return a machine or a system in one release, and what to tell the person who named it
    otherwise than the list does.

    Args:
        name_or_path: of either.
        release: as a person named it; None: the newest.

    Returns:
        The machine or the system, and a sentence or nothing.

    Raises:
        ValueError: there is no release of it that is called so.
        SpecError: the spec has errors.
    """
    system = find_system(name_or_path)
    if system is not None:
        return system_in_release(system, release)
    return machine_in_release(find_machine(name_or_path), release)


def machine_in_release_of_report(
    spec: SpecDefinition, report: Report
) -> tuple[MachineDefinition, str]:
    """Return a spec in the newest release that fits the logs of a report, and what to say of it:
    `2.0.1, the logs fit 2.0.0..2.0.1`.

    Args:
        spec: the machine in all its releases.
        report: of a check by this spec alone; where its processes ran different releases, the
            newest of them all counts.

    Returns:
        The machine and the note; the note is empty where a single release fits.
    """
    from statemachines.notation import machine_of
    from statemachines.notation.releases.release_ranges import parse_ranges

    proven = [row.releases for row in report.releases if row.how != "assumed"]
    masks = [
        parse_ranges(ranges, spec.family, Span("", 1, 1))[0] & spec.releases for ranges in proven
    ]
    every, some = spec.releases, 0
    for mask in masks:
        every, some = every & mask, some | mask
    fitting = every or some or spec.releases
    machine = machine_of(spec, spec.family.newest(fitting) if spec.family.name else None)
    if not some:
        return machine, machine.release
    only = some == spec.family.bit(machine.release)
    return machine, f"{machine.release}, " + (
        "as the logs tell" if only else f"the logs fit {spec.family.ranges(some)}"
    )


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, on one line.

    Args:
        text: prose, on any number of lines.

    Returns:
        The sentence with its full stop; the whole text where it is only one.

    >>> first_sentence("One order,\\nfrom cart to door. It may be cancelled.")
    'One order, from cart to door.'
    """
    words = " ".join(text.split())
    sentence, dot, _ = words.partition(". ")
    return sentence + "." if dot else words
