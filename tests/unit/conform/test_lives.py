"""Where lives begin and end, with and without a line that says so.

Covers: statemachines.conform.judge.checks.group_check,
statemachines.conform.judge.checks.observation_check, statemachines.conform.judge.checks.state_check.
"""

from __future__ import annotations

import pytest

from statemachines.model.evidence.verdicts import Verdict
from tests.doors import DOOR, VERSION, House, kinds, moves


def test_a_sign_of_a_beginning_lets_a_new_life_follow(house: House) -> None:
    """After the program began again, a door may begin where a life begins."""
    report = house.judge(
        VERSION,
        "Door d goes from OPEN to JAMMED",
        "House program starting up",
        "Door d goes from CLOSED to OPEN",
    )
    assert report.verdict is Verdict.HOLDS
    assert moves(report)[1] == ("JAMMED", None, "ended unseen")
    assert [step.life for step in report.timeline] == [1, 1, 2]


def test_a_new_life_may_be_heard_of_only_after_its_first_hidden_steps(house: House) -> None:
    """What the file does not show of a life's beginning needs no line after a sign either: the program was killed and started again."""
    report = house.judge(
        VERSION,
        "Door d goes from OPEN to GONE",
        "House program starting up",
        "ERROR Door d did not get from LOCKED to CLOSED",
    )
    assert report.verdict is Verdict.HOLDS
    assert moves(report) == [("OPEN", "GONE", "told"), ("CLOSED", "LOCKED", "hidden")]
    assert [step.life for step in report.timeline] == [1, 2]


def test_a_new_life_may_begin_unseen_where_the_file_shows_no_beginnings(house: House) -> None:
    """What ended and is heard of again was made anew at a level that the log is not at; where beginnings are shown, one is missing."""
    messages = (
        VERSION,
        "Door d goes from OPEN to GONE",
        "ERROR Door d did not get from LOCKED to CLOSED",
    )
    assert kinds(house.judge(*messages))[0] == ("gap", "INCONCLUSIVE", 3)
    quiet = DOOR.replace(
        "says: begin, logger: house.Door, level: INFO",
        "says: begin, logger: house.Door, level: DEBUG",
    )
    house.spec.write_text(quiet, "utf-8")
    report = house.judge(*messages)
    assert report.verdict is Verdict.HOLDS
    assert [(step.life, step.how) for step in report.timeline] == [(1, "told"), (2, "hidden")]
    assert kinds(house.judge(*messages, levels=[("house", "DEBUG")]))[0] == (
        "gap",
        "INCONCLUSIVE",
        3,
    )


@pytest.mark.parametrize(
    "between", [(), ("House program starting up",), ("Door d taken off its hinges",)]
)
def test_after_an_end_a_state_in_the_middle_is_of_a_new_life(
    house: House, between: tuple[str, ...]
) -> None:
    """The door was made anew and its first lines are lost, be there a sign of it or not: a restart is no forbidden step."""
    quiet = ("Door d goes from OPEN to GONE", *between, "Door d goes from JAMMED to CLOSED")
    report = house.judge(VERSION, *quiet, levels=[("house", "DEBUG")])
    found = next(f for f in report.findings if f.kind != "unusual")
    assert (found.kind, found.verdict, found.missing) == (
        "gap",
        Verdict.INCONCLUSIVE,
        ("OPEN -> JAMMED",),
    )
    assert [step.life for step in report.timeline] == [1, 2, 2]


def test_a_final_state_that_may_be_left_goes_on_where_the_line_tells_that_way(house: House) -> None:
    """A from-state that was overwritten is still found: a later life would explain everything."""
    way = "  - {from: [CLOSED, OPEN], to: GONE}"
    left = DOOR.replace(way, f"{way}\n  - {{from: [GONE, JAMMED], to: ASHES}}").replace(
        "  GONE:", "  ASHES: {final: true}\n  GONE:"
    )
    house.spec.write_text(left.replace("JAMMED, GONE]", "JAMMED, GONE, ASHES]"), "utf-8")
    gone = (VERSION, "Door d goes from OPEN to GONE")
    assert kinds(house.judge(*gone, "Door d goes from JAMMED to ASHES")) == [
        ("impossible", "VIOLATED", 3)
    ]
    assert not house.judge(*gone, "Door d goes from GONE to ASHES").findings
    begun = house.judge(*gone, "House program starting up", "Door d goes from JAMMED to ASHES")
    assert kinds(begun) == [("gap", "INCONCLUSIVE", 4)]


