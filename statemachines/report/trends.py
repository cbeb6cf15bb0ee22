"""How a log has fared from report to report: health, verdicts, how much was judged, episodes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import asdict, evolve, frozen

from statemachines.model.evidence.moments import DAY_MS
from statemachines.report.json_format import terminal_safe_json
from statemachines.report.making_differences import difference_in_making
from statemachines.report.saved_reports import read_saved_report

_TREND_FORMAT = "statemachines.trend/1"
_SHORTEST_SPAN_MS = 3_600_000
"""A log of less than an hour says nothing of a day."""
UNKNOWN = "–"


@frozen
class TrendRow:
    """One saved report in a row of numbers."""

    report: str
    """The file."""
    ends: str | None
    """The last time of its logs, as the report writes it."""
    verdict: str
    health: str | None
    """At the end of the logs, as the report writes it; None where it does not say."""
    judged_percent: float | None
    """Of the lines that are about instances, how many were judged: `observations` of them and of
    `unread_lines`; None where there were none.
    """
    violated: int
    """Findings, repeated ones counted each time."""
    inconclusive: int
    known: int
    """Findings that a baseline left out."""
    episodes: int
    """Without those that were orderly."""
    episodes_a_day: float | None
    """None where the logs tell no times, or less than an hour of them."""
    open: int
    """Episodes that went on at the end."""
    health_word: str | None = None
    """The word of the text report: `over` where `health` is `healed`, and something ended without
    having recovered; None where the report does not say.
    """
    made_differently: str | None = None
    """What it was made with that the report of the row before was not (version, options, specs), so
    that a difference may come of that; None where there is nothing, or nobody knows.
    """

    @property
    def shown_health(self) -> str:
        """The health as people read it."""
        return (self.health_word or self.health or UNKNOWN).upper()


def read_trend(reports: Iterable[tuple[str, str]]) -> tuple[TrendRow, ...]:
    """Return the rows of saved JSON reports, in the order of the times at which their logs end;
    those without a time come first, as they were given.

    Args:
        reports: names and texts of files that `check --format json` wrote.

    Returns:
        A row a report.

    Raises:
        NotAReport: one is something else.
    """
    parsed = ((name, read_saved_report(name, text)) for name, text in reports)
    rows = [(_trend_row(name, data), data.get("made_with")) for name, data in parsed]
    rows.sort(key=lambda row: row[0].ends or "")
    before: list[Any] = [None, *(made_with for _, made_with in rows)]
    return tuple(
        evolve(row, made_differently=difference_in_making(old, made_with))
        for old, (row, made_with) in zip(before, rows, strict=False)
    )


def trend_lines(rows: Sequence[TrendRow]) -> Iterator[str]:
    """Write rows as a table for people, and below it which reports were made differently than those
    before them, and what differs between the last two.

    Args:
        rows: as `read_trend` gives them.

    Yields:
        Lines to print.
    """
    table = [
        (
            "log ends",
            "health",
            "verdict",
            "judged",
            "findings",
            "known",
            "episodes",
            "a day",
            "open",
            "",
        ),
        *(_table_cells(row) for row in rows),
    ]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(table[0]))]
    for cells in table:
        texts, numbers = cells[:3], cells[3:-1]
        left = [text.ljust(width) for text, width in zip(texts, widths, strict=False)]
        right = [text.rjust(width) for text, width in zip(numbers, widths[3:], strict=False)]
        yield "   ".join([*left, *right, cells[-1]]).rstrip()
    changed = [row for row in rows if row.made_differently]
    if changed:
        yield ""
    for row in changed:
        yield f"Made differently from {row.report} on: {row.made_differently}"
    if len(rows) > 1:
        yield from ("", f"Since {rows[-2].report}: {_difference(*rows[-2:])}")


def trend_json(rows: Sequence[TrendRow]) -> Iterator[str]:
    """Write rows as one JSON object.

    Args:
        rows: as `read_trend` gives them.

    Yields:
        Lines of one object.
    """
    content = {"format": _TREND_FORMAT, "reports": [asdict(row) for row in rows]}
    yield terminal_safe_json(json.dumps(content, indent=2, ensure_ascii=False)) + "\n"


def trend_csv(rows: Sequence[TrendRow]) -> Iterator[str]:
    """Write rows as CSV, with a header.

    Args:
        rows: as `read_trend` gives them.

    Yields:
        Lines, the header first.
    """
    text = io.StringIO()
    names = [attribute.name for attribute in TrendRow.__attrs_attrs__]
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    yield text.getvalue()


def _trend_row(name: str, report: Mapping[str, Any]) -> TrendRow:
    checked, episodes = report["checked"], [e for e in report["episodes"] if not e["orderly"]]
    about_instances = checked["observations"] + checked["unread_lines"]
    days = _covered_days(report["sources"])
    return TrendRow(
        name,
        max((row["last"] for row in report["sources"] if row["last"]), default=None),
        report["verdict"],
        report.get("health"),
        round(100 * checked["observations"] / about_instances, 1) if about_instances else None,
        _finding_count(report, "VIOLATED"),
        _finding_count(report, "INCONCLUSIVE"),
        report.get("known", 0),
        len(episodes),
        round(len(episodes) / days, 1) if days else None,
        sum(episode["open"] for episode in episodes),
        report.get("health_word"),
    )


def _finding_count(report: Mapping[str, Any], verdict: str) -> int:
    return sum(row["count"] for row in report["findings"] if row["verdict"] == verdict)


def _covered_days(sources: Sequence[Mapping[str, Any]]) -> float | None:
    """Return how many days logs cover, from the first time to the last; None where that is less
    than an hour, or not known.
    """
    first = [moment for row in sources if (moment := _milliseconds(row["first"])) is not None]
    last = [moment for row in sources if (moment := _milliseconds(row["last"])) is not None]
    covered = max(last) - min(first) if first and last else 0
    return covered / DAY_MS if covered >= _SHORTEST_SPAN_MS else None


def _milliseconds(moment: str | None) -> float | None:
    """Return a time of a report in milliseconds, an unknown zone taken as UTC; None: no date."""
    try:
        return 1000 * datetime.fromisoformat(f"{(moment or '').removesuffix('Z')}Z").timestamp()
    except ValueError:
        return None


def _table_cells(row: TrendRow) -> tuple[str, ...]:
    return (
        (row.ends or UNKNOWN).replace("T", " ").partition(".")[0],
        row.shown_health,
        row.verdict,
        UNKNOWN if row.judged_percent is None else f"{row.judged_percent:.1f} %",
        f"{row.violated + row.inconclusive:,}",
        f"{row.known:,}",
        f"{row.episodes:,}",
        UNKNOWN if row.episodes_a_day is None else f"{row.episodes_a_day:,.1f}",
        f"{row.open:,}",
        row.report,
    )


def _difference(before: TrendRow, now: TrendRow) -> str:
    """Say in a few words what the newest report says that the one before it did not."""
    parts = [
        f"{old} -> {new}" if old != new else new
        for old, new in (
            (before.shown_health, now.shown_health),
            (before.verdict, now.verdict),
        )
    ]
    if before.judged_percent is not None and now.judged_percent is not None:
        parts.append(f"judged {now.judged_percent - before.judged_percent:+.1f} points")
    for word, old, new in (
        ("findings", before.violated + before.inconclusive, now.violated + now.inconclusive),
        ("open episodes", before.open, now.open),
    ):
        parts.append(f"{word} {new - old:+,}")
    if before.episodes_a_day is not None and now.episodes_a_day is not None:
        parts.append(f"episodes a day {now.episodes_a_day - before.episodes_a_day:+,.1f}")
    return ", ".join(parts)
