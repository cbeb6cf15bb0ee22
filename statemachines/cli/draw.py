"""`draw`: a machine as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from statemachines.api.catalogue import find, in_release
from statemachines.api.drawing import FORMS, drawn
from statemachines.cli import terminal
from statemachines.cli.complaint import Complaint, complaints
from statemachines.cli.naming import machine_argument, release_option

ENDINGS = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".md": "markdown", ".png": "png"}


@click.command(short_help="Draw a machine: SVG, DOT, Mermaid, Markdown, PNG.")
@machine_argument()
@release_option()
@click.option("--format", "form", type=click.Choice(FORMS), help="Default: by FILE's ending, else svg.")
@click.option("-o", "--output", "file", type=click.Path(dir_okay=False), metavar="FILE", help="Write the picture to a file.")
def verb(name: str, release: str | None, form: str | None, file: str | None) -> int:
    """Draw machine NAME in one release (default: the newest).

    SVG needs no program besides the extra `draw`; DOT, Mermaid and Markdown need nothing.
    """
    form = form or ENDINGS.get(Path(file).suffix.lower() if file else "", "svg")
    if form == "png" and file is None and sys.stdout.isatty():
        raise Complaint("a PNG is not for a terminal; give -o FILE")
    with complaints():
        machine, said = in_release(find(name), release)
        content = drawn(machine, form)
    if said:
        terminal.note(said)
    if file is None:
        sys.stdout.buffer.write(content)
    else:
        Path(file).write_bytes(content)
    return 0
