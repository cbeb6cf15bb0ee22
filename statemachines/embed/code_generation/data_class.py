"""The class of a machine with data: methods for each event, its guards and each definition."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.embed.code_generation.event_branches import GeneratorContext, event_branches
from statemachines.embed.code_generation.method_bodies import (
    argument_check_lines,
    guard_method_lines,
    method_lines,
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
    negated_condition,
)
from statemachines.embed.code_generation.table_class import (
    RESERVED_NAMES,
    state_condition,
    states_text,
)
from statemachines.model.definitions.data_definitions import MachineData
from statemachines.model.language.expression_nodes import NameKind
from statemachines.model.language.value_types import (
    MapType,
    Type,
    base_type,
)
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.messages.expression_text import format_expression
from statemachines.semantics.messages.refusal_reasons import condition_clauses


def class_lines(context: GeneratorContext) -> Iterator[str]:
    """Write the class.

    The sets that are constants are found on the way: they are known to the context afterwards.

    Args:
        context: the machine, and what its module calls things.

    Yields:
        Lines of Python, indented.
    """
    machine, names = context.tables.machine, context.names
    yield from ("", "", f"class {names.class_name}:")
    doc = (machine.doc or f"One instance of {context.tables.title}.").split("\n\n")
    yield from docstring([*doc, f"Source: {machine.source}" if machine.source else ""], "    ")
    attributes = [
        value.removeprefix("self.")
        for key, value in context.writer.attributes.items()
        if context.has_states or key != "s_state"
    ]
    yield ""
    yield from names_tuple(
        [string_literal(name) for name in sorted({*attributes, *context.extra_results.values()})],
        "    ",
        "__slots__ = ",
        "",
    )
    yield from _init_lines(context)
    yield from ("", "    @property", "    def legal(self) -> tuple[str, ...]:")
    yield from docstring(
        ["The events that a transition from here has; guards are not asked."], "        "
    )
    yield f"        return _LEGAL{'[self.state]' if context.has_states else ''}"
    for predicate in machine.predicates:
        states = context.tables.state_names(context.tables.predicates[predicate.name])
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
    for event in context.tables.events:
        yield from _method_lines(context, event)
    yield from definition_lines(context.tables.machine.data, context.writer)


def _init_lines(context: GeneratorContext) -> Iterator[str]:
    data, script = context.tables.machine.data, context.writer
    open_ones = [variable for variable in data.variables if variable.initial is None]
    given = [f"{parameter.name}: {script.type(parameter.type)}" for parameter in data.parameters]
    given += [f"{variable.name}: {script.type(variable.type)}" for variable in open_ones]
    first = context.names.constants[context.tables.state_names(context.tables.initial)[0]]
    given += [f"state: State = {first}"] if context.has_states else []
    yield from ("", *signature_lines("__init__", given, "None"))
    yield from ["        self.state: State = State(state)"] if context.has_states else []
    yield from parameter_lines(data, script, context.tables.machine.name)
    for variable in data.variables:
        value = variable.name if variable.initial is None else script.text(variable.initial)
        own, type_ = context.variables[variable.name], script.type(variable.type)
        yield f"        self.{own}: {type_} = {value}"
        yield from docstring([variable.doc], "        ") if variable.doc else ()
    yield from (f"        self.{own}: object = None" for own in context.extra_results.values())
    if not (context.has_states or data.parameters or data.variables or context.extra_results):
        yield "        pass"


def parameter_lines(data: MachineData, script: ReadablePythonWriter, title: str) -> Iterator[str]:
    """Yield the lines of a constructor that keep parameters and look at their values.

    Args:
        data: that declares them.
        script: that knows what they are called.
        title: of the machine or system, for messages.

    Yields:
        Lines of Python, indented.
    """
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
    for clause in condition_clauses(data.where) if data.where is not None else ():
        yield f"        if {negated_condition(script.text(clause))}:"
        reason = f"`{format_expression(clause)}` is false"
        message = f"the parameters of {title} are against its `where`: {reason}"
        yield f"            raise ArgumentsError({string_literal(message)})"


def _copied_value(type_: Type, name: str) -> str:
    """Return a value as the object keeps it: the caller may go on with the map that it gave."""
    return f"dict({name})" if isinstance(base_type(type_), MapType) else name


def signature_lines(name: str, given: list[str], returns: str) -> list[str]:
    """Return the first lines of a method; one where it fits.

    Args:
        name: of the method.
        given: its arguments with their annotations, without `self`.
        returns: the annotation of its result.

    Returns:
        Lines of Python, indented.
    """
    line = f"    def {name}({', '.join(['self', *given])}) -> {returns}:"
    if len(line) <= 88:
        return [line]
    return [
        f"    def {name}(",
        "        self,",
        *(f"        {argument}," for argument in given),
        f"    ) -> {returns}:",
    ]


def _method_lines(context: GeneratorContext, event: str) -> Iterator[str]:
    signature = context.tables.behaviour.signature(event)
    given = [
        f"{argument.name}: {context.writer.type(argument.type)}" for argument in signature.arguments
    ]
    yield from (
        "",
        *signature_lines(context.names.methods[event], given, result_type(context, event)),
    )
    yield from docstring(_method_doc(context, event), "        ")
    yield from argument_check_lines(context, event)
    lines = method_lines(context, event)
    while lines and lines[-1] == "        return":
        lines.pop()
    yield from lines
    yield from ("", *signature_lines(context.guard_methods[event], given, "bool"))
    yield from docstring(
        [f"Tell whether a transition would take `{event}` now; nothing happens."], "        "
    )
    yield from argument_check_lines(context, event)
    yield from guard_method_lines(context, event)


def _method_doc(context: GeneratorContext, event: str) -> list[str]:
    doc = next((known.doc for known in context.tables.machine.events if known.name == event), "")
    refused = tuple(
        state
        for branch, states in event_branches(context, event).items()
        if not branch.cases
        for state in states
    )
    taken = tuple(state for state in context.tables.states if state not in refused)
    where = f"Taken in {states_text(taken)}." if context.has_states and refused and taken else ""
    cases = [
        case.doc
        for transition in context.tables.machine.transitions
        if (case := transition.case) and transition.event == event and case.doc
    ]
    return [doc or f"Let `{event}` happen.", " ".join([where, *dict.fromkeys(cases)]).strip()]


def definition_lines(data: MachineData, script: ReadablePythonWriter) -> Iterator[str]:
    """Yield definitions as methods: what they look at is the object's.

    Args:
        data: that declares them.
        script: that knows what names are called.

    Yields:
        Lines of Python, indented.
    """
    for definition in data.definitions:
        given = [
            f"{name.rpartition('.')[2]}: {script.type(type_)}" for name, type_ in definition.inputs
        ]
        yield from (
            "",
            *signature_lines(f"_{definition.name}", given, script.type(definition.body.type)),
        )
        yield from docstring([definition.doc], "        ") if definition.doc else ()
        yield f"        return {script.text(definition.body)}"
