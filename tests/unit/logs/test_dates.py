"""A layout file may ask for any form of date; what is not understood is said.

Covers: statemachines.logs.fields.date_patterns, statemachines.logs.layouts.conversion_patterns.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.logs import LayoutError, Layouts, Timestamp, load_layout_file
from statemachines.logs.fields.date_patterns import DateError, make_date_reader
from statemachines.logs.layouts.conversion_patterns import compile_pattern
from statemachines.logs.layouts.text_layouts import TextLayout

AT = int(datetime(2026, 2, 1, 15, 4, 5, tzinfo=UTC).timestamp()) * 1000


@pytest.mark.parametrize(
    ("asked", "text", "moment"),
    [
        ("{yyMMdd HHmmss}", "260201 150405", Timestamp(AT)),
        ("{yyMMdd-HHmmss}", "260201-150405", Timestamp(AT)),
        ("{dd/MM/yyyy HH:mm:ss}", "01/02/2026 15:04:05", Timestamp(AT)),
        ("{MM/dd/yyyy HH:mm:ss}", "02/01/2026 15:04:05", Timestamp(AT)),
        ("{M/d/yy h:mm:ss a}", "2/1/26 3:04:05 PM", Timestamp(AT)),
        ("{EEE, d MMM yyyy HH:mm:ss z}", "Sun, 1 Feb 2026 15:04:05 GMT", Timestamp(AT, zoned=True)),
        ("{yyyyDDDHHmmssSSS}", "2026032150405678", Timestamp(AT + 678)),
        ("{yyyy.MM.dd 'at' HH'h'mm''ss}", "2026.02.01 at 15h04'05", Timestamp(AT)),
        (
            "{dd.MM.yy HH:mm:ss.SSSXXX}",
            "01.02.26 17:04:05.678+02:00",
            Timestamp(AT + 678, zoned=True),
        ),
        ("{dd.MM. HH:mm:ss}", "01.02. 15:04:05", Timestamp(54_245_000, dated=False)),
        ("{UNIX}", "1769958245", Timestamp(AT, zoned=True)),
        ("{UNIX_MILLIS}", "1769958245678", Timestamp(AT + 678, zoned=True)),
        ("{COMPACT}", "20260201150405678", Timestamp(AT + 678)),
        ("{DATE}", "01 Feb 2026 15:04:05,678", Timestamp(AT + 678)),
        ("{yyyy-MM-dd HH:mm:ss}{UTC}", "2026-02-01 15:04:05", Timestamp(AT, zoned=True)),
        (
            '{"yyyy-MM-dd HH:mm:ss,SSS", UTC}',
            "2026-02-01 15:04:05,678",
            Timestamp(AT + 678, zoned=True),
        ),
        ("{yyyy-MM-dd HH:mm:ss}{Europe/Berlin}", "2026-02-01 16:04:05", Timestamp(AT, zoned=True)),
        ("{HH:mm:ss}", "15:04:05", Timestamp(54_245_000, dated=False)),
        ("{ISO8601}", "2026-02-01T15:04:05,678", Timestamp(AT + 678)),
    ],
)
def test_a_date_is_read_as_its_pattern_writes_it(asked: str, text: str, moment: Timestamp) -> None:
    """At the line's beginning, in brackets, and later in the line."""
    for pattern, line in (
        (f"%d{asked} %p %m%n", f"{text} INFO open"),
        (f"%p [%d{asked}] %m%n", f"INFO [{text}] open"),
    ):
        reading = Layouts((TextLayout("x", compile_pattern(pattern)),)).read(line)
        assert reading is not None
        assert (reading.message, reading.level, reading.timestamp) == ("open", "INFO", moment)


@pytest.mark.parametrize(
    ("asked", "says"), [("{ww}", "'ww'"), ("{yyyy 'x}", "does not close"), ("{Qyy}", "'Q'")]
)
def test_what_of_a_date_is_not_understood_is_said(asked: str, says: str, tmp_path: Path) -> None:
    """With what there is, and in which layout."""
    with pytest.raises(DateError, match=says):
        make_date_reader(asked)
    file = tmp_path / "mine.yaml"
    file.write_text(f'layouts:\n- name: mine\n  pattern: "%d{asked} %m"\n')
    with pytest.raises(LayoutError, match=r"mine.*%d\{"):
        load_layout_file(file)


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31)),
    st.permutations(["yy", "MM", "dd", "HH", "mm", "ss"]),
)
def test_any_order_of_a_date_is_read_back(time: datetime, parts: list[str]) -> None:
    """A law: two digits each, in any order."""
    values = {
        part: f"{value % 100:02}"
        for part, value in zip(("yy", "MM", "dd", "HH", "mm", "ss"), time.timetuple(), strict=False)
    }
    reader = make_date_reader("{" + "_".join(parts) + "}")
    assert reader is not None
    moment = reader.read("_".join(values[part] for part in parts))
    assert moment == Timestamp(int(time.replace(microsecond=0, tzinfo=UTC).timestamp()) * 1000)


def test_a_layout_that_does_not_read_its_sample_says_where_it_stopped(tmp_path: Path) -> None:
    """The column, what stands there, and what was expected."""
    file = tmp_path / "mine.yaml"
    file.write_text(
        'layouts:\n- name: mine\n  pattern: "%d [%t] %p %c: %m%n"\n  samples:\n  - text: "12:00:00 [main] <INFO> a.B: open"\n'
    )
    with pytest.raises(
        LayoutError,
        match=r"stops at column 17, before '<INFO> a\.B: open', where a level \(%p\) was expected",
    ):
        load_layout_file(file)
