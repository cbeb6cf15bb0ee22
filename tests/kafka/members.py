"""Kafka's CurrentAssignmentBuilder and the members that it makes, as a subject that `from_machine` drives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from tests.kafka.jvm import method_of
from tests.kafka.stubs import Stubs

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes

GROUP = "org.apache.kafka.coordinator.group"
OWNED = "org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData$TopicPartitions"
IMAGE = "org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage"
UNRELEASED = 7
"""An epoch in which somebody holds a partition; -1 would be nobody."""


class FencedMemberEpochException(Exception):
    """Kafka's of this name."""


class Builders:
    """The classes of one release, looked up once, and what they need made of Python's values."""

    def __init__(self, classes: Classes) -> None:
        self.classes, self.java = classes, classes.jvm.gateway.jvm.java
        old = classes.has(f"{GROUP}.consumer.CurrentAssignmentBuilder")
        consumer, above = (
            (f"{GROUP}.consumer",) * 2 if old else (f"{GROUP}.modern.consumer", f"{GROUP}.modern")
        )
        self.member = classes.find(f"{consumer}.ConsumerGroupMember")
        self.builder = classes.find(f"{consumer}.ConsumerGroupMember$Builder")
        self.assigner = classes.find(f"{consumer}.CurrentAssignmentBuilder")
        self.assignment = classes.find(f"{above}.Assignment")
        self.state = classes.find(f"{above}.MemberState")
        self.stubs = Stubs.of(classes)
        self.topics: dict[object, Any] = {}
        self.named: dict[str, object] = {}

    def fresh(self, state: str) -> Any:
        """Make a member that has nothing yet."""
        builder = self.made(self.builder, "member")
        self.classes.call(builder, "setState", self.state.getField(state).get(None))
        return self.classes.call(builder, "build")

    def subscribed(self, member: Any, topics: Iterable[object]) -> Any:
        """Make a member that asks for other topics."""
        builder = self.made(self.builder, member)
        self.classes.call(
            builder, "setSubscribedTopicNames", self.several(f"topic {topic}" for topic in topics)
        )
        return self.classes.call(builder, "build")

    def made(self, kind: Any, *arguments: Any) -> Any:
        """Make an object by the constructor that takes these arguments."""
        for one in kind.getDeclaredConstructors():
            kinds = one.getParameterTypes()
            if len(kinds) == len(arguments) and all(
                _takes(kind, given) for kind, given in zip(kinds, arguments, strict=True)
            ):
                return self.classes.opened(one).newInstance(self.classes.jvm.objects(*arguments))
        raise LookupError(f"no constructor of {kind.getName()} takes these")

    def topic(self, name: object) -> Any:
        """Return the id of a topic."""
        if name not in self.topics:
            (make,) = (
                one
                for one in self.classes.find("org.apache.kafka.common.Uuid").getConstructors()
                if one.getParameterCount() == 2
            )
            self.topics[name] = make.newInstance(self.classes.jvm.objects(7, len(self.topics) + 1))
            self.named[self.classes.text(self.topics[name])] = name
        return self.topics[name]

    def several(self, items: Iterable[Any]) -> Any:
        """Make a Java list."""
        made = self.java.util.ArrayList()
        for item in items:
            made.add(item)
        return made

    def by_topic(self, partitions: Iterable[Any]) -> dict[object, list[int]]:
        """Sort partitions by their topics."""
        found: dict[object, list[int]] = {}
        for one in sorted(partitions, key=str):
            found.setdefault(one.topic, []).append(one.number)
        return found

    def target(self, partitions: Iterable[Any]) -> Any:
        """Make the Assignment of a member."""
        made = self.java.util.HashMap()
        for topic, numbers in self.by_topic(partitions).items():
            made.put(self.topic(topic), self.java.util.HashSet(self.several(numbers)))
        return self.made(self.assignment, made)

    def owned(self, partitions: Iterable[Any]) -> Any:
        """Make what a heartbeat says that the member owns."""
        made = []
        for topic, numbers in self.by_topic(partitions).items():
            one = (
                self.classes.find(OWNED)
                .getConstructor(self.classes.jvm.array(self.java.lang.Class, []))
                .newInstance(self.classes.jvm.objects())
            )
            self.classes.call(one, "setTopicId", self.topic(topic))
            self.classes.call(one, "setPartitions", self.several(numbers))
            made.append(one)
        return self.several(made)

    def epochs(self, released: Iterable[Any], partitions: Iterable[tuple[object, int]]) -> Any:
        """Stub the function that says in which epoch a partition is held."""
        stub, free = (
            self.stubs.make("java.util.function.BiFunction", "epochs"),
            {(one.topic, one.number) for one in released},
        )
        for topic, number in partitions:
            self.stubs.answer(
                stub,
                "apply",
                (self.topic(topic), number),
                -1 if (topic, number) in free else UNRELEASED,
            )
        return stub

    def image(self, topics: Iterable[object]) -> Any:
        """Stub the cluster's metadata, which knows the names of topics."""
        stub = self.stubs.make(IMAGE, "image")
        kinds = self.classes.jvm.array(
            self.java.lang.Class, [self.classes.find("org.apache.kafka.common.Uuid")]
        )
        ask = self.classes.opened(stub.getClass().getMethod("topicMetadata", kinds))
        for topic in topics:
            named = self.stubs.make(f"{IMAGE}$TopicMetadata", "topic")
            self.stubs.answer(named, "name", (), f"topic {topic}")
            told = self.stubs._returning(self.java.util.Optional.of(named))
            ask.invoke(
                self.stubs.when.invoke(told, self.classes.jvm.objects(stub)),
                self.classes.jvm.objects(self.topic(topic)),
            )
        return stub


