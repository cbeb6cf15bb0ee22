"""The whole report of logs that are followed: the one that a check of the same lines gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from statemachines.conform.checking import JudgingRequest, finish_report
from statemachines.conform.engines.file_reader import FileSummary
from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.followed_observations import (
    FollowedObservations,
    RenumberedObservations,
)
from statemachines.conform.engines.local import judge_instances
from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.join.report_assembly import with_incompleteness
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.settle.judging_context import settle_context
from statemachines.model.evidence.reports import Report


def whole_report(
    request: JudgingRequest,
    logs: Sequence[FollowedLog],
    observations: FollowedObservations,
    problems: Mapping[str, str] | None = None,
    errors: Iterable[str] = (),
) -> Report:
    """Judge all that was read of logs, the rules of systems too.

    Args:
        request: what to judge by.
        logs: all that are followed, in any order.
        observations: what was read of them.
        problems: files that cannot be read, by their names, and why.
        errors: what else could not be read.

    Complexity: judges everything anew.
    """
    named = sorted(logs, key=lambda log: log.shown_name)
    numbers = {log.number: number for number, log in enumerate(named)}
    problems = problems or {}
    summaries = [
        _summary(log, number, problems.get(log.shown_name)) for number, log in enumerate(named)
    ]
    context = settle_context(
        request.plan,
        tuple(log.as_file() for log in named),
        [summary.profile for summary in summaries],
    )
    with ColumnStore() as store:
        for same in RenumberedObservations(observations, numbers).by_teller():
            store.add(same)
        report = judge_instances(context, store, summaries, timeline=request.options.timeline)
    unread = (f"{log.shown_name}: {log.read_problem}" for log in named if log.read_problem)
    listed = {log.shown_name: log for log in named}
    missed = (
        f"{name}: {why}"
        for name, why in sorted(problems.items())
        if name not in listed or _is_missed(listed[name])
    )
    errors = (*unread, *missed, *errors, *request.errors)
    return finish_report(with_incompleteness(report, errors=errors), request)


def _summary(log: FollowedLog, number: int, problem: str | None) -> FileSummary:
    reading = log.reading.of_file(number)
    if problem is not None and not reading.size:
        return FileSummary(facts=FileFacts(problems=(f"cannot be read: {problem}",)))
    return FileSummary(reading.profile, reading.facts, reading.error)


def _is_missed(log: FollowedLog) -> bool:
    """Say whether not to read a file is an error: a person named it, or it has bytes."""
    status = log.file_status()
    return log.is_named or status is None or status.st_size > 0
