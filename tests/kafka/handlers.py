"""The controller's state machines up to 0.10.2.2, whose tables are written into `handleStateChange`: asked for every pair.

The method swallows what goes wrong and logs it with the exception: one of them says that the step is none of the table; anything else that is
missing here (brokers, ZooKeeper, selectors of leaders) is met only after the table was looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tests.kafka.owners import bare
from tests.kafka.shapes import declared, upwards

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes

PACKAGE = "kafka.controller"
LOGGER = "state.change.logger"
REFUSED = " states before moving to "
"""Of the message of an AssertionError, of an IllegalStateException in later releases."""


class Handler:
    """A machine of one partition, or of one replica of it."""

    def __init__(self, classes: Classes, kind: str) -> None:
        """Make a started machine of a controller that knows one partition; `kind` is Partition or Replica."""
        self.classes, self.kind, self.java = classes, kind, classes.jvm.gateway.jvm.java
        self.partition = self._make("kafka.common.TopicAndPartition", "t", 0)
        self.key = self.partition if kind == "Partition" else self._replica()
        self.known = self._map()
        classes.call(
            self.known,
            "put",
            self.partition,
            classes.call(classes.module("scala.collection.immutable.Nil$"), "$colon$colon", 1),
        )
        self.states = self._map()
        context, controller = (
            bare(classes, classes.find(f"{PACKAGE}.{name}"))
            for name in ("ControllerContext", "KafkaController")
        )
        self.real = bare(classes, classes.find(f"{PACKAGE}.{kind}StateMachine"))
        self._set(
            context, partitionReplicaAssignment=self.known, partitionLeadershipInfo=self._map()
        )
        self._set(controller, controllerContext=context)
        started = self.java.util.concurrent.atomic.AtomicBoolean(True)
        machine = {
            f"{kind.lower()}State": self.states,
            "controllerContext": context,
            "controller": controller,
            "hasStarted": started,
        }
        self._set(self.real, **machine, stateChangeLogger=self._logger())
        self.method = next(
            each
            for each in declared(self.real.getClass())
            if str(each.getName()).endswith("handleStateChange")
        )
        self.said = self._listen()

    def moves(self, names: Iterable[str]) -> set[tuple[str, str]]:
        """Return the pairs of states that the machine does not refuse."""
        members = {name: self.classes.module(f"{PACKAGE}.{name}$") for name in names}
        return {
            (one, other)
            for one in members
            for other in members
            if self._allows(members[one], members[other])
        }

    def _allows(self, source: Any, target: Any) -> bool:
        self.classes.call(self.states, "put", self.key, source)
        self.said.getBuffer().setLength(0)
        self.classes.opened(self.method).invoke(
            self.real, self.classes.jvm.objects(*self._arguments(target))
        )
        text = str(self.said.toString())
        assert "failed" in text or self.classes.text(
            self.classes.call(self.states, "get", self.key)
        ) in (
            f"Some({self.classes.text(target)})",
            "None",
        )
        return REFUSED not in text

    def _arguments(self, target: Any) -> list[Any]:
        given, numbers = [], iter((0, 1))
        for kind in self.method.getParameterTypes():
            name = str(kind.getSimpleName())
            plain = {"String": "t", f"{self.kind}State": target, "PartitionAndReplica": self.key}
            given.append(next(numbers) if name == "int" else plain.get(name))
        return given

    def _replica(self) -> Any:
        """0.8.0 has three values in place of a PartitionAndReplica."""
        text = [
            str(kind)
            for each in declared(self.classes.find(f"{PACKAGE}.ReplicaStateMachine"))
            for kind in each.getParameterTypes()
        ]
        if any("PartitionAndReplica" in kind for kind in text) and self.classes.release != "0.8.0":
            return self._make(f"{PACKAGE}.PartitionAndReplica", "t", 0, 1)
        return self._make("scala.Tuple3", "t", 0, 1)

    def _make(self, name: str, *arguments: Any) -> Any:
        made = next(
            one
            for one in self.classes.find(name).getConstructors()
            if one.getParameterCount() == len(arguments)
        )
        return made.newInstance(self.classes.jvm.objects(*arguments))

    def _map(self) -> Any:
        return self.classes.call(self.classes.module("scala.collection.mutable.Map$"), "empty")

    def _set(self, real: Any, **values: Any) -> None:
        """Set fields; the compiler puts the name of the class before those that others use."""
        for above in upwards(real.getClass()):
            for field in above.getDeclaredFields():
                name = str(field.getName()).rpartition("$$")[2]
                if name in values:
                    self.classes.opened(field).set(real, values[name])

    def _log4j(self) -> Any:
        kinds = self.classes.jvm.array(
            self.java.lang.Class, [self.java.lang.Class.forName("java.lang.String")]
        )
        found = self.classes.find("org.apache.log4j.Logger").getMethod("getLogger", kinds)
        return found.invoke(None, self.classes.jvm.objects(LOGGER))

    def _logger(self) -> Any:
        """Return what the machines write with: log4j's own up to 0.8.1.1, a wrapper of Kafka's later."""
        if self.classes.has(f"{PACKAGE}.KafkaController$StateChangeLogger"):
            return self._make(f"{PACKAGE}.KafkaController$StateChangeLogger", LOGGER)
        return self._log4j()

    def _listen(self) -> Any:
        """Return a writer that receives what is logged."""
        writer, layout = self.java.io.StringWriter(), self._make("org.apache.log4j.SimpleLayout")
        appender = self._make("org.apache.log4j.WriterAppender")
        self.classes.call(appender, "setLayout", layout)
        self.classes.method_named(appender, "setWriter").invoke(
            appender, self.classes.jvm.objects(writer)
        )
        self.classes.call(self._log4j(), "addAppender", appender)
        return writer
