"""`init`: a spec to start from."""

from __future__ import annotations

from pathlib import Path

import click

from statemachines.api.starting import draft, starter
from statemachines.cli import terminal
from statemachines.cli.complaint import Complaint, complaints
from statemachines.cli.files import write_new

FORMS = {".mmd": "mermaid", ".mermaid": "mermaid", ".md": "mermaid", ".scxml": "scxml", ".xml": "scxml"}


@click.command(short_help="Write a spec to start from.")
@click.argument("file", metavar="FILE.yaml", type=click.Path(dir_okay=False))
@click.option(
    "--from", "source", metavar="FILE", type=click.Path(dir_okay=False), help="A Mermaid state diagram or SCXML to draft it from."
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def verb(file: str, source: str | None, force: bool) -> int:
    """Write a small spec that holds together, to be changed line by line; or a draft from a diagram.

    \b
    statemachines init order.yaml
    statemachines init order.yaml --from order.mmd
    """
    name = Path(file).stem
    if not name.isidentifier():
        raise Complaint(f"`{name}` is no name of a machine; letters, digits and _ make one")
    text, lost = (starter(Path(file)), ()) if source is None else _drafted(source, name)
    write_new(file, text, force=force)
    for sentence in lost:
        terminal.note(f"did not carry over: {sentence}")
    terminal.say([f"wrote {file}; statemachines lint {file} says what is wrong with it, statemachines show {file} shows it"])
    return 0


def _drafted(source: str, name: str) -> tuple[str, tuple[str, ...]]:
    form = FORMS.get(Path(source).suffix.lower())
    if form is None:
        raise Complaint(f"{source}: a draft is made from {', '.join(FORMS)}")
    try:
        text = Path(source).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Complaint(f"{source}: {getattr(problem, 'strerror', None) or 'is no UTF-8 text'}") from None
    with complaints():
        return draft(text, form, name)
