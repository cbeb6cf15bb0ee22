"""What a check is asked to do: specs, families and options, as plain values that travel to any
worker; what a spec asks of a log beside its table of moves: its properties by name, and why logs
cannot be judged by some of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from attrs import field

from statemachines.model.definitions.data_definitions import MachineData, Property, PropertyKind
from statemachines.model.definitions.log_definitions import FamilyLog, LineDefinition, LogDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.values import frozen

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
    """A property of one name and claim, in all releases that have it.

    Of most nothing is asked, for nothing was seen of their machine: then nothing is looked at.
    """

    kind: PropertyKind
    name: str
    entries: tuple[tuple[ReleaseSet, Property], ...]
    """What it is in which releases."""

    @cached_property
    def versions(self) -> tuple[tuple[ReleaseSet, Property], ...]:
        """Those that logs can be judged by; none where they cannot."""
        return tuple(entry for entry in self.entries if not unjudgeable_reason(entry[1]))

    @property
    def unjudgeable_reason(self) -> str:
        """Why they cannot; empty where they can."""
        return "" if self.versions else unjudgeable_reason(self.entries[-1][1])


def versioned_properties(
    versions: Iterable[tuple[ReleaseSet, MachineData]],
) -> tuple[VersionedProperty, ...]:
    """Return the properties of a machine or a system, in the author's order, each name once."""
    by_name: dict[tuple[PropertyKind, str], list[tuple[ReleaseSet, Property]]] = {}
    for releases, data in versions:
        for property_ in data.properties:
            by_name.setdefault((property_.kind, property_.name), []).append((releases, property_))
    return tuple(VersionedProperty(*key, tuple(entries)) for key, entries in by_name.items())


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


LEVEL_ORDER = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
"""From the loudest detail to the quietest logger setting that still shows something."""
LEVEL_RANKS = {level: rank for rank, level in enumerate(LEVEL_ORDER)}


@frozen
class PlanOptions:
    """How to judge, as the person asked."""

    release: str | None = None
    levels: tuple[tuple[str | None, str], ...] = ()
    """Logger (None: all) and the level that its files show."""
    zone: str | None = None
    tolerance_ms: int = 1000
    separate_folders: bool = False
    """Keep processes of one name in two folders apart."""
    systems_root: str = ""
    """With what the names of all files begin before the folders that are systems."""


@frozen
class FamilyPlan:
    """The releases of a system and what its lines tell of processes."""

    family: ReleaseFamily
    log: FamilyLog


@frozen
class LineOwner:
    """Whoever has lines: a machine or a family."""

    name: str
    family: str
    lines: tuple[LineDefinition, ...]
    releases: ReleaseSet
    log: LogDefinition | None
    """None for a family."""


@frozen
class CheckPlan:
    """Specs, the families they name, and options."""

    specs: tuple[SpecDefinition, ...]
    families: tuple[FamilyPlan, ...]
    options: PlanOptions = PlanOptions()
    system_parts: frozenset[str] = frozenset()
    """Machines that are parts of systems whose rules are judged: their steps are kept in any case,
    with the lines that tell them.
    """
    owners: tuple[LineOwner, ...] = field(init=False, eq=False, repr=False)
    """The machines in the order of `specs`, then the families: observations name them by number."""
    system_part_owners: frozenset[int] = field(init=False, eq=False, repr=False)
    """The numbers of the machines in `together`."""

    @owners.default
    def _owners(self) -> tuple[LineOwner, ...]:
        machines = [
            LineOwner(s.name, s.family.name, s.log.lines if s.log else (), s.releases, s.log)
            for s in self.specs
        ]
        families = [
            LineOwner(f.family.name, f.family.name, f.log.lines, f.family.all_releases, None)
            for f in self.families
        ]
        return (*machines, *families)

    @system_part_owners.default
    def _parts(self) -> frozenset[int]:
        return frozenset(
            number for number, spec in enumerate(self.specs) if spec.name in self.system_parts
        )

    def owner_family(self, owner: int) -> FamilyPlan:
        """Return the family of a machine or a family, by the owner's number.

        Args:
            owner: its place in `owners`.

        Returns:
            The family.
        """
        return next(f for f in self.families if f.family.name == self.owners[owner].family)


def given_level_ranks(plan: CheckPlan, logger: str) -> Iterable[int]:
    """Yield the level that the user says a logger's file shows."""
    for known, level in plan.options.levels:
        if known is None or logger == known or logger.startswith(known + "."):
            yield LEVEL_RANKS[level]
