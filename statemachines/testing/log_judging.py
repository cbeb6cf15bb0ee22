"""Logs of tests, judged."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from statemachines.conform import check
from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.testing.session_coverage import JUDGED_MACHINES

_LOG_FORMATTER = logging.Formatter("[%(asctime)s] %(levelname)s %(message)s (%(name)s)")
"""A layout that the reader of logs knows."""
MOST_SHOWN = 10


class NothingToJudge(ValueError):
    """The specs read nothing of what was logged, or no spec was named."""


def judge_by_specs(
    specs: Sequence[str],
    records: Sequence[logging.LogRecord] = (),
    *,
    files: Sequence[str | Path] = (),
    release: str | None = None,
    level: str = "DEBUG",
    fail_on: Sequence[str] = ("violated",),
    silent: bool = False,
) -> tuple[Report, str]:
    """Judge files, or records of Python's logging, by specs.

    Args:
        specs: names of the catalogue or paths.
        records: what was logged, in its order; not looked at where files are given.
        files: logs.
        release: the release that wrote them; None: found out.
        level: from which level on everything was heard.
        fail_on: verdicts that are wrong: `violated`, `inconclusive`.
        silent: whether it is right that nothing was logged of the machines.

    Returns:
        The report, and what is wrong, for a person; empty where nothing is.

    Raises:
        NothingToJudge: nothing of the specs' machines was logged, and `silent` does not say that
            this is right; or a file cannot be read.
    """
    if not specs:
        raise NothingToJudge('no spec is named; write `@pytest.mark.statemachines("shop/Order")`')
    report = _check_logs(specs, records, files, release, level)
    if report.errors:
        raise NothingToJudge("; ".join(report.errors))
    if report.checked.observations == 0 and not silent:
        raise NothingToJudge(
            f"nothing of {', '.join(specs)} was logged: {report.checked.lines} lines, none that a"
            " spec reads"
        )
    JUDGED_MACHINES.extend(report.machines)
    wrong = report.verdict.name.lower() in fail_on
    return report, "\n".join(_problem_lines(report, specs)) if wrong else ""


def _check_logs(
    specs: Sequence[str],
    records: Sequence[logging.LogRecord],
    files: Sequence[str | Path],
    release: str | None,
    level: str,
) -> Report:
    if files:
        return check(files, specs=specs, release=release, engine="local", timeline=False)
    with tempfile.TemporaryDirectory(prefix="statemachines-") as folder:
        path = Path(folder) / "test.log"
        path.write_text(
            "".join(f"{_LOG_FORMATTER.format(record)}\n" for record in records), "utf-8"
        )
        return check(
            [path],
            specs=specs,
            release=release,
            engine="local",
            levels=[(None, level)],
            timeline=False,
        )


def _problem_lines(report: Report, specs: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong, the lines that show it first."""
    yield f"{report.verdict.name} by {', '.join(specs)}"
    broken = [finding for finding in report.findings if finding.verdict is not Verdict.HOLDS]
    for finding in broken[:MOST_SHOWN]:
        yield from _finding_lines(finding)
    if len(broken) > MOST_SHOWN:
        yield f"  and {len(broken) - MOST_SHOWN} more"


def _finding_lines(finding: Finding) -> Iterator[str]:
    instance = " ".join(f"{name}={value}" for name, value in finding.instance)
    yield f"  {finding.kind}: {finding.machine} {instance}: {finding.message}"
    if finding.text is not None and finding.place is not None:
        yield f"    line {finding.place.line}: {finding.text}"
    if finding.legal:
        source = f", from {' or '.join(finding.was.state)}" if finding.was else ""
        yield f"    legal was: {', '.join(finding.legal)}{source}"
