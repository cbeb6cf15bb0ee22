"""The engine for Spark, on the driver: two stages and what is settled between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from statemachines.conform.plan import Plan
from statemachines.conform.processes import File, context_of
from statemachines.conform.profile import Profile, Shift, join, shift_between
from statemachines.conform.reading import with_lost
from statemachines.conform.sources import FileFacts
from statemachines.conform.spark.deciding import deciding
from statemachines.conform.spark.jobs import kept, run
from statemachines.conform.spark.outputs import naming
from statemachines.conform.spark.pieces import LogFile
from statemachines.conform.spark.placing import Known, placing
from statemachines.conform.spark.results import Results
from statemachines.conform.spark.rows import OBSERVATION, PLACED, PROFILE, RESULTS, STEPS, TIMELINE, packed, unpacked
from statemachines.conform.spark.shipping import ship
from statemachines.logs import rotation
from statemachines.model.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[int, int], None]
"""Called with the bytes read and the bytes in all."""

OBSERVATIONS_OF_A_PARTITION = 20_000
"""Fewer are not worth a task."""

MOST_PARTITIONS = 200


@define
class Read:
    """What the first stage found out."""

    files: Sequence[tuple[str, LogFile]]
    """Name and place of each file, in the order of their numbers."""
    frames: list[DataFrame] = field(factory=list)
    """Rows as `rows.READ` says, kept on the workers' disks."""
    pieces: dict[tuple[int, int], Profile] = field(factory=dict)
    facts: dict[int, FileFacts] = field(factory=dict)
    wrong: dict[int, str] = field(factory=dict)
    """Why a file could not be read to its end."""
    interrupted: bool = False

    def add(self, row: tuple[int, int, bytes]) -> None:
        """Take in a row of what a piece shows."""
        file, piece, body = row
        profile, facts, wrong = unpacked(body)
        self.pieces[file, piece] = profile
        if facts is not None:
            self.facts[file] = facts
        if wrong:
            self.wrong.setdefault(file, wrong)

    def partitions(self) -> int:
        """Return how many partitions of the second stage have enough to do."""
        observations = sum(profile.records for profile in self.pieces.values())
        return max(1, min(MOST_PARTITIONS, observations // OBSERVATIONS_OF_A_PARTITION))

    def chains(self) -> Iterator[tuple[int, list[Profile]]]:
        """Yield for each file what its pieces show, in their order."""
        for _, file in self.files:
            numbers = sorted(piece for number, piece in self.pieces if number == file.number)
            yield file.number, [self.pieces[file.number, piece] for piece in numbers]


@frozen
class Planned:
    """A job of the first stage that is not started yet."""

    frame: DataFrame
    """Rows as `rows.READ` says."""
    size: int = 0
    """Bytes that it reads, as far as they are known."""
    partitions: int = 2
    """Of the frame; what matters is whether there are several."""


@define
class SparkEngine:
    """Judges what the jobs of a first stage read.

    Limits: the driver holds what an instance's judgement and a piece's profile hold, and no lines.
    """

    spark: SparkSession
    plan: Plan
    progress: Progress | None = None
    timeline: bool = True
    partitions: int | None = None
    """Of the second stage; None: as many as there is work for."""

    def check(self, files: Sequence[tuple[str, LogFile]], jobs: Sequence[Planned]) -> Report:
        """Read as planned, judge what was read, and give back what was found.

        Args:
            files: Name in reports and place of each file; `LogFile.number` counts them from 0.
            jobs: Each reads some of the files.

        Raises:
            PySparkException: A task failed several times.
        """
        ship(self.spark)
        with ExitStack() as stack:
            return self._judge(stack, self._read(stack, files, jobs))

    def timeline_frame(self, files: Sequence[tuple[str, LogFile]], jobs: Sequence[Planned]) -> DataFrame:
        """Read as planned, and return the steps as a frame that judges when it is used; what was read stays on the workers' disks.

        Args:
            files: As for `check`.
            jobs: As for `check`.
        """
        ship(self.spark)
        read = self._read(ExitStack(), files, jobs)
        known, _ = settled(self.plan, read)
        judged = judged_frame(read, known, kept, timeline=True, partitions=self.partitions or read.partitions())
        return judged.where(f"kind = {STEPS}").mapInArrow(naming(packed(known)), TIMELINE)

    def _read(self, stack: ExitStack, files: Sequence[tuple[str, LogFile]], jobs: Sequence[Planned]) -> Read:
        """Run the first stage job by job; Ctrl-C ends it with the jobs that are done."""
        read, done, total = Read(files), 0, sum(job.size for job in jobs)
        for job in jobs:
            try:
                frame, shown = self._read_job(stack, job, self._telling(done, job.size, total))
            except KeyboardInterrupt:
                read.interrupted = True
                break
            for row in shown:
                read.add((row[0], row[1], row[2]))
            done += job.size
            read.frames.append(frame)
        return read

    def _read_job(self, stack: ExitStack, job: Planned, progress: Callable[[float], None] | None) -> tuple[DataFrame, list[Any]]:
        """Run one job of the first stage: its rows stay with the workers, those of the profiles come here."""
        frame = _kept_in(stack, job.frame)
        profiles = frame.where(f"kind = {PROFILE}").select("file", "piece", "body")
        if job.partitions > 1:  # all pieces at once; rows of several partitions would be fetched one partition after the other
            profiles = profiles.repartition(1)
        return frame, run(self.spark, lambda: list(profiles.toLocalIterator()), progress)

    def _telling(self, done: int, size: int, total: int) -> Callable[[float], None] | None:
        """Turn the share of a job into bytes, which never go back."""
        tell, most = self.progress, [0.0]
        if tell is None:
            return None

        def told(share: float) -> None:
            most[0] = max(most[0], share)
            tell(done + int(most[0] * size), total)

        return told

    def _judge(self, stack: ExitStack, read: Read) -> Report:
        """Settle what the profiles say together, run the second stage, and put the report together."""
        known, profiles = settled(self.plan, read)
        results = Results(known.context, profiles, keep=self.timeline)
        interrupted = read.interrupted
        try:
            for kind, body in self._decided(stack, read, known):
                results.add(kind, body)
        except KeyboardInterrupt:
            interrupted = True
        facts = [with_lost(read.facts.get(file.number, FileFacts()), read.wrong.get(file.number)) for _, file in read.files]
        errors = tuple(f"{name}: {read.wrong[file.number]}" for name, file in read.files if file.number in read.wrong)
        return results.report(facts, errors=errors, interrupted=interrupted)

    def _decided(self, stack: ExitStack, read: Read, known: Known) -> Iterator[tuple[int, bytes]]:
        """Run the second stage, all partitions at once, and fetch its rows one partition after the other."""
        if not read.frames:
            return iter(())
        partitions = self.partitions or read.partitions()
        frame = _kept_in(stack, judged_frame(read, known, partial(_kept_in, stack), timeline=self.timeline, partitions=partitions))
        if partitions > 1:
            run(self.spark, frame.count)
        rows = run(self.spark, lambda: frame.toLocalIterator(prefetchPartitions=partitions > 1))
        return ((row[0], row[1]) for row in rows)


def _kept_in(stack: ExitStack, frame: DataFrame) -> DataFrame:
    """Keep a frame's rows until a stack is left."""
    frame = kept(frame)
    stack.callback(frame.unpersist)
    return frame


def settled(plan: Plan, read: Read) -> tuple[Known, list[Profile]]:
    """Join the profiles of the pieces of each file, and settle what those of all files say together.

    Returns:
        What the workers need to know, and the profile of each file.
    """
    shifts: dict[tuple[int, int], Shift] = {}
    profiles = []
    for number, chain in read.chains():
        profile = Profile()
        for piece, part in enumerate(chain):
            shifts[number, piece] = shift_between(profile, part)
            profile = join(profile, part)
        profiles.append(profile)
    context = context_of(plan, tuple(File(name, *rotation(name)) for name, _ in read.files), profiles)
    return Known(context, shifts), profiles


def judged_frame(read: Read, known: Known, keep: Callable[[DataFrame], DataFrame], *, timeline: bool, partitions: int) -> DataFrame:
    """Plan the second stage: rows as `rows.RESULTS` says, in the order of the report.

    Args:
        read: What the first stage found out.
        known: What is settled by it.
        keep: Keeps rows on the workers' disks: a partition by ranges looks at them twice, first to find out the ranges.
        timeline: Whether the steps are wanted.
        partitions: How many.
    """
    body = packed(known)
    seen = [frame.where(f"kind = {OBSERVATION}").select("file", "piece", "number", "body") for frame in read.frames]
    together = seen[0]
    for frame in seen[1:]:
        together = together.union(frame)
    placed = together.mapInArrow(placing(body), PLACED)
    ordered = keep(placed).repartitionByRange(partitions, "rank") if partitions > 1 else placed.coalesce(1)
    return ordered.sortWithinPartitions("rank", "place").mapInArrow(deciding(body, timeline=timeline), RESULTS)
