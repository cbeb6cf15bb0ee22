"""Kafka's own elections, as Python functions of lists and sets of broker numbers."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from tests.kafka.jars import jars_of, number, releases

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes

CLASS = "kafka.controller.PartitionLeaderElectionAlgorithms"


def releases_with_algorithms() -> tuple[str, ...]:
    """Return the releases that have the class, as Kafka's sources tell it: 1.1.0 to the last one with ZooKeeper."""
    return tuple(release for release in releases() if (1, 1) <= number(release) < (4,))


def alike(told: Iterable[str], *prefixes: str, artifact: str = "kafka_") -> list[tuple[str, ...]]:
    """Put releases together whose class files, those of a jar with names that begin so, are the same bytes."""
    groups = dict[str, list[str]]()
    for release in told:
        broker = next(jar.path for jar in jars_of(release) if jar.artifact.startswith(artifact))
        with zipfile.ZipFile(broker) as jar:
            names = sorted(
                name
                for name in jar.namelist()
                if name.startswith(tuple(prefix.replace(".", "/") for prefix in prefixes))
            )
            groups.setdefault(
                hashlib.sha256(b"".join(jar.read(name) for name in names)).hexdigest(), []
            ).append(release)
    return [tuple(group) for group in groups.values()]


@define
class Scala:
    """Scala's collections of numbers, made once each."""

    classes: Classes
    _made: dict[tuple[int, ...] | frozenset[int], Any] = field(factory=dict)

    def list(self, items: Sequence[int]) -> Any:
        """Make a `List[Int]`."""
        key = tuple(items)
        if key not in self._made:
            empty = self.classes.module("scala.collection.immutable.Nil$")
            self._made[key] = (
                self.classes.call(self.list(key[1:]), "$colon$colon", key[0]) if key else empty
            )
        return self._made[key]

    def set(self, items: Iterable[int]) -> Any:
        """Make an immutable `Set[Int]`."""
        key = frozenset(items)
        if key not in self._made:
            self._made[key] = self.classes.call(self.list(sorted(key)), "toSet")
        return self._made[key]


def number_in(classes: Classes, option: Any) -> int | None:
    """Read an `Option[Int]`."""
    text = classes.text(option)
    return None if text == "None" else int(text.removeprefix("Some(").removesuffix(")"))


@define
class Algorithms:
    """The four algorithms of one release."""

    classes: Classes
    scala: Scala
    context: Any
    """A real ControllerContext; its rate of unclean elections is marked."""
    module: Any
    _methods: dict[str, Any] = field(factory=dict)

    @classmethod
    def of(cls, classes: Classes) -> Algorithms:
        """Make ready to ask a release."""
        (context,) = classes.find("kafka.controller.ControllerContext").getDeclaredConstructors()
        return cls(
            classes,
            Scala(classes),
            context.newInstance(classes.jvm.objects()),
            classes.module(f"{CLASS}$"),
        )

    def ask(self, name: str, arguments: dict[str, Any]) -> int | None:
        """Call an algorithm with the spec's arguments, whose order is Kafka's; where it takes one more, that is the context."""
        given = [self._given(value) for value in arguments.values()]
        if name not in self._methods:
            self._methods[name] = self.classes.method_named(self.module, name)
        method = self._methods[name]
        given += (
            [self.context] * (len(method.getParameterTypes()) - len(given))
            if name.startswith("offline")
            else []
        )
        return number_in(self.classes, method.invoke(self.module, self.classes.jvm.objects(*given)))

    def _given(self, value: Any) -> Any:
        if isinstance(value, bool):
            return value
        return self.scala.list(value) if isinstance(value, tuple) else self.scala.set(value)
