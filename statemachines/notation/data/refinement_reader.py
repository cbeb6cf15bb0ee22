"""`refines:`: which machine says less, and what its state and its variables are here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import evolve, frozen

from statemachines.model.definitions.data_definitions import Fairness, Refinement
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean, nearest_hint
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.value_types import EnumType, FiniteType, Type, nested_types
from statemachines.notation.data.data_reader import DataReader, doc_text, text_at_key
from statemachines.notation.data.each_reader import EachScope, read_each
from statemachines.notation.data.fairness_reader import EventArguments, read_assumptions
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_text,
)
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.releases.machine_selection import machine_of, release_of_other
from statemachines.notation.releases.release_selection import (
    entries_in_release,
    exists_in,
    source_text,
)
from statemachines.notation.typing.type_agreement import (
    has_the_values_of,
    joined_type,
    types_of_ids,
)

_EACH = re.compile(r"([A-Za-z_][A-Za-z0-9_]*) in (.+)")


def refinement_nodes(root: YamlMapping) -> Iterator[YamlMapping]:
    """Yield the entries of `refines:`: one, or a list of them.

    Args:
        root: the document.

    Yields:
        Mappings, in the author's order.
    """
    node = root.get("refines")
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        if isinstance(item, YamlMapping):
            yield item


def read_refinements(
    reader: DataReader,
    root: YamlMapping,
    specs: Mapping[str, SpecDefinition],
    events: EventArguments,
) -> tuple[Refinement, ...]:
    """Read what is refined in one release.

    Args:
        reader: the scope and the release.
        root: the spec.
        specs: the abstract machines that could be read, by the names that the spec has for them.
        events: what `assuming` may name.

    Returns:
        Those of this release, in the author's order.
    """
    read = (
        _read_refinement(reader, node, machine, events)
        for node in refinement_nodes(root)
        if exists_in(node, reader.family, reader.bit)
        and (machine := _abstract_in_release(reader, node, specs)) is not None
    )
    return tuple(refinement for refinement in read if refinement is not None)


def _abstract_in_release(
    reader: DataReader, node: YamlMapping, specs: Mapping[str, SpecDefinition]
) -> MachineDefinition | None:
    """Return an abstract machine in the release that is read; None where it could not be read."""
    spec, named = specs.get(node_text(node.get("spec"))), node.get("spec")
    if spec is None or named is None:
        return None
    bit = release_of_other(spec, reader.family, reader.bit)
    if bit:
        return machine_of(spec, spec.family.newest(bit) if spec.family.name else None)
    message = f"there is no `{spec.name}` in {reader.family.ranges(reader.bit)}"
    hint = f"give the refinement `in: {reader.family.ranges(spec.releases)}`"
    reader.diagnostics.append(Diagnostic("SM420", message, named.span, hint))
    return None


@frozen
class _Wanted:
    """What must be said of an abstract machine: names with their types."""

    machine: str
    types: Mapping[str, Type]


def _wanted_names(machine: MachineDefinition) -> _Wanted:
    states = tuple(state.name for state in machine.states if state.name)
    types: dict[str, Type] = {"state": EnumType("State", states)} if states else {}
    types |= {parameter.name: parameter.type for parameter in machine.data.parameters}
    types |= {variable.name: variable.type for variable in machine.data.variables}
    return _Wanted(machine.name, types)


def _read_refinement(
    reader: DataReader, node: YamlMapping, machine: MachineDefinition, events: EventArguments
) -> Refinement | None:
    inside = _read_each_key(reader, node)
    if inside is None:
        return None
    wanted = _wanted_names(machine)
    by = dict(_read_given(reader, node, wanted, inside.facts))
    mapping = node.get("by")
    written = (
        {key.text for key, _ in mapping.entries} if isinstance(mapping, YamlMapping) else set()
    )
    for name in [type_ for type_ in wanted.types if type_ not in written]:
        own = _read_namesake(reader, node, wanted, name, inside.facts)
        if own is not None:
            by[name] = own
    ids = _types_of_ids(reader, node, wanted, by) if len(by) == len(wanted.types) else None
    if ids is None:
        return None
    return Refinement(
        node_text(node.get("spec")),
        tuple((name, by[name]) for name in wanted.types),
        inside.each,
        inside.guard,
        _read_fair_events(reader, node, inside.facts, events),
        tuple(ids.items()),
        _read_most_steps(reader, node),
        text_at_key(node, "expect") == "fails",
        doc_text(node),
        node.span,
    )


def _types_of_ids(
    reader: DataReader, node: YamlMapping, wanted: _Wanted, by: Mapping[str, Expression]
) -> dict[str, FiniteType] | None:
    """Return the types whose values stand for those of `id` types; None where one would have values
    of two kinds.
    """
    finite = dict[str, FiniteType]()
    for name, type_ in wanted.types.items():
        for id_type, ours in types_of_ids(type_, by[name].type):
            both = joined_type(finite.get(id_type, ours), ours)
            if not isinstance(both, FiniteType):
                message = (
                    f"`{id_type}` of {wanted.machine} would be of type `{ours}` here, and of type"
                    f" `{finite[id_type]}`"
                )
                place = by[name].span or node.span
                reader.diagnostics.append(Diagnostic("SM420", message, place))
                return None
            finite[id_type] = both
    return finite


def _read_most_steps(reader: DataReader, node: YamlMapping) -> int:
    """Read how many steps one may be. Promises are asked of the rows here: of those between two
    steps of one they would not be.
    """
    written, fair = node.get("steps"), node.get("assuming")
    if written is not None and fair is not None:
        message = "what is promised there cannot be claimed where a step is several of its steps"
        hint = "leave out `assuming`, or `steps`"
        reader.diagnostics.append(Diagnostic("SM420", message, written.span, hint))
    return 1 if written is None else int(node_text(written).removeprefix("up to "))


def _read_fair_events(
    reader: DataReader, node: YamlMapping, facts: Facts, events: EventArguments
) -> tuple[Fairness, ...] | None:
    """Read what `assuming` says; None where it is not there."""
    written = node.get("assuming")
    if written is None:
        return None
    inside = evolve(facts, scope=evolve(facts.scope, events=events))
    return tuple(read_assumptions(reader, written, inside))


def _read_each_key(reader: DataReader, node: YamlMapping) -> EachScope | None:
    """Read `for each: t in Task`; None where that is wrong."""
    written = node.get("for each")
    if not isinstance(written, YamlScalar):
        return EachScope(reader.facts)
    match = _EACH.fullmatch(written.text)
    if match is None:
        message = f"`{written.text}` names nothing of which there are several"
        reader.diagnostics.append(
            Diagnostic("SM420", message, written.span, "write `for each: t in Task`")
        )
        return None
    return read_each(reader, reader.facts, source_text(written), match)


def _read_given(
    reader: DataReader, node: YamlMapping, wanted: _Wanted, facts: Facts
) -> Iterator[tuple[str, Expression]]:
    """Yield what `by` says."""
    for name, value in entries_in_release(node.get("by"), reader.family, reader.bit):
        type_ = wanted.types.get(name.text)
        if type_ is None:
            message = f"`{wanted.machine}` has no `{name.text}` that could be something here"
            hint = did_you_mean(name.text, list(wanted.types))
            reader.diagnostics.append(Diagnostic("SM420", message, name.span, hint))
            continue
        typed = reader.read_expression(value, facts)
        if typed is not None and _fits(reader, value, wanted, name.text, typed):
            yield name.text, typed


def _fits(
    reader: DataReader, node: YamlNode, wanted: _Wanted, name: str, typed: Expression
) -> bool:
    """Report what has values of another kind."""
    if has_the_values_of(wanted.types[name], typed.type):
        return True
    message = (
        f"this is of type `{typed.type}`, and `{name}` of {wanted.machine} of type"
        f" `{wanted.types[name]}`"
    )
    hint = _more_members(wanted.types[name], typed.type)
    reader.diagnostics.append(Diagnostic("SM420", message, typed.span or node.span, hint))
    return False


def _more_members(wanted: Type, actual: Type) -> str:
    """Say which members only ours has, of two enumerations that are called the same."""
    theirs = {type_.name: type_ for type_ in nested_types(wanted) if isinstance(type_, EnumType)}
    for ours in nested_types(actual):
        if isinstance(ours, EnumType) and ours.name in theirs:
            more = [member for member in ours.members if member not in theirs[ours.name].members]
            if more:
                missing = " and no ".join(f"`{member}`" for member in more)
                return f"`{ours.name}` there has no {missing}"
    return ""


def _read_namesake(
    reader: DataReader, node: YamlMapping, wanted: _Wanted, name: str, facts: Facts
) -> Expression | None:
    """Return what has the name of something that `by` does not mention; report that nothing has."""
    place = node.get("by") or node.get("spec") or node
    typed, wrong = read_expression(SourceText(name, place.span), facts)
    if typed is None and not wrong:
        return None  # something is wrong with its declaration, which is told there
    if typed is not None and has_the_values_of(wanted.types[name], typed.type):
        return typed
    message = (
        f"it is not said what `{name}` of {wanted.machine} is here; it is of type"
        f" `{wanted.types[name]}`"
    )
    others = [known for known in reader.scope.names if known != name]
    hint = "" if typed is None else _more_members(wanted.types[name], typed.type)
    hint = hint or nearest_hint(name, others) or f"write `by: {{{name}: …}}`"
    reader.diagnostics.append(Diagnostic("SM420", message, place.span, hint, undeclared=name))
    return None
