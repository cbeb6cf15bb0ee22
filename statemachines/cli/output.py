"""Write a report where the person wants it."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import IO

from statemachines.cli import terminal
from statemachines.cli.asked import PARQUET, Asked
from statemachines.cli.complaint import Complaint
from statemachines.cli.files import replacing
from statemachines.model.reports import Report
from statemachines.report.as_text import to_text
from statemachines.report.formats import HOMES, written
from statemachines.report.text.headline import plain_headline

FORMATS = ("text", *HOMES, PARQUET)


def write(report: Report, asked: Asked) -> None:
    """Write a report in the form asked for; on stderr its first line, where a person would not see it, and what could not be read."""
    if asked.form == PARQUET:
        _tables(report, asked)
    else:
        _text(report, asked)
    for error in report.errors:
        terminal.note(error)
    if not asked.quiet and (asked.file or asked.form != "text"):
        terminal.note(plain_headline(report))
    if report.interrupted:
        terminal.note("interrupted; the report says what was known by then")


def _text(report: Report, asked: Asked) -> None:
    with _target(asked.file) as stream:
        if asked.form == "text":
            stream.writelines(line + "\n" for line in to_text(report, terminal.look(everything=asked.everything, stream=stream)))
        elif asked.form == "html":
            stream.writelines(_page(report, asked))
        else:
            stream.writelines(written(report, asked.form, timeline=asked.timeline))


def _tables(report: Report, asked: Asked) -> None:
    """Write findings and timeline as Parquet: by Spark where Spark judged, else by this process."""
    from statemachines.api.parquet import CannotWrite, write_parquet, write_parquet_on_spark

    assert asked.file is not None
    try:
        if asked.is_on_spark():
            options = {name: value for name, value in asked.options().items() if name not in ("engine", "unread")}
            write_parquet_on_spark(report, asked.paths, asked.file, timeline=asked.timeline, **options)
        else:
            write_parquet(report, asked.file, timeline=asked.timeline)
    except CannotWrite as problem:
        raise Complaint(str(problem)) from None


def _page(report: Report, asked: Asked) -> Iterator[str]:
    """Write the page with what is shown beside a report: machines, the lines around a line."""
    from statemachines.api.surroundings import around
    from statemachines.report.as_html import to_html

    return to_html(report, around(report, asked.paths, asked.specs or None))


@contextlib.contextmanager
def _target(file: str | None) -> Iterator[IO[str]]:
    if file is None or file == "-":
        with terminal.heard():
            yield sys.stdout
        return
    with replacing(file) as bare:
        stream = io.TextIOWrapper(bare, encoding="utf-8", errors="replace", newline="\n")
        yield stream
        stream.flush()
