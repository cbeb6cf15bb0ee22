"""Does a regular expression take exponential time on some text, or a high power of its length?

It does where a loop can go round on one word in two ways (Weideman et al., 2016, "exponential
ambiguity"): each further word doubles the ways, and a matcher that backtracks tries them all where
the rest does not fit. Where one loop can hand a word to the next, each of the loops in such a row
multiplies the ways by the length of the text ("polynomial ambiguity").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

from statemachines.notation.lines.regex_automata import Automaton, AutomatonTooLarge

T = TypeVar("T")
_LONGEST_PATTERN = 1_000
"""Characters of a pattern that is looked into; a longer one is taken to be explosive."""
MOST_PAIRS = 250_000
"""Pairs of places of one loop; a larger loop is taken to be explosive."""
MOST_LOOPS_IN_A_ROW = 2
"""Loops that hand words to each other: the square of a line's length is borne, its cube is not."""
_FollowerCounts = dict[int, dict[int, int]]
"""From a place that reads a character to those that may read the next one, and in how many ways
they follow (1, or 2 for more).
"""


@lru_cache(maxsize=1024)
def is_explosive(pattern: str) -> bool:
    """Tell whether a pattern may take exponential time, or more than the square of a text's length.

    Complexity: the square of the places in its largest loop; loops times places for rows of loops.

    Limits: anchors and lookarounds are taken as always true, so that a pattern which only they keep
    from it is told to be explosive.

    >>> is_explosive("(?:a+)+"), is_explosive("(?:a|ab|b)*"), is_explosive("(?:[a-z]+-)+[a-z]+")
    (True, True, False)
    >>> is_explosive(".*, .*"), is_explosive(".*, .*, .*"), is_explosive("(?=(?:a+)+b)a")
    (False, True, True)

    Source: N. Weideman and others, Analyzing Matching Time Behavior of Backtracking Regular
        Expression Matchers by Using Ambiguity of NFA, 2016.
    """
    automaton = Automaton()
    try:
        if len(pattern) > _LONGEST_PATTERN:
            return True
        automaton.add_pattern(automaton.add_state(), pattern)
        automaton.add_lookarounds(pattern)
    except (AutomatonTooLarge, RecursionError):
        return True
    masks, graph = _character_positions(automaton)
    loops = [
        set(loop)
        for loop in _strong_components(graph, graph.__getitem__)
        if len(loop) > 1 or loop[0] in graph[loop[0]]
    ]
    return any(_is_ambiguous_loop(loop, masks, graph) for loop in loops) or _has_long_row(
        loops, masks, graph
    )


def _has_long_row(loops: list[set[int]], masks: list[int], graph: _FollowerCounts) -> bool:
    """Tell whether more loops than are borne hand words to each other.

    Strong components come last ones first, so that the rows from later loops are known.
    """
    loop_at = {position: number for number, loop in enumerate(loops) for position in loop}
    row_lengths: list[int] = []
    for loop in loops:
        followers = {loop_at[p] for p in _handed_to(loop, masks, graph) if p in loop_at}
        row_lengths.append(1 + max((row_lengths[number] for number in followers), default=0))
    return max(row_lengths, default=0) > MOST_LOOPS_IN_A_ROW


def _handed_to(loop: set[int], masks: list[int], graph: _FollowerCounts) -> set[int]:
    """Return the places behind a loop that are reached by characters which it reads too."""
    read = 0
    for position in loop:
        read |= masks[position]
    reached, waiting = set[int](), list(loop)
    while waiting:
        for follower in graph[waiting.pop()]:
            if follower not in loop and follower not in reached and masks[follower] & read:
                reached.add(follower)
                waiting.append(follower)
    return reached


def _character_positions(automaton: Automaton) -> tuple[list[int], _FollowerCounts]:
    """Return the characters of each place, and what may follow it."""
    positions = [
        (source, mask, target)
        for source, edges in enumerate(automaton.edges)
        for mask, target in edges
        if mask
    ]
    at: dict[int, list[int]] = {}
    for number, (source, _, _) in enumerate(positions):
        at.setdefault(source, []).append(number)
    silent = {target: _silent_closure(automaton, target) for _, _, target in positions}
    graph = {
        number: {
            follower: path_counts
            for state, path_counts in silent[target].items()
            for follower in at.get(state, ())
        }
        for number, (_, _, target) in enumerate(positions)
    }
    return [mask for _, mask, _ in positions], graph


def _silent_closure(automaton: Automaton, start: int) -> dict[int, int]:
    """Return the states that are reached without a character, each with 1, or 2 where several ways
    lead there.
    """
    path_counts: dict[int, int] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if path_counts.get(state, 0) < 2:
            path_counts[state] = path_counts.get(state, 0) + 1
            waiting += [target for mask, target in automaton.edges[state] if not mask]
    return path_counts


def _is_ambiguous_loop(loop: set[int], masks: list[int], graph: _FollowerCounts) -> bool:
    """Tell whether some word leads round a loop in two ways."""
    within = {
        position: [follower for follower in graph[position] if follower in loop]
        for position in loop
    }
    if any(graph[position][follower] > 1 for position in loop for follower in within[position]):
        return True
    if len(loop) ** 2 > MOST_PAIRS:
        return True
    pairs = [(one, other) for one in loop for other in loop if masks[one] & masks[other]]

    def after(pair: tuple[int, int]) -> list[tuple[int, int]]:
        return [
            (position, other)
            for position in within[pair[0]]
            for other in within[pair[1]]
            if masks[position] & masks[other]
        ]

    return any(
        len({one == other for one, other in round}) == 2
        for round in _strong_components(pairs, after)
    )


def _strong_components(nodes: Iterable[T], after: Callable[[T], Iterable[T]]) -> Iterator[list[T]]:
    """Yield the strong components of a graph (Tarjan, 1972), each node in one of them."""
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    stack: list[T] = []
    inside: set[T] = set()
    for root in nodes:
        if root in index:
            continue
        path: list[tuple[T, Iterator[T]]] = [_push_node(root, after, index, low, stack, inside)]
        while path:
            node, rest = path[-1]
            follower = next(rest, None)
            if follower is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == index[node]:
                    yield _pop_component(node, stack, inside)
            elif follower not in index:
                path.append(_push_node(follower, after, index, low, stack, inside))
            elif follower in inside:
                low[node] = min(low[node], index[follower])


def _push_node(
    node: T,
    after: Callable[[T], Iterable[T]],
    index: dict[T, int],
    low: dict[T, int],
    stack: list[T],
    inside: set[T],
) -> tuple[T, Iterator[T]]:
    index[node] = low[node] = len(index)
    stack.append(node)
    inside.add(node)
    return node, iter(after(node))


def _pop_component(node: T, stack: list[T], inside: set[T]) -> list[T]:
    start = stack.index(node)
    loop = stack[start:]
    del stack[start:]
    inside.difference_update(loop)
    return loop
