"""Consumer groups, transactional producers and transaction coordinators agree with the facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Ignored, Raised, Snapshot
from statemachines.notation import machine_of
from statemachines.semantics.machine.step import step
from tests.catalogue.asking import answer, arrows, reading, said, state
from tests.catalogue.fact_lines import FactLine
from tests.catalogue.facts_others import MACHINES, other_lines, pairs
from tests.catalogue.readings import readings, spec_of
from tests.shipped import shipped_spec

GROUP, PRODUCER, COORDINATOR = MACHINES
STATES = {
    GROUP: {"state": "Stable"},
    PRODUCER: {"from": "READY", "to": "FATAL_ERROR"},
    COORDINATOR: {"from": "Empty", "to": "Ongoing", "state": "Ongoing"},
}
NOT_READ = {GROUP: 20, PRODUCER: 0, COORDINATOR: 21}
"""Lines that the facts list and that tell of members, partitions, coordinators, or nothing of one instance's state."""
OLD = "TxnTransitMetadata(producerId=1, lastProducerId=1, producerEpoch=0, txnState={}, topicPartitions=Set(), txnStartTimestamp=-1)"
NEW = "TxnTransitMetadata[producerId=1, prevProducerId=-1, txnTimeoutMs=4000, txnState={}, topicPartitions=[], txnStartTimestamp=-1]"


@pytest.mark.parametrize("name", MACHINES)
def test_every_pair_is_allowed_where_the_facts_allow_it(shared: Path, name: str) -> None:
    """The table, in every release."""
    spec = shipped_spec(name)
    facts = pairs(shared, name, spec.family.releases)
    assert list(spec.family.names(spec.releases)) == list(facts)
    for release, moves in facts.items():
        table = [
            arrow
            for arrow in machine_of(spec, release).transitions
            if arrow.event == f"to_{arrow.target}" and not _forgotten(arrow)
        ]
        assert {(arrow.source, arrow.target) for arrow in table} == moves, release


def _forgotten(arrow: Transition) -> bool:
    """What the facts do not know and Kafka's own class says (tests/kafka): up to 2.4.1 any state may go to UNINITIALIZED."""
    return arrow.target == "UNINITIALIZED" and not arrow.taken


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_not_allowed_throws(name: str) -> None:
    """None of them logs it; the caller gets the exception."""
    spec = shipped_spec(name)
    for release in spec.family.names(spec.releases):
        machine = machine_of(spec, release)
        legal = {
            (arrow.source, arrow.target)
            for arrow in machine.transitions
            if arrow.taken and arrow.event == f"to_{arrow.target}"
        }
        for one in machine.states:
            for other in machine.states:
                if (one.name, other.name) not in legal:
                    given = step(machine, Snapshot(one.name), f"to_{other.name}")
                    skipped = (one.name, other.name) == ("ABORTING_TRANSACTION", "ABORTABLE_ERROR")
                    assert isinstance(given, Ignored if skipped else Raised), (
                        release,
                        one.name,
                        other.name,
                    )


def _values(line: FactLine, name: str) -> tuple[str, dict[str, str]]:
    written = line.template.replace("{metadata}", OLD.format("Ongoing"))
    for role, text in (
        ("group", "billing"),
        ("transactional_id", "tx-main"),
        ("producer", "p-main"),
    ):
        written = written.replace("{" + role + "}", text)
    shown = FactLine(line.key, line.group, written, line.level, line.logger, line.releases)
    return shown.written(STATES[name])


@pytest.mark.parametrize("name", MACHINES)
def test_the_lines_of_the_facts_are_read_with_their_level(shared: Path, name: str) -> None:
    """In all their releases or in none; how many are left out is counted."""
    unread = set()
    for line in other_lines(shared, name, spec_of(name).family.releases):
        message, _ = _values(line, name)
        found = {release: readings(message, release, (name,)) for release in line.releases}
        if not any(found.values()):
            unread.add(line.key)
            continue
        assert {release for release, each in found.items() if not each} == set(), line.key
        assert {each.line.level for many in found.values() for each in many} == {line.level}, (
            line.key
        )
    assert len(unread) == NOT_READ[name], sorted(unread)


def test_stabilized_does_not_mean_stable() -> None:
    """It is the step to CompletingRebalance, which was called AwaitingSync up to 1.0.2."""
    for release, words, wanted in (
        ("0.10.2.2", "Stabilized group billing generation 5", "AwaitingSync"),
        ("1.0.2", "Stabilized group billing generation 5 (__consumer_offsets-1)", "AwaitingSync"),
        (
            "2.5.1",
            "Stabilized group billing generation 5 (__consumer_offsets-1)",
            "CompletingRebalance",
        ),
        (
            "3.9.1",
            "Stabilized group billing generation 5 (__consumer_offsets-1) with 2 members",
            "CompletingRebalance",
        ),
    ):
        found = reading(f"[GroupCoordinator 1]: {words}", release)
        assert found is not None
        assert (found.says, found.line.target) == ("step", (wanted,))


def test_the_state_in_a_rebalance_line_is_not_believed() -> None:
    """It is printed after the step, so it is always PreparingRebalance."""
    words = "Preparing to rebalance group billing in state PreparingRebalance with old generation 1 (__consumer_offsets-1) (reason: x)"
    found = reading(f"[GroupCoordinator 1]: {words}", "2.5.1")
    assert found is not None
    assert (found.line.target, found.line.source, found.values) == (
        ("PreparingRebalance",),
        (),
        {"group": "billing", "reason": "x"},
    )


