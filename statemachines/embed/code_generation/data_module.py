"""A machine with data as one Python module that needs nothing: types, errors, constants, and the
class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from statemachines.embed.code_generation.data_class import class_lines
from statemachines.embed.code_generation.event_branches import GeneratorContext
from statemachines.embed.code_generation.method_bodies import raised_errors
from statemachines.embed.code_generation.python_text import (
    docstring,
    names_tuple,
    safe_name,
    string_literal,
)
from statemachines.embed.code_generation.readable_python import (
    ReadablePythonWriter,
    has_unhashable_maps,
)
from statemachines.embed.code_generation.table_class import (
    RESERVED_NAMES,
    CannotGenerate,
    GeneratedNames,
    generated_names,
    module_header,
    state_enum_lines,
    time_step_lines,
)
from statemachines.embed.instances import legal_events
from statemachines.model.language.expression_nodes import NameKind
from statemachines.model.language.value_types import (
    EnumType,
    IdType,
    RecordType,
    Type,
)
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.machine.machine_tables import MachineTables

_RESERVED_MODULE_NAMES = {
    *RESERVED_NAMES,
    "ArgumentsError",
    "enum",
    "Hashable",
    "Final",
    "dataclass",
    "replace",
    "self",
}
_ERROR_CLASSES = '''
class ArgumentsError(ValueError):
    """Arguments against their types, or against `where`: a mistake of the caller."""


class NotAllowed(Exception):
    """An event that nothing allows here; the object is as it was."""

    def __init__(self, state: str, event: str, legal: tuple[str, ...], *clauses: str) -> None:
        super().__init__(state, event, legal, *clauses)
        self.state = state
        self.event = event
        self.legal = tuple(other for other in legal if other != event)
        told = tuple(dict.fromkeys(f"`{clause}`" for clause in clauses))
        self.why = f"{' and '.join(told)} {'is' if len(told) == 1 else 'are'} false" if told else ""

    def __str__(self) -> str:
        legal = ", ".join(f"`{event}`" for event in self.legal) or "nothing"
        where = f"`{self.event}` is not allowed" + (f" in {self.state}" if self.state else " now")
        why = f": {self.why}" if self.why else ""
        return f"{MACHINE} {RELEASE}".strip() + f": {where}{why}; legal here: {legal}"
'''


def generate_data_code(tables: MachineTables) -> str:
    """Return the module's text.

    Args:
        tables: those of the machine.

    Returns:
        A Python module, ending in a line feed.

    Raises:
        CannotGenerate: the machine's data has something that plain Python values cannot be.
    """
    refuse_unhashable(tables)
    context = generator_context(tables)
    lines = [
        line for part in (class_lines(context),) for line in part
    ]  # first: it finds the sets that are constants
    used = [type_ for _, type_ in _named_types(tables)]
    records = any(isinstance(type_, RecordType) for type_ in used)
    imports: tuple[str, ...] = (
        ("from collections.abc import Hashable",)
        if any(isinstance(type_, IdType) for type_ in used)
        else ()
    )
    replaces = any(re.search(r"\breplace\(", line) for line in lines)
    imports += (
        (f"from dataclasses import dataclass{', replace' if replaces else ''}",) if records else ()
    )
    head = module_header(tables, (*imports, "from typing import Final"))
    if not context.has_states:
        head.remove("import enum")
    parts = (
        head,
        _constant_lines(context),
        _ERROR_CLASSES.splitlines(),
        _error_class_lines(context),
        type_lines(context),
    )
    return "\n".join([*(line for part in parts for line in part), *lines]).rstrip("\n") + "\n"


def refuse_unhashable(tables: MachineTables) -> None:
    """Refuse data that plain Python values cannot be.

    Args:
        tables: those of the machine.

    Raises:
        CannotGenerate: a set has maps, or a map has maps as keys.
    """
    data = tables.machine.data
    named = (
        [(parameter.name, parameter.type) for parameter in data.parameters]
        + [(variable.name, variable.type) for variable in data.variables]
        + [*data.types]
    )
    for name, type_ in named:
        if has_unhashable_maps(type_):
            raise CannotGenerate(
                f"{tables.title}: `{name}` has maps in a set or as keys, which plain Python has no"
                " words for"
            )


def generator_context(tables: MachineTables) -> GeneratorContext:
    """Return what the module of a machine with data calls things.

    Args:
        tables: those of the machine.

    Returns:
        Names of methods, attributes and types, and what writes expressions with them.
    """
    data, names = tables.machine.data, generated_names(tables)
    names = GeneratedNames(
        names.members,
        names.methods,
        names.errors | _raised_error_names(tables, names),
        names.class_name,
    )
    mays = {
        event: safe_name(f"may_{event}", {*RESERVED_NAMES, *names.methods.values()})
        for event in names.methods
    }
    methods = {*RESERVED_NAMES, *names.methods.values(), *mays.values()}
    variables = {variable.name: safe_name(variable.name, methods) for variable in data.variables}
    parameters = {
        parameter.name: safe_name(parameter.name, methods) for parameter in data.parameters
    }
    gifts = {
        name: safe_name(name, {*methods, *variables.values(), *parameters.values()})
        for name in _extra_result_names(tables)
    }
    attributes = {
        identifier(NameKind.VARIABLE, name): f"self.{own}" for name, own in variables.items()
    }
    attributes |= {
        identifier(NameKind.PARAMETER, name): f"self.{own}" for name, own in parameters.items()
    }
    attributes[identifier(NameKind.STATE, "state")] = "self.state"
    classes = {
        type_.name: safe_name(name, {*_RESERVED_MODULE_NAMES, names.class_name})
        for name, type_ in _named_types(tables)
    }
    return GeneratorContext(
        tables,
        names,
        ReadablePythonWriter(attributes=attributes, classes=classes, members=names.constants),
        variables,
        mays,
        gifts,
    )


def _raised_error_names(tables: MachineTables, names: GeneratedNames) -> dict[str, str]:
    return {
        error: safe_name(error, {*_RESERVED_MODULE_NAMES, names.class_name})
        for error in sorted(raised_errors(tables) - names.errors.keys())
    }


def _extra_result_names(tables: MachineTables) -> tuple[str, ...]:
    returns = [
        transition.case.returns
        for transition in tables.machine.transitions
        if transition.case is not None
    ]
    named = (
        name
        for shape in returns
        if isinstance(shape, tuple)
        for name, _ in shape
        if name != "value"
    )
    return tuple(dict.fromkeys(named))


def _named_types(tables: MachineTables) -> Iterator[tuple[str, EnumType | IdType | RecordType]]:
    for name, type_ in (*tables.machine.data.types, *_used_types(tables)):
        if isinstance(type_, EnumType | IdType | RecordType):
            yield type_.name.rpartition(".")[2] or name, type_


def _used_types(tables: MachineTables) -> Iterator[tuple[str, Type]]:
    """Yield the types of what events, variables and parameters hold, those of libraries and of
    errors included.
    """
    data = tables.machine.data
    pending: list[object] = [
        *(parameter.type for parameter in data.parameters),
        *(variable.type for variable in data.variables),
    ]
    pending += [
        argument.type
        for event in tables.machine.events
        if event.signature
        for argument in event.signature.arguments
    ]
    pending += [type_ for definition in data.definitions for _, type_ in definition.inputs]
    pending += [definition.body.type for definition in data.definitions] + [
        type_ for _, type_ in data.types
    ]
    while pending:
        type_ = pending.pop(0)
        if isinstance(type_, EnumType | IdType | RecordType):
            yield type_.name, type_
        pending += [
            getattr(type_, part)
            for part in ("item", "key", "value", "base")
            if hasattr(type_, part)
        ]
        pending += [field for _, field in type_.fields] if isinstance(type_, RecordType) else []


def _constant_lines(context: GeneratorContext) -> Iterator[str]:
    if context.has_states:
        yield from state_enum_lines(context.tables, context.names)
    yield ""
    for state in context.tables.states if context.has_states else ():
        yield f"{context.names.constants[state]}: Final = State.{context.names.members[state]}"
    for written, name in context.writer.set_constants.items():
        yield f"{name}: Final = {written}"
    if not context.has_states:
        yield from names_tuple(
            [string_literal(event) for event in legal_events(context.tables, "")],
            "",
            "_LEGAL: Final = ",
            "",
        )
        yield ""
        return
    yield "_LEGAL: Final[dict[State, tuple[str, ...]]] = {"
    for state in context.tables.states:
        events = [string_literal(event) for event in legal_events(context.tables, state)]
        yield from names_tuple(events, "    ", f"State.{context.names.members[state]}: ", ",")
    yield from ("}", "")
    yield from time_step_lines(context.tables, context.names)


def _error_class_lines(context: GeneratorContext) -> Iterator[str]:
    docs = {error.name: error.doc for error in context.tables.machine.data.errors}
    thrown = raised_errors(context.tables)
    refused = {entry.error for entry in context.tables.machine.otherwise if entry.error is not None}
    for error, name in context.names.errors.items():
        yield from ("", "", f"class {name}({'Exception' if error in thrown else 'NotAllowed'}):")
        yield from docstring(
            [docs.get(error) or "What the system raises where nothing allows an event."], "    "
        )
        if error in thrown and error in refused:
            yield from (
                "",
                "",
                f"class {name}NotAllowed({name}, NotAllowed):",
                '    """The same, where nothing allows the event."""',
            )


def type_lines(context: GeneratorContext) -> Iterator[str]:
    """Yield the types that a spec declares: aliases, and a class for each record.

    Args:
        context: the machine, and what its module calls things.

    Yields:
        Lines of Python.
    """
    declared = set[str]()
    aliases, records = list[str](), list[str]()
    for _, type_ in _named_types(context.tables):
        name = context.writer.classes[type_.name]
        if name in declared:
            continue
        declared.add(name)
        match type_:
            case IdType():
                aliases += [f"{name} = Hashable", '"""Opaque: equal or not, nothing else."""']
            case EnumType():
                aliases += [
                    f"{name} = str",
                    *docstring([f"One of {', '.join(type_.members)}."], ""),
                ]
            case RecordType():
                records += [
                    "",
                    "",
                    "@dataclass(frozen=True)",
                    f"class {name}:",
                    *docstring([f"A value of `{type_.name}`."], "    "),
                    "",
                ]
                records += [
                    f"    {field}: {context.writer.type(field_type)}"
                    for field, field_type in type_.fields
                ]
    yield from ["", "", *aliases] if aliases else []
    yield from records
