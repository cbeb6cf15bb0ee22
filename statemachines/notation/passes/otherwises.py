"""`otherwise`: what becomes of events that no transition takes."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Does, Otherwise
from statemachines.model.suggestions import hint
from statemachines.notation.nodes import Mapping, Node, Scalar, items_of, text_of
from statemachines.notation.passes.references import absent_states, known_states
from statemachines.notation.ranges import releases_in, union
from statemachines.notation.work import Work


def otherwises(work: Work) -> list[Diagnostic]:
    """Read the entries of `otherwise`."""
    found: list[Diagnostic] = []
    nodes = [node for node in items_of(work.root.get("otherwise")) if isinstance(node, Mapping)]
    work.otherwise = tuple(_entries(nodes, work, found))
    return found


def _entries(nodes: list[Mapping], work: Work, found: list[Diagnostic]) -> Iterator[Otherwise]:
    events = dict.fromkeys([*(event.name for event in work.events), *(arrow.transition.event for arrow in work.arrows)])
    for number, node in enumerate(nodes):
        releases = releases_in(node.get("in"), work.family, work.releases, found)
        before = len(found)
        found.extend(absent_states(node, ("from", "to"), releases, work))
        sources, targets = (_states(node.get(key), work, found) for key in ("from", "to"))
        event = node.get("event")
        if isinstance(event, Scalar) and event.text not in events:
            found.append(Diagnostic("SM216", f"unknown event `{event.text}`", event.span, hint(len(found), event.text, events)))
        cut = releases
        for states in (sources, targets):
            cut &= work.family.everything if states is None else union(work.releases_of(state) for state in states)
        if not cut and len(found) == before:
            found.append(Diagnostic("SM203", "no release has the states of this entry", node.span))
        does, _, error = text_of(node.get("does"), "refuse").partition(" ")
        yield Otherwise(
            Does(does), error or None, sources, targets, text_of(event) or None, text_of(node.get("doc")), number, cut, node.span
        )


def _states(node: Node | None, work: Work, found: list[Diagnostic]) -> tuple[str, ...] | None:
    if node is None or text_of(node) == "*":
        return None
    return tuple(dict.fromkeys(name.text for name in known_states(node, work, found)))