def _takes(kind: Any, given: Any) -> bool:
    return (
        kind.getSimpleName() == "String" if isinstance(given, str) else bool(kind.isInstance(given))
    )


class Member:
    """One member of Kafka's; the event is a heartbeat of it."""

    def __init__(self, builders: Builders, parameters: Mapping[str, Any]) -> None:
        self.builders = builders
        self.real = builders.fresh(parameters["begins"])
        self.partitions: set[tuple[object, int]] = set()
        self.seen: tuple[Any, ...] | None = None

    def perform(self, event: str, arguments: Mapping[str, Any]) -> None:
        """Let Kafka compute what the member is to have."""
        assert event == "build"
        self.seen, builders, call = None, self.builders, self.builders.classes.call
        self.partitions |= {
            (one.topic, one.number) for one in (*arguments["target"], *arguments["released"])
        }
        if "subscribed" in arguments:
            self.real = builders.subscribed(self.real, arguments["subscribed"])
        assigner = builders.made(builders.assigner, self.real)
        call(
            assigner,
            "withTargetAssignment",
            arguments["targetEpoch"],
            builders.target(arguments["target"]),
        )
        call(
            assigner,
            "withCurrentPartitionEpoch",
            builders.epochs(arguments["released"], self.partitions),
        )
        call(
            assigner,
            "withOwnedTopicPartitions",
            None if arguments["owned"] is None else builders.owned(arguments["owned"]),
        )
        if "subscribed" in arguments:
            call(assigner, "withHasSubscriptionChanged", arguments["hasSubscriptionChanged"])
            call(assigner, "withMetadataImage", builders.image(builders.topics))
        try:
            self.real = method_of(builders.assigner, "build", 0).invoke(
                assigner, builders.classes.jvm.objects()
            )
        except Py4JJavaError as problem:
            if (
                problem.java_exception.getCause().getClass().getSimpleName()
                == "FencedMemberEpochException"
            ):
                raise FencedMemberEpochException from None
            raise

    def __getattr__(self, name: str) -> object:
        """Show a variable."""
        places = ("memberState", "memberEpoch", "assignedPartitions", "partitionsPendingRevocation")
        if name not in places:
            raise AttributeError(name)
        if self.seen is None:
            self.seen = self._read()
        return self.seen[places.index(name)]

    def _read(self) -> tuple[Any, ...]:
        call = self.builders.classes.call
        parts = [
            self._partitions(call(self.real, name))
            for name in ("assignedPartitions", "partitionsPendingRevocation")
        ]
        return (
            self.builders.classes.text(call(self.real, "state")),
            call(self.real, "memberEpoch"),
            *parts,
        )

    def _partitions(self, real: Any) -> frozenset[tuple[object, int]]:
        """Read a map from topics to their partitions, or to these and their epochs."""
        found = re.findall(r"([\w-]{22})=([\[{])([^\]}]*)", self.builders.classes.text(real))
        return frozenset(
            (self.builders.named[topic], int(number))
            for topic, opened, inside in found
            for number in re.findall(r"(\d+)=" if opened == "{" else r"\d+", inside)
        )
