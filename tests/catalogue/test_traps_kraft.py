"""The traps of logs of clusters without ZooKeeper (facts of 4.x, section 6), and faults that must be found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalogue.kraft_logs import ID, OTHER, Cluster, episodes, said, told

LOST = (
    "isr: [1] -> [], leader: 1 -> -1, leaderEpoch: 0 -> 1, elr: [] -> [1], partitionEpoch: 0 -> 1"
)
BACK = (
    "isr: [] -> [1], leader: -1 -> 1, leaderEpoch: 1 -> 2, elr: [1] -> [], partitionEpoch: 1 -> 2"
)


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """A cluster that has written nothing yet."""
    return Cluster(tmp_path)


def test_all_controllers_replay_and_a_change_counts_once(cluster: Cluster) -> None:
    """T1: those that follow write it up to some 0.2 s later."""
    for node, late in ((101, 0.0), (102, 0.1), (103, 0.2)):
        cluster.partition(node, 1 + late)
        cluster.change(node, 10 + late, LOST)
        cluster.change(node, 20 + late, BACK)
    report = cluster.check()
    assert (told(report), episodes(report), said(report)) == (
        ["10.0 Online Offline", "20.0 Offline Online"],
        ["leaderless 10.0..20.0"],
        [],
    )


def test_what_a_controller_proposed_and_renounced_may_never_be(cluster: Cluster) -> None:
    """T2: the successor's lines tell; it gave the partition epoch to another change."""
    for node in (101, 102):
        cluster.partition(node, 1)
    cluster.change(101, 10, LOST)
    cluster.renounces(101, 12)
    for node in (102, 101):
        cluster.change(node, 14, "isr: [1, 2] -> [1], partitionEpoch: 0 -> 1")
    report = cluster.check()
    assert (told(report), episodes(report), said(report)) == ([], [], [])


def test_what_a_controller_proposed_and_renounced_may_be_committed_by_its_successor(
    cluster: Cluster,
) -> None:
    """T2 and section 9: then it counts from when it was proposed, as the record does."""
    for node in (101, 102):
        cluster.partition(node, 1)
    cluster.change(101, 10, LOST)
    cluster.renounces(101, 12)
    for node in (102, 101):
        cluster.change(node, 26, LOST)
    report = cluster.check()
    assert (told(report), episodes(report), said(report)) == (
        ["10.0 Online Offline"],
        ["leaderless 10.0.."],
        [],
    )


def test_a_restarted_controller_tells_the_past_with_the_time_of_today(cluster: Cluster) -> None:
    """T3: two minutes within 30 ms; topic id, partition and partition epoch name a change."""
    cluster.starts(101, 0)
    cluster.partition(101, 1)
    cluster.change(101, 10, LOST)
    cluster.change(101, 20, BACK)
    cluster.starts(101, 130)
    cluster.partition(101, 131)
    cluster.change(101, 131.01, LOST)
    cluster.change(101, 131.02, BACK)
    report = cluster.check()
    assert (told(report), episodes(report), said(report)) == (
        ["10.0 Online Offline", "20.0 Offline Online"],
        ["leaderless 10.0..20.0"],
        [],
    )


def test_a_snapshot_tells_a_partition_as_it_is(cluster: Cluster) -> None:
    """T3: "new partition", with an epoch above 0, also without a leader."""
    cluster.starts(101, 0)
    cluster.partition(101, 1, -1, 9, isr="")
    report = cluster.check()
    assert ([one.state for one in report.now], episodes(report), said(report)) == (
        [("Offline",)],
        ["leaderless 1.0.."],
        [],
    )


def test_unclean_in_a_line_is_no_unclean_election(cluster: Cluster) -> None:
    """T4: it also loses the leader, and grows the in-sync set; the change that ends the recovery is an ordinary one."""
    cluster.partition(101, 1, -1, 3, isr="")
    election = "isr: [] -> [2], leader: -1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 3 -> 4, partitionEpoch: 3 -> 4"
    cluster.change(101, 10, election, unclean=True)
    cluster.change(
        101, 20, "leader: 2 -> -1, leaderEpoch: 4 -> 5, partitionEpoch: 4 -> 5", unclean=True
    )
    cluster.change(
        101, 30, "leader: -1 -> 2, leaderEpoch: 5 -> 6, partitionEpoch: 5 -> 6", unclean=True
    )
    cluster.change(101, 31, "isr: [2] -> [1, 2], partitionEpoch: 6 -> 7", unclean=True)
    cluster.change(101, 32, "leaderRecoveryState: RECOVERING -> RECOVERED, partitionEpoch: 7 -> 8")
    report = cluster.check()
    assert said(report) == []
    assert told(report) == ["10.0 Offline Online", "20.0 Online Offline", "30.0 Offline Online"]
    assert episodes(report) == ["leaderless 1.0..10.0", "leaderless 20.0..30.0"]


