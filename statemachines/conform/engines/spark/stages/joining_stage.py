"""The last stage of a table that a report has, on one worker: what was judged of all instances is
joined there, and the driver holds none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

from statemachines.conform.checking import JudgingRequest, finish_report
from statemachines.conform.engines.parts.judged_results import JudgedResults
from statemachines.conform.engines.spark.stages.judging_stage import (
    ResultRow,
    absolute_lines,
    judge_observed,
)
from statemachines.conform.engines.spark.stages.placing_stage import SettledContext
from statemachines.conform.engines.spark.stages.stage_rows import (
    EPISODE_COLUMNS,
    FINDING_COLUMNS,
    column_rows,
    make_arrow_function,
    unpack,
    unpack_lines,
)
from statemachines.conform.engines.spark.user_frames import episode_row, finding_row
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.report_sources import FileFacts
from statemachines.model.evidence.reports import Report

TroubleRows = Callable[[Report], Iterable[tuple[Any, ...]]]


def finding_rows(report: Report) -> Iterable[tuple[Any, ...]]:
    """Return the rows of `FINDING_COLUMNS` that a report has."""
    return map(finding_row, report.findings)


def episode_rows(report: Report) -> Iterable[tuple[Any, ...]]:
    """Return the rows of `EPISODE_COLUMNS` that a report has."""
    return map(episode_row, report.episodes)


COLUMNS_OF: dict[TroubleRows, str] = {finding_rows: FINDING_COLUMNS, episode_rows: EPISODE_COLUMNS}


@frozen
class JoinSettings:
    """What joining needs to know beside the judgements."""

    known: SettledContext
    profiles: list[Profile]
    facts: Sequence[FileFacts]
    errors: tuple[str, ...]
    request: JudgingRequest

    def report(self, judged: Iterable[ResultRow]) -> Report:
        """Return the report, as far as it has findings and episodes.

        Args:
            judged: Rows as `RESULT_COLUMNS` says, those of each partition in their order.
        """
        results = JudgedResults(self.known.context, self.profiles, unpack_lines)
        for row in judged:
            results.add(*row)
        report = results.report(self.facts, errors=self.errors, interrupted=False)
        return finish_report(report, self.request)


def make_joining_function(
    settings: bytes, rows: TroubleRows, *, is_judged: bool
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that turns all that was judged into the rows of a table.

    Args:
        settings: A packed `JoinSettings`.
        rows: Which table.
        is_judged: Whether it is given what the second stage gives; else it is that stage too, for
            what the first one gives.
    """

    def join(batches: Iterator[Any]) -> Iterable[tuple[Any, ...]]:
        joining: JoinSettings = unpack(settings)  # anew: the profiles take in what is lost
        names = ("kind", "partition", "body") if is_judged else ("file", "piece", "body")
        given = (row for batch in batches for row in column_rows(batch, *names))
        if is_judged:
            return rows(joining.report(given))
        context, lines = joining.known.context, absolute_lines(joining.known, given)
        return rows(joining.report(judge_observed(context, lines, timeline=False, all_of_it=False)))

    return make_arrow_function(COLUMNS_OF[rows], join)
