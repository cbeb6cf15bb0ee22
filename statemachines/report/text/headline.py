"""The first line: the verdict, how much was checked, and the most urgent fact."""

from __future__ import annotations

from collections import Counter, defaultdict

from statemachines.model.reports import Report
from statemachines.model.verdicts import Verdict
from statemachines.report.over import open_now
from statemachines.report.text.columns import GAP, Look, count, harmless, middle, unpainted

LONGEST_TITLE = 50
STYLES = {Verdict.HOLDS: "good", Verdict.INCONCLUSIVE: "doubt", Verdict.VIOLATED: "bad"}


def headline(report: Report, look: Look) -> str:
    """Return the first line of a report."""
    interrupted = "interrupted; so far: " if report.interrupted else ""
    verdict = look.paint(report.verdict.name, STYLES[report.verdict])
    line = f"{verdict}{GAP}{interrupted}{how_much(report)}"
    urgent = most_urgent(report)
    return f"{line}{GAP}{look.paint(urgent, 'bad')}" if urgent else line


def plain_headline(report: Report) -> str:
    """Return the first line without colours, for logs and standard error."""
    return headline(report, Look(paint=unpainted))


def how_much(report: Report) -> str:
    """Say how much was looked at, and of which release."""
    checked = report.checked
    processes = len({name for source in report.sources for name in source.process})
    said = [count(processes, "process", "processes")] if processes else []
    said += [count(checked.files, "file")] if checked.files != processes else []
    said += [count(checked.lines, "line"), count(checked.steps, "step")]
    return harmless(", ".join([*said, *_releases(report)]))


def _releases(report: Report) -> list[str]:
    told: dict[str, list[str]] = defaultdict(list)
    for row in report.releases:
        if row.releases and row.releases not in told[row.how]:
            told[row.how].append(row.releases)
    return [f"{' and '.join(releases) if len(releases) <= 3 else f'{len(releases)} releases'} ({how})" for how, releases in told.items()]


def _nothing(report: Report) -> str:
    return "nothing was judged: no step and no state is told" if report.machines else "nothing of the catalogue was seen"


def most_urgent(report: Report) -> str:
    """Say what to look at first: what is forbidden, then what is wrong now; nothing where all is well."""
    violated = sum(f.count for f in report.findings if f.verdict is Verdict.VIOLATED)
    said = [f"{violated:,} forbidden"] if violated else []
    wrong = open_now(report)
    for kind, number in Counter(episode.kind for episode in wrong).items():
        alone = next(e.title for e in wrong if e.kind == kind)
        said.append(middle(harmless(alone), LONGEST_TITLE) if number == 1 else f"{number:,} {kind} now")
    if not said and report.verdict is Verdict.INCONCLUSIVE:
        unclear = sum(f.count for f in report.findings if f.verdict is Verdict.INCONCLUSIVE)
        said = [f"{unclear:,} cannot be told"] if unclear else [_nothing(report)] if not report.checked.steps else []
        said += [f"{len(report.errors):,} could not be read"] if report.errors else []
    return ", ".join(said)
