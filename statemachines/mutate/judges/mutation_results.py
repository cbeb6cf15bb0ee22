"""What became of mutants: who noticed each, and how many were noticed in all."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

from statemachines.explore.results.property_results import Exploration
from statemachines.explore.results.run_traces import Trace
from statemachines.explore.verdicts.reach_coverage import COVERAGE_TITLE
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Answer
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.mutate.operators.mutants import Mutant, MutationOperator


class CannotJudge(ValueError):
    """A test or log that says nothing of mutants; the message says why."""


class JudgeKind(enum.StrEnum):
    """Who may notice a mutant; the order of the table."""

    CHECKS = "checks"
    """What is asked of every machine: types are kept, transitions exclude each other, everything is
    reached.
    """
    PROPERTIES = "properties"
    """What the spec claims, and that nothing gets stuck."""
    TEST = "test"
    LOG = "log"


class MutantStatus(enum.StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    """Proved: within the scope no run tells it from the original."""
    DUPLICATE = "duplicate"
    """Proved: within the scope no run tells it from an earlier mutant."""
    NOT_JUDGED = "not judged"


class AdmittedOnlyBy(enum.StrEnum):
    """Of which of two machines arguments may be asked that are against the `where` of the other."""

    NEITHER = ""
    ORIGINAL = "original"
    MUTANT = "mutant"


@frozen
class Detection:
    """Somebody who noticed a mutant."""

    judge: JudgeKind
    by: str
    """Which property, test or log."""
    message: str = ""
    trace: Trace | None = field(default=None, repr=False)
    """A run of the mutant that shows it."""


@frozen
class JudgedMutant:
    """A mutant and what became of it."""

    mutant: Mutant
    status: MutantStatus
    notices: tuple[Detection, ...] = ()
    why: str = ""
    """Of what was not judged: why."""
    log_silence: str = ""
    """Of a mutant that no log noticed: why not, and what a log that would has in it."""
    same_as: int | None = None
    """Of a duplicate: the number of the mutant that it is."""
    apart: Trace | None = field(default=None, repr=False)
    """Of a survivor: a shortest run of the original whose last event the mutant answers otherwise;
    None where they begin otherwise.
    """
    mutant_answer: Answer | None = field(default=None, repr=False)
    """What the mutant answers to that event; None where it may be asked of one of the two only."""
    admitted_only_by: AdmittedOnlyBy = AdmittedOnlyBy.NEITHER
    """Of which alone the last event of `apart` may be asked; its answer there is that one's."""
    system_runs: tuple[Trace, ...] = field(default=(), repr=False)
    """Of a survivor that is a system: that run of the original and of the mutant; only the last
    answers differ.
    """


@frozen
class MutantTally:
    """Mutants of one kind, counted."""

    title: str
    mutants: int
    killed: int
    survived: int
    equivalent: int
    duplicate: int
    not_judged: int
    detected: tuple[tuple[JudgeKind, int], ...]
    """Judge to how many it noticed; several may notice one."""

    @property
    def score(self) -> float | None:
        """The part that was killed of those that could be, between 0 and 1; None where there are
        none.
        """
        judged = self.killed + self.survived
        return self.killed / judged if judged else None


@frozen
class MutationResult:
    """All that was found out about a machine's mutants."""

    machine: MachineDefinition | SystemDefinition
    scope: str
    """What was explored, such as `RM=3`."""
    mutant_count: int
    """How many mutants there are; those that were not chosen among them."""
    judges: tuple[JudgeKind, ...]
    judged: tuple[JudgedMutant, ...]
    """In the order of their numbers."""
    interrupted: bool = False
    violated_properties: tuple[str, ...] = ()
    """The properties that the original breaks itself: they cannot judge."""

    @property
    def tallies(self) -> tuple[MutantTally, ...]:
        """One for each operator that made some."""
        groups = (
            (
                operator,
                [judged for judged in self.judged if judged.mutant.candidate.operator is operator],
            )
            for operator in MutationOperator
        )
        return tuple(
            _count_mutants(operator.value, group, self.judges)
            for operator, group in groups
            if group
        )

    @property
    def total(self) -> MutantTally:
        """All of them."""
        return _count_mutants("all", self.judged, self.judges)


def _count_mutants(
    title: str, group: Sequence[JudgedMutant], judges: Sequence[JudgeKind]
) -> MutantTally:
    """Count mutants.

    Args:
        title: what they have in common.
        group: the mutants.
        judges: who judged, in the order of the table.
    """
    killed, survived, equivalent, duplicate, not_judged = (
        sum(judged.status is status for judged in group) for status in MutantStatus
    )
    noticed = tuple(
        (judge, sum(any(notice.judge is judge for notice in judged.notices) for judged in group))
        for judge in judges
    )
    return MutantTally(
        title, len(group), killed, survived, equivalent, duplicate, not_judged, noticed
    )


def violated_properties(original: Exploration[Any]) -> tuple[str, ...]:
    """Return the properties that the original breaks: what is broken already notices nothing.

    Args:
        original: what exploring it said.

    Returns:
        Names of properties.
    """
    return tuple(
        result.name
        for result in original.examined
        if result.verdict is Verdict.VIOLATED and result.name != COVERAGE_TITLE
    )