def test_an_unclean_election_that_is_triggered_is_no_loud_line(cluster: Cluster) -> None:
    """Oddity 7: 3.9 writes it at ERROR; it says that the partition has no leader, and nothing that nobody knows."""
    cluster.partition(101, 1)
    triggered = "Triggering unclean leader election for offline partition t-0."
    line = f"[2026-11-22 20:00:10,000] ERROR [QuorumController id=101] {triggered}"
    logger = "org.apache.kafka.controller.ReplicationControlManager"
    cluster.lines["controller101/controller.log"].append(f"{line} ({logger})\n")
    cluster.partition(101, 30, topic="t-1")
    report = cluster.check()
    assert episodes(report) == ["leaderless 10.0.."]
    assert [one.also_logged for one in report.incidents] == [()]
    assert said(report) == []


def test_words_of_an_unclean_election_accuse_nobody(cluster: Cluster) -> None:
    """T5: with eligible leader replicas the last known leader may be elected so, whatever unclean.leader.election.enable says."""
    cluster.partition(101, 1, isr="1")
    cluster.controller(101, 10, "Fencing broker 1 at epoch 5 because its session has timed out.")
    cluster.controller(
        101,
        20,
        f"Setting new leader for topicId {ID}, partition 0 to 1 using an unclean election. Previous partition: x, change record: y",
    )
    report = cluster.check()
    assert (episodes(report), said(report)) == (["maybe_leaderless 10.0..20.0"], [])


@pytest.mark.parametrize("debug", [False, True])
def test_the_counting_line_is_not_needed(cluster: Cluster, debug: bool) -> None:
    """T6: with DEBUG it is another one; who led and is gone is known from the fencing."""
    cluster.partition(101, 1)
    cluster.partition(101, 1, 2, topic="t-1")
    cluster.controller(101, 10, "Fencing broker 1 at epoch 5 because its session has timed out.")
    counts = (
        "handleBrokerFenced: changing partition(s): t-0"
        if debug
        else "handleBrokerFenced: changing 1 partition(s)"
    )
    cluster.controller(101, 10, counts, "DEBUG" if debug else "INFO")
    assert episodes(cluster.check()) == ["maybe_leaderless 10.0.."]


def test_an_election_that_names_the_topic_by_its_id_is_of_that_topic(cluster: Cluster) -> None:
    """T7: the line has no prefix either; a topic of that name made anew has another id, and begins at 0."""
    cluster.partition(101, 1)
    cluster.partition(101, 1, topic="other-0", topic_id=OTHER)
    cluster.controller(101, 10, "Fencing broker 1 at epoch 5 because its session has timed out.")
    cluster.controller(
        101,
        20,
        f"Setting new leader for topicId {OTHER}, partition 0 to 2 using ELR. Previous partition: x, change record: y",
    )
    by_title = {one.title: one.open for one in cluster.check().episodes}
    assert by_title == {
        "other-0 may have had no leader": False,
        "t-0 may have no leader": True,
    } or by_title == {
        "other-0 may have no leader": False,
        "t-0 may have no leader": True,
    }


def test_a_topic_that_is_made_anew_is_another_one(cluster: Cluster) -> None:
    """T7: its epochs count from 0, and what a restarted controller tells of the old one is over."""
    for node in (101, 102):
        cluster.starts(node, 0)
        cluster.partition(node, 1)
        cluster.change(node, 2, LOST)
        cluster.controller(node, 3, f"Replayed RemoveTopicRecord for topic t with ID {ID}.")
        cluster.partition(node, 9, topic_id=OTHER)
    cluster.starts(102, 20)
    cluster.partition(102, 21)
    cluster.change(102, 21.01, LOST)
    cluster.controller(102, 21.02, f"Replayed RemoveTopicRecord for topic t with ID {ID}.")
    cluster.partition(102, 21.03, topic_id=OTHER)
    report = cluster.check()
    assert (said(report), [one.state for one in report.now]) == ([], [("Online",)])
    assert episodes(report) == ["leaderless 2.0..3.0"]


