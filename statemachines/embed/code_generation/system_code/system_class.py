"""The class of a system: how it begins, a method for each event of its parts, and its links."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.embed.code_generation.data_class import (
    definition_lines,
    parameter_lines,
    signature_lines,
)
from statemachines.embed.code_generation.method_bodies import result_type
from statemachines.embed.code_generation.python_text import (
    docstring,
    names_tuple,
    safe_name,
    string_literal,
)
from statemachines.embed.code_generation.readable_python import negated_condition
from statemachines.embed.code_generation.system_code.link_methods import (
    link_method_lines,
    part_beginning,
)
from statemachines.embed.code_generation.system_code.module_sections import renamed_annotation
from statemachines.embed.code_generation.system_code.part_classes import SystemContext
from statemachines.model.definitions.machine_definitions import FallbackKind
from statemachines.model.definitions.system_definitions import SystemPart
from statemachines.model.language.value_types import (
    BoolType,
    ElementType,
    EnumType,
    IntType,
    SetType,
    base_type,
)
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import matching_fallback

_IN = "        "


def system_class_lines(context: SystemContext) -> Iterator[str]:
    """Yield the class.

    Args:
        context: the system, and what its module calls things.

    Yields:
        Lines of Python.
    """
    system = context.tables.system
    yield from ("", "", f"class {context.class_name}(_System):")
    doc = (system.doc or f"One instance of {context.tables.title}.").split("\n\n")
    how = (
        "Its parts are read as attributes; an event happens by a method of this class, or the links"
        " of the system would not hear of it."
    )
    yield from docstring([*doc, how, f"Source: {system.source}" if system.source else ""], "    ")
    yield from _init_lines(context)
    for part in context.tables.parts.values():
        for event in context.tables.tables[part.name].events:
            if (part.name, event) not in context.tables.arrivals:
                yield from _event_lines(context, part, event)
    for link in system.links:
        yield ""
        yield from link_method_lines(context, link)
    yield from definition_lines(system.data, context.writer)


def _is_open(context: SystemContext, part: SystemPart) -> bool:
    """Tell whether a part's machine does not say how its variables begin."""
    data = context.tables.tables[part.name].machine.data
    return any(variable.initial is None for variable in data.variables)


def part_keys(context: SystemContext, part: SystemPart) -> str:
    """Return Python for the keys of a part where its type tells them; empty where it does not.

    Args:
        context: the system, and what its module calls things.
        part: of the system.

    Returns:
        An expression over the parameters, or the empty text.
    """
    match part.each:
        case ElementType(set_expression=keys):
            text = context.writer.text(keys)
            is_set = isinstance(base_type(keys.type), SetType)
            return f"sorted({text}, key=_order)" if is_set else text
        case EnumType(members=members):
            return repr(members)
        case BoolType():
            return "(False, True)"
        case IntType(low=low, high=high) if low is not None and high is not None:
            return f"range({low}, {high + 1})"
    return ""


def _init_lines(context: SystemContext) -> Iterator[str]:
    system, script = context.tables.system, context.writer
    needed, optional = list[str](), list[str]()
    needed += [f"{entry.name}: {script.type(entry.type)}" for entry in system.data.parameters]
    open_ones = [variable for variable in system.data.variables if variable.initial is None]
    needed += [f"{variable.name}: {script.type(variable.type)}" for variable in open_ones]
    for part in context.tables.parts.values():
        if not part.is_created:
            kind, is_needed = _given_part(context, part)
            (needed if is_needed else optional).append(
                f"{part.name}: {kind}" + ("" if is_needed else " | None = None")
            )
    if any(part.optional for part in context.tables.parts.values()):
        optional.append("absent: Collection[str] = ()")
    given = [*needed, *optional]
    yield ""
    yield from signature_lines("__init__", ["*", *given] if given else [], "None")
    yield from parameter_lines(system.data, script, system.name)
    for part in context.tables.parts.values():
        yield from _part_lines(context, part)
    for variable in system.data.variables:
        value = variable.name if variable.initial is None else script.text(variable.initial)
        own = context.attributes[variable.name]
        yield f"{_IN}self.{own}: {script.type(variable.type)} = {value}"
        yield from docstring([variable.doc], _IN) if variable.doc else ()
    yield f"{_IN}self._waiting = {{}}"
    yield from _same_lines(context)
    if system.data.initially is not None:
        yield f"{_IN}if {negated_condition(script.text(system.data.initially))}:"
        yield f"{_IN}    raise ArgumentsError({string_literal(f'{system.name} does not begin so')})"
    for link in system.links:
        if link.begins:
            yield f"{_IN}self._begin_link({string_literal(link.on)}, self._link_{link.index + 1})"


def _given_part(context: SystemContext, part: SystemPart) -> tuple[str, bool]:
    """Return what the caller may give of a part, and whether the part cannot begin without."""
    kind, is_open = context.classes[part.name].name, _is_open(context, part)
    if part.each is None:
        return kind, is_open
    key, known = context.writer.type(part.each), bool(part_keys(context, part))
    kind = f"Mapping[{key}, {kind}]"
    return (kind if known or is_open else f"Iterable[{key}] | {kind}"), is_open or not known


