"""Which real class judges which machine, in which releases."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from attrs import frozen

import statemachines as sm
from statemachines import Spec
from tests.kafka.jars import number, releases

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes
from tests.kafka.tables import Table, of_class

STREAMS, INTERNALS = "org.apache.kafka.streams", "org.apache.kafka.streams.processor.internals"

OWNERS = {"ConsumerGroup": "Metadata", "TransactionCoordinator": "Metadata"}
"""What the class that holds a state is called, after the name of what it is a state of."""


@frozen
class Judge:
    """A class that holds a machine's table from one release on, up to another (both told, None: no end)."""

    machine: str
    name: str
    since: str = "0.8.0"
    until: str | None = None

    def read(self, classes: Classes) -> Table:
        """Read its table in a release."""
        return of_class(classes, self.name)

    def methods_of_owner(self, classes: Classes) -> frozenset[str]:
        """Return the methods of the class that holds a state of this kind: some of the spec's predicates are asked of it."""
        owner = self.name.removesuffix("$State") if "$" in self.name else self.name.removesuffix("State") + OWNERS.get(self.machine, "")
        names = (owner, owner.removesuffix("Metadata"), owner.removeprefix("org.apache."))
        found = next((name for name in names if classes.has(name)), None)
        return frozenset(str(method.getName()) for method in classes.find(found).getDeclaredMethods()) if found else frozenset()

    def judges(self, release: str) -> bool:
        """Tell whether the class is there in a release, whatever the spec says."""
        return number(self.since) <= number(release) and (self.until is None or number(release) <= number(self.until))


JUDGES = (
    Judge("StreamThread", f"{INTERNALS}.StreamThread$State", "0.10.2.0"),
    Judge("GlobalStreamThread", f"{INTERNALS}.GlobalStreamThread$State", "0.10.2.2"),
    Judge("KafkaStreams", f"{STREAMS}.KafkaStreams$State", "0.10.2.0"),
    Judge("Task", f"{INTERNALS}.Task$State", "2.6.0"),
    Judge("TransactionManager", "org.apache.kafka.clients.producer.internals.TransactionManager$State", "0.11.0.0"),
    Judge("PartitionStateMachine", "kafka.controller.PartitionState", "0.11.0.0", "3.9.2"),
    Judge("ReplicaStateMachine", "kafka.controller.ReplicaState", "0.11.0.0", "3.9.2"),
    Judge("ConsumerGroup", "kafka.coordinator.GroupState", "0.9.0.0", "0.10.2.2"),
    Judge("ConsumerGroup", "kafka.coordinator.group.GroupState", "0.11.0.0", "4.0.2"),
    Judge("ConsumerGroup", "org.apache.kafka.coordinator.group.generic.GenericGroupState", "3.6.0", "3.6.2"),
    Judge("ConsumerGroup", "org.apache.kafka.coordinator.group.classic.ClassicGroupState", "3.7.0"),
    Judge("TransactionCoordinator", "kafka.coordinator.transaction.TransactionState", "0.11.0.0", "4.0.2"),
    Judge("TransactionCoordinator", "org.apache.kafka.coordinator.transaction.TransactionState", "4.1.0"),
)


@cache
def spec(name: str) -> Spec:
    """Load a spec of the family once."""
    return sm.load(f"kafka/{name}")


def releases_of(judge: Judge) -> tuple[str, ...]:
    """Return the releases in which there is both the class and a spec to be judged."""
    told = set(spec(judge.machine).releases)
    return tuple(release for release in releases() if release in told and judge.judges(release))
