"""What a program's loggers say in words that no line of the spec reads: counted, so that a drifted program shows.

Covers: statemachines.cli.outcomes.exit_codes, statemachines.conform.engines.file_reader,
statemachines.conform.join.report_sources, statemachines.logs.search.loggers.
"""

from __future__ import annotations

import pytest

from statemachines.cli.outcomes.exit_codes import FINE, FOUND, report_exit_code
from statemachines.conform.engines import file_reader
from statemachines.model.evidence.reports import Report
from tests.doors import VERSION, House, line, lines

DRIFTED = ["Door d is now OPEN, was CLOSED", "the hinge of d creaks"]
SOUND = "Door d goes from CLOSED to OPEN"


def unread(report: Report) -> list[tuple[str, int, int]]:
    """Return the rows that count unread lines: logger and releases, how many, the first line."""
    start = "read by no line: logger "
    return [
        (row.why.removeprefix(start), row.count, row.place.line)
        for row in report.unjudged
        if row.why.startswith(start)
    ]


def test_lines_in_new_words_are_counted_by_logger_and_release(house: House) -> None:
    """The new release words its steps otherwise; nothing else in the report would show it."""
    report = house.judge(VERSION, SOUND, *DRIFTED)
    assert unread(report) == [("house.Door (1.1)", 2, 3)]
    assert report.checked.unread_lines == 2
    assert report_exit_code(report, ["violated", "inconclusive"]) == FINE
    assert report_exit_code(report, ["unread"]) == FOUND


def test_a_log_that_is_read_whole_has_none(house: House) -> None:
    """Lines of other loggers are nobody's business, also where they speak of a known one."""
    path = house.write(
        "a.log",
        [
            *lines(SOUND),
            line("asked house.Door to open", 2, "town.People"),
            "\tat house.Door.open(Door.java:12)",
        ],
    )
    report = house.check(path)
    assert unread(report) == []
    assert report.checked.unread_lines == 0
    assert report_exit_code(report, ["unread"]) == FINE


@pytest.mark.parametrize("logger", ["h.Door", "house.Door", "ho.Door", "Door"])
def test_a_shortened_logger_is_known(house: House, logger: str) -> None:
    """Layouts cut packages."""
    path = house.write("a.log", [*lines(SOUND), line(DRIFTED[0], 2, logger)])
    assert unread(house.check(path)) == [("house.Door (1.0..2.0)", 1, 2)]


def test_any_cut_counts_the_same(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece counts its own lines from one on; what is joined counts those of the file."""
    path = house.write("a.log", lines(SOUND, *DRIFTED * 20))
    whole = house.check(path)
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 200)
    cut = house.check(path)
    assert (cut.unjudged, cut.checked) == (whole.unjudged, whole.checked)
    assert unread(whole) == [("house.Door (1.0..2.0)", 40, 2)]


def test_the_first_of_them_are_listed_on_request(house: House) -> None:
    """`--unread`: what does the program say?"""
    report = house.judge(SOUND, *DRIFTED, unread=True)
    assert [quote.place.line for quote in report.unread] == [2, 3]
