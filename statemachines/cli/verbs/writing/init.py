"""`init`: a spec to start from."""

from __future__ import annotations

import re
from pathlib import Path

import click

from statemachines.api.queries.new_specs import (
    DRAFT_FORMS,
    MOST_DRAFT_BYTES,
    draft_from_attribute,
    draft_from_text,
    spec_with_schema,
    starter_spec,
)
from statemachines.cli.arguments.option_types import OutputFile
from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import write_new
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.model.opened_files import open_for_reading

_MODULE_ATTRIBUTE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
"""`module:attribute`, as Python's entry points have it."""
_FROM_HELP = (
    "A Mermaid state diagram, SCXML, JSON of states and transitions (XState's too), or"
    " MODULE:ATTRIBUTE, a machine of `transitions`."
)


@click.command()
@click.argument("file", metavar="FILE.yaml", type=OutputFile())
@click.option("--from", "source", metavar="FILE|MODULE:ATTRIBUTE", help=_FROM_HELP)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def verb(file: str, source: str | None, force: bool) -> int:
    """Write a small valid spec, to be changed line by line; or a draft from a machine that you
    already have, with a list of what could not be carried over.

    \b
    statemachines init order.yaml
    statemachines init order.yaml --from order.mmd
    statemachines init order.yaml --from shop.orders:machine
    """
    name = Path(file).stem
    if not name.isidentifier():
        meant = re.sub(r"\W", "_", name)
        meant = meant if meant.isidentifier() else f"_{meant}"
        raise CommandError(
            f"the machine is called as the file is, and `{name}` is not a valid name of a machine:"
            f" call the file {Path(file).with_name(meant + '.yaml')}"
        )
    text, lost = (
        (starter_spec(Path(file)), ()) if source is None else _draft_from_source(source, name)
    )
    write_new(file, text if source is None else spec_with_schema(Path(file), text), force=force)
    for sentence in lost:
        terminal.print_note(f"did not carry over: {sentence}")
    terminal.print_lines(
        [
            f"wrote {file}; statemachines lint {file} says what is wrong with it, statemachines"
            f" show {file} shows it"
        ]
    )
    return 0


def _draft_from_source(source: str, name: str) -> tuple[str, tuple[str, ...]]:
    if _MODULE_ATTRIBUTE.fullmatch(source):
        with reported_errors():
            return draft_from_attribute(source, name)
    form = DRAFT_FORMS.get(Path(source).suffix.lower())
    if form is None:
        raise CommandError(
            f"{source}: a draft is made from {', '.join(DRAFT_FORMS)}, or from MODULE:ATTRIBUTE"
        )
    try:
        with open_for_reading(source) as file:
            data = file.read(MOST_DRAFT_BYTES + 1)
        text = data[:MOST_DRAFT_BYTES].decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(
            f"{source}: {getattr(problem, 'strerror', None) or 'is not UTF-8 text'}"
        ) from None
    if len(data) > MOST_DRAFT_BYTES:
        raise CommandError(
            f"{source}: it has more than {MOST_DRAFT_BYTES:,} bytes, and a spec may not have more"
        )
    with reported_errors():
        return draft_from_text(text, form, name)
