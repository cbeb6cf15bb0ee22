"""A system as Markdown tables: its parts, the links between them, its rules."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.draw.forms.markdown import cell_text, code_cell, table_row
from statemachines.draw.graphs.system_graph import (
    channel_text,
    each_text,
    link_effect,
    link_trigger,
    part_description,
    property_name,
    same_members,
)
from statemachines.model.definitions.system_definitions import Link, SystemDefinition
from statemachines.semantics.messages.expression_text import format_expression


def system_markdown(system: SystemDefinition) -> str:
    """Write a system: what it is made of, who does what to whom and on what condition, and what
    holds of it.

    Args:
        system: in one release.

    Returns:
        Markdown of one heading and several tables, ending in a line feed.
    """
    heading = f"**{system.name}**{f' {system.release}' if system.release else ''}"
    return (
        "\n".join(
            (
                heading,
                "",
                *_part_rows(system),
                *_data_rows(system),
                *_link_rows(system),
                *_property_rows(system),
            )
        )
        + "\n"
    )


def _part_rows(system: SystemDefinition) -> Iterator[str]:
    yield from (table_row(["part", "machine", "how many", ""]), table_row(["---"] * 4))
    for part in system.parts:
        _, *many = part_description(part)
        yield table_row(
            [
                code_cell(part.name),
                code_cell(part.machine),
                ", ".join(many) or "one",
                cell_text(part.doc),
            ]
        )


def _data_rows(system: SystemDefinition) -> Iterator[str]:
    if system.data.variables:
        yield from ("", table_row(["shared variable", "type", ""]), table_row(["---"] * 3))
        yield from (
            table_row(
                [code_cell(variable.name), code_cell(str(variable.type)), cell_text(variable.doc)]
            )
            for variable in system.data.variables
        )
    if system.same:
        yield from ("", table_row(["the same", "variables", ""]), table_row(["---"] * 3))
        yield from (
            table_row(
                [
                    code_cell(variable.name),
                    code_cell(same_members(variable)),
                    cell_text(variable.doc),
                ]
            )
            for variable in system.same
        )
    if system.channels:
        yield from ("", table_row(["channel", "holds", ""]), table_row(["---"] * 3))
        yield from (
            table_row(
                [code_cell(channel.name), cell_text(channel_text(channel)), cell_text(channel.doc)]
            )
            for channel in system.channels
        )
    if system.data.definitions:
        yield from ("", table_row(["definition", "is", ""]), table_row(["---"] * 3))
        yield from (
            table_row(
                [
                    code_cell(definition.name),
                    code_cell(format_expression(definition.body)),
                    cell_text(definition.doc),
                ]
            )
            for definition in system.data.definitions
        )


def _link_rows(system: SystemDefinition) -> Iterator[str]:
    if system.links:
        yield from (
            "",
            table_row(["where", "on", "if", "does", "only if", ""]),
            table_row(["---"] * 6),
        )
        yield from (table_row(_link_cells(link)) for link in system.links)


def _link_cells(link: Link) -> list[str]:
    guard = code_cell(format_expression(link.guard)) if link.guard is not None else ""
    needed = code_cell(format_expression(link.only_if)) if link.only_if is not None else ""
    return [
        code_cell(link.on),
        cell_text(link_trigger(link)),
        guard,
        code_cell(link_effect(link)),
        needed,
        cell_text(link.doc),
    ]


def _property_rows(system: SystemDefinition) -> Iterator[str]:
    rules = [rule for rule in system.data.properties if rule.holds is not None]
    if rules:
        yield from ("", table_row(["rule", "holds", ""]), table_row(["---"] * 3))
        yield from (
            table_row(
                [
                    cell_text(property_name(rule) + each_text(rule)),
                    code_cell(format_expression(rule.holds)),
                    cell_text(rule.doc),
                ]
            )
            for rule in rules
            if rule.holds is not None
        )
