"""What became of mutants: who noticed each, and how many were noticed in all."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from attrs import field, frozen

from statemachines.explore.coverage import COVERED
from statemachines.explore.results import Exploration, Trace
from statemachines.explore.system_results import SystemExploration, SystemTrace
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Answer
from statemachines.model.systems import System
from statemachines.model.verdicts import Verdict
from statemachines.mutate.mutants import Mutant, Operator


class CannotJudge(ValueError):
    """A test or log that says nothing of mutants; the message says why."""


class Judge(enum.StrEnum):
    """Who may notice a mutant; the order of the table."""

    CHECKS = "checks"
    """What is asked of every machine: types are kept, transitions exclude each other, everything is reached."""
    PROPERTIES = "properties"
    """What the spec claims, and that nothing gets stuck."""
    TEST = "test"
    LOG = "log"


class Fate(enum.StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    """Proved: within the scope no run tells it from the original."""
    DUPLICATE = "duplicate"
    """Proved: within the scope no run tells it from an earlier mutant."""
    NOT_JUDGED = "not judged"


class Only(enum.StrEnum):
    """Of which of two machines arguments may be asked that are against the `where` of the other."""

    NEITHER = ""
    ORIGINAL = "original"
    MUTANT = "mutant"


@frozen
class Notice:
    """Somebody who noticed a mutant."""

    judge: Judge
    by: str
    """Which property, test or log."""
    said: str = ""
    trace: Trace | None = field(default=None, repr=False)
    """A run of the mutant that shows it."""
    run: SystemTrace | None = field(default=None, repr=False)
    """The same of a system."""


@frozen
class Judged:
    """A mutant and what became of it."""

    mutant: Mutant
    fate: Fate
    notices: tuple[Notice, ...] = ()
    why: str = ""
    """Of what was not judged: why."""
    silence: str = ""
    """Of a mutant that no log noticed: why not, and what a log that would has in it."""
    same_as: int | None = None
    """Of a duplicate: the number of the mutant that it is."""
    apart: Trace | None = field(default=None, repr=False)
    """Of a survivor: a shortest run of the original whose last event the mutant answers otherwise; None where they begin otherwise."""
    instead: Answer | None = field(default=None, repr=False)
    """What the mutant answers to that event; None where it may be asked of one of the two only."""
    only: Only = Only.NEITHER
    """Of which alone the last event of `apart` may be asked; its answer there is that one's."""
    runs: tuple[SystemTrace, ...] = field(default=(), repr=False)
    """Of a survivor that is a system: that run of the original and of the mutant; only the last answers differ."""


@frozen
class Tally:
    """Mutants of one kind, counted."""

    title: str
    mutants: int
    killed: int
    survived: int
    equivalent: int
    duplicate: int
    not_judged: int
    noticed: tuple[tuple[Judge, int], ...]
    """Judge to how many it noticed; several may notice one."""

    @property
    def score(self) -> float | None:
        """The part that was killed of those that could be, between 0 and 1; None where there are none."""
        judged = self.killed + self.survived
        return self.killed / judged if judged else None


@frozen
class Mutation:
    """All that was found out about a machine's mutants."""

    machine: Machine | System
    scope: str
    """What was explored, such as `RM=3`."""
    made: int
    """How many mutants there are; those that were not chosen among them."""
    judges: tuple[Judge, ...]
    judged: tuple[Judged, ...]
    """In the order of their numbers."""
    interrupted: bool = False
    violated: tuple[str, ...] = ()
    """The properties that the original breaks itself: they cannot judge."""

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """One for each operator that made some."""
        piles = ((operator, [one for one in self.judged if one.mutant.draft.operator is operator]) for operator in Operator)
        return tuple(tally(operator.value, pile, self.judges) for operator, pile in piles if pile)

    @property
    def total(self) -> Tally:
        """All of them."""
        return tally("all", self.judged, self.judges)


def tally(title: str, pile: Sequence[Judged], judges: Sequence[Judge]) -> Tally:
    """Count mutants.

    Args:
        title: what they have in common.
        pile: the mutants.
        judges: who judged, in the order of the table.
    """
    killed, survived, equivalent, duplicate, not_judged = (sum(one.fate is fate for one in pile) for fate in Fate)
    noticed = tuple((judge, sum(any(each.judge is judge for each in one.notices) for one in pile)) for judge in judges)
    return Tally(title, len(pile), killed, survived, equivalent, duplicate, not_judged, noticed)


def violated(original: Exploration | SystemExploration) -> tuple[str, ...]:
    """Return the properties that the original breaks: what is broken already notices nothing."""
    return tuple(one.name for one in original.examined if one.verdict is Verdict.VIOLATED and one.name != COVERED)
