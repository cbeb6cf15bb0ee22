"""Every property of the batches of partitions and replicas is broken by some mistake in their specs: an edited text, and exploring notices."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.walks.random_walks import simulate
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.evaluation.value_acceptance import accept_value
from tests.catalogue.planting import planted
from tests.shipped import shipped

PARTITIONS, REPLICAS = "kafka/ZkPartitionStateMachine", "kafka/ZkReplicaStateMachine"
RELEASES = ("1.1.0", "2.0.1", "2.1.1", "2.3.1", "2.4.1", "3.9.2")
ONE, TWO, LEFT, RIGHT = "TopicPartition1", "TopicPartition2", "Broker1", "Broker2"
MUTANTS = [
    (PARTITIONS, "onlyWhileElecting", "2.8.2", "          remaining: again\n          elected: set(written)\n", "          elected: set(written)\n"),
    (PARTITIONS, "remainingAreElected", "2.8.2", "          electing: toElect\n", ""),
    (PARTITIONS, "leaderIsInSync", "2.8.2", "LeaderAndIsr(onlineReplicas(p)[0], onlineReplicas(p)), 0", "LeaderAndIsr(onlineReplicas(p)[0], onlineReplicas(p)[1:]), 0"),
    (PARTITIONS, "onlineHasALeader", "2.8.2", "          partitionLeadershipInfo: partitionLeadershipInfo | initialized | written\n", ""),
    (PARTITIONS, "requestsAreOfThisEpoch", "2.8.2", "      leaderAndIsrRequestMap: {}\n      shuttingDown", "      shuttingDown"),
    (PARTITIONS, "onlyNewOnesAreNew", "2.8.2", "getLogConfigs), False) doElect", "getLogConfigs), True)\n  doElect"),
    (PARTITIONS, "offlineCounted", "2.8.2", "offlinePartitionCount + countedOffline(valid, targetState)", "offlinePartitionCount + len(valid)"),
    (PARTITIONS, "onlyLegalMoves", "2.8.2", "known | {p: targetState for p in valid}", "known | {p: targetState for p in partitions}"),
    (PARTITIONS, "leaderEpochGrows", "2.8.2", "z.leaderEpoch + 1, epoch)", "0, epoch)"),
    (PARTITIONS, "onlyWrittenIsCached", "2.8.2", "          topicPartitionStates: topicPartitionStates | initialized | written\n          partitionLeadershipInfo: partitionLeadershipInfo | initialized | written\n          partitionStates: \"rein", "          topicPartitionStates: topicPartitionStates | initialized\n          partitionLeadershipInfo: partitionLeadershipInfo | initialized | written\n          partitionStates: \"rein"),
    (REPLICAS, "leaderIsInSync", "2.8.2", "None if z.leaderAndIsr.leader == replicaId else z.leaderAndIsr.leader", "z.leaderAndIsr.leader"),
    (REPLICAS, "somebodyIsInSync", "2.8.2", "z.leaderAndIsr.isr if len(z.leaderAndIsr.isr) == 1 else [b for", "[b for"),
    (REPLICAS, "onlyLegalMoves", "2.8.2", "      valid: validOf(replicaId, partitions, targetState)\n", "      valid: partitions\n"),
    (REPLICAS, "leaderEpochGrows", "2.8.2", "z.leaderEpoch + 1, epoch)", "0, epoch)"),
]  # fmt: skip
"""A machine; a property; the release that shows it; a text of the spec, and what stands there in the mutant."""


def begin(machine: sm.Machine) -> Snapshot:
    """Return a controller of two brokers and two partitions, one with a leader and one new."""
    made = machine.start(controllerId=LEFT)
    node = ((LEFT, (LEFT, RIGHT)), 1, 1)
    held = {
        "liveBrokers": {LEFT, RIGHT},
        "partitionReplicaAssignment": {ONE: (LEFT, RIGHT), TWO: (RIGHT, LEFT)},
        "partitionStates": {ONE: "OnlinePartition", TWO: "NewPartition"},
        "replicaStates": {
            (each, broker): "OnlineReplica" for each in (ONE, TWO) for broker in (LEFT, RIGHT)
        },
        "topicPartitionStates": {ONE: node},
        "partitionLeadershipInfo": {ONE: node},
    }
    data = machine.value.data
    given = {
        name: accept_value(data.variable(name).type, value)
        for name, value in held.items()
        if name in made.variables
    }
    return Snapshot(made.state, FrozenMap({**made.variables, **given}), made.parameters)


BATCHES = {
    PARTITIONS: {
        "handleStateChanges",
        "doElectLeaderForPartitions",
        "onControllerFailover",
        "initializePartitionState",
        "alterIsr",
    },
    REPLICAS: {
        "handleStateChanges",
        "newBatch",
        "doHandleStateChanges",
        "sendRequestsToBrokers",
        "elected",
    },
}
"""Machine to the events that are explored: batches, and what ZooKeeper gets from others."""


def explored(machine: sm.Machine, name: str) -> Exploration:
    """Explore what batches may follow from that controller on."""
    model = build_machine_model(
        machine.value, scope_from_texts(machine.value, ["TopicPartition=2, Broker=2, int=0..2"])
    )
    model.initial_rows = (model.kinds[0].row(begin(machine)),)
    model.events = tuple(each for each in model.events if each.memo.event in BATCHES[name])
    return explore_model(
        model, ExplorationOptions(limits=Limits(most_states=2_000), engine="rows")
    )[0]


def said(found: Exploration, verdict: Verdict) -> set[str]:
    """Return the properties of which an exploration says so."""
    return {
        each.property.name for each in found.examined if each.property and each.verdict is verdict
    }


def spoiled(name: str, text: str, instead: str, folder: Path) -> sm.Spec:
    """Return a spec of the catalogue with a text changed."""
    file = folder / f"{name.split('/')[-1]}.yaml"
    file.write_text(planted(name, text, instead), "utf-8")
    return sm.load(file)


@pytest.mark.parametrize("name", [PARTITIONS, REPLICAS])
@pytest.mark.parametrize("release", RELEASES)
def test_no_walk_breaks_a_property(name: str, release: str) -> None:
    """Whatever ZooKeeper answers; and no step of a walk is outside the types."""
    machine = shipped(name).at(release)
    for seed in range(6):
        walk = simulate(
            machine.value,
            seed=seed,
            steps=150,
            scope=ExplorationScope({"TopicPartition": 2, "Broker": 2}),
            begin=begin(machine),
        )
        assert [one.property.name for one in walk.noticed if one.verdict is Verdict.VIOLATED] == []
        assert walk.wrong == ()


@pytest.mark.long
@pytest.mark.parametrize(
    ("machine", "name", "release", "text", "instead"),
    MUTANTS,
    ids=[f"{row[0][8:]}-{row[1]}" for row in MUTANTS],
)
def test_a_mistake_in_the_spec_breaks_the_property(
    machine: str, name: str, release: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing."""
    assert name in said(
        explored(spoiled(machine, text, instead, tmp_path).at(release), machine), Verdict.VIOLATED
    )


@pytest.mark.parametrize("name", [PARTITIONS, REPLICAS])
def test_every_property_has_a_mutant_or_a_witness(name: str) -> None:
    """One that is forgotten would go unnoticed."""
    machine = shipped(name).at("2.8.2")
    claimed = {
        one.name
        for one in machine.value.data.properties
        if one.kind.value in ("always", "each step")
    }
    assert claimed == {row[1] for row in MUTANTS if row[0] == name}
    found = explored(machine, name)
    assert said(found, Verdict.VIOLATED) == set()
    assert {
        one.name for one in machine.value.data.properties if one.kind.value == "sometimes"
    } <= said(found, Verdict.HOLDS)
