"""Judging on Spark: the same report as on one machine, from files or from a frame of the user's."""

from __future__ import annotations

from statemachines.conform.engines.spark.cluster.java import NoJava
from statemachines.conform.engines.spark.cluster.job_failures import JobFailed
from statemachines.conform.engines.spark.cluster.sessions import (
    SessionFailed,
    SparkMissing,
    session,
)
from statemachines.conform.engines.spark.frame_reading import Columns
from statemachines.conform.engines.spark.judging_jobs import check_frame, check_paths
from statemachines.conform.engines.spark.spark_checks import (
    check,
    episodes,
    findings,
    observations,
    timeline,
)
from statemachines.conform.engines.spark.stages.worker_files import Unreachable
from statemachines.conform.engines.spark.streaming.batch_log import CheckpointOutdated
from statemachines.conform.engines.spark.streaming.stream_query import stream, streamed

__all__ = [
    "CheckpointOutdated", "Columns", "JobFailed", "NoJava", "SessionFailed", "SparkMissing",
    "Unreachable", "check", "check_frame", "check_paths", "episodes", "findings", "observations",
    "session", "stream", "streamed", "timeline",
]  # fmt: skip