def test_the_newer_coordinator_has_words_of_its_own() -> None:
    """Another prefix, no partition of the offsets topic, a final dot; both were there from 3.8.0 to 4.0.2."""
    words = "[GroupCoordinator id=1 topic=__consumer_offsets partition=1] Stabilized group billing generation 5 with 2 members."
    assert [said(words, release) for release in ("3.7.2", "3.8.0", "4.3.1")] == ["", "step", "step"]
    assert (
        said(
            "[GroupCoordinator 1]: Stabilized group billing generation 5 (__consumer_offsets-1) with 2 members",
            "4.1.0",
        )
        == ""
    )


def test_several_groups_may_be_deleted_in_one_line() -> None:
    """Each of them is an instance."""
    found = reading(
        "[GroupCoordinator 1]: The following groups were deleted: billing, orders. A total of 4 offsets were removed.",
        "3.9.1",
    )
    assert found is not None
    assert found.line.each is not None
    assert (found.says, found.line.target, found.values) == (
        "step",
        ("Dead",),
        {"groups": "billing, orders"},
    )


def test_a_group_begins_empty_or_stable() -> None:
    """Up to 0.10.0.1 stable without members."""
    assert [each.name for each in machine_of(spec_of(GROUP), "0.9.0.0").states if each.initial] == [
        "Stable"
    ]
    assert [each.name for each in machine_of(spec_of(GROUP), "3.9.1").states if each.initial] == [
        "Empty",
        "Stable",
    ]


def test_a_dead_group_may_be_made_anew() -> None:
    """Not by a move of Kafka's table: another object under the same id, without a line."""
    for release, first in (("0.9.0.1", "Stable"), ("0.10.2.2", "Empty"), ("4.3.1", "Empty")):
        (arrow,) = arrows(GROUP, release, "Dead", first)
        assert (arrow.event, arrow.silent) == ("created", True)
        assert isinstance(
            step(machine_of(spec_of(GROUP), release), Snapshot("Dead"), f"to_{first}"), Raised
        )


def test_an_illegal_call_of_a_producer_throws_another_exception_from_3_1_1_on() -> None:
    """And leaves no line; from 3.6.0 on it may poison the producer in silence."""
    assert [answer(PRODUCER, release, "READY", "COMMITTING_TRANSACTION") for release in ("2.5.1", "3.1.0", "3.1.1", "3.9.1")] == [
        "KafkaException", "KafkaException", "IllegalStateException", "IllegalStateException",
    ]  # fmt: skip
    assert [
        arrows(PRODUCER, release, "READY", "FATAL_ERROR")[0].silent
        for release in ("3.5.2", "3.6.0")
    ] == [False, True]


def test_a_client_id_that_is_used_again_is_a_new_producer() -> None:
    """With exactly_once a producer a task: READY, then UNINITIALIZED -> INITIALIZING again."""
    found = reading(
        "[Producer clientId=p, transactionalId=t] Instantiated a transactional producer.", "2.5.1"
    )
    assert found is not None
    assert (found.says, found.line.state, found.values["producer"]) == (
        "begin",
        "UNINITIALIZED",
        "p",
    )


def test_the_oldest_producer_prints_its_transactional_id_only() -> None:
    """It stands for the producer."""
    found = reading("[TransactionalId t] Transition from state READY to IN_TRANSACTION", "0.11.0.2")
    assert found is not None
    assert found.values == {"producer": "t", "from": "READY", "to": "IN_TRANSACTION"}


@pytest.mark.parametrize(
    ("release", "metadata", "spelt"),
    [("2.5.1", OLD, "Ongoing"), ("4.1.0", NEW, "ONGOING"), ("4.2.0", NEW, "ONGOING")],
)
def test_the_target_of_a_transaction_stands_inside_its_metadata(
    release: str, metadata: str, spelt: str
) -> None:
    """A prepared step has not happened; a completed one has. `Ongoing -> Ongoing` is one."""
    told = metadata.format(spelt)
    done = reading(f"TransactionalId tx complete transition from {spelt} to {told}", release)
    asked = reading(
        f"TransactionalId tx prepare transition from {spelt} to {spelt if release == '4.2.0' else told}",
        release,
    )
    assert done is not None
    assert asked is not None
    assert (done.says, done.values["from"], done.values["to"], asked.says, asked.values["to"]) == (
        "step",
        spelt,
        spelt,
        "asked",
        spelt,
    )
    assert spelt in (
        state(COORDINATOR, release, "Ongoing").name,
        *state(COORDINATOR, release, "Ongoing").spellings,
    )


def test_dead_and_the_fence_are_only_ever_pending() -> None:
    """They stand in the table; the written state is another."""
    for source, target in (
        ("Empty", "Dead"),
        ("Ongoing", "PrepareEpochFence"),
        ("PrepareEpochFence", "PrepareAbort"),
    ):
        assert [arrow.taken for arrow in arrows(COORDINATOR, "3.9.1", source, target)] == [False]


def test_a_transaction_may_be_aborted_unasked_from_4_0_on() -> None:
    """A client that does not know its state may abort."""
    assert arrows(COORDINATOR, "3.9.2", "Empty", "PrepareAbort") == []
    assert arrows(COORDINATOR, "4.0.0", "Empty", "PrepareAbort") != []
