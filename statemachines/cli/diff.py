"""`diff`: what changed in behaviour between two releases of a machine, or between two specs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from statemachines.api.catalogue import find, in_release
from statemachines.api.differences import Section, differences, sections, summary, title_of, to_json, to_markdown
from statemachines.cli import terminal
from statemachines.cli.complaint import Complaint, complaints
from statemachines.cli.exits import FINE, FOUND
from statemachines.cli.naming import machine_argument
from statemachines.cli.options import Word
from statemachines.report.text.columns import Look, clipped

SIGNS = {"+": "good", "-": "bad", "~": "doubt"}


@click.command(short_help="Say what changed between two releases, or two specs, in behaviour.")
@machine_argument()
@click.argument("other", required=False)
@click.argument("more", nargs=-1, metavar="")
@click.option("--between", nargs=2, metavar="OLD NEW", help="Two releases, or minor lines for their newest.")
@click.option("--format", "form", type=Word(["text", "markdown", "json"]), default="text", show_default=True, help="Form of the result.")
def verb(name: str, other: str | None, more: tuple[str, ...], between: tuple[str, str] | None, form: str) -> int:
    """Say what changed between two releases of machine NAME (`--between`), or between NAME and OTHER.

    States, transitions, what becomes of other requests, and log lines; each change of behaviour with a shortest run that the two do not
    answer alike: it begins where an instance begins, and every word after an arrow is where the next step leads, or its event.

    Exit code: 0 nothing changed, 1 something did.
    """
    if more or (between is None and other is None):
        raise Complaint("two releases (`--between OLD NEW`) or two specs are compared")
    with complaints():
        one, another = find(name), find(other or name)
        (old, said), (new, also) = (
            in_release(spec, release) for spec, release in zip((one, another), between or (None, None), strict=True)
        )
        found = differences(old, new)
    for note in filter(None, (said, also)):
        terminal.note(note)
    if form == "json":
        terminal.say([json.dumps(to_json(found), indent=2, ensure_ascii=False)])
    elif form == "markdown":
        terminal.say([to_markdown(found)])
    else:
        look = terminal.look()
        terminal.say([f"{look.paint(title_of(old), 'head')}  ->  {look.paint(title_of(new), 'head')}"])
        terminal.say([f"  {note}" for note in [summary(found)] if note])
        terminal.say(["  nothing changed"] if not found.changes else _lines(sections(found), look))
    return FOUND if found.changes else FINE


def _lines(found: tuple[Section, ...], look: Look) -> Iterator[str]:
    for section in found:
        yield ""
        yield look.paint(section.title, "head")
        for change in section.changes:
            yield f"  {look.paint(change.sign, SIGNS[change.sign])} {clipped(change.what, look.width - 4)}"
            if change.run:
                yield f"      {change.run}"
                yield f"      before: {change.old}; now: {change.new}"
