"""Shortest paths: the one search, breadth first, behind the paths of states, links and rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from statemachines.model.values import frozen

NodeT = TypeVar("NodeT", bound=Hashable)
StepT = TypeVar("StepT")


@frozen
class ShortestPaths(Generic[NodeT, StepT]):
    """What was reached, each node by one of its shortest paths."""

    came_from: dict[NodeT, tuple[NodeT, StepT] | None]
    """In the order in which nodes were reached: by the length of the path, then by the order of
    the starts and of the steps; None for a start.
    """
    goal: NodeT | None = None
    """The first node that was looked for; None where there is none, and where none was."""

    def path_to(self, node: NodeT) -> tuple[NodeT, list[StepT]]:
        """Return the start of the path to a node that was reached, and its steps in their order.

        Args:
            node: one that was reached.

        Returns:
            The start, and one step for each edge of the path.
        """
        steps = []
        while (last := self.came_from[node]) is not None:
            node, step = last
            steps.append(step)
        return node, steps[::-1]


def search_breadth_first(
    starts: Iterable[NodeT],
    steps: Callable[[NodeT], Iterable[tuple[StepT, NodeT]]],
    is_goal: Callable[[NodeT], bool] | None = None,
) -> ShortestPaths[NodeT, StepT]:
    """Reach nodes by shortest paths.

    Args:
        starts: where paths begin; the earlier ones win ties.
        steps: what leads on from a node, and where to; the earlier ones win ties.
        is_goal: ends the search; None: all that can be reached is.

    Returns:
        All nodes that were reached, with the goal where one was found.

    Complexity: each node and each step is looked at once.

    >>> towards = {"a": "bc", "b": "d", "c": "d", "d": "a"}
    >>> found = search_breadth_first(
    ...     "a", lambda node: [(node + to, to) for to in towards[node]], "d".__eq__
    ... )
    >>> found.goal, found.path_to("d")
    ('d', ('a', ['ab', 'bd']))
    """
    came_from: dict[NodeT, tuple[NodeT, StepT] | None] = dict.fromkeys(starts)
    pending = deque(came_from)
    while pending:
        node = pending.popleft()
        if is_goal is not None and is_goal(node):
            return ShortestPaths(came_from, node)
        for step, target in steps(node):
            if target not in came_from:
                came_from[target] = node, step
                pending.append(target)
    return ShortestPaths(came_from)
