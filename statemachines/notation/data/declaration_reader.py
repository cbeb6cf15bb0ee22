"""Types, errors, parameters, variables and definitions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping as Mapping_

import attrs

from statemachines.model.definitions.data_definitions import (
    Definition,
    ErrorName,
    Parameter,
    Variable,
)
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Expression,
    InStates,
    Name,
    NameKind,
    walk,
)
from statemachines.model.language.value_types import (
    ERROR_TYPE,
    ElementType,
    EnumType,
    ErrorType,
    IdType,
    IntType,
    MapType,
    RecordType,
    Type,
    base_type,
)
from statemachines.notation.data.data_reader import (
    DataReader,
    declared_value,
    doc_text,
    text_at_key,
)
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_texts,
)
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.type_obligations import is_proved_of_type
from statemachines.notation.releases.release_selection import entries_in_release, source_text
from statemachines.notation.typing.name_scope import NameScope

_VALUE = re.compile(r"-?\d+|true|false|True|False|None|null|\[\]|\{\}|set\(\)|'[^']*'|\"[^\"]*\"")
"""A value that stands where a type should."""
_ASSIGNMENT_SIGN = re.compile(r"(?<![=!<>])=(?!=)")


def read_types(reader: DataReader, roots: list[YamlMapping]) -> tuple[tuple[str, Type], ...]:
    """Read the declared types; one may use another that stands further down.

    Args:
        reader: the scope and the release, and where mistakes go.
        roots: the document, and those that it uses.

    Returns:
        Names and types, in the author's order.
    """
    nodes = {
        name.text: (name, node)
        for root in roots
        for name, node in entries_in_release(root.get("types"), reader.family, reader.bit)
    }
    for scalar, _ in nodes.values():
        reader.namespace.declare_global(scalar)
    if "Error" not in nodes:
        read_errors(reader, roots)  # a record may have a field of type `Error?`
    pending: list[str] = []
    parameters = _parameter_names(reader, roots)

    def read(name: str) -> None:
        if name in reader.scope.types or name not in nodes:
            return
        scalar, node = nodes[name]
        if name in pending:
            reader.diagnostics.append(
                Diagnostic(
                    "SM316",
                    f"type `{name}` contains itself",
                    scalar.span,
                    "such a value would never end",
                )
            )
            reader.set_scope(
                attrs.evolve(reader.scope, types={**reader.scope.types, name: ERROR_TYPE})
            )
            return
        pending.append(name)
        for used in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", " ".join(_type_texts(node))):
            if used != name or isinstance(node, YamlMapping):
                read(used)
        pending.pop()
        type_ = _declared_type(reader, scalar, node, parameters)
        known: Type = ERROR_TYPE if type_ is None else type_
        reader.set_scope(attrs.evolve(reader.scope, types={**reader.scope.types, name: known}))

    for name in nodes:
        read(name)
    types = reader.scope.types
    return tuple(
        (name, types[name])
        for name in nodes
        if not isinstance(types.get(name, ERROR_TYPE), ErrorType)
    )


def _parameter_names(reader: DataReader, roots: list[YamlMapping]) -> frozenset[str]:
    return frozenset(
        name.text
        for root in roots
        for name, _ in entries_in_release(root.get("parameters"), reader.family, reader.bit)
    )


def _type_texts(node: YamlNode) -> list[str]:
    """Return the type texts that a declared type is made of."""
    if isinstance(node, YamlScalar):
        return [node.text]
    return (
        [part.text for _, part in node.entries if isinstance(part, YamlScalar)]
        if isinstance(node, YamlMapping)
        else []
    )


def _declared_type(
    reader: DataReader, name: YamlScalar, node: YamlNode, parameters: frozenset[str]
) -> Type | None:
    """Read `id`, a list of members, the fields of a record, or another type's text."""
    if isinstance(node, YamlSequence):
        return _enum_type(reader, name, node)
    if isinstance(node, YamlMapping) and node.get("is") is None:
        return _record_type(reader, name, node, parameters)
    scalar = reader.scalar_in_release(node)
    return (
        IdType(name.text) if scalar is not None and scalar.text == "id" else reader.read_type(node)
    )


def _enum_type(reader: DataReader, name: YamlScalar, node: YamlSequence) -> Type:
    members = node_texts(node)
    for index, item in enumerate(node.items):
        if isinstance(item, YamlScalar) and item.text in members[:index]:
            reader.diagnostics.append(
                Diagnostic("SM205", f"`{item.text}` is listed twice", item.span)
            )
    return EnumType(name.text, tuple(dict.fromkeys(members)))


