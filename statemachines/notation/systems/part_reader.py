"""The parts of a system: which machines, how many of each, and what expressions see of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar

from attrs import evolve, frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import SystemPart
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Expression,
    Name,
    NameKind,
    walk,
)
from statemachines.model.language.value_types import (
    BOOL,
    EnumType,
    IdType,
    MapType,
    OptionalType,
    RecordType,
    Type,
    is_finite,
)
from statemachines.notation.data.data_reader import DataReader, doc_text
from statemachines.notation.data.signature_reader import facts_with_name
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    is_true,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.passes.spec_builder import (
    SpecBuilder,
    SpecReading,
    neighbouring_spec,
    why_unusable,
)
from statemachines.notation.releases.machine_selection import machine_of, release_of_other
from statemachines.notation.releases.release_selection import entries_in_release
from statemachines.notation.typing.name_scope import DeclaredName
from statemachines.notation.typing.type_agreement import without_element_types

is_reading_part: ContextVar[bool] = ContextVar("reading_part", default=False)
"""Whether the file that is being read was named as a part: then it is no system, and need not be
read as one.
"""


@frozen
class PartMember:
    """A part with its machine in the release that is being read."""

    part: SystemPart
    machine: MachineDefinition
    spec: SpecDefinition

    @property
    def visible_type(self) -> Type:
        """The type of the part's name in expressions."""
        if self.part.each is not None:
            return MapType(
                self.part.each, self.part.record_type, total=not isinstance(self.part.each, IdType)
            )
        return OptionalType(self.part.record_type) if self.part.optional else self.part.record_type


def read_part_machines(
    work: SpecBuilder, diagnostics: list[Diagnostic]
) -> dict[str, SpecDefinition]:
    """Read every machine that a part names, each once.

    Args:
        work: the spec that is read; what is read is put into it.
        diagnostics: takes what is wrong.

    Returns:
        Machines by the names that the system has for them.
    """
    specs: dict[str, SpecDefinition] = {}
    tried = set[str]()
    for node in _part_nodes(work.root.get("parts")):
        name = node.get("machine")
        if isinstance(name, YamlScalar) and name.text not in tried:
            tried.add(name.text)
            spec = _read_part_machine(work, name, diagnostics)
            if spec is not None:
                specs[name.text] = spec
    return specs


def _part_nodes(node: YamlNode | None) -> list[YamlMapping]:
    nodes = [value for _, value in node.entries] if isinstance(node, YamlMapping) else []
    listed = [
        item
        for value in nodes
        for item in (value.items if isinstance(value, YamlSequence) else (value,))
    ]
    return [item for item in listed if isinstance(item, YamlMapping)]


def _read_part_machine(
    work: SpecBuilder, name: YamlScalar, diagnostics: list[Diagnostic]
) -> SpecDefinition | None:
    token = is_reading_part.set(True)
    try:
        reading = work.read_other(
            neighbouring_spec(work, name.text) or name.text,
            folder=work.specs,
            families=work.families,
        )
    finally:
        is_reading_part.reset(token)
    if reading.spec is None or (reading.builder is not None and reading.builder.kind != "machine"):
        reason, hint = why_unusable(reading, diagnostics)
        message = f"`{name.text}` cannot be a part: {reason or _other_kind(reading)}"
        hint = hint if reason else "a part is a machine"
        diagnostics.append(Diagnostic("SM410", message, name.span, hint))
        return None
    if reading.spec.family.name not in ("", work.family.name):
        message = (
            f"`{name.text}` cannot be a part: it belongs to the family {reading.spec.family.name}"
        )
        diagnostics.append(
            Diagnostic("SM410", message, name.span, f"write `family: {reading.spec.family.name}`")
        )
        return None
    return reading.spec


def _other_kind(reading: SpecReading) -> str:
    return f"it is a {reading.builder.kind}" if reading.builder else "it is no machine"


