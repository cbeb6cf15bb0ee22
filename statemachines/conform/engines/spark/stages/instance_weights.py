"""Which instances lines tell of, as long as they are few, and how many lines each has: who judges
them is chosen by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from attrs import define, field

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.interchange.observations import KeyValues, Observation
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    reporting_process,
)
from statemachines.conform.settle.processes import Unit
from statemachines.model.arrays import load_numpy

_MOST = 1000
"""Instances that are counted one by one; of more, some share a worker in any case."""

_Source = tuple[Unit, int, KeyValues]
"""Where lines stand that tell of an instance, of which machine it is, and its key."""
SourceWeights = Mapping[_Source, int]
"""How many lines there are of each."""


@define
class WeighedSources:
    """Counts the lines of each instance where they stand.

    Complexity: memory for `_MOST` sources and those of one block.
    """

    _lines: Counter[_Source] | None = field(factory=Counter)

    def add(self, lines: Iterable[Observation], columns: Iterable[ObservationColumns]) -> None:
        """Take in what some lines tell, each instance once behind the codes of its columns."""
        if self._lines is None:
            return
        self._lines.update(((line.file, line.unit), line.owner, line.key) for line in lines)
        for block in columns:
            totals = load_numpy().bincount(block.instance_codes, minlength=len(block.instances))
            for (owner, key), total in zip(block.instances, totals.tolist(), strict=True):
                self._lines[(block.file, None), owner, key] += total
        if len(self._lines) > _MOST:
            self._lines = None

    def weights(self) -> SourceWeights | None:
        """Return what was counted; None where there are too many."""
        return None if self._lines is None else dict(self._lines)


def joined_weights(
    left: Counter[_Source] | None, right: SourceWeights | None
) -> Counter[_Source] | None:
    """Add to what was counted; None where there are too many."""
    if left is None or right is None:
        return None
    left.update(right)
    return left if len(left) <= _MOST else None


def instance_weights(
    context: JudgingContext, sources: SourceWeights
) -> Mapping[InstanceIdentity, int]:
    """Return how many lines each instance has, as far as its key is known."""
    weights = Counter[InstanceIdentity]()
    for (unit, owner, key), count in sources.items():
        process = reporting_process(context, owner, context.process_by_unit[unit])
        weights[owner, process, key] += count
    return weights


def spread_instances(
    weights: Mapping[InstanceIdentity, int], partitions: int
) -> dict[InstanceIdentity, int]:
    """Return who judges each instance, so that nobody has more lines than must be.

    >>> spread_instances({(0, 0, ("a",)): 10, (0, 0, ("b",)): 6, (0, 0, ("c",)): 5}, 2)
    {(0, 0, ('a',)): 0, (0, 0, ('b',)): 1, (0, 0, ('c',)): 1}
    """
    loads, places = [0] * partitions, dict[InstanceIdentity, int]()
    for who in sorted(weights, key=lambda who: (-weights[who], repr(who))):
        least = loads.index(min(loads))
        loads[least] += weights[who]
        places[who] = least
    return places
