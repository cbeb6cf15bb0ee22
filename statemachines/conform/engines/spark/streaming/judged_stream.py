"""All that came of a stream, judged trigger by trigger on the driver: no Spark is needed."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from statemachines.conform.checking import JudgingRequest
from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.followed_observations import FollowedObservations
from statemachines.conform.engines.follow.live_judging import LiveJudging
from statemachines.conform.engines.follow.whole_report import whole_report
from statemachines.conform.engines.growing.content_readings import renumbered
from statemachines.conform.engines.spark.streaming.batch_log import BatchLog, BatchRecord
from statemachines.conform.engines.spark.streaming.row_changes import (
    OBSERVATIONS,
    KeyedRows,
    RowChange,
    changed_rows,
    observation_rows,
    report_rows,
)
from statemachines.conform.engines.spark.streaming.streamed_files import StreamedNews
from statemachines.model.evidence.reports import Report


@define
class JudgedStream:
    """What is known of a stream; a context manager.

    Complexity: as `check --follow`: an instance is judged from its beginning when new lines are
    about it, and rules of systems over all steps of their parts. Memory grows with the instances
    and the findings; observations go to disk beyond 100,000.
    """

    request: JudgingRequest
    _observations: FollowedObservations = field(factory=FollowedObservations)
    _logs: dict[str, FollowedLog] = field(factory=dict)
    _live: LiveJudging = field(init=False)
    _last_rows: dict[str, KeyedRows] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._live = LiveJudging(self.request.plan, self._observations)

    def __enter__(self) -> JudgedStream:
        return self

    def __exit__(self, *_: object) -> None:
        self._observations.__exit__()

    def restore(self, record: BatchRecord) -> None:
        """Take what earlier triggers learnt and said."""
        for streamed in record.news.values():
            self._take(streamed)
        for table, rows in record.last_rows.items():
            known = self._last_rows.setdefault(table, {})
            for key, row in rows.items():
                if row is None:
                    known.pop(key, None)
                else:
                    known[key] = row

    def advance(self, news: Iterable[StreamedNews]) -> list[RowChange]:
        """Take what a trigger learnt, judge it, and return what is otherwise than it was said."""
        changes: list[RowChange] = []
        for streamed in sorted(news, key=lambda streamed: streamed.file):
            changes += self._observation_changes(streamed)
            self._take(streamed)
        for table, rows in report_rows(self._judge()).items():
            changes += changed_rows(table, self._last_rows.get(table, {}), rows)
            self._last_rows[table] = rows
        return changes

    def report(self) -> Report:
        """Return the whole report: the one that a check of the same lines gives."""
        return whole_report(self.request, tuple(self._logs.values()), self._observations)

    def _judge(self) -> Report:
        """Return a report with all findings and episodes."""
        if self.request.systems:
            return self.report()
        return self._live.report(sorted(self._logs.values(), key=lambda log: log.shown_name))

    def _take(self, news: StreamedNews) -> None:
        """Take what was learnt of a file."""
        log = self._logs.get(news.file)
        if log is None:
            log = self._logs[news.file] = FollowedLog(len(self._logs), news.file, None)
        log.reading = news.reading.of_file(log.number)
        self._observations.add(renumbered(news.settled, log.number))
        self._observations.replace_tail(log.number, log.reading.tail_observations)

    def _observation_changes(self, news: StreamedNews) -> list[RowChange]:
        """Return what is otherwise in the table of observations."""
        plan, log = self.request.plan, self._logs.get(news.file)
        before = log.reading.tail_observations if log else ()
        now = (*news.settled, *news.reading.tail_observations)
        return changed_rows(
            OBSERVATIONS,
            observation_rows(plan, news.file, before),
            observation_rows(plan, news.file, now),
        )


def restored_stream(request: JudgingRequest, log: BatchLog, before: int) -> JudgedStream:
    """Return what was known before a trigger, from what the triggers before it wrote down."""
    stream = JudgedStream(request)
    for record in log.records(before):
        stream.restore(record)
    return stream
