"""A machine with data as one Python module that needs nothing: types, errors, and a class with a
method an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from statemachines.embed.code_generation.method_bodies import (
    GeneratorContext,
    argument_check_lines,
    event_branches,
    guard_method_lines,
    method_lines,
    raised_errors,
    result_type,
)
from statemachines.embed.code_generation.python_text import (
    docstring,
    names_tuple,
    safe_name,
    string_literal,
)
from statemachines.embed.code_generation.readable_python import (
    ReadablePythonWriter,
    has_unhashable_maps,
    negated_condition,
)
from statemachines.embed.code_generation.table_class import (
    RESERVED_NAMES,
    CannotGenerate,
    GeneratedNames,
    generated_names,
    module_header,
    state_condition,
    state_enum_lines,
    states_text,
)
from statemachines.embed.instances import legal_events
from statemachines.model.language.expression_nodes import NameKind
from statemachines.model.language.value_types import (
    EnumType,
    IdType,
    MapType,
    RecordType,
    Type,
    base_type,
)
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.messages.expression_text import format_expression
from statemachines.semantics.messages.refusal_reasons import condition_clauses

RESERVED_MODULE_NAMES = {
    *RESERVED_NAMES,
    "ArgumentsError",
    "enum",
    "Hashable",
    "Final",
    "dataclass",
    "replace",
    "self",
}
ERROR_CLASSES = '''
class ArgumentsError(ValueError):
    """Arguments against their types, or against `where`: a mistake of the caller."""


class NotAllowed(Exception):
    """An event that nothing allows here; the object is as it was."""

    def __init__(self, state: str, event: str, legal: tuple[str, ...]) -> None:
        super().__init__(state, event, legal)
        self.state = state
        self.event = event
        self.legal = tuple(other for other in legal if other != event)

    def __str__(self) -> str:
        legal = ", ".join(f"`{event}`" for event in self.legal) or "nothing"
        where = f"`{self.event}` is not allowed" + (f" in {self.state}" if self.state else " now")
        return f"{MACHINE} {RELEASE}".strip() + f": {where}; legal here: {legal}"
'''


def generate_data_code(tables: MachineTables) -> str:
    """Return the module's text.

    Raises:
        CannotGenerate: the machine's data has something that plain Python values cannot be.
    """
    _refuse_unhashable(tables)
    shop = _generator_context(tables)
    lines = [
        line for part in (_class_lines(shop),) for line in part
    ]  # first: it finds the sets that are constants
    used = [type_ for _, type_ in _named_types(tables)]
    records = any(isinstance(each, RecordType) for each in used)
    imports: tuple[str, ...] = (
        ("from collections.abc import Hashable",)
        if any(isinstance(each, IdType) for each in used)
        else ()
    )
    replaces = any(re.search(r"\breplace\(", line) for line in lines)
    imports += (
        (f"from dataclasses import dataclass{', replace' if replaces else ''}",) if records else ()
    )
    head = module_header(tables, (*imports, "from typing import Final"))
    if not shop.has_states:
        head.remove("import enum")
    parts = (
        head,
        _constant_lines(shop),
        ERROR_CLASSES.splitlines(),
        _error_class_lines(shop),
        _type_lines(shop),
    )
    return "\n".join([*(line for part in parts for line in part), *lines]).rstrip("\n") + "\n"


def _refuse_unhashable(tables: MachineTables) -> None:
    data = tables.machine.data
    named = (
        [(one.name, one.type) for one in data.parameters]
        + [(one.name, one.type) for one in data.variables]
        + [*data.types]
    )
    for name, type_ in named:
        if has_unhashable_maps(type_):
            raise CannotGenerate(
                f"{tables.title}: `{name}` has maps in a set or as keys, which plain Python has no"
                " words for"
            )


def _generator_context(tables: MachineTables) -> GeneratorContext:
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
    variables = {each.name: safe_name(each.name, methods) for each in data.variables}
    parameters = {each.name: safe_name(each.name, methods) for each in data.parameters}
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
        type_.name: safe_name(name, {*RESERVED_MODULE_NAMES, names.class_name})
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
        error: safe_name(error, {*RESERVED_MODULE_NAMES, names.class_name})
        for error in sorted(raised_errors(tables) - names.errors.keys())
    }


def _extra_result_names(tables: MachineTables) -> tuple[str, ...]:
    returns = [arrow.case.returns for arrow in tables.machine.transitions if arrow.case is not None]
    named = (
        name for each in returns if isinstance(each, tuple) for name, _ in each if name != "value"
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
        *(each.type for each in data.parameters),
        *(each.type for each in data.variables),
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
        one = pending.pop(0)
        if isinstance(one, EnumType | IdType | RecordType):
            yield one.name, one
        pending += [
            getattr(one, part) for part in ("item", "key", "value", "base") if hasattr(one, part)
        ]
        pending += [field for _, field in one.fields] if isinstance(one, RecordType) else []


def _constant_lines(shop: GeneratorContext) -> Iterator[str]:
    if shop.has_states:
        yield from state_enum_lines(shop.tables, shop.names)
    yield ""
    for state in shop.tables.states if shop.has_states else ():
        yield f"{shop.names.constants[state]}: Final = State.{shop.names.members[state]}"
    for written, name in shop.writer.set_constants.items():
        yield f"{name}: Final = {written}"
    if not shop.has_states:
        yield from names_tuple(
            [string_literal(event) for event in legal_events(shop.tables, "")],
            "",
            "_LEGAL: Final = ",
            "",
        )
        yield ""
        return
    yield "_LEGAL: Final[dict[State, tuple[str, ...]]] = {"
    for state in shop.tables.states:
        events = [string_literal(event) for event in legal_events(shop.tables, state)]
        yield from names_tuple(events, "    ", f"State.{shop.names.members[state]}: ", ",")
    yield from ("}", "")


def _error_class_lines(shop: GeneratorContext) -> Iterator[str]:
    docs = {error.name: error.doc for error in shop.tables.machine.data.errors}
    thrown = raised_errors(shop.tables)
    refused = {entry.error for entry in shop.tables.machine.otherwise if entry.error is not None}
    for error, name in shop.names.errors.items():
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


def _type_lines(shop: GeneratorContext) -> Iterator[str]:
    seen = set[str]()
    aliases, records = list[str](), list[str]()
    for _, type_ in _named_types(shop.tables):
        name = shop.writer.classes[type_.name]
        if name in seen:
            continue
        seen.add(name)
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
                    f"    {field}: {shop.writer.type(field_type)}"
                    for field, field_type in type_.fields
                ]
    yield from ["", "", *aliases] if aliases else []
    yield from records


def _class_lines(shop: GeneratorContext) -> Iterator[str]:
    machine, names = shop.tables.machine, shop.names
    yield from ("", "", f"class {names.class_name}:")
    told = (machine.doc or f"One instance of {shop.tables.title}.").split("\n\n")
    yield from docstring([*told, f"Source: {machine.source}" if machine.source else ""], "    ")
    attributes = [
        value.removeprefix("self.")
        for key, value in shop.writer.attributes.items()
        if shop.has_states or key != "s_state"
    ]
    yield ""
    yield from names_tuple(
        [string_literal(name) for name in sorted({*attributes, *shop.extra_results.values()})],
        "    ",
        "__slots__ = ",
        "",
    )
    yield from _init_lines(shop)
    yield from ("", "    @property", "    def legal(self) -> tuple[str, ...]:")
    yield from docstring(
        ["The events that a transition from here has; guards are not asked."], "        "
    )
    yield f"        return _LEGAL{'[self.state]' if shop.has_states else ''}"
    for predicate in machine.predicates:
        states = shop.tables.state_names(shop.tables.predicates[predicate.name])
        yield from (
            "",
            "    @property",
            (
                "    def"
                f" {safe_name(predicate.name, {*RESERVED_NAMES, *names.methods.values()})}(self) ->"
                " bool:"
            ),
        )
        yield from docstring(
            [predicate.doc or f"Whether it is in {states_text(states)}."], "        "
        )
        yield from state_condition(states, names, "        ", "return self.state", "")
    for event in shop.tables.events:
        yield from _method_lines(shop, event)
    yield from _definition_methods(shop)


def _init_lines(shop: GeneratorContext) -> Iterator[str]:
    data, script = shop.tables.machine.data, shop.writer
    open_ones = [variable for variable in data.variables if variable.initial is None]
    given = [f"{each.name}: {script.type(each.type)}" for each in data.parameters]
    given += [f"{each.name}: {script.type(each.type)}" for each in open_ones]
    first = shop.names.constants[shop.tables.state_names(shop.tables.initial)[0]]
    given += [f"state: State = {first}"] if shop.has_states else []
    yield from ("", *_signature_lines("__init__", given, "None"))
    yield from ["        self.state: State = state"] if shop.has_states else []
    for parameter in data.parameters:
        own = script.attributes[identifier(NameKind.PARAMETER, parameter.name)]
        yield (
            f"        {own}: {script.type(parameter.type)} ="
            f" {_copied_value(parameter.type, parameter.name)}"
        )
        check = script.check(parameter.type, own)
        if check:
            yield f"        if {negated_condition(check)}:"
            message = f"`{parameter.name}` is not of type `{parameter.type}`"
            yield f"            raise ArgumentsError({string_literal(message)})"
    if data.where is not None:
        for clause in condition_clauses(data.where):
            yield f"        if {negated_condition(script.text(clause))}:"
            said = f"`{format_expression(clause)}` is false"
            message = (
                f"the parameters of {shop.tables.machine.name} are against its `where`: {said}"
            )
            yield f"            raise ArgumentsError({string_literal(message)})"
    for variable in data.variables:
        value = variable.name if variable.initial is None else script.text(variable.initial)
        yield (
            f"        self.{shop.variables[variable.name]}: {script.type(variable.type)} = {value}"
        )
        yield from docstring([variable.doc], "        ") if variable.doc else ()
    yield from (f"        self.{own}: object = None" for own in shop.extra_results.values())
    if not (shop.has_states or data.parameters or data.variables or shop.extra_results):
        yield "        pass"


def _copied_value(type_: Type, name: str) -> str:
    """Return a value as the object keeps it: the caller may go on with the map that it gave."""
    return f"dict({name})" if isinstance(base_type(type_), MapType) else name


def _signature_lines(name: str, given: list[str], returns: str) -> list[str]:
    line = f"    def {name}({', '.join(['self', *given])}) -> {returns}:"
    if len(line) <= 88:
        return [line]
    return [
        f"    def {name}(",
        "        self,",
        *(f"        {one}," for one in given),
        f"    ) -> {returns}:",
    ]


def _method_lines(shop: GeneratorContext, event: str) -> Iterator[str]:
    signature = shop.tables.behaviour.signature(event)
    given = [
        f"{argument.name}: {shop.writer.type(argument.type)}" for argument in signature.arguments
    ]
    yield from ("", *_signature_lines(shop.names.methods[event], given, result_type(shop, event)))
    yield from docstring(_method_doc(shop, event), "        ")
    yield from argument_check_lines(shop, event)
    lines = method_lines(shop, event)
    while lines and lines[-1] == "        return":
        lines.pop()
    yield from lines
    yield from ("", *_signature_lines(shop.guard_methods[event], given, "bool"))
    yield from docstring(
        [f"Tell whether a transition would take `{event}` now; nothing happens."], "        "
    )
    yield from argument_check_lines(shop, event)
    yield from guard_method_lines(shop, event)


def _method_doc(shop: GeneratorContext, event: str) -> list[str]:
    doc = next((each.doc for each in shop.tables.machine.events if each.name == event), "")
    refused = tuple(
        state
        for way, states in event_branches(shop, event).items()
        if not way.cases
        for state in states
    )
    taken = tuple(state for state in shop.tables.states if state not in refused)
    where = f"Taken in {states_text(taken)}." if shop.has_states and refused and taken else ""
    cases = [
        case.doc
        for arrow in shop.tables.machine.transitions
        if (case := arrow.case) and arrow.event == event and case.doc
    ]
    return [doc or f"Let `{event}` happen.", " ".join([where, *dict.fromkeys(cases)]).strip()]


def _definition_methods(shop: GeneratorContext) -> Iterator[str]:
    """Write definitions as methods: what they look at is the object's."""
    for definition in shop.tables.machine.data.definitions:
        given = [
            f"{name.rpartition('.')[2]}: {shop.writer.type(type_)}"
            for name, type_ in definition.inputs
        ]
        yield from (
            "",
            *_signature_lines(f"_{definition.name}", given, shop.writer.type(definition.body.type)),
        )
        yield from docstring([definition.doc], "        ") if definition.doc else ()
        yield f"        return {shop.writer.text(definition.body)}"
