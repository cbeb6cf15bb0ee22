"""`draw`: a machine, or what instances did, as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from statemachines.api.catalogue import find, in_release
from statemachines.api.drawing import FORMS, Over, drawn, timeline
from statemachines.cli import terminal
from statemachines.cli.complaint import Complaint, complaints
from statemachines.cli.exits import FINE
from statemachines.cli.naming import machine_names, release_option
from statemachines.model.machines import Machine
from statemachines.model.reports import Report

ENDINGS = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".md": "markdown", ".png": "png", ".puml": "plantuml"}
ENDINGS |= {".scxml": "scxml", ".json": "json", ".tla": "tla"}
SPECS = (".yaml", ".yml")
HELP = {
    "form": "Default: by FILE's ending, else svg.",
    "file": "Write the picture to a file.",
    "since": "Mark what came and what went since release R.",
    "trace": "Highlight the way through these states.",
    "logs": "Lay a log over it: how often each step was taken, how long each state was held, what was never seen, what is forbidden.",
}


@click.command(short_help="Draw a machine, or what instances did over time.")
@click.argument("what", nargs=-1, required=True, metavar="NAME|SPEC|LOG…", shell_complete=machine_names)
@release_option()
@click.option("--since", metavar="R", help=HELP["since"])
@click.option("--trace", metavar="STATE,STATE…", help=HELP["trace"])
@click.option("--log", "logs", multiple=True, metavar="PATH", type=click.Path(), help=HELP["logs"])
@click.option("--format", "form", type=click.Choice(FORMS), help=HELP["form"])
@click.option("-o", "--output", "file", type=click.Path(dir_okay=False), metavar="FILE", help=HELP["file"])
def verb(
    what: tuple[str, ...],
    release: str | None,
    since: str | None,
    trace: str | None,
    logs: tuple[str, ...],
    form: str | None,
    file: str | None,
) -> int:
    """Draw machine NAME in one release (default: the newest), or, given logs, what their instances did over time.

    SVG and DOT need the extra `draw` and no program; PNG needs something that makes pixels; the other forms need nothing.

    \b
    statemachines draw Order -o order.svg
    statemachines draw Order --since 1.0 -o changes.svg
    statemachines draw Order --log logs/ -o taken.svg
    statemachines draw logs/ -o timeline.svg
    """
    form = form or ENDINGS.get(Path(file).suffix.lower() if file else "", "svg")
    if form == "png" and file is None and sys.stdout.isatty():
        raise Complaint("a PNG is not for a terminal; give -o FILE")
    with complaints():
        if _are_logs(what):
            content = _timeline(what, form, contradicting=(since, trace, *logs))
        elif len(what) > 1:
            raise Complaint(f"one machine at a time: {', '.join(what)}; logs and folders of logs may be several")
        else:
            content = _machine(what[0], release, form, since, trace, logs)
    if file is None:
        sys.stdout.buffer.write(content)
    else:
        Path(file).write_bytes(content)
    return FINE


def _are_logs(what: tuple[str, ...]) -> bool:
    """Tell whether the arguments are logs: paths that are there and no specs."""
    return all(Path(each).exists() and not each.endswith(SPECS) for each in what)


def _machine(name: str, release: str | None, form: str, since: str | None, trace: str | None, logs: tuple[str, ...]) -> bytes:
    spec = find(name)
    machine = _told(*in_release(spec, release))
    older = _told(*in_release(spec, since)) if since else None
    way = tuple(state.strip() for state in trace.split(",")) if trace else ()
    report = _checked(logs, (name,), release) if logs else None
    return drawn(machine, form, over=Over(older, way, report))


def _timeline(paths: tuple[str, ...], form: str, *, contradicting: tuple[str | None, ...]) -> bytes:
    if form != "svg" or any(contradicting):
        raise Complaint(
            "what instances did over time is drawn as SVG, without --since, --trace and --log; to lay a log over a machine: NAME --log PATH"
        )
    report = _checked(paths, None, None)
    machines = tuple(in_release(find(each.machine), None)[0] for each in report.machines if each.instances)
    return timeline(report, machines)


def _checked(paths: tuple[str, ...], specs: tuple[str, ...] | None, release: str | None) -> Report:
    from statemachines.api.check import check

    report = check(paths, specs=specs, release=release)
    if report.errors:
        raise Complaint("; ".join(report.errors))
    return report


def _told(machine: Machine, said: str) -> Machine:
    if said:
        terminal.note(said)
    return machine
