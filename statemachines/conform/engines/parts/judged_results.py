"""Gathering what was said of parts, and joining it to a report."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import merge
from typing import IO, Any

from attrs import define, field

from statemachines.conform.engines.observation_store import StoredTimeline
from statemachines.conform.engines.parts.result_rows import (
    COUNTED,
    GROUPS,
    JUDGED,
    LOST,
    VARIANTS,
    Judged,
    judged_instances,
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

CountedReason = tuple[str, int, int, str]
_Place = tuple[int, int]
"""Where a row begins, and its bytes."""


@define
class JudgedResults:
    """Gathers rows of all parts, and puts them into one order."""

    context: JudgingContext
    profiles: list[Profile]
    unpack: Callable[[bytes], Any]
    """What a row says, of its bytes."""
    _rows: IO[bytes] = field(factory=lambda: tempfile.SpooledTemporaryFile(_IN_MEMORY))
    _places: dict[int, dict[int, list[_Place]]] = field(
        factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """By kind and part, where rows begin, and their bytes."""

    def add(self, kind: int, part: int, body: bytes) -> None:
        """Take in one row."""
        self._places[kind][part].append((self._rows.seek(0, 2), len(body)))
        self._rows.write(body)

    def drop(self, part: int) -> None:
        """Forget the rows of a part."""
        for places in self._places.values():
            places.pop(part, None)

    def report(
        self, facts: Sequence[FileFacts], *, errors: tuple[str, ...], interrupted: bool
    ) -> Report:
        """Put the report together."""
        timeline, judged = StoredTimeline(self.context), list[InstanceJudgement]()
        self._count_lost()
        with uncollected():  # else all judgements are looked through again and again
            for who, steps, judgement in self._in_order():
                timeline.add(who, steps)
                if judgement is not None:
                    judged.append(judgement)
            grouped, counts = join_variants(self.context, self._grouped()), self._counts()
            self._rows.close()
            assembly = ReportAssembly(
                self.context, JudgingTables(self.context.plan), self.profiles, facts
            )
            return assembly.report(
                judged,
                counts,
                timeline,
                grouped=grouped,
                errors=errors,
                interrupted=interrupted,
            )

    def _count_lost(self) -> None:
        """Count in the profiles of their files what no line told the generation of."""
        lost = defaultdict[int, list[CountedReason]](list)
        for file, reasons in self._all_bodies(LOST):
            lost[file] += reasons
        for file, reasons in lost.items():
            in_order = sorted(reasons, key=lambda reason: reason[2])
            self.profiles[file].unjudged = merge_reasons(self.profiles[file].unjudged, in_order)

    def _counts(self) -> TimelineCounts:
        counts = TimelineCounts()
        for hidden, missing, transitions in self._all_bodies(COUNTED):
            counts.hidden += hidden
            counts.missing += missing
            for owner, steps in transitions.items():
                counts.steps_seen[owner] |= steps
        return counts

    def _in_order(self) -> Iterator[Judged]:
        """Yield what was judged of all instances, in the order of the report."""
        streams = [self._of_part(places) for places in self._places[JUDGED].values()]
        return merge(*streams, key=self._sort_key)

    def _of_part(self, places: Sequence[_Place]) -> Iterator[Judged]:
        for row in self._bodies(places):
            yield from judged_instances(row)

    def _grouped(
        self,
    ) -> Iterator[tuple[list[Variant], Iterator[Mapping[int, InstanceGroup]]]]:
        """Yield of each part the variants of its instances, and these; of one that was interrupted
        nothing.
        """
        for part, places in self._places[VARIANTS].items():
            for variants in self._bodies(places):
                yield variants, self._bodies(self._places[GROUPS][part])

    def _all_bodies(self, kind: int) -> Iterator[Any]:
        for places in self._places[kind].values():
            yield from self._bodies(places)

    def _bodies(self, places: Sequence[_Place]) -> Iterator[Any]:
        for place, size in places:
            self._rows.seek(place)
            yield self.unpack(self._rows.read(size))

    def _sort_key(self, judged: Judged) -> tuple[Any, ...]:
        return instance_sort_key(self.context, judged.who)
