"""Kafka's own group does with its members what `kafka/GroupMetadata` does: every call, every answer, every exception."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from statemachines.testing import from_machine
from statemachines.testing.runs.paired_runs import PairedRun
from tests.kafka.jars import number, releases
from tests.kafka.judged import spec

if TYPE_CHECKING:
    from tests.kafka.jvm import Jvm

pytestmark = pytest.mark.kafka
TOLD = [release for release in spec("GroupMetadata").releases if release in releases()]
RELEASES = list({number(release)[:2]: release for release in TOLD}.values())
"""The last one of each minor line."""
PATIENT = settings(
    max_examples=6, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck)
)
OFTEN = {
    "add": 4,
    "transitionTo": 3,
    "initNextGeneration": 2,
    "updateMember": 2,
    "addPendingSyncMember": 2,
}


def side_by_side(jvm: Jvm, release: str, call: Any = None) -> Any:
    """Put Kafka's group of a release beside the spec."""
    from tests.kafka.groups import Group

    return from_machine(
        spec("GroupMetadata").at(release),
        lambda **parameters: Group(jvm.release(release)),
        call=call or (lambda subject, event, arguments: subject.perform(event, arguments)),
        planned=False,
        sizes={"MemberId": 3, "Protocol": 2, "list": "0..2", "int": "0..99"},
    )


def walk(test: Any, random: Any, steps: int) -> None:
    """Let random calls happen to both; raises an AssertionError with the program where they differ."""
    run, tables = PairedRun(test.side), test.side.finder.tables
    events = [event for event in tables.events for _ in range(OFTEN.get(event, 1))]
    run.begin({})
    for _ in range(steps):
        attempt = test.side.finder.sample_attempt(
            run.current_snapshot, random.choice(events), random
        )
        if attempt is not None:
            run.perform(attempt)
    run.close()


@pytest.mark.parametrize("release", RELEASES)
def test_the_group_and_the_spec_do_the_same(jvm: Jvm, release: str) -> None:
    """After each call: what it returned or threw, and who is a member, leads, or is awaited."""
    test = side_by_side(jvm, release)

    @PATIENT
    @given(st.randoms(use_true_random=False))
    def walked(random: Any) -> None:
        walk(test, random, 30)

    walked()


@pytest.mark.parametrize("forgotten", ["clearPendingSyncMembers", "remove", "updateMember"])
def test_a_call_that_does_nothing_is_noticed(jvm: Jvm, forgotten: str) -> None:
    """Planted: a group that forgets one of its calls."""
    test = side_by_side(
        jvm,
        "3.9.1",
        lambda subject, event, arguments: (
            None if event == forgotten else subject.perform(event, arguments)
        ),
    )

    @settings(PATIENT, max_examples=40)
    @given(st.randoms(use_true_random=False))
    def walked(random: Any) -> None:
        walk(test, random, 30)

    with pytest.raises(AssertionError, match=r"The program that shows it"):
        walked()
