"""Types that the machines of the parts declare, for a system that does not declare them itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import attrs

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.value_types import (
    ERROR_TYPE,
    ElementType,
    IdType,
    Type,
    nested_types,
)
from statemachines.notation.data.data_reader import DataReader
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from statemachines.notation.releases.machine_selection import machine_of, release_of_other

_WORD = re.compile(r"[A-Za-z_]\w*")
_PROSE = frozenset({"doc", "source", "sources"})
_NAMED = ("types", "errors", "parameters", "variables", "define", "parts", "channels")
"""Where a system gives names of its own, which are meant before those of its parts."""


def read_part_types(
    reader: DataReader, root: YamlMapping, specs: Mapping[str, SpecDefinition]
) -> tuple[tuple[str, Type], ...]:
    """Make known the records, enumerations and ranges of the parts' machines that a system names;
    what they say of opaque names counts where the system declares these.

    Args:
        reader: the scope, with the system's own types, and the release.
        root: the system.
        specs: the machines of the parts.

    Returns:
        Names and types, as if the system had declared them, in the order of the machines.
    """
    own = {name.text for key in _NAMED for name in _names_below(root.get(key))}
    declared = dict[str, dict[Type, str]]()
    for spec in specs.values():
        for name, type_ in _machine_types(reader, spec):
            if name not in own and _is_known_here(reader, type_):
                declared.setdefault(name, {}).setdefault(type_, spec.name)
    if not declared:
        return ()
    mentioned = {word: scalar for scalar in _texts(root) for word in _WORD.findall(scalar.text)}
    known = dict[str, Type]()
    for name in declared.keys() & mentioned.keys():
        known[name] = _single_type(reader, name, declared[name], mentioned[name])
    reader.set_scope(attrs.evolve(reader.scope, types={**reader.scope.types, **known}))
    return tuple(
        (name, known[name]) for name in declared if name in known and known[name] != ERROR_TYPE
    )


def _single_type(
    reader: DataReader, name: str, declared: Mapping[Type, str], mention: YamlScalar
) -> Type:
    """Return the type that all machines mean by a name; report it where they differ."""
    if len(declared) == 1:
        return next(iter(declared))
    machines = " and ".join(f"`{machine}`" for machine in declared.values())
    message = f"type `{name}` is not the same in {machines}"
    hint = f"say here which one is meant: `types: {{{name}: …}}`"
    reader.diagnostics.append(Diagnostic("SM314", message, mention.span, hint))
    return ERROR_TYPE


def _machine_types(reader: DataReader, spec: SpecDefinition) -> tuple[tuple[str, Type], ...]:
    """Return the types of a machine in the release that is read; none where it is not there."""
    bit = release_of_other(spec, reader.family, reader.bit)
    if not bit:
        return ()
    return machine_of(spec, spec.family.newest(bit) if spec.family.name else None).data.types


def _is_known_here(reader: DataReader, type_: Type) -> bool:
    """Tell whether a type means here what it means in its machine: it is no opaque name, has only
    those that the system has, and depends on no parameter.
    """
    if isinstance(type_, IdType):
        return False
    parts = tuple(nested_types(type_))
    return all(
        part in reader.scope.types.values() if isinstance(part, IdType) else True for part in parts
    ) and not any(isinstance(part, ElementType) for part in (type_, *parts))


def _names_below(node: YamlNode | None) -> Iterator[YamlScalar]:
    if isinstance(node, YamlMapping):
        yield from (name for name, _ in node.entries)


def _texts(node: YamlNode) -> Iterator[YamlScalar]:
    """Yield all texts that are no prose."""
    if isinstance(node, YamlScalar):
        yield node
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from _texts(item)
    else:
        for name, value in node.entries:
            if name.text not in _PROSE:
                yield from (name, *_texts(value))
