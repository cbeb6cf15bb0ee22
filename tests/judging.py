"""Judging without files: messages become records, records a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from statemachines.conform.engines.file_reader import FileSummary
from statemachines.conform.engines.local import judge_instances
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.observe.observer import Observer
from statemachines.conform.settle.judging_context import settle_context
from statemachines.conform.settle.processes import CheckedFile
from statemachines.model.evidence.records import Record
from statemachines.model.evidence.reports import Report

Message = tuple[str, "str | None", "str | None", "str | None"]
"""Message, logger, level and process prefix."""


def records(messages: Iterable[Message], start_ms: int = 1_000_000) -> list[Record]:
    """Make one record a message, one a line and a second."""
    return [
        Record(
            line=number, offset=100 * number, text=f"{level} {text}", message=text, layout="test", at_ms=start_ms + 1000 * number,
            level=level, logger=logger, process=process,
        )
        for number, (text, logger, level, process) in enumerate(messages, 1)
    ]  # fmt: skip


def judge(
    plan: CheckPlan,
    files: Sequence[tuple[str, Sequence[Record]]],
    reader: CatalogueReader | None = None,
) -> Report:
    """Judge records as if they had been read from files."""
    reader, store, read = reader or CatalogueReader(plan), ObservationStore(), []
    for number, (_, entries) in enumerate(files):
        observer = Observer(plan, reader, number)
        store.add(observer.observe(entries))
        observer.profile.lines = len(entries)
        read.append(FileSummary(observer.profile))
    context = settle_context(
        plan, tuple(CheckedFile(name, name) for name, _ in files), [file.profile for file in read]
    )
    return judge_instances(context, store, read)
