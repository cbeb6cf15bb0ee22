"""The engine for Spark, on the driver: two stages and what is settled between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import reduce
from typing import TYPE_CHECKING, Any

from attrs import define, frozen

from statemachines.conform.checking import JudgingRequest
from statemachines.conform.engines.parts.judged_results import JudgedResults
from statemachines.conform.engines.parts.result_rows import JUDGED
from statemachines.conform.engines.spark.cluster.job_failures import JobFailed, failures_in_words
from statemachines.conform.engines.spark.cluster.shipping import ship
from statemachines.conform.engines.spark.cluster.spark_jobs import persist_on_disk, run_job
from statemachines.conform.engines.spark.observation_rows import make_row_function
from statemachines.conform.engines.spark.observed_files import ObservedFiles, settle_profiles
from statemachines.conform.engines.spark.stages.file_chunks import LogFile
from statemachines.conform.engines.spark.stages.instance_weights import (
    spread_instances,
)
from statemachines.conform.engines.spark.stages.joining_stage import (
    COLUMNS_OF,
    JoinSettings,
    TroubleRows,
    make_joining_function,
)
from statemachines.conform.engines.spark.stages.judging_stage import (
    ResultRow,
    absolute_lines,
    judge_observed,
    make_judging_function,
)
from statemachines.conform.engines.spark.stages.placing_stage import (
    SettledContext,
    make_placing_function,
)
from statemachines.conform.engines.spark.stages.stage_rows import (
    OBSERVATION_COLUMNS,
    OBSERVATIONS,
    PLACED_COLUMNS,
    PROFILE,
    RESULT_COLUMNS,
    TIMELINE_COLUMNS,
    pack,
    unpack_lines,
)
from statemachines.conform.engines.spark.user_frames import make_naming_function, rows_frame
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.model.evidence.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[int, int], None]
"""Called with the bytes read and the bytes in all."""

_BYTES_FOR_THE_DRIVER = 8 << 20
"""What so small logs tell is judged on the driver: a second job, and another Python function on a
worker, cost more.
"""

_NOT_GIVEN = "cannot be read: it is gone, or a block of it is corrupt"
"""What is known of a file of which no worker got anything."""


@frozen
class PlannedJob:
    """A job of the first stage that is not started yet."""

    frame: DataFrame
    """Rows as `rows.READ` says."""
    size: int = 0
    """Bytes that it reads, as far as they are known."""
    partitions: int = 2
    """Of the frame; what matters is whether there are several."""
    only_file: int | None = None
    """The number of the file that it reads, where it reads one: if it fails, the others count."""


@define
class SparkEngine:
    """Judges what the jobs of a first stage read.

    Limits: the driver holds what an instance's judgement and a piece's profile hold, and no lines.
    """

    spark: SparkSession
    plan: CheckPlan
    progress: Progress | None = None
    timeline: bool = True
    partitions: int | None = None
    """Of the second stage; None: as many as there is work for."""

    def check(self, files: Sequence[tuple[str, LogFile]], jobs: Sequence[PlannedJob]) -> Report:
        """Read as planned, judge what was read, and give back what was found.

        Args:
            files: Name in reports and place of each file; `LogFile.number` counts them from 0.
            jobs: Each reads some of the files.

        Raises:
            JobFailed: A task failed several times; the message says why.
        """
        ship(self.spark)
        are_known = all(job.size > 0 for job in jobs)
        here = are_known and sum(job.size for job in jobs) <= _BYTES_FOR_THE_DRIVER
        here = here and self.partitions is None
        with failures_in_words(), ExitStack() as stack:
            return self._judge(stack, self._read(stack, files, jobs, here=here))

    def trouble_frame(
        self,
        files: Sequence[tuple[str, LogFile]],
        jobs: Sequence[PlannedJob],
        request: JudgingRequest,
        rows: TroubleRows,
    ) -> DataFrame:
        """Read as planned, and return the findings or the episodes as a frame that judges when it
        is used: what was read stays on the workers' disks, and a worker joins what was judged.

        Args:
            files: As for `check`.
            jobs: As for `check`.
            request: What is judged by.
            rows: Which table.
        """
        read = self._read_for_later(files, jobs)
        if not read.frames:
            return rows_frame(self.spark, COLUMNS_OF[rows], ())
        known, profiles = settle_profiles(self.plan, read)
        facts, errors = read.file_facts(), (*read.errors(), *request.errors)
        settings = pack(JoinSettings(known, profiles, facts, errors, request))
        partitions = self.partitions or read.partitions(known.context)
        join = make_joining_function(settings, rows, is_judged=partitions > 1)
        if partitions == 1:
            judged = _observed_rows(read).coalesce(1)
            judged = judged.sortWithinPartitions("file", "piece", "number")
        else:
            judged = _plan_judging(
                read, known, timeline=False, partitions=partitions, all_of_it=False
            )
            judged = _in_one_partition(judged)
        return judged.mapInArrow(join, COLUMNS_OF[rows])

    def timeline_frame(
        self, files: Sequence[tuple[str, LogFile]], jobs: Sequence[PlannedJob]
    ) -> DataFrame:
        """Read as planned, and return the steps as a frame that judges when it is used; what was
        read stays on the workers' disks.

        Args:
            files: As for `check`.
            jobs: As for `check`.
        """
        read = self._read_for_later(files, jobs)
        known, _ = settle_profiles(self.plan, read)
        partitions = self.partitions or read.partitions(known.context)
        judged = _plan_judging(read, known, timeline=True, partitions=partitions)
        return judged.where(f"kind = {JUDGED}").mapInArrow(
            make_naming_function(pack(known)), TIMELINE_COLUMNS
        )

    def observations_frame(
        self, files: Sequence[tuple[str, LogFile]], jobs: Sequence[PlannedJob]
    ) -> DataFrame:
        """Read as planned, and return what the lines tell as a frame; what was read stays on the
        workers' disks.

        Args:
            files: As for `check`.
            jobs: As for `check`.
        """
        read = self._read_for_later(files, jobs)
        if not read.frames:
            return rows_frame(self.spark, OBSERVATION_COLUMNS, ())
        known, _ = settle_profiles(self.plan, read)
        return _observed_rows(read).mapInArrow(make_row_function(pack(known)), OBSERVATION_COLUMNS)

    def _read_for_later(
        self, files: Sequence[tuple[str, LogFile]], jobs: Sequence[PlannedJob]
    ) -> ObservedFiles:
        """Run the first stage for a frame, whose rows stay with the workers.

        Raises:
            KeyboardInterrupt: Before all was read: a frame cannot say what it lacks.
        """
        ship(self.spark)
        with failures_in_words():
            read = self._read(ExitStack(), files, jobs)
        if read.interrupted:
            raise KeyboardInterrupt
        return read

    def _read(
        self,
        stack: ExitStack,
        files: Sequence[tuple[str, LogFile]],
        jobs: Sequence[PlannedJob],
        *,
        here: bool = False,
    ) -> ObservedFiles:
        """Run the first stage job by job; Ctrl-C ends it with the jobs that are done."""
        read, done, total = ObservedFiles(files), 0, sum(job.size for job in jobs)
        read.lines = [] if here else None
        for job in jobs:
            try:
                frame, shown = self._read_job(
                    stack, job, self._byte_progress(done, job.size, total), here=here
                )
            except KeyboardInterrupt:
                read.interrupted = True
                break
            except JobFailed as problem:
                if job.only_file is None:
                    raise
                read.problems[job.only_file] = f"cannot be read: {problem}"
                continue
            for kind, file, piece, number, body in shown:
                if kind == PROFILE:
                    read.add((file, piece, body))
                elif read.lines is not None:
                    read.lines.append((file, piece, number, body))
            done += job.size
            read.frames += [] if here else [frame]
        for file in () if read.interrupted else read.silent_files():
            read.problems.setdefault(file, _NOT_GIVEN)
        return read

    def _read_job(
        self,
        stack: ExitStack,
        job: PlannedJob,
        progress: Callable[[float], None] | None,
        *,
        here: bool,
    ) -> tuple[DataFrame, list[Any]]:
        """Run one job of the first stage: its rows come here, or stay with the workers but for
        those of the profiles.
        """
        frame = job.frame if here else _persist_in(stack, job.frame)
        wanted = frame if here else frame.where(f"kind = {PROFILE}")
        if job.partitions > 1:
            # all pieces at once; rows of several partitions would be fetched one partition after
            # the other
            wanted = wanted.repartition(1)
        with failures_in_words():
            rows = run_job(self.spark, lambda: list(wanted.toLocalIterator()), progress)
        if progress is not None:
            progress(1.0)
        return frame, rows

    def _byte_progress(self, done: int, size: int, total: int) -> Callable[[float], None] | None:
        """Turn the share of a job into bytes, which never go back."""
        tell, most = self.progress, [0.0]
        if tell is None:
            return None

        def tell_share(share: float) -> None:
            most[0] = max(most[0], share)
            tell(done + int(most[0] * size), total)

        return tell_share

    def _judge(self, stack: ExitStack, read: ObservedFiles) -> Report:
        """Settle what the profiles say together, run the second stage, and make the report."""
        known, profiles = settle_profiles(self.plan, read)
        results = JudgedResults(known.context, profiles, unpack_lines)
        interrupted = read.interrupted
        try:
            for kind, partition, body in self._judged_rows(stack, read, known):
                results.add(kind, partition, body)
        except KeyboardInterrupt:
            interrupted = True
        return results.report(read.file_facts(), errors=read.errors(), interrupted=interrupted)

    def _judged_rows(
        self, stack: ExitStack, read: ObservedFiles, known: SettledContext
    ) -> Iterator[ResultRow]:
        """Run the second stage, all partitions at once, and fetch its rows one partition after the
        other.
        """
        if read.lines is not None:
            lines = absolute_lines(
                known, ((file, piece, body) for file, piece, _, body in sorted(read.lines))
            )
            return judge_observed(known.context, lines, timeline=self.timeline)
        if not read.frames:
            return iter(())
        partitions = self.partitions or read.partitions(known.context)
        frame = _plan_judging(read, known, timeline=self.timeline, partitions=partitions)
        if partitions > 1:
            frame = _persist_in(stack, frame)
            run_job(self.spark, frame.count)
        rows = run_job(self.spark, lambda: frame.toLocalIterator(prefetchPartitions=partitions > 1))
        return ((row[0], row[1], row[2]) for row in rows)


def _persist_in(stack: ExitStack, frame: DataFrame) -> DataFrame:
    """Keep a frame's rows until a stack is left."""
    frame = persist_on_disk(frame)
    stack.callback(frame.unpersist)
    return frame


