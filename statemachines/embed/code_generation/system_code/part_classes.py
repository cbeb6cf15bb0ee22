"""What a generated system is written with: names of parts and classes, and expressions."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field, frozen

from statemachines.embed.code_generation.event_branches import GeneratorContext
from statemachines.embed.code_generation.readable_python import ReadablePythonWriter
from statemachines.embed.code_generation.table_class import CannotGenerate
from statemachines.model.definitions.system_definitions import SystemPart
from statemachines.model.language.expression_nodes import (
    Comparison,
    Comprehension,
    Expression,
    FieldAccess,
    Name,
    NameKind,
    SetDisplay,
    walk,
)
from statemachines.model.language.value_types import (
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
    base_type,
)
from statemachines.semantics.system.system_tables import SystemTables


@frozen(eq=False)
class PartClass:
    """The class of a machine in the module of a system."""

    context: GeneratorContext
    name: str
    """Of the class."""
    names: dict[str, str]
    """Name in the machine's own module to the name in this one."""
    fields: dict[str, str]
    """What expressions see of a part, to the attribute that it is."""


@define
class SystemWriter(ReadablePythonWriter):
    """Writes expressions for the methods of a system: its parts are objects."""

    part_fields: dict[str, dict[str, str]] = field(factory=dict)
    """Type of a part's record to what its fields are called."""

    def expression_source(self, node: Expression) -> str:
        if isinstance(node, FieldAccess):
            of = base_type(node.record.type)
            fields = self.part_fields.get(of.name, {}) if isinstance(of, RecordType) else {}
            if node.name in fields:
                return f"{self.expression_source(node.record)}.{fields[node.name]}"
        return ReadablePythonWriter.expression_source(self, node)


@frozen(eq=False)
class SystemContext:
    """All that the methods of a system's class are written with."""

    tables: SystemTables
    class_name: str
    classes: dict[str, PartClass]
    """Name of a part to its class."""
    attributes: dict[str, str]
    """Part, parameter or shared variable to its attribute."""
    methods: dict[tuple[str, str], str]
    """Part and event to the method of the system."""
    writer: SystemWriter

    def part_title(self, part: SystemPart) -> str:
        """Return what a part is called in sentences.

        Args:
            part: of the system.

        Returns:
            Its name as code.
        """
        return f"`{part.name}`"


def argument_names(nodes: Iterable[Expression]) -> tuple[str, ...]:
    """Return what expressions use of an event: its arguments, `key` and `returned`.

    Args:
        nodes: expressions of one link.

    Returns:
        Names, each once, in their order.
    """
    return tuple(
        dict.fromkeys(
            part.name
            for node in nodes
            for part in walk(node)
            if isinstance(part, Name) and part.kind is NameKind.ARGUMENT
        )
    )


def refuse_compared_parts(tables: SystemTables, nodes: Iterable[Expression]) -> None:
    """Refuse expressions that take parts for values: objects are equal to themselves only.

    Args:
        tables: of the system.
        nodes: expressions of its links.

    Raises:
        CannotGenerate: one compares parts, or puts them into a set.
    """
    kinds = {part.record_type.name for part in tables.parts.values()}
    for node in nodes:
        for entry in walk(node):
            types = _compared_types(entry)
            if any(_has_records(type_, kinds) for type_ in types):
                raise CannotGenerate(
                    f"{tables.title}: a link compares whole parts, which are objects in plain"
                    " Python; compare their states or variables"
                )


def _compared_types(node: Expression) -> tuple[Type, ...]:
    match node:
        case Comparison(operator="in" | "not in"):
            return (node.left.type,)
        case Comparison():
            return node.left.type, node.right.type
        case SetDisplay():
            return tuple(item.type for item in node.items)
        case Comprehension(kind="set"):
            return (node.element.type,)
    return ()


def _has_records(type_: Type, kinds: set[str]) -> bool:
    match base_type(type_):
        case RecordType(name=name):
            return name in kinds
        case SetType(item=item) | ListType(item=item) | OptionalType(item=item):
            return _has_records(item, kinds)
        case MapType(value=value):
            return _has_records(value, kinds)
    return False
