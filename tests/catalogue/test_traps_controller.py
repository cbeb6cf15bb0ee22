"""Oddities of the ZooKeeper-mode controller that a spec must know; `tests/data/catalogue/traps.tsv` says which point each is about."""

from __future__ import annotations

import pytest

from tests.catalogue.asking import (
    CONTROLLER,
    PARTITION,
    REPLICA,
    answer,
    arrows,
    legal,
    machine,
    reading,
    said,
    state,
)
from tests.catalogue.readings import spec_of

OLD, NEW = "Controller 1 epoch 4", "[Controller id=1 epoch=4]"
LEADER = {
    "1.1.1": "LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0)",
    "3.2.0": "LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), leaderRecoveryState=RECOVERED, zkVersion=0)",
    "3.3.0": "LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), leaderRecoveryState=RECOVERED, partitionEpoch=0)",
    "3.9.1": (
        "LeaderAndIsr(leader=1, leaderEpoch=0, isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=-1)), "
        "leaderRecoveryState=RECOVERED, partitionEpoch=0)"
    ),
}


@pytest.mark.parametrize("name", [PARTITION, REPLICA])
def test_a_controller_knows_its_instances_by_its_epoch(name: str) -> None:
    """A failover gives all of them a first state without a line; a later epoch supersedes whatever the clocks say."""
    log = machine(name, "2.5.1").log
    assert log is not None
    assert (log.shared, log.generation, log.generation_carrier) == (True, "epoch", "controller")
    assert set(log.instance) >= {"controller", "epoch", *log.subject}


def test_a_new_controller_gives_first_states() -> None:
    """New without a leader in ZooKeeper, Online with a live one, else Offline; a new topic begins at NonExistent."""
    assert {each.name for each in machine(PARTITION, "3.9.1").states if each.initial} == {
        "NewPartition", "OnlinePartition", "OfflinePartition", "NonExistentPartition",
    }  # fmt: skip


def test_dead_replicas_begin_as_ineligible() -> None:
    """Though nothing is deleted; 0.8.0 began them Offline. The way back to Online is legal in every release."""
    assert state(REPLICA, "0.8.0", "OfflineReplica").initial
    assert not state(REPLICA, "2.5.1", "OfflineReplica").initial
    assert state(REPLICA, "2.5.1", "ReplicaDeletionIneligible").initial
    assert legal(REPLICA, "ReplicaDeletionIneligible", "OnlineReplica") == "0.8.1..3.9.2"
    assert legal(REPLICA, "ReplicaDeletionIneligible", "OfflineReplica") == "0.8.1..3.9.2"


def test_the_levels_were_split_in_2_6() -> None:
    """Moves to New and Online became INFO, all others stayed TRACE: what the shipped configuration shows does not chain."""
    born = f"{NEW} Changed partition t-0 state from NonExistentPartition to NewPartition with assigned replicas 1,2"
    lost, moved = (
        f"{NEW} Changed partition t-0 state from OnlinePartition to OfflinePartition",
        f"{NEW} Changed state of replica 3 for partition t-0",
    )
    moved += " from OnlineReplica to OfflineReplica"
    levels = {
        message: [_level(message, release) for release in ("1.1.1", "2.5.1", "2.6.0", "3.9.2")]
        for message in (born, lost, moved)
    }
    assert levels == {
        born: ["TRACE", "TRACE", "INFO", "INFO"],
        lost: ["TRACE"] * 4,
        moved: ["TRACE"] * 4,
    }


def _level(message: str, release: str) -> str | None:
    found = reading(message, release)
    assert found is not None
    assert found.says == "step"
    return found.line.level


def test_self_loops_are_legal() -> None:
    """A re-election, a second failure, every failover: no repeated line. Offline -> Offline from 0.8.1 on."""
    assert (
        legal(PARTITION, "OnlinePartition", "OnlinePartition")
        == legal(REPLICA, "OnlineReplica", "OnlineReplica")
        == "0.8.0..3.9.2"
    )
    assert (
        legal(PARTITION, "OfflinePartition", "OfflinePartition")
        == legal(REPLICA, "OfflineReplica", "OfflineReplica")
        == "0.8.1..3.9.2"
    )


def test_a_deleted_topic_may_come_back() -> None:
    """NonExistentPartition is kept, not final, and leads to New."""
    assert legal(PARTITION, "NonExistentPartition", "NewPartition") == "0.8.0..3.9.2"
    assert not state(PARTITION, "3.9.1", "NonExistentPartition").final


