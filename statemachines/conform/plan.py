"""What a check is asked to do: specs, families and options, as plain values that travel to any worker."""

from __future__ import annotations

from attrs import field, frozen

from statemachines.model.loglines import FamilyLog, Line, Log
from statemachines.model.machines import Spec
from statemachines.model.releases import Family, Releases

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
"""From the loudest detail to the quietest logger setting that still shows something."""
RANK = {level: rank for rank, level in enumerate(LEVELS)}


@frozen
class Options:
    """How to judge, as the person asked."""

    release: str | None = None
    levels: tuple[tuple[str | None, str], ...] = ()
    """Logger (None: all) and the level that its files show."""
    zone: str | None = None
    tolerance_ms: int = 1000
    separate_folders: bool = False
    """Keep processes of one name in two folders apart."""


@frozen
class FamilyPlan:
    """The releases of a system and what its lines tell of processes."""

    family: Family
    log: FamilyLog


@frozen
class Owner:
    """Whoever has lines: a machine or a family."""

    name: str
    family: str
    lines: tuple[Line, ...]
    releases: Releases
    log: Log | None
    """None for a family."""


@frozen
class Plan:
    """Specs, the families they name, and options."""

    specs: tuple[Spec, ...]
    families: tuple[FamilyPlan, ...]
    options: Options = Options()
    together: frozenset[str] = frozenset()
    """Machines that are parts of systems whose rules are judged: their steps are kept in any case, with the lines that tell them."""
    owners: tuple[Owner, ...] = field(init=False, eq=False, repr=False)
    """The machines in the order of `specs`, then the families: observations name them by number."""
    parts: frozenset[int] = field(init=False, eq=False, repr=False)
    """The numbers of the machines in `together`."""

    @owners.default
    def _owners(self) -> tuple[Owner, ...]:
        machines = [Owner(s.name, s.family.name, s.log.lines if s.log else (), s.releases, s.log) for s in self.specs]
        families = [Owner(f.family.name, f.family.name, f.log.lines, f.family.everything, None) for f in self.families]
        return (*machines, *families)

    @parts.default
    def _parts(self) -> frozenset[int]:
        return frozenset(number for number, spec in enumerate(self.specs) if spec.name in self.together)

    def family_of(self, owner: int) -> FamilyPlan:
        """Return the family of a machine or a family, by the owner's number."""
        return next(f for f in self.families if f.family.name == self.owners[owner].family)
