"""What was found as frames for users, to query or to write as Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from statemachines.conform.engines.parts.result_rows import judged_instances
from statemachines.conform.engines.spark.stages.stage_rows import (
    EPISODE_COLUMNS,
    FINDING_COLUMNS,
    TIMELINE_COLUMNS,
    arrow_schema,
    column_rows,
    make_arrow_function,
    unpack_cached,
    unpack_lines,
)
from statemachines.conform.join.report_sources import named_key, timeline_steps
from statemachines.model.evidence.reports import Episode, Finding, InstanceKey, Report, TimelineStep

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def make_naming_function(known: bytes) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that turns rows of the second stage into rows of steps for users.

    Args:
        known: A packed `SettledContext`.
    """

    def name(batches: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
        context = unpack_cached(known).context
        for batch in batches:
            for (body,) in column_rows(batch, "body"):
                for who, steps, _ in judged_instances(unpack_lines(body)):
                    instance = named_key(context, who[0], who[2])
                    for step in timeline_steps(context, who[0], instance, steps):
                        yield timeline_row(step)

    return make_arrow_function(TIMELINE_COLUMNS, name)


def timeline_row(step: TimelineStep) -> tuple[Any, ...]:
    """Return a step in the columns of `rows.TIMELINE`."""
    at, place = step.at, step.place
    when = (at.ms, at.zone) if at else (None, None)
    where = (place.line, place.file) if place else (None, None)
    return (
        step.machine,
        _key_texts(step.instance),
        step.process,
        step.life,
        *when,
        step.source,
        step.target,
        step.how,
        *where,
    )


def finding_row(finding: Finding) -> tuple[Any, ...]:
    """Return a finding in the columns of `rows.FINDINGS`."""
    at, place = finding.at, finding.place
    when = (at.ms, at.zone) if at else (None, None)
    where = (place.file, place.line) if place else (None, None)
    who = (
        finding.kind,
        finding.verdict.name,
        finding.machine,
        _key_texts(finding.instance),
        finding.process,
    )
    summary = (
        finding.outcome,
        list(finding.legal),
        list(finding.missing),
        finding.legal_in,
        finding.count,
        finding.message,
        finding.text,
    )
    return (*who, *when, *where, finding.source, finding.target, *summary)


def episode_row(episode: Episode) -> tuple[Any, ...]:
    """Return an episode in the columns of `EPISODE_COLUMNS`."""
    since, until, blame = episode.since, episode.until, episode.blame
    moment = since or until
    who = (episode.kind, episode.machine, _key_texts(episode.subject), episode.process)
    when = (
        since.ms if since else None,
        until.ms if until else None,
        moment.zone if moment else None,
    )
    how = (episode.open, str(episode.outcome), episode.orderly, episode.reason)
    where = (blame.place.file, blame.place.line, blame.text) if blame else (None, None, None)
    return (*who, episode.displayed_title, *when, *how, *where)


def findings_frame(spark: SparkSession, report: Report) -> DataFrame:
    """Make a frame of a report's findings.

    Args:
        spark: the session.
        report: of a check.

    Returns:
        One row a finding, in the report's order.
    """
    return rows_frame(spark, FINDING_COLUMNS, map(finding_row, report.findings))


def episodes_frame(spark: SparkSession, report: Report) -> DataFrame:
    """Make a frame of a report's episodes.

    Args:
        spark: the session.
        report: of a check.

    Returns:
        One row an episode, in the report's order.
    """
    return rows_frame(spark, EPISODE_COLUMNS, map(episode_row, report.episodes))


def rows_frame(spark: SparkSession, columns_of: str, rows: Iterable[tuple[Any, ...]]) -> DataFrame:
    """Make a frame of rows that the driver holds."""
    import pyarrow as pa

    schema = arrow_schema(columns_of)
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    table = pa.Table.from_arrays(
        [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)],
        schema=schema,
    )
    return spark.createDataFrame(table)


def _key_texts(key: InstanceKey) -> list[tuple[str, str]]:
    """Return the fields of an instance as a map's entries."""
    return [(name, str(value)) for name, value in key]