def test_an_error_line_is_no_step() -> None:
    """One wording for a forbidden request and for an election that found nobody: the table tells them apart."""
    messages = {
        "0.11.0.3": f"{OLD} initiated state change for partition [t,0] from OfflinePartition to OnlinePartition failed",
        "1.0.2": f"{NEW} Initiated state change for partition t-0 from OfflinePartition to OnlinePartition failed",
        "3.9.1": f"{NEW} Controller 1 epoch 4 failed to change state for partition t-0 from OfflinePartition to OnlinePartition",
    }
    assert {said(message, release) for release, message in messages.items()} == {"refused, failed"}


@pytest.mark.parametrize(
    ("release", "first"),
    [
        ("0.11.0.3", f"{OLD} initiated state change for partition [t,0] from OfflinePartition to OnlinePartition failed"),
        ("1.0.2", f"{NEW} Initiated state change for partition t-0 from OfflinePartition to OnlinePartition failed"),
    ],
)  # fmt: skip
def test_an_election_that_another_controller_forestalled_may_have_a_leader(
    release: str, first: str
) -> None:
    """Who wrote first may have elected; only the exception below the line tells it from an election that found nobody."""
    thrown = "kafka.common.StateChangeFailedException: encountered error while electing leader for partition t-0 due to: "
    aborted = "aborted leader election since the LeaderAndIsr path was already written by another controller. This probably means"
    nobody = "No replica for partition t-0 is alive. Live brokers are: [Set()], Assigned replicas are: [List(2)]."
    assert said(f"{first}\n{thrown}{aborted}", release) == "may be"
    assert said(f"{first}\n{thrown}{nobody}", release) == "refused, failed"
    assert said(first, release) == "refused, failed"


@pytest.mark.parametrize(
    ("source", "target"),
    [("ReplicaDeletionStarted", "OnlineReplica"), ("ReplicaDeletionSuccessful", "OnlineReplica"), ("OnlineReplica", "ReplicaDeletionIneligible"),
     ("ReplicaDeletionSuccessful", "ReplicaDeletionIneligible"), ("ReplicaDeletionIneligible", "ReplicaDeletionIneligible"),
     ("NewReplica", "NewReplica"), ("OnlineReplica", "NewReplica"), ("OfflineReplica", "NewReplica")],
)  # fmt: skip
def test_what_the_controller_itself_asks_in_vain_is_refused(source: str, target: str) -> None:
    """Kafka asks for these in normal operation: a finding that holds, no evidence of a corrupt log."""
    assert {
        answer(REPLICA, release, source, target)
        for release in ("0.8.1.1", "1.1.1", "2.3.0", "3.9.2")
    } == {"refuse"}


def test_a_dead_replica_may_become_ineligible_from_2_3_on() -> None:
    """Asked for in every release at the start of a deletion; refused up to 2.2.2."""
    assert legal(REPLICA, "OfflineReplica", "ReplicaDeletionIneligible") == "2.3.0..3.9.2"
    assert answer(REPLICA, "2.2.2", "OfflineReplica", "ReplicaDeletionIneligible") == "refuse"


def test_a_topic_made_again_by_hand_is_refused() -> None:
    """Its partitions are still Online in the controller's memory."""
    assert answer(PARTITION, "2.5.1", "OnlinePartition", "NewPartition") == "refuse"


def test_0_8_0_lies_about_where_a_partition_came_from() -> None:
    """Its lines print the state after the change, or fixed words: only the target is believed."""
    online = reading(
        f"{OLD} changed partition [t,0] from OnlinePartition to OnlinePartition with leader 2",
        "0.8.0",
    )
    offline = reading(f"{OLD} changed partition [t,0] state from Online to Offline", "0.8.0")
    assert online is not None
    assert offline is not None
    assert (online.line.source, online.line.target, "from" in online.values) == (
        (),
        ("OnlinePartition",),
        False,
    )
    assert (offline.line.source, offline.line.target) == ((), ("OfflinePartition",))


def test_0_8_0_deletes_nothing() -> None:
    """Two entries of its table are never taken, and it knows no states of a deletion."""
    for source, target in (
        ("NewPartition", "OfflinePartition"),
        ("OfflinePartition", "NonExistentPartition"),
    ):
        assert [arrow.taken for arrow in arrows(PARTITION, "0.8.0", source, target)] == [False]
        assert [arrow.taken for arrow in arrows(PARTITION, "0.8.1", source, target)] == [True]
    assert not [each for each in machine(REPLICA, "0.8.0").states if "Deletion" in each.name]


