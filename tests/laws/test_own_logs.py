"""Law: the log that an embedded machine writes in the wording of its spec is judged as the run that it was.

Covers: statemachines.api.step_logs, statemachines.semantics.machine.initial_snapshots,
statemachines.semantics.machine.machine_tables, statemachines.semantics.machine.value_enumeration,
statemachines.testing.runs.attempts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.api.step_logs import LogLine
from statemachines.model.evidence.reports import Report
from statemachines.notation import spec_names
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.testing.runs.attempts import AttemptFinder, sample_subject_parameters
from tests.effort import some_of
from tests.shipped import shipped

FIELDS = {
    "thread": "app-1-StreamThread-1",
    "client": "app-1",
    "task": "0_1",
    "controller": "1",
    "epoch": "3",
    "topic": "orders",
    "partition": "0",
    "replica": "2",
    "kind": "stream task",
    "group": "orders-group",
    "transactional_id": "orders-tx",
    "producer": "producer-1",
    "consumer": "consumer-1",
    "member": "consumer-1-f3c0",
    "connector": "orders-sink",
    "node": "2",
    "broker": "1",
    "leader": "2",
    "fetcher": "0",
    "dir": "/var/kafka",
    "brokerEpoch": "5",
}
OWN_FIELDS = {"kafka/GlobalStreamThread": {"thread": "app-1-GlobalStreamThread"}}


@cache
def spec_named(name: str) -> sm.Spec:
    """Load once."""
    return shipped(name)


def takes_arguments(name: str) -> bool:
    """Tell whether moves of a machine take any."""
    events = spec_named(name).value.events
    return any(
        event.signature is not None and event.signature.arguments and event.name.startswith("to_")
        for event in events
    )


MUTE = {
    "kafka/ConnectWorker",
    "kafka/Connector",
    "kafka/ConnectorTask",
    "kafka/FindCoordinator",
    "kafka/NetworkClient",
    "kafka/KafkaProcess",
    "kafka/LogDir",
    "kafka/AbstractCoordinator",
    "kafka/AssignedTask",
    "kafka/BrokerRegistration",
    "kafka/ConsumerGroup",
    "kafka/ConsumerGroupMember",
    "kafka/StreamsGroupMember",
    "kafka/ZkBroker",
}
"""Machines whose lines do not tell where a step comes from, and that may begin or go on without a line: their log fits several runs."""
MUTE_RELEASES = {("kafka/PartitionStateMachine", "0.8.0")}
"""Releases whose lines do not tell where a step comes from, of machines that otherwise do."""
LOGGED = [
    name
    for name in spec_names()
    if spec_named(name).value.log is not None and not takes_arguments(name)
]
"""A move's arguments are told by values in its line, which a log that is written of states alone does not have."""


def drawn_start(machine: sm.Machine) -> sm.Snapshot:
    """A beginning of a machine, with some parameters where it takes any."""
    tables = machine_tables(machine)
    parameters = sample_subject_parameters(
        AttemptFinder(tables, default_domain_sizes(tables.behaviour)), Random(7), wide=False
    )
    return initial_snapshots(machine, **parameters)[0]


@pytest.mark.parametrize("name", LOGGED)
@settings(
    max_examples=some_of(6),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    database=None,
)
@given(data=st.data())
def test_a_machines_own_log_tells_its_own_run(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Nothing is called forbidden; every step that a line tells is in the timeline, in order, where the log fits one run only."""
    machine = spec_named(name).at(data.draw(st.sampled_from(spec_named(name).releases)))
    assert machine.value.log is not None
    lines: list[LogLine] = []
    told: list[tuple[str, str]] = []

    def note(occurrence: sm.Occurrence) -> None:
        before = len(lines)
        log(occurrence)
        if len(lines) > before:
            told.append((occurrence.source, occurrence.target))

    log = machine.step_log(lines.append, **{**FIELDS, **OWN_FIELDS.get(name, {})})
    begin = evolve(drawn_start(machine), state=data.draw(st.sampled_from(machine.initial)))
    instance = machine.bind(after=[note]).instance(begin)
    asking = {
        event.name
        for event in machine.value.events
        if event.signature and event.signature.arguments
    }
    for choice in data.draw(st.lists(st.integers(0, 99), max_size=12)):
        moves = [event for event in instance.legal if event.startswith("to_")] or [
            event for event in instance.legal if event not in asking
        ]
        if moves:
            instance.send(moves[choice % len(moves)])
    report = judged(tmp_path_factory.mktemp("own") / "own.log", lines, name, machine.release)
    assert report.verdict != sm.Verdict.VIOLATED, list(report.findings)
    if name not in MUTE and (name, machine.release) not in MUTE_RELEASES:
        assert [
            (step.source, step.target) for step in report.timeline if step.how == "told"
        ] == told


def judged(path: Path, lines: list[LogLine], name: str, release: str) -> Report:
    """Write the lines and check them."""
    path.write_text(
        "".join(
            f"[2026-11-21 10:00:{place:02},000] {line.level} {line.text} ({line.logger})\n"
            for place, line in enumerate(lines)
        )
    )
    return sm.check([path], specs=[name], release=release, engine="local")
