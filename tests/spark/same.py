"""Comparing reports of two engines as bytes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import check_locally, make_request
from statemachines.conform.spark import check_paths
from statemachines.model.evidence.reports import Report
from statemachines.report.json_format import to_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def text_of(report: Report) -> str:
    """Return the JSON report, without what it was made with."""
    return "".join(to_json(evolve(report, made_with={})))


def assert_same(expected: Report, found: Report, door: str = "spark") -> None:
    """See that two reports are the same bytes; say where they differ."""
    left, right = text_of(expected), text_of(found)
    if left != right:
        difference = difflib.unified_diff(
            left.splitlines(), right.splitlines(), "local", door, n=2, lineterm=""
        )
        raise AssertionError("\n".join([*difference][:80]))


def here(paths: Sequence[Any], **options: Any) -> Report:
    """Judge paths on this machine."""
    return check_locally(paths, make_request(CheckOptions(**options)))


def assert_engines_agree(
    spark: SparkSession, paths: Sequence[Any], *, options: dict[str, Any] | None = None, **how: Any
) -> Report:
    """Judge paths with both engines, and see that the reports are the same bytes."""
    expected = here(paths, **(options or {}))
    assert_same(
        expected, check_paths(spark, paths, make_request(CheckOptions(**(options or {}))), **how)
    )
    return expected


SLOW_START = "Python worker failed to connect back"
"""What Spark says where a Python came up too slowly, as on a busy machine."""


def run_to_end(start: Callable[[], Any]) -> None:
    """Run a streaming query to its end: again where a busy machine started its Python too slowly,
    for the checkpoint has all that the query needs.

    Args:
        start: Starts the query, from its checkpoint where there is one.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    for _ in range(5):
        try:
            start().awaitTermination()
        except (PySparkException, Py4JError) as problem:  # the query's, or that of its start
            if SLOW_START not in str(problem):
                raise
        else:
            return
    raise AssertionError(f"five times: {SLOW_START}")
