"""What Kafka's controller writes after an election, and to whom it is sent: `Election` of 2.4.0 to 3.9.2 over a real ControllerContext."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from attrs import define

from tests.kafka.elections import Scala

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes

CLASS = "kafka.controller.Election$"
NAMES = (
    "leaderForOffline",
    "leaderForReassign",
    "leaderForPreferredReplica",
    "leaderForControlledShutdown",
)
Result = tuple[tuple[int, tuple[int, ...]] | None, tuple[int, ...]]
"""Leader with in-sync replicas, where one was found; and the recipients."""


@define
class Elections:
    """The elections of one release, over a context that holds one partition."""

    classes: Classes
    scala: Scala
    module: Any
    context: Any
    partition: Any

    @classmethod
    def of(cls, classes: Classes) -> Elections:
        """Make ready to ask a release."""
        (context,) = classes.find("kafka.controller.ControllerContext").getDeclaredConstructors()
        (topic,) = classes.find("org.apache.kafka.common.TopicPartition").getConstructors()
        objects = classes.jvm.objects
        return cls(
            classes,
            Scala(classes),
            classes.module(CLASS),
            context.newInstance(objects()),
            topic.newInstance(objects("t", 0)),
        )

    def stand(
        self, assignment: tuple[int, ...], live: frozenset[int], shutting: frozenset[int]
    ) -> None:
        """Let the context hold an assignment, brokers that live and some that shut down."""
        call = self.classes.call
        assigned = call(
            self.classes.module("kafka.controller.ReplicaAssignment$"),
            "apply",
            self.scala.list(assignment),
        )
        call(self.context, "updatePartitionFullReplicaAssignment", self.partition, assigned)
        epochs = call(self.classes.module("scala.collection.mutable.Map$"), "empty")
        for broker in sorted(live):
            call(epochs, "put", broker, 1)
        self.classes.opened(self.context.getClass().getDeclaredField("liveBrokerEpochs")).set(
            self.context, epochs
        )
        leaving = call(self.context, "shuttingDownBrokerIds")
        call(leaving, "clear")
        for broker in sorted(shutting):
            call(leaving, "add", broker)

    def ask(
        self, name: str, isr: tuple[int, ...], unclean: bool, shutting: frozenset[int]
    ) -> Result:
        """Hold an election of the partition that the context holds."""
        written = self.classes.call(
            self.classes.module("kafka.api.LeaderAndIsr$"), "apply", -1, self.scala.list(isr)
        )
        if name == "leaderForOffline":
            some = self.classes.call(self.classes.module("scala.Option$"), "apply", written)
            given = [self.partition, some, unclean, self.context]
        elif name == "leaderForControlledShutdown":
            given = [self.partition, written, self.scala.set(shutting), self.context]
        else:
            given = [self.partition, written, self.context]
        return self._read(self.classes.call(self.module, name, *self._with_recovery(name, given)))

    def _with_recovery(self, name: str, given: list[Any]) -> list[Any]:
        """From 3.2.0 on an election is told whether a partition is marked as recovering."""
        counts = {
            method.getParameterCount()
            for method in self.module.getClass().getDeclaredMethods()
            if method.getName() == name
        }
        return given if len(given) in counts else [*given[:-1], True, given[-1]]

    def _read(self, result: Any) -> Result:
        call, text = self.classes.call, self.classes.text
        found = call(result, "leaderAndIsr")
        recipients = _numbers(text(call(result, "liveReplicas")))
        if text(found) == "None":
            return None, recipients
        written = call(found, "get")
        return (int(call(written, "leader")), _numbers(text(call(written, "isr")))), recipients


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))
