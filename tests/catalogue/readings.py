"""What the shipped catalogue reads of one message in one release."""

from __future__ import annotations

import re
from functools import cache

from attrs import frozen

from statemachines.model.definitions.log_definitions import LineDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.notation import machine_of
from tests.shipped import shipped_spec

STATES = {
    "kafka/StreamThread": {
        "from": "PARTITIONS_REVOKED",
        "to": "PENDING_SHUTDOWN",
        "state": "RUNNING",
    },
    "kafka/KafkaStreams": {"from": "REBALANCING", "to": "RUNNING", "state": "PENDING_SHUTDOWN"},
    "kafka/GlobalStreamThread": {"from": "CREATED", "to": "DEAD", "state": "RUNNING"},
    "kafka/Task": {"from": "CREATED", "to": "SUSPENDED", "state": "CLOSED"},
    "kafka/PartitionStateMachine": {"from": "OnlinePartition", "to": "OfflinePartition"},
    "kafka/ReplicaStateMachine": {"from": "OnlineReplica", "to": "OfflineReplica"},
    "kafka/Controller": {},
    "kafka/ZkBroker": {},
    "kafka/ConsumerGroup": {"state": "Stable"},
    "kafka/TransactionManager": {"from": "READY", "to": "FATAL_ERROR"},
    "kafka/TransactionCoordinator": {"from": "Empty", "to": "Ongoing"},
}
"""States that every release has, to write messages with."""
MACHINES = tuple(STATES)


@frozen
class Reading:
    """One entry of the catalogue that reads a message."""

    machine: str
    line: LineDefinition
    values: dict[str, str]

    @property
    def says(self) -> str:
        """What it tells, such as `step` or `refused, failed`."""
        return ", ".join(self.line.kinds)


@cache
def spec_of(name: str) -> SpecDefinition:
    """Load a machine once."""
    return shipped_spec(name)


@cache
def wordings(name: str, release: str) -> tuple[tuple[LineDefinition, str, re.Pattern[str]], ...]:
    """The entries of a machine in a release: each with a literal to look for first, and its pattern."""
    spec = spec_of(name)
    if not spec.family.bit(release) & spec.releases:
        return ()
    log = machine_of(spec, release).log
    assert log is not None
    return tuple(
        (line, template.literal, re.compile(template.pattern))
        for line in log.lines
        for template in line.templates
    )


def has_below(line: LineDefinition, below: list[str]) -> bool:
    """Tell whether the lines of a message below its first are those that an entry needs."""
    return all(
        any(re.fullmatch(template.pattern, text.strip()) for text in below)
        for template in line.following_lines
    )


def readings(message: str, release: str, machines: tuple[str, ...] = MACHINES) -> list[Reading]:
    """Return every entry that reads a message in a release, by the first of its wordings that does.

    An entry that needs lines below the first reads the messages that have them, and counts there for one that needs fewer.
    """
    first, *below = (text.rstrip() for text in message.split("\n"))
    found: dict[tuple[str, int], Reading] = {}
    for name in machines:
        for line, literal, pattern in wordings(name, release):
            match = pattern.match(first) if literal in first else None
            if match and has_below(line, below):
                found.setdefault((name, line.index), Reading(name, line, match.groupdict()))
    most = dict.fromkeys(machines, 0)
    for one in found.values():
        most[one.machine] = max(most[one.machine], len(one.line.following_lines))
    return [one for one in found.values() if len(one.line.following_lines) == most[one.machine]]
