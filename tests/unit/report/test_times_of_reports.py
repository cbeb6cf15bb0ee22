"""Times of reports: an alarm of years ago must not read like one of tonight, nor one of UTC like one of Berlin.

Covers: statemachines.model.evidence.moments, statemachines.report.html.document,
statemachines.report.html.elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines import check
from statemachines.model.evidence.moments import time_zone
from statemachines.model.evidence.reports import Instant, SourceSummary
from statemachines.report.html.document import to_html
from statemachines.report.sections.display_names import report_clock
from statemachines.report.text.document import to_text
from tests.unit.report.handmade import EMPTY

WINTER = 1_772_648_181_742
"""2026-03-04T18:16:21.742Z."""


def source(*moments: Instant) -> SourceSummary:
    """A file with these first and last moments."""
    return SourceSummary(
        "app.log", "plain", {}, moments[0].zone, ("app.log",), 2, 0, moments[0], moments[-1]
    )


def third_line(*moments: Instant, **options: object) -> str:
    """What the third line of the text report says."""
    made_with: Mapping[str, object] = {"options": options}
    return list(to_text(evolve(EMPTY, sources=(source(*moments),), made_with=made_with)))[2].strip()


@pytest.mark.parametrize(
    ("moments", "options", "line"),
    [
        ((Instant(WINTER, "Z"),), {}, "2026-03-04 18:16:21 to 18:16:21 (times in UTC)"),
        (
            (Instant(WINTER, "Z"),),
            {"zone": "Europe/Berlin"},
            "2026-03-04 19:16:21 to 19:16:21 (times in Europe/Berlin)",
        ),
        (
            (Instant(WINTER, "Z"),),
            {"zone": "+08:00"},
            "2026-03-05 02:16:21 to 02:16:21 (times in +08:00)",
        ),
        (
            (Instant(WINTER), Instant(WINTER + 86_400_000)),
            {},
            "2026-03-04 18:16:21 to 2026-03-05 18:16:21 (the log has no time zone)",
        ),
        (
            (Instant(3_600_000, "none"), Instant(3_601_000, "none")),
            {},
            "01:00:00 to 01:00:01 (the log has no dates)",
        ),
    ],
)
def test_the_third_line_says_the_day_and_the_zone(
    moments: tuple[Instant, ...], options: dict[str, object], line: str
) -> None:
    """Somebody who reads a time at night must know whose it is."""
    assert third_line(*moments, **options) == line


def test_the_page_says_them_too() -> None:
    """A page is kept with an incident for years."""
    page = "".join(to_html(evolve(EMPTY, sources=(source(Instant(WINTER, "Z")),))))
    assert "2026-03-04 18:16:21 to 18:16:21 (times in UTC)" in page


@given(
    st.integers(-(10**15), 10**15), st.sampled_from(["Europe/Berlin", "+14:00", "-11:30", "UTC"])
)
def test_a_time_in_a_zone_is_the_same_moment(ms: int, zone: str) -> None:
    """Python's own calendar is the judge, as far as it goes."""
    report = evolve(
        EMPTY, sources=(source(Instant(ms, "Z")),), made_with={"options": {"zone": zone}}
    )
    shown = report_clock(report, local=True).moment(Instant(ms, "Z"))
    try:
        expected = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)).astimezone(
            time_zone(zone)
        )
    except (OverflowError, ValueError):
        assert shown
    else:
        assert shown.endswith(expected.strftime("%H:%M:%S"))


LAMP = """
notation: 1
machine: Lamp
states: {LIT: {initial: true}, BURNT: }
transitions: [{from: LIT, to: BURNT}]
log:
  instance: [lamp]
  logger: L
  level: INFO
  lines: [{text: "the lamp {lamp} is {state}", says: is}]
  episodes: {burnt: {while: "state == 'BURNT'", title: "lamp {lamp} is burnt"}}
"""


@pytest.mark.parametrize(
    ("dated", "span", "lasting"),
    [
        ("", "23:59:50 to 00:00:30 (the log has no dates)", "for 20 s"),
        (
            "2026-11-22 00:00:05,000 INFO the lamp b is LIT (L)\n",
            "2026-11-21 23:59:50 to 2026-11-22 00:00:30 (the log has no time zone)",
            "for 20 s",
        ),
        (
            "2026-11-22 00:00:05,000 INFO the lamp b is LIT (L)\n"
            "2026-11-22 00:00:50,000 INFO the lamp b is LIT (L)\n",
            "2026-11-21 23:59:50 to 2026-11-22 00:00:50 (the log has no time zone)",
            "for 40 s",
        ),
    ],
    ids=["alone", "beside one with dates", "beside a longer one"],
)
def test_a_midnight_passes_in_a_log_without_dates(
    tmp_path: Path, dated: str, span: str, lasting: str
) -> None:
    """Its last time of day is earlier than its first, and others say which day it was."""
    (tmp_path / "Lamp.yaml").write_text(LAMP, "utf-8")
    (tmp_path / "logs").mkdir()
    told = ("23:59:50", "LIT"), ("00:00:10", "BURNT"), ("00:00:30", "BURNT")
    lines = "".join(f"{at},000 INFO  L - the lamp a is {state}\n" for at, state in told)
    (tmp_path / "logs" / "app.log").write_text(lines, "utf-8")
    if dated:
        (tmp_path / "logs" / "other.log").write_text(dated, "utf-8")
    report = check([tmp_path / "logs"], specs=[tmp_path / "Lamp.yaml"])
    first, _, third, *_ = to_text(report)
    assert third.strip() == span
    assert first.endswith(f"since 00:00:10, {lasting}")
