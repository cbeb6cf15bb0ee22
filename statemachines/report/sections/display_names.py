"""How instances, places and moments are called in a text report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from attrs import evolve

from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.moments import DAY_MS, time_zone
from statemachines.model.evidence.reports import InstanceKey, Instant, Place, Report, ReportWindow
from statemachines.model.values import frozen
from statemachines.report.sections.timestamps import date, in_zone, time_of_day


def subject_name(key: InstanceKey) -> str:
    """Call an instance as a person would: texts as they are, a number after a text with a dash, any
    other number with its name.

    >>> subject_name((("line", "orders"), ("slot", 2))), subject_name((("till", 3),))
    ('orders-2', 'till 3')
    >>> subject_name((("line", "orders"), ("slot", 2), ("copy", 1)))
    'orders-2 copy 1'

    Args:
        key: fields with their values.

    Returns:
        One text.
    """
    words: list[str] = []
    after_text = False
    for name, value in key:
        if isinstance(value, str):
            words.append(value)
        elif after_text:
            words[-1] = f"{words[-1]}-{value}"
        else:
            words.append(f"{name} {value}")
        after_text = isinstance(value, str)
    return " ".join(words)


def machine_name(machine: str) -> str:
    """Call a machine by the last part of its catalogue name.

    Args:
        machine: its catalogue name.

    Returns:
        One word.
    """
    return machine.rpartition("/")[2]


def instance_name(machine: str, key: InstanceKey) -> str:
    """Call an instance with its machine, once where both have one name.

    >>> instance_name("shop/Till", (("till", 3),)), instance_name("shop/Order", (("number", 7),))
    ('Till 3', 'Order number 7')

    Args:
        machine: its catalogue name.
        key: fields with their values.

    Returns:
        One text.
    """
    if len(key) == 1 and key[0][0].casefold() == machine_name(machine).casefold():
        return f"{machine_name(machine)} {key[0][1]}"
    return f"{machine_name(machine)} {subject_name(key)}".rstrip()


def place_name(place: Place | None) -> str:
    """Write a place as terminals and editors make it a link: `file:line`.

    Args:
        place: a line of a file.

    Returns:
        Empty where there is none.
    """
    return "" if place is None else f"{place.file}:{place.line}"


@frozen
class ReportClock:
    """Writes moments, short where the whole log is of one day."""

    begin: Instant | None
    end: Instant | None
    one_day: bool
    zone: tzinfo | None = None
    """In which moments are written whose zone is known; None: in UTC."""
    zone_name: str = "UTC"
    window: ReportWindow | None = None
    """What the report is cut to."""
    undated_ms: int = 0
    """When the first day of times without a date began, where others of the log have dates."""

    def moment(self, instant: Instant | None) -> str:
        """Write a moment to the second; a question mark where the log tells no time.

        Args:
            instant: None where the log tells no time.

        Returns:
            One text.
        """
        if instant is None or instant.ms is None:
            return "?"
        instant = in_zone(instant, self.zone)
        time = time_of_day(instant, milliseconds=False)
        return time if self.one_day or instant.zone == "none" else f"{date(instant)} {time}"

    def span(self) -> str:
        """Write from when to when the log goes, with its days and its zone, and what of it is
        reported; nothing where it tells no time.
        """
        log_end = self.window.log_end if self.window else self.end
        if self.begin is None or log_end is None:
            return ""
        begin, end = (_day_and_time(instant, self.zone) for instant in (self.begin, log_end))
        same_day = begin[0] == end[0]
        until = end[1] if same_day else " ".join(filter(None, end))
        whole = f"{' '.join(filter(None, begin))} to {until}{self._zone_note()}"
        return f"{self._reported()}{whole}"

    def _reported(self) -> str:
        """Write what of the log is reported; nothing where all of it is."""
        window = self.window
        if window is None:
            return ""
        since = f"from {self._boundary(window.since)}" if window.since else ""
        until = f"until {self._boundary(window.until)}" if window.until else "on"
        return f"reported {' '.join(filter(None, (since, until)))}, of "

    def _boundary(self, instant: Instant) -> str:
        """Write an end of what is reported, with its day where that is not the log's only one."""
        day = _day_and_time(instant, self.zone)[0]
        is_other = self.begin is not None and day != _day_and_time(self.begin, self.zone)[0]
        moment = self.moment(instant)
        return f"{day} {moment}" if is_other and not moment.startswith(day) else moment

    def _zone_note(self) -> str:
        known = {instant.zone for instant in (self.begin, self.end) if instant is not None}
        if known == {"Z"}:
            return f" (times in {self.zone_name})"
        if known == {"unknown"}:
            return " (the log has no time zone)"
        if known == {"none"}:
            return " (the log has no dates)"
        return f" (times in {self.zone_name} where the log has a time zone)"

    def since(self, instant: Instant | None) -> str:
        """Write since when something is so.

        Args:
            instant: None where the log tells no time.

        Returns:
            One text, also where the log tells no time.
        """
        if instant is None or instant.ms is None:
            return "since an unknown time"
        return f"since {self.moment(instant)}"

    def lasting(self, instant: Instant | None) -> str:
        """Write how long something was so at the log's end; nothing where that is not known, or
        where it began there.

        Args:
            instant: None where the log tells no time.

        Returns:
            One text.
        """
        if instant is None or instant.ms is None or self.end is None or self.end.ms is None:
            return ""
        began = instant.ms + (self.undated_ms if instant.zone == "none" else 0)
        return f"for {format_duration(self.end.ms - began)}" if began < self.end.ms else ""

    def interval(self, since: Instant | None, until: Instant | None) -> str:
        """Write how long something was so.

        Args:
            since: when it began.
            until: when it ended.

        Returns:
            One text; without a duration where a time is not known.
        """
        if since is None or until is None or since.ms is None or until.ms is None:
            return f"{self.moment(since)} to {self.moment(until)}"
        lasted = format_duration(max(until.ms - since.ms, 0))
        begin, end = self.moment(since), self.moment(until)
        return f"{lasted} at {begin}" if begin == end else f"{lasted} ({begin} to {end})"