def _record_type(
    reader: DataReader, name: YamlScalar, node: YamlMapping, parameters: frozenset[str]
) -> Type:
    fields = list[tuple[str, Type]]()
    for field, part in node.entries:
        type_ = reader.read_type(part)
        if type_ is None and isinstance(part, YamlScalar) and part.text in parameters:
            reader.diagnostics[-1] = attrs.evolve(
                reader.diagnostics[-1],
                hint="types are read before parameters; write the type of its elements",
            )
        if field.text.startswith("_") or keyword.iskeyword(field.text):
            reader.diagnostics.append(
                Diagnostic(
                    "SM315",
                    f"a field cannot be called `{field.text}`",
                    field.span,
                    "choose another name",
                )
            )
        else:  # what is wrong with its type is told once, and not where values are made
            fields.append((field.text, ERROR_TYPE if type_ is None else type_))
    return RecordType(name.text, tuple(fields))


def read_errors(reader: DataReader, roots: list[YamlMapping]) -> tuple[ErrorName, ...]:
    """Read the declared errors and make the enumeration `Error` of them.

    Args:
        reader: the scope and the release, and where mistakes go.
        roots: the document, and those that it uses.

    Returns:
        The errors, in the author's order.
    """
    errors = tuple(
        ErrorName(
            name.text,
            doc_text(node) or (node.text if isinstance(node, YamlScalar) else ""),
            name.span,
        )
        for root in roots
        for name, node in entries_in_release(root.get("errors"), reader.family, reader.bit)
    )
    if errors and "Error" not in reader.scope.types:
        members = tuple(dict.fromkeys(error.name for error in errors))
        reader.set_scope(
            attrs.evolve(
                reader.scope, types={**reader.scope.types, "Error": EnumType("Error", members)}
            )
        )
    return errors


def read_parameters(reader: DataReader, root: YamlMapping) -> tuple[Parameter, ...]:
    """Read the parameters in order; a later one's type may use an earlier one.

    Args:
        reader: the scope and the release, and where mistakes go.
        root: the document.

    Returns:
        Those of this release, in the author's order.
    """
    read = []
    for name, node in entries_in_release(root.get("parameters"), reader.family, reader.bit):
        type_, default = reader.read_type_and_default(
            node.get("type") if isinstance(node, YamlMapping) and node.get("type") else node
        )
        if not reader.namespace.declare_global(name):
            continue
        reader.declare(declared_value(NameKind.PARAMETER, name, type_, default))
        if type_ is not None:
            read.append(Parameter(name.text, type_, doc_text(node), name.span))
    return tuple(read)


def read_variables(
    reader: DataReader, root: YamlMapping
) -> tuple[tuple[Variable, SourceText | None], ...]:
    """Read the variables in order, each with the text of its first value, which is read once all
    definitions are known.

    Args:
        reader: the scope and the release, and where mistakes go.
        root: the document.

    Returns:
        Pairs of a variable without a first value and that value's text, in the author's order.
    """
    read = []
    for name, node in entries_in_release(root.get("variables"), reader.family, reader.bit):
        kind, initial = _type_and_initial_texts(reader, node)
        if kind is not None and initial is None and _VALUE.fullmatch(kind.text):
            reader.diagnostics.append(_value_without_type(name, kind))
            reader.declare(declared_value(NameKind.VARIABLE, name, None, None))
            continue
        if kind is None:
            continue
        first = len(reader.diagnostics)
        type_, default = reader.read_type_text(kind)
        reader.diagnostics[first:] = _with_definition_hints(reader.diagnostics[first:], root)
        if initial is None:
            hint = f'`{name.text}: "{kind.text} = …"`, or `initial: any`'
            reader.diagnostics.append(
                Diagnostic("SM321", f"`{name.text}` has no initial value", name.span, hint)
            )
        if not reader.namespace.declare_global(name):
            continue
        reader.declare(declared_value(NameKind.VARIABLE, name, type_, default))
        if type_ is not None:
            observable = text_at_key(node, "observable").lower() != "false"
            read.append(
                (Variable(name.text, type_, None, observable, doc_text(node), name.span), initial)
            )
    return tuple(read)


def _value_without_type(name: YamlScalar, value: SourceText) -> Diagnostic:
    """Report a variable of which only the first value is said."""
    text = value.text
    kind = "bool" if text.lower() in ("true", "false") else "int" if text[-1].isdigit() else "…"
    shown = text.capitalize() if kind == "bool" else text
    message = f"`{name.text}` has the value `{text}` and no type"
    hint = f'write `{name.text}: "{kind} = {shown}"`'
    return Diagnostic("SM313", message, value.span_at(0, len(text)), hint)


