"""Times in every form that logs write.

Covers: statemachines.logs.fields.log_times.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.logs import Timestamp, parse_time
from statemachines.logs.fields.log_times import TIME_REGEX, in_zone

AT = 1795275802134
"""2026-11-21 15:43:22.134 UTC."""
SECOND = AT - 134


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-21 15:43:22,134", Timestamp(AT)),
        (str(AT * 1000 + 567), Timestamp(AT, zoned=True)),
        (str(AT * 1_000_000 + 567891), Timestamp(AT, zoned=True)),
        ("3:43:22 PM", Timestamp(SECOND % 86_400_000, dated=False)),
        ("Nov 21, 2026, 3:43:22,134 PM Central European Standard Time", Timestamp(AT)),
        ("2026-11-21T15:43:22.134", Timestamp(AT)),
        ("2026-11-21 15:43:22", Timestamp(SECOND)),
        ("2026-11-21  15:43:22", Timestamp(SECOND)),
        ("2026/11/21 15:43:22.134", Timestamp(AT)),
        ("2026.11.21 15:43:22", Timestamp(SECOND)),
        ("2026-11-21 15:43:22:134", Timestamp(AT)),
        ("2026-11-21T15:43:22.13Z", Timestamp(AT - 4, zoned=True)),
        ("2026-11-21T15:43:22.134567891Z", Timestamp(AT, zoned=True)),
        ("2026-11-21T16:43:22.134+01:00", Timestamp(AT, zoned=True)),
        ("2026-11-21T10:13:22,134-0530", Timestamp(AT, zoned=True)),
        ("2026-11-21 10:43:22.134 -05", Timestamp(AT, zoned=True)),
        ("2026-11-21 15:43:22.134 UTC", Timestamp(AT, zoned=True)),
        ("2026-11-21 15:43:22.134 CET", Timestamp(AT)),
        ("20261121-154322.134", Timestamp(AT)),
        ("20261121154322134", Timestamp(AT)),
        ("20261121 15:43:22", Timestamp(SECOND)),
        ("20261121T154322Z", Timestamp(SECOND, zoned=True)),
        ("21 Nov 2026 15:43:22,134", Timestamp(AT)),
        ("21-Nov-2026 15:43:22.134", Timestamp(AT)),
        ("21/Nov/2026:15:43:22 +0000", Timestamp(SECOND, zoned=True)),
        ("21.11.2026 15:43:22.134", Timestamp(AT)),
        ("21/11/2026 15:43:22", Timestamp(SECOND)),
        ("11/21/2026 15:43:22", Timestamp(SECOND)),
        ("26/11/21 15:43:22", Timestamp(SECOND)),
        ("Nov 21, 2026 3:43:22 PM", Timestamp(SECOND)),
        ("Nov 21, 2026 @ 15:43:22.134", Timestamp(AT)),
        ("11/21/26, 15:43:22:134 UTC", Timestamp(AT, zoned=True)),
        ("11/21/26 15:43:22:134 EDT", Timestamp(AT)),
        ("21/11/26 15:43:22:134", Timestamp(AT)),
        ("21.11.26 15:43:22:134 MESZ", Timestamp(AT)),
        ("1/1/26 9:03:02:004 UTC", Timestamp(1767258182004, zoned=True)),
        ("Nov 21, 2026 03:43:22 PM", Timestamp(SECOND)),
        ("Sat Nov 21 15:43:22 UTC 2026", Timestamp(SECOND, zoned=True)),
        ("Nov 21 15:43:22", Timestamp(56_602_000, dated=False)),
        ("15:43:22,134", Timestamp(56_602_134, dated=False)),
        ("12:00:00 AM", Timestamp(0, dated=False)),
        ("15:43:22", Timestamp(56_602_000, dated=False)),
        ("23:59:60", Timestamp(86_399_000, dated=False)),
        ("1795275802134", Timestamp(AT, zoned=True)),
        ("1795275802", Timestamp(SECOND, zoned=True)),
        ("1795275802.134", Timestamp(AT, zoned=True)),
        ("2026-11-21_15:43:22.134", Timestamp(AT)),
        ("2026-11-21-15:43:22", Timestamp(SECOND)),
        ("2026-11-21 03:43:22.134 pm", Timestamp(AT)),
        ("2026-11-21T16:43:22.134+01:00[Europe/Berlin]", Timestamp(AT, zoned=True)),
        ("Sat, 21 Nov 2026 15:43:22 GMT", Timestamp(SECOND, zoned=True)),
        ("21Nov2026 15:43:22.134", Timestamp(AT)),
        ("21 November 2026 15:43:22.134", Timestamp(AT)),
        ("21-déc.-2026 15:43:22", Timestamp(SECOND + 30 * 86_400_000)),
        ("März 21, 2026 3:43:22 PM", Timestamp(SECOND - 245 * 86_400_000)),
        ("11/2/2026 3:43:22 PM", Timestamp(SECOND - 19 * 86_400_000)),
        ("2/11/2026 3:43:22 pm", Timestamp(SECOND - 19 * 86_400_000)),
        ("2.11.2026 15:43:22", Timestamp(SECOND - 19 * 86_400_000)),
        ("2026-02-30 15:43:22", None),
        ("2026-11-21 25:43:22,134", None),
        ("2026-11-21 15:43:22,1é4", None),
        ("24:00:00", None),
        ("", None),
        ("yesterday", None),
    ],
)
def test_a_time_in_any_form_is_read(text: str, moment: Timestamp | None) -> None:
    """With and without date, zone, comma or dot; day first; epoch."""
    assert parse_time(text) == moment
    if moment:
        found = re.match(TIME_REGEX, text + " INFO x")
        assert found is not None
        assert found[0] == text


FORMS = [
    "%Y-%m-%d %H:%M:%S,{ms}",
    "%Y-%m-%dT%H:%M:%S.{ms}",
    "%Y/%m/%d %H:%M:%S.{ms}",
    "%d %b %Y %H:%M:%S,{ms}",
    "%d.%m.%Y %H:%M:%S.{ms}",
    "%Y%m%d-%H%M%S.{ms}",
]


@given(st.datetimes(datetime(1971, 1, 1), datetime(2199, 1, 1)), st.sampled_from(FORMS))
def test_what_a_program_wrote_is_read_back(time: datetime, form: str) -> None:
    """To the millisecond."""
    text = time.strftime(form).format(ms=f"{time.microsecond // 1000:03}")
    moment = parse_time(text)
    assert moment is not None
    assert moment.at_ms == (time - datetime(1970, 1, 1)) // timedelta(milliseconds=1)
    assert moment.dated
    assert not moment.zoned


@given(st.text("0123456789-:,. TZ+/", max_size=40))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    """Whatever stands where a time was expected."""
    parse_time(text)


def test_a_zone_told_by_the_user_applies_where_the_log_tells_none() -> None:
    """With daylight saving."""
    berlin = ZoneInfo("Europe/Berlin")
    summer = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
    assert in_zone(Timestamp(int(summer.timestamp()) * 1000 + 5), berlin) == Timestamp(
        int(summer.timestamp()) * 1000 - 7_200_000 + 5, zoned=True
    )
    assert in_zone(Timestamp(AT, zoned=True), berlin) == Timestamp(AT, zoned=True)
    assert in_zone(Timestamp(5, dated=False), berlin) == Timestamp(5, dated=False)
