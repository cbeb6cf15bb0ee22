"""What a spec asks of a log beside its table of moves: its properties by name, and why logs cannot
be judged by some of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from statemachines.model.definitions.data_definitions import MachineData, Property, PropertyKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet

ALL_RUNS = "speaks of all runs, and a log shows one"
_UNTIL_RAISED = "speaks of runs until something is raised, and what raised is not always told"
_KNOWN_BUG = "is known to fail"
_ASKS_ENABLED = "asks what is enabled, which no line tells"
_EACH_NAME = "is claimed for each of some names, and no log lists them"
NO_LINES = "without log lines in its spec"
NOT_SEEN = "not seen, no line tells a state or step of it"
NONE_JUDGED = "none of its lines could be judged"


@frozen
class VersionedProperty:
    """A property of one name and claim, in all releases that have it."""

    kind: PropertyKind
    name: str
    versions: tuple[tuple[ReleaseSet, Property], ...]
    """Those that logs can be judged by; none where they cannot."""
    unjudgeable_reason: str = ""
    """Why they cannot."""


def versioned_properties(
    versions: Iterable[tuple[ReleaseSet, MachineData]],
) -> tuple[VersionedProperty, ...]:
    """Return the properties of a machine or a system, in the author's order, each name once."""
    by_name: dict[tuple[PropertyKind, str], list[tuple[ReleaseSet, Property]]] = {}
    for releases, data in versions:
        for property_ in data.properties:
            by_name.setdefault((property_.kind, property_.name), []).append((releases, property_))
    return tuple(_make_versioned_property(*key, entries) for key, entries in by_name.items())


def _make_versioned_property(
    claim: PropertyKind, name: str, entries: list[tuple[ReleaseSet, Property]]
) -> VersionedProperty:
    usable = tuple(
        (releases, property_)
        for releases, property_ in entries
        if not unjudgeable_reason(property_)
    )
    return VersionedProperty(
        claim, name, usable, "" if usable else unjudgeable_reason(entries[-1][1])
    )


def unjudgeable_reason(property_: Property) -> str:
    """Return why no log can be judged by a property; empty where one can."""
    if property_.kind not in (PropertyKind.ALWAYS, PropertyKind.EACH_STEP):
        return ALL_RUNS
    if property_.each:
        return _EACH_NAME
    if property_.asks_enabled:
        return _ASKS_ENABLED
    if property_.expect_fails:
        return _KNOWN_BUG
    return _UNTIL_RAISED if property_.until_raised else ""


def spec_properties(spec: SpecDefinition) -> tuple[VersionedProperty, ...]:
    """Return the properties of a machine in all its releases."""
    return versioned_properties(spec.versions or ((spec.releases, spec.data),))
