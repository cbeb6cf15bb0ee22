"""Types, errors, parameters, variables and definitions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping as Mapping_

import attrs

from statemachines.model.data import Definition, ErrorName, Parameter, Variable
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Apply, Expression, InStates, Kind, Name, walk
from statemachines.model.types import WRONG, EnumType, IdType, RecordType, Type, WrongType
from statemachines.notation.data.picking import entries_of, written_of
from statemachines.notation.data.reader import Reader, doc_of, names_in, text_key
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.obligations import is_shown
from statemachines.notation.expressions.reader import Written
from statemachines.notation.expressions.reading import read_expression
from statemachines.notation.expressions.scope import Declared, Scope
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence, texts_of
from statemachines.notation.types import read_type

_ASSIGNED = re.compile(r"(?<![=!<>])=(?!=)")


def read_types(reader: Reader, roots: list[Mapping]) -> tuple[tuple[str, Type], ...]:
    """Read the declared types; one may use another that stands further down."""
    nodes = {name.text: (name, node) for root in roots for name, node in entries_of(root.get("types"), reader.family, reader.bit)}
    for scalar, _ in nodes.values():
        reader.taken.hold(scalar)
    if "Error" not in nodes:
        read_errors(reader, roots)  # a record may have a field of type `Error?`
    pending: list[str] = []

    def read(name: str) -> None:
        if name in reader.scope.types or name not in nodes:
            return
        scalar, node = nodes[name]
        if name in pending:
            reader.found.append(Diagnostic("SM316", f"type `{name}` is made of itself", scalar.span, "a value would have no end"))
            reader.within(attrs.evolve(reader.scope, types={**reader.scope.types, name: WRONG}))
            return
        pending.append(name)
        for used in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", " ".join(_texts(node))):
            if used != name or isinstance(node, Mapping):
                read(used)
        pending.pop()
        type_ = _declared_type(reader, scalar, node)
        known: Type = WRONG if type_ is None else type_
        reader.within(attrs.evolve(reader.scope, types={**reader.scope.types, name: known}))

    for name in nodes:
        read(name)
    types = reader.scope.types
    return tuple((name, types[name]) for name in nodes if not isinstance(types.get(name, WRONG), WrongType))


def _texts(node: Node) -> list[str]:
    """Return the type texts that a declared type is made of."""
    if isinstance(node, Scalar):
        return [node.text]
    return [part.text for _, part in node.entries if isinstance(part, Scalar)] if isinstance(node, Mapping) else []


def _declared_type(reader: Reader, name: Scalar, node: Node) -> Type | None:
    """Read `id`, a list of members, the fields of a record, or another type's text."""
    if isinstance(node, Sequence):
        return _enumeration(reader, name, node)
    if isinstance(node, Mapping) and node.get("is") is None:
        return _record(reader, name, node)
    scalar = reader.scalar(node)
    return IdType(name.text) if scalar is not None and scalar.text == "id" else reader.type(node)


def _enumeration(reader: Reader, name: Scalar, node: Sequence) -> Type:
    members = texts_of(node)
    for place, item in enumerate(node.items):
        if isinstance(item, Scalar) and item.text in members[:place]:
            reader.found.append(Diagnostic("SM205", f"`{item.text}` is a member twice", item.span))
    return EnumType(name.text, tuple(dict.fromkeys(members)))


def _record(reader: Reader, name: Scalar, node: Mapping) -> Type:
    fields = []
    for field, part in node.entries:
        type_ = reader.type(part)
        if field.text.startswith("_") or keyword.iskeyword(field.text):
            reader.found.append(Diagnostic("SM315", f"a field cannot be called `{field.text}`", field.span, "choose another name"))
        elif type_ is not None:
            fields.append((field.text, type_))
    return RecordType(name.text, tuple(fields))


def read_errors(reader: Reader, roots: list[Mapping]) -> tuple[ErrorName, ...]:
    """Read the declared errors and make the enumeration `Error` of them."""
    errors = tuple(
        ErrorName(name.text, doc_of(node) or (node.text if isinstance(node, Scalar) else ""), name.span)
        for root in roots
        for name, node in entries_of(root.get("errors"), reader.family, reader.bit)
    )
    if errors and "Error" not in reader.scope.types:
        members = tuple(dict.fromkeys(error.name for error in errors))
        reader.within(attrs.evolve(reader.scope, types={**reader.scope.types, "Error": EnumType("Error", members)}))
    return errors


def read_parameters(reader: Reader, root: Mapping) -> tuple[Parameter, ...]:
    """Read the parameters in order; a later one's type may use an earlier one."""
    read = []
    for name, node in entries_of(root.get("parameters"), reader.family, reader.bit):
        type_ = reader.type(node.get("type") if isinstance(node, Mapping) and node.get("type") else node)
        if not reader.taken.hold(name):
            continue
        reader.declare(Declared(Kind.PARAMETER, name.text, WRONG if type_ is None else type_, name.span))
        if type_ is not None:
            read.append(Parameter(name.text, type_, doc_of(node), name.span))
    return tuple(read)


