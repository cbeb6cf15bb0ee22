"""A system as one Python module that needs nothing but the standard library."""

from __future__ import annotations

import re
from collections.abc import Iterator

from statemachines.embed.code_generation.data_module import (
    generator_context,
    refuse_unhashable,
    type_lines,
)
from statemachines.embed.code_generation.event_branches import GeneratorContext
from statemachines.embed.code_generation.generated_module import generate_code
from statemachines.embed.code_generation.python_text import (
    class_name,
    docstring,
    safe_name,
    string_literal,
)
from statemachines.embed.code_generation.system_code.link_methods import link_expressions
from statemachines.embed.code_generation.system_code.module_sections import ModuleSections
from statemachines.embed.code_generation.system_code.part_classes import (
    PartClass,
    SystemContext,
    SystemWriter,
    refuse_compared_parts,
)
from statemachines.embed.code_generation.system_code.system_class import (
    part_table_lines,
    system_class_lines,
)
from statemachines.embed.code_generation.system_code.system_runtime import (
    IMPORTS,
    RUNTIME,
    RUNTIME_NAMES,
    SYSTEM_METHODS,
)
from statemachines.embed.code_generation.table_class import RESERVED_NAMES
from statemachines.model.definitions.machine_definitions import MachineDefinition, State
from statemachines.model.definitions.system_definitions import SystemDefinition, WhenFull
from statemachines.model.language.expression_nodes import NameKind
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.system.system_tables import SystemTables, system_tables


