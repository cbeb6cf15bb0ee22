"""Who is told when a broker wins or loses the controllership, and what it puts away when it resigns."""

from __future__ import annotations

from typing import Any

import pytest

import statemachines as sm
from tests.shipped import shipped

SPEC = shipped("kafka/Controller")
BY_ELECTOR, BY_EVENTS = (
    ("0.8.0", "0.9.0.1", "0.10.2.2"),
    ("0.11.0.3", "1.1.1", "2.2.2", "2.8.2", "3.9.2"),
)
Row = tuple[str, str, dict[str, bool], str, dict[str, bool]]


def ask(release: str, state: str, event: str, **arguments: Any) -> tuple[str, Any]:
    """Return where an event leads and what it gives back."""
    answer = sm.step(SPEC.at(release), sm.Snapshot(state, {}, {}), event, **arguments)
    return answer.after.state, answer.returned


OF_ELECTOR: list[Row] = [
    ("Elected", "handleDataChange", {"amLeader": False}, "Resigned", {"onResigningAsLeader": True}),
    ("Elected", "handleDataChange", {"amLeader": True}, "Elected", {"onResigningAsLeader": False}),
    (
        "Resigned",
        "handleDataChange",
        {"amLeader": False},
        "Resigned",
        {"onResigningAsLeader": False},
    ),
    (
        "Elected",
        "handleDataDeleted",
        {"wins": True},
        "Elected",
        {"onResigningAsLeader": True, "onBecomingLeader": True},
    ),
    (
        "Elected",
        "handleDataDeleted",
        {"wins": False},
        "Resigned",
        {"onResigningAsLeader": True, "onBecomingLeader": False},
    ),
    (
        "Resigned",
        "handleDataDeleted",
        {"wins": True},
        "Elected",
        {"onResigningAsLeader": False, "onBecomingLeader": True},
    ),
    (
        "Resigned",
        "handleDataDeleted",
        {"wins": False},
        "Resigned",
        {"onResigningAsLeader": False, "onBecomingLeader": False},
    ),
    ("Elected", "onBecomingLeaderFails", {}, "Resigned", {"onResigningAsLeader": False}),
]
OF_EVENTS: list[Row] = [
    (
        "Elected",
        "processControllerChange",
        {"isActiveNow": False},
        "Resigned",
        {"onControllerResignation": True},
    ),
    (
        "Elected",
        "processControllerChange",
        {"isActiveNow": True},
        "Elected",
        {"onControllerResignation": False},
    ),
    (
        "Resigned",
        "processControllerChange",
        {"isActiveNow": False},
        "Resigned",
        {"onControllerResignation": False},
    ),
    (
        "Elected",
        "processReelect",
        {"isActiveNow": False, "wins": True},
        "Elected",
        {"onControllerResignation": True, "onControllerFailover": True},
    ),
    (
        "Elected",
        "processReelect",
        {"isActiveNow": False, "wins": False},
        "Resigned",
        {"onControllerResignation": True, "onControllerFailover": False},
    ),
    (
        "Elected",
        "processReelect",
        {"isActiveNow": True, "wins": False},
        "Elected",
        {"onControllerResignation": False, "onControllerFailover": False},
    ),
    (
        "Resigned",
        "processReelect",
        {"isActiveNow": False, "wins": True},
        "Elected",
        {"onControllerResignation": False, "onControllerFailover": True},
    ),
]


@pytest.mark.parametrize(
    ("release", "row"),
    [
        *((r, row) for r in BY_ELECTOR for row in OF_ELECTOR),
        *((r, row) for r in BY_EVENTS for row in OF_EVENTS),
    ],
)
def test_who_is_told_of_a_change(release: str, row: Row) -> None:
    """Only who was the controller resigns; one whose start-up failed resigns without being told."""
    state, event, arguments, target, returned = row
    assert ask(release, state, event, **arguments) == (target, returned)


@pytest.mark.parametrize("release", ["1.1.1", "2.8.2", "3.9.2"])
def test_a_broker_whose_session_is_over_resigns_whatever_it_was(release: str) -> None:
    """It cannot know."""
    assert [ask(release, state, "processExpire") for state in ("Elected", "Resigned")] == [
        ("Resigned", {"onControllerResignation": True})
    ] * 2


@pytest.mark.parametrize(
    ("release", "deletion", "reset"),
    [
        ("0.8.0", "none", False),
        ("0.10.2.2", "shutdown", False),
        ("0.11.0.3", "reset", True),
        ("2.2.2", "reset", True),
        ("3.9.2", "none", True),
    ],
)
def test_what_a_controller_puts_away(release: str, deletion: str, reset: bool) -> None:
    """Up to 0.10.2.2 its context stays, but for the epoch; from 2.3.0 on the queue of deletions is a part of it."""
    state, returned = ask(release, "Elected", "onControllerResignation")
    assert (state, returned["topicDeletionManager"], returned["resetContext"]) == (
        "Resigned",
        deletion,
        reset,
    )
    assert returned["partitionStateMachineShutdown"]
    assert returned["replicaStateMachineShutdown"]
    assert (
        type(
            sm.step(SPEC.at(release), sm.Snapshot("Resigned", {}, {}), "onControllerResignation")
        ).__name__
        == "Ignored"
    )
