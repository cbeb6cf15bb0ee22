"""A system as Markdown tables: its parts, the links between them, its rules."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.draw.markdown import cell, code, row
from statemachines.draw.systems import does, occasion, part_lines, rule_name
from statemachines.model.systems import Link, System
from statemachines.semantics.wording import wording


def system_markdown(system: System) -> str:
    """Write a system: what it is made of, who does what to whom and on what condition, and what holds of it."""
    heading = f"**{system.name}**{f' {system.release}' if system.release else ''}"
    return "\n".join((heading, "", *_parts(system), *_data(system), *_links(system), *_rules(system))) + "\n"


def _parts(system: System) -> Iterator[str]:
    yield from (row(["part", "machine", "how many", ""]), row(["---"] * 4))
    for part in system.parts:
        _, *many = part_lines(part)
        yield row([code(part.name), code(part.machine), ", ".join(many) or "one", cell(part.doc)])


def _data(system: System) -> Iterator[str]:
    if system.data.variables:
        yield from ("", row(["shared variable", "type", ""]), row(["---"] * 3))
        yield from (row([code(each.name), code(str(each.type)), cell(each.doc)]) for each in system.data.variables)
    if system.data.definitions:
        yield from ("", row(["definition", "is", ""]), row(["---"] * 3))
        yield from (row([code(each.name), code(wording(each.body)), cell(each.doc)]) for each in system.data.definitions)


def _links(system: System) -> Iterator[str]:
    if system.links:
        yield from ("", row(["where", "on", "if", "does", "only if", ""]), row(["---"] * 6))
        yield from (row(_link(link)) for link in system.links)


def _link(link: Link) -> list[str]:
    guard = code(wording(link.guard)) if link.guard is not None else ""
    needed = code(wording(link.only_if)) if link.only_if is not None else ""
    return [code(link.on), cell(occasion(link)), guard, code(does(link)), needed, cell(link.doc)]


def _rules(system: System) -> Iterator[str]:
    rules = [rule for rule in system.data.properties if rule.holds is not None]
    if rules:
        yield from ("", row(["rule", "holds", ""]), row(["---"] * 3))
        yield from (row([cell(rule_name(rule)), code(wording(rule.holds)), cell(rule.doc)]) for rule in rules if rule.holds is not None)
