"""Which moves of a system are alike: a rule that is asked of one is answered for all of them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise, zip_longest

from attrs import field, frozen

from statemachines.conform.systems.part_timelines import States
from statemachines.conform.systems.system_history import SystemHistory
from statemachines.model.definitions.release_sets import ReleaseSet

Interchangeable = tuple[tuple[int, ...], ...]
"""The places of parts that no rule tells apart; each other part by itself."""


@frozen(eq=False)
class AlikeMoves:
    """The moves of a whole, and a number for each: the same where what is known of the parts before
    and after is the same, but for which of the interchangeable ones is where, and the step says the
    same.
    """

    numbers: Sequence[int]
    """Of each move."""
    examples: Sequence[int]
    """By number, the first move that has it."""
    tally: Mapping[tuple[int, ReleaseSet], int]
    """How many moves have a number, by the releases that fit their lines."""
    _spans: dict[frozenset[int], list[tuple[int, int | None]]] = field(factory=dict)

    def spans(self, chosen: frozenset[int]) -> Sequence[tuple[int, int | None]]:
        """Return from where to where moves have one of some numbers; the end is the first that has
        none of them, and None where there is no such move.

        Args:
            chosen: the numbers.

        Complexity: linear in the moves, once for the same numbers.
        """
        if chosen not in self._spans:
            ends = [
                index
                for index, (before, now) in enumerate(
                    pairwise(chain([False], (number in chosen for number in self.numbers)))
                )
                if before != now
            ]
            self._spans[chosen] = list(zip_longest(ends[::2], ends[1::2]))
        return self._spans[chosen]


def number_alike_moves(history: SystemHistory, interchangeable: Interchangeable) -> AlikeMoves:
    """Number the moves of a whole.

    Args:
        history: of the whole.
        interchangeable: the places of parts that no rule tells apart.

    Returns:
        The numbers.

    Complexity: linear in the moves; in the parts, too, for each number and each beginning.
    """
    known = _KnownParts(history, interchangeable)
    numbers, examples, after = array("i"), array("l"), list[int]()
    numbered: dict[tuple[int, ...], int] = {}
    begins, here = frozenset(history.begins), known.number()
    kinds = [timeline.observed.kinds for timeline in history.parts]
    for index, (part, number) in enumerate(history.moves):
        source = known.states[part]
        target = known.after[part][number + 1]
        if index in begins:
            known.begin(index)
            here = known.number()
            key: tuple[int, ...] = here, known.group[part], target, kinds[part][number]
        else:
            known.states[part] = target
            key = here, known.group[part], source, kinds[part][number], target
        move = numbered.get(key)
        if move is None:
            move = numbered[key] = len(examples)
            examples.append(index)
            after.append(known.number())
        numbers.append(move)
        here = after[move]
    return AlikeMoves(numbers, examples, history.merged.tally(numbers))


class _KnownParts:
    """What is known of the parts, as numbers."""

    def __init__(self, history: SystemHistory, interchangeable: Interchangeable) -> None:
        self._history, self._interchangeable = history, interchangeable
        self._sets: dict[States, int] = {}
        self._wholes: dict[tuple[tuple[int, ...], ...], int] = {}
        self.group = [0] * len(history.parts)
        """Of each part which of the interchangeable ones it is."""
        for group, places in enumerate(interchangeable):
            for place in places:
                self.group[place] = group
        self.after = [
            [gaps[gap] for gap in timeline.observed.gaps]
            for timeline in history.parts
            for gaps in ([self._set_number(states) for states in timeline.gap_states],)
        ]
        """Of each part the number of where it may be when so many of its steps are told."""
        self.begin(-1)

    def _set_number(self, states: States) -> int:
        return self._sets.setdefault(states, len(self._sets))

    def begin(self, index: int) -> None:
        """Know what is known after a move, whatever was known before."""
        self.states = list(map(self._set_number, self._history.known_after(index).states))
        """Of each part the number of where it may be."""

    def number(self) -> int:
        """Return a number for all that is known, whichever interchangeable part is where."""
        states = self.states
        whole = tuple(
            tuple(sorted([states[place] for place in places])) for places in self._interchangeable
        )
        return self._wholes.setdefault(whole, len(self._wholes))
