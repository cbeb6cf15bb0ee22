"""The systems of the catalogue: scenarios of the facts in every release of their ranges, and walks that break no rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from attrs import evolve

from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.walks.random_walks import RandomWalk, simulate
from statemachines.model.definitions.snapshots import Advanced, Ignored, Raised, Refused
from statemachines.model.definitions.system_definitions import (
    Link,
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.notation import system_of
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import system_tables
from tests.catalogue.facts import in_range
from tests.shipped import shipped_system

APPLICATION, DELETION = (
    shipped_system("kafka/StreamsApplication"),
    shipped_system("kafka/TopicDeletion"),
)
RELEASES = APPLICATION.family.releases
SHORT = {"c": "client", "g": "globalThread", "p": "partitions", "r": "replicas", "t": "threads"}
NEVER_DEAD = "0.10.2.0..0.10.2.1, 0.11.0.0"


@cache
def application(release: str) -> SystemDefinition:
    return system_of(APPLICATION, release)


@cache
def deletion(release: str) -> SystemDefinition:
    return system_of(DELETION, release)


class Play:
    """A system on its way: `t1 RUNNING` asks thread 1 for RUNNING, `c CLOSED` the client, `deliver` lets all that waits arrive."""

    def __init__(self, system: SystemDefinition, snapshot: SystemSnapshot) -> None:
        self.system = system
        self.now = snapshot
        self.answers: list[SystemAnswer] = []
        self.client: list[str] = [self.state("c")] if "client" in snapshot.parts else []

    def state(self, who: str) -> str:
        held = self.now.parts[SHORT[who[0]]]
        one = held[who[1:]] if isinstance(held, FrozenMap) else held
        return one.state

    def go(self, script: str) -> SystemAnswer:
        for word in script.split(", "):
            if word == "deliver":
                for place in sorted(self.now.waiting, key=repr):
                    self._keep(deliver_event(self.system, self.now, place))
            else:
                who, target = word.split()
                self._keep(
                    step_system(
                        self.system, self.now, f"{SHORT[who[0]]}.to_{target}", key=who[1:] or None
                    )
                )
        return self.answers[-1]

    def _keep(self, answer: SystemAnswer) -> None:
        self.answers.append(answer)
        self.now = answer.after
        assert answer.spec_errors == ()
        if self.client and self.state("c") != self.client[-1]:
            self.client.append(self.state("c"))


def up_to(release: str, newest: str) -> bool:
    return RELEASES.index(release) <= RELEASES.index(newest)


def assigned(release: str) -> str:
    return "ASSIGNING_PARTITIONS" if up_to(release, "0.11.0.0") else "PARTITIONS_ASSIGNED"


def streams(release: str, *, threads: str = "12", with_global: bool = False) -> Play:
    """A client that is RUNNING, with its threads."""
    system = application(release)
    absent = ["globalThread"] if "globalThread" in dict(system.machines) and not with_global else []
    play = Play(
        system, initial_system_snapshot(system, keys={"threads": list(threads)}, absent=absent)
    )
    if up_to(release, "0.11.0.0") and release != "0.10.2.2":
        play.go(", ".join(f"t{one} RUNNING" for one in threads))
    play.go("c RUNNING" if up_to(release, "2.1.1") else "c REBALANCING")
    if with_global:
        play.go("g RUNNING")
    for one in threads:
        if up_to(release, "2.1.1") and play.state(f"t{one}") == "CREATED":
            play.go(f"t{one} RUNNING")
        elif not up_to(release, "2.1.1"):
            play.go(f"t{one} STARTING")
    for one in threads:
        if up_to(release, "2.3.1"):
            play.go(f"t{one} PARTITIONS_REVOKED")
        play.go(f"t{one} {assigned(release)}")
    play.go(", ".join(f"t{one} RUNNING" for one in threads))
    assert play.state("c") == "RUNNING"
    play.client = ["RUNNING"]
    return play


def rows(*table: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Each row once for every release of its range."""
    for ranges, *rest in table:
        for release in in_range(ranges, RELEASES):
            if release in RELEASES:
                yield (release, *rest)


