"""What was not looked at or not decided: said last and never left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from textwrap import wrap

from statemachines.model.counts import count_text
from statemachines.model.evidence.reports import Report
from statemachines.report.sections.display_names import place_name
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.sections.unjudged_counts import UNREAD_PREFIX, rows_about_lines
from statemachines.report.sections.verdict_summary import partly_decided
from statemachines.report.text.text_columns import OutputStyle

_NARROWEST_TEXT = 24
_HANGING = " " * 4
_FEW_REASONS = 3
"""Reasons why something that was asked for was not judged: so many are listed."""
_FEW_LOGGERS = 3
"""So many are named with the level that each shows."""
_FEW_NAMES = 12
"""So many machines, systems and properties are named with them."""


def unjudged_lines(report: Report, style: OutputStyle) -> Iterator[str]:
    """Say what the verdict does not cover, and what would decide it.

    Args:
        report: what a check found.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    for text in (
        *_unshown_steps(report),
        *_known_count(report),
        *_unread_count(report),
        *_uncertain_releases(report),
        *_source_problems(report),
    ):
        yield from _whole_lines(text, style)
    lines = rows_about_lines(report)
    for row in lines[: style.limit]:
        yield "  " + printable_text(f"{row.count:,} × {row.why}   first {place_name(row.place)}")
        if row.text:
            yield "      " + style.paint(cut_end(printable_text(row.text), style.width - 6), "dim")
    if len(lines) > style.limit:
        yield f"  … and {len(lines) - style.limit:,} more (--all lists them)"
    for text in (*_unjudged_requests(report, style), *partly_decided(report)):
        yield from _whole_lines(text, style)
    begun = {
        f"{source.file}: {problem}" for source in report.sources for problem in source.problems
    }
    for error in report.errors:
        yield "  " + style.paint(
            printable_text(f"not read{' to its end' if error in begun else ''}: {error}"), "bad"
        )


def _whole_lines(text: str, style: OutputStyle) -> Iterator[str]:
    """Show a sentence whole: its end says how to see more, or what would decide it."""
    room = max(style.width - 2, _NARROWEST_TEXT)
    lines = wrap(printable_text(text), room, subsequent_indent=_HANGING, break_on_hyphens=False)
    yield from (f"  {line}" for line in lines)


def unread_lines(report: Report, style: OutputStyle) -> Iterator[str]:
    """Count the lines that nothing reads by logger, and list the first of each file.

    Args:
        report: what a check found.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    for row in (
        row for row in report.unjudged if report.unread and row.why.startswith(UNREAD_PREFIX)
    ):
        yield "  " + printable_text(
            f"{row.count:,} × {row.why.removeprefix(UNREAD_PREFIX)}   first {place_name(row.place)}"
        )
    for line in report.unread:
        yield "  " + style.paint(printable_text(place_name(line.place)), "dim")
        yield "      " + cut_end(printable_text(line.text), style.width - 6)


def _unjudged_requests(report: Report, style: OutputStyle) -> Iterator[str]:
    """Say what was asked for and not judged: a few reasons each, many as one line that says how
    much it is.
    """
    rows = [row for row in report.unjudged if not row.about_lines]
    is_short = len(rows) <= _FEW_REASONS and sum(row.count for row in rows) <= _FEW_NAMES
    if is_short or style.limit > len(report.rules):
        yield from (f"{row.count:,} × {row.why}" for row in rows)
        return
    unseen = {row.machine for row in report.rules if row.rule is None and row.verdict is None}
    rules = sum(
        row.rule is not None and row.verdict is None and row.machine not in unseen
        for row in report.rules
    )
    counts = (
        [count_text(len(unseen), "machine or system", "machines and systems")] if unseen else []
    )
    counts += [count_text(rules, "property", "properties") + " of others"] if rules else []
    yield f"{' and '.join(counts)} not judged (--all says why, `rules` of --format json has each)"


def _unshown_steps(report: Report) -> Iterator[str]:
    if report.checked.hidden_steps:
        levels = {pair for source in report.sources for pair in source.level.items()}
        shown = f" (shown: {_levels_text(levels)})" if levels else ""
        steps = count_text(report.checked.hidden_steps, "step is", "steps are")
        yield f"{steps} hidden: at these levels no line tells of such a step{shown}"
    if report.checked.missing_steps:
        yield (
            f"{count_text(report.checked.missing_steps, 'step is', 'steps are')} missing: lines"
            " that should be there are not"
        )


def _levels_text(levels: Collection[tuple[str, str]]) -> str:
    """Write the level that each logger shows, or of how many loggers where they are many."""
    if len(levels) <= _FEW_LOGGERS:
        return ", ".join(sorted(f"{logger} {level}" for logger, level in levels))
    numbers = sorted(Counter(level for _, level in levels).items())
    counts = ", ".join(f"{level} of {count_text(number, 'logger')}" for level, number in numbers)
    return f"{counts}; `sources` of --format json has each"


def _unread_count(report: Report) -> Iterator[str]:
    if unread := report.checked.unread_lines:
        lines = count_text(unread, "line holds", "lines hold")
        match = "matches" if unread == 1 else "match"
        yield (
            f"{lines} a word or a logger of the catalogue but {match} none of its lines"
            " (--unread lists them)"
        )


def _known_count(report: Report) -> Iterator[str]:
    if report.known:
        counts = count_text(report.known, "finding or incident is", "findings and incidents are")
        yield f"{counts} known by the baseline, left out and not counted"


def _uncertain_releases(report: Report) -> Iterator[str]:
    doubtful: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in report.releases:
        if row.how in ("lines", "assumed"):
            doubtful[row.releases, row.how].append(row.process)
    for (releases, how), processes in doubtful.items():
        whose = (
            processes[0]
            if len(processes) == 1
            else count_text(len(processes), "process", "processes")
        )
        yield f"release of {whose}: {releases or 'none fits'} ({how}; --release decides it)"


def _source_problems(report: Report) -> Iterator[str]:
    by_problem: dict[str, list[str]] = defaultdict(list)
    for source in report.sources:
        for problem in source.problems:
            if f"{source.file}: {problem}" not in report.errors:
                by_problem[problem].append(source.file)
    for problem, files in by_problem.items():
        yield f"{files[0] if len(files) == 1 else count_text(len(files), 'file')}: {problem}"
