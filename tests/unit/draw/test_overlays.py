"""Traces, logs and releases laid over a picture.

Covers: statemachines.draw.graphs.machine_graph, statemachines.draw.graphs.graph,
statemachines.draw.graphs.log_overlay, statemachines.draw.graphs.release_changes.
"""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.draw import Counts, to_graph, with_changes, with_counts, with_trace
from statemachines.draw.graphs.graph import ChangeMark, LogEvidence
from statemachines.model.definitions.machine_definitions import MachineDefinition, State, Transition
from tests.machines import COUNTER, ORDER
from tests.strategies import table_machines

PAIRS = st.dictionaries(
    st.tuples(st.sampled_from("ABCDEF"), st.sampled_from("ABCDEF")), st.integers(0, 10**9)
)


@given(table_machines(), PAIRS)
def test_every_count_is_shown_once(
    machine: MachineDefinition, taken: dict[tuple[str, str], int]
) -> None:
    """What was taken is an arrow with its number, forbidden where the machine has none; nothing else changes."""
    graph = to_graph(machine)
    shown = {(edge.source, edge.target): edge for edge in with_counts(graph, Counts(taken)).edges}
    legal = {(edge.source, edge.target) for edge in graph.edges}
    for pair, edge in shown.items():
        count = taken.get(pair, 0)
        assert (f"{count:,}×" in edge.labels) == (count > 0)
        assert (edge.evidence is LogEvidence.FORBIDDEN) == (pair not in legal)
        assert 1 <= edge.width <= 5
    expected = {pair for pair, count in taken.items() if count and graph.index.keys() >= set(pair)}
    assert {
        pair
        for pair, edge in shown.items()
        if edge.evidence in (LogEvidence.TAKEN, LogEvidence.FORBIDDEN)
    } == expected


def test_never_seen_is_not_never_taken() -> None:
    """An arrow that the system's code never takes need not be seen; one that it may take and that no log shows is worth a look."""
    seen = {
        (edge.source, edge.target): edge.evidence
        for edge in with_counts(to_graph(ORDER), Counts({("NEW", "PAID"): 3})).edges
    }
    assert seen["NEW", "PAID"] is LogEvidence.TAKEN
    assert seen["NEW", "CLOSED"] is LogEvidence.NO_LOG
    assert seen["PAID", "SHIPPED"] is LogEvidence.NEVER


def test_times_that_states_were_held_stand_in_the_boxes() -> None:
    """In words."""
    graph = with_counts(to_graph(COUNTER), Counts({}, {"ONE": 192_000}))
    assert {node.name: node.lines for node in graph.nodes} == {
        "ZERO": (),
        "ONE": ("3 min 12 s",),
        "TWO": (),
    }
    assert {node.name: node.evidence for node in graph.nodes} == {
        "ZERO": LogEvidence.NEVER,
        "ONE": LogEvidence.TAKEN,
        "TWO": LogEvidence.NEVER,
    }


@given(
    table_machines(),
    st.lists(st.tuples(st.sampled_from("ABCDEF"), st.sampled_from("ABCDEF")), max_size=12),
)
def test_a_trace_lights_what_it_took(
    machine: MachineDefinition, steps: list[tuple[str, str]]
) -> None:
    """Arrows and boxes of the trace, forbidden steps too, and no others."""
    graph = to_graph(machine)
    drawn = with_trace(graph, steps)
    known = {pair for pair in steps if graph.index.keys() >= set(pair)}
    assert {(edge.source, edge.target) for edge in drawn.edges if edge.highlighted} == known
    legal = {(edge.source, edge.target) for edge in graph.edges}
    assert {
        (edge.source, edge.target) for edge in drawn.edges if edge.evidence is LogEvidence.FORBIDDEN
    } == known - legal


@given(table_machines(), table_machines())
def test_changes_between_two_machines_are_all_marked(
    old: MachineDefinition, new: MachineDefinition
) -> None:
    """Taking away what was added gives the old arrows, taking away what went gives the new ones."""
    before, after = to_graph(old), to_graph(new)
    drawn = with_changes(before, after)
    arrows = {
        mark: {(edge.source, edge.target) for edge in drawn.edges if edge.change is mark}
        for mark in ChangeMark
    }
    assert arrows[ChangeMark.SAME] | arrows[ChangeMark.REMOVED] == {
        (edge.source, edge.target) for edge in before.edges
    }
    assert arrows[ChangeMark.SAME] | arrows[ChangeMark.ADDED] == {
        (edge.source, edge.target) for edge in after.edges
    }
    assert {node.name for node in drawn.nodes if node.change is not ChangeMark.ADDED} == {
        node.name for node in before.nodes
    }


@given(table_machines())
def test_a_machine_has_not_changed_since_itself(machine: MachineDefinition) -> None:
    """No mark, the same arrows."""
    graph = to_graph(machine)
    assert with_changes(graph, graph).edges == graph.edges


def test_labels_that_changed_are_marked_one_by_one() -> None:
    """An arrow that stays may have other events."""
    states = (State("A"), State("B"))
    old = MachineDefinition(
        "m", "1", states, (Transition("A", "B", "stay"), Transition("A", "B", "gone"))
    )
    new = MachineDefinition(
        "m", "2", states, (Transition("A", "B", "stay"), Transition("A", "B", "come"))
    )
    drawn = with_changes(to_graph(old), to_graph(new))
    assert [edge.labels for edge in drawn.edges] == [("stay", "+ come", "− gone")]
    assert drawn.caption == "1 → 2"


@pytest.mark.parametrize(("old", "new"), [("silent", "taken"), ("taken", "silent")])
def test_the_new_release_says_how_an_arrow_is_drawn(old: str, new: str) -> None:
    """Of an arrow that both have, the younger one's looks are drawn."""
    arrow = Transition("ZERO", "ONE", "to_ONE")
    before = evolve(COUNTER, transitions=(evolve(arrow, silent=old == "silent"),))
    after = evolve(COUNTER, transitions=(evolve(arrow, silent=new == "silent"),))
    assert [edge.silent for edge in with_changes(to_graph(before), to_graph(after)).edges] == [
        new == "silent"
    ]
