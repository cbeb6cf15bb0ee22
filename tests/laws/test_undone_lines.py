"""Law: what is left of a history when processes took lines back is what going through all of its
lines for each of them leaves; and it costs what the lines cost, not their square.

Covers: statemachines.conform.judge.undone_lines.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.interchange.observations import LineReading, Observation
from statemachines.conform.judge.change_sequences import Row, effect
from statemachines.conform.judge.undone_lines import without_undone
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from tests.effort import some_of

STEP = LineDefinition(0, (LineKind.STEP,), ())
REPLAYED = LineDefinition(1, (LineKind.STEP,), (), replayed=True)


def line(state: str, number: int | None, place: int) -> Observation:
    """What one line tells."""
    reading = LineReading(-1, 0, state=state)
    return Observation(
        0, ("a",), (reading,), 0, None, place + 1, place, place, "Z", "", number=number
    )


Told = tuple[int, str, int | None, bool, bool]
"""A process, what it tells, its number, whether all write it, and whether it takes back."""


def lines_of(told: Sequence[Told]) -> tuple[list[Row], list[Row]]:
    """The rows of a history, and those that take back."""
    rows, undone, counts = list[Row](), list[Row](), Counter[int]()
    for process, state, number, replayed, takes_back in told:
        row = Row(
            line(state, number, len(rows)),
            REPLAYED if replayed else STEP,
            len(rows),
            process,
            (process, 0, counts[process]),
            None,
        )
        if takes_back:
            undone.append(row)
            counts[process] += 1
        else:
            rows.append(row)
    return rows, undone


def left_one_by_one(rows: list[Row], undone: Sequence[Row]) -> list[Row]:
    """Go through all lines for each that takes back."""
    for taken_back in undone:
        own = [row for row in rows if row.process == taken_back.process]
        others = [row for row in rows if row.process != taken_back.process]
        spans = [
            [row.place for row in others if row.process == process and row.line.replayed]
            for process in {row.process for row in others}
        ]
        gone = set()
        for row in own:
            surrounded = any(places and places[0] < row.place < places[-1] for places in spans)
            if row.run != taken_back.run or not surrounded:
                continue
            heard = [
                other
                for other in rows
                if other.process != row.process or other.place >= taken_back.place
            ]
            if not is_confirmed(row, heard):
                gone.add(row.place)
        rows = [row for row in rows if row.place not in gone]
    return rows


def is_confirmed(row: Row, heard: Sequence[Row]) -> bool:
    """Whether what a line tells is told by one of others, too."""
    if row.observation.number is None:
        later = [
            other
            for other in heard
            if other.place > row.place
            and other.observation.number is None
            and effect(other.observation) == effect(row.observation)
        ]
        return bool(later) and later[0].line.replayed
    alike = [other for other in heard if other.observation.number == row.observation.number]
    written = [other for other in alike if other.line.replayed]
    if any(effect(other.observation) == effect(row.observation) for other in written):
        return True
    return bool(alike) and not written


TOLD = st.tuples(
    st.integers(0, 2),
    st.sampled_from("AB"),
    st.none() | st.integers(0, 3),
    st.booleans(),
    st.sampled_from([False, False, False, True]),
)


@settings(max_examples=some_of(400), deadline=None)
@given(told=st.sampled_from([3, 8, 40]).flatmap(lambda n: st.lists(TOLD, min_size=n, max_size=n)))
def test_what_is_left_is_what_going_through_all_lines_leaves(told: list[Told]) -> None:
    """Nobody sees the difference but who waits for it."""
    rows, undone = lines_of(told)
    assert without_undone(rows, undone) == left_one_by_one(rows, undone)


def test_taking_back_again_and_again_costs_what_the_lines_cost() -> None:
    """A controller that is elected every minute for a year takes back every minute."""

    def seconds(lines: int) -> float:
        random = Random(1)
        told = [
            (random.randrange(3), random.choice("AB"), None, random.random() < 0.5, n % 20 == 0)
            for n in range(lines)
        ]
        rows, undone = lines_of(told)
        began = time.process_time()
        assert 0 < len(without_undone(rows, undone)) < len(rows)
        return time.process_time() - began

    few, many = (min(seconds(lines) for _ in range(3)) for lines in (1_000, 8_000))
    assert many < 24 * few
