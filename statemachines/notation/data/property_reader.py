"""Properties, texts and the scope of exploring."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from statemachines.model.definitions.data_definitions import (
    Parameter,
    Property,
    PropertyKind,
    ScopeDefinition,
    TextTemplate,
)
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.expression_nodes import (
    TRUE,
    Expression,
    NameKind,
)
from statemachines.model.language.value_types import (
    ErrorType,
    IdType,
    IntType,
    SetType,
    Type,
)
from statemachines.notation.data.data_reader import DataReader, doc_text, text_at_key
from statemachines.notation.data.each_reader import EachScope, read_each
from statemachines.notation.data.fairness_reader import EventArguments, read_assumptions
from statemachines.notation.data.type_reader import read_type
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
)
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.releases.release_selection import (
    entries_in_release,
    source_text,
    value_in_release,
)
from statemachines.notation.typing.name_scope import DeclaredName
from statemachines.notation.typing.type_agreement import without_element_types

STATE_CONSTRAINT = "state constraint"
"""The key of a scope for what holds of the states that are gone on from."""
MOST_NAMES = 100_000
"""Names of an `id` type that a scope may ask for."""
_EACH = re.compile(r"for each ([A-Za-z_][A-Za-z0-9_]*) in (.+)")
_TEXT_FIELD = re.compile(r"\{([^{}]*)\}")


def read_properties(
    reader: DataReader, root: YamlMapping, events: EventArguments
) -> tuple[Property, ...]:
    """Read all properties, in the order of their kinds.

    Args:
        reader: the scope and the release.
        root: the spec.
        events: what `assuming` and `enabled` may name.

    Returns:
        Those of this release.
    """
    scope = attrs.evolve(reader.scope, events=events)
    facts = attrs.evolve(reader.facts, scope=scope)
    properties = [*_read_conditions(reader, root, PropertyKind.ALWAYS, facts)]
    properties += _read_conditions(reader, root, PropertyKind.EACH_STEP, _step_facts(reader, facts))
    properties += _read_conditions(reader, root, PropertyKind.SOMETIMES, facts)
    for kind in PropertyKind:
        if kind.is_of_runs:
            properties += _read_promises(reader, root, kind, facts)
    node = value_in_release(root.get("no deadlock"), reader.family, reader.bit)
    if not (isinstance(node, YamlScalar) and node.text.lower() == "false"):
        properties.append(
            Property(
                PropertyKind.NO_DEADLOCK,
                "no deadlock",
                expect_fails=text_at_key(node, "expect") == "fails",
                doc=doc_text(node),
            )
        )
    return tuple(properties)


def _step_facts(reader: DataReader, facts: Facts) -> Facts:
    """Return the facts of a step: `before.x` is there too."""
    names: dict[str, Type] = {
        name: without_element_types(declared.type)
        for name, declared in reader.scope.names.items()
        if declared.kind is NameKind.VARIABLE
    }
    if reader.scope.state is not None:
        names["state"] = reader.scope.state
    return attrs.evolve(facts, scope=attrs.evolve(facts.scope, before=names or {"": IntType()}))


def _read_conditions(
    reader: DataReader, root: YamlMapping, claim: PropertyKind, facts: Facts
) -> Iterator[Property]:
    for name, node, inside in _read_entries(reader, root.get(claim.value), facts):
        fields = node if isinstance(node, YamlMapping) else YamlMapping((), node.span)
        holds = reader.read_condition(fields.get("holds") or node, inside.facts)
        if holds is None:
            continue
        if claim is PropertyKind.SOMETIMES:
            property_ = _make_property(claim, name, fields, inside.of_one(holds))
            yield attrs.evolve(property_, each=inside.each, when=inside.guard)
        else:
            property_ = _make_property(claim, name, fields, inside.where_it_is_one(holds))
            yield attrs.evolve(property_, each=inside.each)


def _read_entries(
    reader: DataReader, node: YamlNode | None, facts: Facts
) -> Iterator[tuple[YamlScalar, YamlNode, EachScope]]:
    """Yield what is claimed by its name, and what is claimed for each of something."""
    for name, claimed in entries_in_release(node, reader.family, reader.bit):
        match = _EACH.fullmatch(name.text)
        if match is None:
            yield name, claimed, EachScope(facts)
        elif (within := read_each(reader, facts, source_text(name), match)) is not None:
            for inner, entry in entries_in_release(claimed, reader.family, reader.bit):
                yield inner, entry, within


def _make_property(
    claim: PropertyKind, name: YamlScalar, fields: YamlMapping, holds: Expression
) -> Property:
    return Property(
        claim,
        name.text,
        holds,
        until_raised=text_at_key(fields, "until") == "raised",
        expect_fails=text_at_key(fields, "expect") == "fails",
        doc=doc_text(fields),
        span=name.span,
    )


def _read_promises(
    reader: DataReader, root: YamlMapping, kind: PropertyKind, facts: Facts
) -> Iterator[Property]:
    """Read what is claimed of whole runs."""
    for name, node, inside in _read_entries(reader, root.get(kind.value), facts):
        yield from _read_promise(reader, kind, name, node, inside)


def _read_promise(
    reader: DataReader,
    kind: PropertyKind,
    name: YamlScalar,
    node: YamlNode,
    inside: EachScope,
) -> Iterator[Property]:
    fields = node if isinstance(node, YamlMapping) else YamlMapping((), node.span)
    when, meanwhile = (
        None if fields.get(key) is None else reader.read_condition(fields.get(key), inside.facts)
        for key in ("when", "holds" if kind is PropertyKind.UNTIL else "")
    )
    if when is None and kind in (PropertyKind.ALWAYS_EVENTUALLY, PropertyKind.EVENTUALLY_ALWAYS):
        when = TRUE
    then = reader.read_condition(fields.get("then") or fields.get("holds") or node, inside.facts)
    if when is not None and then is not None:
        yield attrs.evolve(
            _make_property(kind, name, fields, inside.where_it_is_one(then)),
            when=inside.of_one(when),
            meanwhile=None if meanwhile is None else inside.where_it_is_one(meanwhile),
            assuming=tuple(read_assumptions(reader, fields.get("assuming"), inside.facts)),
            each=inside.each,
        )


def read_texts(reader: DataReader, root: YamlMapping) -> tuple[TextTemplate, ...]:
    """Read the templates for people.

    Args:
        reader: the scope and the release, and where mistakes go.
        root: the document.

    Returns:
        Those of this release, in the author's order.
    """
    read = []
    names = [*reader.scope.names, "state"]
    for name, node in entries_in_release(root.get("texts"), reader.family, reader.bit):
        scalar = node.get("text") if isinstance(node, YamlMapping) else node
        if not isinstance(scalar, YamlScalar):
            continue
        for match in _TEXT_FIELD.finditer(scalar.text.replace("{{", "  ").replace("}}", "  ")):
            if match[1] not in names:
                span = source_text(scalar).span_at(match.start(), len(match[0]))
                reader.diagnostics.append(
                    Diagnostic(
                        "SM327",
                        f"`{{{match[1]}}}` is not declared",
                        span,
                        did_you_mean(match[1], names),
                    )
                )
        read.append(TextTemplate(name.text, scalar.text, doc_text(node), name.span))
    return tuple(read)


def read_scope(
    reader: DataReader, root: YamlMapping, parameters: tuple[Parameter, ...]
) -> ScopeDefinition:
    """Read how much is explored where nothing else is said.

    Args:
        reader: the scope and the release, and where mistakes go.
        root: the document.
        parameters: that values may be listed for.

    Returns:
        Sizes of types, lengths of lists, values of parameters.
    """
    sizes, values, integers, longest, constraint = [], [], None, None, None
    known = {parameter.name: parameter for parameter in parameters}
    facts = _scope_facts(reader)
    for name, node in entries_in_release(root.get("scope"), reader.family, reader.bit):
        scalar = reader.scalar_in_release(node)
        if scalar is None:
            continue
        if name.text == STATE_CONSTRAINT:
            constraint = reader.read_condition(node)
        elif name.text == "int":
            integers = _integer_range(reader, scalar)
        elif name.text == "list":
            longest = _list_length(reader, scalar)
        elif _is_of_no_type(reader, name.text):
            continue
        elif name.text in known:
            value = reader.read_expression(node, facts, known[name.text].type)
            values += [(name.text, value)] if value is not None else []
        elif (
            isinstance(reader.scope.types.get(name.text), IdType)
            and (size := _small_number(scalar)) is not None
            and size <= MOST_NAMES
        ):
            sizes.append((name.text, size))
        else:
            _report_unknown_scope(
                reader,
                name,
                scalar,
                [
                    *known,
                    *(
                        name
                        for name, type_ in reader.scope.types.items()
                        if isinstance(type_, IdType)
                    ),
                ],
            )
    return ScopeDefinition(tuple(sizes), integers, tuple(values), longest, constraint)


def _is_of_no_type(reader: DataReader, name: str) -> bool:
    """Tell whether a parameter or a type is declared, and something is wrong with that."""
    declared = reader.scope.names.get(name)
    type_ = declared.type if declared is not None else reader.scope.types.get(name)
    return isinstance(type_, ErrorType)


def _scope_facts(reader: DataReader) -> Facts:
    """Return a scope in which the name of an `id` type is the set of its values."""
    ids = {name: type_ for name, type_ in reader.scope.types.items() if isinstance(type_, IdType)}
    declared = [DeclaredName(NameKind.OUTSIDE, name, SetType(type_)) for name, type_ in ids.items()]
    names = {
        name: declared
        for name, declared in reader.scope.names.items()
        if declared.kind is NameKind.PARAMETER
    }
    return Facts(attrs.evolve(reader.scope, names=names).with_names(*declared))


def _integer_range(reader: DataReader, scalar: YamlScalar) -> tuple[int, int] | None:
    type_, _ = read_type(source_text(scalar), reader.facts)
    if isinstance(type_, IntType) and type_.low is not None and type_.high is not None:
        return type_.low, type_.high
    reader.diagnostics.append(
        Diagnostic("SM404", f"`{scalar.text}` is not a range", scalar.span, "write `int: 0..3`")
    )
    return None


def _list_length(reader: DataReader, scalar: YamlScalar) -> int | None:
    length = _small_number(scalar)
    if length is None:
        reader.diagnostics.append(
            Diagnostic("SM404", f"`{scalar.text}` is not a length", scalar.span, "write `list: 3`")
        )
    return length


def _small_number(scalar: YamlScalar) -> int | None:
    """Return a number of at most nine digits; Python refuses to read thousands of them."""
    return int(scalar.text) if re.fullmatch("[0-9]{1,9}", scalar.text) else None


def _report_unknown_scope(
    reader: DataReader, name: YamlScalar, scalar: YamlScalar, known: list[str]
) -> None:
    if name.text in known:
        reader.diagnostics.append(
            Diagnostic(
                "SM404",
                f"`{scalar.text}` is not a number of values",
                scalar.span,
                f"write `{name.text}: 3`; the most is {MOST_NAMES:,}",
            )
        )
    else:
        hint = did_you_mean(name.text, [*known, "int", "list", STATE_CONSTRAINT])
        message = f"`{name.text}` is neither an `id` type nor a parameter"
        reader.diagnostics.append(
            Diagnostic("SM404", message, name.span, hint, undeclared=name.text)
        )