def test_a_sign_ends_nothing(house: House) -> None:
    """The old life goes on where its next line fits."""
    report = house.judge(
        VERSION,
        "Door d goes from CLOSED to OPEN",
        "House program starting up",
        "Door d goes from OPEN to CLOSED",
    )
    assert [step.life for step in report.timeline] == [1, 1]


def test_without_a_sign_the_door_began_again(house: House) -> None:
    """Nothing leads from GONE to OPEN, but a life may begin there."""
    report = house.judge(
        VERSION, "Door d goes from OPEN to GONE", "Door d goes from OPEN to CLOSED"
    )
    assert kinds(report) == [("began again", "INCONCLUSIVE", 3)]


def test_a_begin_line_without_a_state_ends_what_no_life_begins_with(house: House) -> None:
    """The program was killed in the middle of something: the new object is not in it, wherever else it may be."""
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", "Door d hung into its frame")
    assert report.verdict is Verdict.HOLDS
    assert [row.state for row in report.now] == [("CLOSED", "OPEN")]
    assert [(row.kind, row.open) for row in report.episodes] == [("jammed", False)]
    assert [step.how for step in report.timeline] == ["told", "ended unseen"]


def test_a_begin_line_without_a_state_leaves_what_a_life_may_begin_with(house: House) -> None:
    """It permits a beginning and says of none."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", "Door d hung into its frame")
    assert [row.state for row in report.now] == [("OPEN",)]


def test_an_end_line_closes_the_episodes_of_its_life(house: House) -> None:
    """What is gone is not in trouble: its last state holds of nothing any more."""
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", "Door d taken off its hinges")
    assert not list(report.now)
    assert [(row.kind, row.open, row.until is not None) for row in report.episodes] == [
        ("jammed", False, True)
    ]


def test_a_begin_line_is_a_sign(house: House) -> None:
    """The line of one instance's beginning counts like the program's."""
    report = house.judge(
        VERSION,
        "Door d goes from OPEN to GONE",
        "Door d hung into its frame",
        "Door d goes from OPEN to CLOSED",
    )
    assert report.verdict is Verdict.HOLDS
    assert [step.life for step in report.timeline] == [1, 2]


def test_after_an_end_line_a_life_may_begin(house: House) -> None:
    """What was told to have ended did not end unseen."""
    report = house.judge(
        VERSION,
        "Door d goes from CLOSED to OPEN",
        "Door d taken off its hinges",
        "Door d goes from CLOSED to OPEN",
    )
    assert report.verdict is Verdict.HOLDS
    assert [(step.life, step.how) for step in report.timeline] == [(1, "told"), (2, "told")]


@pytest.mark.parametrize("sign", [(), ("House program starting up",)], ids=["at once", "restarted"])
@pytest.mark.parametrize(
    ("state", "found"),
    [("OPEN", []), ("JAMMED", [("gap", "INCONCLUSIVE")])],
    ids=["one of a beginning", "one in the middle"],
)
def test_after_an_end_line_the_same_state_is_a_later_life_s(
    house: House, sign: tuple[str, ...], state: str, found: list[tuple[str, str]]
) -> None:
    """It repeats nothing: what was taken down stands there again, and is so now."""
    report = house.judge(
        VERSION,
        f"Door d stands {state}",
        "Door d taken off its hinges",
        *sign,
        f"Door d stands {state}",
    )
    assert [(kind, verdict) for kind, verdict, _ in kinds(report)] == found
    assert [now.state for now in report.now] == [(state,)]


def test_after_an_end_line_a_step_without_its_source_begins_a_life(house: House) -> None:
    """The same step a second time is no repetition of the first, whose life is over."""
    house.spec.write_text(
        DOOR.replace("Door {door} goes from {from} to {to}", "Door {door} goes to {to}").replace(
            "Door d goes from CLOSED to OPEN", "Door d goes to OPEN"
        ),
        "utf-8",
    )
    report = house.judge(
        VERSION, "Door d goes to JAMMED", "Door d taken off its hinges", "Door d goes to JAMMED"
    )
    assert not kinds(report)
    assert [now.state for now in report.now] == [("JAMMED",)]
