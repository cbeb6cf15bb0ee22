"""Objects of Kafka's that hold a state and move it: groups and transactions of a coordinator, asked for every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen
from py4j.protocol import Py4JJavaError

from tests.kafka.shapes import upwards
from tests.kafka.stubs import Stubs
from tests.kafka.tables import members_of

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes

SHORT = object()
"""A Java short: the bridge would make an int of it, so it is copied into its place inside Java."""
NUMBERS: Mapping[str, object] = {
    "int": 1,
    "long": 1,
    "short": SHORT,
    "boolean": False,
    "String": "some",
}
"""What a parameter of a type is given that has nothing to do with the state."""


@frozen
class Holder:
    """A class with a field `state` and a method that moves it."""

    name: str
    states: str
    """The class of its states."""
    method: str


def moves(classes: Classes, holder: Holder) -> dict[tuple[str, str], str]:
    """Try every pair; return for each what came of it: `moved`, or the name of the exception."""
    members = members_of(classes, holder.states)
    made = _make(classes, holder, next(iter(members.values())))
    attempt = _attempt(classes, made, holder)
    return {
        (one, other): attempt(source, target)
        for one, source in members.items()
        for other, target in members.items()
    }


def outcomes(
    classes: Classes, name: str, states: str, asked: Iterable[str]
) -> dict[tuple[str, str, bool], str]:
    """Call methods of a transaction in each state, with a step pending and with none; return `done`, or the name of the exception.

    The write of a step (`completeTransitionTo`) is asked about with none pending only: what it must bring else is more than a state.
    """
    found = {}
    for state, member in members_of(classes, states).items():
        for method in asked:
            for pending in (False, True):
                if method != "completeTransitionTo" or not pending:
                    found[method, state, pending] = _outcome(
                        classes, Holder(name, states, method), member, pending=pending
                    )
    return found


def _outcome(classes: Classes, holder: Holder, state: Any, *, pending: bool) -> str:
    made = _make(classes, holder, state)
    fields = {
        str(field.getName()): classes.opened(field) for field in made.getClass().getDeclaredFields()
    }
    if pending:
        fields["pendingState"].set(
            made, classes.call(classes.module("scala.Some$"), "apply", state)
        )
    known = (
        (made, classes.call(made, "prepareNoTransit"))
        if holder.method == "completeTransitionTo"
        else (made,)
    )
    method = next(
        one for one in made.getClass().getDeclaredMethods() if one.getName() == holder.method
    )
    try:
        classes.opened(method).invoke(made, _filled(classes, method, *known))
    except Py4JJavaError as problem:
        return str(problem.java_exception.getCause().getClass().getSimpleName())
    return "done"


def _make(classes: Classes, holder: Holder, state: Any) -> Any:
    constructors = sorted(
        classes.find(holder.name).getDeclaredConstructors(), key=lambda one: one.getParameterCount()
    )
    return classes.opened(constructors[0]).newInstance(_filled(classes, constructors[0], state))


def _filled(classes: Classes, method: Any, *known: Any) -> Any:
    """Make the arguments of a method or constructor, as an `Object[]`."""
    values = [_value(classes, kind, *known) for kind in method.getParameterTypes()]
    made, lang = (
        classes.jvm.objects(*(None if value is SHORT else value for value in values)),
        classes.jvm.gateway.jvm.java.lang,
    )
    for place in (place for place, value in enumerate(values) if value is SHORT):
        lang.System.arraycopy(classes.jvm.array(lang.Short, [1]), 0, made, place, 1)
    return made


def _value(classes: Classes, kind: Any, *known: Any) -> Any:
    """Make a value of a parameter's type: what is known (the state, the holder), a number, a clock, an empty set."""
    name = str(kind.getSimpleName())
    for given in known:
        if kind.isInstance(given) and name != "Object":
            return given
    if name in NUMBERS:
        return NUMBERS[name]
    if name == "Time":
        return classes.find("org.apache.kafka.common.utils.Time").getField("SYSTEM").get(None)
    if name == "LogContext":
        return next(
            one for one in kind.getConstructors() if one.getParameterCount() == 0
        ).newInstance(classes.jvm.objects())
    if name == "Set":
        return _empty(classes, str(kind.getName()))
    if name == "TransactionVersion":
        return kind.getEnumConstants()[0]
    if name == "TransitionData":
        (made,) = kind.getDeclaredConstructors()
        return classes.opened(made).newInstance(_filled(classes, made, *known))
    if name.endswith("MetricsShard"):
        return Stubs.of(classes).make(str(kind.getName()), "metrics")
    return None


def _empty(classes: Classes, name: str) -> Any:
    if name.startswith("java."):
        return classes.jvm.gateway.jvm.java.util.HashSet()
    package = (
        "scala.collection.mutable"
        if "mutable" in name and "immutable" not in name
        else "scala.collection.immutable"
    )
    return classes.call(classes.module(f"{package}.Set$"), "empty")


def _attempt(classes: Classes, made: Any, holder: Holder) -> Callable[[Any, Any], str]:
    fields = {
        str(field.getName()): classes.opened(field)
        for above in upwards(made.getClass())
        for field in above.getDeclaredFields()
    }
    methods = [
        method
        for method in made.getClass().getDeclaredMethods()
        if method.getName() == holder.method
    ]
    method = classes.opened(min(methods, key=lambda one: one.getParameterCount()))
    pending = fields["pendingState"].get(made) if "pendingState" in fields else None

    def attempt(source: Any, target: Any) -> str:
        fields["state"].set(made, source)
        if pending is not None:
            fields["pendingState"].set(made, pending)
        try:
            method.invoke(made, _filled(classes, method, target, made))
        except Py4JJavaError as problem:
            return str(problem.java_exception.getCause().getClass().getSimpleName())
        return "moved"

    return attempt
