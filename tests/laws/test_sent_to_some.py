"""What is sent to a set of keys is what as many links with a key each would send.

Covers: statemachines.notation.systems.link_reader, statemachines.semantics.system.event_cascade,
statemachines.embed.code_generation.system_code.link_methods.
"""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.notation import load_system, system_of
from tests.effort import some_of
from tests.systems import codes, written

NODE = """
notation: 1
machine: Node
types: {Node: 1..3}
variables: {heard: "set[Node] = set()", said: "bool = False"}
events:
  say: {guard: not said, effect: {said: "True"}}
  hear: {args: {by: Node}, effect: {heard: "heard | {by}"}}
"""
GOSSIP = """
notation: 1
system: House
types: {Node: 1..3}
parts: {nodes: {machine: Node, each: Node}}
channels: {air: {holds: 2MAY}}
links:
LINKS
sometimes: {all: "all(n.heard == Node for n in nodes.values())"}
"""
PAIRS = list(itertools.product((1, 2, 3), repeat=2))


def gossip(links: list[str], may: str) -> SystemDefinition:
    """Return nodes that tell others, by these links."""
    text = GOSSIP.replace("LINKS", "\n".join(f"  - {link}" for link in links)).replace("MAY", may)
    path = written(text, "")
    (path.parent / "Node.yaml").write_text(NODE.lstrip())
    return system_of(load_system(path))


@settings(max_examples=some_of(6), deadline=None)
@given(
    st.sets(st.sampled_from(PAIRS), min_size=1, max_size=6),
    st.sampled_from(["", ", later: true", ", through: air"]),
    st.sampled_from(["", ", may: [lose]", ", may: [reorder]"]),
)
def test_a_set_is_each_of_its_keys(graph: set[tuple[int, int]], how: str, may: str) -> None:
    """At once, as the newest, and through channels; in rows and on arrays."""
    say = f"{{on: nodes, event: say, args: {{by: key}}{how}, "
    graph_text = " or ".join(f"(key == {a} and n == {b})" for a, b in sorted(graph))
    some = [f"{say}send: 'nodes[{{n for n in Node if {graph_text}}}].hear'}}"]
    each = [f"{say}guard: key == {a}, send: 'nodes[{b}].hear'}}" for a, b in sorted(graph)]
    for engine in ("rows", "arrays"):
        first, second = (
            explore(gossip(links, may), how=ExplorationOptions(engine=engine))
            for links in (some, each)
        )
        assert (first.states, first.transitions, first.depth) == (
            second.states,
            second.transitions,
            second.depth,
        )
        assert [one.verdict for one in first.examined] == [one.verdict for one in second.examined]


def test_a_set_of_something_else_is_refused() -> None:
    """A set of numbers names no rooms."""
    link = "links: [{on: door, enters: OPEN, send: 'lamps[{1, 2}].to_ON'}]\n"
    assert codes(link) == ["SM304"]
