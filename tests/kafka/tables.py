"""A table of states as a value: read from a real class by reflection, and from a spec."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import frozen

from statemachines import Machine
from tests.kafka.jars import jars_of

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes


@frozen
class Table:
    """States, the pairs that are legal, and the states for which each predicate holds."""

    states: frozenset[str]
    pairs: frozenset[tuple[str, str]] | None
    """None: nothing in Kafka says."""
    predicates: frozenset[tuple[str, frozenset[str]]] = frozenset()


def differences(real: Table, told: Table) -> list[str]:
    """Say in words where a real class and a spec disagree; empty where they agree."""
    sides = (("the class", real, told), ("the spec", told, real))
    found = [
        f"state {state}: only {who} has it"
        for who, one, other in sides
        for state in sorted(one.states - other.states)
    ]
    if real.pairs is not None and told.pairs is not None:
        one_sided = (("the class", real.pairs - told.pairs), ("the spec", told.pairs - real.pairs))
        found += [
            f"{a} -> {b}: legal only for {who}"
            for who, pairs in one_sided
            for a, b in sorted(pairs)
        ]
    asked = [
        (who, name, states)
        for who, one, other in sides
        for name, states in one.predicates - other.predicates
    ]
    return found + [
        f"{name}: {who} says {', '.join(sorted(states))}"
        for who, name, states in sorted(asked, key=lambda ask: ask[1])
    ]


def of_spec(machine: Machine, spelt: Iterable[str] = ()) -> Table:
    """Return the table of a machine: the moves `to_STATE`; other events are methods of the system around the table.

    Args:
        machine: In one release.
        spelt: How the real class spells its states; a state takes such a spelling where it has it as another name.
    """
    told = set(spelt)
    name = {
        state.name: next((other for other in state.spellings if other in told), state.name)
        for state in machine.value.states
    }
    pairs = {
        (name[move.source], name[move.target])
        for move in machine.transitions
        if move.event == f"to_{move.target}"
    }
    held = {
        ask: frozenset(name[state] for state in machine.states if machine.holds(ask, state))
        for ask in machine.predicates
    }
    return Table(frozenset(name.values()), frozenset(pairs), frozenset(held.items()))


def members_of(classes: Classes, name: str) -> dict[str, Any]:
    """Return the states of a Java enumeration, or the case objects of a sealed Scala trait, by their texts."""
    kind = classes.find(name)
    found = (
        kind.getEnumConstants()
        if kind.isEnum()
        else [classes.module(child) for child in objects_naming(classes.release, name)]
    )
    return {classes.text(member): member for member in found if kind.isInstance(member)}


def of_class(classes: Classes, name: str) -> Table:
    """Read a class of states: `isValidTransition(to)`, `isTransitionValid(from, to)`, `validPreviousStates()`,
    `canTransitionFrom(from)`, or the map beside the class that uses them."""
    members = members_of(classes, name)
    return _table(classes, classes.find(name), list(members.values()), list(members))


@cache
def objects_naming(release: str, trait: str) -> tuple[str, ...]:
    """Return the Scala objects beside a trait whose class files name it: those that extend it, and maybe others."""
    broker = next(jar.path for jar in jars_of(release) if jar.artifact.startswith("kafka_"))
    inside = trait.replace(".", "/")
    with zipfile.ZipFile(broker) as jar:
        beside = [
            name
            for name in jar.namelist()
            if re.fullmatch(rf"{inside.rpartition('/')[0]}/\w+\$\.class", name)
        ]
        return tuple(
            name.replace("/", ".").removesuffix(".class")
            for name in sorted(beside)
            if inside.encode() in jar.read(name)
        )


def _table(classes: Classes, kind: Any, members: list[Any], names: list[str]) -> Table:
    legal = _judge(classes, kind, members)
    places = list(enumerate(names))
    pairs = {
        (one, other)
        for source, one in places
        for target, other in places
        if legal and legal(source, target)
    }
    nothing = classes.jvm.objects()
    asks = {
        str(method.getName()): frozenset(
            name for place, name in places if method.invoke(members[place], nothing)
        )
        for method in kind.getDeclaredMethods()
        if re.fullmatch(r"(is|has|in|can)[A-Z]\w*", str(method.getName()))
        and method.getParameterCount() == 0
    }
    return Table(frozenset(names), frozenset(pairs) if legal else None, frozenset(asks.items()))


def _judge(classes: Classes, kind: Any, members: list[Any]) -> Callable[[int, int], bool] | None:
    """Return whether a move between two members, by their places, is legal: the class itself is asked; None: it has no table.

    Where there is `getPreviousValidStates()`, who asks it (`transitionTo`) looks at it only where the two differ.
    """
    methods = {str(method.getName()): method for method in kind.getDeclaredMethods()}
    if "isValidTransition" in methods:
        asked, ones = (
            classes.opened(methods["isValidTransition"]),
            [classes.jvm.objects(member) for member in members],
        )
        return lambda source, target: bool(asked.invoke(members[source], ones[target]))
    if "isTransitionValid" in methods:
        asked, twos = (
            classes.opened(methods["isTransitionValid"]),
            [[classes.jvm.objects(one, other) for other in members] for one in members],
        )
        return lambda source, target: bool(asked.invoke(members[source], twos[source][target]))
    if "getPreviousValidStates" in methods:
        allowed = _contained(
            classes, members, [classes.call(member, "getPreviousValidStates") for member in members]
        )
        return lambda source, target: source == target or allowed(source, target)
    if "canTransitionFrom" in methods:
        asked, ones = (
            classes.opened(methods["canTransitionFrom"]),
            [classes.jvm.objects(member) for member in members],
        )
        return lambda source, target: bool(asked.invoke(members[target], ones[source]))
    if "validPreviousStates" in methods:
        return _contained(
            classes, members, [classes.call(member, "validPreviousStates") for member in members]
        )
    if not str(kind.getName()).startswith("kafka."):
        return None
    table = _table_beside(classes, str(kind.getName()))
    return _contained(
        classes, members, [classes.call(table, "apply", member) for member in members]
    )


def _contained(
    classes: Classes, members: list[Any], before: list[Any]
) -> Callable[[int, int], bool]:
    """Ask sets of previous states, Java's or Scala's, one of each member."""
    ones = [classes.jvm.objects(member) for member in members]
    asked = [classes.method(states, "contains", 1) for states in before]
    return lambda source, target: bool(asked[target].invoke(before[target], ones[source]))


def _table_beside(classes: Classes, trait: str) -> Any:
    """Find the map of previous states in the companion of `XMetadata`, where the states of X have none themselves."""
    companion = classes.module(trait.removesuffix("State") + "Metadata$")
    names = (str(method.getName()) for method in companion.getClass().getDeclaredMethods())
    return classes.call(
        companion, next(name for name in names if name.endswith("validPreviousStates"))
    )
