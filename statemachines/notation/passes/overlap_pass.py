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
    """Report what syntax shows: two transitions of one event from one state in one release, one of
    them without guard or both with the same.

    Guards that differ are compared by exploring (`lint`), never here. Of a transition that overlaps
    with many the first of them is told.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        A diagnostic a transition.

    Complexity: linear in the transitions.
    """
    diagnostics, reported = list[Diagnostic](), set[tuple[int, int]]()
    earlier: dict[tuple[str, str], _EarlierTransitions] = defaultdict(_EarlierTransitions)
    for _, group in groupby(work.transitions, key=lambda parsed: id(parsed.entry)):
        transitions = list(group)
        for parsed, other in _overlapping_pairs(transitions, earlier):
            pair = (other.transition.entry, parsed.transition.entry)
            if pair not in reported and parsed.transition.span:
                reported.add(pair)
                diagnostics.append(_overlap_error(work, parsed, other))
        for parsed in transitions:
            earlier[_source_and_event(parsed)].add(parsed)
    return diagnostics


def _source_and_event(parsed: ParsedTransition) -> tuple[str, str]:
    return parsed.transition.source, parsed.transition.event


def _overlapping_pairs(
    transitions: list[ParsedTransition], earlier: dict[tuple[str, str], _EarlierTransitions]
) -> Iterator[tuple[ParsedTransition, ParsedTransition]]:
    """Yield transitions of one entry, each with an earlier one of the same case, or of an entry
    before, that it overlaps with.
    """
    own: dict[tuple[str, str, int], ParsedTransition] = {}
    for parsed in transitions:
        other = own.setdefault((*_source_and_event(parsed), id(parsed.case)), parsed)
        if other is not parsed and other.transition.releases & parsed.transition.releases:
            yield parsed, other
        elif (before := earlier[_source_and_event(parsed)].overlapping(parsed)) is not None:
            yield parsed, before


def _guard_text(parsed: ParsedTransition) -> str | None:
    """Return the guard as it is written; None where there is none."""
    guard = parsed.entry.get("guard")
    return (
        None if guard is None else guard.text if isinstance(guard, YamlScalar) else f"{id(guard)}"
    )


@define
class _OverlapGroup:
    """Transitions of which any two overlap where they share a release."""

    transitions: list[ParsedTransition] = field(factory=list)
    releases: ReleaseSet = 0

    def add(self, parsed: ParsedTransition) -> None:
        self.transitions.append(parsed)
        self.releases |= parsed.transition.releases

    def overlapping(self, parsed: ParsedTransition) -> ParsedTransition | None:
        releases = parsed.transition.releases
        if not self.releases & releases:
            return None
        return next(other for other in self.transitions if other.transition.releases & releases)


@define
class _EarlierTransitions:
    """The transitions of one event from one state: all of them, those without guard, and those of
    each guard.
    """

    all: _OverlapGroup = field(factory=_OverlapGroup)
    unguarded: _OverlapGroup = field(factory=_OverlapGroup)
    guarded: dict[str, _OverlapGroup] = field(factory=lambda: defaultdict(_OverlapGroup))

    def add(self, parsed: ParsedTransition) -> None:
        guard = _guard_text(parsed)
        self.all.add(parsed)
        (self.unguarded if guard is None else self.guarded[guard]).add(parsed)

    def overlapping(self, parsed: ParsedTransition) -> ParsedTransition | None:
        """Return the first transition that may be taken where this one may."""
        guard = _guard_text(parsed)
        if guard is None:
            return self.all.overlapping(parsed)
        return self.unguarded.overlapping(parsed) or self.guarded[guard].overlapping(parsed)


def _overlap_error(
    work: SpecBuilder, parsed: ParsedTransition, other: ParsedTransition
) -> Diagnostic:
    line = other.transition.span.line if other.transition.span else 0
    both = parsed.transition.releases & other.transition.releases
    where = f" in `{work.family.ranges(both)}`" if work.family.name else ""
    same = parsed.entry is not other.entry and flow_text(parsed.entry) == flow_text(other.entry)
    mend = (
        f"line {line} says the same; remove one"
        if same
        else f"the other is on line {line}; give them disjoint `in` or guards"
    )
    message = (
        f"two transitions take `{parsed.transition.event}` from `{parsed.transition.source}`{where}"
    )
    return Diagnostic("SM207", message, parsed.transition.span or parsed.entry.span, mend)
