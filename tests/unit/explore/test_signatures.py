"""Names put in order by what is seen from them: as many classes as mathematics knows.

Covers: statemachines.explore.symmetry.canonical_rows, statemachines.explore.symmetry.changed_names.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.language.frozen_values import make_record
from statemachines.notation import load_system, system_of
from statemachines.semantics.messages.argument_errors import ArgumentsError
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


POINTER = """
notation: 1
machine: Pointer
types: {Node: id}
variables: {to: {type: "set[Node]", initial: "set()"}}
events: {turn: {args: {other: Node}, effect: {to: "to ^ {other}"}}}
"""
POINTERS = """
notation: 1
system: Pointers
types: {Node: id}
parts: {nodes: {machine: Pointer, each: Node}}
scope: {Node: 3}
"""
SYMMETRY = ExplorationOptions(symmetry=True)


def pointers(directory: Path, text: str) -> SystemDefinition:
    (directory / "Pointer.yaml").write_text(POINTER)
    file = directory / "Pointers.yaml"
    file.write_text(text)
    return system_of(load_system(file))


@pytest.mark.parametrize(("many", "classes"), [(2, 10), (3, 104)])
def test_parts_change_places_with_the_names_that_they_hold(
    tmp_path: Path, many: int, classes: int
) -> None:
    """Relations once more, a part for each element: a part and what the others hold of it are renamed together."""
    system = pointers(tmp_path, POINTERS.replace("3", str(many)))
    assert explore(system).states == 2 ** (many * many)
    assert explore(system, how=SYMMETRY).states == classes


def test_copies_change_places_and_their_names_with_them() -> None:
    """Two copies that each hold a set of two names: the orbits of both changes together, by Burnside's lemma."""
    holder = machine("""
types: {Node: id}
scope: {Node: 2}
variables: {to: {type: "set[Node]", initial: "set()"}}
events: {turn: {args: {other: Node}, effect: {to: "to ^ {other}"}}}
""")
    both = ExplorationOptions(copies=2, symmetry=True)
    assert explore(holder, how=ExplorationOptions(copies=2)).states == 16
    assert explore(holder, how=both).states == (16 + 4 + 4 + 4) // 4


def test_parts_for_some_names_only_change_places_among_themselves(tmp_path: Path) -> None:
    """Parts for two of three names, each with a set of the three: two may change places, by Burnside's lemma."""
    text = POINTERS.replace("parts:", 'parameters: {some: "set[Node]"}\nparts:')
    system = pointers(tmp_path, text.replace("each: Node", "each: some"))
    some = ExplorationScope(parameters={"some": frozenset(["Node1", "Node2"])})
    assert explore(system, some).states == 64
    assert explore(system, some, SYMMETRY).states == (64 + 8) // 2


def test_parts_for_pairs_of_names_must_be_there_for_all_of_them(tmp_path: Path) -> None:
    """Where no part can take the place of another, that is said before a part is lost."""
    text = POINTERS.replace(
        "types: {Node: id}",
        'types: {Node: id, Pair: {one: Node, other: Node}}\nparameters: {some: "set[Pair]"}',
    )
    system = pointers(tmp_path, text.replace("each: Node", "each: some"))
    given = make_record("Pair", ("one", "other"), ["Node1", "Node2"])
    with pytest.raises(ArgumentsError, match="for some names of"):
        explore(system, ExplorationScope(parameters={"some": frozenset([given])}), SYMMETRY)
