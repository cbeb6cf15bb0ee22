"""What a check is asked to do: specs, families and options, as plain values that travel to any
worker.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen

from statemachines.model.definitions.log_definitions import FamilyLog, LineDefinition, LogDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet

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
