"""`explore`: every state of a machine within a scope, and what its properties say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from statemachines.api.queries.catalogue import definition_in_release
from statemachines.api.queries.pictures import GRAPH_FORMS
from statemachines.api.queries.state_graphs import state_graph_picture
from statemachines.cli.arguments.machine_arguments import machine_argument, release_option
from statemachines.cli.arguments.option_types import (
    OutputFile,
    WordChoice,
    parse_memory_size,
    parse_seconds,
)
from statemachines.cli.console import terminal
from statemachines.cli.console.conversations import is_conversation_possible, run_conversation
from statemachines.cli.console.output_files import write_bytes
from statemachines.cli.console.progress import StateCounter
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.cli.outcomes.exit_codes import FINE, FOUND, INTERRUPTED, UNDECIDED
from statemachines.cli.outcomes.termination import termination_as_interrupt
from statemachines.cli.verbs.draw import form_from_ending
from statemachines.model.counts import count_text
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.exploration_markdown import shows_trace, to_markdown
from statemachines.report.exploration.exploration_report import (
    ExplorationOptions,
    ExplorationReport,
    PropertyReport,
    exploration_options,
    exploration_report,
    to_json,
)
from statemachines.report.exploration.lane_forms import LANE_FORMS, lanes_file
from statemachines.report.exploration.replays.recorded_traces import read_exploration
from statemachines.report.exploration.replays.replay_report import ReplayReport, replay_reports
from statemachines.report.exploration.replays.replay_session import replay_session
from statemachines.report.exploration.trace_lanes import first_lanes
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_rows

_VERDICT_STYLES = {Verdict.HOLDS: "good", Verdict.INCONCLUSIVE: "doubt", Verdict.VIOLATED: "bad"}
REPORT_FORMS = ["text", "markdown", "json"]
_VERDICT_EXIT_CODES = {
    Verdict.HOLDS: FINE,
    Verdict.INCONCLUSIVE: UNDECIDED,
    Verdict.VIOLATED: FOUND,
}


@click.command()
@machine_argument()
@release_option()
@click.option(
    "--scope",
    "scope",
    metavar="NAME=N,…",
    multiple=True,
    help="Task=3, int=0..3, list=4, a parameter's value; overrides the spec's.",
)
@click.option(
    "--symmetry", is_flag=True, help="Count states that differ in interchangeable names only once."
)
@click.option("--timed", is_flag=True, help="In discrete time: an `after` comes when it is due.")
@click.option(
    "--copies",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Explore this many copies of the machine side by side.",
)
@click.option(
    "--most-states",
    default=5_000_000,
    show_default=True,
    type=click.IntRange(1),
    help="Explore at most this many states, nearest first; of the last level a part.",
)
@click.option(
    "--memory",
    "most_memory",
    metavar="SIZE",
    callback=parse_memory_size,
    help="Most memory to use, such as 512MB; more states go to disk. [default: three quarters]",
)
@click.option(
    "--time",
    "most_seconds",
    metavar="TIME",
    callback=parse_seconds,
    help="Give up after this time, such as 30s or 10min; a number alone is seconds.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1),
    help="Without effect: one core explores.",
    hidden=True,
    expose_value=False,
)
@click.option(
    "--resume",
    type=OutputFile(),
    metavar="FILE",
    help="Continue the search saved in FILE, and save it there if it stops early.",
)
@click.option(
    "--traces",
    type=WordChoice(["wrong", "all", "none"]),
    default="wrong",
    show_default=True,
    help="Which traces to show.",
)
@click.option("--program", is_flag=True, help="Also show each trace as a Python program.")
@click.option(
    "--graph",
    "file",
    type=OutputFile(),
    metavar="FILE",
    help="Draw all states (at most 300): .svg .dot .mmd .puml .png",
)
@click.option(
    "--lanes",
    type=OutputFile(),
    metavar="FILE",
    help="Draw the first trace of a system, one lane per part: .txt .svg .html",
)
@click.option(
    "--replay",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Do not explore; replay the traces that --format json wrote.",
)
@click.option(
    "--format",
    "form",
    type=WordChoice(REPORT_FORMS),
    default="text",
    show_default=True,
    help="Form of the result.",
)
def verb(
    name: str,
    release: str | None,
    scope: tuple[str, ...],
    traces: str,
    program: bool,
    file: str | None,
    lanes: str | None,
    replay: Path | None,
    form: str,
    **request: Any,
) -> int:
    """Visit every state of machine or system NAME within its scope, breadth first; of each
    property, say whether it holds.

    What is broken comes with the shortest trace.

    Exit code: 0 everything holds within the scope, 1 something is violated, 3 a limit was reached
    (memory too), 130 interrupted or terminated (what is known is shown). With --replay: 0 the
    traces go as they did, 1 one no longer does.
    """
    if replay is not None:
        if file or lanes or request["resume"] or form != "text":
            raise CommandError("--replay explores nothing: no --graph, --lanes, --resume, --format")
        with reported_errors():
            return _replay(name, release, scope, replay, traces, program)
    with reported_errors(), termination_as_interrupt(), StateCounter() as counter:
        witnesses = traces == "all" or form == "json" or lanes is not None
        how = exploration_options(progress=counter, witness_traces=witnesses, **request)
        picture_form = None if file is None else form_from_ending(file, GRAPH_FORMS, hint="")
        definition, note = definition_in_release(name, release)
        if lanes is not None:
            _check_lanes(lanes, name, definition)
        report = exploration_report(definition, scope, how, _load_expression(definition, name))
    if note:
        terminal.print_note(note)
    _print_in_form(report, form, traces, program)
    _print_how_it_ended(report, how)
    with reported_errors():
        if file is not None and picture_form is not None and not report.value.interrupted:
            picture = state_graph_picture(
                definition, picture_form, scope, symmetry=how.symmetry, copies=how.copies
            )
            write_bytes(file, picture)
        if lanes is not None:
            _write_lanes(lanes, report)
    return INTERRUPTED if report.value.interrupted else _VERDICT_EXIT_CODES[report.value.verdict]


def _print_in_form(report: ExplorationReport, form: str, traces: str, program: bool) -> None:
    if form == "json":
        terminal.print_lines([json.dumps(to_json(report), indent=2, ensure_ascii=False)])
    elif form == "markdown":
        terminal.print_lines([to_markdown(report, traces, program=program)])
    else:
        _print_exploration(report, traces, program)


def _print_how_it_ended(report: ExplorationReport, how: ExplorationOptions) -> None:
    """Say that a search stopped early, and how it goes on."""
    interrupted = report.value.interrupted
    if interrupted:
        terminal.print_note("stopped early; the report says what was known by then")
    if how.resume is not None and how.resume.exists():
        terminal.print_note(_resume_note(how.resume, interrupted, report.is_older_search_kept))


def _replay(
    name: str,
    release: str | None,
    scope: tuple[str, ...],
    file: Path,
    traces: str,
    program: bool,
) -> int:
    """Take traces again that were written before: a person steps through the first one."""
    recorded = read_exploration(file)
    wanted = recorded.release or None if release is None else release
    value, note = definition_in_release(name, wanted)
    within = scope or (recorded.scope,)
    reports = replay_reports(value, recorded, within, traces)
    if note:
        terminal.print_note(note)
    first = replay_session(value, within, reports[0]) if is_conversation_possible() else None
    if first is not None:
        run_conversation(first)
    else:
        for report in reports:
            _print_replay(report, program)
    return FINE if all(report.is_as_recorded for report in reports) else FOUND


def _print_replay(replay_report: ReplayReport, program: bool) -> None:
    style = terminal.output_style()
    if replay_report.shown.start:
        _print_trace(replay_report.shown, style, program)
    else:
        terminal.print_lines(
            ["", style.paint(f"{replay_report.shown.title}: {replay_report.shown.message}", "head")]
        )
    if not replay_report.is_as_recorded:
        terminal.print_lines(
            [f"  {style.paint(replay_report.stop or replay_report.remark, 'bad')}"]
        )


def _check_lanes(file: str, name: str, definition: MachineDefinition | SystemDefinition) -> None:
    """Refuse what no lanes can be written of, before anything is explored."""
    if isinstance(definition, MachineDefinition):
        raise CommandError(f"--lanes: {name} is a machine; lanes are those of a system's parts")
    if Path(file).suffix.removeprefix(".") not in LANE_FORMS:
        endings = ", ".join(f".{form}" for form in LANE_FORMS)
        raise CommandError(f"{file}: lanes cannot be written in this form; known are {endings}")


def _write_lanes(file: str, report: ExplorationReport) -> None:
    """Write the first trace by its parts: of what is broken, else of a witness."""
    lanes = first_lanes(report.value)
    if lanes is None:
        terminal.print_note(f"nothing has a trace, so {file} was not written")
    else:
        write_bytes(file, lanes_file(lanes, Path(file).suffix.removeprefix(".")))


def _resume_note(file: Path, interrupted: bool, is_older: bool) -> str:
    """Say how a search that stopped early goes on."""
    if is_older:
        return f"{file} holds what was kept before; with room on the disk, do this again"
    return (
        f"the search is kept in {file}; the same command"
        f" {'' if interrupted else 'with a higher ceiling '}goes on from there"
    )


def _load_expression(definition: MachineDefinition | SystemDefinition, name: str) -> str:
    """Return Python that gives a machine or a system."""
    load = "load_system" if isinstance(definition, SystemDefinition) else "load"
    release = repr(definition.release) if definition.release else ""
    return f"sm.{load}({name!r}).at({release})"


def _print_exploration(report: ExplorationReport, traces: str, program: bool) -> None:
    style, value = terminal.output_style(), report.value
    within = f"within {value.scope}" if value.scope else ""
    terminal.print_lines(
        [
            f"{style.paint(value.verdict.name, _VERDICT_STYLES[value.verdict])}  "
            f" {style.paint(report.title, 'head')}   {within}".rstrip()
        ]
    )
    counts = [
        count_text(value.states, "state"),
        count_text(value.transitions, "transition"),
        f"at most {count_text(value.depth, 'step')} away",
    ]
    terminal.print_lines(["  " + "   ".join([*counts, *report.how_texts])])
    terminal.print_lines(
        f"  {style.paint('not everything was seen:', 'doubt')} {bound}" for bound in value.bounds
    )
    texts = filter(None, (report.constraint_text, report.disk_text, report.unreached_text))
    terminal.print_lines(f"  {text}" for text in texts)
    rows = [
        [
            Cell(property_.verdict.name, _VERDICT_STYLES[property_.verdict]),
            Cell(property_.title),
            Cell(property_.message, shortening=CellShortening.AT_END),
        ]
        for property_ in report.examined
    ]
    terminal.print_lines(aligned_rows(rows, style))
    for property_ in report.examined:
        if shows_trace(property_, traces):
            _print_trace(property_, style, program)


def _print_trace(report: PropertyReport, style: OutputStyle, program: bool) -> None:
    terminal.print_lines(
        ["", style.paint(f"{report.title}: {report.message}", "head"), f"  begins  {report.start}"]
    )
    terminal.print_lines([f"          {report.abstract_start}"] if report.abstract_start else [])
    rows = [
        [
            Cell(str(row.number)),
            Cell(row.event, shortening=CellShortening.AT_END),
            Cell(row.outcome, shortening=CellShortening.AT_END),
            Cell(f"| {row.abstract}" if row.abstract else "", shortening=CellShortening.AT_END),
        ]
        for row in report.rows
    ]
    terminal.print_lines(aligned_rows(rows, style))
    if report.last is not None:
        terminal.print_lines(
            [f"  just before  {report.last.before}", f"  led out by   {report.last.event}"]
        )
    if report.loop_start is not None:
        again = (
            f"and again from step {report.loop_start + 1}"
            if report.loop_start < len(report.rows)
            else "and nothing happens any more"
        )
        terminal.print_lines([f"  {again}"])
    if program:
        lines = (f"    {line}".rstrip() for line in report.program.splitlines())
        terminal.print_lines(["", *lines])
