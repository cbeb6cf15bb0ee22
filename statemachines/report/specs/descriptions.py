"""The data of a machine in words: variables, events with their arguments, what arrows need and
change, what shall hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from statemachines.model.definitions.data_definitions import (
    Definition,
    Fairness,
    MachineData,
    Property,
    Refinement,
    Variable,
    fairness_groups,
)
from statemachines.model.definitions.log_definitions import TimeLimit
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.durations import format_duration
from statemachines.model.language.value_types import EnumType, IdType, RecordType, Type


@frozen
class TransitionRow:
    """What one transition needs and changes."""

    endpoints: str
    """`A -> B`; empty for a machine without states."""
    event: str
    guard: str
    """Its guard and the condition of its case; empty where it is always taken."""
    effect: str


def type_rows(data: MachineData) -> tuple[tuple[str, str], ...]:
    """Return name and meaning of each declared type: the members of an enumeration, the fields of a
    record.

    Args:
        data: of a machine or a system.

    Returns:
        Rows in the author's order.
    """
    return tuple((name, _type_meaning(name, type_)) for name, type_ in data.types)


def _type_meaning(name: str, type_: Type) -> str:
    match type_:
        case EnumType(members=members):
            return f"one of {', '.join(members)}"
        case IdType():
            return "names: equal or not, nothing else"
        case RecordType(fields=fields):
            return f"{name}({', '.join(f'{field}: {of}' for field, of in fields)})"
    return str(type_)


def parameter_rows(data: MachineData) -> tuple[tuple[str, str, str], ...]:
    """Return name, type and documentation of each parameter, and behind them what they must fulfil
    together.

    Args:
        data: of a machine or a system.

    Returns:
        Rows in the author's order.
    """
    from statemachines.semantics.messages.expression_text import format_expression

    declared = tuple(
        (parameter.name, str(parameter.type), " ".join(parameter.doc.split()))
        for parameter in data.parameters
    )
    return (
        declared
        if data.where is None
        else (*declared, ("where", format_expression(data.where), ""))
    )


def variable_rows(data: MachineData) -> tuple[tuple[str, str, str], ...]:
    """Return name, type and beginning of each variable; the beginning is empty where any value of
    the type may be the first.

    Args:
        data: of a machine or a system.

    Returns:
        Rows in the author's order.
    """
    return tuple(
        (variable.name, str(variable.type), _initial_text(variable)) for variable in data.variables
    )


def definition_rows(data: MachineData) -> tuple[tuple[str, str], ...]:
    """Return each definition with its inputs, and its value.

    Args:
        data: of a machine or a system.

    Returns:
        Rows in the author's order.
    """
    from statemachines.semantics.messages.expression_text import format_expression

    return tuple(
        (definition.name + _inputs_text(definition), format_expression(definition.body))
        for definition in data.definitions
    )


def _inputs_text(definition: Definition) -> str:
    given = ", ".join(f"{name.rpartition('.')[2]}: {type_}" for name, type_ in definition.inputs)
    return f"({given})" if given else ""


def transition_rows(machine: MachineDefinition) -> tuple[TransitionRow, ...]:
    """Return the transitions that need or change something, or have an event of their own name, in
    the author's order.

    Args:
        machine: in one release.

    Returns:
        Rows in the author's order.
    """
    from statemachines.draw.graphs.edge_labels import effect_label, guard_label

    rows = (
        (transition, guard_label(transition), effect_label(transition))
        for transition in machine.transitions
    )
    return tuple(
        TransitionRow(_endpoints(transition), transition.event, needs, changes)
        for transition, needs, changes in rows
        if needs or changes or _has_own_event(transition)
    )


def _has_own_event(transition: Transition) -> bool:
    return transition.event != f"to_{transition.target}"


def enabling_condition(transitions: Sequence[Transition]) -> str:
    """Return what must hold so that one of several transitions is taken; empty where one of them
    needs nothing.

    Args:
        transitions: of one event from one state.

    Returns:
        An expression as a spec writes it.
    """
    if any(transition.case is None for transition in transitions):
        return ""
    from statemachines.draw.graphs.edge_labels import guard_label

    guards = tuple(dict.fromkeys(map(guard_label, transitions)))
    return "" if "" in guards else " or ".join(guards)


def _initial_text(variable: Variable) -> str:
    from statemachines.semantics.messages.expression_text import format_expression

    return format_expression(variable.initial) if variable.initial is not None else ""


def _endpoints(transition: Transition) -> str:
    return (
        f"{transition.source} -> {transition.target}"
        if transition.source or transition.target
        else ""
    )


def part_rows(system: SystemDefinition) -> tuple[tuple[str, str, str, str], ...]:
    """Return name, machine, how many there are, and given parameters of each part of a system.

    Args:
        system: in one release.

    Returns:
        Rows in the author's order.
    """
    from statemachines.draw.graphs.system_graph import part_description
    from statemachines.semantics.messages.expression_text import format_expression

    given = {
        part.name: ", ".join(
            f"{name} = {format_expression(value)}" for name, value in part.parameters
        )
        for part in system.parts
    }
    return tuple(
        (part.name, part.machine, ", ".join(part_description(part)[1:]), given[part.name])
        for part in system.parts
    )


def same_rows(system: SystemDefinition) -> tuple[tuple[str, str, str], ...]:
    """Return name, variables and doc of each variable that several parts of a system have.

    Args:
        system: in one release.

    Returns:
        Rows in the author's order.
    """
    from statemachines.draw.graphs.system_graph import same_members

    return tuple(
        (variable.name, same_members(variable), " ".join(variable.doc.split()))
        for variable in system.same
    )


def channel_rows(system: SystemDefinition) -> tuple[tuple[str, str, str], ...]:
    """Return name, what it holds and may do, and doc of each channel of a system.

    Args:
        system: in one release.

    Returns:
        Rows in the author's order.
    """
    from statemachines.draw.graphs.system_graph import channel_text

    return tuple(
        (channel.name, channel_text(channel), " ".join(channel.doc.split()))
        for channel in system.channels
    )


def link_rows(system: SystemDefinition) -> tuple[tuple[str, str], ...]:
    """Return when each link of a system fires, and what it does or needs.

    Args:
        system: in one release.

    Returns:
        Rows in the author's order.
    """
    from statemachines.draw.graphs.system_graph import link_effect, link_trigger
    from statemachines.semantics.messages.expression_text import format_expression

    rows = []
    for link in system.links:
        guard = f" if {format_expression(link.guard)}" if link.guard is not None else ""
        needed = f"only if {format_expression(link.only_if)}" if link.only_if is not None else ""
        rows.append(
            (
                f"{link.on} {link_trigger(link)}{guard}",
                "; ".join(part for part in (link_effect(link), needed) if part),
            )
        )
    return tuple(rows)


@frozen
class PropertyDescription:
    """A property, for a person."""

    title: str
    """What kind it is, and its name."""
    condition: str
    """Its condition, with all that goes with it; empty where its kind says it."""
    doc: str


def property_descriptions(data: MachineData) -> tuple[PropertyDescription, ...]:
    """Return what shall hold of the runs of a machine or a system, in the author's order.

    Args:
        data: of a machine or a system.

    Returns:
        Titles, conditions and docs.
    """
    claimed = [
        PropertyDescription(
            _property_title(property_),
            _property_condition(property_),
            " ".join(property_.doc.split()),
        )
        for property_ in data.properties
    ]
    return (*claimed, *map(_refinement_description, data.refinements))


def _refinement_description(refinement: Refinement) -> PropertyDescription:
    from statemachines.semantics.messages.expression_text import format_expression

    conditions = [f"{name} is {format_expression(value)}" for name, value in refinement.by]
    notes = [f"for each {name} in {type_}" for name, type_ in refinement.each]
    if refinement.assuming is not None:
        notes += [f"with its promises, assuming {_fairness_text(refinement.assuming) or 'nothing'}"]
    most = refinement.most_steps
    notes += [f"each step is up to {most} of its steps"] if most > 1 else []
    notes += ["fails, as is known"] if refinement.expect_fails else []
    text = "; ".join(conditions) + (f"   ({', '.join(notes)})" if notes else "")
    return PropertyDescription(
        f"refines {refinement.abstract.rsplit('/', 1)[-1]}", text, " ".join(refinement.doc.split())
    )


def _property_title(property_: Property) -> str:
    return (
        property_.kind.value
        if property_.name == property_.kind.value
        else f"{property_.kind.value} {property_.name}"
    )


def _property_condition(property_: Property) -> str:
    from statemachines.model.language.expression_nodes import TRUE
    from statemachines.semantics.messages.expression_text import format_expression

    begins = property_.when if property_.kind.is_of_runs and property_.when != TRUE else None
    parts = [
        format_expression(expression)
        for expression in (begins, property_.holds)
        if expression is not None
    ]
    fair = _fairness_text(property_.assuming)
    notes = [f"for each {name} in {type_}" for name, type_ in property_.each]
    notes += [f"assuming {fair}"] if fair else []
    notes += [f"{format_expression(property_.meanwhile)} until then"] if property_.meanwhile else []
    notes += ["until something is raised"] if property_.until_raised else []
    notes += ["fails, as is known"] if property_.expect_fails else []
    return "   ".join([" leads to ".join(parts), *(f"({note})" for note in notes)]).strip()


def _fairness_text(events: tuple[Fairness, ...]) -> str:
    return ", ".join(
        ("strongly " if group[0].strong else "")
        + " or ".join(
            event.event + (f" for each {event.argument}" if event.argument else "")
            for event in group
        )
        for group in fairness_groups(events)
    )


def limit_text(limit: TimeLimit) -> str:
    """Say how long something may last.

    >>> limit_text(TimeLimit(30_000)), limit_text(TimeLimit(60_000, "allowed", 5_000))
    ('30 s', '{allowed} ms and 5 s (1 min where no line tells it)')

    Args:
        limit: as a spec has it.

    Returns:
        A few words.
    """
    otherwise = format_duration(limit.otherwise_ms)
    if not limit.field_name:
        return otherwise
    more = f" and {format_duration(limit.more_ms)}" if limit.more_ms else ""
    return f"{{{limit.field_name}}} ms{more} ({otherwise} where no line tells it)"
