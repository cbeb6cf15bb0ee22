"""`otherwise`: what becomes of events that no transition takes; and transitions of one event from
one state, which must exclude each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import groupby

from attrs import define, field

from statemachines.model.definitions.machine_definitions import FallbackKind, Otherwise
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import limited_hint
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    flow_text,
    is_true,
    node_items,
    node_text,
)
from statemachines.notation.passes.spec_builder import (
    ParsedTransition,
    SpecBuilder,
    absent_states,
    known_states,
)
from statemachines.notation.releases.release_ranges import releases_of_node, union


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
    if parsed.entry.get("from") is None and other.entry.get("from") is not None:
        mend = (
            f"what `events` says of it is a transition from every state; write guard and effect on"
            f" line {line}, where the other is"
        )
    message = (
        f"two transitions take `{parsed.transition.event}` from `{parsed.transition.source}`{where}"
    )
    return Diagnostic("SM207", message, parsed.transition.span or parsed.entry.span, mend)


def read_fallbacks(work: SpecBuilder) -> list[Diagnostic]:
    """Read the entries of `otherwise`.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    diagnostics: list[Diagnostic] = []
    nodes = [
        node for node in node_items(work.root.get("otherwise")) if isinstance(node, YamlMapping)
    ]
    work.otherwise = tuple(_read_entries(nodes, work, diagnostics))
    return diagnostics


def _read_entries(
    nodes: list[YamlMapping], work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[Otherwise]:
    events = dict.fromkeys(
        [
            *(event.name for event in work.events),
            *(parsed.transition.event for parsed in work.transitions),
        ]
    )
    for number, node in enumerate(nodes):
        releases = releases_of_node(node.get("in"), work.family, work.releases, diagnostics)
        before = len(diagnostics)
        diagnostics.extend(absent_states(node, ("from", "to"), releases, work))
        sources, targets = (
            _read_states(node.get(key), work, diagnostics) for key in ("from", "to")
        )
        event = _read_event(node.get("event"), events, diagnostics)
        cut = _releases_of_states(sources, work) & _releases_of_states(targets, work) & releases
        if not cut and len(diagnostics) == before:
            diagnostics.append(
                Diagnostic("SM203", "no release has all the states of this entry", node.span)
            )
        does, _, error = node_text(node.get("does"), "refuse").partition(" ")
        yield Otherwise(
            FallbackKind(does),
            error or None,
            sources,
            targets,
            event,
            node_text(node.get("doc")),
            number,
            cut,
            node.span,
            is_true(node.get("quiet")),
        )


def _read_event(
    node: YamlNode | None, events: Collection[str], diagnostics: list[Diagnostic]
) -> str | None:
    """Return the event that an entry is for, None for all, reporting one that nothing has."""
    if isinstance(node, YamlScalar) and node.text not in events:
        hint = limited_hint(len(diagnostics), node.text, events)
        diagnostics.append(Diagnostic("SM216", f"unknown event `{node.text}`", node.span, hint))
    return node_text(node) or None


def _releases_of_states(states: tuple[str, ...] | None, work: SpecBuilder) -> ReleaseSet:
    """Return the releases that have one of some states; None stands for every state."""
    if states is None:
        return work.family.all_releases
    return union(work.releases_of(state) for state in states)


def _read_states(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[str, ...] | None:
    if node is None or node_text(node) == "*":
        return None
    return tuple(dict.fromkeys(name.text for name in known_states(node, work, diagnostics)))
