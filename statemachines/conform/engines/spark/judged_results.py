"""Gathering what the second stage found, on the driver."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from typing import IO, Any

from attrs import define, field

from statemachines.conform.engines.observation_store import StoredTimeline
from statemachines.conform.engines.spark.stages.judging_stage import Judged, judged_instances
from statemachines.conform.engines.spark.stages.stage_rows import (
    COUNTED,
    GROUPS,
    JUDGED,
    LOST,
    VARIANTS,
    unpack,
    unpack_lines,
)
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.profiles import Profile, merge_reasons
from statemachines.conform.interchange.variants import InstanceGroup, Variant
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.joined_variants import join_variants
from statemachines.conform.join.report_assembly import ReportAssembly
from statemachines.conform.join.report_sources import FileFacts, instance_sort_key
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.reports import Report
from statemachines.model.garbage import uncollected

_IN_MEMORY = 16 << 20
"""Bytes of rows that wait for the others; more are on disk."""

_Place = tuple[int, int]
"""Where a row begins, and its bytes."""


@define
class JudgedResults:
    """Gathers the rows of the second stage, and puts those of its partitions into one order."""

    context: JudgingContext
    profiles: list[Profile]
    _counts: TimelineCounts = field(factory=TimelineCounts)
    _rows: IO[bytes] = field(factory=lambda: tempfile.SpooledTemporaryFile(_IN_MEMORY))
    _places: dict[int, dict[int, list[_Place]]] = field(
        factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """By kind and partition, where rows begin, and their bytes."""

    def add(self, kind: int, partition: int, body: bytes) -> None:
        """Take in one row."""
        if kind == COUNTED:
            self._add_counts(*unpack(body))
        elif kind == LOST:
            file, reasons = unpack(body)
            self.profiles[file].unjudged = merge_reasons(self.profiles[file].unjudged, reasons)
        else:
            self._places[kind][partition].append((self._rows.seek(0, 2), len(body)))
            self._rows.write(body)

    def _add_counts(
        self, hidden: int, missing: int, transitions: dict[int, set[tuple[str, str]]]
    ) -> None:
        self._counts.hidden += hidden
        self._counts.missing += missing
        for owner, steps in transitions.items():
            self._counts.steps_seen[owner] |= steps

    def report(
        self, facts: Sequence[FileFacts], *, errors: tuple[str, ...], interrupted: bool
    ) -> Report:
        """Put the report together."""
        timeline, judged = StoredTimeline(self.context), list[InstanceJudgement]()
        with uncollected():  # else all judgements are looked through again and again
            for who, steps, judgement in self._in_order():
                timeline.add(who, steps)
                if judgement is not None:
                    judged.append(judgement)
            grouped = join_variants(self.context, self._grouped())
            self._rows.close()
            assembly = ReportAssembly(
                self.context, JudgingTables(self.context.plan), self.profiles, facts
            )
            return assembly.report(
                judged,
                self._counts,
                timeline,
                grouped=grouped,
                errors=errors,
                interrupted=interrupted,
            )

    def _in_order(self) -> Iterator[Judged]:
        """Yield what was judged of all instances, in the order of the report."""
        streams = [self._of_partition(places) for places in self._places[JUDGED].values()]
        return merge(*streams, key=self._sort_key)

    def _of_partition(self, places: Sequence[_Place]) -> Iterator[Judged]:
        for place, size in places:
            self._rows.seek(place)
            yield from judged_instances(self._rows.read(size))

    def _grouped(
        self,
    ) -> Iterator[tuple[list[Variant], Iterator[Mapping[int, InstanceGroup]]]]:
        """Yield of each partition the variants of its instances, and these; of
        one that was interrupted nothing.
        """
        for partition, places in self._places[VARIANTS].items():
            for variants in self._bodies(places):
                yield variants, self._bodies(self._places[GROUPS][partition])

    def _bodies(self, places: Sequence[_Place]) -> Iterator[Any]:
        for place, size in places:
            self._rows.seek(place)
            yield unpack_lines(self._rows.read(size))

    def _sort_key(self, judged: Judged) -> tuple[Any, ...]:
        return instance_sort_key(self.context, judged.who)
