"""The states at the end of a log: rows, and columns of those that went alike, each of which is a
row when it is asked for.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate, chain

from attrs import field

from statemachines.model.evidence.alike_states import AlikeStates, CountableStates
from statemachines.model.evidence.reports import CurrentState, Instant, Place
from statemachines.model.made_sequences import MadeSequence
from statemachines.model.values import frozen


@frozen(eq=False)
class GroupStates(MadeSequence[CurrentState]):
    """The states of instances of one machine that went alike, in the order of the report."""

    names: Sequence[str]
    """Of the values of a key."""
    models: list[CurrentState | None]
    """By variant, what is said of its instances, but for key, time and line; None: nothing."""
    keys: list[tuple[int | str, ...]] = field(factory=list)
    variants: array[int] = field(factory=lambda: array("i"))
    times: array[int] = field(factory=lambda: array("q"))
    lines: array[int] = field(factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.keys)

    def value_at(self, place: int) -> CurrentState:
        """Return the row of one of them."""
        model = self.models[self.variants[place]]
        assert model is not None
        assert model.since is not None
        assert model.place is not None
        subject = tuple(zip(self.names, self.keys[place], strict=True))
        since = Instant(self.times[place], model.since.zone)
        where = Place(model.place.file, self.lines[place])
        # What `evolve` does takes four times as long.
        return CurrentState(
            model.machine, subject, model.state, since, model.final, where, model.process,
            model.program, model.doubt,
        )  # fmt: skip


@frozen(eq=False)
class Stretch(MadeSequence[CurrentState]):
    """Some of a group, which stand together."""

    group: GroupStates
    places: range

    def __len__(self) -> int:
        return len(self.places)

    def value_at(self, place: int) -> CurrentState:
        """Return the row of one of them."""
        return self.group.value_at(self.places[place])


class ListedStates(CountableStates):
    """All rows, in the order of the report.

    Complexity: memory for its parts; a row is found by a binary search among them.
    """

    def __init__(self, parts: Iterable[Sequence[CurrentState]]) -> None:
        self._parts = tuple(part for part in parts if part)
        self._ends = tuple(accumulate(map(len, self._parts)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def value_at(self, place: int) -> CurrentState:
        """Return one row."""
        number = bisect_right(self._ends, place)
        return self._parts[number][place - self._ends[number]]

    def __iter__(self) -> Iterator[CurrentState]:
        return chain.from_iterable(self._parts)

    def alike(self, few: int, apart: Container[str]) -> Iterator[AlikeStates]:
        """Yield those that are alike, in the order of the first ones: those of a variant.

        Complexity: a look at the variant of each; a row a variant.
        """
        counts, start = dict[int, dict[int, int]](), 0
        for part in self._parts:
            if isinstance(part, Stretch):
                group = part.group
                if id(group) not in counts:  # what was yielded is set to 0
                    counts[id(group)] = _counts_of_many(group, few, apart)
                yield from _alike_of(part, start, counts[id(group)])
            else:
                yield from (AlikeStates(start + i, row, 1) for i, row in enumerate(part))
            start += len(part)

    def __eq__(self, other: object) -> bool:
        """Compare rows, with those of a tuple too."""
        if not isinstance(other, (ListedStates, tuple)):
            return NotImplemented
        if len(self) != len(other):
            return False
        return all(mine == its for mine, its in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))


def _counts_of_many(group: GroupStates, few: int, apart: Container[str]) -> dict[int, int]:
    """Return how many rows a variant has, of those whose rows are not given one by one."""
    return {
        variant: count
        for variant, count in Counter(group.variants).items()
        if count > few
        and (model := group.models[variant]) is not None
        and model.machine not in apart
    }


def _alike_of(part: Stretch, start: int, counts: dict[int, int]) -> Iterator[AlikeStates]:
    """Yield those of a stretch, and note in `counts` which variants were given."""
    variants = part.group.variants[part.places.start : part.places.stop]
    for index, variant in enumerate(variants):
        count = counts.get(variant, 1)
        if count:
            yield AlikeStates(start + index, part.value_at(index), count)
            if variant in counts:
                counts[variant] = 0
