"""Judging without files: messages become records, records a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from statemachines.conform.local import judge_all
from statemachines.conform.observe import Observer
from statemachines.conform.plan import Plan
from statemachines.conform.processes import File, context_of
from statemachines.conform.reader import Reader
from statemachines.conform.reading import FileRead
from statemachines.conform.store import Store
from statemachines.model.records import Record
from statemachines.model.reports import Report

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


def judge(plan: Plan, files: Sequence[tuple[str, Sequence[Record]]], reader: Reader | None = None) -> Report:
    """Judge records as if they had been read from files."""
    reader, store, read = reader or Reader(plan), Store(), []
    for number, (_, entries) in enumerate(files):
        observer = Observer(plan, reader, number)
        store.add(observer.observe(entries))
        observer.profile.lines = len(entries)
        read.append(FileRead(observer.profile))
    context = context_of(plan, tuple(File(name, name) for name, _ in files), [file.profile for file in read])
    return judge_all(context, store, read)
