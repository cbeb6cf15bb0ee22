"""The data of a machine in words: variables, events with their arguments, what arrows need and change, what shall hold."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from statemachines.model.data import Property, Variable
from statemachines.model.machines import Event, Machine, Transition


@frozen
class Arrow:
    """What one transition needs and changes."""

    move: str
    """`A -> B`; empty for a machine without states."""
    event: str
    needs: str
    """Its guard and the condition of its case; empty where it is always taken."""
    changes: str


def variables(machine: Machine) -> tuple[tuple[str, str, str], ...]:
    """Return name, type and beginning of each variable; the beginning is empty where any value of the type may be the first."""
    return tuple((each.name, str(each.type), _beginning(each)) for each in machine.data.variables)


def events(machine: Machine) -> tuple[tuple[str, str], ...]:
    """Return name and arguments of each event that has some."""
    return tuple((each.name, _arguments(each)) for each in machine.events if each.signature and each.signature.arguments)


def arrows(machine: Machine) -> tuple[Arrow, ...]:
    """Return the transitions that need or change something, or have an event of their own name, in the author's order."""
    from statemachines.draw.labels import effect_of, guard_of

    told = ((each, guard_of(each), effect_of(each)) for each in machine.transitions)
    return tuple(Arrow(_move(each), each.event, needs, changes) for each, needs, changes in told if needs or changes or _is_named(each))


def _is_named(transition: Transition) -> bool:
    return transition.event != f"to_{transition.target}"


def condition(transitions: Sequence[Transition]) -> str:
    """Return what must hold so that one of several transitions is taken; empty where one of them needs nothing."""
    if any(each.case is None for each in transitions):
        return ""
    from statemachines.draw.labels import guard_of

    guards = tuple(dict.fromkeys(map(guard_of, transitions)))
    return "" if "" in guards else " or ".join(guards)


def _beginning(variable: Variable) -> str:
    from statemachines.semantics.wording import wording

    return wording(variable.initial) if variable.initial is not None else ""


def _arguments(event: Event) -> str:
    given = event.signature.arguments if event.signature else ()
    return ", ".join(f"{each.name}: {each.type}" for each in given)


def _move(transition: Transition) -> str:
    return f"{transition.source} -> {transition.target}" if transition.source or transition.target else ""


@frozen
class Claimed:
    """A property, for a person."""

    said: str
    """What kind it is, and its name."""
    holds: str
    """Its condition, with all that goes with it; empty where its kind says it."""
    doc: str


def claims(machine: Machine) -> tuple[Claimed, ...]:
    """Return what shall hold of the runs of a machine, in the author's order."""
    return tuple(Claimed(_kind(each), _condition(each), " ".join(each.doc.split())) for each in machine.data.properties)


def _kind(one: Property) -> str:
    return one.claim.value if one.name == one.claim.value else f"{one.claim.value} {one.name}"


def _condition(one: Property) -> str:
    from statemachines.semantics.wording import wording

    parts = [wording(each) for each in (one.when, one.holds) if each is not None]
    fair = ", ".join(each.event + (f" for each {each.each}" if each.each else "") for each in one.assuming)
    notes = [f"assuming {fair}"] if fair else []
    notes += ["until something is raised"] if one.until_raised else []
    notes += ["fails, as is known"] if one.expect_fails else []
    return "   ".join([" leads to ".join(parts), *(f"({note})" for note in notes)]).strip()
