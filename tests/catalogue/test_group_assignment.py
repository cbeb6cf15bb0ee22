"""No partition has two members of a group, whichever lines tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation.sources.catalogue_names import specs_folder
from tests.catalogue.planting import planted

COORDINATOR = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
CONSUMER = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
TOPIC = "UW3eSnWpTWuLKzQ3r0cUWQ"


def checked(folder: Path, machine: str, release: str, *lines: str) -> Report:
    """Check lines, a second each, of a release."""
    text = "".join(
        f"[2026-01-01 10:00:{second:02},000] {line}\n" for second, line in enumerate(lines)
    )
    (folder / "server.log").write_text(text, "utf-8")
    return sm.check([folder / "server.log"], specs=[machine], release=release, engine="local")


def has(member: str, assigned: str, revoked: str = "", level: str = "INFO") -> str:
    """A coordinator's line of what one member has."""
    shares = [f"[{TOPIC}:[{numbers}]]" if numbers else "[]" for numbers in (assigned, revoked)]
    return (
        f"{level} [GroupCoordinator id=1 topic=__consumer_offsets partition=1] [GroupId billing] "
        f"Member {member} new assignment state: epoch=3, previousEpoch=2, state=STABLE, "
        f"assignedPartitions={shares[0]} and revokedPartitions={shares[1]}. {COORDINATOR}"
    )


def coordinator(text: str) -> str:
    """Another line of the coordinator."""
    return f"INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=1] {text} {COORDINATOR}"


def plan(generation: int, **members: str) -> str:
    """A leader's line."""
    shares = ", ".join(f"{who}=Assignment(partitions=[{what}])" for who, what in members.items())
    return (
        f"INFO [Consumer clientId=c1, groupId=billing] Finished assignment for group at generation"
        f" {generation}: {{{shares}}} {CONSUMER}"
    )


def broken(report: Report) -> list[int]:
    """Return the lines at which something is forbidden."""
    return [one.place.line for one in report.findings if one.kind == "forbidden" and one.place]


HOLDING = "kafka/GroupHolding"
GONE = [
    "[GroupId billing] Member m1 left the consumer group.",
    "[GroupId billing] Member m1 fenced from the group because the member session expired.",
    "[GroupId billing] Static member m1 with instance id i-1 left the consumer group.",
    "[GroupId billing] Static member with instance id i-1 re-joins the consumer group using the"
    " consumer protocol. Created a new member m2 to replace the existing member m1.",
    "[GroupId=billing] Unloaded group metadata for group epoch 4.",
]


@pytest.mark.parametrize(
    ("release", "level"), [("3.8.1", "INFO"), ("3.9.2", "INFO"), ("4.2.0", "DEBUG")]
)
def test_what_one_member_has_or_is_to_give_up_no_other_one_is_given(
    tmp_path: Path, release: str, level: str
) -> None:
    """Two members would read one partition; which line tells it depends on the release."""
    for revoked in ({"assigned": "0, 1"}, {"assigned": "0", "revoked": "1"}):
        lines = has("m1", **revoked, level=level), has("m2", "1", level=level)
        assert broken(checked(tmp_path, HOLDING, release, *lines)) == [2]


def test_what_was_given_up_another_one_may_have(tmp_path: Path) -> None:
    """Each line is the whole of what its member has."""
    lines = has("m1", "0, 1"), has("m1", "0", "1"), has("m1", "0"), has("m2", "1"), has("m1", "0")
    assert not checked(tmp_path, HOLDING, "3.9.2", *lines).findings


@pytest.mark.parametrize("gone", GONE)
def test_who_left_or_was_put_out_has_nothing(tmp_path: Path, gone: str) -> None:
    """A coordinator that gives a group away knows nothing of what becomes of its members."""
    lines = has("m1", "0, 1"), coordinator(gone), has("m2", "0, 1")
    assert not checked(tmp_path, HOLDING, "3.9.2", *lines).findings


def test_other_groups_are_other_groups(tmp_path: Path) -> None:
    """Two groups read one topic, each of its partitions once."""
    lines = has("m1", "0"), has("m2", "0").replace("GroupId billing", "GroupId audit")
    assert not checked(tmp_path, HOLDING, "3.9.2", *lines).findings


ASSIGNMENT = "kafka/GroupAssignment"


@pytest.mark.parametrize("release", ["2.4.1", "2.8.2", "3.9.2", "4.3.1"])
def test_a_plan_that_gives_a_partition_to_two_is_found(tmp_path: Path, release: str) -> None:
    """The same leader plans the next generation, and it may go to another one then."""
    lines = plan(1, m1="a-0, a-1"), plan(2, m1="a-0, a-1", m2="a-1, b-0"), plan(3, m2="a-0")
    assert broken(checked(tmp_path, ASSIGNMENT, release, *lines)) == [2]


def test_a_group_that_was_made_anew_counts_from_one_again(tmp_path: Path) -> None:
    """Its members have other ids, and the first of them tells the plans apart."""
    lines = plan(1, m1="a-0"), plan(1, m7="a-0")
    assert not checked(tmp_path, ASSIGNMENT, "3.9.2", *lines).findings


@pytest.mark.parametrize(
    ("machine", "guard", "rule"),
    [
        (HOLDING, 'guard: "member is None or member == who"', "each step givenUpFirst"),
        (
            ASSIGNMENT,
            'guard: "member is None or member == who or generation != epoch or first != planned"',
            "each step oneMemberAPlan",
        ),
    ],
)
def test_a_planted_second_member_is_found_with_the_shortest_trace(
    tmp_path: Path, machine: str, guard: str, rule: str
) -> None:
    """Without the guard two steps are enough: one member is given it, and then the other."""
    name = machine.removeprefix("kafka/")
    (tmp_path / f"{name}.yaml").write_text(planted(machine, guard, "guard: true"), "utf-8")
    (tmp_path / "kafka.yaml").write_bytes((specs_folder() / "kafka" / "kafka.yaml").read_bytes())
    explored = sm.load(tmp_path / f"{name}.yaml").at("3.9.2").explore()
    broken = {one.name: one for one in explored.examined if one.verdict is Verdict.VIOLATED}
    assert rule in broken
    trace = broken[rule].trace
    assert trace is not None
    assert len(trace.steps) == 2