def _with_definition_hints(diagnostics: list[Diagnostic], root: YamlMapping) -> list[Diagnostic]:
    """Name what is no type where it is a definition: these are read when all variables are."""
    defined = root.get("define")
    names = (
        {scalar.text for scalar, _ in defined.entries} if isinstance(defined, YamlMapping) else ()
    )
    return [
        attrs.evolve(
            wrong,
            message=f"the definition `{name}` is no type of a variable",
            hint=f"a definition may use variables, so it is read later: write out what `{name}` is"
            " (arguments of events may have it)",
        )
        if wrong.code == "SM314" and (name := wrong.undeclared) in names
        else wrong
        for wrong in diagnostics
    ]


def _type_and_initial_texts(
    reader: DataReader, node: YamlNode
) -> tuple[SourceText | None, SourceText | None]:
    """Return a variable's type and initial value: `type = value`, or both as keys."""
    if isinstance(node, YamlMapping) and node.get("type") is not None:
        kind, initial = (
            reader.scalar_in_release(node.get("type")),
            reader.scalar_in_release(node.get("initial")),
        )
        return (source_text(kind) if kind else None), (source_text(initial) if initial else None)
    scalar = reader.scalar_in_release(node)
    if scalar is None:
        return None, None
    whole = source_text(scalar)
    sign = _ASSIGNMENT_SIGN.search(whole.text)
    return (
        (whole, None)
        if sign is None
        else (whole.part(0, sign.start()), whole.part(sign.end(), len(whole.text)))
    )


def read_initial_values(
    reader: DataReader, read: tuple[tuple[Variable, SourceText | None], ...]
) -> tuple[Variable, ...]:
    """Read the first values; they see parameters, and definitions that use nothing else.

    Args:
        reader: the scope and the release, and where mistakes go.
        read: as `read_variables` gives them.

    Returns:
        The variables with their first values, in the same order.
    """
    facts = attrs.evolve(reader.facts, scope=_initial_value_scope(reader))
    variables = []
    for variable, text in read:
        if text is None or text.text == "any":
            variables.append(variable)
            continue
        value, diagnostics = read_expression(text, facts, variable.type)
        reader.diagnostics.extend(diagnostics)
        if (
            value is not None
            and not is_proved_of_type(facts, value, variable.type)
            and not _uses_names(value)
        ):
            message = f"`{text.text}` is not shown to be of type `{variable.type}`"
            span, hint = text.span_at(0, len(text.text)), _initial_value_hint(variable.type)
            reader.diagnostics.append(Diagnostic("SM321", message, span, hint))
        variables.append(attrs.evolve(variable, initial=value))
    return tuple(variables)


def _initial_value_hint(type_: Type) -> str:
    """Say what a first value must be; of a map that has all keys, how such a one is written."""
    map_type = base_type(type_)
    if not isinstance(map_type, MapType) or not map_type.total:
        return "the initial value must have the variable's type"
    keys = map_type.key
    some = f"map[{base_type(keys)}, {map_type.value}]" if isinstance(keys, ElementType) else ""
    # a range of integers is `0..2` in a declaration, and `range(0, 3)` in an expression
    each = str(keys)
    if isinstance(keys, IntType) and keys.low is not None and keys.high is not None:
        each = f"range({keys.low}, {keys.high + 1})"
    may_lack = f"; one that may lack keys is a `{some}`" if some else ""
    return (
        f"such a map has every one of `{keys}`: `{{k: … for k in {each}}}`, or `map[…] else …`"
        f"{may_lack}"
    )


def _uses_names(node: Expression) -> bool:
    return any(isinstance(part, Name | DefinitionCall) for part in walk(node))


def _initial_value_scope(reader: DataReader) -> NameScope:
    """Return the scope without variables, and without definitions that use them."""
    scope = reader.scope
    names = {
        name: declared
        for name, declared in scope.names.items()
        if declared.kind is NameKind.PARAMETER
    }
    definitions = _without_state(scope.definitions)
    return attrs.evolve(scope, names=names, definitions=definitions, predicates={}, state=None)


def _without_state(definitions: Mapping_[str, Definition]) -> dict[str, Definition]:
    """Return the definitions that use no variable and no state, nor one that does; each stands
    after those that it uses, so that one look at each is enough.
    """
    bodies: dict[str, Definition] = {}
    for name, definition in definitions.items():
        if not any(
            isinstance(part, InStates)
            or (isinstance(part, Name) and part.kind in (NameKind.VARIABLE, NameKind.STATE))
            or (isinstance(part, DefinitionCall) and part.definition not in bodies)
            for part in walk(definition.body)
        ):
            bodies[name] = definition
    return bodies
