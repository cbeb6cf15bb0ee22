"""The data of a machine in words: variables, events with their arguments, what arrows need and change, what shall hold."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from statemachines.model.data import Data, Definition, Property, Variable
from statemachines.model.machines import Machine, Transition
from statemachines.model.systems import System
from statemachines.model.types import EnumType, IdType, RecordType, Type


@frozen
class Arrow:
    """What one transition needs and changes."""

    move: str
    """`A -> B`; empty for a machine without states."""
    event: str
    needs: str
    """Its guard and the condition of its case; empty where it is always taken."""
    changes: str


def types(data: Data) -> tuple[tuple[str, str], ...]:
    """Return name and meaning of each declared type: the members of an enumeration, the fields of a record."""
    return tuple((name, _meaning(name, type_)) for name, type_ in data.types)


def _meaning(name: str, type_: Type) -> str:
    match type_:
        case EnumType(members=members):
            return f"one of {', '.join(members)}"
        case IdType():
            return "names: equal or not, nothing else"
        case RecordType(fields=fields):
            return f"{name}({', '.join(f'{field}: {of}' for field, of in fields)})"
    return str(type_)


def parameters(data: Data) -> tuple[tuple[str, str, str], ...]:
    """Return name, type and documentation of each parameter, and behind them what they must fulfil together."""
    from statemachines.semantics.wording import wording

    declared = tuple((each.name, str(each.type), " ".join(each.doc.split())) for each in data.parameters)
    return declared if data.where is None else (*declared, ("where", wording(data.where), ""))


def variables(data: Data) -> tuple[tuple[str, str, str], ...]:
    """Return name, type and beginning of each variable; the beginning is empty where any value of the type may be the first."""
    return tuple((each.name, str(each.type), _beginning(each)) for each in data.variables)


def definitions(data: Data) -> tuple[tuple[str, str], ...]:
    """Return each definition with its inputs, and its value."""
    from statemachines.semantics.wording import wording

    return tuple((each.name + _inputs(each), wording(each.body)) for each in data.definitions)


def _inputs(one: Definition) -> str:
    given = ", ".join(f"{name.rpartition('.')[2]}: {type_}" for name, type_ in one.inputs)
    return f"({given})" if given else ""


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


def _move(transition: Transition) -> str:
    return f"{transition.source} -> {transition.target}" if transition.source or transition.target else ""


def parts(system: System) -> tuple[tuple[str, str, str, str], ...]:
    """Return name, machine, how many there are, and given parameters of each part of a system."""
    from statemachines.draw.systems import part_lines
    from statemachines.semantics.wording import wording

    given = {part.name: ", ".join(f"{name} = {wording(value)}" for name, value in part.given) for part in system.parts}
    return tuple((part.name, part.machine, ", ".join(part_lines(part)[1:]), given[part.name]) for part in system.parts)


def links(system: System) -> tuple[tuple[str, str], ...]:
    """Return when each link of a system fires, and what it does or needs."""
    from statemachines.draw.systems import does, occasion
    from statemachines.semantics.wording import wording

    told = []
    for link in system.links:
        guard = f" if {wording(link.guard)}" if link.guard is not None else ""
        needed = f"only if {wording(link.only_if)}" if link.only_if is not None else ""
        told.append((f"{link.on} {occasion(link)}{guard}", "; ".join(each for each in (does(link), needed) if each)))
    return tuple(told)


@frozen
class Claimed:
    """A property, for a person."""

    said: str
    """What kind it is, and its name."""
    holds: str
    """Its condition, with all that goes with it; empty where its kind says it."""
    doc: str


def claims(data: Data) -> tuple[Claimed, ...]:
    """Return what shall hold of the runs of a machine or a system, in the author's order."""
    return tuple(Claimed(_kind(each), _condition(each), " ".join(each.doc.split())) for each in data.properties)


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
