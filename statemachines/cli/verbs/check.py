"""`check`: judge logs, say what is wrong now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from statemachines.cli.arguments.check_request import ENGINES, JSON_LINES, CheckRequest
from statemachines.cli.arguments.option_types import (
    WordChoice,
    parse_fail_on,
    parse_levels,
    parse_tolerance,
)
from statemachines.cli.arguments.project_settings import project_defaults
from statemachines.cli.console import report_output, terminal
from statemachines.cli.console.output_files import require_other
from statemachines.cli.console.progress import ReadingBar
from statemachines.cli.following.change_output import summary_json
from statemachines.cli.outcomes import exit_codes
from statemachines.cli.outcomes.command_errors import CommandError, reported_errors
from statemachines.cli.outcomes.termination import termination_as_interrupt
from statemachines.model.counts import count_text
from statemachines.model.evidence.reports import Instant, Report
from statemachines.model.opened_files import NotText, read_text
from statemachines.report.baseline import (
    BaselineError,
    BaselineOutcome,
    KnownFindings,
    read_baseline,
    report_without_known,
)
from statemachines.report.sections.display_names import report_clock
from statemachines.report.sections.time_window import (
    MomentError,
    TimeWindow,
    parse_moment,
    report_within,
)

HELP = {
    "specs": (
        "Use only these specs: a name from the catalogue, a pattern such as 'shop/*', or a file."
        " Default: the whole catalogue."
    ),
    "release": "The release that wrote the logs. Default: worked out from the logs.",
    "levels": "The level that a logger was set to, where the log itself does not show it.",
    "layouts": (
        "How lines are laid out: the name of a known layout, or a YAML file that describes one."
        " Default: recognised record by record."
    ),
    "zone": "Time zone of times that name none, such as Europe/Berlin or +02:00.",
    "tolerance": "How far the clocks of different processes may differ, in seconds.",
    "separate": "Treat processes of the same name in different folders as different processes.",
    "engine": "Where the work is done; auto uses Spark where one machine is not enough.",
    "master": "A Spark cluster, such as spark://host:7077.",
    "remote": "A Spark Connect server, such as sc://host:15002.",
    "since": (
        "Report only what happened, or still held, after T: 2026-11-21T15:30, 15:30, or 2h (before"
        " the end of the log)."
    ),
    "until": "Report only what happened before T. The whole log is judged all the same.",
    "form": "Form of the report.",
    "baseline": (
        "Known findings and incidents, as written by --format baseline; they are left out and do"
        " not count."
    ),
    "follow": (
        "Keep reading while the logs are written, and print what changes. Ctrl-C ends with the full"
        " report; SIGUSR1 or Enter prints a summary."
    ),
    "command": (
        "With --follow: run CMD when trouble begins or ends. STATEMACHINES_TITLE and other"
        " environment variables say what it is."
    ),
    "state": (
        "Remember in this folder what was read: the next check reads only what is new, and its"
        " report is the same as if it had read everything."
    ),
    "jobs": (
        "How many processes read and judge the logs on this machine; with two or more, Spark is not"
        " used. Default: one per core where the logs are large."
    ),
    "file": "Write the report to a file; with --format parquet to a folder.",
    "timeline": "Leave the timeline out of the JSON report.",
    "everything": "Do not shorten the lists of the text report.",
    "unread": (
        "List the lines that contain a word or a logger of the catalogue but match none of its line"
        " templates."
    ),
    "fail_on": (
        f"What makes the exit code 1 (inconclusive: 3): {', '.join(exit_codes.FAIL_ON)}; or never."
    ),
    "quiet": "Print no progress and no summary on stderr.",
}


class _CheckCommand(click.Command):
    """A command whose defaults a project may set."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Take the project's defaults before the command line is read."""
        return super().make_context(
            info_name, args, parent, default_map=project_defaults(self, Path.cwd()), **extra
        )


