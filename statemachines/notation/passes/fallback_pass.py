"""`otherwise`: what becomes of events that no transition takes."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.machine_definitions import FallbackKind, Otherwise
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
    """Read the entries of `otherwise`."""
    found: list[Diagnostic] = []
    nodes = [
        node for node in node_items(work.root.get("otherwise")) if isinstance(node, YamlMapping)
    ]
    work.otherwise = tuple(_read_entries(nodes, work, found))
    return found


def _read_entries(
    nodes: list[YamlMapping], work: SpecBuilder, found: list[Diagnostic]
) -> Iterator[Otherwise]:
    events = dict.fromkeys(
        [
            *(event.name for event in work.events),
            *(parsed.transition.event for parsed in work.transitions),
        ]
    )
    for number, node in enumerate(nodes):
        releases = releases_of_node(node.get("in"), work.family, work.releases, found)
        before = len(found)
        found.extend(absent_states(node, ("from", "to"), releases, work))
        sources, targets = (_read_states(node.get(key), work, found) for key in ("from", "to"))
        event = node.get("event")
        if isinstance(event, YamlScalar) and event.text not in events:
            found.append(
                Diagnostic(
                    "SM216",
                    f"unknown event `{event.text}`",
                    event.span,
                    limited_hint(len(found), event.text, events),
                )
            )
        cut = releases
        for states in (sources, targets):
            cut &= (
                work.family.all_releases
                if states is None
                else union(work.releases_of(state) for state in states)
            )
        if not cut and len(found) == before:
            found.append(Diagnostic("SM203", "no release has the states of this entry", node.span))
        does, _, error = node_text(node.get("does"), "refuse").partition(" ")
        wanted, doc, quiet = (
            node_text(event) or None,
            node_text(node.get("doc")),
            is_true(node.get("quiet")),
        )
        yield Otherwise(
            FallbackKind(does),
            error or None,
            sources,
            targets,
            wanted,
            doc,
            number,
            cut,
            node.span,
            quiet,
        )


def _read_states(
    node: YamlNode | None, work: SpecBuilder, found: list[Diagnostic]
) -> tuple[str, ...] | None:
    if node is None or node_text(node) == "*":
        return None
    return tuple(dict.fromkeys(name.text for name in known_states(node, work, found)))
