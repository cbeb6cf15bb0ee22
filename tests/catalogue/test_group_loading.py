"""What a broker answers for a group that it is still loading, and what the group is when it was loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.model.evidence.verdicts import Verdict
from tests.catalogue.planting import planted
from tests.shipped import shipped

NAME = "kafka/GroupMetadataManager"
SPEC = shipped(NAME)
RELEASES = ("0.11.0.3", "1.1.1", "2.0.1", "2.2.2", "2.8.2", "3.9.2", "4.0.2")


def after(release: str, *calls: str, **arguments: Any) -> tuple[Snapshot, Answer]:
    """Step from the beginning; each call takes those of the arguments that it has."""
    machine = SPEC.at(release)
    now = machine.start()
    for event in calls:
        signature = next(one.signature for one in machine.value.events if one.name == event)
        taken = [one.name for one in signature.arguments] if signature else []
        answer = sm.step(
            machine, now, event, **{name: arguments.get(name, False) for name in taken}
        )
        now = answer.after
    return now, answer


@pytest.mark.parametrize("release", RELEASES)
def test_a_group_that_is_loaded_is_answered_for(release: str) -> None:
    """testRequestHandlingWhileLoadingInProgress: heartbeats go well; who syncs is to join again, from 2.0.0 on."""
    told = {
        api: after(release, "scheduleLoadGroupAndOffsets", "validateGroupStatus", api=api)[
            1
        ].returned
        for api in (
            "JOIN_GROUP",
            "SYNC_GROUP",
            "HEARTBEAT",
            "OFFSET_COMMIT",
            "OFFSET_FETCH",
            "DESCRIBE_GROUPS",
        )
    }
    sync = told.pop("SYNC_GROUP")
    assert (sync, told.pop("HEARTBEAT")) == (
        "REBALANCE_IN_PROGRESS" if release >= "2.0" else "UNKNOWN_MEMBER_ID",
        "NONE",
    )
    assert set(told.values()) == {"COORDINATOR_LOAD_IN_PROGRESS"}
    assert after(release, "validateGroupStatus", api="HEARTBEAT")[1].returned == "NOT_COORDINATOR"
    assert (
        after(
            release,
            "scheduleLoadGroupAndOffsets",
            "loadGroup",
            "validateGroupStatus",
            api="JOIN_GROUP",
        )[1].returned
        == "NONE"
    )


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("known", "members", "state"),
    [(True, True, "Stable"), (True, False, "Empty"), (False, False, None)],
)
def test_a_group_comes_back_stable_or_empty(
    release: str, known: bool, members: bool, state: str | None
) -> None:
    """testLoadGroupWithTombstone, testLoadOffsetsWithoutGroup, testLoadGroup."""
    now, _ = after(
        release, "scheduleLoadGroupAndOffsets", "loadGroup", known=known, hasMembers=members
    )
    assert (now.state, now.variables["group"]) == ("Owned", state)


def test_a_group_that_is_too_large_is_rebalanced_at_once() -> None:
    """From 2.2.0 on."""
    now, _ = after(
        "2.2.0",
        "scheduleLoadGroupAndOffsets",
        "loadGroup",
        known=True,
        hasMembers=True,
        overCapacity=True,
    )
    assert now.variables["group"] == "PreparingRebalance"


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_given_up_is_forgotten(release: str) -> None:
    """Members that wait are told; what was read too late is dropped."""
    loaded = ("scheduleLoadGroupAndOffsets", "loadGroup", "removeGroupsAndOffsets")
    now, answer = after(release, *loaded, known=True, hasMembers=True)
    assert (now.state, now.variables["group"], answer.returned) == (
        "NotOwned",
        None,
        {"notCoordinator": True},
    )
    now, answer = after(
        release, "scheduleLoadGroupAndOffsets", "removeGroupsAndOffsets", "loadGroup", known=True
    )
    assert (now.state, type(answer).__name__) == ("NotOwned", "Ignored")


MUTANTS = [
    ("onlyTheCoordinatorKnows", "to: NotOwned effect: {group: None}", "to: NotOwned"),
    (
        "comesBackStableOrEmpty",
        "'Stable' if hasMembers else 'Empty'",
        "'Dead' if hasMembers else 'Empty'",
    ),
]


@pytest.mark.parametrize(("name", "text", "instead"), MUTANTS, ids=[row[0] for row in MUTANTS])
def test_a_mistake_in_the_spec_breaks_the_property(
    name: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing."""
    (tmp_path / "GroupMetadataManager.yaml").write_text(planted(NAME, text, instead), "utf-8")
    found = sm.load(tmp_path / "GroupMetadataManager.yaml").at("2.8.2").explore()
    assert [
        one.verdict for one in found.examined if one.property and one.property.name == name
    ] == [Verdict.VIOLATED]