@click.command(cls=_CheckCommand)
@click.argument("paths", nargs=-1, metavar="[PATH…|-]", type=click.Path())
@click.option("--spec", "specs", multiple=True, metavar="NAME|FILE", help=HELP["specs"])
@click.option("--release", metavar="R", help=HELP["release"])
@click.option(
    "--level",
    "levels",
    multiple=True,
    callback=parse_levels,
    metavar="[LOGGER=]LEVEL",
    help=HELP["levels"],
)
@click.option("--layout", "layouts", multiple=True, metavar="NAME|FILE", help=HELP["layouts"])
@click.option("--zone", metavar="TZ", help=HELP["zone"])
@click.option(
    "--tolerance",
    callback=parse_tolerance,
    default="1.0",
    show_default=True,
    metavar="S",
    help=HELP["tolerance"],
)
@click.option("--separate", is_flag=True, help=HELP["separate"])
@click.option(
    "--engine", type=WordChoice(ENGINES), default="auto", show_default=True, help=HELP["engine"]
)
@click.option("--master", metavar="URL", help=HELP["master"])
@click.option("--remote", metavar="URL", help=HELP["remote"])
@click.option("--since", metavar="T", help=HELP["since"])
@click.option("--until", metavar="T", help=HELP["until"])
@click.option(
    "--format",
    "form",
    type=WordChoice(report_output.REPORT_FORMS),
    default="text",
    show_default=True,
    help=HELP["form"],
)
@click.option("--baseline", metavar="FILE", type=click.Path(dir_okay=False), help=HELP["baseline"])
@click.option("--state", metavar="DIR", type=click.Path(file_okay=False), help=HELP["state"])
@click.option("--jobs", metavar="N", type=click.IntRange(0), default=0, help=HELP["jobs"])
@click.option("--follow", is_flag=True, help=HELP["follow"])
@click.option("--exec", "command", metavar="CMD", help=HELP["command"])
@click.option("-o", "--output", "file", type=click.Path(), metavar="FILE", help=HELP["file"])
@click.option(
    "--no-timeline", "timeline", is_flag=True, flag_value=False, default=True, help=HELP["timeline"]
)
@click.option("--all", "everything", is_flag=True, help=HELP["everything"])
@click.option("--unread", is_flag=True, help=HELP["unread"])
@click.option(
    "--fail-on",
    callback=parse_fail_on,
    default="violated,inconclusive",
    show_default=True,
    metavar="LIST",
    help=HELP["fail_on"],
)
@click.option("-q", "--quiet", is_flag=True, help=HELP["quiet"])
def verb(**given: Any) -> int:
    """Check logs against the life cycles of the catalogue, or against your own specs.

    PATH is a log, a folder of logs, or - for standard input. What is wrong now comes first, then
    what healed, what was forbidden, and what could not be judged. Compressed logs (.gz, .bz2, .xz,
    .zst) are read as they are.

    \b
    statemachines check logs/
    statemachines check app.log --spec my/order.yaml --release 2.5.1
    kubectl logs deploy/app | statemachines check -
    kubectl logs -f deploy/app | statemachines check --follow -
    statemachines check logs/ --format json -o report.json --fail-on violated,open-episode
    statemachines check logs/ --state .read         next time only what is new is read

    A project sets defaults in its pyproject.toml: [tool.statemachines] with spec =
    ["specs/order.yaml"], fail-on = "violated".

    Exit code: 0 nothing wrong, 1 violated (or what --fail-on lists), 3 cannot tell, 2 wrong usage
    or input that could not be read (the rest is judged and printed all the same), 130 interrupted.
    """
    request = CheckRequest(**given)
    if wrong := request.contradiction():
        raise click.UsageError(wrong, click.get_current_context())
    require_other(request.file, request.input_files())
    known = _known_findings(request.baseline)
    report = _followed(request, known) if request.follow else _judge(request)
    if known is not None:
        outcome = report_without_known(report, known)
        _note_known(outcome, request)
        report = outcome.report
    if request.form == JSON_LINES:
        terminal.print_lines([summary_json(report)])
    else:
        report_output.write_report(report, request)
    if not request.quiet and (reason := exit_codes.hidden_reason(report, request.fail_on)):
        terminal.print_note(reason)
    return exit_codes.report_exit_code(report, request.fail_on)


def _note_known(outcome: BaselineOutcome, request: CheckRequest) -> None:
    """Say what a baseline left out, and what it knows that is not so any more."""
    findings = count_text(outcome.left_out, "known finding", "known findings")
    if outcome.left_out_incidents:
        incidents = count_text(outcome.left_out_incidents, "known incident", "known incidents")
        times = f" (told {outcome.left_out_times} times)"
        findings = f"{findings} and {incidents}"
        findings += times if outcome.left_out_times > outcome.left_out_incidents else ""
    terminal.print_note(f"{findings} of {request.baseline} left out")
    if outcome.unmet and not request.quiet:
        entries = count_text(outcome.unmet, "entry", "entries")
        match = "matches" if outcome.unmet == 1 else "match"
        terminal.print_note(
            f"{entries} of {request.baseline} {match} nothing any more and can be removed"
        )


def _known_findings(file: str | None) -> KnownFindings | None:
    if file is None:
        return None
    try:
        return read_baseline(read_text(file))
    except OSError as problem:
        raise CommandError(f"{file}: {problem.strerror or problem}") from None
    except NotText as problem:
        raise CommandError(str(problem)) from None
    except BaselineError as problem:
        raise CommandError(f"{file}: {problem}") from None


_NO_REPORT = "stopped before there was a report: lines that were read are judged as a whole"


def _judge(request: CheckRequest) -> Report:
    """Judge, with a bar; cut what is reported to the time that was asked for."""
    from statemachines.api.log_check import check

    with (
        reported_errors(),
        terminal.warnings_as_notes(),
        termination_as_interrupt(),
        ReadingBar(quiet=request.quiet) as bar,
    ):
        try:
            report = check(request.paths, options=request.check_options(), progress=bar)
        except KeyboardInterrupt:  # while files are read it makes a report of what was read
            terminal.print_note(_NO_REPORT)
            raise
    return _cut_to_window(report, request)


def _followed(request: CheckRequest, known: KnownFindings | None) -> Report:
    """Follow, and say what changes; the report is of all lines that came."""
    from statemachines.cli.following.follow_loop import follow_logs

    report = follow_logs(request, known)
    try:
        return _cut_to_window(report, request)
    except click.UsageError as problem:  # of this log; what was followed is not to be had again
        terminal.print_note(f"{problem.format_message()}; all is shown")
        return report


def _cut_to_window(report: Report, request: CheckRequest) -> Report:
    if request.since is None and request.until is None:
        return report
    clock = report_clock(report)
    end = clock.end
    try:
        since, until = (
            None if text is None else parse_moment(text, end)
            for text in (request.since, request.until)
        )
    except MomentError as problem:
        raise click.UsageError(str(problem), click.get_current_context()) from None
    if since is not None and until is not None and since > until:
        raise click.UsageError(
            f"--since {request.since} is after --until {request.until}", click.get_current_context()
        )
    window = TimeWindow(since, until)
    if window.is_outside(clock.begin, clock.end):
        terminal.print_note(_outside_text(since, end))
    return report_within(report, window)


def _outside_text(since: int | None, end: Instant | None) -> str:
    """Say that nothing of the log lies in the time that was asked for: a short report reads as if
    all were well.
    """
    if since is not None and end is not None and end.ms is not None and since > end.ms:
        return "--since is after the log ends: only what is so at its end is shown"
    return "--until is before the log begins: nothing of it is shown"
