"""Many steps at once, looked at as steps of an abstract machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from statemachines.explore.models.model_protocol import Condition
from statemachines.explore.refinements.refined_steps import RefinedSteps

_MOST_KEY_BITS = 62
"""Bits of a number that stands for several values together."""


class ConditionValues(Protocol):
    """What conditions are, under one packing."""

    def __call__(self, condition: Condition, codes: Any, before: Any | None = None) -> Any:
        """Return what a condition is in rows, or of steps (`before`: the rows that they leave)."""


def refined_steps_hold(
    numpy: Any, claim: RefinedSteps, before: Any, after: Any, values: ConditionValues
) -> Any:
    """Tell of steps whether they are steps of an abstract machine: each of its steps is asked once.

    Complexity: as for a condition over each of its columns, and a sort of the steps that change
        something there.
    """
    old = [values(one, before) for one in claim.mapped]
    new = [values(one, after) for one in claim.mapped]
    holds = numpy.ones(len(before), dtype=bool)
    changed = numpy.zeros(len(before), dtype=bool)
    for mine, theirs in zip(old, new, strict=True):
        changed |= mine != theirs
    if claim.guard is not None:
        changed &= values(claim.guard, after)
    positions = numpy.flatnonzero(changed)
    if not len(positions):
        return holds
    pairs = [column.take(positions) for column in (*old, *new)]
    firsts, kinds = _distinct(numpy, pairs)
    width = len(old)
    legal = [
        claim.is_step(tuple(one[:width]), tuple(one[width:]))
        for one in zip(*(column.take(firsts).tolist() for column in pairs), strict=True)
    ]
    holds[positions] = numpy.array(legal, dtype=bool).take(kinds)
    return holds


def _distinct(numpy: Any, columns: Sequence[Any]) -> tuple[Any, Any]:
    """Return where each combination of columns stands first, and which one each place has."""
    keys, bits = numpy.zeros(len(columns[0]), dtype=numpy.int64), 0
    for column in columns:
        more = int(column.max()).bit_length()
        if bits + more > _MOST_KEY_BITS:
            keys = numpy.unique(keys, return_inverse=True)[1].astype(numpy.int64)
            bits = len(keys).bit_length()
        keys = (keys << more) | column
        bits += more
    _, firsts, kinds = numpy.unique(keys, return_index=True, return_inverse=True)
    return firsts, kinds
