"""A process as its log shows it: what it is called, where it begins and ends, and which
releases fit it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from operator import attrgetter

from attrs import Factory, define

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Position
from statemachines.conform.interchange.profiles import (
    Profile,
)
from statemachines.conform.settle.checked_files import CheckedFile, Unit
from statemachines.conform.settle.fitting_releases import ReleaseFit


@define
class Process:
    """A process that lines tell of."""

    name: str
    identity: str = ""
    """Tells it from others whose names are the same in other places."""
    units: list[Unit] = Factory(list)
    fits: dict[str, list[ReleaseFit]] = Factory(dict)
    """Family: the releases that fit, from which position on."""
    own_fits: dict[int, list[ReleaseFit]] = Factory(dict)
    """Machines that write a release line of their own."""
    shown_levels: dict[tuple[int, int, str], int] = Factory(dict)
    """Stem, owner and logger: rank of the quietest level that was read."""
    possible_starts: list[Position] = Factory(list)
    """Where the process begins, or may begin, sorted."""
    certain_starts: list[Position] = Factory(list)
    """Where it surely begins, sorted: what it told before is over."""
    ends: list[Position] = Factory(list)
    problems: list[str] = Factory(list)

    def fitting_releases(self, owner: int, family: str, position: Position) -> int:
        """Return the releases that fit a machine's line at a position."""
        known = self.own_fits.get(owner) or self.fits.get(family) or []
        index = bisect_right(known, position, key=attrgetter("start")) - 1
        return known[max(index, 0)].releases if known else 0

    def only_fit(self, owner: int, family: str) -> int:
        """Return the releases that fit all lines of a machine; -1 where they are not the same."""
        known = self.own_fits.get(owner) or self.fits.get(family) or []
        return known[0].releases if len(known) == 1 else -1 if known else 0

    def run_key(self, owner: int, family: str, position: Position) -> tuple[object, ...]:
        """Return what names the run of the process that a line belongs to, as far as banners and
        beginnings tell runs apart.
        """
        own = self.own_fits.get(owner)
        known = own or self.fits.get(family) or []
        index = bisect_right(known, position, key=attrgetter("start")) - 1
        return family, owner if own else -1, index, bisect_right(self.possible_starts, position)

    def began_between(self, after: Position, until: Position) -> bool:
        """Say whether the process began between two positions."""
        index = bisect_right(self.possible_starts, after)
        return index < len(self.possible_starts) and self.possible_starts[index] < until

    def started_after(self, position: Position) -> Position | None:
        """Return the first place after a position where the process surely began anew."""
        index = bisect_right(self.certain_starts, position)
        return self.certain_starts[index] if index < len(self.certain_starts) else None

    def ended_after(self, position: Position) -> bool:
        """Say whether the process ended after a position, and did not begin again."""
        last_begin = self.possible_starts[-1] if self.possible_starts else position
        return bool(self.ends) and self.ends[-1] > max(position, last_begin)


def process_names(
    plan: CheckPlan, files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> Iterator[tuple[Unit, str]]:
    """Yield the name of every unit's process; a name that holds in one place only is led by that
    place and a NUL.
    """
    stems: dict[tuple[str, str | None], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    folders: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file, profile in zip(files, profiles, strict=True):
        for prefix, unit in profile.units.items():
            for family, values in unit.process_names.items():
                stems[file.stem, prefix][family] |= values
                if prefix is None:
                    folders[file.folder][family] |= values
    root = plan.options.systems_root
    for number, (file, profile) in enumerate(zip(files, profiles, strict=True)):
        for prefix in profile.prefixes:
            if prefix is not None:
                yield (number, prefix), f"{file.stem}\0{prefix}"
                continue
            named = _agreed_name(plan, stems[file.stem, None]) or (
                not any(stems[file.stem, None].values())
                and _agreed_name(plan, folders[file.folder])
            )
            apart = f"{file.system_below(root)}\0" if plan.options.separate_folders else ""
            yield (number, prefix), f"{apart}{named}" if named else file.stem


def _agreed_name(plan: CheckPlan, named: dict[str, set[str]]) -> str | None:
    for family in plan.families:
        values = named.get(family.family.name, set())
        if len(values) == 1:
            return f"{family.log.process_word or family.log.process} {next(iter(values))}"
    return None