def _observed_rows(read: ObservedFiles) -> DataFrame:
    """Return the rows of observations of the first stage."""
    observed = [
        frame.where(f"kind = {OBSERVATIONS}").select("file", "piece", "number", "body")
        for frame in read.frames
    ]
    return reduce(lambda left, right: left.union(right), observed)


def _plan_judging(
    read: ObservedFiles,
    known: SettledContext,
    *,
    timeline: bool,
    partitions: int,
    all_of_it: bool = True,
) -> DataFrame:
    """Plan the second stage: rows as `RESULT_COLUMNS` says.

    Args:
        read: What the first stage found out.
        known: What is settled by it.
        timeline: Whether the steps are wanted.
        partitions: How many.
        all_of_it: Whether instances that are well are wanted too.
    """
    body, observed, order = pack(known), _observed_rows(read), ("file", "piece", "number")
    if partitions == 1:  # a second function would start a second Python
        judge = make_judging_function(body, timeline=timeline, placed=False)
        return observed.coalesce(1).sortWithinPartitions(*order).mapInArrow(judge, RESULT_COLUMNS)
    places = spread_instances(read.instance_weights(known.context) or {}, partitions)
    place = make_placing_function(body, partitions, places, folds=not timeline)
    placed = observed.mapInArrow(place, PLACED_COLUMNS)
    judge = make_judging_function(body, timeline=timeline, all_of_it=all_of_it)
    together = _brought_together(placed, partitions)
    return together.sortWithinPartitions(*order).mapInArrow(judge, RESULT_COLUMNS)


def _in_one_partition(judged: DataFrame) -> DataFrame:
    """Bring all rows of the second stage to one worker; rows of a partition keep their order."""
    from pyspark.sql import functions as F

    numbered = judged.withColumn("number", F.monotonically_increasing_id())
    return numbered.repartition(1).sortWithinPartitions("number").drop("number")


def _brought_together(placed: DataFrame, partitions: int) -> DataFrame:
    """Bring rows to the partitions that they name."""
    if hasattr(placed, "repartitionById"):  # Spark 4.1; an older one may join two of them
        return placed.repartitionById(partitions, "partition")
    return placed.repartition(partitions, "partition")
