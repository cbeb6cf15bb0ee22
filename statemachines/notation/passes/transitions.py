"""Transitions: entries to single arrows, each cut with the ranges of what it names."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Transition, asks_for
from statemachines.model.places import Span
from statemachines.model.releases import Releases
from statemachines.notation.nodes import Mapping, Node, Scalar, items_of, text_of, texts_of
from statemachines.notation.passes.references import absent_states, known_states
from statemachines.notation.ranges import releases_in
from statemachines.notation.scalars import is_null
from statemachines.notation.work import Arrow, Work

OPERATION_KEYS = ("let", "guard", "effect", "returns", "raises", "cases")
"""An event that has one of them is taken from every state; `let` alone may also serve the transitions of the event."""


MOST_ARROWS = 20_000
"""A machine that a person wrote has hundreds."""


@frozen
class Entry:
    """An entry of `transitions:`, or an event that is an operation."""

    node: Mapping
    number: int
    releases: Releases
    event: str | None
    span: Span


def transitions(work: Work) -> list[Diagnostic]:
    """Expand the transitions, then the events that carry an operation, in the author's order."""
    found: list[Diagnostic] = []
    arrows: list[Arrow] = []
    for entry in _entries(work, found):
        expansion = _expansion(entry, work, found)
        if len(arrows) + expansion.size > MOST_ARROWS:
            message = f"the transitions up to this one are more than {MOST_ARROWS:,} arrows"
            found.append(Diagnostic("SM218", message, entry.span, "give the machine variables instead of states"))
            break
        arrows += _arrows(expansion, work, found)
        found += _named_after_another(expansion, work)
    work.arrows = tuple(arrows)
    return found


def _entries(work: Work, found: list[Diagnostic]) -> Iterator[Entry]:
    for number, node in enumerate(items_of(work.root.get("transitions"))):
        if isinstance(node, Mapping):
            releases = releases_in(node.get("in"), work.family, work.releases, found)
            yield Entry(node, number, releases, text_of(node.get("event")) or None, node.span)
    used = {text_of(node.get("event")) for node in items_of(work.root.get("transitions")) if isinstance(node, Mapping)}
    for number, (event, node) in enumerate(zip(work.events, work.event_nodes, strict=True)):
        carried = {key for key in OPERATION_KEYS if node.get(key) is not None}
        if carried - {"let"} or (carried and event.name not in used):
            yield Entry(node, -1 - number, event.releases, event.name, event.span or node.span)


@frozen
class Outcome:
    """One outcome of an entry: the only one, or one of its cases."""

    case: Mapping | None
    targets: tuple[str, ...] | None
    """None: it stays."""
    releases: Releases


@frozen
class Expansion:
    """What an entry names: its arrows are the product, cut with the ranges of the states."""

    entry: Entry
    sources: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    sound: bool
    """Nothing is wrong with its names."""

    @property
    def size(self) -> int:
        """The most arrows that it may have."""
        return len(self.sources) * sum(1 if outcome.targets is None else len(outcome.targets) for outcome in self.outcomes)


def _expansion(entry: Entry, work: Work, found: list[Diagnostic]) -> Expansion:
    before = len(found)
    found.extend(absent_states(entry.node, ("from", "to"), entry.releases, work))
    sources = _sources(entry.node.get("from"), work, found)
    outcomes = tuple(_outcomes(entry, work, found))
    return Expansion(entry, sources, outcomes, len(found) == before)


def _arrows(expansion: Expansion, work: Work, found: list[Diagnostic]) -> list[Arrow]:
    """Expand one entry: its sources, its outcomes, their targets."""
    entry = expansion.entry
    arrows = [
        Arrow(_transition(entry, source, target, cut, outcome.case), entry.node, outcome.case)
        for source in expansion.sources
        for outcome in expansion.outcomes
        for target in ((source,) if outcome.targets is None else outcome.targets)
        if (cut := outcome.releases & work.releases_of(source) & work.releases_of(target))
    ]
    if not arrows and expansion.sound:
        found.append(Diagnostic("SM203", "no release has both the states of this transition", entry.span))
    return arrows


def _named_after_another(expansion: Expansion, work: Work) -> list[Diagnostic]:
    """Report an event that asks for a state by its name and leads to others only: where it is forced it would mean two things."""
    entry = expansion.entry
    named = asks_for(entry.event or "", work.state_names())
    if named is None or not expansion.sound or any(_raises(node) for node in (entry.node, *(each.case for each in expansion.outcomes))):
        return []
    targets = {target for outcome in expansion.outcomes for target in outcome.targets or expansion.sources}
    if named in targets:
        return []
    node = entry.node.get("event")
    hint = f"`to_` and a state's name asks for that state: choose another name, or lead to `{named}`"
    return [Diagnostic("SM220", f"`{entry.event}` does not lead to `{named}`", node.span if node else entry.span, hint)]


def _raises(node: Mapping | None) -> bool:
    return node is not None and node.get("raises") is not None


def _sources(node: Node | None, work: Work, found: list[Diagnostic]) -> tuple[str, ...]:
    if node is None or is_null(node) or (isinstance(node, Scalar) and node.text == "*"):
        return work.state_names()
    return tuple(dict.fromkeys(name.text for name in known_states(node, work, found)))


def _outcomes(entry: Entry, work: Work, found: list[Diagnostic]) -> Iterator[Outcome]:
    own = _targets(entry.node.get("to"), work, found)
    cases = [item for item in items_of(entry.node.get("cases")) if isinstance(item, Mapping)]
    if not cases:
        yield Outcome(None, own, entry.releases)
    for case in cases:
        releases = releases_in(case.get("in"), work.family, entry.releases, found)
        yield Outcome(case, own if case.get("to") is None else _targets(case.get("to"), work, found), releases)


def _targets(node: Node | None, work: Work, found: list[Diagnostic]) -> tuple[str, ...] | None:
    """Return where a transition leads; None: it stays, also where it names no state that there is: the rest of it is read all the same."""
    return (None if node is None else tuple(dict.fromkeys(name.text for name in known_states(node, work, found)))) or None


def _transition(entry: Entry, source: str, target: str, releases: Releases, case: Mapping | None) -> Transition:
    node = entry.node
    return Transition(
        source,
        target,
        entry.event or f"to_{target}",
        by=texts_of(node.get("by")),
        silent=text_of(node.get("silent")).lower() == "true",
        taken=text_of(node.get("taken")).lower() != "false",
        doc=text_of(case.get("doc") if case else None) or text_of(node.get("doc")),
        source_of=text_of(node.get("source")),
        entry=entry.number,
        releases=releases,
        span=case.span if case else entry.span,
    )
