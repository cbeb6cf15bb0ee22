"""The engine for one machine: files one after the other, the same steps as on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from statemachines.conform.assemble import Assembly
from statemachines.conform.inputs import Input, refuse_pipe
from statemachines.conform.judged import Judged
from statemachines.conform.judging import Judging
from statemachines.conform.naming import key_of, sort_key, step_of
from statemachines.conform.observations import Observation
from statemachines.conform.plan import Plan
from statemachines.conform.processes import Context, File, context_of
from statemachines.conform.profile import merged_reasons
from statemachines.conform.reader import Reader
from statemachines.conform.reading import FileRead, FileReader
from statemachines.conform.sources import FileFacts
from statemachines.conform.store import Store
from statemachines.conform.subjects import Seen
from statemachines.conform.tables import Tables
from statemachines.conform.timeline import Timeline
from statemachines.logs import Layouts, Scanner, rotation
from statemachines.model.reports import Report

Progress = Callable[[int, int], None]
"""Called with the bytes read and the bytes in all."""


def check_files(
    plan: Plan, inputs: Sequence[Input], layouts: Layouts, *, progress: Progress | None = None, timeline: bool = True
) -> Report:
    """Judge log files, whose order does not matter. After Ctrl-C what was read until then is judged.

    Args:
        plan: specs and options.
        inputs: the files.
        layouts: how lines may be laid out.
        progress: called with bytes read and bytes in all.
        timeline: whether the report has its timeline; steps of parts of systems are in it in any case.

    Complexity: one pass over the bytes, a sort of the observations; memory grows with the instances, not with the lines.
    """
    with Store() as store:
        read = read_files(plan, inputs, layouts, store, progress)
        return judge_all(read.context(plan), store, read.files, timeline=timeline, errors=tuple(read.errors), interrupted=read.interrupted)


def read_files(plan: Plan, inputs: Sequence[Input], layouts: Layouts, store: Store, progress: Progress | None = None) -> Reads:
    """Read log files into a store; what a plan says beside its lines is not looked at, so plans with the same lines may judge it all.

    Args:
        plan: whose lines are looked for.
        inputs: the files, in any order.
        layouts: how lines may be laid out.
        store: takes the observations.
        progress: called with bytes read and bytes in all.

    Raises:
        OSError: a file went away.
    """
    reader = Reader(plan)
    ordered = sorted(inputs, key=lambda entry: (entry.name, str(entry.path)))
    reads = Reads(FileReader(plan, reader, Scanner(reader.literals), layouts, store), ordered, progress)
    reads.read()
    return reads


class Reads:
    """Reads all files, and keeps going where one cannot be read."""

    def __init__(self, reader: FileReader, inputs: Sequence[Input], progress: Progress | None) -> None:
        self._reader, self._inputs, self._progress = reader, inputs, progress
        self._bytes, self._total = 0, sum(entry.path.stat().st_size for entry in inputs)
        self.files: list[FileRead] = []
        self.errors: list[str] = []
        self.interrupted = False

    def read(self) -> None:
        try:
            for number, entry in enumerate(self._inputs):
                self.files.append(self._file(number, entry))
                if self.files[-1].interrupted:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            self.interrupted = True
        self.files += [FileRead()] * (len(self._inputs) - len(self.files))

    def context(self, plan: Plan) -> Context:
        """Settle what all files say together, for a plan with the lines that they were read by."""
        files = tuple(File(entry.name, *rotation(entry.name)) for entry in self._inputs)
        return context_of(plan, files, [file.profile for file in self.files])

    def _file(self, number: int, entry: Input) -> FileRead:
        try:
            refuse_pipe(entry.path, entry.named)
            file = self._reader.read(number, entry.path, self._advance)
        except OSError as error:
            file = FileRead(facts=FileFacts(problems=(f"cannot be read: {error.strerror}",)), error=error.strerror if entry.named else None)
        if file.error:
            self.errors.append(f"{entry.name}: {file.error}")
        return file

    def _advance(self, count: int) -> None:
        self._bytes += count
        if self._progress is not None:
            self._progress(self._bytes, max(self._total, self._bytes))


def judge_all(
    context: Context,
    store: Store,
    files: Sequence[FileRead],
    *,
    timeline: bool = True,
    errors: tuple[str, ...] = (),
    interrupted: bool = False,
) -> Report:
    """Judge every instance of a store, in the order of the report.

    Args:
        context: what all files say together.
        store: has the observations.
        files: what was read of each.
        timeline: whether the report has its timeline; steps of parts of systems are in it in any case.
        errors: what could not be read.
        interrupted: whether reading was.
    """
    profiles, tables, lost = [file.profile for file in files], Tables(context.plan), list[Observation]()
    instances = store.instances(context, lost)
    for seen in lost:
        profiles[seen.file].unjudged = merged_reasons(profiles[seen.file].unjudged, [("no generation", 1, seen.line, seen.text)])
    parts = context.plan.parts
    rows, counts, judged = Timeline(), Seen(), list[Judged]()
    for who in sorted(instances, key=lambda instance: sort_key(context, instance)):
        judging = Judging(context, tables, who[0], who[2], instances[who])
        key = key_of(context, who[0], who[2])
        for row in judging:
            counts.count(who[0], row)
            if timeline or who[0] in parts:
                rows.add(step_of(context, who[0], key, row))
        judged.append(judging.judged)
    assembly = Assembly(context, tables, profiles, [file.facts for file in files])
    return assembly.report(judged, counts, rows, errors=errors, interrupted=interrupted)
