"""A timeline of any length: in memory while it is short, on disk beyond."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO

from statemachines.conform.interchange.judgements import StepRow
from statemachines.conform.join.report_names import named_key, timeline_step
from statemachines.conform.settle.instance_order import InstanceIdentity
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.reports import TimelineStep

IN_MEMORY = 100_000
_AT_ONCE = 10_000
"""Rows of one instance that are kept together: those of many lines are made when asked for."""

_Run = tuple[InstanceIdentity, list[StepRow]]


class StoredTimeline:
    """Rows in the order in which they were added; may be iterated again and again, and gets its
    names then: most of it is asked for once, or never.
    """

    def __init__(self, context: JudgingContext, in_memory: int = IN_MEMORY) -> None:
        self._context, self._memory_limit = context, in_memory
        self._in_memory: list[_Run] = []
        self._in_memory_count = self._count = 0
        self._disk: IO[bytes] | None = None

    def add(self, who: InstanceIdentity, rows: Sequence[StepRow]) -> None:
        """Put rows of an instance at the end."""
        for start in range(0, len(rows), _AT_ONCE):
            some = list(rows[start : start + _AT_ONCE])
            self._in_memory.append((who, some))
            self._count += len(some)
            self._in_memory_count += len(some)
            if self._in_memory_count >= self._memory_limit:
                self._write()

    def _write(self) -> None:
        self._disk = self._disk or tempfile.TemporaryFile(prefix="statemachines-")
        self._disk.seek(0, 2)
        pickle.dump(self._in_memory, self._disk, 5)
        self._in_memory, self._in_memory_count = [], 0

    def __del__(self) -> None:
        if self._disk is not None:
            self._disk.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[TimelineStep]:
        for who, rows in chain(self._on_disk(), self._in_memory):
            key = named_key(self._context, who[0], who[2])
            for row in rows:
                yield timeline_step(self._context, who[0], key, row)

    def _on_disk(self) -> Iterator[_Run]:
        offset = 0
        while self._disk is not None:
            self._disk.seek(offset)
            try:
                runs = pickle.load(self._disk)
            except EOFError:
                break
            offset = self._disk.tell()
            yield from runs