def _part_lines(context: SystemContext, part: SystemPart) -> Iterator[str]:
    """Write how a part begins, where the caller does not give it."""
    own, kind, name = context.attributes[part.name], context.classes[part.name].name, part.name
    if part.each is None:
        value = name
        if not _is_open(context, part):
            value = f"{part_beginning(context, name, '')} if {name} is None else {name}"
        annotation = kind
        if part.optional:
            value = f"None if {string_literal(name)} in absent else ({value})"
            annotation = f"{kind} | None"
        yield f"{_IN}self.{own}: {annotation} = {value}"
        return
    annotation = f"dict[{context.writer.type(part.each)}, {kind}]"
    keys = part_keys(context, part)
    made = f"{{key: {part_beginning(context, name, 'key')} for key in {keys or name}}}"
    if part.is_created:
        value = "{}"
    elif _is_open(context, part):
        value = f"dict({name})"
    elif keys:
        value = f"{made} if {name} is None else dict({name})"
    else:
        value = f"dict({name}) if isinstance({name}, Mapping) else {made}"
    yield f"{_IN}self.{own}: {annotation} = {value}"


def _same_lines(context: SystemContext) -> Iterator[str]:
    """Write that variables which are one begin as the first part has them that is there."""
    for same in context.tables.system.same:
        members = ", ".join(
            f"({string_literal(part)}, {string_literal(_field(context, part, variable))})"
            for part, variable in same.members
        )
        yield f"{_IN}self._begin_same(({members},))"


def _field(context: SystemContext, part: str, name: str) -> str:
    return context.classes[part].fields[name]


def _event_lines(context: SystemContext, part: SystemPart, event: str) -> Iterator[str]:
    """Write the method of an event of a part."""
    about = context.classes[part.name]
    machine = about.context.tables
    signature = machine.behaviour.signature(event) if machine.has_data else None
    arguments = signature.arguments if signature is not None else ()
    returns = result_type(about.context, event) if machine.has_data else "None"
    writer = about.context.writer
    given = [f"{entry.name}: {writer.type(entry.type)}" for entry in arguments]
    given = [
        f"{entry.partition(': ')[0]}: {renamed_annotation(entry.partition(': ')[2], about.names)}"
        for entry in given
    ]
    key = safe_name("key", [entry.name for entry in arguments])
    if part.each is not None:
        given = [f"{key}: {context.writer.type(part.each)}", *given]
    returns = renamed_annotation(returns, about.names)
    yield ""
    yield from signature_lines(context.methods[part.name, event], given, returns)
    doc = next((known.doc for known in machine.machine.events if known.name == event), "")
    yield from docstring([doc or f"Let `{event}` happen to {context.part_title(part)}."], _IN)
    passed = [string_literal(f"{part.name}.{event}"), *([key] if part.each is not None else [])]
    passed += [f"{entry.name}={entry.name}" for entry in arguments]
    call = f"self.send({', '.join(passed)})"
    if returns == "None":
        yield f"{_IN}{call}"
    else:
        yield from (f"{_IN}result: {returns} = {call}", f"{_IN}return result")


def part_table_lines(context: SystemContext) -> Iterator[str]:
    """Yield the tables that the class looks up: parts with their events and links, and routes.

    Args:
        context: the system, and what its module calls things.

    Yields:
        Lines of Python, for behind the class.
    """
    name = context.class_name
    yield from ("", "", f"{name}._parts = {{")
    for part in context.tables.parts.values():
        links = context.tables.links[part.name]
        lists = {
            "ends": [string_literal(state) for state in part.ends],
            "same": [_same_text(context, part, *entry) for entry in context.tables.same[part.name]],
            "forbids": [
                f"{name}._link_{link.index + 1}" for link in links if link.only_if is not None
            ],
            "links": [
                f"{name}._link_{link.index + 1}"
                for link in links
                if link.only_if is None and not link.begins
            ],
        }
        yield f"    {string_literal(part.name)}: _Part("
        yield f"        {string_literal(context.attributes[part.name])},"
        yield f"        {part.each is not None},"
        yield "        {"
        for event in context.tables.tables[part.name].events:
            yield f"            {string_literal(event)}: {_event_text(context, part, event)},"
        yield "        },"
        for word, items in lists.items():
            yield from names_tuple(items, _IN, f"{word}=", ",") if items else ()
        yield "    ),"
    yield "}"


def _event_text(context: SystemContext, part: SystemPart, event: str) -> str:
    """Return how an event of a part is found in its class."""
    about = context.classes[part.name]
    tables = about.context.tables
    act = f"{about.name}.{about.context.names.methods[event]}"
    may = (
        f"{about.name}.{about.context.guard_methods[event]}"
        if tables.has_data
        else f"lambda part: part.may({string_literal(event)})"
    )
    forced = [state for state in tables.states if _is_forced(about.context.tables, state, event)]
    more = ""
    if forced:
        more += f", forced={(*forced,)!r}"
    channel = context.tables.arrivals.get((part.name, event))
    if channel:
        more += f", channel={string_literal(channel)}"
    return f"_Event({act}, {may}{more})"


def _is_forced(tables: MachineTables, state: str, event: str) -> bool:
    entry = matching_fallback(tables, state, event)
    return entry is not None and entry.does is FallbackKind.FORCE


def _same_text(
    context: SystemContext, part: SystemPart, variable: str, members: tuple[tuple[str, str], ...]
) -> str:
    others = ", ".join(
        f"({string_literal(other)}, {string_literal(_field(context, other, called))})"
        for other, called in members
    )
    return f"({string_literal(_field(context, part.name, variable))}, ({others},))"
