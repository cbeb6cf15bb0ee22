"""A line whose time cannot be read is a record all the same: no line disappears into the record before it.

Covers: statemachines.logs.records.physical_lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from statemachines.logs import Scanner, default_layouts, scan
from statemachines.logs.fields.log_times import TIME_REGEX, parse_time

CLOCK = re.compile(r"\d\d:\d\d:\d\d")
DAMAGES = {"an hour 99": "99:99:99", "a minute 61": "10:61:00", "letters": "1x:00:00"}


def damaged() -> Iterator[tuple[str, str]]:
    """Yield the samples of all layouts with a time of the clock, and the same with another clock in it."""
    for layout in default_layouts().text_layouts:
        for sample in layout.samples:
            sound = str(sample["text"]).split("\n", 1)[0]
            found = re.search(TIME_REGEX, sound)
            if (
                found
                and parse_time(found[0])
                and CLOCK.search(found[0])
                and default_layouts().read(sound)
            ):
                for clock in DAMAGES.values():
                    time = CLOCK.sub(clock, found[0])
                    yield sound, sound[: found.start()] + time + sound[found.end() :]


@pytest.mark.parametrize(("sound", "text"), sorted({*damaged()}))
def test_a_damaged_time_leaves_the_rest_of_a_line_as_it_is(sound: str, text: str) -> None:
    """Level, logger and message are told whatever the clock says; only a line that tells nothing else and has no digits there is none."""
    whole, read = default_layouts().read(sound), default_layouts().read(text)
    assert whole is not None
    if read is None:
        assert (whole.level, whole.logger, "x" in text) == (None, None, True)
        return
    assert (read.message, read.level, read.logger) == (whole.message, whole.level, whole.logger)


def test_the_damage_is_noticed() -> None:
    """The samples that are damaged above are many, and of many layouts."""
    assert len([*damaged()]) > 100


@pytest.mark.parametrize(
    "time",
    [
        "2026-13-45 99:99:99,999",
        "0000-00-00 00:00:00,000",
        "????-??-?? ??:??:??,???",
        "2026-02-30 12:00:00,000",
        "null",
        "(unknown)",
        "N/A",
        "-",
        "--:--:--",
        "<no-time>",
        "<unknown time>",
        "(no time yet)",
        "%d{ISO8601}",
    ],
)
def test_a_record_without_a_time_stands_between_its_neighbours(time: str) -> None:
    """It has no time of its own, and is no part of the record before it."""
    lines = [
        f"[{at}] INFO Door d goes from A to B (house.Door)\n"
        for at in ("2026-01-02 03:04:05,000", time, "2026-01-02 03:04:06,000")
    ]
    text = "".join(lines).encode()
    first, second, third = scan(text, 0, len(text), Scanner([b"goes from"]))
    assert first.following_lines == ()
    assert (second.at_ms, second.message, second.logger) == (None, first.message, first.logger)
    assert third.at_ms == (first.at_ms or 0) + 1000


@pytest.mark.parametrize(
    "text",
    [
        "\tat a.B.c(D.java:1:2:3)",
        "  see 12:00 to 13:00 INFO",
        "Caused by: a.B: at 1:2:3",
        "1:2:3",
        "a:b:c is said",
    ],
)
def test_a_continuation_line_is_none(text: str) -> None:
    """What has colons is no record for that."""
    assert default_layouts().read(text) is None
