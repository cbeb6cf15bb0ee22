"""What was not looked at or not decided: said last and never left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from statemachines.model.reports import Report
from statemachines.report.text.columns import Look, clipped, count, harmless
from statemachines.report.text.names import place_name

UNREAD = "read by no line: logger "
"""How the reason of a row begins that counts the lines of a logger which nothing reads."""
FEW = 3
"""Reasons why something that was asked for was not judged: so many are listed."""


def not_judged(report: Report, look: Look) -> Iterator[str]:
    """Say what the verdict does not cover, and what would decide it."""
    for said in (*_steps(report), *_lines(report), *_releases(report), *_problems(report)):
        yield "  " + clipped(harmless(said), look.width - 2)
    lines = [row for row in report.unjudged if row.about_lines and not row.why.startswith(UNREAD)]
    for row in lines[: look.limit]:
        yield "  " + harmless(f"{row.count:,} × {row.why}   first {place_name(row.place)}")
        if row.text:
            yield "      " + look.paint(clipped(harmless(row.text), look.width - 6), "dim")
    if len(lines) > look.limit:
        yield f"  … and {len(lines) - look.limit:,} more (--all lists them)"
    yield from ("  " + clipped(harmless(said), look.width - 2) for said in _asked_for(report, look))
    begun = {f"{source.file}: {problem}" for source in report.sources for problem in source.problems}
    for error in report.errors:
        yield "  " + look.paint(harmless(f"not read{' to its end' if error in begun else ''}: {error}"), "bad")


def unread(report: Report, look: Look) -> Iterator[str]:
    """Count the lines that nothing reads by logger, and list the first of each file."""
    for row in (row for row in report.unjudged if report.unread and row.why.startswith(UNREAD)):
        yield "  " + harmless(f"{row.count:,} × {row.why.removeprefix(UNREAD)}   first {place_name(row.place)}")
    for line in report.unread:
        yield "  " + look.paint(harmless(place_name(line.place)), "dim")
        yield "      " + clipped(harmless(line.text), look.width - 6)


def _asked_for(report: Report, look: Look) -> Iterator[str]:
    """Say what was asked for and not judged: a few reasons each, many as one line that says how much it is."""
    rows = [row for row in report.unjudged if not row.about_lines]
    if len(rows) <= FEW or look.limit > len(report.rules):
        yield from (f"{row.count:,} × {row.why}" for row in rows)
        return
    unseen = {row.machine for row in report.rules if row.rule is None and row.verdict is None}
    rules = sum(row.rule is not None and row.verdict is None and row.machine not in unseen for row in report.rules)
    said = [count(len(unseen), "machine or system", "machines and systems")] if unseen else []
    said += [count(rules, "property", "properties") + " of others"] if rules else []
    yield f"{' and '.join(said)} not judged (--all says why, `rules` of --format json has each)"


def _steps(report: Report) -> Iterator[str]:
    if report.checked.hidden_steps:
        levels = sorted({f"{logger} {level}" for source in report.sources for logger, level in source.level.items()})
        shown = f" (shown: {', '.join(levels)})" if levels else ""
        yield f"{count(report.checked.hidden_steps, 'step is', 'steps are')} hidden: no line tells of them at these levels{shown}"
    if report.checked.missing_steps:
        yield f"{count(report.checked.missing_steps, 'step is', 'steps are')} missing: lines that should be there are not"


def _lines(report: Report) -> Iterator[str]:
    if unread := report.checked.unread_lines:
        whose = f"{count(unread, 'line has', 'lines have')} a word or a logger of the catalogue"
        yield f"{whose}, and no line of it reads them (--unread lists them)"


def _releases(report: Report) -> Iterator[str]:
    doubtful: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in report.releases:
        if row.how in ("lines", "assumed"):
            doubtful[row.releases, row.how].append(row.process)
    for (releases, how), processes in doubtful.items():
        whose = processes[0] if len(processes) == 1 else count(len(processes), "process", "processes")
        yield f"release of {whose}: {releases or 'none fits'} ({how}; --release decides it)"


def _problems(report: Report) -> Iterator[str]:
    found: dict[str, list[str]] = defaultdict(list)
    for source in report.sources:
        for problem in source.problems:
            if f"{source.file}: {problem}" not in report.errors:
                found[problem].append(source.file)
    for problem, files in found.items():
        yield f"{files[0] if len(files) == 1 else count(len(files), 'file')}: {problem}"
