"""Transitions: entries to single transitions, each cut with the ranges of what it names."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from statemachines.model.definitions.machine_definitions import Transition, requested_state
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.evidence.durations import parse_duration
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_null,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.passes.spec_builder import (
    ParsedTransition,
    SpecBuilder,
    absent_states,
    known_states,
)
from statemachines.notation.releases.release_ranges import releases_of_node

OPERATION_KEYS = ("let", "guard", "effect", "returns", "raises", "cases")
"""An event that has one of them is taken from every state; `let` alone may also serve the
transitions of the event.
"""


_MOST_TRANSITIONS = 20_000
"""A machine that a person wrote has hundreds."""


@frozen
class _TransitionEntry:
    """An entry of `transitions:`, or an event that is an operation."""

    node: YamlMapping
    index: int
    releases: ReleaseSet
    event: str | None
    span: Span


def read_transitions(work: SpecBuilder) -> list[Diagnostic]:
    """Expand the transitions, then the events that carry an operation, in the author's order.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    diagnostics: list[Diagnostic] = []
    transitions: list[ParsedTransition] = []
    for entry in _read_entries(work, diagnostics):
        expansion = _expand_entry(entry, work, diagnostics)
        if len(transitions) + expansion.size > _MOST_TRANSITIONS:
            message = f"the transitions up to this one are more than {_MOST_TRANSITIONS:,}"
            diagnostics.append(
                Diagnostic(
                    "SM218", message, entry.span, "give the machine variables instead of states"
                )
            )
            break
        transitions += _expanded_transitions(expansion, work, diagnostics)
        diagnostics += _misleading_event_names(expansion, work)
        diagnostics += _arguments_of_time(entry, work)
    diagnostics += _states_called_source(work)
    work.transitions = _with_restarts(transitions)
    return diagnostics


def _with_restarts(transitions: list[ParsedTransition]) -> tuple[ParsedTransition, ...]:
    """Return transitions of which those that stay restart the time only where there is some."""
    timed = {parsed.transition.source for parsed in transitions if parsed.transition.after_ms}
    return tuple(
        evolve(parsed, transition=evolve(parsed.transition, restarts=False))
        if parsed.transition.restarts and parsed.transition.source not in timed
        else parsed
        for parsed in transitions
    )


def _read_entries(work: SpecBuilder, diagnostics: list[Diagnostic]) -> Iterator[_TransitionEntry]:
    for number, node in enumerate(node_items(work.root.get("transitions"))):
        if isinstance(node, YamlMapping):
            releases = releases_of_node(node.get("in"), work.family, work.releases, diagnostics)
            yield _TransitionEntry(
                node, number, releases, node_text(node.get("event")) or None, node.span
            )
    used = {
        node_text(node.get("event"))
        for node in node_items(work.root.get("transitions"))
        if isinstance(node, YamlMapping)
    }
    for number, (event, node) in enumerate(zip(work.events, work.event_nodes, strict=True)):
        carried = {key for key in OPERATION_KEYS if node.get(key) is not None}
        if carried - {"let"} or (carried and event.name not in used):
            yield _TransitionEntry(
                node, -1 - number, event.releases, event.name, event.span or node.span
            )


@frozen
class _EntryOutcome:
    """One outcome of an entry: the only one, or one of its cases."""

    case: YamlMapping | None
    targets: tuple[str, ...] | None
    """None: it stays."""
    releases: ReleaseSet


@frozen
class _TransitionExpansion:
    """What an entry names: its transitions are the product, cut with the ranges of the states."""

    entry: _TransitionEntry
    sources: tuple[str, ...]
    outcomes: tuple[_EntryOutcome, ...]
    is_sound: bool
    """Nothing is wrong with its names."""

    @property
    def size(self) -> int:
        """The most transitions that it may have."""
        return len(self.sources) * sum(
            1 if outcome.targets is None else len(outcome.targets) for outcome in self.outcomes
        )


