"""The shapes of Kafka's task registries in one release: constructors, fields and methods, looked up once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from attrs import define, field

from tests.kafka.stubs import PACKAGE, Stubs

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes


@define(eq=False)
class Shape:
    """The registries of active or of standby tasks."""

    classes: Classes
    stubs: Stubs
    kind: Any
    """The class of the registries."""
    task: str
    """The class of its tasks."""
    closing: int
    """How many parameters `closeSuspended` has."""
    _counts: dict[str, list[int]] = field(factory=dict)
    _fields: dict[str, Any] = field(factory=dict)
    _known: set[str] = field(factory=set)

    @classmethod
    def of(cls, classes: Classes, stubs: Stubs, kind: str) -> Shape:
        """Look at a release; 1.0 has one class for both kinds."""
        one = classes.release.startswith("1.0.")
        active = kind == "stream"
        name = (
            "AssignedTasks" if one else "AssignedStreamsTasks" if active else "AssignedStandbyTasks"
        )
        task = f"{PACKAGE}.{'Task' if one else 'StreamTask' if active else 'StandbyTask'}"
        suspended = classes.find(f"{PACKAGE}.StreamTask")
        closing = next(
            each.getParameterCount()
            for each in declared(suspended)
            if each.getName() == "closeSuspended"
        )
        shape = cls(classes, stubs, classes.find(f"{PACKAGE}.{name}"), task, closing)
        for method in declared(shape.kind):
            shape._counts.setdefault(str(method.getName()), []).append(method.getParameterCount())
        shape._fields = {
            str(each.getName()): classes.opened(each)
            for above in upwards(shape.kind)
            for each in above.getDeclaredFields()
        }
        shape._known = {
            str(method.getName())
            for method in (*declared(classes.find(task)), *classes.find(task).getMethods())
        }
        return shape

    def make(self, words: str) -> Any:
        """Make an object of the class."""
        contexts = self.classes.find("org.apache.kafka.common.utils.LogContext").getConstructors()
        context = next(each for each in contexts if each.getParameterCount() == 1).newInstance(
            self.classes.jvm.objects("")
        )
        (constructor,) = self.kind.getDeclaredConstructors()
        given = [context, words][: constructor.getParameterCount()]
        return self.classes.opened(constructor).newInstance(self.classes.jvm.objects(*given))

    def registry(self, real: Any, name: str) -> Any:
        """Return what a field of an object holds; None where the class has no such field."""
        return self._fields[name].get(real) if name in self._fields else None

    def count(self, event: str, least: int) -> int:
        """Return how many parameters a method has: the fewest that take what is given, where there are several."""
        return min(self._counts[event], key=lambda count: (count < least, count))

    def has(self, method: str) -> bool:
        """Tell whether tasks have a method."""
        return method in self._known

    def id(self, name: str) -> Any:
        """Make a TaskId of its text."""
        numbers = [int(part) for part in name.split("_")]
        makes = self.classes.find("org.apache.kafka.streams.processor.TaskId").getConstructors()
        return next(one for one in makes if one.getParameterCount() == 2).newInstance(
            self.classes.jvm.objects(*numbers)
        )

    def partition(self, name: str) -> Any:
        """Make a TopicPartition of its text."""
        topic, number = name.rsplit("-", 1)
        (make,) = self.classes.find("org.apache.kafka.common.TopicPartition").getConstructors()
        return make.newInstance(self.classes.jvm.objects(topic, int(number)))

    def set(self, items: Iterable[Any]) -> Any:
        """Make a Java set."""
        return self._filled(self.classes.jvm.gateway.jvm.java.util.HashSet(), items)

    def list(self, items: Iterable[Any] = ()) -> Any:
        """Make a Java list."""
        return self._filled(self.classes.jvm.gateway.jvm.java.util.ArrayList(), items)

    def map(self, items: Iterable[tuple[Any, Any]]) -> Any:
        """Make a Java map of pairs; a Python one would ask the keys for their hash codes over the bridge."""
        made = self.classes.jvm.gateway.jvm.java.util.HashMap()
        for key, value in items:
            made.put(key, value)
        return made

    def _filled(self, made: Any, items: Iterable[Any]) -> Any:
        for item in items:
            made.add(item)
        return made


def upwards(kind: Any) -> Iterator[Any]:
    """Yield a class and those above it."""
    while kind is not None:
        yield kind
        kind = kind.getSuperclass()


def declared(kind: Any) -> Iterator[Any]:
    """Yield the methods that a class and those above it declare."""
    return (method for above in upwards(kind) for method in above.getDeclaredMethods())