def test_what_a_follower_tells_of_a_topic_without_its_id_may_be_of_an_older_one(
    cluster: Cluster,
) -> None:
    """T7: only leaders name the id. Where no controller's log is there, the epochs that begin anew
    are another topic's, and nobody contradicts anybody.
    """
    for second, epoch in ((1, 0), (10, 1)):
        cluster.follows(1, second, 3, epoch, epoch)
    cluster.leads(1, 20, 0, 0)
    cluster.follows(3, 19.99, 1, 0, 0)
    assert said(cluster.check()) == []


def test_minus_two_in_a_record_is_no_leader_that_is_told(cluster: Cluster) -> None:
    """T8: it says that the leader stays; the line that tells what changed leaves it out."""
    cluster.partition(101, 1)
    record = "PartitionChangeRecord(partitionId=0, topicId=x, isr=[2], leader=-2, replicas=null, removingReplicas=null)"
    cluster.controller(101, 5, f"Replayed partition change {record} for topic t", "DEBUG")
    cluster.change(101, 5, "isr: [1, 2] -> [1], partitionEpoch: 0 -> 1")
    report = cluster.check()
    assert (said(report), [one.state for one in report.now]) == ([], [("Online",)])


def test_lines_that_are_shown_do_not_chain(cluster: Cluster) -> None:
    """T9: an election that no line tells lies between them; nothing is missing."""
    cluster.partition(101, 1)
    cluster.follows(2, 1, 1, 0, 0)
    cluster.leads(2, 60, 3, 7)
    cluster.follows(1, 90, 1, 5, 11)
    report = cluster.check()
    assert (said(report), [one.state for one in report.now]) == ([], [("Online",)])


def test_a_node_that_is_both_is_one_process(cluster: Cluster) -> None:
    """T10: what its broker hears and its controller replays are the same change."""
    cluster.partition(1, 1)
    cluster.leads(1, 1.1, 0, 0)
    cluster.change(1, 10, LOST)
    cluster.follows(1, 10.1, -1, 1, 1)
    report = cluster.check()
    assert (told(report), said(report), episodes(report)) == (
        ["10.0 Online Offline"],
        [],
        ["leaderless 10.0.."],
    )


def test_nobody_waits_for_the_last_lines_of_a_clean_stop(cluster: Cluster) -> None:
    """T11: Log4j 2 stops first; what was not told is read out at the next start, and has no time of its own."""
    cluster.starts(101, 0)
    cluster.registered(101, 1, 1, 9)
    cluster.fenced(101, 2, 1, 9, -1)
    cluster.starts(101, 60)
    cluster.registered(101, 61, 1, 9)
    cluster.fenced(101, 61.01, 1, 9, -1)
    cluster.fenced(101, 61.02, 1, 9, 0, leaving=1)
    cluster.fenced(101, 61.02, 1, 9, 1)
    report = cluster.check("BrokerRegistration")
    assert (told(report), said(report), [one.state for one in report.now]) == (
        ["2.0 FENCED UNFENCED"],
        [],
        [("FENCED",)],
    )


def test_a_broker_that_is_back_is_fenced_for_its_old_epoch(cluster: Cluster) -> None:
    """T12: its registration is refused until the session of its last incarnation ends; then one step each."""
    for node, late in ((101, 0.0), (102, 0.1)):
        cluster.registered(node, 1 + late, 1, 9)
        cluster.fenced(node, 2 + late, 1, 9, -1)
    cluster.controller(101, 12, "Fencing broker 1 at epoch 9 because its session has timed out.")
    for node, late in ((101, 0.0), (102, 0.1)):
        cluster.fenced(node, 12 + late, 1, 9, 1)
        cluster.registered(node, 13 + late, 1, 40)
        cluster.fenced(node, 13.2 + late, 1, 40, -1)
    report = cluster.check("BrokerRegistration")
    assert told(report) == ["2.0 FENCED UNFENCED", "12.0 UNFENCED FENCED", "13.2 FENCED UNFENCED"]
    assert (said(report), episodes(report)) == ([], ["fenced 12.0..13.2"])


# ------------------------------------------------------------------------------------------------------------------- faults


def test_a_second_leader_in_an_epoch_is_found(cluster: Cluster) -> None:
    """Two brokers say that they lead, by one partition epoch."""
    cluster.leads(1, 1, 4, 7)
    cluster.leads(2, 1.2, 4, 7)
    assert said(cluster.check()) == ["contradiction VIOLATED broker2/state-change.log:1"]


