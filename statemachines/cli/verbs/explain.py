"""`explain`: a code of a diagnostic, a kind of incident, or a pasted log line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from statemachines.api.queries.incident_explanations import explain_incident, incident_kinds
from statemachines.api.queries.line_explanations import (
    ExplainedLine,
    LineMeaning,
    UnknownCode,
    explain_code,
    explain_lines,
    nearest_template,
    wordless_lines,
)
from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.report.sections.display_names import place_name
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.specs.incident_pages import (
    evidence_lines_text,
    incident_page_heading,
    incident_page_sections,
)
from statemachines.report.text.text_columns import OutputStyle
from statemachines.report.text.wrapped_lines import hanging_lines

CODE = re.compile(r"SM\d+", re.IGNORECASE)
_MOST_NUMBERS = 10
"""Lines that are named by their numbers."""
KIND = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


@click.command()
@click.argument("thing", metavar="CODE|INCIDENT|-|LINE…", nargs=-1, required=True)
@click.option(
    "--spec", "specs", multiple=True, metavar="NAME|FILE", help="Look only at these specs."
)
def verb(thing: tuple[str, ...], specs: tuple[str, ...]) -> int:
    """Explain the code of a diagnostic or a kind of incident (what it means, what people usually
    find, what to look at next), or say which entry of which spec matches a log line, and what
    the line means.

    \b
    statemachines explain SM204
    statemachines explain 'order 7: NEW -> PAID' --spec examples/orders/Order.yaml
    statemachines explain - < lines.log

    Exit code: 0 explained, 1 no entry of the catalogue matches the line, 2 no such code or
    incident.
    """
    if len(thing) == 1 and CODE.fullmatch(thing[0]):
        terminal.print_lines([_code_text(thing[0])])
        return 0
    if len(thing) == 1 and KIND.fullmatch(thing[0]):
        terminal.print_lines(_incident_lines(thing[0], specs, terminal.output_style()))
        return 0
    pasted = (
        terminal.standard_input().buffer.read()
        if thing == ("-",)
        else " ".join(thing).encode("utf-8", "surrogateescape")
    )
    with reported_errors():
        explained = explain_lines(pasted, specs or None)
    style = terminal.output_style()
    terminal.print_lines(
        line for explanation in explained for line in _explained_lines(explanation, style)
    )
    if not explained:
        terminal.print_lines(["no line holds a word that the catalogue looks for"])
    elif wordless := wordless_lines(pasted, explained):
        terminal.print_lines(_wordless_text(wordless))
    if not any(explanation.meanings or explanation.readable_part for explanation in explained):
        terminal.print_lines(_nearest_template_lines(pasted, specs))
    return 0 if any(explanation.meanings for explanation in explained) else 1


def _wordless_text(numbers: tuple[int, ...]) -> Iterator[str]:
    """Say which lines hold nothing that the catalogue looks for, the first ones by their number."""
    named = ", ".join(f"{number:,}" for number in numbers[:_MOST_NUMBERS])
    more = f" and {len(numbers) - _MOST_NUMBERS:,} more" if len(numbers) > _MOST_NUMBERS else ""
    lines = f"line {named} holds" if len(numbers) == 1 else f"lines {named}{more} hold"
    yield f"{lines} no word that the catalogue looks for"


def _nearest_template_lines(pasted: bytes, specs: tuple[str, ...]) -> Iterator[str]:
    """Say which wording of the specs that were named is nearest."""
    near = nearest_template(pasted, specs) if specs else None
    if near is not None:
        yield f"the nearest wording is  {near[0]}" + (
            f"   {place_name(near[1])}" if near[1] else ""
        )


def _code_text(code: str) -> str:
    try:
        return explain_code(code)
    except UnknownCode as problem:
        raise CommandError(
            f"{problem}; {did_you_mean(problem.code.upper(), problem.known)}"
        ) from None


def _incident_lines(kind: str, specs: tuple[str, ...], style: OutputStyle) -> Iterator[str]:
    """Write the page of a kind of incident: help first, and last the lines that tell it."""
    with reported_errors():
        incident = explain_incident(kind, specs or None)
    if incident is None:
        known = incident_kinds(specs or None)
        raise CommandError(f"there is no incident `{kind}`; {did_you_mean(kind, known)}")
    yield from incident_page_heading(incident.kind, incident.harm, incident.page, style)
    for title, kinds in (("often follows", incident.follows), ("may lead to", incident.leads_to)):
        if kinds:
            yield f"  {title} {', '.join(kinds)}"
    yield from incident_page_sections(incident.page, style)
    yield from ("", style.paint("Lines that tell it", "head"))
    for line in incident.lines:
        yield from evidence_lines_text(
            line.machine, line.titles, line.templates, line.loggers, style
        )


def _explained_lines(line: ExplainedLine, style: OutputStyle) -> Iterator[str]:
    yield style.paint(cut_end(printable_text(f"{line.line}: {line.message}"), style.width), "head")
    named = ", ".join(
        f"{name} {value}"
        for name, value in (("layout", line.layout), ("level", line.level), ("logger", line.logger))
        if value
    )
    yield style.paint(f"  {printable_text(named)}", "dim")
    for meaning in line.meanings:
        yield from _meaning_lines(meaning, style)
    if not line.meanings:
        yield "  it holds a word of the catalogue, and no entry reads it"
    if line.readable_part:
        yield "  an entry would read " + style.paint(
            cut_end(printable_text(line.readable_part), style.width - 22), "head"
        )
        yield (
            "  what stands around that belongs to the layout of the lines: check --layout FILE"
            " tells it"
        )


def _meaning_lines(meaning: LineMeaning, style: OutputStyle) -> Iterator[str]:
    releases = f" in {meaning.releases}" if meaning.releases else ""
    yield (
        f"  {style.paint(meaning.machine, 'good')} says {style.paint(meaning.says, 'head')}"
        f"{releases}   {place_name(meaning.spec)}"
    )
    for name, value in meaning.fields:
        yield "      " + printable_text(f"{name} = {value}")
    for kind, means in meaning.incidents:
        yield from hanging_lines(
            f"tells of {kind}: {means}" if means else f"tells of {kind}", "      ", style
        )
        if means:
            yield style.paint(f"        statemachines explain {kind}", "dim")
    if meaning.unknown_states:
        yield "      " + style.paint(printable_text(meaning.unknown_states), "doubt")