def read_variables(reader: Reader, root: Mapping) -> tuple[tuple[Variable, Written | None], ...]:
    """Read the variables in order, each with the text of its first value, which is read once all definitions are known."""
    read = []
    for name, node in entries_of(root.get("variables"), reader.family, reader.bit):
        kind, initial = _parts(reader, node)
        if kind is None:
            continue
        type_, found = read_type(kind, reader.facts)
        reader.found.extend(found)
        if initial is None:
            hint = f'`{name.text}: "{kind.text} = …"`, or `initial: any`'
            reader.found.append(Diagnostic("SM321", f"`{name.text}` has no first value", name.span, hint))
        if not reader.taken.hold(name):
            continue
        reader.declare(Declared(Kind.VARIABLE, name.text, WRONG if type_ is None else type_, name.span))
        if type_ is not None:
            observable = text_key(node, "observable").lower() != "false"
            read.append((Variable(name.text, type_, None, observable, doc_of(node), name.span), initial))
    return tuple(read)


def _parts(reader: Reader, node: Node) -> tuple[Written | None, Written | None]:
    """Return a variable's type and first value: `type = value`, or the keys `type` and `initial`."""
    if isinstance(node, Mapping) and node.get("type") is not None:
        kind, initial = reader.scalar(node.get("type")), reader.scalar(node.get("initial"))
        return (written_of(kind) if kind else None), (written_of(initial) if initial else None)
    scalar = reader.scalar(node)
    if scalar is None:
        return None, None
    whole = written_of(scalar)
    sign = _ASSIGNED.search(whole.text)
    return (whole, None) if sign is None else (whole.part(0, sign.start()), whole.part(sign.end(), len(whole.text)))


def read_initial(reader: Reader, read: tuple[tuple[Variable, Written | None], ...]) -> tuple[Variable, ...]:
    """Read the first values; they see parameters, and definitions that use nothing else."""
    facts = attrs.evolve(reader.facts, scope=initial_scope(reader))
    variables = []
    for variable, text in read:
        if text is None or text.text == "any":
            variables.append(variable)
            continue
        value, found = read_expression(text, facts, variable.type)
        reader.found.extend(found)
        if value is not None and not is_shown(facts, value, variable.type) and not _has_names(value):
            message, place = f"`{text.text}` is not shown to be of type `{variable.type}`", text.place(0, len(text.text))
            reader.found.append(Diagnostic("SM321", message, place, "the first value must be of the variable's type"))
        variables.append(attrs.evolve(variable, initial=value))
    return tuple(variables)


def _has_names(node: Expression) -> bool:
    return any(isinstance(part, Name | Apply) for part in walk(node))


def initial_scope(reader: Reader) -> Scope:
    """Return the scope without variables, and without definitions that use them."""
    scope = reader.scope
    names = {name: declared for name, declared in scope.names.items() if declared.kind is Kind.PARAMETER}
    definitions = {name: one for name, one in scope.definitions.items() if not _uses_state(one, scope.definitions)}
    return attrs.evolve(scope, names=names, definitions=definitions, predicates={}, state=None)


def _uses_state(definition: Definition, definitions: Mapping_[str, Definition]) -> bool:
    for part in walk(definition.body):
        if isinstance(part, InStates) or (isinstance(part, Name) and part.kind in (Kind.VARIABLE, Kind.STATE)):
            return True
        if isinstance(part, Apply) and _uses_state(definitions[part.definition], definitions):
            return True
    return False


def read_definitions(reader: Reader, roots: list[Mapping]) -> tuple[Definition, ...]:
    """Read the definitions; one may use another that stands further down, none itself."""
    nodes = {name.text: (name, node) for root in roots for name, node in entries_of(root.get("define"), reader.family, reader.bit)}
    for scalar, _ in nodes.values():
        reader.taken.hold(scalar)
    pending: list[str] = []
    done: dict[str, Definition | None] = {}

    def read(name: str) -> None:
        if name in done:
            return
        scalar, node = nodes[name]
        if name in pending:
            circle = " uses ".join(f"`{one}`" for one in [*pending[pending.index(name) :], name])
            message = f"`{name}` is defined by itself: {circle}"
            reader.found.append(Diagnostic("SM316", message, scalar.span, "definitions are not recursive"))
            done.update(dict.fromkeys(pending[pending.index(name) :]))
            for one in pending[pending.index(name) :]:
                reader.declare(Declared(Kind.OUTSIDE, one, WRONG, scalar.span))
            return
        pending.append(name)
        for used in names_in(reader, node.get("is") if isinstance(node, Mapping) else node):
            if used in nodes:
                read(used)
        pending.pop()
        if name not in done:
            done[name] = _definition(reader, scalar, node)
            if (made := done[name]) is None:
                reader.declare(Declared(Kind.OUTSIDE, name, WRONG, scalar.span))
            else:
                reader.within(attrs.evolve(reader.scope, definitions={**reader.scope.definitions, name: made}))

    for name in nodes:
        read(name)
    return tuple(definition for definition in done.values() if definition is not None)


def _definition(reader: Reader, name: Scalar, node: Node) -> Definition | None:
    """Read one definition: its inputs, then its body in their scope."""
    facts, inputs, taken = reader.facts, [], reader.taken.inner()
    wrong = False
    for given, part in entries_of(node.get("args") if isinstance(node, Mapping) else None, reader.family, reader.bit):
        type_ = reader.type(part.get("type") if isinstance(part, Mapping) else part, facts)
        if not taken.take(given) or type_ is None:
            wrong = True
            continue
        inputs.append((f"{name.text}.{given.text}", type_))
        declared = Declared(Kind.INPUT, f"{name.text}.{given.text}", type_, given.span)
        facts = Facts(attrs.evolve(facts.scope, names={**facts.scope.names, given.text: declared}), facts.known)
    body = None if wrong else reader.expression(node.get("is") if isinstance(node, Mapping) and node.get("is") else node, facts)
    return None if body is None else Definition(name.text, tuple(inputs), body, doc_of(node), name.span)
