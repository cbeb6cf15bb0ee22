"""Events that the spec declares, and the transitions of events that are operations."""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import Event
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlMapping, node_text
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.passes.state_references import absent_states, known_states
from statemachines.notation.releases.release_ranges import values_by_release


def read_events(work: SpecBuilder) -> list[Diagnostic]:
    """Read the declared events.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    diagnostics: list[Diagnostic] = []
    node = work.root.get("events")
    read: list[tuple[Event, YamlMapping]] = []
    if isinstance(node, YamlMapping):
        for name, value in node.entries:
            for own_node, releases, span in values_by_release(
                value, work.family, work.releases, diagnostics, name
            ):
                diagnostics += absent_states(own_node, ("target",), releases, work)
                target = next(
                    (
                        known_state.text
                        for known_state in known_states(own_node.get("target"), work, diagnostics)
                    ),
                    None,
                )
                event = Event(
                    name.text, node_text(own_node.get("doc")), releases, span, target=target
                )
                read.append((event, own_node))
    work.events = tuple(event for event, _ in read)
    work.event_nodes = tuple(own_node for _, own_node in read)
    return diagnostics
