"""States at the end of a log, counted where they are alike: most of what a report says of millions
of instances asks for no row of each.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from statemachines.model.evidence.reports import CurrentState
from statemachines.model.made_sequences import MadeSequence


class AlikeStates(NamedTuple):
    """Rows that differ in subject, time and line only."""

    first_index: int
    """Where the first one stands among all rows."""
    first: CurrentState
    total: int


class CountableStates(MadeSequence[CurrentState]):
    """Rows of which many are alike, none of them that of a program."""

    __slots__ = ()

    @abstractmethod
    def alike(self, few: int, apart: Container[str]) -> Iterator[AlikeStates]:
        """Yield those that are alike, in the order of the first ones.

        Args:
            few: so many that are alike are given one by one.
            apart: machines of which all are.

        Yields:
            The first of some rows, and their number.
        """


def alike_states(
    rows: Sequence[CurrentState], *, few: int = 0, apart: Container[str] = ()
) -> Iterator[AlikeStates]:
    """Return rows that are alike as one, in the order of the first ones.

    Args:
        rows: the states of a report.
        few: so many that are alike are given one by one.
        apart: machines of which all are.

    Returns:
        The first of some rows, and their number; of rows that nobody has counted each by itself.

    Complexity: where instances went as others did a row is made for each variant, not for each of
    them.
    """
    if isinstance(rows, CountableStates):
        return rows.alike(few, apart)
    return (AlikeStates(index, row, 1) for index, row in enumerate(rows))
