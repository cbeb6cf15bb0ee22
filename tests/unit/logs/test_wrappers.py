"""Prefixes and JSON around a program's lines are taken off.

Covers: statemachines.logs.layouts.wrappers, statemachines.logs.layouts.shipped_layouts.
"""

from __future__ import annotations

from typing import Any

import pytest

from statemachines.logs import Timestamp
from statemachines.logs.fields.log_times import settled_by_capture
from statemachines.logs.layouts.shipped_layouts import default_wrappers, unwrap
from statemachines.logs.layouts.wrappers import Wrapper, without_colours

from .samples import moment

SAMPLES = [(wrapper, sample) for wrapper in default_wrappers() for sample in wrapper.samples]


@pytest.mark.parametrize(
    ("wrapper", "sample"), SAMPLES, ids=[sample["text"][:70] for _, sample in SAMPLES]
)
def test_a_sample_is_peeled_by_its_wrapper(wrapper: Wrapper, sample: dict[str, Any]) -> None:
    """The program's own line, and what the tool told of the process and the time."""
    peeled = unwrap(sample["text"])
    assert peeled.inner == sample["inner"]
    assert (peeled.process, peeled.stream, peeled.is_partial) == (
        sample.get("process"),
        sample.get("stream"),
        sample.get("partial", False),
    )
    assert _whole(peeled.captured_at) == _whole(moment(sample.get("at")))
    first = next(
        other
        for other in default_wrappers()
        if other.unwrap(type(peeled)(without_colours(sample["text"])))
    )
    assert first.name == wrapper.name


def _whole(told: Timestamp | None) -> int | None:
    return told.at_ms if told else None


@pytest.mark.parametrize(
    "text",
    [
        "INFO | main | a.B | open",
        "[2026-11-21 15:46:19,566] INFO open (a.B)",
        "1795275802134 | INFO | main | a.B | open",
        "order-1 opened it",
        "at a.B.c(B.java:1)",
        "2026-11-21T15:46:19.566Z  INFO 1 --- [app] [main] a.B : x",
        "2026-11-21T15:46:19Z WARN Orders: late",
        "",
        "stream-thread [a] State transition",
    ],
)
def test_a_line_without_prefix_stays_as_it_is(text: str) -> None:
    """A column of a layout is no process."""
    peeled = unwrap(text)
    assert (peeled.inner, peeled.process, peeled.is_wrapped) == (text, None, False)


def test_wrappers_stand_around_one_another() -> None:
    """Compose around docker's time stamps, syslog around JSON around colours."""
    assert unwrap("app-1  | 2026-11-21T15:46:19.567220943Z \x1b[1mINFO\x1b[0m x").inner == "INFO x"
    inner = unwrap(
        'Nov 21 15:46:19 h1 docker[1]: {"log":"\\u001b[32mINFO\\u001b[0m x\\n","stream":"stdout","time":"2026-11-21T15:46:19Z"}'
    )
    assert (inner.inner, inner.process, inner.stream) == ("INFO x", "h1/docker", "stdout")


def test_several_lines_in_one_wrapped_line_are_kept() -> None:
    """journald keeps a message with its stack trace in one entry."""
    peeled = unwrap('{"__REALTIME_TIMESTAMP":"1795275979567220","MESSAGE":"a.B: x\\n\\tat c\\n"}')
    assert (peeled.inner, peeled.further_lines) == ("a.B: x", ("\tat c",))


@pytest.mark.parametrize(
    ("own", "captured", "settled"),
    [
        (
            Timestamp(1_000_000_000_000),
            Timestamp(1_000_000_000_250, zoned=True),
            Timestamp(1_000_000_000_000, zoned=True),
        ),
        (
            Timestamp(1_000_000_000_000 + 29_700_000),
            Timestamp(1_000_000_000_250, zoned=True),
            Timestamp(1_000_000_000_000, zoned=True),
        ),
        (
            Timestamp(1_000_000_000_000 - 12_600_000),
            Timestamp(1_000_000_000_250, zoned=True),
            Timestamp(1_000_000_000_000, zoned=True),
        ),
        (
            Timestamp(6_399_900, dated=False),
            Timestamp(1_000_000_000_250, zoned=True),
            Timestamp(999_999_999_900, zoned=True),
        ),
        (
            Timestamp(1_000_000_000_000, zoned=True),
            Timestamp(5, zoned=True),
            Timestamp(1_000_000_000_000, zoned=True),
        ),
        (
            Timestamp(1_000_000_000_000),
            Timestamp(5_000_000_000_000, zoned=True),
            Timestamp(1_000_000_000_000),
        ),
        (
            Timestamp(1_000_000_000_000 + 29_760_000),
            Timestamp(1_000_000_000_250, zoned=True),
            Timestamp(1_000_000_000_000 + 29_760_000),
        ),
        (
            Timestamp(60_000, dated=False),
            Timestamp(1_000_000_000_250, zoned=True),
            Timestamp(1_000_000_000_250, zoned=True),
        ),
    ],
)
def test_the_time_of_capture_settles_zone_and_date(
    own: Timestamp, captured: Timestamp, settled: Timestamp
) -> None:
    """A zone is a multiple of a quarter of an hour; a log of another day that is shown again settles nothing."""
    assert settled_by_capture(own, captured) == settled
