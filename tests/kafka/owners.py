"""Objects of Kafka's that hold a state, made without their constructors, and what they say of themselves in each state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from tests.kafka.jvm import method_of
from tests.kafka.shapes import declared, upwards
from tests.kafka.stubs import Stubs
from tests.kafka.tables import members_of

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes

EMPTY = {"List": "ArrayList", "Set": "HashSet", "Map": "HashMap"}


class Owner:
    """An object whose state can be set."""

    def __init__(self, classes: Classes, name: str, states: str) -> None:
        self.classes = classes
        self.kind = classes.find(name)
        self.members = members_of(classes, states)
        self.real = bare(classes, self.kind)
        held = classes.find(states)
        fields = [
            field
            for above in upwards(self.kind)
            for field in above.getDeclaredFields()
            if field.getType().equals(held)
        ]
        (self.field,) = (
            classes.opened(field)
            for field in fields
            if str(field.getName()) in ("state", "currentState")
        )

    def predicates(self, wanted: Iterable[str]) -> dict[str, frozenset[str]]:
        """Ask what it has of some predicates in each state."""
        none = self.classes.jvm.objects()
        have = {
            str(method.getName())
            for method in declared(self.kind)
            if method.getParameterCount() == 0
        }
        asked = {name: method_of(self.kind, name, 0) for name in wanted if name in have}
        held: dict[str, set[str]] = {name: set() for name in asked}
        for state, member in self.members.items():
            self.field.set(self.real, member)
            for name, method in asked.items():
                if method.invoke(self.real, none):
                    held[name].add(state)
        return {name: frozenset(states) for name, states in held.items()}

    def moves(self, method: str) -> dict[tuple[str, str], str]:
        """Ask for every pair; return for each what came of it: the state that it is in, or the name of the exception."""
        move, found = method_of(self.kind, method, 1), {}
        for (one, source), (other, target) in (
            (one, other) for one in self.members.items() for other in self.members.items()
        ):
            self.field.set(self.real, source)
            try:
                move.invoke(self.real, self.classes.jvm.objects(target))
                found[one, other] = self.classes.text(self.field.get(self.real))
            except Py4JJavaError as problem:
                found[one, other] = str(
                    problem.java_exception.getCause().getClass().getSimpleName()
                )
        return found


def bare(classes: Classes, kind: Any) -> Any:
    """Make an object without a constructor: its fields hold what does nothing, and text where there is text."""
    (make,) = (
        one
        for one in classes.find("org.objenesis.ObjenesisStd").getConstructors()
        if one.getParameterCount() == 0
    )
    made = classes.call(make.newInstance(classes.jvm.objects()), "newInstance", kind)
    for field in _fields(kind):
        value = _value(classes, field.getType())
        if value is not None:
            classes.opened(field).set(made, value)
    return made


def _fields(kind: Any) -> Iterator[Any]:
    """Yield the fields of objects, which lie in no class that the platform brings."""
    for above in upwards(kind):
        if not str(above.getName()).startswith("java."):
            yield from (
                field for field in above.getDeclaredFields() if not field.getModifiers() & 0x8
            )


def _value(classes: Classes, kind: Any) -> Any:
    name, java = str(kind.getSimpleName()), classes.jvm.gateway.jvm.java
    if name in EMPTY and str(kind.getName()).startswith("java.util."):
        return getattr(java.util, EMPTY[name])()
    if name == "String":
        return "some"
    if name == "Object":
        return java.lang.Object()
    if name == "Optional":
        return java.util.Optional.empty()
    if name == "Time":
        return next(
            (field.get(None) for field in kind.getFields() if str(field.getName()) == "SYSTEM"),
            None,
        )
    if str(kind.getName()) == "org.slf4j.Logger":
        return method_of(classes.find("org.slf4j.helpers.NOPLoggerFactory"), "getLogger", 1).invoke(
            _factory(classes), classes.jvm.objects("some")
        )
    if name == "GroupMembershipOperation":
        return next(one for one in kind.getEnumConstants() if classes.text(one) == "DEFAULT")
    return (
        Stubs.of(classes).make(str(kind.getName()), name)
        if name.endswith("MetricsManager")
        else None
    )


def _factory(classes: Classes) -> Any:
    (make,) = classes.find("org.slf4j.helpers.NOPLoggerFactory").getConstructors()
    return make.newInstance(classes.jvm.objects())