@pytest.mark.parametrize("release", list(in_range("0.10.2.0..trunk", RELEASES)))
def test_a_client_comes_back_with_its_last_thread(release: str) -> None:
    """KafkaStreamsTest.stateShouldTransitToRunningIfNonDeadThreadsBackToRunning, without a death: the life of every client."""
    play = streams(release)
    play.go(f"t1 PARTITIONS_REVOKED, t2 PARTITIONS_REVOKED, t1 {assigned(release)}, t1 RUNNING")
    assert play.client == ["RUNNING", "REBALANCING"]
    play.go(f"t2 {assigned(release)}, t2 RUNNING")
    assert play.client == ["RUNNING", "REBALANCING", "RUNNING"]


FOLLOWS = list(
    rows(
        # one dead thread keeps the client from RUNNING, or not
        ("1.0.0..2.1.1", "t1 PARTITIONS_REVOKED, t2 PENDING_SHUTDOWN, t2 DEAD, t1 PARTITIONS_ASSIGNED, t1 RUNNING", "RUNNING REBALANCING"),
        ("2.2.0..trunk", "t1 PARTITIONS_REVOKED, t2 PENDING_SHUTDOWN, t2 DEAD, t1 PARTITIONS_ASSIGNED, t1 RUNNING", "RUNNING REBALANCING RUNNING"),
        # a thread that shuts down
        ("2.2.0..3.4.1", "t1 PARTITIONS_REVOKED, t2 PENDING_SHUTDOWN, t1 PARTITIONS_ASSIGNED, t1 RUNNING", "RUNNING REBALANCING"),
        ("3.5.0..trunk", "t1 PARTITIONS_REVOKED, t2 PENDING_SHUTDOWN, t1 PARTITIONS_ASSIGNED, t1 RUNNING", "RUNNING REBALANCING RUNNING"),
        # stateShouldTransitToErrorIfAllThreadsDead
        ("0.10.2.2, 0.11.0.1..2.7.2", "t1 PENDING_SHUTDOWN, t1 DEAD, t2 PENDING_SHUTDOWN, t2 DEAD", "RUNNING ERROR"),
        ("2.8.0..trunk", "t1 PENDING_SHUTDOWN, t1 DEAD, t2 PENDING_SHUTDOWN, t2 DEAD", "RUNNING"),
        ("2.2.0..2.7.2", "t1 PARTITIONS_REVOKED, t1 PENDING_SHUTDOWN, t1 DEAD, t2 PENDING_SHUTDOWN, t2 DEAD, c PENDING_SHUTDOWN, c NOT_RUNNING", "RUNNING REBALANCING ERROR PENDING_SHUTDOWN NOT_RUNNING"),
        # cooperative rebalances need not revoke
        ("2.4.0..trunk", "t1 PARTITIONS_ASSIGNED, t1 RUNNING", "RUNNING REBALANCING RUNNING"),
        # an exception that is not handled
        ("2.8.0..trunk", "c PENDING_ERROR, c ERROR, deliver, t1 DEAD, c ERROR, t2 DEAD, c ERROR", "RUNNING PENDING_ERROR ERROR"),
        ("2.8.0..trunk", "c PENDING_SHUTDOWN, deliver, t1 DEAD, c NOT_RUNNING, t2 DEAD, c NOT_RUNNING", "RUNNING PENDING_SHUTDOWN NOT_RUNNING"),
        # only those that have reported count
        (NEVER_DEAD, "t1 PARTITIONS_REVOKED, t2 PENDING_SHUTDOWN, t1 ASSIGNING_PARTITIONS, t1 RUNNING", "RUNNING REBALANCING"),
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("release", "script", "expected"),
    FOLLOWS,
    ids=[f"{row[0]}-{place}" for place, row in enumerate(FOLLOWS)],
)
def test_the_client_follows_its_threads(release: str, script: str, expected: str) -> None:
    """The facts' rules of `client_follows_threads`, release by release."""
    play = streams(release)
    play.go(script)
    assert " ".join(play.client) == expected


@pytest.mark.parametrize(("release", "script", "expected"), list(rows(
    ("0.10.2.2, 0.11.0.1..2.7.2", "g PENDING_SHUTDOWN, g DEAD", "RUNNING ERROR"),
    ("2.8.0..trunk", "g PENDING_SHUTDOWN, g DEAD, deliver, t1 DEAD, t2 DEAD, c ERROR", "RUNNING PENDING_ERROR ERROR"),
)))  # fmt: skip
def test_the_death_of_the_global_thread_is_the_end(
    release: str, script: str, expected: str
) -> None:
    """KafkaStreamsTest.testStateGlobalThreadClose; from 2.8.0 on closing the client leads to no NOT_RUNNING any more."""
    play = streams(release, with_global=True)
    play.go(script)
    assert " ".join(play.client) == expected


@pytest.mark.parametrize("release", list(in_range("2.2.0..trunk", RELEASES)))
def test_a_topology_of_global_tables_alone_runs_from_2_5_1_on(release: str) -> None:
    """KafkaStreamsTest.shouldTransitToRunningWithGlobalOnlyTopology: no stream thread could tell the client that it runs."""
    system = application(release)
    play = Play(system, initial_system_snapshot(system, keys={"threads": []}))
    play.go("c REBALANCING, g RUNNING")
    assert play.client == [
        "CREATED",
        "REBALANCING",
        *([] if up_to(release, "2.5.0") else ["RUNNING"]),
    ]


@pytest.mark.parametrize("release", list(in_range("2.8.0..trunk", RELEASES)))
def test_up_to_3_1_2_every_close_tells_of_a_dead_global_thread(release: str) -> None:
    """The guard exists from 3.2.0 on; before, the client swallows the request with a line that looks like trouble."""
    play = streams(release, with_global=True)
    answer = play.go("c PENDING_SHUTDOWN, deliver, g DEAD")
    asked = [type(one.answer) for one in answer.steps if one.event == "to_PENDING_ERROR"]
    assert asked == ([Ignored] if up_to(release, "3.1.2") else [])


@pytest.mark.parametrize("release", list(in_range("2.6.0..4.2.2", RELEASES)))
def test_a_thread_that_reports_again_makes_a_running_client_run_again(release: str) -> None:
    """RUNNING -> RUNNING in the log of a client is no accident."""
    answer = streams(release).go("t1 RUNNING")
    assert [(one.part, type(one.answer)) for one in answer.steps] == [
        ("threads", Advanced),
        ("client", Advanced),
    ]


@pytest.mark.parametrize("release", list(in_range("2.2.0..trunk", RELEASES)))
def test_a_client_that_runs_while_a_thread_restores_is_forbidden(release: str) -> None:
    """What the rules over logs shall find: the machine of the client alone allows the step."""
    play = streams(release)
    play.go("t1 PARTITIONS_REVOKED, t1 PARTITIONS_ASSIGNED")
    answer = play.go("c RUNNING").steps[0].answer
    assert isinstance(answer, Refused)
    assert "Only threads make the client RUNNING" in answer.reason


def test_a_second_start_of_a_closed_client_raises() -> None:
    """KafkaStreamsTest.testCannotStartOnceClosed."""
    play = streams("2.3.1")
    answer = play.go("c PENDING_SHUTDOWN, deliver, t1 DEAD, t2 DEAD, c NOT_RUNNING, c REBALANCING")
    assert isinstance(answer.steps[0].answer, Raised)


# Topics


def topic(
    release: str, *, partition: str = "OnlinePartition", replica: str = "OnlineReplica"
) -> Play:
    system = deletion(release)
    parameters = {
        "topicPartitions": {"0"},
        "topicReplicas": {"1", "2"},
        "assigned": {"1": "0", "2": "0"},
    }
    return Play(
        system,
        initial_system_snapshot(
            system, parameters=parameters, states={"partitions": partition, "replicas": replica}
        ),
    )


@pytest.mark.parametrize("release", list(in_range("0.8.0..3.9.2", RELEASES)))
def test_a_topic_is_created_in_its_order(release: str) -> None:
    """Lifecycle `topic_creation`: partition New, replicas New, partition Online, replicas Online; the other way round is forbidden."""
    play = topic(release, partition="NonExistentPartition", replica="NonExistentReplica")
    assert isinstance(play.go("r1 NewReplica").steps[0].answer, Refused)
    assert isinstance(play.go("p0 NewPartition, p0 OnlinePartition").steps[0].answer, Refused)
    play.go("r1 NewReplica, r2 NewReplica, p0 OnlinePartition, r1 OnlineReplica, r2 OnlineReplica")
    assert [play.state(who) for who in ("p0", "r1", "r2")] == [
        "OnlinePartition",
        "OnlineReplica",
        "OnlineReplica",
    ]


@pytest.mark.parametrize("release", list(in_range("0.8.1..2.0.1", RELEASES)))
def test_up_to_2_0_1_the_partitions_go_last(release: str) -> None:
    """Lifecycle `topic_deletion`: both replicas go together when the second is deleted, then the partition."""
    play = topic(release)
    play.go(
        "r1 OfflineReplica, r2 OfflineReplica, r1 ReplicaDeletionStarted, r2 ReplicaDeletionStarted, r1 ReplicaDeletionSuccessful"
    )
    assert [play.state(who) for who in ("p0", "r1")] == [
        "OnlinePartition",
        "ReplicaDeletionSuccessful",
    ]
    told = [
        (one.part, one.event)
        for one in play.go("r2 ReplicaDeletionSuccessful").steps
        if isinstance(one.answer, Advanced)
    ]
    replicas = ("replicas", "to_NonExistentReplica")
    assert told[1:] == [
        replicas,
        replicas,
        ("partitions", "to_OfflinePartition"),
        ("partitions", "to_NonExistentPartition"),
    ]
    early = topic(release, partition="OfflinePartition")
    assert isinstance(early.go("p0 NonExistentPartition").steps[0].answer, Refused)


@pytest.mark.parametrize("release", list(in_range("2.1.0..3.9.2", RELEASES)))
def test_from_2_1_0_on_the_partitions_go_first(release: str) -> None:
    """The order flipped: the partition is gone while its replicas are still to be deleted."""
    play = topic(release)
    play.go("p0 OfflinePartition, p0 NonExistentPartition, r1 OfflineReplica, r2 OfflineReplica")
    play.go("r1 ReplicaDeletionStarted, r2 ReplicaDeletionStarted, r1 ReplicaDeletionSuccessful")
    assert isinstance(play.go("r1 NonExistentReplica").steps[0].answer, Refused)
    play.go("r2 ReplicaDeletionSuccessful")
    assert [play.state(who) for who in ("r1", "r2")] == ["NonExistentReplica", "NonExistentReplica"]
    late = topic(release, partition="OfflinePartition", replica="ReplicaDeletionStarted")
    assert isinstance(late.go("p0 NonExistentPartition").steps[0].answer, Refused)


@pytest.mark.parametrize("release", list(in_range("0.8.1..3.9.2", RELEASES)))
def test_a_dead_replica_halts_the_deletion(release: str) -> None:
    """Offline -> Ineligible is asked for in every release and legal from 2.3.0 on; the retry begins at Offline."""
    play = topic(release, partition="OfflinePartition", replica="OfflineReplica")
    answer = play.go("r2 ReplicaDeletionIneligible").steps[0].answer
    assert isinstance(answer, Refused if up_to(release, "2.2.2") else Advanced)
    play = topic(release, replica="OfflineReplica")
    if not up_to(release, "2.0.1"):
        play.go("p0 OfflinePartition, p0 NonExistentPartition")
    play.go(
        "r1 ReplicaDeletionStarted, r2 ReplicaDeletionStarted, r1 ReplicaDeletionSuccessful, r2 ReplicaDeletionIneligible"
    )
    assert play.state("r1") == "ReplicaDeletionSuccessful"
    assert isinstance(play.go("r1 OnlineReplica").steps[0].answer, Refused)
    play.go("r2 OfflineReplica, r2 ReplicaDeletionStarted, r2 ReplicaDeletionSuccessful")
    assert [play.state(who) for who in ("p0", "r1", "r2")] == [
        "NonExistentPartition",
        "NonExistentReplica",
        "NonExistentReplica",
    ]


# Walks

CLOSING = ["client.to_PENDING_SHUTDOWN", "client.to_PENDING_ERROR"]
ENDING = ["threads.to_PENDING_SHUTDOWN", "globalThread.to_PENDING_SHUTDOWN", "globalThread.close"]


def walks(system: SystemDefinition, seeds: int) -> Iterator[RandomWalk]:
    """Walks with and without what ends everything early, and with and without the calls that only ask for moves."""
    calls = [event for event in system_tables(system).events if ".to_" not in event]
    for seed in range(seeds):
        without = [
            *(CLOSING if seed % 3 else []),
            *(ENDING if seed % 4 else []),
            *(calls if seed % 5 else []),
        ]
        yield simulate(
            system, ExplorationScope({"Thread": 2}), seed=seed, steps=50, without=without
        )


def broken(system: SystemDefinition, seeds: int) -> set[str]:
    found = set[str]()
    for walk in walks(system, seeds):
        assert walk.wrong == ()
        found |= {one.property.name for one in walk.noticed if one.verdict is Verdict.VIOLATED}
    return found


@pytest.mark.parametrize(
    "release",
    [
        "0.10.2.0",
        "0.10.2.2",
        "0.11.0.3",
        "1.0.2",
        "2.1.1",
        "2.3.1",
        "2.5.1",
        "2.7.2",
        "3.1.2",
        "3.5.2",
        "4.3.1",
    ],
)
def test_no_walk_of_a_client_breaks_a_rule(release: str) -> None:
    """A rule that correct histories break would accuse correct logs."""
    assert broken(application(release), 8) == set()


@pytest.mark.parametrize(
    "release", ["0.8.0", "0.8.1.1", "1.0.2", "2.0.1", "2.1.1", "2.3.1", "3.9.2"]
)
def test_no_walk_of_a_topic_breaks_a_rule(release: str) -> None:
    """The same for topics."""
    assert broken(deletion(release), 8) == set()


def without(system: SystemDefinition, part: str, **fields: object) -> SystemDefinition:
    """Take away the links of a part that have these fields."""

    def goes(link: Link) -> bool:
        return link.on == part and all(
            getattr(link, name) == value for name, value in fields.items()
        )

    left = tuple(link for link in system.links if not goes(link))
    assert len(left) < len(system.links)
    return evolve(system, links=left)


@pytest.mark.parametrize(
    ("system", "part", "fields", "rule"),
    [
        (
            application("1.0.2"),
            "threads",
            {"enters": ("PARTITIONS_REVOKED",)},
            "runningMeansAllRun",
        ),
        (
            application("2.3.1"),
            "threads",
            {"enters": ("PARTITIONS_REVOKED",)},
            "runningMeansAllRun",
        ),
        (
            application("3.9.2"),
            "threads",
            {"enters": ("PARTITIONS_ASSIGNED",)},
            "runningMeansAllRun",
        ),
        (application("3.9.2"), "client", {"enters": ("RUNNING",)}, "runningIsEarned"),
        (application("3.9.2"), "client", {"enters": ("RUNNING",)}, "globalRunsFirst"),
        (application("3.9.2"), "threads", {"leaves": ("CREATED",)}, "nothingBeginsBeforeTheClient"),
        (application("2.3.1"), "client", {"enters": ("ERROR",)}, "errorMeansDead"),
        (application("3.9.2"), "client", {"enters": ("NOT_RUNNING", "ERROR")}, "closedMeansDead"),
        (
            deletion("2.0.1"),
            "partitions",
            {"enters": ("NonExistentPartition",)},
            "partitionsGoLast",
        ),
        (deletion("2.3.1"), "partitions", {"enters": ("NewPartition",)}, "comesBackClean"),
        (deletion("2.3.1"), "partitions", {"enters": ("OnlinePartition",)}, "leaderIsReplica"),
        (deletion("2.3.1"), "replicas", {"enters": ("NonExistentReplica",)}, "goesTogether"),
    ],
)
def test_each_rule_is_broken_by_a_system_that_lacks_a_link(
    system: SystemDefinition, part: str, fields: dict[str, object], rule: str
) -> None:
    """A rule that nothing can break says nothing."""
    assert rule in broken(without(system, part, **fields), 40)
