"""How much was checked, and the most urgent fact."""

from __future__ import annotations

from collections import Counter, defaultdict

from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.orderly_ends import open_episodes
from statemachines.report.sections.plain_texts import count_text, cut_middle, printable_text

LONGEST_TITLE = 50


def checked_amount(report: Report) -> str:
    """Say how much was looked at, and of which release."""
    checked = report.checked
    processes = len({name for source in report.sources for name in source.process})
    said = [count_text(processes, "process", "processes")] if processes else []
    said += [count_text(checked.files, "file")] if checked.files != processes else []
    said += [count_text(checked.lines, "line"), count_text(checked.steps, "step")]
    return printable_text(", ".join([*said, *_release_texts(report)]))


def _release_texts(report: Report) -> list[str]:
    told: dict[str, list[str]] = defaultdict(list)
    for row in report.releases:
        if row.releases and row.releases not in told[row.how]:
            told[row.how].append(row.releases)
    return [
        f"{' and '.join(releases) if len(releases) <= 3 else f'{len(releases)} releases'} ({how})"
        for how, releases in told.items()
    ]


def _nothing_judged(report: Report) -> str:
    return (
        "nothing was judged: no step and no state is told"
        if report.machines
        else "nothing of the catalogue was seen"
    )


def most_urgent_fact(report: Report) -> str:
    """Say what to look at first: what is forbidden, then what is wrong now; nothing where all is
    well.
    """
    violated = sum(f.count for f in report.findings if f.verdict is Verdict.VIOLATED)
    said = [f"{violated:,} forbidden"] if violated else []
    wrong = open_episodes(report)
    for kind, number in Counter(episode.kind for episode in wrong).items():
        alone = next(e.title for e in wrong if e.kind == kind)
        said.append(
            cut_middle(printable_text(alone), LONGEST_TITLE)
            if number == 1
            else f"{number:,} {kind} now"
        )
    if not said and report.verdict is Verdict.INCONCLUSIVE:
        unclear = sum(f.count for f in report.findings if f.verdict is Verdict.INCONCLUSIVE)
        said = (
            [f"{unclear:,} cannot be told"]
            if unclear
            else [_nothing_judged(report)]
            if not report.checked.steps
            else []
        )
        said += [f"{len(report.errors):,} could not be read"] if report.errors else []
    return ", ".join(said)
