"""`mine`: a draft of a spec from logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import require_new, write_new
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.cli.outcomes.exit_codes import BAD_INPUT, FINE, FOUND
from statemachines.model.counts import count_text
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.report.sections.plain_texts import printable_text

if TYPE_CHECKING:
    from statemachines.api.log_mining import DriftedWording, MinedSpec

_LAYOUT_HELP = (
    "How lines are laid out: the name of a known layout, or a YAML file that describes one."
    " Default: recognised record by record."
)


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH…", required=True, type=click.Path())
@click.option("--like", metavar="SPEC", help="An older spec of the same program.")
@click.option("--machine", metavar="NAME", help="Which machine to draft, where several are found.")
@click.option("--layout", "layouts", multiple=True, metavar="NAME|FILE", help=_LAYOUT_HELP)
@click.option("--zone", metavar="ZONE", help="Time zone of times that name none.")
@click.option(
    "-o",
    "--output",
    "file",
    metavar="FILE|FOLDER/",
    help="Write to a file, or all drafts to a folder.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def verb(
    paths: tuple[str, ...],
    like: str | None,
    machine: str | None,
    layouts: tuple[str, ...],
    zone: str | None,
    file: str | None,
    force: bool,
) -> int:
    """Find the life cycles that a log shows, and draft a spec of each: line templates, instances,
    states, steps, where instances begin and end. Comments in the draft say how certain each of
    them is and which lines support it; the draft is checked against the same logs first.

    \b
    statemachines mine logs/                       print the most certain one
    statemachines mine logs/ --machine Task -o Task.yaml
    statemachines mine logs/ -o drafts/            write all of them
    statemachines mine logs/ --like Task.yaml      how lines that a spec misses have changed

    Exit code: 0 a draft, 1 none (no line shows a life cycle), 2 wrong usage or a path that
    could not be read.
    """
    from statemachines.api.log_mining import mine

    with reported_errors():
        result = mine(paths, like=like, layouts=layouts, zone=zone)
    for error in result.errors:
        terminal.print_note(error)
    terminal.print_lines(line for wording in result.drifted for line in _drifted_lines(wording))
    if result.drifted and like is not None:
        terminal.print_note(f"statemachines repair {like} adds these wordings")
        return BAD_INPUT if result.errors else FINE
    if not result.specs:
        terminal.print_note(
            f"no life cycle in {count_text(result.lines, 'line')}: none names a state, and no two"
            " wordings name the same things"
        )
        return BAD_INPUT if result.errors else FOUND
    if file is not None and (file.endswith("/") or Path(file).is_dir()):
        _write_all(result.specs, Path(file), force=force)
    else:
        chosen = _chosen(result.specs, machine)
        write_new(file, chosen.text, force=force)
        _note_others(result.specs, chosen)
    return BAD_INPUT if result.errors else FINE


def _drifted_lines(drifted: DriftedWording) -> Iterator[str]:
    span = drifted.line.span
    where = f"{span.file}:{span.line}" if span else "a line of the spec"
    first = f"{drifted.first.file}:{drifted.first.line}"
    yield printable_text(f"{where}   {drifted.count:,} ×, first {first}")
    yield printable_text(f"  - {drifted.known}")
    yield printable_text(f"  + {drifted.wording}")
    yield printable_text(f"      {drifted.sample}")


def _chosen(specs: Sequence[MinedSpec], name: str | None) -> MinedSpec:
    if name is None:
        return specs[0]
    known = {spec.name: spec for spec in specs}
    if name not in known:
        raise CommandError(f"no `{name}` was found; {did_you_mean(name, list(known))}")
    return known[name]


def _write_all(specs: Sequence[MinedSpec], folder: Path, *, force: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{spec.name}.yaml" for spec in specs]
    for file in files:
        if not force:
            require_new(file)
    for spec, file in zip(specs, files, strict=True):
        write_new(str(file), spec.text, force=force)
        terminal.print_lines([f"wrote {folder / spec.name}.yaml   {_summary(spec)}"])


def _note_others(specs: Sequence[MinedSpec], chosen: MinedSpec) -> None:
    terminal.print_note(f"{chosen.name}   {_summary(chosen)}")
    for spec in specs:
        if spec is not chosen:
            terminal.print_note(f"also found: --machine {spec.name}   {_summary(spec)}")


def _summary(spec: MinedSpec) -> str:
    steps, lines = count_text(spec.steps, "step"), count_text(spec.lines, "line")
    return f"{spec.verdict.name} over these logs: {steps}, {lines}"
