"""Variables of several parts that are one, such as the nodes of a store that all of them write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.system_definitions import SameVariable
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.value_types import Type
from statemachines.notation.data.data_reader import DataReader, doc_text
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    node_items,
    node_text,
)
from statemachines.notation.releases.release_selection import entries_in_release
from statemachines.notation.systems.part_reader import PartMember
from statemachines.notation.typing.type_agreement import without_element_types

_MEMBER = re.compile(r"(?P<part>[A-Za-z_]\w*)\.(?P<variable>[A-Za-z_]\w*)")


def read_same_variables(
    reader: DataReader, root: YamlMapping, members: Mapping[str, PartMember]
) -> tuple[SameVariable, ...]:
    """Read `same:` in one release, in the author's order.

    A part or a variable that the release does not have, while another one has it, is left out;
    where fewer than two are left, there is nothing to share.

    Args:
        reader: the release, and where mistakes go.
        root: the system.
        members: the parts that the release has.

    Returns:
        Those of this release.
    """
    return tuple(_existing_variables(reader, root, members))


def _existing_variables(
    reader: DataReader, root: YamlMapping, members: Mapping[str, PartMember]
) -> Iterator[SameVariable]:
    taken: dict[tuple[str, str], str] = {}
    for name, node in entries_in_release(root.get("same"), reader.family, reader.bit):
        listed = node.get("of") if isinstance(node, YamlMapping) else node
        variable_types: dict[tuple[str, str], Type] = {}
        for item in node_items(listed):
            member = _read_member(reader, root, members, item)
            if member is None:
                continue
            if taken.setdefault(member[0], name.text) != name.text or member[0] in variable_types:
                _report(reader, f"`{node_text(item)}` is named twice", item, "name each once")
                continue
            variable_types[member[0]] = member[1]
        if len(node_items(listed)) < 2 and not _is_each(variable_types, members):
            _report(reader, f"`{name.text}` names one variable", name, "name two, or more")
        elif _agree(reader, name, variable_types) and (
            len(variable_types) > 1 or _is_each(variable_types, members)
        ):
            yield SameVariable(name.text, tuple(variable_types), doc_text(node), name.span)


def _is_each(
    variable_types: Mapping[tuple[str, str], Type], members: Mapping[str, PartMember]
) -> bool:
    """Tell whether there is one part of them at least that there is several times."""
    return any(members[part].part.each is not None for part, _ in variable_types)


def _agree(
    reader: DataReader, name: YamlScalar, variable_types: Mapping[tuple[str, str], Type]
) -> bool:
    """Report variables of different types."""
    for (part, variable), type_ in variable_types.items():
        first = next(iter(variable_types.values()))
        if type_ != first:
            message = f"`{part}.{variable}` is of type `{type_}`, and not `{first}`"
            _report(reader, message, name, "what is the same has one type")
            return False
    return True


def _read_member(
    reader: DataReader, root: YamlMapping, members: Mapping[str, PartMember], item: YamlNode
) -> tuple[tuple[str, str], Type] | None:
    """Return part, variable and its type; None where the release lacks it, or it is wrong."""
    text = node_text(item)
    matched = _MEMBER.fullmatch(text)
    if matched is None:
        _report(reader, f"`{text}` names no variable", item, "write `part.variable`")
        return None
    parts = root.get("parts")
    known = [part.text for part, _ in parts.entries] if isinstance(parts, YamlMapping) else []
    if matched["part"] not in known:
        hint = did_you_mean(matched["part"], known)
        _report(reader, f"there is no part `{matched['part']}`", item, hint)
        return None
    member = members.get(matched["part"])
    if member is None:
        return None
    for variable in member.machine.data.variables:
        if variable.name == matched["variable"]:
            return (matched["part"], variable.name), without_element_types(variable.type)
    ever = _variables_ever(member.spec)
    if matched["variable"] not in ever:
        message = f"`{matched['part']}` has no variable `{matched['variable']}`"
        _report(reader, message, item, did_you_mean(matched["variable"], ever))
    return None


def _variables_ever(spec: SpecDefinition) -> tuple[str, ...]:
    """Return the variables that a machine has in some release."""
    versions = [spec.data, *(data for _, data in spec.versions)]
    return tuple(dict.fromkeys(variable.name for data in versions for variable in data.variables))


def _report(reader: DataReader, message: str, node: YamlNode, hint: str) -> None:
    reader.diagnostics.append(Diagnostic("SM418", message, node.span, hint))
