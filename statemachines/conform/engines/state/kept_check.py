"""A check that uses a state folder: what no line that is new is about is neither read nor judged
again, and the report is that of a check of everything.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from attrs import frozen

from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.engines.inputs import Input
from statemachines.conform.engines.local import (
    FileReads,
    check_files,
    columns_from,
    in_report_order,
    judge_instances,
)
from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.state.kept_files import FileContent, KeptFileReader
from statemachines.conform.engines.state.kept_instances import KeptInstances
from statemachines.conform.engines.state.kept_passes import KeptPasses
from statemachines.conform.engines.state.packed_values import DamagedValue
from statemachines.conform.engines.state.reading_keys import judging_key
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.variants import VariantTable
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Layouts, Scanner
from statemachines.model.evidence.reports import Report

_JUDGED_WITH = "judged with"
"""What the note is called that says what kept judgements depend on; other ones are made anew."""
Progress = Callable[[int, int], None]


def check_kept_files(
    plan: CheckPlan,
    inputs: Sequence[Input],
    layouts: Layouts,
    state: StateFolder,
    *,
    progress: Progress | None = None,
    timeline: bool = True,
) -> Report:
    """Judge log files, as `check_files` does, with what earlier checks have kept. What is wrong
    with the folder is said, and costs no more than a check of everything.

    Complexity: one pass over the bytes that are new; the lines of instances that they are about,
    where judging cannot go on from what it came to; memory grows with the instances.
    """
    check = _KeptCheck(plan, inputs, layouts, state, progress, timeline)
    try:
        try:
            return check.report()
        except (DamagedValue, sqlite3.DatabaseError) as problem:
            if isinstance(problem, sqlite3.OperationalError):
                raise
            state.start_over(problem)
            return check.report()
    except sqlite3.Error as problem:
        state.give_up(problem)
    return check_files(plan, inputs, layouts, progress=progress, timeline=timeline)


@frozen
class _KeptCheck:
    """The arguments of `check_kept_files`."""

    plan: CheckPlan
    inputs: Sequence[Input]
    layouts: Layouts
    state: StateFolder
    progress: Progress | None
    timeline: bool

    def report(self) -> Report:
        if self.state.note(_JUDGED_WITH) != (key := judging_key(self.plan)):
            self.state.judgements.forget_all()
            self.state.write_note(_JUDGED_WITH, key)
        with ColumnStore() as store:
            catalogue, least = CatalogueReader(self.plan), columns_from(self.inputs)
            scanner = Scanner(catalogue.scan_literals)
            files = FileReader(self.plan, catalogue, scanner, self.layouts, store, least)
            reader = KeptFileReader(files, store, self.state)
            reads = FileReads(reader, in_report_order(self.inputs), self.progress)
            reads.read_all()
            complete = not (reads.interrupted or reads.errors)
            report = self._judged(store, reads, reader, complete=complete)
            self.state.finish(complete=complete)
            return report

    def _judged(
        self, store: ColumnStore, reads: FileReads, reader: KeptFileReader, *, complete: bool
    ) -> Report:
        files = {
            number: reader.contents.get(number, FileContent(-1 - number, 0, ContentReading()))
            for number in range(len(reads.files))
        }
        context, tables = reads.context(self.plan), JudgingTables(self.plan)
        parts = self.plan.system_part_owners
        grouped = VariantTable()
        instances = KeptInstances(
            self.state,
            store,
            context,
            files,
            lambda owner: self.timeline or owner in parts,
            RepeatedInstances(context, tables, grouped).may_be_in_group,
        )
        passes = KeptPasses(instances, tables, grouped, complete and instances.are_apart)
        report = judge_instances(
            context,
            instances,
            reads.files,
            tables=tables,
            new_pass=passes.judge,
            grouped=grouped,
            add_more=passes.add_standing,
            timeline=self.timeline,
            errors=tuple(reads.errors),
            interrupted=reads.interrupted,
        )
        passes.conclude()
        return report