def _expand_entry(
    entry: _TransitionEntry, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> _TransitionExpansion:
    before = len(diagnostics)
    diagnostics.extend(absent_states(entry.node, ("from", "to"), entry.releases, work))
    sources = _source_states(entry.node.get("from"), work, diagnostics)
    outcomes = tuple(_read_outcomes(entry, work, diagnostics))
    return _TransitionExpansion(entry, sources, outcomes, len(diagnostics) == before)


def _expanded_transitions(
    expansion: _TransitionExpansion, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> list[ParsedTransition]:
    """Expand one entry: its sources, its outcomes, their targets."""
    entry = expansion.entry
    transitions = [
        ParsedTransition(
            _make_transition(entry, source, target, cut, outcome), entry.node, outcome.case
        )
        for source in expansion.sources
        for outcome in expansion.outcomes
        for target in ((source,) if outcome.targets is None else outcome.targets)
        if (cut := outcome.releases & work.releases_of(source) & work.releases_of(target))
    ]
    if not transitions and expansion.is_sound:
        diagnostics.append(
            Diagnostic("SM203", "no release has both the states of this transition", entry.span)
        )
    return transitions


def _misleading_event_names(expansion: _TransitionExpansion, work: SpecBuilder) -> list[Diagnostic]:
    """Report an event that asks for a state by its name and leads to others only: where it is
    forced it would mean two things.
    """
    entry = expansion.entry
    named = requested_state(entry.event or "", work.state_names())
    if (
        named is None
        or not expansion.is_sound
        or any(event.name == entry.event and event.target for event in work.events)
        or any(
            _raises(node)
            for node in (entry.node, *(entry_outcome.case for entry_outcome in expansion.outcomes))
        )
    ):
        return []
    targets = {
        target for outcome in expansion.outcomes for target in outcome.targets or expansion.sources
    }
    if named in targets:
        return []
    node = entry.node.get("event")
    hint = (
        f"`to_` and a state's name asks for that state: choose another name, or lead to `{named}`"
    )
    return [
        Diagnostic(
            "SM220",
            f"`{entry.event}` does not lead to `{named}`",
            node.span if node else entry.span,
            hint,
        )
    ]


def _arguments_of_time(entry: _TransitionEntry, work: SpecBuilder) -> list[Diagnostic]:
    """Report a step that time takes by an event with arguments: nobody is there to give them."""
    node = entry.node.get("after")
    if node is None or not any(
        event.name == entry.event and declared.get("args") is not None
        for event, declared in zip(work.events, work.event_nodes, strict=True)
    ):
        return []
    hint = "time gives none: let it take an event of its own, without `args`"
    return [Diagnostic("SM222", f"`{entry.event}` has arguments", node.span, hint)]


def _states_called_source(work: SpecBuilder) -> list[Diagnostic]:
    """Report entries without `from` whose remark `source` is a state: other notations call it so,
    and read as a remark it lets the entry start in every state.
    """
    states = frozenset(work.state_names())
    entries = (*node_items(work.root.get("transitions")), *node_items(work.root.get("otherwise")))
    return [
        Diagnostic(
            "SM224",
            f"`source` is a remark, and `{source.text}` is a state",
            source.span,
            f'write `from: {source.text}`, or `from: "*"` if all states are meant',
        )
        for entry in entries
        if isinstance(entry, YamlMapping)
        and entry.get("from") is None
        and isinstance(source := entry.get("source"), YamlScalar)
        and source.text in states
    ]


def _raises(node: YamlMapping | None) -> bool:
    return node is not None and node.get("raises") is not None


def _source_states(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[str, ...]:
    if node is None or is_null(node) or (isinstance(node, YamlScalar) and node.text == "*"):
        return work.state_names()
    return tuple(dict.fromkeys(name.text for name in known_states(node, work, diagnostics)))


def _read_outcomes(
    entry: _TransitionEntry, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[_EntryOutcome]:
    own = _target_states(entry.node.get("to"), work, diagnostics)
    cases = [item for item in node_items(entry.node.get("cases")) if isinstance(item, YamlMapping)]
    if not cases:
        yield _EntryOutcome(None, own, entry.releases)
    for case in cases:
        releases = releases_of_node(case.get("in"), work.family, entry.releases, diagnostics)
        yield _EntryOutcome(
            case,
            own if case.get("to") is None else _target_states(case.get("to"), work, diagnostics),
            releases,
        )


def _target_states(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[str, ...] | None:
    """Return where a transition leads; None: it stays, also where it names no state that there is:
    the rest of it is read all the same.
    """
    return (
        None
        if node is None
        else tuple(dict.fromkeys(name.text for name in known_states(node, work, diagnostics)))
    ) or None


def _make_transition(
    entry: _TransitionEntry,
    source: str,
    target: str,
    releases: ReleaseSet,
    outcome: _EntryOutcome,
) -> Transition:
    node, case = entry.node, outcome.case
    return Transition(
        source,
        target,
        entry.event or f"to_{target}",
        by=node_texts(node.get("by")),
        silent=node_text(node.get("silent")).lower() == "true",
        taken=node_text(node.get("taken")).lower() != "false",
        after_ms=parse_duration(node_text(node.get("after"))),
        restarts=outcome.targets is not None and source == target,
        doc=node_text(case.get("doc") if case else None) or node_text(node.get("doc")),
        citation=node_text(node.get("source")),
        entry=entry.index,
        releases=releases,
        span=case.span if case else entry.span,
    )
