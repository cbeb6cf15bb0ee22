"""A process as its log shows it: where it begins and ends, and which releases fit it."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

from attrs import Factory, define

from statemachines.conform.interchange.observations import Position
from statemachines.conform.settle.checked_files import Unit
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
