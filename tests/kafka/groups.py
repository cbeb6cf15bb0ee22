"""Kafka's GroupMetadata with members in it, as a subject that `from_machine` drives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from tests.kafka.shapes import upwards
from tests.kafka.stubs import Stubs

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes

PACKAGE = "kafka.coordinator.group"
PROTOCOL_TYPE = "connect"
"""Of consumers the topics would be read from what a member brings."""


class IllegalStateException(Exception):
    """Java's of this name."""


class IllegalArgumentException(Exception):
    """Java's of this name."""


RAISED = {kind.__name__: kind for kind in (IllegalStateException, IllegalArgumentException)}


class Group:
    """One group; its calls have the names of the spec's events, its variables those of the spec's."""

    def __init__(self, classes: Classes) -> None:
        self.classes, self.call = classes, classes.call
        (make,) = classes.find(f"{PACKAGE}.GroupMetadata").getConstructors()
        time = classes.find("org.apache.kafka.common.utils.Time").getField("SYSTEM").get(None)
        self.real = make.newInstance(classes.jvm.objects("group", self._state("Empty"), time))
        fields = {
            str(field.getName()): field
            for above in upwards(self.real.getClass())
            for field in above.getDeclaredFields()
        }
        self.fields = {
            name: classes.opened(fields[name])
            for name in ("members", "pendingMembers", "pendingSyncMembers")
        }
        self.callback = Stubs.of(classes).make("scala.Function1", "callback")
        self.none = classes.module("scala.None$")

    def perform(self, event: str, arguments: Mapping[str, Any]) -> Any:
        """Call a method of the group."""
        try:
            return getattr(self, f"_{event}", self._plain(event))(**arguments)
        except Py4JJavaError as problem:
            name = str(problem.java_exception.getCause().getClass().getSimpleName())
            raise RAISED[name] from None

    def _plain(self, event: str) -> Any:
        return lambda **arguments: self.call(self.real, event, *arguments.values())

    def _add(self, memberId: str, protocols: Iterable[str], awaitsJoin: bool) -> None:
        kind = self.classes.find(f"{PACKAGE}.MemberMetadata")
        make = max(kind.getConstructors(), key=lambda one: one.getParameterCount())
        empty = self.classes.jvm.gateway.new_array(self.classes.jvm.gateway.jvm.byte, 0)
        given = (
            memberId,
            self.none,
            "client",
            "host",
            1,
            1,
            PROTOCOL_TYPE,
            self._protocols(protocols),
            empty,
        )
        member = make.newInstance(self.classes.jvm.objects(*given))
        self.call(self.real, "add", member, self.callback if awaitsJoin else None)

    def _updateMember(self, memberId: str, protocols: Iterable[str], awaitsJoin: bool) -> None:
        member = self.call(self.real, "get", memberId)
        method = self.classes.method_named(self.real, "updateMember")
        timeouts = (1, 1)[: method.getParameterCount() - 3]
        given = (
            member,
            self._protocols(protocols),
            *timeouts,
            self.callback if awaitsJoin else None,
        )
        method.invoke(self.real, self.classes.jvm.objects(*given))

    def _transitionTo(self, target: str) -> None:
        self.call(self.real, "transitionTo", self._state(target))

    def _state(self, name: str) -> Any:
        return self.classes.module(f"{PACKAGE}.{name}$")

    def _protocols(self, names: Iterable[str]) -> Any:
        """Make a Scala list of names with nothing beside them."""
        made = self.classes.module("scala.collection.immutable.Nil$")
        pair = next(
            one
            for one in self.classes.find("scala.Tuple2").getConstructors()
            if one.getParameterCount() == 2
        )
        for name in reversed(list(names)):
            empty = self.classes.jvm.gateway.new_array(self.classes.jvm.gateway.jvm.byte, 0)
            made = self.call(
                made, "$colon$colon", pair.newInstance(self.classes.jvm.objects(name, empty))
            )
        return made

    def __getattr__(self, name: str) -> Any:
        """Show a variable."""
        if name in ("pendingMembers", "pendingSyncMembers"):
            return frozenset(
                re.findall(r"MemberId\d+", self._text(self.fields[name].get(self.real)))
            )
        if name == "members":
            return self._members()
        if name == "generationId":
            return self.call(self.real, "generationId")
        if name == "leaderId":
            return self.call(self.real, "leaderOrNull")
        if name == "protocolName":
            return next(
                iter(
                    re.findall(r"Some\((\w+)\)", self._text(self.call(self.real, "protocolName")))
                ),
                None,
            )
        if name == "currentState":
            return self._text(self.call(self.real, "currentState"))
        raise AttributeError(name)

    def _members(self) -> dict[str, tuple[tuple[str, ...], bool]]:
        text = self._text(self.fields["members"].get(self.real))
        waiting = set(self._ids(text)) - set(
            self._ids(self._text(self.call(self.real, "notYetRejoinedMembers")))
        )
        found = re.findall(r"memberId=(\w+),.*?supportedProtocols=List\(([^)]*)\)", text)
        return {
            member: (tuple(re.findall(r"\w+", protocols)), member in waiting)
            for member, protocols in found
        }

    def _ids(self, text: str) -> list[str]:
        return re.findall(r"memberId=(\w+),", text)

    def _text(self, value: Any) -> str:
        return self.classes.text(value)
