"""Which definitions an event, or anything that a machine does, looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.definitions.data_definitions import Case, MachineData, Signature
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Expression,
    type_sets,
    walk,
)


def behaviour_definitions(machine: MachineDefinition) -> frozenset[str]:
    """Return the definitions on which behaviour rests: of operations, arguments, beginnings and
    types; not those of properties only.

    Args:
        machine: in one release.

    Returns:
        Names of definitions.
    """
    nodes = [
        node
        for event in {transition.event for transition in machine.transitions}
        for node in event_expressions(machine, event)
    ]
    return used_definitions(machine.data, [*nodes, *initial_expressions(machine.data)])


def used_definitions(data: MachineData, nodes: Iterable[Expression]) -> frozenset[str]:
    """Return the definitions that expressions use, through others too.

    Args:
        data: of one release.
        nodes: the expressions.

    Returns:
        Names of definitions.
    """
    bodies = {definition.name: definition.body for definition in data.definitions}
    pending, definitions = [*nodes], set[str]()
    while pending:
        new = {
            part.definition for part in walk(pending.pop()) if isinstance(part, DefinitionCall)
        } - definitions
        definitions |= new
        pending += [bodies[name] for name in sorted(new) if name in bodies]
    return frozenset(definitions)


def event_expressions(
    machine: MachineDefinition | SpecDefinition, event: str, data: MachineData | None = None
) -> Iterator[Expression]:
    """Yield all expressions that say what an event takes and does.

    Args:
        machine: a machine, or a spec in all its releases.
        event: its name.
        data: of one release, whose types count; None: the machine's.

    Yields:
        Expressions, in the spec's order.
    """
    data = data or machine.data
    signatures = [
        known.signature
        for known in machine.events
        if known.name == event and known.signature is not None
    ]
    yield from (node for signature in signatures for node in _signature_expressions(signature))
    for transition in machine.transitions:
        if transition.event == event and transition.case is not None:
            yield from _case_expressions(transition.case)
            yield from _type_expressions(data, transition.case)


def _signature_expressions(signature: Signature) -> Iterator[Expression]:
    yield from (node for argument in signature.arguments for node in type_sets(argument.type))
    yield from (let.value for let in signature.lets)
    yield from [signature.where] if signature.where is not None else []


def _case_expressions(case: Case) -> Iterator[Expression]:
    yield from (node for node in (case.guard, case.when) if node is not None)
    yield from (let.value for let in case.lets)
    yield from (assignment.value for assignment in case.effect)
    if isinstance(case.returns, Expression):
        yield case.returns
    elif case.returns is not None:
        yield from (value for _, value in case.returns)


def _type_expressions(data: MachineData, case: Case) -> Iterator[Expression]:
    """Yield what the types of the variables are made of: each step may look at them."""
    if case.effect:
        yield from (node for variable in data.variables for node in type_sets(variable.type))


def initial_expressions(data: MachineData) -> Iterator[Expression]:
    """Yield all expressions that say how instances begin, and of what types their values are.

    Args:
        data: of one release.

    Yields:
        Expressions, in the spec's order.
    """
    yield from (node for node in (data.where, data.initially) if node is not None)
    yield from (variable.initial for variable in data.variables if variable.initial is not None)
    types = [
        *(variable.type for variable in data.variables),
        *(parameter.type for parameter in data.parameters),
    ]
    yield from (node for type_ in types for node in type_sets(type_))
