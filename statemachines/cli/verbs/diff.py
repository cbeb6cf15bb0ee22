"""`diff`: what changed in behaviour between two releases of a machine, or between two specs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click

from statemachines.api.queries.catalogue import find_machine, machine_in_release
from statemachines.cli.arguments.machine_arguments import machine_argument
from statemachines.cli.arguments.option_types import WordChoice
from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.cli.outcomes.exit_codes import FINE, FOUND
from statemachines.report.exploration.difference_report import (
    ChangeSection,
    change_sections,
    difference_summary,
    machine_difference,
    machine_title,
    to_json,
    to_markdown,
)
from statemachines.report.sections.plain_texts import cut_end
from statemachines.report.text.text_columns import OutputStyle

_SIGN_STYLES = {"+": "good", "-": "bad", "~": "doubt"}


@click.command()
@machine_argument()
@click.argument("other", required=False)
@click.argument("more", nargs=-1, metavar="")
@click.option(
    "--between",
    nargs=2,
    metavar="OLD NEW",
    help="Two releases, or minor lines such as 2.5 for their newest.",
)
@click.option(
    "--format",
    "form",
    type=WordChoice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="Form of the result.",
)
def verb(
    name: str, other: str | None, more: tuple[str, ...], between: tuple[str, str] | None, form: str
) -> int:
    """Say what changed between two releases of machine NAME (`--between`), or between NAME and
    OTHER.

    States, transitions, what happens to other requests, and log lines are compared. Each change of
    behaviour comes with a shortest run to which the two respond differently: it begins in an
    initial state, and each arrow leads to the state after the next step, or names its event.

    Exit code: 0 nothing changed, 1 something did.
    """
    is_release = between is None and other is not None and _is_release(other)
    if more or is_release or (between is None and other is None):
        second = more[0] if more else "NEW"
        hint = f"; for two releases write `--between {other} {second}`" if other else ""
        raise CommandError(f"two releases (`--between OLD NEW`) or two specs are compared{hint}")
    with reported_errors():
        one, another = find_machine(name), find_machine(other or name)
        (old, old_note), (new, new_note) = (
            machine_in_release(spec, release)
            for spec, release in zip((one, another), between or (None, None), strict=True)
        )
        difference = machine_difference(old, new)
    for note in filter(None, (old_note, new_note)):
        terminal.print_note(note)
    if form == "json":
        terminal.print_lines([json.dumps(to_json(difference), indent=2, ensure_ascii=False)])
    elif form == "markdown":
        terminal.print_lines([to_markdown(difference)])
    else:
        style = terminal.output_style()
        terminal.print_lines(
            [
                f"{style.paint(machine_title(old), 'head')}  -> "
                f" {style.paint(machine_title(new), 'head')}"
            ]
        )
        note = difference_summary(difference)
        note = note if note or difference.changes else "nothing changed"
        terminal.print_lines([f"  {note}"] if note else [])
        terminal.print_lines(_change_lines(change_sections(difference), style))
    return FOUND if difference.changes else FINE


def _is_release(text: str) -> bool:
    """Tell whether what stands where a spec is expected is the number of a release."""
    return re.fullmatch(r"\d+(\.\d+)+", text) is not None and not Path(text).exists()


def _change_lines(sections: tuple[ChangeSection, ...], style: OutputStyle) -> Iterator[str]:
    for section in sections:
        yield ""
        yield style.paint(section.title, "head")
        for change in section.changes:
            yield (
                f"  {style.paint(change.sign, _SIGN_STYLES[change.sign])}"
                f" {cut_end(change.what, style.width - 4)}"
            )
            if change.trace:
                yield f"      {change.trace}"
                yield f"      before: {change.old}; now: {change.new}"
