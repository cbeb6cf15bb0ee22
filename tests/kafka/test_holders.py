"""Groups and transactions of a coordinator move where the spec allows it, and throw what the spec says where not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import statemachines as sm
from statemachines.model.definitions.snapshots import Raised
from tests.kafka.jars import number, releases
from tests.kafka.judged import CONSUMER, MANAGERS, spec

if TYPE_CHECKING:
    from tests.kafka.holders import Holder
    from tests.kafka.jvm import Jvm

pytestmark = pytest.mark.kafka
GROUP, TRANSACTION = "kafka.coordinator.group", "kafka.coordinator.transaction"
NEW = "org.apache.kafka.coordinator"
STATES = f"{CONSUMER}.MemberState"
CASES = (
    (
        "ConsumerGroup",
        "kafka.coordinator.GroupMetadata",
        "kafka.coordinator.GroupState",
        "transitionTo",
        "0.9.0.0",
        "0.10.2.2",
    ),
    (
        "ConsumerGroup",
        f"{GROUP}.GroupMetadata",
        f"{GROUP}.GroupState",
        "transitionTo",
        "0.11.0.0",
        "4.0.2",
    ),
    (
        "ConsumerGroup",
        f"{NEW}.group.generic.GenericGroup",
        f"{NEW}.group.generic.GenericGroupState",
        "transitionTo",
        "3.6.0",
        "3.6.2",
    ),
    (
        "ConsumerGroup",
        f"{NEW}.group.classic.ClassicGroup",
        f"{NEW}.group.classic.ClassicGroupState",
        "transitionTo",
        "3.7.0",
        "9",
    ),
    (
        "TransactionCoordinator",
        f"{TRANSACTION}.TransactionMetadata",
        f"{TRANSACTION}.TransactionState",
        "prepareTransitionTo",
        "0.11.0.0",
        "4.0.2",
    ),
    (
        "TransactionCoordinator",
        f"{TRANSACTION}.TransactionMetadata",
        f"{NEW}.transaction.TransactionState",
        "prepareTransitionTo",
        "4.1.0",
        "4.1.2",
    ),
    (
        "TransactionCoordinator",
        f"{NEW}.transaction.TransactionMetadata",
        f"{NEW}.transaction.TransactionState",
        "prepareTransitionTo",
        "4.2.0",
        "9",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1].rpartition('.')[2]}-{case[4]}")
def test_every_move_is_done_or_throws_as_the_spec_says(jvm: Jvm, case: tuple[str, ...]) -> None:
    """An object of Kafka's is put into each state and asked for each."""
    from tests.kafka.holders import Holder

    machine, *named, since, until = case
    wanted = [
        release
        for release in spec(machine).releases
        if release in releases() and number(since) <= number(release) <= number(until)
    ]
    found = {release: disagreements(jvm, Holder(*named), machine, release) for release in wanted}
    assert wanted
    assert {release: words for release, words in found.items() if words} == {}


def disagreements(jvm: Jvm, holder: Holder, name: str, release: str) -> list[str]:
    """Say which moves end otherwise in a release."""
    from tests.kafka.holders import moves

    machine = spec(name).at(release)
    told = {
        spelling: state.name
        for state in machine.value.states
        for spelling in (state.name, *state.spellings)
    }
    real = {
        (told[one], told[other]): ended
        for (one, other), ended in moves(jvm.release(release), holder).items()
    }
    return [
        f"{a} -> {b}: Kafka {ended}, the spec {expected(machine, a, b)}"
        for (a, b), ended in real.items()
        if ended != expected(machine, a, b)
    ]


def expected(machine: sm.Machine, source: str, target: str) -> str:
    """Return what the table and `otherwise` of the spec say of a move: `moved`, or an exception."""
    if any(
        move.source == source and move.target == target and move.event == f"to_{target}"
        for move in machine.transitions
    ):
        return "moved"
    answer = sm.step(machine, sm.Snapshot(source), f"to_{target}")
    return answer.error if isinstance(answer, Raised) else type(answer).__name__


@pytest.mark.parametrize("name", MANAGERS, ids=lambda name: name.rpartition(".")[2])
def test_a_member_moves_as_the_spec_says(jvm: Jvm, name: str) -> None:
    """`transitionTo` of each of the managers: every pair, those of a state with itself too, which no table names."""
    from tests.kafka.owners import Owner

    asked = [
        release
        for release in spec("MembershipManager").releases
        if release in releases() and jvm.release(release).has(name)
    ]
    assert asked
    for release in asked:
        machine, found = (
            spec("MembershipManager").at(release),
            Owner(jvm.release(release), name, STATES).moves("transitionTo"),
        )
        wanted = {
            pair: pair[1] if (said := expected(machine, *pair)) == "moved" else said
            for pair in found
        }
        assert found == wanted, release


OLDEST = [release for release in releases() if number(release) < (0, 11)]


@pytest.mark.parametrize("kind", ["Partition", "Replica"])
def test_the_oldest_controllers_refuse_what_the_spec_refuses(jvm: Jvm, kind: str) -> None:
    """Up to 0.10.2.2 the table stands in `handleStateChange`: a real machine of each release is asked for every pair."""
    from tests.kafka.handlers import Handler

    for release in OLDEST:
        machine = spec(f"{kind}StateMachine").at(release)
        wanted = {
            (move.source, move.target)
            for move in machine.transitions
            if move.event == f"to_{move.target}"
        }
        assert Handler(jvm.release(release), kind).moves(machine.states) == wanted, release


def test_the_table_of_another_release_is_noticed(jvm: Jvm) -> None:
    """Planted: in 0.8.0 a replica that is offline may be forgotten, from 0.8.1 on only one that was deleted."""
    from tests.kafka.handlers import Handler

    names, pair = (
        spec("ReplicaStateMachine").at("0.8.0").states,
        ("OfflineReplica", "NonExistentReplica"),
    )
    assert [
        pair in Handler(jvm.release(release), "Replica").moves(names)
        for release in ("0.8.0", "0.8.1")
    ] == [True, False]
