"""Numbers each once, and places for numbers: what numpy and a dict say too.

Covers: statemachines.explore.arrays.distinct_numbers.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.explore.arrays.distinct_numbers import HashIndex, sorted_distinct

numpy = pytest.importorskip("numpy")
NUMBERS = st.lists(st.integers(0, 40) | st.integers(0, 2**62 - 1), max_size=60)


@given(NUMBERS)
def test_distinct_numbers_are_those_of_numpy(numbers: list[int]) -> None:
    """`numpy.unique` is right, and slow."""
    found = sorted_distinct(numpy, numpy.array(numbers, dtype=numpy.int64))
    assert found.tolist() == sorted(set(numbers))


@given(NUMBERS, NUMBERS)
def test_places_are_those_of_a_dict(known: list[int], asked: list[int]) -> None:
    """Numbers that share a slot are told apart, and unknown ones are not found."""
    places, kept = (
        HashIndex(numpy),
        {number: place for place, number in enumerate(dict.fromkeys(known))},
    )
    for some in (list(kept)[:7], list(kept)[7:]):
        places.add(numpy.array(some, dtype=numpy.int64))
    every = numpy.array([*known, *asked], dtype=numpy.int64)
    assert places.indices(every).tolist() == [kept.get(number, -1) for number in every.tolist()]


def test_places_grow() -> None:
    """A table that is half full takes four times the slots, and forgets nothing."""
    places, numbers = HashIndex(numpy), numpy.arange(5000, dtype=numpy.int64) << 40
    for some in numpy.split(numbers, 9 * numpy.arange(500)):
        places.add(some)
    assert (places.indices(numbers) == numpy.arange(5000)).all()
    assert (places.indices(numbers + 1) == -1).all()


def test_many_places_take_few_slots() -> None:
    """A table is at most half full, and where it is large never far from it: it is the memory of wide rows."""
    index = HashIndex(numpy)
    numbers = numpy.arange(0, 3 * 530_000, 3)
    index.add(numbers)
    assert index.indices(numbers).tolist() == list(range(530_000))
    assert 2 * index.count <= len(index.table[0]) <= 4 * index.count
