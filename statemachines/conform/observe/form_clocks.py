"""Where the times of lines stand, by the forms of the lines: learnt from the reader of lines."""

from __future__ import annotations

import re
from datetime import tzinfo
from functools import cached_property

from statemachines.logs import Layouts, Timestamp
from statemachines.logs.layouts.json_layouts import may_be_told_by_digits
from statemachines.logs.layouts.shipped_layouts import unwrap
from statemachines.logs.records.clock_search import find_clock, plain_clock
from statemachines.logs.records.line_clocks import ClockTimes, LineClock
from statemachines.logs.records.plain_lines import LONGEST_PLAIN_LINE, is_digit_blind, line_key

_MOST_FORMS = 10_000
_NO_BEGINNINGS = (b"", b" ", b"\t", b"\r")
"""With these no line begins a record."""
_MAY_HAVE_TIME = re.compile(rb"\d:\d\d|\d{10}")
_ODD_SIGNS = (b"\0", b"\x1b", b"^[", b"#033", b"\x1e", b"\f")
"""Signs in a line that are read as something else, or as nothing."""


class FormClocks:
    """Knows where the times of lines stand that surely begin a record.

    Complexity: a look-up a line; a form that begins with no plain time costs the reading of four
    lines.
    """

    def __init__(self, layouts: Layouts, zone: tzinfo | None) -> None:
        """Know nothing yet.

        Args:
            layouts: how lines are taken apart.
            zone: where times were written, which tell none.
        """
        self._layouts, self.times = layouts, ClockTimes(zone)
        self._by_form: dict[bytes, LineClock | None] = {}

    def is_of_calendar(self, raw: bytes) -> bool:
        """Say whether a line has a time that there is, or none: what is told of a warning without
        a time says nothing of those that have one.

        Args:
            raw: the line as it stands in the file.

        Returns:
            False where its time is of no calendar.
        """
        clock = self.clock_of(raw)
        return clock is None or self.times.time_of(clock, raw) is not None

    @cached_property
    def are_layouts_plain(self) -> bool:
        """Whether a line that begins with a time begins a record, and no layout tells digits
        apart.
        """
        return self._layouts.reads_all_dated and all(
            is_digit_blind(source) for source in self._layouts.sources()
        )

    @cached_property
    def _layouts_without_clock(self) -> frozenset[str]:
        """Names of those that read times in a form of their own."""
        return frozenset(
            layout.name for layout in self._layouts.text_layouts if layout.pattern.date is not None
        )

    @cached_property
    def _layouts_with_clock(self) -> frozenset[str]:
        """Names of the others; lines of cells and pairs are of none of these."""
        names = {layout.name for layout in self._layouts.text_layouts}
        names |= {layout.name for layout in self._layouts.json_layouts}
        return frozenset(names) - self._layouts_without_clock

    def clock_of(self, raw: bytes) -> LineClock | None:
        """Return where the time of a line stands; each form is looked at once.

        Args:
            raw: the line as it stands in the file, without what ends it.

        Returns:
            Its place; None where it tells none with a date, or may be a part of the record above.
        """
        clock = plain_clock(raw)
        if clock is not None or raw[:1] in _NO_BEGINNINGS or len(raw) > LONGEST_PLAIN_LINE:
            return clock
        key = line_key(raw)
        if key not in self._by_form:
            if len(self._by_form) >= _MOST_FORMS:
                self._by_form.clear()
            self._by_form[key] = self._find_clock(raw)
        return self._by_form[key]

    def _find_clock(self, raw: bytes) -> LineClock | None:
        if not self.are_layouts_plain or not raw.isascii() or not _MAY_HAVE_TIME.search(raw):
            return None
        if any(sign in raw for sign in _ODD_SIGNS):
            return None
        if raw[:1] == b"{" and may_be_told_by_digits(raw.decode("ascii")):
            return None
        return find_clock(raw, self._read_own_time)

    def _read_own_time(self, text: str) -> Timestamp | None:
        """Return the time of a line that nothing stands around; None of one that begins no
        record.
        """
        peeled = unwrap(text)
        parsed = None if peeled.is_wrapped else self._layouts.read(peeled.inner)
        is_known = parsed is not None and parsed.layout in self._layouts_with_clock
        return parsed.timestamp if parsed and is_known else None