def read_parts(
    reader: DataReader, root: YamlMapping, specs: dict[str, SpecDefinition]
) -> dict[str, PartMember]:
    """Read the parts that exist in one release and make their names known; their parameters are
    read by `with_parameters`, for definitions look at parts.

    Args:
        reader: the scope, with types and parameters, and the release.
        root: the system.
        specs: the machines that could be read, by the names that the system has for them.

    Returns:
        The parts by name, in the author's order.
    """
    members: dict[str, PartMember] = {}
    for name, node in entries_in_release(root.get("parts"), reader.family, reader.bit):
        spec = specs.get(node_text(node.get("machine"))) if isinstance(node, YamlMapping) else None
        if (
            spec is None
            or not isinstance(node, YamlMapping)
            or not reader.namespace.declare_global(name)
        ):
            continue
        machine = _machine_in_release(reader, spec, name)
        if machine is not None:
            members[name.text] = PartMember(_read_part(reader, name, node, machine), machine, spec)
    for name_, member in members.items():
        reader.declare(
            DeclaredName(NameKind.VARIABLE, name_, member.visible_type, member.part.span)
        )
    return members


def _machine_in_release(
    reader: DataReader, spec: SpecDefinition, name: YamlScalar
) -> MachineDefinition | None:
    bit = release_of_other(spec, reader.family, reader.bit)
    if not bit:
        message = f"there is no `{spec.name}` in {reader.family.ranges(reader.bit)}"
        reader.diagnostics.append(
            Diagnostic(
                "SM410",
                message,
                name.span,
                f"give the part `in: {reader.family.ranges(spec.releases)}`",
            )
        )
        return None
    return machine_of(spec, spec.family.newest(bit) if spec.family.name else None)


def _read_part(
    reader: DataReader, name: YamlScalar, node: YamlMapping, machine: MachineDefinition
) -> SystemPart:
    each = reader.read_type(node.get("each"))
    if each is not None and not (
        isinstance(each, IdType) or is_finite(each) or hasattr(each, "set_expression")
    ):
        message = f"`{node_text(node.get('each'))}` has no end of values"
        reader.diagnostics.append(
            Diagnostic(
                "SM411",
                message,
                name.span,
                "take an `id` type, an enumeration, or a parameter that is a set",
            )
        )
        each = None
    optional = is_true(node.get("optional"))
    if optional and each is not None:
        reader.diagnostics.append(
            Diagnostic(
                "SM411",
                f"`{name.text}` is `optional` and `each`",
                name.span,
                "`each` allows none of them: there are no keys then",
            )
        )
    is_created = is_true(node.get("created"))
    ends = _read_ends(reader, node, machine) if node.get("ends") is not None else ()
    _check_creation(reader, name, node, machine, each)
    return SystemPart(
        name.text,
        machine.name,
        _part_record_type(machine),
        each,
        optional,
        doc=doc_text(node),
        span=name.span,
        is_created=is_created,
        ends=ends,
    )


def _read_ends(
    reader: DataReader, node: YamlMapping, machine: MachineDefinition
) -> tuple[str, ...]:
    """Read the states in which a part is there no longer; those that its release lacks are left
    out.
    """
    states = {state.name for state in machine.states}
    ever = {state.name for state in machine.states if state.name}
    for item in node_items(node.get("ends")):
        if node_text(item) not in ever:
            message = f"`{machine.name}` has no state `{node_text(item)}`"
            hint = did_you_mean(node_text(item), ever)
            reader.diagnostics.append(Diagnostic("SM413", message, item.span, hint))
    return tuple(name for name in node_texts(node.get("ends")) if name in states)


def _check_creation(
    reader: DataReader,
    name: YamlScalar,
    node: YamlMapping,
    machine: MachineDefinition,
    each: Type | None,
) -> None:
    """Look whether a part can be created: it has keys without end, and one beginning."""
    is_created, message, hint = is_true(node.get("created")), "", ""
    if not is_created and node.get("ends") is not None:
        message = f"`{name.text}` has `ends` and is not created"
        hint = "what is there from the beginning stays; write `created: true`"
    elif is_created and not isinstance(each, IdType):
        message = f"`{name.text}` is created and has no keys of an `id` type"
        hint = "write `each:` with an `id` type; the scope says how many there are at most"
    elif is_created and _has_several_beginnings(machine):
        message = f"`{name.text}` is created, and `{machine.name}` may begin in several ways"
        hint = "take a machine with one initial state whose variables have initial values"
    if message:
        reader.diagnostics.append(Diagnostic("SM421", message, name.span, hint))


