"""The engine for one machine: files one after the other, the same steps as on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from statemachines.conform.engines import file_reader
from statemachines.conform.engines.file_reader import FileReader, FileSummary
from statemachines.conform.engines.inputs import Input, refuse_pipe
from statemachines.conform.engines.observation_store import (
    ColumnStore,
    ObservationStore,
    StoredTimeline,
)
from statemachines.conform.engines.ordered_instances import ordered_instances
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement, RowCounts, StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import Profile, merge_reasons
from statemachines.conform.interchange.variants import VariantTable
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.report_assembly import ReportAssembly
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    settle_context,
)
from statemachines.conform.settle.processes import CheckedFile
from statemachines.logs import Layouts, Scanner, rotation_key, unread_reason
from statemachines.logs.storage.listed_files import ListedFile, is_missed
from statemachines.model.evidence.reports import Report
from statemachines.model.garbage import only_new_collected, uncollected

Progress = Callable[[int, int], None]
"""Called with the bytes read and the bytes in all."""


def check_files(
    plan: CheckPlan,
    inputs: Sequence[Input],
    layouts: Layouts,
    *,
    progress: Progress | None = None,
    timeline: bool = True,
    jobs: int = 1,
) -> Report:
    """Judge log files, whose order does not matter. After Ctrl-C what was read until then is
    judged.

    Args:
        plan: specs and options.
        inputs: the files.
        layouts: how lines may be laid out.
        progress: called with bytes read and bytes in all.
        timeline: whether the report has its timeline; steps of parts of systems are in it in any
            case.
        jobs: processes that read and judge; 0: as many as there are cores, where the files are
            large. The report does not depend on it.

    Complexity: one pass over the bytes that are new, a sort of the observations; memory grows with
    the instances, not with the lines.
    """
    if (processes := process_count(jobs, inputs)) > 1:
        return _check_by_processes(plan, inputs, layouts, processes, progress, timeline=timeline)
    with ColumnStore() as store:
        read = read_files(plan, inputs, layouts, store, progress)
        return judge_instances(
            read.context(plan),
            store,
            read.files,
            timeline=timeline,
            errors=tuple(read.errors),
            interrupted=read.interrupted,
        )


def read_files(
    plan: CheckPlan,
    inputs: Sequence[Input],
    layouts: Layouts,
    store: ObservationStore,
    progress: Progress | None = None,
    *,
    jobs: int = 1,
) -> FileReads:
    """Read log files into a store; what a plan says beside its lines is not looked at, so plans
    with the same lines may judge it all.

    Args:
        plan: whose lines are looked for.
        inputs: the files, in any order.
        layouts: how lines may be laid out.
        store: takes the observations.
        progress: called with bytes read and bytes in all.
        jobs: processes that read; 0: as many as there are cores, where
            the files are large.

    Returns:
        What the files show as a whole; the observations are in the store.

    Raises:
        OSError: a file went away.
    """
    ordered = in_report_order(inputs)
    files = _file_reader(plan, ordered, layouts, store)
    with _chosen_reader(files, ordered, jobs) as chosen:
        reads = FileReads(chosen, ordered, progress)
        reads.read_all()
    return reads


def _check_by_processes(
    plan: CheckPlan,
    inputs: Sequence[Input],
    layouts: Layouts,
    processes: int,
    progress: Progress | None,
    *,
    timeline: bool,
) -> Report:
    """Judge log files as `check_files` does, by several processes."""
    # Imported where they are used: processes take as long to import as a small log to judge.
    from statemachines.conform.engines.parts.judged_results import JudgedResults
    from statemachines.conform.engines.processes.parallel_check import judging_processes, unpack_row

    ordered = in_report_order(inputs)
    reader = _file_reader(plan, ordered, layouts, ColumnStore())
    with judging_processes(reader, ordered, processes) as working:
        read = FileReads(working.reading, ordered, progress)
        read.read_all()
        profiles = [file.profile for file in read.files]
        results = JudgedResults(read.context(plan), profiles, unpack_row)
        working.judge(results, timeline=timeline)
        facts, errors = [file.facts for file in read.files], tuple(read.errors)
        return results.report(facts, errors=errors, interrupted=read.interrupted)


def _file_reader(
    plan: CheckPlan, inputs: Sequence[Input], layouts: Layouts, store: ObservationStore
) -> FileReader:
    """Return what reads files into a store, as columns where it takes them."""
    reader = CatalogueReader(plan)
    least = columns_from(inputs) if isinstance(store, ColumnStore) else None
    return FileReader(plan, reader, Scanner(reader.scan_literals), layouts, store, least)


def columns_from(inputs: Iterable[Input]) -> int:
    """Return from how many bytes on files are read as columns; all are, if they are many."""
    return 0 if total_bytes(inputs) >= file_reader.COLUMNS_FROM else file_reader.COLUMNS_FROM


def in_report_order(inputs: Iterable[Input]) -> list[Input]:
    """Return files in the order in which they are numbered."""
    return sorted(inputs, key=lambda entry: (entry.name, str(entry.path)))


@contextmanager
def _chosen_reader(
    reader: FileReader, inputs: Sequence[Input], jobs: int
) -> Iterator[AnyFileReader]:
    """Return who reads files into the store of a reader."""
    if (processes := process_count(jobs, inputs)) > 1:
        # Imported where they are used: processes take as long to import as a small log to judge.
        from statemachines.conform.engines.processes.parallel_check import reading_processes

        with reading_processes(reader, inputs, processes) as parallel:
            yield parallel
    else:
        yield reader


class AnyFileReader(Protocol):
    """Reads files into a store."""

    def read(
        self, number: int, path: Path | ListedFile, progress: Callable[[int], None]
    ) -> FileSummary:
        """Read one file, as `FileReader.read` does."""


class FileReads:
    """Reads all files, and keeps going where one cannot be read."""

    def __init__(
        self,
        reader: AnyFileReader,
        inputs: Sequence[Input],
        progress: Progress | None,
    ) -> None:
        self._reader, self._inputs, self._progress = reader, inputs, progress
        self._sizes = [_file_bytes(entry.path) for entry in inputs]
        self._total = sum(self._sizes)
        self._bytes = self._size = self._in_file = 0
        """Of the files that are read, of the next one, and what is read of that, as on disk."""
        self.files: list[FileSummary] = []
        self.errors: list[str] = []
        self.interrupted = False

    def read_all(self) -> None:
        """Read the files in their order; those behind an interrupt are left out.

        Raises:
            OSError: a file went away.
        """
        try:
            for number, entry in enumerate(self._inputs):
                self.files.append(self._read_file(number, entry))
                if self.files[-1].interrupted:
                    raise KeyboardInterrupt
            if self._progress is not None and self._total:
                self._progress(self._total, self._total)
        except KeyboardInterrupt:
            self.interrupted = True
        self.files += [FileSummary()] * (len(self._inputs) - len(self.files))

    def context(self, plan: CheckPlan) -> JudgingContext:
        """Settle what all files say together, for a plan with the lines that they were read by.

        Args:
            plan: with the same lines.

        Returns:
            What judging looks up.
        """
        files = tuple(CheckedFile(entry.name, *rotation_key(entry.name)) for entry in self._inputs)
        with uncollected():  # else all observations are looked through
            return settle_context(plan, files, [file.profile for file in self.files])

    def _read_file(self, number: int, entry: Input) -> FileSummary:
        self._size, self._in_file = self._sizes[number], 0
        try:
            refuse_pipe(entry.path, entry.named)
            file = self._reader.read(number, entry.log, self._advance)
        except OSError as error:
            file = FileSummary(
                facts=FileFacts(problems=(f"cannot be read: {error.strerror}",)),
                error=error.strerror if is_missed(entry.listed, named=entry.named) else None,
            )
        self._bytes += self._size
        reason = file.error or (unread_reason(file.facts.problems) if entry.named else None)
        if reason:
            self.errors.append(f"{entry.name}: {reason}")
        return file

    def _advance(self, count: int) -> None:
        """Count bytes of the file that is being read; what came to it since it was listed, and what
        it has lost, is no part of the sum.
        """
        self._in_file += count
        if self._progress is not None and self._total:
            done = self._bytes + min(self._in_file, self._size)
            self._progress(min(done, self._total - 1), self._total)


class StoredInstances(Protocol):
    """Has the observations of all instances."""

    def instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return those of each, in the order in which they are judged; `lost` takes those whose
        generation no line told.
        """