def _day_and_time(instant: Instant, zone: tzinfo | None) -> tuple[str, str]:
    """Return the day, empty where the log tells none, and the time of day of a moment."""
    shown = in_zone(instant, zone)
    return ("" if instant.zone == "none" else date(shown)), time_of_day(shown, milliseconds=False)


def report_clock(report: Report, *, local: bool = False) -> ReportClock:
    """Return the clock of a report: its end is the last time that any of its files tells.

    Args:
        report: what a check found.
        local: whether times are written in the zone that was given for the check, not in UTC.

    Returns:
        A clock that writes moments.
    """
    undated_ms = _undated_ms(report)
    ends = _dated([source.last for source in report.sources], undated_ms)
    begins = _dated([source.first for source in report.sources], undated_ms)
    begin = min(begins, key=lambda instant: instant.ms or 0, default=None)
    end = max(ends, key=lambda instant: instant.ms or 0, default=None)
    name = _given_zone(report) if local else None
    zone = time_zone(name)
    days = {date(in_zone(instant, zone)) for instant in (*ends, *begins) if instant.zone != "none"}
    return ReportClock(begin, end, len(days) <= 1, zone, name or "UTC", report.window, undated_ms)


def _undated_ms(report: Report) -> int:
    """Return which day the first one is of files whose times have no date, where others have dates:
    that by which they are closest to the others; 0 where all or none have a date.
    """
    spans: dict[bool, list[int]] = {True: [], False: []}
    for instant in (
        instant for source in report.sources for instant in (source.first, source.last)
    ):
        if instant is not None and instant.ms is not None:
            spans[instant.zone == "none"].append(instant.ms)
    if not (spans[True] and spans[False]):
        return 0
    undated, dated = ((min(span) + max(span)) // 2 for span in (spans[True], spans[False]))
    return round((dated - undated) / DAY_MS) * DAY_MS


def _dated(instants: Sequence[Instant | None], undated_ms: int) -> list[Instant]:
    """Return the moments that a log tells, those without a date on their day if it is known."""
    return [
        evolve(instant, ms=instant.ms + undated_ms, zone="unknown")
        if undated_ms and instant.zone == "none"
        else instant
        for instant in instants
        if instant is not None and instant.ms is not None
    ]


def _given_zone(report: Report) -> str | None:
    options = report.made_with.get("options")
    name = options.get("zone") if isinstance(options, Mapping) else None
    return name if isinstance(name, str) else None
