"""What the first stage found out, as the driver gathers it: profiles, what files show at their
ends, which instances there are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from attrs import define, field

from statemachines.conform.engines.file_reader import with_read_problem
from statemachines.conform.engines.spark.stages.file_chunks import LogFile
from statemachines.conform.engines.spark.stages.instance_weights import (
    instance_weights,
    joined_weights,
)
from statemachines.conform.engines.spark.stages.placing_stage import SettledContext
from statemachines.conform.engines.spark.stages.stage_rows import unpack
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.profiles import Profile, Shift, join_profiles, shift_between
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    settle_context,
)
from statemachines.conform.settle.processes import CheckedFile
from statemachines.logs import rotation_key, unread_reason
from statemachines.logs.storage.listed_files import is_missed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_OBSERVATIONS_PER_PARTITION = 50_000
"""Fewer are not worth a task."""

_MOST_PARTITIONS = 200


@define
class ObservedFiles:
    """What the first stage found out."""

    files: Sequence[tuple[str, LogFile]]
    """Name and place of each file, in the order of their numbers."""
    frames: list[DataFrame] = field(factory=list)
    """Rows as `rows.READ` says, kept on the workers' disks."""
    lines: list[tuple[int, int, int, bytes]] | None = None
    """File, piece, number and body of the rows of observations, where the driver judges them."""
    chunks: dict[int, dict[int, Profile]] = field(factory=lambda: defaultdict(dict))
    """What each piece of each file shows as a whole."""
    facts: dict[int, FileFacts] = field(factory=dict)
    problems: dict[int, str] = field(factory=dict)
    """Why a file could not be read to its end."""
    unopened: dict[int, tuple[int, str]] = field(factory=dict)
    """The first piece of a file that could not be opened, and why: the file ends before it, for
    what stands behind lines that nobody read follows from them.
    """
    interrupted: bool = False
    weights: Counter[Any] | None = field(factory=Counter)
    """The lines of each source; None where there are many of them."""

    def add(self, row: tuple[int, int, bytes]) -> None:
        """Take in a row of what a piece shows."""
        file, chunk, body = row
        profile, facts, wrong, weights = unpack(body)
        if profile is None:
            self.unopened[file] = min((chunk, wrong), self.unopened.get(file, (chunk, wrong)))
            return
        self.chunks[file][chunk] = profile
        self.weights = joined_weights(self.weights, weights)
        if facts is not None:
            self.facts[file] = facts
        if wrong:
            self.problems.setdefault(file, wrong)

    def instance_weights(self, context: JudgingContext) -> Mapping[InstanceIdentity, int] | None:
        """Return how many lines each instance has; None where there are many of them."""
        return None if self.weights is None else instance_weights(context, self.weights)

    def partitions(self, context: JudgingContext) -> int:
        """Return how many partitions of the second stage have enough to do; two at least where
        there is much of one instance, for its steps are folded by those who read them.
        """
        pieces = chain.from_iterable(chunks.values() for chunks in self.chunks.values())
        enough = sum(profile.records for profile in pieces) // _OBSERVATIONS_PER_PARTITION
        instances = self.instance_weights(context)
        if instances is not None:
            enough = min(enough, max(2, len(instances)))
        return max(1, min(_MOST_PARTITIONS, enough))

    def silent_files(self) -> list[int]:
        """Return the files of which nothing was read, not even that they are empty."""
        known = self.chunks.keys() | self.unopened.keys()
        return [file.number for _, file in self.files if file.number not in known]

    def file_facts(self) -> list[FileFacts]:
        """Return what each file shows at its ends, and why it could not be read."""
        return [self._facts_of(file.number) for _, file in self.files]

    def _facts_of(self, file: int) -> FileFacts:
        first, why = self.unopened.get(file, (None, ""))
        if first == 0:
            return FileFacts(problems=(f"cannot be read: {why}",))
        facts = self.facts.get(file, FileFacts())
        return with_read_problem(facts, self._lost_end(file))

    def _lost_end(self, file: int) -> str | None:
        """Return why the end of a file that was read could not be read."""
        first, why = self.unopened.get(file, (0, ""))
        return self.problems.get(file) or (f"its end cannot be read: {why}" if first else None)

    def errors(self) -> tuple[str, ...]:
        """Return what could not be read of each file, in words."""
        reasons = ((name, self._read_problem(file)) for name, file in self.files)
        return tuple(f"{name}: {reason}" for name, reason in reasons if reason)

    def _read_problem(self, file: LogFile) -> str | None:
        """Return why a file, or its end, could not be read; None of one in a folder that is no
        log.
        """
        first, why = self.unopened.get(file.number, (None, ""))
        if first == 0:
            return why if is_missed(file.listed, named=file.named) else None
        facts = self.facts.get(file.number, FileFacts())
        nothing_read = unread_reason(facts.problems) if file.named else None
        return self._lost_end(file.number) or nothing_read

    def chunk_profiles(self) -> Iterator[tuple[int, list[Profile]]]:
        """Yield for each file what its pieces show, in their order, up to one that could not be
        opened.
        """
        for _, file in self.files:
            chunks = self.chunks.get(file.number, {})
            end, _ = self.unopened.get(file.number, (len(chunks), ""))
            yield file.number, [chunks[number] for number in sorted(chunks) if number < end]


def settle_profiles(plan: CheckPlan, read: ObservedFiles) -> tuple[SettledContext, list[Profile]]:
    """Join the profiles of the pieces of each file, and settle what those of all files say
    together.

    Returns:
        What the workers need to know, and the profile of each file.
    """
    shifts: dict[tuple[int, int], Shift] = {}
    profiles = []
    for number, pieces in read.chunk_profiles():
        profile = Profile()
        for chunk, part in enumerate(pieces):
            shifts[number, chunk] = shift_between(profile, part)
            profile = join_profiles(profile, part)
        profiles.append(profile)
    context = settle_context(
        plan, tuple(CheckedFile(name, *rotation_key(name)) for name, _ in read.files), profiles
    )
    return SettledContext(context, shifts), profiles
