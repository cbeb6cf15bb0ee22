"""`init`: a spec to start from."""

from __future__ import annotations

import re
from pathlib import Path

import click

from statemachines.api.starting import FORMS, MOST_BYTES, draft, draft_of, starter, with_schema
from statemachines.cli import terminal
from statemachines.cli.complaint import Complaint, complaints
from statemachines.cli.files import write_new

PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
"""`module:attribute`, as Python's entry points have it."""
FROM = "A Mermaid state diagram, SCXML, JSON of states and transitions (XState's too), or MODULE:ATTRIBUTE, a machine of `transitions`."


@click.command(short_help="Write a spec to start from.")
@click.argument("file", metavar="FILE.yaml", type=click.Path(dir_okay=False))
@click.option("--from", "source", metavar="FILE|MODULE:ATTRIBUTE", help=FROM)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def verb(file: str, source: str | None, force: bool) -> int:
    """Write a small spec that holds together, to be changed line by line; or a draft from what is
    there already, with a list of what did not carry over.

    \b
    statemachines init order.yaml
    statemachines init order.yaml --from order.mmd
    statemachines init order.yaml --from shop.orders:machine
    """
    name = Path(file).stem
    if not name.isidentifier():
        raise Complaint(f"`{name}` is no name of a machine; letters, digits and _ make one")
    text, lost = (starter(Path(file)), ()) if source is None else _drafted(source, name)
    write_new(file, text if source is None else with_schema(Path(file), text), force=force)
    for sentence in lost:
        terminal.note(f"did not carry over: {sentence}")
    terminal.say([f"wrote {file}; statemachines lint {file} says what is wrong with it, statemachines show {file} shows it"])
    return 0


def _drafted(source: str, name: str) -> tuple[str, tuple[str, ...]]:
    if PLACE.fullmatch(source):
        with complaints():
            return draft_of(source, name)
    form = FORMS.get(Path(source).suffix.lower())
    if form is None:
        raise Complaint(f"{source}: a draft is made from {', '.join(FORMS)}, or from MODULE:ATTRIBUTE")
    try:
        with open(source, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        text = data[:MOST_BYTES].decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise Complaint(f"{source}: {getattr(problem, 'strerror', None) or 'is no UTF-8 text'}") from None
    if len(data) > MOST_BYTES:
        raise Complaint(f"{source}: it has more than {MOST_BYTES:,} bytes, and a spec may not have more")
    with complaints():
        return draft(text, form, name)
