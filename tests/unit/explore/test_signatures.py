"""Names put in order by what is seen from them: as many classes as mathematics knows.

Covers: statemachines.explore.rows.name_signatures.
"""

from __future__ import annotations

import pytest

from statemachines.explore.machine_exploration import explore
from statemachines.explore.models.scopes import ExplorationScope
from statemachines.explore.options import ExplorationOptions
from tests.data_machines import machine

FUNCTION = """
types: {Node: id}
parameters: {nodes: "set[Node]"}
scope: {Node: 3, nodes: Node}
variables: {to: {type: "map[nodes, nodes]", initial: "{n: n for n in nodes}"}}
events: {point: {args: {a: nodes, b: nodes}, effect: {to: "to | {a: b}"}}}
"""
RELATION = """
types: {Node: id}
parameters: {nodes: "set[Node]"}
scope: {Node: 3, nodes: Node}
variables: {to: {type: "map[nodes, set[nodes]]", initial: "{n: set() for n in nodes}"}}
events: {turn: {args: {a: nodes, b: nodes}, effect: {to: "to | {a: to[a] ^ {b}}"}}}
"""
BIPARTITE = """
types: {Left: id, Right: id}
parameters: {lefts: "set[Left]", rights: "set[Right]"}
scope: {Left: 3, Right: 3, lefts: Left, rights: Right}
variables: {to: {type: "map[lefts, set[rights]]", initial: "{n: set() for n in lefts}"}}
events: {turn: {args: {a: lefts, b: rights}, effect: {to: "to | {a: to[a] ^ {b}}"}}}
"""
SETS = """
types: {Node: id}
parameters: {nodes: "set[Node]"}
scope: {Node: 3, nodes: Node}
variables: {blocks: {type: "set[set[nodes]]", initial: "set()"}}
events: {turn: {args: {some: "set[nodes]"}, effect: {blocks: "blocks ^ {some}"}}}
"""


@pytest.mark.parametrize(
    ("spec", "states", "classes"),
    [
        (FUNCTION, 3**3, 7),
        (FUNCTION.replace("3,", "4,"), 4**4, 19),
        (FUNCTION.replace("3,", "5,"), 5**5, 47),
        (RELATION.replace("3,", "2,"), 2**4, 10),
        (RELATION, 2**9, 104),
        (BIPARTITE, 2**9, 36),
        (SETS, 2**8, 80),
    ],
    ids=[
        "functions 3",
        "functions 4",
        "functions 5",
        "relations 2",
        "relations 3",
        "0-1 matrices 3",
        "sets of sets 3",
    ],
)
def test_there_are_as_many_classes_as_mathematics_knows(
    spec: str, states: int, classes: int
) -> None:
    """OEIS A001372, A000595, A002724, A003180: in a ring all names look the same from each other, and yet may not change places at will."""
    found = machine(spec)
    assert explore(found, ExplorationScope()).states == states
    assert explore(found, ExplorationScope(), ExplorationOptions(symmetry=True)).states == classes
