"""Which real class judges which machine, in which releases."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from attrs import frozen

from statemachines import Spec
from tests.kafka.jars import number, releases

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes
from tests.kafka.tables import Table, of_class
from tests.shipped import shipped

STREAMS, INTERNALS = "org.apache.kafka.streams", "org.apache.kafka.streams.processor.internals"
CONSUMER, GROUP = (
    "org.apache.kafka.clients.consumer.internals",
    "org.apache.kafka.coordinator.group",
)
PRODUCER = "org.apache.kafka.clients.producer.internals.TransactionManager"
TRANSACTION, LATER = "kafka.coordinator.transaction", "org.apache.kafka.coordinator.transaction"
MANAGERS = tuple(
    f"{CONSUMER}.{name}"
    for name in (
        "MembershipManagerImpl",
        "ConsumerMembershipManager",
        "ShareMembershipManager",
        "StreamsMembershipManager",
    )
)
"""Who moves members of the newer protocols."""


@frozen
class Judge:
    """A class that holds a machine's table from one release on, up to another (both told, None: no end)."""

    machine: str
    name: str
    since: str = "0.8.0"
    until: str | None = None
    owners: tuple[str, ...] = ()
    """The classes that hold such a state and say more of it, in the releases that have them."""

    def read(self, classes: Classes) -> Table:
        """Read its table in a release."""
        return of_class(classes, self.name)

    def judges(self, release: str) -> bool:
        """Tell whether the class is there in a release, whatever the spec says."""
        return number(self.since) <= number(release) and (
            self.until is None or number(release) <= number(self.until)
        )


JUDGES = (
    Judge(
        "StreamThread",
        f"{INTERNALS}.StreamThread$State",
        "0.10.2.0",
        owners=(f"{INTERNALS}.StreamThread",),
    ),
    Judge(
        "GlobalStreamThread",
        f"{INTERNALS}.GlobalStreamThread$State",
        "0.10.2.2",
        owners=(f"{INTERNALS}.GlobalStreamThread",),
    ),
    Judge(
        "KafkaStreams",
        f"{STREAMS}.KafkaStreams$State",
        "0.10.2.0",
        owners=(f"{STREAMS}.KafkaStreams",),
    ),
    Judge("Task", f"{INTERNALS}.Task$State", "2.6.0"),
    Judge("TransactionManager", f"{PRODUCER}$State", "0.11.0.0", owners=(PRODUCER,)),
    Judge("PartitionStateMachine", "kafka.controller.PartitionState", "0.11.0.0", "3.9.2"),
    Judge("ReplicaStateMachine", "kafka.controller.ReplicaState", "0.11.0.0", "3.9.2"),
    Judge(
        "ConsumerGroup",
        "kafka.coordinator.GroupState",
        "0.9.0.0",
        "0.10.2.2",
        ("kafka.coordinator.GroupMetadata",),
    ),
    Judge(
        "ConsumerGroup",
        "kafka.coordinator.group.GroupState",
        "0.11.0.0",
        "4.0.2",
        ("kafka.coordinator.group.GroupMetadata",),
    ),
    Judge(
        "ConsumerGroup",
        f"{GROUP}.generic.GenericGroupState",
        "3.6.0",
        "3.6.2",
        (f"{GROUP}.generic.GenericGroup",),
    ),
    Judge(
        "ConsumerGroup",
        f"{GROUP}.classic.ClassicGroupState",
        "3.7.0",
        owners=(f"{GROUP}.classic.ClassicGroup",),
    ),
    Judge("MembershipManager", f"{CONSUMER}.MemberState", "3.7.0", owners=MANAGERS),
    Judge(
        "AbstractCoordinator",
        f"{CONSUMER}.AbstractCoordinator$MemberState",
        "0.10.1.0",
        owners=(f"{CONSUMER}.ConsumerCoordinator",),
    ),
    Judge("ConsumerGroupMember", f"{GROUP}.consumer.MemberState", "3.8.0", "3.8.1"),
    Judge("ConsumerGroupMember", f"{GROUP}.modern.MemberState", "3.9.0"),
    Judge(
        "ModernConsumerGroup",
        f"{GROUP}.consumer.ConsumerGroup$ConsumerGroupState",
        "3.8.0",
        "3.8.1",
    ),
    Judge(
        "ModernConsumerGroup", f"{GROUP}.modern.consumer.ConsumerGroup$ConsumerGroupState", "3.9.0"
    ),
    Judge("ShareGroup", f"{GROUP}.modern.share.ShareGroup$ShareGroupState", "3.9.0"),
    Judge("StreamsGroup", f"{GROUP}.streams.StreamsGroup$StreamsGroupState", "4.1.0"),
    Judge(
        "CoordinatorRuntime",
        f"{GROUP}.runtime.CoordinatorRuntime$CoordinatorState",
        "3.8.0",
        "3.9.2",
    ),
    Judge(
        "CoordinatorRuntime",
        "org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime$CoordinatorState",
        "4.0.0",
    ),
    Judge("NetworkClient", "org.apache.kafka.clients.ConnectionState", "2.4.0"),
    Judge("Connector", "org.apache.kafka.connect.runtime.AbstractStatus$State", "2.8.0"),
    Judge("StreamsGroupMember", f"{GROUP}.streams.MemberState", "4.1.0"),
    Judge(
        "TransactionCoordinator",
        f"{TRANSACTION}.TransactionState",
        "0.11.0.0",
        "4.0.2",
        (f"{TRANSACTION}.TransactionMetadata",),
    ),
    Judge("BrokerLifecycle", "org.apache.kafka.metadata.BrokerState", "3.2.0"),
    Judge(
        "BrokerRegistration", "org.apache.kafka.controller.metrics.BrokerRegistrationState", "4.1.0"
    ),
    Judge(
        "TransactionCoordinator",
        f"{LATER}.TransactionState",
        "4.1.0",
        owners=(f"{TRANSACTION}.TransactionMetadata", f"{LATER}.TransactionMetadata"),
    ),
)


@cache
def spec(name: str) -> Spec:
    """Load a spec of the family once."""
    return shipped(f"kafka/{name}")


def releases_of(judge: Judge) -> tuple[str, ...]:
    """Return the releases in which there is both the class and a spec to be judged."""
    told = set(spec(judge.machine).releases)
    return tuple(release for release in releases() if release in told and judge.judges(release))
