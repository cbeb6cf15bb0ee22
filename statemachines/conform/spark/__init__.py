"""Judging on Spark: the same report as on one machine, from files or from a frame of the user's."""

from __future__ import annotations

from statemachines.conform.spark.checking import check, check_frame, check_paths, findings, timeline
from statemachines.conform.spark.files import Unreachable
from statemachines.conform.spark.frames import Columns
from statemachines.conform.spark.java import NoJava
from statemachines.conform.spark.session import SessionFailed, SparkMissing, session

__all__ = [
    "Columns", "NoJava", "SessionFailed", "SparkMissing", "Unreachable",
    "check", "check_frame", "check_paths", "findings", "session", "timeline",
]  # fmt: skip
