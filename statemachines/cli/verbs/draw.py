"""`draw`: a machine, or what instances did, as a picture."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import click

from statemachines.api.queries.catalogue import (
    find_machine,
    find_system,
    machine_in_release,
    machine_in_release_of_report,
    system_in_release,
)
from statemachines.api.queries.pictures import (
    DRAWING_FORMS,
    PictureOverlay,
    machine_picture,
    system_picture,
    timeline_picture,
)
from statemachines.cli.arguments.machine_arguments import completed_machine_names, release_option
from statemachines.cli.arguments.option_types import OutputFile, WordChoice
from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import require_other, write_bytes
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.cli.outcomes.exit_codes import FINE, UNDECIDED
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.evidence.reports import Report

_FORM_OF_ENDING = {
    ".svg": "svg",
    ".dot": "dot",
    ".gv": "dot",
    ".mmd": "mermaid",
    ".md": "markdown",
    ".png": "png",
    ".puml": "plantuml",
}
_FORM_OF_ENDING |= {".scxml": "scxml", ".json": "json", ".tla": "tla"}
_SPEC_ENDINGS = (".yaml", ".yml")
_FoundT = TypeVar("_FoundT", MachineDefinition, SystemDefinition)
HELP = {
    "form": "Default: by FILE's ending, else svg.",
    "file": "Write the picture to a file.",
    "since": "Mark what was added and what was removed since release R.",
    "trace": "Highlight the path through these states.",
    "specs": (
        "For logs alone: the machines to look for, as in check. Default: the whole catalogue."
    ),
    "logs": (
        "Lay a log over it: how often each step was taken, how long each state was held, what was"
        " never seen, what is forbidden."
    ),
}


@click.command()
@click.argument(
    "what",
    nargs=-1,
    required=True,
    metavar="NAME|SPEC|LOG…",
    shell_complete=completed_machine_names,
)
@release_option()
@click.option("--since", metavar="R", help=HELP["since"])
@click.option("--trace", metavar="STATE,STATE…", help=HELP["trace"])
@click.option("--log", "logs", multiple=True, metavar="PATH", type=click.Path(), help=HELP["logs"])
@click.option("--spec", "specs", multiple=True, metavar="NAME|FILE", help=HELP["specs"])
@click.option("--format", "form", type=WordChoice(DRAWING_FORMS), help=HELP["form"])
@click.option("-o", "--output", "file", type=OutputFile(), metavar="FILE", help=HELP["file"])
def verb(
    what: tuple[str, ...],
    release: str | None,
    since: str | None,
    trace: str | None,
    logs: tuple[str, ...],
    specs: tuple[str, ...],
    form: str | None,
    file: str | None,
) -> int:
    """Draw machine or system NAME in one release (default: the newest), or, given logs, what their
    instances did over time.

    With --log and without --release, the machine is drawn in the newest release that fits the log.
    SVG and DOT need the extra `draw`, but no program; PNG needs a program or library that renders
    SVG; the other forms need nothing.

    \b
    statemachines draw Order -o order.svg
    statemachines draw Order --since 1.0 -o changes.svg
    statemachines draw Order --log logs/ -o taken.svg
    statemachines draw logs/ -o timeline.svg

    Exit code: 0 drawn, 2 wrong usage, 3 no line of the logs is about an instance.
    """
    form = form or form_from_ending(file)
    if form == "png" and file is None and sys.stdout.isatty():
        raise CommandError("a PNG is not for a terminal; give -o FILE")
    require_other(file, (*what, *logs, *specs))
    with reported_errors():
        if _are_logs(what):
            report = _timeline_report(what, specs, form, contradicting=(since, trace, *logs))
            if not any(machine.instances for machine in report.machines):
                terminal.print_note(
                    f"nothing is drawn: no line of {', '.join(what)} tells of an instance; --spec"
                    " names other machines"
                )
                return UNDECIDED
            content = timeline_picture(report, _reported_machines(report, specs))
        elif specs:
            raise CommandError(
                "--spec is for logs alone; a machine that is drawn is the one that its log is"
                " judged by"
            )
        elif len(what) > 1:
            raise CommandError(
                f"one machine at a time: {', '.join(what)}; logs and folders of logs may be several"
            )
        elif system := find_system(what[0]):
            content = _system_content(system, release, form, since, contradicting=(trace, *logs))
        else:
            content = _machine_content(what[0], release, form, since, trace, logs)
    write_bytes(file, content)
    return FINE


def _are_logs(what: tuple[str, ...]) -> bool:
    """Tell whether the arguments are logs: paths that are there and no specs."""
    return all(Path(name).exists() and not name.endswith(_SPEC_ENDINGS) for name in what)


def form_from_ending(
    file: str | None,
    forms: Sequence[str] = DRAWING_FORMS,
    hint: str = ", and --format names one whatever the ending",
) -> str:
    """Tell the form by the ending of the file, which may have none.

    Args:
        file: where the picture goes.
        forms: those that may be asked for.
        hint: what else names a form, said after the endings.
    """
    ending = Path(file).suffix.lower() if file else ""
    known = {suffix: form for suffix, form in _FORM_OF_ENDING.items() if form in forms}
    if ending and ending not in known:
        raise CommandError(f"{file}: unknown ending {ending}; known are {', '.join(known)}{hint}")
    return known.get(ending, "svg")


def _machine_content(
    name: str,
    release: str | None,
    form: str,
    since: str | None,
    trace: str | None,
    logs: tuple[str, ...],
) -> bytes:
    spec = find_machine(name)
    report = _checked_report(logs, (name,), release) if logs else None
    machine, caption = _drawn_release(spec, release, report)
    older = _with_note(*machine_in_release(spec, since)) if since else None
    trace_states = tuple(state.strip() for state in trace.split(",")) if trace else ()
    return machine_picture(
        machine, form, releases=caption, over=PictureOverlay(older, trace_states, report)
    )


def _system_content(
    spec: SystemSpecDefinition,
    release: str | None,
    form: str,
    since: str | None,
    *,
    contradicting: tuple[str | None, ...],
) -> bytes:
    if any(contradicting):
        raise CommandError(
            "--trace and --log are for machines; a system is drawn with its parts, links and rules"
        )
    system = _with_note(*system_in_release(spec, release))
    return system_picture(
        system, form, since=_with_note(*system_in_release(spec, since)) if since else None
    )


def _drawn_release(
    spec: SpecDefinition, release: str | None, report: Report | None
) -> tuple[MachineDefinition, str]:
    """Return the machine in the release that was asked for, else in that of the logs; and what its
    caption says.
    """
    if report is None or release is not None:
        return _with_note(*machine_in_release(spec, release)), ""
    return machine_in_release_of_report(spec, report)


def _timeline_report(
    paths: tuple[str, ...],
    specs: tuple[str, ...],
    form: str,
    *,
    contradicting: tuple[str | None, ...],
) -> Report:
    if form != "svg" or any(contradicting):
        raise CommandError(
            "what instances did over time is drawn as SVG, without --since, --trace and --log; to"
            " lay a log over a machine: NAME --log PATH"
        )
    return _checked_report(paths, specs or None, None)


def _reported_machines(report: Report, specs: tuple[str, ...]) -> tuple[MachineDefinition, ...]:
    """Return the machines that logs tell of, and no systems; one that was given as a file is known
    by its file only.
    """
    own = {
        spec.name: spec
        for spec in map(find_machine, (name for name in specs if name.endswith(_SPEC_ENDINGS)))
    }
    machines = {now.machine for now in report.now} | {step.machine for step in report.timeline}
    names = (machine.machine for machine in report.machines if machine.machine in machines)
    return tuple(machine_in_release(own.get(name) or find_machine(name), None)[0] for name in names)


def _checked_report(
    paths: tuple[str, ...], specs: tuple[str, ...] | None, release: str | None
) -> Report:
    from statemachines.api.log_check import check

    report = check(paths, specs=specs, release=release)
    if report.errors:
        raise CommandError("; ".join(report.errors))
    return report


def _with_note(picture: _FoundT, note: str) -> _FoundT:
    """Return what was found, and note what else is worth saying, such as its release."""
    if note:
        terminal.print_note(note)
    return picture
