"""`check` on Spark: over paths, or over a frame of the user's."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from statemachines.conform.check import Request
from statemachines.conform.spark.engine import SparkEngine
from statemachines.conform.spark.files import check_reachable
from statemachines.conform.spark.jobs import is_connect
from statemachines.conform.spark.listing import listing_of
from statemachines.conform.spark.pieces import PIECE_BYTES, jobs
from statemachines.conform.spark.session import is_embedded
from statemachines.model.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASKS_A_CORE = 2


def check_paths(
    spark: SparkSession,
    paths: Sequence[str | os.PathLike[str]],
    request: Request,
    *,
    progress: Callable[[int, int], None] | None = None,
    timeline: bool = True,
    piece_bytes: int = PIECE_BYTES,
    partitions: int | None = None,
) -> Report:
    """Judge files on Spark.

    Args:
        spark: A session of Spark classic or Connect.
        paths: Files, folders, URLs, `-` for standard input.
        request: Specs, options and layouts.
        progress: Called with bytes read and bytes in all.
        timeline: Whether the report has one.
        piece_bytes: The most that a task reads of a file at once; the report does not depend on it.
        partitions: Of the second stage; the report does not depend on it.

    Raises:
        Unreachable: A worker does not see a local path.
    """
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        listing = listing_of(paths, Path(spool))
        cores = parallelism(spark)
        if is_connect(spark) or not is_embedded(spark.conf.get("spark.master", "")):
            check_reachable(spark, [(file.path, file.size) for _, file in listing.files], TASKS_A_CORE * cores)
        planned = jobs([file for _, file in listing.files], piece_bytes=piece_bytes, tasks=TASKS_A_CORE * cores)
        engine = SparkEngine(spark, request.plan, request.layouts, progress, timeline, partitions)
        report = engine.check(listing.files, planned)
    return evolve(report, errors=(*listing.errors, *request.errors, *report.errors))


def parallelism(spark: SparkSession) -> int:
    """Return how many tasks a session runs at once, as Spark itself counts when nobody tells it a number of partitions."""
    from pyspark.sql import functions as F

    master = spark.conf.get("spark.master", "")
    if found := re.fullmatch(r"local(?:\[(\d+|\*)(?:,\d+)?\])?", master or ""):
        return (os.cpu_count() or 1) if found[1] == "*" else int(found[1] or 1)
    numbers = spark.range(1 << 16).select(F.spark_partition_id().alias("number"))
    highest = numbers.agg(F.max("number")).first()
    return 1 + int(highest[0]) if highest and highest[0] is not None else 1
