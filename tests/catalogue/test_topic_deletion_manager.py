"""The queue of topics that are to be deleted: Kafka's TopicDeletionManagerTest as calls, and a mutant for every property."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.model.evidence.verdicts import Verdict
from tests.catalogue.planting import planted
from tests.shipped import shipped

NAME = "kafka/TopicDeletionManager"
SPEC = shipped(NAME)
OLD, SINCE_2_3 = ("0.11.0.3", "1.1.1", "2.1.1", "2.2.2"), ("2.3.1", "2.4.1", "2.8.2", "3.9.2")
REPLICAS = {
    f"{topic}{partition}@{broker}": topic
    for topic in ("foo", "bar")
    for partition in (0, 1)
    for broker in (1, 2, 3)
}
FOO = {name for name, topic in REPLICAS.items() if topic == "foo"}
GONE = {name for name in FOO if name.endswith("@2")}
STARTED, DONE, INELIGIBLE, OFFLINE = (
    "ReplicaDeletionStarted",
    "ReplicaDeletionSuccessful",
    "ReplicaDeletionIneligible",
    "OfflineReplica",
)
Call = tuple[str, dict[str, Any]]


def begin(release: str, *, enabled: bool = True) -> Snapshot:
    """Return a manager of two topics with two partitions on three brokers each."""
    return SPEC.at(release).start(isDeleteTopicEnabled=enabled, assignment=REPLICAS)


def after(release: str, now: Snapshot, *calls: Call) -> tuple[Snapshot, Answer]:
    """Step through calls; return the snapshot and the last answer."""
    for event, arguments in calls:
        answer = sm.step(SPEC.at(release), now, event, **arguments)
        now = answer.after
    return now, answer


def enqueue(*topics: str) -> Call:
    """Return that topics are to be deleted."""
    return "enqueueTopicsForDeletion", {"topics": set(topics)}


def deleted(replicas: set[str]) -> Call:
    """Return that brokers have deleted replicas."""
    return "completeReplicaDeletion", {"deleted": replicas}


def live(replicas: set[str], *, alive: bool) -> Call:
    """Return that their broker came or went."""
    return "setLive", {"some": replicas, "live": alive}


RESUME: Call = ("resumeDeletionForTopics", {"topics": {"foo"}})


def states(now: Snapshot, replicas: set[str]) -> set[str]:
    """Return what replicas are in."""
    return {now.variables["replicas"][one].state for one in replicas}


def queue(now: Snapshot) -> tuple[frozenset[str], ...]:
    """Return what is queued, begun (where it is kept) and halted."""
    names = ("topicsToBeDeleted", "topicsWithDeletionStarted", "topicsIneligibleForDeletion")
    return tuple(now.variables[name] for name in names if name in now.variables)


def kept(release: str, queued: set[str], halted: set[str]) -> tuple[frozenset[str], ...]:
    """Return the same for topics that are all begun."""
    return tuple(map(frozenset, [queued, queued, halted] if release >= "2.1" else [queued, halted]))


@pytest.mark.parametrize("release", [*OLD, *SINCE_2_3])
def test_basic_deletion(release: str) -> None:
    """testBasicDeletion: two topics go side by side, and nothing is left of them."""
    now, answer = after(release, begin(release), enqueue("foo", "bar"))
    assert (answer.returned["begun"], states(now, set(REPLICAS)), queue(now)) == (
        {"foo", "bar"},
        {STARTED},
        kept(release, {"foo", "bar"}, set()),
    )
    now, answer = after(release, now, deleted(set(REPLICAS)))
    assert (answer.returned["completed"], now.variables["replicas"], queue(now)) == (
        {"foo", "bar"},
        {},
        kept(release, set(), set()),
    )


@pytest.mark.parametrize("release", [*OLD, *SINCE_2_3])
def test_deletion_with_broker_offline(release: str) -> None:
    """testDeletionWithBrokerOffline: it waits for the broker; up to 2.2.2 the dead replicas stay Offline."""
    now, _ = after(
        release,
        begin(release),
        live(GONE, alive=False),
        ("replicasGoOffline", {"some": GONE}),
        enqueue("foo"),
    )
    assert (states(now, FOO - GONE), queue(now)) == ({STARTED}, kept(release, {"foo"}, {"foo"}))
    assert states(now, GONE) == {INELIGIBLE if release in SINCE_2_3 else OFFLINE}
    now, answer = after(release, now, deleted(FOO - GONE))
    assert (states(now, FOO - GONE), states(now, GONE), queue(now)) == (
        {DONE},
        {OFFLINE},
        kept(release, {"foo"}, {"foo"}),
    )
    now, answer = after(release, now, live(GONE, alive=True), RESUME)
    assert (answer.returned["begun"], states(now, GONE), states(now, FOO - GONE)) == (
        {"foo"},
        {STARTED},
        {DONE},
    )
    now, answer = after(release, now, deleted(GONE))
    assert (answer.returned["completed"], queue(now)) == ({"foo"}, kept(release, set(), set()))
    assert set(now.variables["replicas"]) == set(REPLICAS) - FOO


@pytest.mark.parametrize("release", [*OLD, *SINCE_2_3])
def test_broker_failure_after_deletion_started(release: str) -> None:
    """testBrokerFailureAfterDeletionStarted: the others go on; those that failed are tried again when the others are done."""
    failed: Call = ("failReplicaDeletion", {"failed": GONE})
    now, answer = after(release, begin(release), enqueue("foo"), live(GONE, alive=False), failed)
    assert (states(now, GONE), states(now, FOO - GONE), queue(now)) == (
        {INELIGIBLE},
        {STARTED},
        kept(release, {"foo"}, {"foo"}),
    )
    now, answer = after(release, now, live(GONE, alive=True), RESUME)
    assert (states(now, GONE), answer.returned["begun"], queue(now)) == (
        {INELIGIBLE},
        frozenset(),
        kept(release, {"foo"}, set()),
    )
    now, answer = after(release, now, deleted(FOO - GONE))
    assert (states(now, GONE), answer.returned["retried"], answer.returned["begun"]) == (
        {STARTED},
        {"foo"},
        {"foo"},
    )


@pytest.mark.parametrize("release", [*OLD, *SINCE_2_3])
def test_a_new_controller_reads_the_queue(release: str) -> None:
    """testInitialization: topics that are not to be deleted are not halted either; where none may be deleted the queue in ZooKeeper goes."""
    init: Call = (
        "init",
        {
            "initialTopicsToBeDeleted": {"foo", "bar"},
            "initialTopicsIneligibleForDeletion": {"bar", "baz"},
        },
    )
    now, _ = after(release, begin(release), init)
    assert (now.variables["topicsToBeDeleted"], now.variables["topicsIneligibleForDeletion"]) == (
        {"foo", "bar"},
        {"bar"},
    )
    assert states(now, FOO) == {"OnlineReplica"}
    assert after(release, now, ("tryTopicDeletion", {}))[1].returned["begun"] == {"foo"}
    now, answer = after(release, begin(release, enabled=False), init, enqueue("foo"))
    assert (now.variables["topicsToBeDeleted"], states(now, FOO), answer.returned["begun"]) == (
        set(),
        {"OnlineReplica"},
        frozenset(),
    )


@pytest.mark.parametrize("release", [*OLD, *SINCE_2_3])
def test_a_halted_topic_waits_in_the_queue(release: str) -> None:
    """Marked by a reassignment, say; a topic that is not queued is not marked."""
    mark: Call = ("markTopicIneligibleForDeletion", {"topics": {"foo", "bar"}})
    init: Call = (
        "init",
        {"initialTopicsToBeDeleted": {"foo"}, "initialTopicsIneligibleForDeletion": set()},
    )
    now, answer = after(release, begin(release), init, mark, ("tryTopicDeletion", {}))
    assert (now.variables["topicsIneligibleForDeletion"], answer.returned["begun"]) == (
        {"foo"},
        frozenset(),
    )
    assert after(release, now, RESUME)[1].returned["begun"] == {"foo"}
    assert (
        after(release, now, ("resumeDeletionForTopics", {"topics": {"bar"}}))[1].returned["begun"]
        == frozenset()
    )


WITH_THREAD = ("0.8.1.1", "0.8.2.2", "0.9.0.1", "0.10.1.1", "0.10.2.2")
START: Call = ("start", {})
WORK: Call = ("doWork", {})


@pytest.mark.parametrize("release", WITH_THREAD)
def test_before_0_11_a_thread_looks_at_the_queue(release: str) -> None:
    """What happens only wakes it: the rest is what the thread finds when it comes to look."""
    now, answer = after(release, begin(release), START, enqueue("foo"))
    assert (answer.returned, states(now, FOO)) == (None, {"OnlineReplica"})
    now, answer = after(release, now, WORK)
    assert (answer.returned["begun"], states(now, FOO)) == ({"foo"}, {STARTED})
    assert isinstance(after(release, now, WORK)[1], sm.Refused)
    failed: Call = ("failReplicaDeletion", {"failed": GONE})
    now, _ = after(release, now, live(GONE, alive=False), failed, deleted(FOO - GONE))
    assert (states(now, GONE), queue(now)) == (
        {INELIGIBLE},
        (frozenset({"foo"}), frozenset({"foo"})),
    )
    now, answer = after(release, now, WORK)
    assert (answer.returned["retried"], answer.returned["begun"]) == ({"foo"}, frozenset())
    now, answer = after(release, now, live(GONE, alive=True), RESUME, WORK, deleted(GONE), WORK)
    assert (answer.returned["completed"], queue(now)) == ({"foo"}, (frozenset(), frozenset()))
    now, _ = after(release, now, enqueue("bar"), ("shutdown", {}))
    assert queue(now) == (frozenset(), frozenset())


def test_topics_that_may_not_be_deleted_leave_the_queue_from_0_10_2_on() -> None:
    """Before, they stood in ZooKeeper until deletion was allowed; in 0.8.1 it always is."""
    init: Call = (
        "init",
        {"initialTopicsToBeDeleted": {"foo"}, "initialTopicsIneligibleForDeletion": set()},
    )
    told = {}
    for release in WITH_THREAD[1:]:
        now, answer = after(release, begin(release, enabled=False), init)
        told[release] = (
            now.variables["topicsToBeDeleted"],
            answer.returned["deleteTopicDeletions"],
        )
        now, _ = after(release, now, START)
        assert isinstance(after(release, now, WORK)[1], sm.Refused)
    stays, goes = ({"foo"}, set()), (set(), {"foo"})
    assert told == {"0.8.2.2": stays, "0.9.0.1": stays, "0.10.1.1": stays, "0.10.2.2": goes}
    with pytest.raises(sm.ArgumentsError):
        begin("0.8.1.1", enabled=False)


def test_a_controller_that_resigns_forgets_the_queue() -> None:
    """Up to 2.2.2 by a method of its own."""
    now, _ = after("2.2.2", begin("2.2.2"), enqueue("foo"), ("reset", {}))
    assert queue(now) == kept("2.2.2", set(), set())
    assert "reset" not in {one.name for one in SPEC.at("2.3.0").value.events}


MUTANTS = [
    ("nothingIsDeletedWhereItMayNot", "topicsToBeDeleted | topics if isDeleteTopicEnabled else set()", "topicsToBeDeleted | topics"),
    ("begunAreQueued", "| begun(queue, halted, now)) - completed(queue, now)", "| begun(queue, halted, now))"),
    ("onlyTheQueueIsDeleted", "(topicsWithDeletionStarted | begun(queue, halted, now))", "topicsWithDeletionStarted"),
    ("goesWhole", "for r, i in now.items() if i.topic not in completed(queue, now)}", "for r, i in now.items() if i.state != 'ReplicaDeletionSuccessful'}"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "instead"), MUTANTS, ids=[row[0] for row in MUTANTS])
def test_a_mistake_in_the_spec_breaks_the_property(
    name: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing."""
    (tmp_path / "TopicDeletionManager.yaml").write_text(planted(NAME, text, instead), "utf-8")
    mutant = sm.load(tmp_path / "TopicDeletionManager.yaml").at("2.8.2")
    walks = (mutant.simulate(seed=seed, steps=100) for seed in range(60))
    assert any(
        one.property.name == name and one.verdict is Verdict.VIOLATED
        for walk in walks
        for one in walk.noticed
    )


def test_every_property_has_a_mutant_and_holds() -> None:
    """In every era of the class."""
    for release in ("0.8.1.1", "0.10.1.1", "0.10.2.2", "1.1.1", "2.2.2", "3.9.2"):
        machine = SPEC.at(release)
        claimed = {
            one.name
            for one in machine.value.data.properties
            if one.kind in (PropertyKind.ALWAYS, PropertyKind.EACH_STEP)
        }
        assert claimed <= {row[0] for row in MUTANTS}
        walks = [machine.simulate(seed=seed, steps=100) for seed in range(5)]
        assert not any(one.verdict is Verdict.VIOLATED for walk in walks for one in walk.noticed)
