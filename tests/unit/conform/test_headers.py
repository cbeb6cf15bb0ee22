"""What stands before a wording where no layout knows it is taken off; what may be a part of the message is not.

Covers: statemachines.conform.observe.line_headers, statemachines.model.evidence.records.
"""

from __future__ import annotations

import pytest

from statemachines.conform.observe.line_headers import records_without_header
from statemachines.logs.search.literal_sets import LiteralSet
from statemachines.logs.search.loggers import make_loggers
from statemachines.model.evidence.records import Record

LEADS = ("[Door id=", "[Door ")
LOGGERS = make_loggers(["depot.Gate", "gate"], LiteralSet(["open"]))


def read(message: str, **told: object) -> list[Record]:
    """All the ways in which a record may be read."""
    record = Record(1, 0, message, message, "plain", **told)
    return list(records_without_header(record, LEADS, LOGGERS))


@pytest.mark.parametrize(
    ("text", "level", "logger", "thread"),
    [
        ("[front|worker-0] open", None, None, "front|worker-0"),
        ("[main] open", None, None, "main"),
        ("[INFO] [main] [org.example.Door] open", "INFO", "org.example.Door", "main"),
        ("WARN org.example.Door:12 - open", "WARN", "org.example.Door", None),
        ("INFO a.Door (Door.java:12) -- open", "INFO", "a.Door", None),
        ("INFO | main | a.Door | open", "INFO", "a.Door", None),
        ("host-1,INFO,a.Door,open", "INFO", "a.Door", None),
        ("a.Door Thread[#1,main,5,main]: open", None, "a.Door", "main"),
        ("traceId=abc spanId=def open", None, None, None),
        ("00000001 (main) open", None, None, "main"),
        ("open (a.Door:12) [main]", None, "a.Door", "main"),
        ("[x] open (a.Door)", None, "a.Door", "x"),
        ("[shop] info: open", "INFO", None, "shop"),
        ("{door.py:12} WARN - open", "WARN", None, None),
        ("7:43AM INF open door=7", "INFO", None, None),
        ('door/keeper.go:12 open {"kind": {"a": 1}}', None, None, None),
        ('"open" pod="a/b c" n=7', None, None, None),
        ("INFO a.Door user-7 - open", "INFO", "a.Door", None),
        ("open|url: http://x", None, None, None),
        ("INFO depot::door: open n=7", "INFO", "depot::door", None),
        ('request{id=7 path="/p"}:load{n=1}: depot::door: open', None, "depot::door", None),
        ("worker-1 ThreadId(03) depot::door: src/door.rs:8: open", None, "depot::door", None),
        ("request: depot::door: open id=7", None, "depot::door", None),
        ("depot.door[1b2c3d4e-aaaa]: open", None, "depot.door", None),
        ("Depot.Door[0] open", None, "Depot.Door", None),
        ("INFO[0001] open            n=7", "INFO", None, "0001"),
        ("INFO: depot.door/4711 on host: open", "INFO", None, None),
        ("depot:door open +3ms", None, None, None),
        ("INFO 2026-11-21 15:43:22,134 door 4711 140 open", "INFO", None, None),
        ("<0.123.0>@depot_door:move:88 open", None, None, None),
        (
            "17#17: *4711 [lua] door.lua:88: move(): open, client: 10.0.0.1, host: x",
            None,
            "door.lua",
            "lua",
        ),
        ("open                     door.py:88", None, None, None),
        ("Gate: open", None, "Gate", None),
        ("gate open", None, "gate", None),
        ("[INFO] [1795275802.134567]: open", "INFO", None, None),
        ("I CONTROL  [listener] open", "INFO", None, "listener"),
        ("open       [depot.door] n=7", None, None, None),
        ("open: n=7", None, None, None),
    ],
)
def test_a_header_is_taken_off_part_by_part(
    text: str, level: str | None, logger: str | None, thread: str | None
) -> None:
    """Layouts are written by everybody; what they are made of is the same."""
    found = next((record for record in read(text) if record.message == "open"), None)
    assert found is not None
    assert (found.level, found.logger, found.thread) == (level, logger, thread)


@pytest.mark.parametrize(
    "text",
    [
        "[Door id=1] open",
        "was told: open",
        "org.example.DoorException: open",
        "said that open",
        "the door, open",
        "it is open",
        "stale - open",
        "error open",
        "door: open",
        "never:: open",
        "not 7 open",
        "DoorError::Shut: open",
        "open, or was it",
        "open: no",
    ],
)
def test_what_may_be_a_part_of_the_message_is_left(text: str) -> None:
    """A bracket with which wordings begin names an instance; words are words; an exception is no logger."""
    assert all(record.message != "open" for record in read(text))


def test_a_tag_of_a_line_without_layout_is_its_process() -> None:
    """Two programs on one console have instances of one name: they must not be taken for one."""
    assert [record.process for record in read("[JVM-4] open")] == ["JVM-4"]
    assert [record.process for record in read("[Thread-4] open")] == [None]
    assert [record.process for record in read("[JVM-4] open", level="INFO")] == [None]


def test_a_dated_time_of_a_header_is_the_records_where_the_layout_told_none() -> None:
    """One without date would need the lines before it."""
    assert [
        record.at_ms for record in read("<> 2026-11-21T15:43:22Z open") if record.message == "open"
    ] == []
    (found,) = [
        record for record in read("| 2026-11-21T15:43:22Z open") if record.message == "open"
    ]
    assert (found.at_ms, found.zoned) == (1795275802000, True)
    assert all(record.at_ms is None for record in read("| 15:43:22 open"))


@pytest.mark.parametrize(
    "header",
    [
        "[2026-11-21T15:43:22Z][INFO][a.Door] ",
        "1.795275802e+09\tinfo\t",
        "door: 2026-11-21 15:43:22Z ",
    ],
)
def test_a_dated_time_is_found_wherever_a_header_has_it(header: str) -> None:
    """In brackets without blanks, as seconds in scientific notation, behind a program's name."""
    found = next(record for record in read(header + "open") if record.message == "open")
    assert found.at_ms == 1795275802000


@pytest.mark.parametrize(
    "part", ["[", "] ", "[a] ", "a.", "a=b ", "(", " ", "- ", "a,", '"', "a.A", "1:"]
)
def test_a_long_header_takes_no_time(part: str) -> None:
    """Whatever a line holds a hundred thousand times."""
    assert len(read(part * 100_000)) <= 40