def test_1_0_leaves_the_epoch_out_of_a_deletions_line() -> None:
    """It is carried from an earlier line of the same controller."""
    found = reading(
        "[Controller id=1] Changed partition t-0 state from OfflinePartition to NonExistentPartition",
        "1.0.2",
    )
    assert found is not None
    assert (found.says, "epoch" in found.values) == ("step", False)
    assert (
        said(
            "[Controller id=1] Changed partition t-0 state from OfflinePartition to NonExistentPartition",
            "1.1.0",
        )
        == ""
    )


def test_epochs_are_told_by_notes() -> None:
    """For the lines that lack one; an epoch that was only read before it was raised tells nothing."""
    for release, message in (("0.11.0.3", "[Controller 1]: Controller 1 incremented epoch to 4"), ("1.0.2", "[Controller id=1] Incremented epoch to 4"),
                             ("2.0.1", "[Controller id=1] Epoch incremented to 4")):  # fmt: skip
        found = reading(message, release)
        assert found is not None
        assert (found.says, found.values) == ("note", {"controller": "1", "epoch": "4"})
    assert (
        said("[Controller id=1] Initialized controller epoch to 3 and zk version 3", "2.0.1") == ""
    )


def test_lines_of_the_broker_role_tell_nothing() -> None:
    """They stand in the same file and may name controller and epoch; they are another machine."""
    for message in (
        "[Broker id=1] Leader orders-0 starts at leader epoch 3 from offset 0 with high watermark 0 ISR [1,2]",
        "Broker 1 received LeaderAndIsr request (LeaderAndIsrInfo:x) correlation id 3 from controller 2 epoch 4 for partition [orders,0]",
        "[Broker id=1] Ignoring LeaderAndIsr request from controller 2 with correlation id 1 epoch 4 for partition t-0 since its associated leader epoch 0",
        "[Broker id=1] Received LeaderAndIsrRequest with correlation id 3 from controller 2 epoch 4 cannot become follower since the new leader -1 is unavailable.",
    ):
        for release in ("0.10.2.2", "1.1.1", "3.5.2"):
            found = reading(message, release)
            assert found is None or (found.says, found.values) == ("note", {})


def test_topic_names_may_end_in_digits() -> None:
    """`pay-ments-2-0` is partition 0 of `pay-ments-2`; dots and underscores are part of a name."""
    for topic in ("pay-ments-2", "audit.log_1", "orders", "a-1-2-3"):
        found = reading(
            f"{NEW} Changed partition {topic}-7 state from OnlinePartition to OfflinePartition",
            "2.5.1",
        )
        old = reading(
            f"{OLD} changed partition [{topic},7] state from OnlinePartition to OfflinePartition",
            "0.10.2.2",
        )
        assert found is not None
        assert old is not None
        assert {key: found.values[key] for key in ("topic", "partition")} == {
            "topic": topic,
            "partition": "7",
        }
        assert {key: old.values[key] for key in ("topic", "partition")} == {
            "topic": topic,
            "partition": "7",
        }


@pytest.mark.parametrize("release", LEADER)
def test_the_leader_is_printed_in_four_ways(release: str) -> None:
    """The step does not depend on them."""
    assert (
        said(
            f"{NEW} Changed partition t-0 from NewPartition to OnlinePartition with state {LEADER[release]}",
            release,
        )
        == "step"
    )


def test_elected_leader_for_offline_partition_is_no_step() -> None:
    """Printed for Online partitions too."""
    assert said(f"{OLD} elected leader 2 for Offline partition [t,0]", "0.10.2.2") == "note"
    assert said(f"{NEW} Elected leader 2 for Offline partition t-0", "1.0.2") == "note"


def test_an_unclean_election_is_told_up_to_1_0() -> None:
    """From 1.1.0 on it is a plain Offline -> Online."""
    message = "[OfflinePartitionLeaderSelector]: No broker in ISR is alive for t-0. Elect leader 3 from live brokers 3. There's potential data loss."
    assert [said(message, release) for release in ("1.0.2", "1.1.0")] == ["note", ""]


