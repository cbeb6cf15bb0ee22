"""Checking logs: the door through which the command line and programs reach the engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Unpack

from statemachines.api.queries.notebook_pictures import report_views
from statemachines.conform.check_options import OPTION_NAMES, CheckKeywords, CheckOptions
from statemachines.conform.engines.state.state_problems import StateUnusable, StateWarning
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.evidence.reports import Report
from statemachines.model.notebook_views import register_notebook_view
from statemachines.model.opened_files import read_text
from statemachines.report.baseline import read_baseline, report_without_known

__all__ = ["CannotCheck", "CheckOptions", "StateWarning", "check"]

register_notebook_view(Report, report_views)


class CannotCheck(ValueError):
    """The engine that was asked for cannot work here; the message says what to do."""


@refuses_unknown_options(*OPTION_NAMES)
def check(
    paths: Sequence[str | PathLike[str]] | str | PathLike[str],
    *,
    options: CheckOptions | None = None,
    progress: Callable[[int, int], None] | None = None,
    baseline: str | PathLike[str] | None = None,
    **changed: Unpack[CheckKeywords],
) -> Report:
    """Judge logs by specs.

    Args:
        paths: files, folders, or `-` for standard input; one, or several.
        options: how to judge; None: as `CheckOptions()`.
        progress: called with bytes read and bytes in all, as they lie on disk, now and then; of
            standard input with what came, and 0 while it goes on.
        baseline: a file of known findings, as `report_in_form(report, "baseline")` of
            `statemachines.report.formats` writes them: they are left out and counted in `known`.
        changed: options by their names in `CheckOptions`, such as `zone="UTC"`; they win over
            `options`.

    Returns:
        What was found; `errors` names what could not be read.

    Raises:
        SpecError: no spec is left to judge by.
        ValueError: no path, or an option that names nothing: a release, a time zone, a layout.
        TypeError: an option that there is not; the message names the one that was meant.
        CannotCheck: the engine cannot work here: no Java, no such cluster, a path that its workers
            do not see; a state folder that another check uses.
        BaselineError: the baseline is none.
        OSError: the baseline cannot be read.
    """
    from statemachines.conform import check as judge

    if isinstance(paths, (list, tuple)) and not paths:
        raise ValueError("no path is named: give a file, a folder, or `-` for standard input")
    if options is not None and not isinstance(options, CheckOptions):
        raise TypeError(
            f"options={options!r} is no CheckOptions; single options are given by their names, such"
            ' as `zone="UTC"`'
        )
    known_findings = None if baseline is None else read_baseline(read_text(baseline))
    try:
        report = judge(paths, options=options, progress=progress, **changed)
    except RuntimeError as problem:
        from statemachines.conform import spark

        known = (spark.JobFailed, spark.NoJava, spark.SessionFailed, spark.SparkMissing)
        if isinstance(problem, (*known, spark.Unreachable)):
            raise CannotCheck(str(problem)) from problem
        if isinstance(problem, StateUnusable):
            raise CannotCheck(str(problem)) from problem
        raise
    return report if known_findings is None else report_without_known(report, known_findings).report
