"""What a spec claims of a machine, as properties that TLC looks at."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attrs import evolve, frozen

from statemachines.interop.export_limits import CannotExport
from statemachines.interop.tla.tla_actions import TlaActionWriter
from statemachines.interop.tla.tla_expressions import TlaWriter, action_given
from statemachines.interop.tla.tla_names import parenthesised, safe_tla_name, tla_value
from statemachines.interop.tla.tla_types import TlaTypeWriter
from statemachines.model.definitions.data_definitions import (
    Fairness,
    Property,
    PropertyKind,
    fairness_groups,
)
from statemachines.model.language.expression_nodes import (
    Expression,
    Literal,
    Name,
    NameKind,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    BoolType,
    ElementType,
    EnumType,
    IdType,
    IntType,
    Type,
    base_type,
)
from statemachines.semantics.machine.machine_tables import MachineTables

MOST_IDS = 2
"""Values of an `id` type that no scope names, as when exploring."""


@frozen(eq=False)
class TlaModule:
    """All that the parts of one module are written with."""

    tables: MachineTables
    events: TlaActionWriter
    writer: TlaWriter
    types: TlaTypeWriter
    named: dict[str, str]
    """Type to its name."""
    given: dict[str, Expression]
    """Parameter to the value that the scope names."""

    @property
    def has_states(self) -> bool:
        """Whether the machine has states that it names."""
        return self.tables.states != ("",)


def property_name(claimed: Property) -> str:
    """Return what a property is called in the module.

    Args:
        claimed: the property.

    Returns:
        A name that TLA+ accepts.
    """
    if claimed.kind is PropertyKind.NO_DEADLOCK:
        return "NoDeadlock"
    head = {
        PropertyKind.ALWAYS: "Always",
        PropertyKind.EACH_STEP: "EachStep",
        PropertyKind.SOMETIMES: "Never",
        PropertyKind.LEADS_TO: "LeadsTo",
        PropertyKind.ALWAYS_EVENTUALLY: "AlwaysEventually",
        PropertyKind.EVENTUALLY_ALWAYS: "EventuallyAlways",
        PropertyKind.UNTIL: "Until",
    }[claimed.kind]
    return f"{head}_{safe_tla_name(claimed.name)}"


_WITNESS_COMMENT = "\\* TLC is to find this broken: there is a witness."


def property_blocks(module: TlaModule) -> Iterator[tuple[list[str], Property, list[str]]]:
    """Yield the lines of each property, with what its spec says of it.

    Args:
        module: the module so far: names and expressions.

    Yields:
        Lines of TLA+, with the property and what it is called there: several names where there is a
        witness for each value to be found.

    Raises:
        CannotExport: TLA+ has no words for one.
    """
    for claimed in module.tables.machine.data.properties:
        comment = [f"\\* {line}" for line in claimed.doc.splitlines()]
        if claimed.each and claimed.kind is PropertyKind.SOMETIMES:
            witnesses = list(_witness_lines(module, claimed))
            names = [f"{property_name(claimed)}_{index + 1}" for index in range(len(witnesses))]
            lines = [f"{name} == {line}" for name, line in zip(names, witnesses, strict=True)]
            yield [*comment, _WITNESS_COMMENT, *lines], claimed, names
        else:
            written = list(_property_lines(module, claimed))
            yield [*comment, *written], claimed, [property_name(claimed)]


def _property_lines(module: TlaModule, claimed: Property) -> Iterator[str]:
    name = property_name(claimed)
    if claimed.kind is PropertyKind.NO_DEADLOCK:
        yield f"Stop == {_stop_condition(module)}"
        yield "NoDeadlock == Stop \\/ ENABLED <<Next>>_vars"
        return
    assert claimed.holds is not None
    quantifiers, writer = _quantified(module, claimed)
    match claimed.kind:
        case PropertyKind.ALWAYS:
            yield f"{name} == {quantifiers}{writer.write(claimed.holds)}"
        case PropertyKind.SOMETIMES:
            yield _WITNESS_COMMENT
            yield f"{name} == ~{writer.write_operand(claimed.holds)}"
        case PropertyKind.EACH_STEP:
            writer.primed = True
            written = writer.write_operand(claimed.holds)
            writer.primed = False
            yield f"{name} == [][{quantifiers}{written}]_vars"
        case _ if claimed.kind.is_of_runs:
            groups = fairness_groups(claimed.assuming)
            fair = [_fairness_condition(module, group) for group in groups]
            formula = _temporal_formula(writer, claimed)
            claim = f"({quantifiers}{formula})" if quantifiers else formula
            yield f"{name} == {_fairness_premise(fair)}{claim}"


def _quantified(module: TlaModule, claimed: Property) -> tuple[str, TlaWriter]:
    """Return a quantifier for each name that stands for all values of a type, and a writer that
    knows these names.
    """
    writer, quantifiers = module.writer, ""
    names = dict(writer.names)
    for name, type_ in claimed.each:
        own = names[NameKind.ARGUMENT, name] = writer.fresh_name(safe_tla_name(name))
        quantifiers += f"\\A {own} \\in {module.types.value_set(type_)} : "
    return quantifiers, evolve(writer, names=names) if claimed.each else writer


def _witness_lines(module: TlaModule, claimed: Property) -> Iterator[str]:
    """Yield what TLC is to find broken for each value, or each combination of values.

    Raises:
        CannotExport: nobody says how many values there are, or one is to have no witness.
    """
    assert claimed.holds is not None
    if claimed.expect_fails:
        raise CannotExport(f"`sometimes {claimed.name}`: that one of many has no witness")
    _, writer = _quantified(module, claimed)
    condition = f"~{writer.write_operand(claimed.holds)}"
    names = [writer.names[NameKind.ARGUMENT, name] for name, _ in claimed.each]
    values = [_listed_values(module, claimed, type_) for _, type_ in claimed.each]
    for chosen in itertools.product(*values):
        given = " ".join(f"{name} == {value}" for name, value in zip(names, chosen, strict=True))
        yield f"LET {given} IN {condition}"


def _listed_values(module: TlaModule, claimed: Property, type_: Type) -> list[str]:
    """Return all values of a type or of a set, each as an expression."""
    match type_:
        case BoolType():
            return ["FALSE", "TRUE"]
        case EnumType(members=members):
            return [tla_value(member) for member in members]
        case IntType(low=int(low), high=int(high)):
            return [str(number) for number in range(low, high + 1)]
    count = _value_count(module, type_)
    if count is None:
        why = "say in `scope` which set it is"
        raise CannotExport(f"`sometimes {claimed.name}`: a witness for each of `{type_}`: {why}")
    text = parenthesised(module.types.value_set(type_))
    return [f"Listed({text})[{number}]" for number in range(1, count + 1)]


def _value_count(module: TlaModule, type_: Type) -> int | None:
    """Return how many values there are, where the scope says it."""
    match type_:
        case IdType(name=name):
            return dict(module.tables.machine.data.scope.sizes).get(name, MOST_IDS)
        case ElementType(set_expression=Name(kind=NameKind.PARAMETER, name=name)):
            match module.given.get(name):
                case SetDisplay(items=items):
                    return len(items)
                case Literal(value=frozenset() as values):
                    return len(values)
                case Name(kind=NameKind.OUTSIDE):
                    return _value_count(module, type_.base)
    return None


def _fairness_premise(fair: list[str]) -> str:
    together = " /\\ ".join(fair)
    return f"({together}) => " if fair else ""


def _temporal_formula(writer: TlaWriter, claimed: Property) -> str:
    """Write what is claimed of whole runs, where the logic of TLA+ can say it.

    Raises:
        CannotExport: it has no until.
    """
    assert claimed.holds is not None
    assert claimed.when is not None
    holds = writer.write_operand(claimed.holds)
    match claimed.kind:
        case PropertyKind.LEADS_TO:
            return f"({writer.write_operand(claimed.when)} ~> {holds})"
        case PropertyKind.ALWAYS_EVENTUALLY:
            return f"[]<>{holds}"
        case PropertyKind.EVENTUALLY_ALWAYS:
            return f"<>[]{holds}"
    raise CannotExport(f"`until {claimed.name}`: TLA+ has no until")


def _fairness_condition(module: TlaModule, group: tuple[Fairness, ...]) -> str:
    kind = "SF" if group[0].strong else "WF"
    if group[0].argument is None:
        events = " \\/ ".join(f"Event_{fair.event}" for fair in group)
        return f"{kind}_vars({events})"
    values = {_argument_values(module, fair) for fair in group}
    if len(values) > 1:
        raise CannotExport(f"fair as one for each value of {len(values)} types: TLA+ has one")
    own = module.writer.names[NameKind.ARGUMENT, group[0].argument]
    events = " \\/ ".join(
        f"{action_given(fair.event, (fair.argument,))}({own})" for fair in group if fair.argument
    )
    return f"(\\A {own} \\in {values.pop()} : {kind}_vars({events}))"


def _argument_values(module: TlaModule, fair: Fairness) -> str:
    """Return the values for each of which an event is fair."""
    arguments = module.tables.behaviour.signature(fair.event).arguments
    argument = next(known for known in arguments if known.name == fair.argument)
    return module.types.value_set(base_type(argument.type))


def _stop_condition(module: TlaModule) -> str:
    final = module.tables.machine.data.final
    parts = ["state \\in Final"] if module.has_states else []
    parts += [module.writer.write_operand(final)] if final is not None else []
    return " \\/ ".join(parts) or "FALSE"
