"""Definitions: names for expressions, which others use."""

from __future__ import annotations

import attrs

from statemachines.model.definitions.data_definitions import Definition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.expression_nodes import DefinitionCall, NameKind, walk
from statemachines.model.language.value_types import ERROR_TYPE
from statemachines.notation.data.data_reader import DataReader, doc_text, used_name_texts
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, YamlScalar
from statemachines.notation.releases.release_selection import entries_in_release
from statemachines.notation.typing.name_scope import DeclaredName

MOST_PARTS = 100_000
"""Names, operators and values that evaluating a definition may come to."""


def read_definitions(reader: DataReader, roots: list[YamlMapping]) -> tuple[Definition, ...]:
    """Read the definitions; one may use another that stands further down, none itself.

    Args:
        reader: the scope and the release, and where mistakes go.
        roots: the document, and those that it uses.

    Returns:
        Those of this release, in the author's order.
    """
    nodes = {
        name.text: (name, node)
        for root in roots
        for name, node in entries_in_release(root.get("define"), reader.family, reader.bit)
    }
    for scalar, _ in nodes.values():
        reader.namespace.declare_global(scalar)
    pending: list[str] = []
    done: dict[str, Definition | None] = {}
    sizes: dict[str, int] = {}

    def read(name: str) -> None:
        if name in done:
            return
        scalar, node = nodes[name]
        if name in pending:
            circle = " uses ".join(f"`{used}`" for used in [*pending[pending.index(name) :], name])
            message = f"`{name}` is defined by itself: {circle}"
            reader.diagnostics.append(
                Diagnostic("SM316", message, scalar.span, "definitions are not recursive")
            )
            done.update(dict.fromkeys(pending[pending.index(name) :]))
            for used in pending[pending.index(name) :]:
                reader.declare(DeclaredName(NameKind.OUTSIDE, used, ERROR_TYPE, scalar.span))
            return
        pending.append(name)
        for used in used_name_texts(
            reader, node.get("is") if isinstance(node, YamlMapping) else node
        ):
            if used in nodes:
                read(used)
        pending.pop()
        if name not in done:
            done[name] = _of_bounded_size(
                reader, scalar, _read_definition(reader, scalar, node), sizes
            )
            if (made := done[name]) is None:
                reader.declare(DeclaredName(NameKind.OUTSIDE, name, ERROR_TYPE, scalar.span))
            else:
                reader.set_scope(
                    attrs.evolve(reader.scope, definitions={**reader.scope.definitions, name: made})
                )

    for name in nodes:
        read(name)
    return tuple(definition for definition in done.values() if definition is not None)


def _of_bounded_size(
    reader: DataReader, name: YamlScalar, definition: Definition | None, sizes: dict[str, int]
) -> Definition | None:
    """Refuse a definition that takes too many operations to evaluate, and note its size: twenty
    that each use the one before twice are a million.
    """
    if definition is None:
        return None
    sizes[name.text] = sum(
        1 + (sizes.get(part.definition, 0) if isinstance(part, DefinitionCall) else 0)
        for part in walk(definition.body)
    )
    if sizes[name.text] <= MOST_PARTS:
        return definition
    message = (
        f"`{name.text}` has {sizes[name.text]:,} parts, those of the definitions that it uses"
        f" counted each time; the most is {MOST_PARTS:,}"
    )
    reader.diagnostics.append(
        Diagnostic("SM317", message, name.span, "use each once, or keep its value in a variable")
    )
    return None


def _read_definition(reader: DataReader, name: YamlScalar, node: YamlNode) -> Definition | None:
    """Read one definition: its inputs, then its body in their scope."""
    facts, inputs, taken = reader.facts, [], reader.namespace.nested()
    wrong = False
    for scalar, part in entries_in_release(
        node.get("args") if isinstance(node, YamlMapping) else None, reader.family, reader.bit
    ):
        type_, default = reader.read_type_and_default(
            part.get("type") if isinstance(part, YamlMapping) else part, facts
        )
        if not taken.declare(scalar) or type_ is None:
            wrong = True
            continue
        inputs.append((f"{name.text}.{scalar.text}", type_))
        declared = DeclaredName(
            NameKind.INPUT, f"{name.text}.{scalar.text}", type_, scalar.span, default=default
        )
        scope = attrs.evolve(facts.scope, names={**facts.scope.names, scalar.text: declared})
        facts = attrs.evolve(facts, scope=scope)
    body = (
        None
        if wrong
        else reader.read_expression(
            node.get("is") if isinstance(node, YamlMapping) and node.get("is") else node, facts
        )
    )
    return (
        None
        if body is None
        else Definition(name.text, tuple(inputs), body, doc_text(node), name.span)
    )
