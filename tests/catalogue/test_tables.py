"""The specs agree with what Kafka does, pair by pair, for every machine and release."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

import pytest

from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    SpecDefinition,
    state_moves,
)
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Ignored,
    Raised,
    Refused,
    Snapshot,
)
from statemachines.notation import machine_of, resolve_release
from statemachines.semantics.machine.step import step
from tests.catalogue.facts import ENUMS, SECTIONS, Told
from tests.catalogue.tables import FILE, carried, written
from tests.shipped import shipped_machine, shipped_spec

ZOOKEEPER = ("kafka/Controller", "kafka/PartitionStateMachine", "kafka/ReplicaStateMachine")
LEFT_AGAIN = {
    ("kafka/StreamThread", "NOT_RUNNING"): "0.10.2.0..0.10.2.1",
    ("kafka/KafkaStreams", "ERROR"): "0.10.2.2, 0.11.0.1..2.7.2",
    ("kafka/Task", "CLOSED"): "2.6.0..4.3.1",
}
"""Final states that a transition leaves, and where."""


@pytest.fixture(scope="module", params=SECTIONS)
def spec(request: pytest.FixtureRequest) -> SpecDefinition:
    """One machine after the other."""
    return shipped_spec(request.param)


@pytest.fixture(scope="module")
def releases(spec: SpecDefinition) -> dict[str, tuple[MachineDefinition, Told]]:
    """Of a machine, in each release: the spec and what the facts tell."""
    return {
        name: (machine_of(spec, name), one)
        for name, one in carried(spec.name, spec.family.releases).items()
    }


def named(answer: Answer) -> str:
    """Call an answer as the facts do."""
    match answer:
        case Advanced():
            return "advance"
        case Ignored():
            return "ignore"
        case Forced():
            return "force"
        case Refused():
            return "refuse"
        case Raised():
            return f"raise {answer.error}"
        case _:
            assert_never(answer)


def test_the_carried_table_is_that_of_the_facts(shared: Path) -> None:
    """The tests below run without the facts; this one holds what they carry with them to the facts."""
    assert FILE.read_text() == written(shared)


def test_a_machine_exists_in_the_releases_of_the_facts(
    spec: SpecDefinition, releases: dict[str, tuple[MachineDefinition, Told]]
) -> None:
    """A release too many would judge logs by a machine that the release does not have."""
    assert list(spec.family.names(spec.releases)) == list(releases)


def test_every_pair_is_allowed_where_the_facts_allow_it(
    releases: dict[str, tuple[MachineDefinition, Told]],
) -> None:
    """The table, in every release, for every ordered pair of states."""
    for release, (machine, facts) in releases.items():
        assert {state.name for state in machine.states} == set(facts.states), release
        pairs = {(arrow.source, arrow.target) for arrow in machine.moves}
        assert pairs == {
            (state, target) for state in facts.states for target in facts.following[state]
        }, release


def test_predicates_hold_in_the_states_of_the_facts(
    releases: dict[str, tuple[MachineDefinition, Told]],
) -> None:
    """A predicate changed its name and its states over the years."""
    for release, (machine, facts) in releases.items():
        assert {
            each.name: tuple(sorted(each.states)) for each in machine.predicates
        } == facts.predicates, release


def test_instances_begin_where_the_facts_begin_them(
    releases: dict[str, tuple[MachineDefinition, Told]],
) -> None:
    """An initial state too many makes a restart out of a violation."""
    for release, (machine, facts) in releases.items():
        assert {state.name for state in machine.states if state.initial} == set(facts.initial), (
            release
        )


def test_final_states_are_those_that_nothing_leaves(
    spec: SpecDefinition, releases: dict[str, tuple[MachineDefinition, Told]]
) -> None:
    """And three ends that are left again, where a spec says so."""
    for release, (machine, facts) in releases.items():
        ends = {state for state in facts.states if not facts.following[state]}
        again = {
            state
            for (name, state), where in LEFT_AGAIN.items()
            if name == spec.name and _within(spec, release, where)
        }
        assert {state.name for state in machine.states if state.final} == ends | again, release


def _within(spec: SpecDefinition, release: str, ranges: str) -> bool:
    places = spec.family.index
    ends = (part.strip().partition("..") for part in ranges.split(","))
    return any(places[first] <= places[release] <= places[last or first] for first, _, last in ends)


def test_step_answers_every_request_as_the_code_does(
    releases: dict[str, tuple[MachineDefinition, Told]],
) -> None:
    """`outcome_matrix`: advanced, swallowed, refused, thrown with the right exception, or done all the same."""
    for release, (machine, facts) in releases.items():
        never = {(arrow.source, arrow.target) for arrow in machine.moves if not arrow.taken}
        for state, requests in facts.outcomes.items():
            for target, expected in requests.items():
                if expected == "advance" and (state, target) in never:
                    continue
                answer = step(machine, Snapshot(state), f"to_{target}")
                assert (release, state, target, named(answer)) == (release, state, target, expected)


def test_every_answer_leaves_the_state_that_the_facts_leave(
    releases: dict[str, tuple[MachineDefinition, Told]],
) -> None:
    """What is swallowed, refused or thrown changes nothing; what is done all the same changes the state."""
    for machine, facts in releases.values():
        for state, requests in facts.outcomes.items():
            for target in requests:
                answer = step(machine, Snapshot(state), f"to_{target}")
                moved = isinstance(answer, Advanced | Forced)
                assert answer.after.state == (target if moved else state)


def test_what_the_code_never_takes_is_marked() -> None:
    """Each such entry of the facts is in the table, and marked in exactly its releases."""
    marked = {}
    for name in SECTIONS:
        spec = shipped_spec(name)
        for arrow in state_moves(spec.transitions):
            if not arrow.taken:
                marked[name, arrow.source, arrow.target] = spec.family.ranges(arrow.releases)
    assert marked == {
        ("kafka/StreamThread", "RUNNING", "RUNNING"): "4.3.0..4.3.1",
        ("kafka/KafkaStreams", "ERROR", "ERROR"): "2.2.0",
        ("kafka/PartitionStateMachine", "NewPartition", "OfflinePartition"): "0.8.0",
        ("kafka/PartitionStateMachine", "OfflinePartition", "NonExistentPartition"): "0.8.0",
    }


@pytest.mark.parametrize("release", ["0.10.2.0", "0.10.2.1", "0.11.0.0"])
def test_the_callbacks_of_the_oldest_threads_swallow_what_a_request_forces(release: str) -> None:
    """`setStateWhenNotInPendingShutdown` is a second way in: silent in PENDING_SHUTDOWN, like `setState` elsewhere."""
    machine = shipped_machine("kafka/StreamThread", release)
    targets = {
        "onPartitionsRevoked": "PARTITIONS_REVOKED",
        "onPartitionsAssigned": "ASSIGNING_PARTITIONS",
        "onTasksCreated": "RUNNING",
    }
    for event, target in targets.items():
        assert isinstance(step(machine, Snapshot("PENDING_SHUTDOWN"), event), Ignored)
        for state in (each.name for each in machine.states if each.name != "PENDING_SHUTDOWN"):
            asked, direct = (
                step(machine, Snapshot(state), event),
                step(machine, Snapshot(state), f"to_{target}"),
            )
            assert (type(asked), asked.after) == (type(direct), direct.after)


@pytest.mark.parametrize("release", ["0.10.2.2", "0.11.0.1", "0.11.0.3"])
def test_the_oldest_global_thread_swallows_only_what_is_asked_with_the_flag(release: str) -> None:
    """RUNNING and PENDING_SHUTDOWN are asked for with `ignoreWhenShuttingDownOrDead`; DEAD is not, and throws twice."""
    machine = shipped_machine("kafka/GlobalStreamThread", release)
    for state in ("PENDING_SHUTDOWN", "DEAD"):
        assert isinstance(step(machine, Snapshot(state), "initialized"), Ignored)
        assert isinstance(step(machine, Snapshot(state), "close"), Ignored)
    assert isinstance(step(machine, Snapshot("DEAD"), "to_DEAD"), Raised)
    assert step(machine, Snapshot("CREATED"), "close").after.state == "PENDING_SHUTDOWN"


@pytest.mark.parametrize("release", ["0.11.0.1", "1.0.2", "2.1.1"])
def test_start_has_a_way_of_its_own_into_running(release: str) -> None:
    """`setRunningFromCreated` looks at no table: CREATED becomes RUNNING without a line, all else throws."""
    machine = shipped_machine("kafka/KafkaStreams", release)
    assert step(machine, Snapshot("CREATED"), "start").after.state == "RUNNING"
    assert all(
        arrow.silent
        for arrow in machine.transitions
        if (arrow.source, arrow.target) == ("CREATED", "RUNNING")
    )
    answers = [
        step(machine, Snapshot(state.name), "start")
        for state in machine.states
        if state.name != "CREATED"
    ]
    assert {named(answer) for answer in answers} == {"raise IllegalStateException"}


@pytest.mark.parametrize("name", ZOOKEEPER)
def test_the_machines_of_zookeeper_end_with_it(name: str) -> None:
    """4.0.0 has no ZooKeeper mode; a 4.x log that shows such a line is no log of 4.x."""
    spec = shipped_spec(name)
    assert spec.family.ranges(spec.releases) == "0.8.0..3.9.2"


@pytest.mark.parametrize("name", ENUMS)
def test_the_machines_of_streams_go_on_to_the_newest_release(name: str) -> None:
    """4.3.1 is the newest release of the facts."""
    spec = shipped_spec(name)
    assert spec.family.newest(spec.releases) == "4.3.1"


def test_the_order_of_releases_is_that_of_their_numbers() -> None:
    """0.10.2.2 is younger than 0.11.0.0 and stands before it; `sorted` of texts would put 0.10 before 0.8."""
    releases = shipped_spec("kafka/StreamThread").family.releases
    numbers = [tuple(int(part) for part in release.split(".")) for release in releases]
    assert numbers == sorted(numbers)
    assert releases[-1] == "4.3.1"


@pytest.mark.parametrize(
    ("banner", "release"),
    [
        ("3.3.1-ccs", "0.11.0.1"), ("4.1.3-ce", "1.1.1"), ("5.5.1-ccs", "2.5.1"), ("6.2.0-ce", "2.8.0"), ("7.3.0-ccs", "3.3.0"),
        ("7.9.1-ccs", "3.9.1"), ("8.0.0-ccs", "4.0.0"), ("5.4.0-ce", "2.4.0"), ("8.1.1-ce", "4.1.1"), ("2.4.1.7.1.7.0-551", "2.4.1"), ("2.8.0.redhat-00002", "2.8.0"),
        ("3.6.0-SNAPSHOT", "3.6.0"), ("2.6.0-cp1", "2.6.0"), ("3.3.1", "3.3.1"), ("4.0.0", "4.0.0"), ("2.3", "2.3.1"), ("3.9.7", "3.9.2"),
        ("2.8.1-amzn", "2.8.1"), ("3.5.1-amzn-2", "3.5.1"), ("2.8.2.tiered", "2.8.2"), ("2.0.0-cdh6.3.2", "2.0.0"), ("2.1.0-kafka-4.0.0", "2.1.0"),
        ("3.6.1-ccs", "3.6.1"), ("7.6.0-ccs", "3.6.0"), ("4.0.0-inkless", "4.0.0"), ("3.6.0-IBM-1", "3.6.0"),
    ],
)  # fmt: skip
def test_a_vendors_number_is_taken_as_the_release_behind_it(banner: str, release: str) -> None:
    """Confluent's 3.3.1-ccs is Kafka 0.11.0 and Kafka's 3.3.1 is itself: only the ending tells."""
    assert resolve_release(shipped_spec("kafka/StreamThread").family, banner).release == release


def test_a_vendors_number_is_said_to_be_one() -> None:
    """The vendor's build may hold what came later: all that came in the minor line fits as well, and the report says so."""
    family = shipped_spec("kafka/StreamThread").family
    found = resolve_release(family, "2.0.0-cdh6.3.2")
    assert (found.match.value, found.message) == ("alias", "2.0.0-cdh6.3.2 is taken as 2.0.0")
    assert found.releases.bit_count() > 1


@pytest.mark.parametrize("banner", ["3.3.1-custom", "8.9.0-ccs", "mapr-2.1.1.0-mapr-1911"])
def test_a_number_that_nobody_published_names_no_release(banner: str) -> None:
    """Whose number it is cannot be told: the lines of the log decide."""
    assert not resolve_release(shipped_spec("kafka/StreamThread").family, banner).is_known


def test_a_release_newer_than_the_list_names_no_release() -> None:
    """Then the lines of the log decide, and the report says so."""
    assert not resolve_release(shipped_spec("kafka/StreamThread").family, "4.4.0").is_known
