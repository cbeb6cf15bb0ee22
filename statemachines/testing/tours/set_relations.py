"""How the sets of a step lie to each other: what goes wrong only where two of them overlap shows
there.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer, Snapshot, Value
from statemachines.testing.runs.attempts import Attempt
from statemachines.testing.runs.run_coverage import transition_key

SetRelation = tuple[Hashable, ...]


def step_relations(before: Snapshot, attempt: Attempt, answer: Answer) -> Iterator[SetRelation]:
    """Yield how arguments lie to the variables before a step, and the variables to each other after
    it.

    Args:
        before: the snapshot before it.
        attempt: the event with its arguments.
        answer: what the system says to it.

    Yields:
        Two names with how one lies to the other, such as `overlap`, and at which step.
    """
    decided = answer.decided_by
    node = (
        transition_key(decided)
        if isinstance(decided, Transition)
        else (before.state, attempt.event, type(answer))
    )
    held = _set_values(before.variables)
    for (name, value), (other, among) in itertools.product(attempt.arguments.items(), held.items()):
        mine = _elements(value)
        yield (
            node,
            name,
            other,
            _set_relation(mine, among) if mine is not None else _is_member(value, among),
        )
    for (one, first), (two, second) in itertools.combinations(
        _set_values(answer.after.variables).items(), 2
    ):
        yield answer.after.state, one, two, _set_relation(first, second)


def _set_relation(one: frozenset[Value], other: frozenset[Value]) -> str:
    """Say how two sets lie to each other.

    >>> _set_relation(set("ab"), set("bc")), _set_relation(set("a"), set("ab"))
    ('overlap', 'within')
    >>> _set_relation(set(), set("a"))
    'nothing'
    """
    if not one or not other:
        return "nothing"
    if one == other:
        return "same"
    if one < other:
        return "within"
    return "around" if one > other else "overlap" if one & other else "apart"


def _set_values(values: Mapping[str, Value]) -> dict[str, frozenset[Value]]:
    sets = {name: _elements(value) for name, value in values.items()}
    return {name: value for name, value in sets.items() if value is not None}


def _elements(value: Value) -> frozenset[Value] | None:
    """Return a set, the keys of a map or the items of a list; None: it is none of them."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return None
    return frozenset(value) if isinstance(value, frozenset | dict | tuple) else None


def _is_member(value: Value, among: frozenset[Value]) -> bool:
    return value in among
