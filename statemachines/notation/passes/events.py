"""Events that the spec declares, and the arrows of events that are operations."""

from __future__ import annotations

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Event
from statemachines.notation.nodes import Mapping, text_of
from statemachines.notation.ranges import values_in
from statemachines.notation.work import Work


def events(work: Work) -> list[Diagnostic]:
    """Read the declared events."""
    found: list[Diagnostic] = []
    node = work.root.get("events")
    read: list[tuple[Event, Mapping]] = []
    if isinstance(node, Mapping):
        for name, value in node.entries:
            for said, releases, span in values_in(value, work.family, work.releases, found, name):
                read.append((Event(name.text, text_of(said.get("doc")), releases, span), said))
    work.events = tuple(event for event, _ in read)
    work.event_nodes = tuple(said for _, said in read)
    return found
