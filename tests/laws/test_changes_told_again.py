"""Law: a line that every process writes is new where going through all that was told says so; and
what that costs is what the lines cost.

Covers: statemachines.conform.judge.change_sequences.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.interchange.observations import LineReading, Observation
from statemachines.conform.judge.change_sequences import Row, Run, _distinct_changes, effect
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from tests.effort import some_of

REPLAYED = LineDefinition(0, (LineKind.IS,), (), replayed=True)
TOLERANCE = 1_000
SOON = 60_000
"""So long after its beginning a process may still tell again what was before."""

Line = tuple[int, int, str, int | None, int | None]
"""A process, how often it had begun, what it says, when, and how old it is."""


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """The rows of a life."""
    return [
        Row(
            Observation(
                0, ("a",), (LineReading(-1, 0, state=state),), process, None, place + 1, at, at,
                "Z", "",
            ),
            REPLAYED,
            place,
            process,
            (process, run, 0),
            age,
        )
        for place, (process, run, state, at, age) in enumerate(lines)
    ]  # fmt: skip


def new_one_by_one(rows: Sequence[Row]) -> list[Row]:
    """Compare each line with all that was told before it, from where its process has come to."""
    known, come = list[Row](), dict[Run, int]()
    new = list[Row]()
    for row in rows:
        reached, begin = row.observation.reached, come.get(row.run)
        for place in range(begin or 0, len(known)):
            other = known[place].observation
            is_near = (
                reached is not None
                and other.reached is not None
                and abs(reached - other.reached) <= TOLERANCE
            )
            replays = row.age is not None and row.age <= SOON
            if effect(other) == effect(row.observation) and (place == begin or replays or is_near):
                break
        else:
            place = len(known)
            known.append(row)
            new.append(row)
        come[row.run] = place + 1
    return new


MOMENTS = st.sampled_from([0, 400, 900, 1_500, 3_000])
LINES = st.tuples(
    st.integers(0, 2),
    st.integers(0, 1),
    st.sampled_from("AB"),
    st.none() | MOMENTS,
    st.sampled_from([None, 10, SOON, SOON + 1]),
)


@settings(max_examples=some_of(400), deadline=None)
@given(
    lines=st.sampled_from([3, 10, 40]).flatmap(lambda n: st.lists(LINES, min_size=n, max_size=n)),
    is_sorted=st.booleans(),
)
def test_what_is_new_is_what_comparing_with_all_says(lines: list[Line], is_sorted: bool) -> None:
    """Times may be missing, and go back."""
    if is_sorted:
        lines = sorted(lines, key=lambda line: line[3] or 0)
    rows = rows_of(lines)
    assert list(_distinct_changes(rows, TOLERANCE)) == new_one_by_one(rows)


def test_a_life_that_many_processes_tell_costs_what_its_lines_cost() -> None:
    """A broker that comes and goes for a year, while the controllers are begun anew every hour."""

    def seconds(lines: int) -> float:
        random, runs = Random(1), [0, 0, 0]
        told = list[Line]()
        for number in range(lines // 3):
            for process in range(3):
                runs[process] += random.random() < 0.02
                told.append((process, runs[process], "AB"[number % 2], number * 2_000, None))
        rows = rows_of(told)
        began = time.process_time()
        assert len(list(_distinct_changes(rows, TOLERANCE))) == lines // 3
        return time.process_time() - began

    few, many = (min(seconds(lines) for _ in range(3)) for lines in (3_000, 24_000))
    assert many < 24 * few
