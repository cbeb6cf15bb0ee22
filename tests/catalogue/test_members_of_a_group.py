"""What Kafka's GroupMetadataTest says of the members of a group: who is awaited, and whose protocol wins."""

from __future__ import annotations

from typing import Any

import pytest

import statemachines as sm
from tests.shipped import shipped

SPEC = shipped("kafka/GroupMetadata")
RELEASES = ("3.0.0", "3.9.1", "4.0.2")
Call = tuple[str, dict[str, Any]]
RAISES = "IllegalStateException"
PREPARE: Call = ("transitionTo", {"target": "PreparingRebalance"})


def add(member: str, *protocols: str) -> Call:
    """Return what a member that joins brings."""
    return "add", {"memberId": member, "protocols": protocols or ("range",), "awaitsJoin": False}


def of(event: str, member: str, **more: Any) -> Call:
    """Return a call that concerns a member."""
    return event, {"memberId": member, **more}


def wins(protocol: str | None, event: str = "selectProtocol") -> Call:
    """Return a vote, and what is chosen."""
    return event, {"winner": protocol}


SCENARIOS: list[tuple[str, list[Call], dict[str, Any]]] = [
    ("testRemovalFromPendingAfterMemberIsStable-before", [of("addPendingMember", "m")], {"pendingMembers": {"m"}, "members": set()}),
    ("testRemovalFromPendingAfterMemberIsStable", [of("addPendingMember", "m"), add("m")], {"pendingMembers": set(), "members": {"m"}}),
    ("testRemovalFromPendingWhenMemberIsRemoved", [of("addPendingMember", "m"), of("remove", "m", heir=None)], {"pendingMembers": set()}),
    ("testCannotAddPendingMemberIfStable", [add("m"), of("addPendingMember", "m")], {"error": RAISES, "pendingMembers": set()}),
    ("testCanAddAndRemovePendingSyncMember-added", [add("m"), of("addPendingSyncMember", "m")], {"pendingSyncMembers": {"m"}}),
    ("testCanAddAndRemovePendingSyncMember", [add("m"), of("addPendingSyncMember", "m"), of("removePendingSyncMember", "m")], {"pendingSyncMembers": set()}),
    ("testRemovalFromPendingSyncWhenMemberIsRemoved", [add("m"), of("addPendingSyncMember", "m"), of("remove", "m", heir=None)], {"pendingSyncMembers": set(), "leaderId": None}),
    ("testNewGenerationClearsPendingSyncMembers", [add("m"), PREPARE, of("addPendingSyncMember", "m"), wins("range", "initNextGeneration")], {"pendingSyncMembers": set(), "generationId": 1}),
    ("testCannotAddPendingSyncOfUnknownMember", [of("addPendingSyncMember", "m")], {"error": RAISES}),
    ("testCannotRemovePendingSyncOfUnknownMember", [of("removePendingSyncMember", "m")], {"error": RAISES}),
    ("testSelectProtocolRaisesIfNoMembers", [wins(None)], {"error": RAISES}),
    ("testSelectProtocol", [add("m", "range", "roundrobin"), wins("range")], {"returned": "range"}),
    ("testSelectProtocol-three", [add("m", "range", "roundrobin"), add("n", "roundrobin", "range"), add("o", "roundrobin", "range"), wins("roundrobin")], {"returned": "roundrobin"}),
    ("testSelectProtocolChoosesCompatibleProtocol", [add("m", "range", "roundrobin"), add("n", "roundrobin", "blah"), wins("roundrobin")], {"returned": "roundrobin"}),
]  # fmt: skip
"""A test; calls; what is to come of them: variables (of `members` their names), `error` and `returned` of the last call."""


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("test", "calls", "expected"), SCENARIOS, ids=[row[0] for row in SCENARIOS]
)
def test_the_unit_tests_of_kafka_hold_for_the_spec(
    test: str, calls: list[Call], expected: dict[str, Any], release: str
) -> None:
    """All calls but the last are taken."""
    machine = SPEC.at(release)
    now = machine.start()
    for event, given in calls[:-1]:
        answer = sm.step(machine, now, event, **given)
        assert isinstance(answer, sm.Advanced), (test, event, answer)
        now = answer.after
    event, given = calls[-1]
    answer = sm.step(machine, now, event, **given)
    told: dict[str, Any] = {
        **answer.after.variables,
        "error": answer.error,
        "returned": answer.returned,
    }
    told["members"] = set(told["members"])
    assert {name: told[name] for name in expected} == expected


@pytest.mark.parametrize("release", RELEASES)
def test_a_protocol_that_not_all_members_know_cannot_win(release: str) -> None:
    """testSelectProtocolChoosesCompatibleProtocol: `range` had a vote, and no majority counts where one member lacks it."""
    machine = SPEC.at(release)
    now = machine.start()
    for event, given in (add("m", "range", "roundrobin"), add("n", "roundrobin", "blah")):
        now = sm.step(machine, now, event, **given).after
    with pytest.raises(sm.ArgumentsError, match="mayWin"):
        sm.step(machine, now, "selectProtocol", winner="range")
