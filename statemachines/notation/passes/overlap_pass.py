"""Two transitions of one event from one state must exclude each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby

from attrs import define, field

from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlScalar, flow_text
from statemachines.notation.passes.spec_builder import ParsedTransition, SpecBuilder


def overlapping_transitions(work: SpecBuilder) -> list[Diagnostic]:
    """Report what syntax shows: two arrows of one event from one state in one release, one of them
    without guard or both with the same.

    Guards that differ are compared by exploring (`lint`), never here. Of an arrow that overlaps
    with many the first of them is told.

    Complexity: linear in the arrows.
    """
    found, told = list[Diagnostic](), set[tuple[int, int]]()
    earlier: dict[tuple[str, str], _EarlierTransitions] = defaultdict(_EarlierTransitions)
    for _, group in groupby(work.transitions, key=lambda arrow: id(arrow.entry)):
        arrows = list(group)
        for arrow, other in _overlapping_pairs(arrows, earlier):
            pair = (other.transition.entry, arrow.transition.entry)
            if pair not in told and arrow.transition.span:
                told.add(pair)
                found.append(_overlap_error(work, arrow, other))
        for arrow in arrows:
            earlier[_source_and_event(arrow)].add(arrow)
    return found


def _source_and_event(arrow: ParsedTransition) -> tuple[str, str]:
    return arrow.transition.source, arrow.transition.event


def _overlapping_pairs(
    arrows: list[ParsedTransition], earlier: dict[tuple[str, str], _EarlierTransitions]
) -> Iterator[tuple[ParsedTransition, ParsedTransition]]:
    """Yield arrows of one entry, each with an earlier one of the same case, or of an entry before,
    that it overlaps with.
    """
    own: dict[tuple[str, str, int], ParsedTransition] = {}
    for arrow in arrows:
        other = own.setdefault((*_source_and_event(arrow), id(arrow.case)), arrow)
        if other is not arrow and other.transition.releases & arrow.transition.releases:
            yield arrow, other
        elif (before := earlier[_source_and_event(arrow)].overlapping(arrow)) is not None:
            yield arrow, before


def _guard_text(arrow: ParsedTransition) -> str | None:
    """Return the guard as it is written; None where there is none."""
    guard = arrow.entry.get("guard")
    return (
        None if guard is None else guard.text if isinstance(guard, YamlScalar) else f"{id(guard)}"
    )


@define
class _OverlapGroup:
    """Arrows of which any two overlap where they share a release."""

    transitions: list[ParsedTransition] = field(factory=list)
    releases: ReleaseSet = 0

    def add(self, arrow: ParsedTransition) -> None:
        self.transitions.append(arrow)
        self.releases |= arrow.transition.releases

    def overlapping(self, arrow: ParsedTransition) -> ParsedTransition | None:
        releases = arrow.transition.releases
        if not self.releases & releases:
            return None
        return next(other for other in self.transitions if other.transition.releases & releases)


@define
class _EarlierTransitions:
    """The arrows of one event from one state: all of them, those without guard, and those of each
    guard.
    """

    all: _OverlapGroup = field(factory=_OverlapGroup)
    unguarded: _OverlapGroup = field(factory=_OverlapGroup)
    guarded: dict[str, _OverlapGroup] = field(factory=lambda: defaultdict(_OverlapGroup))

    def add(self, arrow: ParsedTransition) -> None:
        guard = _guard_text(arrow)
        self.all.add(arrow)
        (self.unguarded if guard is None else self.guarded[guard]).add(arrow)

    def overlapping(self, arrow: ParsedTransition) -> ParsedTransition | None:
        """Return the first arrow that may be taken where this one may."""
        guard = _guard_text(arrow)
        if guard is None:
            return self.all.overlapping(arrow)
        return self.unguarded.overlapping(arrow) or self.guarded[guard].overlapping(arrow)


def _overlap_error(
    work: SpecBuilder, arrow: ParsedTransition, other: ParsedTransition
) -> Diagnostic:
    line = other.transition.span.line if other.transition.span else 0
    both = arrow.transition.releases & other.transition.releases
    where = f" in `{work.family.ranges(both)}`" if work.family.name else ""
    same = arrow.entry is not other.entry and flow_text(arrow.entry) == flow_text(other.entry)
    mend = (
        f"line {line} says the same; remove one"
        if same
        else f"the other is on line {line}; give them disjoint `in` or guards"
    )
    message = (
        f"two transitions take `{arrow.transition.event}` from `{arrow.transition.source}`{where}"
    )
    return Diagnostic("SM207", message, arrow.transition.span or arrow.entry.span, mend)