class InstancePass(Protocol):
    """Judges one instance: a `JudgementPass`, or what gives the same."""

    @property
    def judgement(self) -> InstanceJudgement | None:
        """There when all rows were given; None where it is one of a group."""

    @property
    def counted_before(self) -> RowCounts | None:
        """What was counted of rows that it does not give."""

    def runs(self) -> Iterator[Sequence[StepRow]]:
        """Yield its rows as they come, some at once."""


NewPass = Callable[[InstanceIdentity, Iterable[Observation]], InstancePass]
"""Returns what judges an instance with some observations."""


def judge_instances(
    context: JudgingContext,
    store: StoredInstances,
    files: Sequence[FileSummary],
    *,
    tables: JudgingTables | None = None,
    new_pass: NewPass | None = None,
    grouped: VariantTable | None = None,
    add_more: Callable[[TimelineCounts], None] | None = None,
    timeline: bool = True,
    errors: tuple[str, ...] = (),
    interrupted: bool = False,
) -> Report:
    """Judge every instance of a store, in the order of the report.

    Args:
        context: what all files say together.
        store: has the observations.
        files: what was read of each.
        tables: what judging looks up; None: made for this.
        new_pass: who judges an instance; None: `RepeatedInstances`.
        grouped: where that puts those that went as others did.
        add_more: adds others to `grouped` at the end, and counts their rows.
        timeline: whether the report has its timeline; steps of parts of systems are in it in any
            case.
        errors: what could not be read.
        interrupted: whether reading was.
    """
    with only_new_collected():
        profiles, tables = [file.profile for file in files], tables or JudgingTables(context.plan)
        instances, parts = _instances_of(context, store, profiles), context.plan.system_part_owners
        rows, counts = StoredTimeline(context), TimelineCounts()
        judged = list[InstanceJudgement]()
        grouped = VariantTable() if grouped is None else grouped
        judge: NewPass = new_pass or RepeatedInstances(context, tables, grouped).judge
        for who, observations in ordered_instances(context, instances):
            judging = judge(who, observations)
            for run in judging.runs():
                counts.count_rows(who[0], run)
                if timeline or who[0] in parts:
                    rows.add(who, run)
            if judging.counted_before is not None:
                counts.add(who[0], judging.counted_before)
            if judging.judgement is not None:
                judged.append(judging.judgement)
        if add_more is not None:
            add_more(counts)
        assembly = ReportAssembly(context, tables, profiles, [file.facts for file in files])
        return assembly.report(
            judged,
            counts,
            rows,
            grouped=grouped,
            errors=errors,
            interrupted=interrupted,
        )


def _instances_of(
    context: JudgingContext, store: StoredInstances, profiles: Sequence[Profile]
) -> Mapping[InstanceIdentity, Iterable[Observation]]:
    """Return the observations of each instance; those whose generation no line told are counted in
    the profiles of their files.
    """
    lost = list[Observation]()
    instances = store.instances(context, lost)
    for observation in lost:
        profiles[observation.file].unjudged = merge_reasons(
            profiles[observation.file].unjudged,
            [("no generation", 1, observation.line, observation.text)],
        )
    return instances


PARALLEL_BYTES = 512 << 20
"""Logs that are smaller are read sooner by one process than others have started."""


def process_count(jobs: int, inputs: Sequence[Input]) -> int:
    """Return how many processes shall read some files.

    Args:
        jobs: what was asked for; 0: as many as there are cores, if the files are large enough.
        inputs: the files.
    """
    if jobs:
        return jobs
    return _usable_cores() if total_bytes(inputs) >= PARALLEL_BYTES else 1


def total_bytes(inputs: Iterable[Input]) -> int:
    """Return how large files are on disk; one that is gone is said to be where it is read."""
    return sum(_file_bytes(entry.path) for entry in inputs)


def _file_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
