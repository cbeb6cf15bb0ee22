"""`otherwise`: what becomes of events that no transition takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from statemachines.model.definitions.machine_definitions import FallbackKind, Otherwise
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import limited_hint
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_items,
    node_text,
)
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.passes.state_references import absent_states, known_states
from statemachines.notation.releases.release_ranges import releases_of_node, union


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