def test_another_leader_in_the_same_leader_epoch_is_found(cluster: Cluster) -> None:
    """Each term has one leader."""
    cluster.partition(101, 1)
    cluster.change(101, 10, "leader: 1 -> 2, leaderEpoch: 0 -> 0, partitionEpoch: 0 -> 1")
    assert said(cluster.check()) == ["broken rule VIOLATED controller101/controller.log:2"]


def test_a_partition_epoch_that_jumps_is_found(cluster: Cluster) -> None:
    """Every change is told at DEBUG, so one was lost."""
    cluster.partition(101, 1)
    cluster.change(101, 5, "isr: [1, 2] -> [1], partitionEpoch: 0 -> 1")
    cluster.change(101, 10, "isr: [1] -> [1, 2], partitionEpoch: 4 -> 5")
    assert said(cluster.check()) == ["gap INCONCLUSIVE controller101/controller.log:3"]


def test_a_partition_epoch_that_falls_is_found(cluster: Cluster) -> None:
    """One run of one controller only ever counts up."""
    cluster.starts(101, 0)
    cluster.partition(101, 1, 1, 4)
    cluster.change(101, 5, "isr: [1, 2] -> [1], partitionEpoch: 4 -> 5")
    cluster.change(101, 6, "isr: [1] -> [1, 2], partitionEpoch: 5 -> 6")
    cluster.change(101, 10, "isr: [1, 2] -> [1], partitionEpoch: 4 -> 3")
    assert said(cluster.check()) == ["contradiction VIOLATED controller101/controller.log:5"]


def test_a_leader_outside_its_own_in_sync_set_is_found(cluster: Cluster) -> None:
    """The leader is always one of them."""
    cluster.leads(1, 1, 4, 7, isr="2,3")
    assert said(cluster.check()) == ["broken rule VIOLATED broker1/state-change.log:1"]


def test_a_fenced_broker_among_the_in_sync_replicas_is_found(cluster: Cluster) -> None:
    """The controller takes none; a line that says that it was unfenced may be lost, and then it is a gap."""
    cluster.registered(101, 1, 2, 9)
    cluster.fenced(101, 2, 2, 9, -1)
    cluster.change(101, 3, "isr: [1] -> [1, 2], partitionEpoch: 0 -> 1")
    cluster.fenced(101, 10, 2, 9, 1)
    cluster.change(101, 11, "isr: [1, 2] -> [1], partitionEpoch: 1 -> 2")
    cluster.change(101, 20, "isr: [1] -> [1, 2], partitionEpoch: 2 -> 3")
    assert said(cluster.check("BrokerRegistration")) == [
        "gap INCONCLUSIVE controller101/controller.log:6"
    ]


def test_who_is_in_sync_is_known_at_info_and_its_epochs_only_grow(cluster: Cluster) -> None:
    """The leader writes what the controllers have taken; as shipped they write nothing of it."""
    cluster.leads(1, 1, 0, 0)
    for second, (isr, epoch) in enumerate([("1", 1), ("1,2", 2), ("1", 3)], 5):
        cluster.shrinks_or_grows(1, second, isr, epoch)
    assert said(cluster.check()) == []
    cluster.shrinks_or_grows(1, 20, "1,2", 2)
    assert said(cluster.check()) == ["contradiction INCONCLUSIVE broker1/server.log:4"]


def test_who_does_not_lead_is_not_asked_who_is_in_sync(cluster: Cluster) -> None:
    """Two brokers tell one change of a partition, and each takes itself for the leader."""
    cluster.leads(1, 1, 0, 0)
    for broker in (1, 2):
        cluster.shrinks_or_grows(broker, 6, "1,2", 1)
    assert said(cluster.check()) == ["contradiction INCONCLUSIVE broker2/server.log:1"]


def test_a_topic_that_is_made_anew_counts_its_in_sync_sets_anew(cluster: Cluster) -> None:
    """The line has no topic id: it is of the topic that was told last."""
    for second, topic_id in ((1, ID), (10, OTHER)):
        for node in (101, 102):
            cluster.partition(node, second, topic_id=topic_id)
        for late, isr in enumerate(["1", "1,2"], 1):
            cluster.shrinks_or_grows(1, second + late, isr, late)
    assert said(cluster.check()) == []
