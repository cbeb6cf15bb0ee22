"""The one search for shortest paths: what it says is a path, is shortest, and ties go to the author's order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.breadth_first import search_breadth_first

GRAPHS = st.dictionaries(
    st.integers(0, 5), st.lists(st.integers(0, 5), max_size=4, unique=True), max_size=6
)


def distances(graph: dict[int, list[int]], starts: list[int]) -> dict[int, int]:
    """Relax every edge until nothing changes: slow, and plainly right."""
    found = dict.fromkeys(starts, 0)
    for _ in range(7):
        for node, targets in graph.items():
            for target in targets if node in found else ():
                found[target] = min(found.get(target, 99), found[node] + 1)
    return found


@given(graph=GRAPHS, starts=st.lists(st.integers(0, 5), min_size=1, max_size=2, unique=True))
def test_every_path_is_one_and_is_shortest(graph: dict[int, list[int]], starts: list[int]) -> None:
    """And nothing that can be reached is missed."""
    found = search_breadth_first(
        starts, lambda node: (((node, to), to) for to in graph.get(node, ()))
    )
    expected = distances(graph, starts)
    assert found.came_from.keys() == expected.keys()
    for node, length in expected.items():
        begin, steps = found.path_to(node)
        nodes = [begin, *(target for _, target in steps)]
        assert begin in starts
        assert nodes[-1] == node
        assert len(steps) == length
        assert all(step in pairwise(nodes) for step in steps)


def test_the_earlier_of_equally_short_paths_is_taken() -> None:
    """Reports must not change with the order of a set."""
    towards = {"a": "bc", "b": "d", "c": "d", "d": ""}
    found = search_breadth_first(
        "a", lambda node: ((node, to) for to in towards[node]), lambda node: node == "d"
    )
    assert found.goal == "d"
    assert found.path_to("d") == ("a", ["a", "b"])


def test_a_goal_that_nothing_leads_to_is_none() -> None:
    """And the starts themselves are looked at first."""
    assert search_breadth_first("a", lambda _: (), lambda node: node == "z").goal is None
    assert search_breadth_first("a", lambda _: (), lambda node: node == "a").goal == "a"
