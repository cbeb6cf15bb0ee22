"""Lines that stand in another order than their times: nobody is accused for an appender's haste, and nothing is passed over for it.

Covers: statemachines.conform.checking, statemachines.conform.interchange.observations,
statemachines.conform.judge.line_orders, statemachines.conform.settle.processes,
statemachines.conform.settle.judging_context.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import make_plan
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.line_orders import MOST_LINES, UnorderedLines, line_runs
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.conform.settle.processes import CheckedFile, Process
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from tests.doors import House, kinds, line, told
from tests.effort import some_of

STEPS = {
    "CLOSED": ("OPEN", "LOCKED"),
    "OPEN": ("CLOSED", "JAMMED"),
    "LOCKED": ("CLOSED",),
    "JAMMED": ("OPEN",),
}
"""What a door does that is neither over nor leaves out a line."""
Move = tuple[str, str, float]
"""From, to and when, in seconds."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Doors of whose every step a line tells, in any process."""
    house = House(tmp_path_factory.mktemp("order"))
    text = (
        house.spec.read_text("utf-8")
        .replace(", silent: true", "")
        .replace("to: [CLOSED, OPEN, JAMMED, GONE], ", "")
    )
    house.spec.write_text(text, "utf-8")
    return house


def history(rng: random.Random, length: int) -> list[Move]:
    """Make a legal history of one door, up to a second from line to line."""
    state, at, moves = "CLOSED", 0, list[Move]()
    for _ in range(length):
        target = rng.choice(STEPS[state])
        at += rng.choice((1, 3, 400, 5000))
        moves.append((state, target, at / 1000))
        state = target
    return moves


def written(moves: list[Move]) -> list[str]:
    """Write a history as the lines of a file."""
    return [line(f"Door d goes from {source} to {target}", at) for source, target, at in moves]


def hurried(rng: random.Random, moves: list[Move]) -> list[Move]:
    """Let some neighbours change places that are no more than 500 ms apart; each once."""
    found, place = list(moves), 0
    while place < len(found) - 1:
        if rng.random() < 0.4 and found[place + 1][2] - found[place][2] <= 0.5:
            found[place : place + 2] = found[place + 1], found[place]
            place += 1
        place += 1
    return found


def judged(house: House, files: dict[str, list[str]], **options: object) -> Report:
    """Judge some files alone."""
    folder = house.folder / "logs"
    for path in folder.glob("*") if folder.exists() else ():
        path.unlink()
    return house.check(*(house.write(name, text) for name, text in files.items()), **options)


@given(seed=st.integers(0, 2**32), length=st.integers(2, 12))
@settings(max_examples=some_of(60), deadline=None)
def test_neighbours_that_changed_places_accuse_nobody(house: House, seed: int, length: int) -> None:
    """However many there are: nothing that an order within the tolerance explains is called wrong."""
    rng = random.Random(seed)
    moves = history(rng, length)
    report = judged(house, {"a.log": written(hurried(rng, moves))})
    assert report.verdict is not Verdict.VIOLATED
    assert len(told(report)) == len(moves)


@given(seed=st.integers(0, 2**32), length=st.integers(4, 9))
@settings(max_examples=some_of(60), deadline=None)
def test_the_steps_stand_in_the_order_of_their_times(house: House, seed: int, length: int) -> None:
    """The times say which line was first; where the file says otherwise that is said, and at one of the two lines."""
    rng = random.Random(seed)
    moves = history(rng, length)
    place = rng.randrange(1, length - 2)
    late = moves[place + 1][2] - moves[place][2] > 1
    moves[place : place + 2] = moves[place + 1], moves[place]
    report = judged(house, {"a.log": written(moves)})
    if late:
        return
    assert all(before.target == after.source for before, after in pairwise(told(report)))
    assert {finding.place.line for finding in report.findings if finding.place} <= {
        place + 1,
        place + 2,
    }
    for finding in report.findings:
        assert "run back" in finding.message


@given(
    seed=st.integers(0, 2**32),
    length=st.integers(2, 8),
    places=st.lists(st.booleans(), min_size=12, max_size=12),
)
@settings(max_examples=some_of(60), deadline=None)
def test_files_of_one_process_may_tie(
    house: House, seed: int, length: int, places: list[bool]
) -> None:
    """Two files of one house, two lines in every second millisecond: an order that conforms is one in which it may have been."""
    moves = [
        (source, target, number // 2 / 500)
        for number, (source, target, _) in enumerate(history(random.Random(seed), length))
    ]
    number = [line("This is house number 7", 0, "house.Main")]
    files = {
        name: [move for move, here in zip(moves, places, strict=False) if here is which]
        for name, which in (("a.log", True), ("b.log", False))
    }
    report = judged(house, {name: number + written(mine) for name, mine in files.items()})
    assert report.verdict is not Verdict.VIOLATED, kinds(report)
    assert length > 3 or report.verdict is Verdict.HOLDS


def test_lines_that_are_farther_apart_than_the_tolerance_are_wrong(house: House) -> None:
    """A law that holds of a judge that is silent would be none: two minutes are no haste."""
    moves = [("CLOSED", "OPEN", 0), ("CLOSED", "LOCKED", 260), ("OPEN", "CLOSED", 140)]
    assert {kind for kind, _, _ in kinds(judged(house, {"a.log": written(moves)}))} == {"gap"}
    near = [("CLOSED", "OPEN", 0), ("CLOSED", "LOCKED", 140.5), ("OPEN", "CLOSED", 140)]
    found = judged(house, {"a.log": written(near)})
    assert [(step.source, step.target) for step in told(found)] == [
        ("CLOSED", "OPEN"),
        ("OPEN", "CLOSED"),
        ("CLOSED", "LOCKED"),
    ]
    assert [finding.place.line for finding in found.findings if finding.place] == [2]
    assert judged(house, {"a.log": written(near)}, tolerance=0.1).checked.missing_steps


def test_what_no_order_explains_is_wrong_in_any(house: House) -> None:
    """A forbidden step is forbidden wherever it stands."""
    moves = [("CLOSED", "OPEN", 0), ("OPEN", "LOCKED", 0.002), ("OPEN", "CLOSED", 0.001)]
    assert judged(house, {"a.log": written(moves)}).verdict is Verdict.VIOLATED


def test_only_so_many_lines_are_looked_at_together(house: House) -> None:
    """A file that runs backwards line by line is judged, in time that grows with its lines."""
    moves = [
        (
            ("CLOSED", "OPEN")[n % 2],
            ("OPEN", "CLOSED")[n % 2],
            (1000 - n % 1000) / 1000 + n // 1000 * 2,
        )
        for n in range(1_000)
    ]
    report = judged(house, {"a.log": written(moves)})
    assert report.checked.steps == len(moves)
    context = JudgingContext(
        make_plan([]), (CheckedFile("a.log", "a.log"),), [Process("a.log")], {(0, None): 0}, {}, {}
    )
    seen = [
        Observation(0, ("d",), (), 0, None, number, 0, 1_000 - number, "Z", "")
        for number in range(100)
    ]
    runs = line_runs(context, seen)
    groups = [run.lines for run in runs if isinstance(run, UnorderedLines)]
    assert max(map(len, groups)) == MOST_LINES
