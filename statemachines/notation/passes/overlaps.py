"""Two transitions of one event from one state must exclude each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby

from attrs import define, field

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.releases import Releases
from statemachines.notation.nodes import Scalar, flow_text
from statemachines.notation.work import Arrow, Work


def overlaps(work: Work) -> list[Diagnostic]:
    """Report what syntax shows: two arrows of one event from one state in one release, one of them without guard or both with the same.

    Guards that differ are compared by exploring (`lint`), never here. Of an arrow that overlaps with many the first of them is told.

    Complexity: linear in the arrows.
    """
    found, told = list[Diagnostic](), set[tuple[int, int]]()
    earlier: dict[tuple[str, str], _Earlier] = defaultdict(_Earlier)
    for _, group in groupby(work.arrows, key=lambda arrow: id(arrow.entry)):
        arrows = list(group)
        for arrow, other in _pairs(arrows, earlier):
            pair = (other.transition.entry, arrow.transition.entry)
            if pair not in told and arrow.transition.span:
                told.add(pair)
                found.append(_told(work, arrow, other))
        for arrow in arrows:
            earlier[_key(arrow)].add(arrow)
    return found


def _key(arrow: Arrow) -> tuple[str, str]:
    return arrow.transition.source, arrow.transition.event


def _pairs(arrows: list[Arrow], earlier: dict[tuple[str, str], _Earlier]) -> Iterator[tuple[Arrow, Arrow]]:
    """Yield arrows of one entry, each with an earlier one of the same case, or of an entry before, that it overlaps with."""
    own: dict[tuple[str, str, int], Arrow] = {}
    for arrow in arrows:
        other = own.setdefault((*_key(arrow), id(arrow.case)), arrow)
        if other is not arrow and other.transition.releases & arrow.transition.releases:
            yield arrow, other
        elif (before := earlier[_key(arrow)].overlapping(arrow)) is not None:
            yield arrow, before


def _guard(arrow: Arrow) -> str | None:
    """Return the guard as it is written; None where there is none."""
    guard = arrow.entry.get("guard")
    return None if guard is None else guard.text if isinstance(guard, Scalar) else f"{id(guard)}"


@define
class _Alike:
    """Arrows of which any two overlap where they share a release."""

    arrows: list[Arrow] = field(factory=list)
    releases: Releases = 0

    def add(self, arrow: Arrow) -> None:
        self.arrows.append(arrow)
        self.releases |= arrow.transition.releases

    def overlapping(self, arrow: Arrow) -> Arrow | None:
        releases = arrow.transition.releases
        if not self.releases & releases:
            return None
        return next(other for other in self.arrows if other.transition.releases & releases)


@define
class _Earlier:
    """The arrows of one event from one state: all of them, those without guard, and those of each guard."""

    all: _Alike = field(factory=_Alike)
    bare: _Alike = field(factory=_Alike)
    guarded: dict[str, _Alike] = field(factory=lambda: defaultdict(_Alike))

    def add(self, arrow: Arrow) -> None:
        guard = _guard(arrow)
        self.all.add(arrow)
        (self.bare if guard is None else self.guarded[guard]).add(arrow)

    def overlapping(self, arrow: Arrow) -> Arrow | None:
        """Return the first arrow that may be taken where this one may."""
        guard = _guard(arrow)
        if guard is None:
            return self.all.overlapping(arrow)
        return self.bare.overlapping(arrow) or self.guarded[guard].overlapping(arrow)


def _told(work: Work, arrow: Arrow, other: Arrow) -> Diagnostic:
    line = other.transition.span.line if other.transition.span else 0
    both = arrow.transition.releases & other.transition.releases
    where = f" in `{work.family.ranges(both)}`" if work.family.name else ""
    same = arrow.entry is not other.entry and flow_text(arrow.entry) == flow_text(other.entry)
    mend = f"line {line} says the same; remove one" if same else f"the other is on line {line}; give them disjoint `in` or guards"
    message = f"two transitions take `{arrow.transition.event}` from `{arrow.transition.source}`{where}"
    return Diagnostic("SM207", message, arrow.transition.span or arrow.entry.span, mend)
