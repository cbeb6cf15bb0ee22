"""What Kafka's coordinator makes of a member with each heartbeat is what `kafka/MemberAssignment` makes of it."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.testing import from_machine
from statemachines.testing.runs.paired_runs import PairedRun
from tests.kafka.jars import releases
from tests.kafka.judged import spec

if TYPE_CHECKING:
    from tests.kafka.jvm import Jvm
    from tests.kafka.members import Builders

pytestmark = pytest.mark.kafka
PATIENT = settings(
    max_examples=6, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck)
)
RELEASES = [release for release in spec("MemberAssignment").releases if release in releases()]


@pytest.fixture(scope="module")
def builders(jvm: Jvm) -> dict[str, Builders]:
    """The classes of each release that was asked for."""
    return {}


def side_by_side(jvm: Jvm, builders: dict[str, Builders], release: str, told: str) -> Any:
    """Put Kafka's members of a release beside the spec of one, usually the same."""
    from tests.kafka.members import Builders, Member

    if release not in builders:
        builders[release] = Builders(jvm.release(release))
    return from_machine(
        spec("MemberAssignment").at(told),
        lambda **parameters: Member(builders[release], parameters),
        call=lambda subject, event, arguments: subject.perform(event, arguments),
        planned=False,
        sizes={"Topic": 2, "int": "0..6"},
    )


def walk(test: Any, begins: str, random: Any, steps: int) -> None:
    """Let random heartbeats happen to both; raises an AssertionError with the program where they differ."""
    run = PairedRun(test.side)
    run.begin({"begins": begins})
    for _ in range(steps):
        attempt = test.side.finder.sample_attempt(run.current_snapshot, "build", random)
        if attempt is not None:
            run.perform(attempt)
    run.close()


@pytest.mark.parametrize("release", RELEASES)
def test_heartbeats_make_the_same_of_a_member(
    jvm: Jvm, builders: dict[str, Builders], release: str
) -> None:
    """After each: its state, its epoch, what it has, what it is to give up; or the exception."""
    test = side_by_side(jvm, builders, release, release)

    @PATIENT
    @given(st.sampled_from(["STABLE", "STABLE", "UNKNOWN"]), st.randoms(use_true_random=False))
    def same(begins: str, random: Any) -> None:
        walk(test, begins, random, 12)

    same()


Partition = namedtuple("Partition", "topic number")
A0, A1 = Partition("A", 0), Partition("A", 1)
BACK = (
    {"targetEpoch": 1, "target": {A0, A1}, "released": {A0, A1}, "owned": None},
    {"targetEpoch": 2, "target": set(), "released": set(), "owned": None},
    {"targetEpoch": 3, "target": {A0, A1}, "released": {A1}, "owned": set()},
)
"""A member gets two partitions, is to give both up, and then is to have them again: one of them is not released yet in the group's books."""


@pytest.mark.parametrize(
    ("real", "told", "same"),
    [("4.0.1", "4.0.1", True), ("4.0.2", "4.0.2", True), ("4.0.2", "4.0.1", False)],
)
def test_a_partition_that_comes_back_is_held_by_nobody_else(
    jvm: Jvm, builders: dict[str, Builders], real: str, told: str, same: bool
) -> None:
    """What the class found wrong in the spec, minimised: 4.0.2 and 4.1.2 give it at once. The spec of the release before is noticed."""
    from tests.kafka.members import Builders, Member

    made, machine = (
        builders.setdefault(real, Builders(jvm.release(real))),
        spec("MemberAssignment").at(told),
    )
    member, snapshot = Member(made, {"begins": "STABLE"}), machine.start(begins="STABLE")
    for arguments in BACK:
        member.perform("build", arguments)
        snapshot = sm.step(machine, snapshot, "build", **arguments).after
    assert (
        {name: getattr(member, name) for name in snapshot.variables} == snapshot.variables
    ) is same
