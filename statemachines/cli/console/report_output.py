"""Write a report where the person wants it."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import IO

from statemachines.cli.arguments.check_request import JSON_LINES, PARQUET, CheckRequest
from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import replaced_file
from statemachines.cli.outcomes.command_errors import CommandError
from statemachines.model.evidence.reports import Report
from statemachines.report.formats import FORM_WRITERS, report_in_form
from statemachines.report.text.document import to_text
from statemachines.report.text.headline import plain_headline

REPORT_FORMS = ("text", *FORM_WRITERS, PARQUET, JSON_LINES)


def write_report(report: Report, request: CheckRequest) -> None:
    """Write a report in the form asked for; on stderr its first line, where a person would not see
    it, and what could not be read.

    Args:
        report: as it was judged.
        request: with the form, the file and what is left out.
    """
    if request.form == PARQUET:
        _write_tables(report, request)
    else:
        _write_text(report, request)
    for error in report.errors:
        terminal.print_note(error)
    if not request.quiet and (request.file or request.form != "text"):
        terminal.print_note(plain_headline(report))
    if report.interrupted:
        terminal.print_note("interrupted; the report says what was known by then")


def _write_text(report: Report, request: CheckRequest) -> None:
    with _output_stream(request.file) as stream:
        if request.form == "text":
            stream.writelines(
                line + "\n"
                for line in to_text(
                    report, terminal.report_style(stream, everything=request.everything)
                )
            )
        elif request.form == "html":
            stream.writelines(_html_chunks(report, request))
        else:
            stream.writelines(report_in_form(report, request.form, timeline=request.timeline))


def _write_tables(report: Report, request: CheckRequest) -> None:
    """Write a report's tables as Parquet: by Spark where Spark judged, else by this process."""
    from statemachines.api.queries.observation_files import write_observations
    from statemachines.api.queries.parquet_files import (
        CannotWrite,
        write_parquet,
        write_parquet_on_spark,
    )

    assert request.file is not None
    try:
        if request.is_on_spark():
            write_parquet_on_spark(
                report,
                request.paths,
                request.file,
                options=request.check_options(),
                timeline=request.timeline,
            )
        else:
            write_parquet(report, request.file, timeline=request.timeline)
            write_observations(request.paths, request.file, options=request.check_options())
    except CannotWrite as problem:
        raise CommandError(str(problem)) from None


def _html_chunks(report: Report, request: CheckRequest) -> Iterator[str]:
    """Write the page with what is shown beside a report: machines, the lines around a line."""
    from statemachines.api.queries.page_evidence import collect_page_context
    from statemachines.report.html.document import to_html

    return to_html(report, collect_page_context(report, request.paths, request.specs or None))


@contextlib.contextmanager
def _output_stream(file: str | None) -> Iterator[IO[str]]:
    if file is None or file == "-":
        with terminal.until_output_closes():
            yield sys.stdout
        return
    with replaced_file(file) as bare:
        stream = io.TextIOWrapper(bare, encoding="utf-8", errors="replace", newline="\n")
        yield stream
        stream.flush()