def generate_system_code(system: SystemDefinition) -> str:
    """Return the module's text: typed, without imports beyond the standard library, the same bytes
    for the same system.

    Args:
        system: what the module's class shall be, in one release.

    Returns:
        A Python module, ending in a line feed.

    Raises:
        CannotGenerate: the system or one of its machines has something that plain Python values
            cannot be, such as a set of maps.
    """
    tables = system_tables(system)
    refuse_compared_parts(
        tables, [node for link in system.links for node in link_expressions(link)]
    )
    own_name = class_name(system.name)
    sections = ModuleSections({*RUNTIME_NAMES, own_name})
    classes = _part_classes(tables, sections)
    context = _system_context(tables, own_name, classes, sections)
    body = [*system_class_lines(context), *part_table_lines(context), *_error_lines(context)]
    constants = [
        f"{name}: Final = {written}" for written, name in context.writer.set_constants.items()
    ]
    lines = [
        *_header_lines(tables),
        *_import_lines([*IMPORTS, *sections.imports], [*sections.lines, *body]),
        "",
        f"SYSTEM: Final = {string_literal(system.name)}",
        f"RELEASE: Final = {string_literal(system.release)}",
        *RUNTIME.splitlines(),
        *sections.lines,
        *(["", "", *constants] if constants else []),
        *_route_lines(tables),
        *body,
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


_FUTURE = "from __future__ import annotations"
_IMPORTED = re.compile(r"from (\S+) import (.+)")


def _import_lines(imports: list[str], body: list[str]) -> Iterator[str]:
    """Write what the module imports, one line for each library, and only what it uses."""
    used = set(re.findall(r"\w+", "\n".join([RUNTIME, *body])))
    used -= set() if re.search(r"(?<![.\w])replace\(", "\n".join(body)) else {"replace"}
    names: dict[str, set[str]] = {"dataclasses": {"dataclass", "replace"}}
    for library, listed in _IMPORTED.findall("\n".join(imports)):
        names.setdefault(library, set()).update(listed.split(", "))
    del names["__future__"]
    yield from ["import enum"] if "enum" in used else []
    for library in sorted(names):
        wanted = sorted(names[library] & used)
        yield from [f"from {library} import {', '.join(wanted)}"] if wanted else []


def _header_lines(tables: SystemTables) -> Iterator[str]:
    system = tables.system
    release = f" in {system.release}" if system.release else ""
    made = (
        f"Made by `statemachines generate code` of {system.name}{release}. Change the spec, not"
        " this file."
    )
    sha = f"sha256 of the spec: {system.sha256}" if system.sha256 else ""
    yield from docstring([f"The system {tables.title}.", made, sha], "")
    yield from ("", _FUTURE, "")


def _part_classes(tables: SystemTables, sections: ModuleSections) -> dict[str, PartClass]:
    """Write each machine once, and return the class of each part."""
    by_machine = dict[str, PartClass]()
    for part in tables.parts.values():
        if part.machine not in by_machine:
            machine = tables.tables[part.name]
            context = generator_context(machine)
            own = context.names.class_name
            names = sections.add(generate_code(machine), own)
            fields = {"state": "state"} if context.has_states else {}
            fields |= context.variables
            fields |= {
                parameter.name: context.writer.attributes[
                    identifier(NameKind.PARAMETER, parameter.name)
                ].removeprefix("self.")
                for parameter in machine.machine.data.parameters
            }
            methods = {*RESERVED_NAMES, *context.names.methods.values()}
            fields |= {
                predicate.name: safe_name(predicate.name, methods)
                for predicate in machine.machine.predicates
            }
            by_machine[part.machine] = PartClass(context, names[own], names, fields)
    return {part.name: by_machine[part.machine] for part in tables.parts.values()}


def _system_context(
    tables: SystemTables, own_name: str, classes: dict[str, PartClass], sections: ModuleSections
) -> SystemContext:
    shared = _shared_context(tables)
    named = sections.add("\n".join(type_lines(shared)) + "\n", own_name)
    types = {
        type_: entry.names[called]
        for entry in classes.values()
        for type_, called in entry.context.writer.classes.items()
        if called in entry.names
    }
    types |= {type_: named[called] for type_, called in shared.writer.classes.items()}
    types |= {part.record_type.name: classes[part.name].name for part in tables.parts.values()}
    methods = _method_names(tables)
    taken = {*SYSTEM_METHODS, *methods.values()}
    names = [*tables.parts, *(entry.name for entry in tables.system.data.parameters)]
    names += [variable.name for variable in tables.system.data.variables]
    attributes = {name: safe_name(name, taken) for name in names}
    parameters = {parameter.name for parameter in tables.system.data.parameters}
    reads = {
        identifier(
            NameKind.PARAMETER if name in parameters else NameKind.VARIABLE, name
        ): f"self.{own}"
        for name, own in attributes.items()
    }
    fields = {part.record_type.name: classes[part.name].fields for part in tables.parts.values()}
    writer = SystemWriter(attributes=reads, classes=types, part_fields=fields)
    return SystemContext(tables, own_name, classes, attributes, methods, writer)


def _shared_context(tables: SystemTables) -> GeneratorContext:
    """Return the types of the system's own data, as those of a machine that has nothing else."""
    own = MachineDefinition(
        tables.system.name,
        tables.system.release,
        (State("", initial=True),),
        (),
        data=tables.system.data,
    )
    machine = machine_tables(own)
    refuse_unhashable(machine)
    return generator_context(machine)


def _method_names(tables: SystemTables) -> dict[tuple[str, str], str]:
    names = dict[tuple[str, str], str]()
    for part in tables.parts:
        for event in tables.tables[part].events:
            taken = {*SYSTEM_METHODS, *tables.parts, *names.values()}
            names[part, event] = safe_name(f"{part}_{event}", taken)
    return names


def _route_lines(tables: SystemTables) -> Iterator[str]:
    """Write where what links send waits."""
    later = [link for link in tables.system.links if link.deferred and link.send is not None]
    if not later:
        return
    yield from ("", "", "_ROUTES: Final[dict[int, _Route]] = {")
    for link in later:
        assert link.send is not None
        ends = ", ".join(map(string_literal, (link.on, link.send.part, link.send.event)))
        if link.channel is None:
            yield f"    {link.index + 1}: _Route({link.index + 1}, {ends}),"
            continue
        channel = tables.channels[link.channel]
        trust = {"lose": channel.loses, "repeat": channel.repeats, "reorder": channel.reorders}
        may = tuple(word for word, does in trust.items() if does)
        more = (
            ""
            if channel.full is WhenFull.REFUSE
            else f", full={string_literal(channel.full.value)}"
        )
        more += ", shared=True" if channel.shared else ""
        more += ", keeps_refused=True" if channel.keeps_refused else ""
        yield (
            f"    {link.index + 1}: _Route({string_literal(channel.name)}, {ends}, {channel.holds},"
            f" {may!r}{more}),"
        )
    yield "}"


def _error_lines(context: SystemContext) -> Iterator[str]:
    """Write which errors an event may raise, beside those of its arguments."""
    names = dict.fromkeys(
        entry.names[error]
        for entry in context.classes.values()
        for error in entry.context.names.errors.values()
    )
    yield f"{context.class_name}._errors = ({', '.join(['NotAllowed', *names])},)"