def test_a_replica_that_leaves_the_isr_is_no_step_yet() -> None:
    """INFO from 2.6.0 on, only where it was in sync; were it a step, its absence would be a gap."""
    message = f"{NEW} Partition t-0 state changed to (Leader:1) after removing replica 3 from the ISR as part of transition to OfflineReplica"
    found = reading(message, "3.9.1")
    assert found is not None
    assert (found.machine, found.says, found.line.target) == (REPLICA, "asked", ("OfflineReplica",))


def test_replicas_went_online_without_a_line_up_to_1_0() -> None:
    """Where their partition has no leader yet."""
    for source in ("OnlineReplica", "OfflineReplica", "ReplicaDeletionIneligible"):
        assert all(arrow.silent for arrow in arrows(REPLICA, "1.0.2", source, "OnlineReplica"))
        assert not any(arrow.silent for arrow in arrows(REPLICA, "1.1.0", source, "OnlineReplica"))
    assert not any(
        arrow.silent for arrow in arrows(REPLICA, "1.0.2", "NewReplica", "OnlineReplica")
    )


def test_a_partition_that_never_had_a_leader_is_not_leaderless() -> None:
    """It stays New; the episode is about what was lost."""
    log = machine(PARTITION, "2.5.1").log
    assert log is not None
    assert {(episode.name, episode.states) for episode in log.episodes} == {
        ("leaderless", ("OfflinePartition",)),
        ("maybe_leaderless", ("OfflinePartition",)),
    }


def test_dumps_tell_every_state_at_once() -> None:
    """One line, one observation for each instance; from 2.3.0 on at DEBUG, by another logger."""
    for release, level in (("2.2.2", "INFO"), ("2.3.0", "DEBUG")):
        found = reading(
            "[PartitionStateMachine controllerId=1] Started partition state machine with initial state -> Map(t-0 -> OnlinePartition)",
            release,
        )
        assert found is not None
        assert found.line.each is not None
        assert (found.says, found.line.level, found.line.each.field) == ("is", level, "dump")


def test_resigned_does_not_mean_that_it_was_controller() -> None:
    """A broker whose session expired says it too: the line claims no from-state."""
    found = reading("[Controller id=1] Resigned", "2.5.1")
    assert found is not None
    assert (found.says, found.line.source, found.line.target) == ("step", (), ("Resigned",))


def test_no_line_tells_of_a_resignation_before_0_9() -> None:
    """So the step is silent there."""
    assert all(arrow.silent for arrow in arrows(CONTROLLER, "0.8.2.2", "Elected", "Resigned"))
    assert not any(arrow.silent for arrow in arrows(CONTROLLER, "0.9.0.0", "Elected", "Resigned"))


def test_a_killed_controller_says_nothing() -> None:
    """Elected again without a resignation is no contradiction."""
    assert all(
        arrow.silent
        for arrow in arrows(CONTROLLER, "3.9.1", "Elected", "Gone")
        + arrows(CONTROLLER, "3.9.1", "Gone", "Resigned")
    )


def test_losing_a_race_is_no_step() -> None:
    """The name in the line is another broker's."""
    for release, message in (
        ("0.10.2.2", "Broker 2 was elected as leader instead of broker 1"),
        ("3.9.1", "[Controller id=1] Broker 2 was elected as controller instead of broker 1"),
    ):
        assert said(message, release) == "note"


def test_the_election_of_the_oldest_controllers_is_in_the_servers_log() -> None:
    """Another file, another logger, no prefix."""
    found = reading("1 successfully elected as leader", "0.10.2.2")
    assert found is not None
    assert (found.machine, found.says, found.line.loggers) == (
        CONTROLLER,
        "step",
        ("kafka.server.ZookeeperLeaderElector",),
    )


def test_kraft_has_no_partition_states() -> None:
    """Its lines are not read: every controller replays them, with the words of a creation."""
    for message in (
        "[QuorumController id=100] Replayed PartitionRecord for new partition orders-0 with topic ID x and PartitionRegistration(y).",
        "[Broker id=1] Transitioning 1 partition(s) to local leaders.",
        "[QuorumController id=1] Fencing broker 4 at epoch 72 because its session has timed out.",
    ):
        assert {said(message, release) for release in ("3.9.1", "4.1.1", "4.3.1")} == {""}
    assert spec_of(PARTITION).family.ranges(spec_of(PARTITION).releases) == "0.8.0..3.9.2"