def _has_several_beginnings(machine: MachineDefinition) -> bool:
    return sum(state.initial for state in machine.states) != 1 or any(
        variable.initial is None for variable in machine.data.variables
    )


def _part_record_type(machine: MachineDefinition) -> RecordType:
    """Return what expressions see of a machine: state, parameters, variables and predicates, in
    this order.
    """
    short = machine.name.rsplit("/", 1)[-1]
    data = machine.data
    states = tuple(state.name for state in machine.states if state.name)
    fields: list[tuple[str, Type]] = (
        [("state", EnumType(f"{short}.State", states))] if states else []
    )
    fields += [
        (parameter.name, without_element_types(parameter.type)) for parameter in data.parameters
    ]
    fields += [(variable.name, without_element_types(variable.type)) for variable in data.variables]
    fields += [(predicate.name, BOOL) for predicate in machine.predicates]
    return RecordType(short, tuple(fields))


def with_parameters(
    reader: DataReader, root: YamlMapping, members: dict[str, PartMember]
) -> dict[str, PartMember]:
    """Read what the parts' machines are given.

    Args:
        reader: the scope, with definitions, and the release.
        root: the system.
        members: the parts that the release has.

    Returns:
        The same, with their parameters.
    """
    complete = dict(members)
    for name, node in entries_in_release(root.get("parts"), reader.family, reader.bit):
        member = members.get(name.text)
        if member is not None and isinstance(node, YamlMapping):
            part = member.part
            given = _read_parameters(reader, name, node, member.machine, part.each)
            complete[name.text] = evolve(member, part=evolve(part, parameters=given))
    return complete


def _read_parameters(
    reader: DataReader,
    name: YamlScalar,
    node: YamlMapping,
    machine: MachineDefinition,
    each: Type | None,
) -> tuple[tuple[str, Expression], ...]:
    """Read `with:`, a value for each parameter of the machine."""
    wanted = {
        parameter.name: without_element_types(parameter.type)
        for parameter in machine.data.parameters
    }
    facts = (
        reader.facts
        if each is None
        else facts_with_name(reader.facts, DeclaredName(NameKind.ARGUMENT, "key", each, name.span))
    )
    read: dict[str, Expression] = {}
    for scalar, value in entries_in_release(node.get("with"), reader.family, reader.bit):
        if scalar.text not in wanted:
            hint = did_you_mean(scalar.text, wanted)
            reader.diagnostics.append(
                Diagnostic(
                    "SM412", f"`{machine.name}` has no parameter `{scalar.text}`", scalar.span, hint
                )
            )
            continue
        typed = reader.read_expression(value, facts, wanted[scalar.text])
        if typed is not None and not _looks_too_early(reader, scalar, typed):
            read[scalar.text] = typed
    with_ = node.get("with")
    written = {key.text for key, _ in with_.entries} if isinstance(with_, YamlMapping) else set()
    for missing in [name for name in wanted if name not in written]:
        message = f"`{name.text}` needs the parameter `{missing}` of type `{wanted[missing]}`"
        reader.diagnostics.append(
            Diagnostic("SM412", message, name.span, f"write `with: {{{missing}: …}}`")
        )
    return tuple(read.items())


def _looks_too_early(reader: DataReader, parameter: YamlScalar, given: Expression) -> bool:
    """Report a parameter that looks at parts or variables, which begin with it."""
    later = next(_variables_in(reader, given), None)
    if later is not None:
        message = f"`{parameter.text}` is given before there is `{later}`"
        hint = "use parameters of the system, `key`, values, and definitions of these"
        reader.diagnostics.append(Diagnostic("SM412", message, parameter.span, hint))
    return later is not None


def _variables_in(reader: DataReader, expression: Expression) -> Iterator[str]:
    """Yield the parts and variables that an expression looks at, through definitions too."""
    for node in walk(expression):
        if isinstance(node, Name) and node.kind is NameKind.VARIABLE:
            yield node.name
        elif isinstance(node, DefinitionCall):
            yield from _variables_in(reader, reader.scope.definitions[node.definition].body)
