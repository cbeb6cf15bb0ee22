"""What was found as frames for users, to query or to write as Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from statemachines.conform.naming import key_of, step_of
from statemachines.conform.spark.rows import FINDINGS, TIMELINE, arrow_schema, kept_unpacked, mapped, unpacked, values
from statemachines.model.reports import Finding, Key, Report, Step

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def naming(known: bytes) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that turns rows of steps of the second stage into rows for users.

    Args:
        known: A packed `Known`.
    """

    def name(batches: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
        context = kept_unpacked(known).context
        for batch in batches:
            for (body,) in values(batch, "body"):
                owner, key, steps = unpacked(body)
                instance = key_of(context, owner, key)
                for step in steps:
                    yield timeline_row(step_of(context, owner, instance, step))

    return mapped(TIMELINE, name)


def timeline_row(step: Step) -> tuple[Any, ...]:
    """Return a step in the columns of `rows.TIMELINE`."""
    at, place = step.at, step.place
    when = (at.ms, at.zone) if at else (None, None)
    where = (place.line, place.file) if place else (None, None)
    return (step.machine, _texts(step.instance), step.process, step.life, *when, step.source, step.target, step.how, *where)


def finding_row(finding: Finding) -> tuple[Any, ...]:
    """Return a finding in the columns of `rows.FINDINGS`."""
    at, place = finding.at, finding.place
    when = (at.ms, at.zone) if at else (None, None)
    where = (place.file, place.line) if place else (None, None)
    who = (finding.kind, finding.verdict.name, finding.machine, _texts(finding.instance), finding.process)
    said = (finding.outcome, list(finding.legal), list(finding.missing), finding.legal_in, finding.count, finding.message, finding.text)
    return (*who, *when, *where, finding.source, finding.target, *said)


def findings_frame(spark: SparkSession, report: Report) -> DataFrame:
    """Make a frame of a report's findings."""
    import pyarrow as pa

    schema = arrow_schema(FINDINGS)
    columns = list(zip(*map(finding_row, report.findings), strict=True)) or [()] * len(schema)
    table = pa.Table.from_arrays([pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)], schema=schema)
    return spark.createDataFrame(table)


def _texts(key: Key) -> list[tuple[str, str]]:
    """Return the fields of an instance as a map's entries."""
    return [(name, str(value)) for name, value in key]
