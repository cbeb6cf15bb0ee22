"""The classes of releases that read an observation alike, and whose instance it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from statemachines.conform.interchange.judgements import Belief, PendingFinding, StatePoint
from statemachines.conform.interchange.observations import LineReading
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import (
    ReleaseClass,
)
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition, Transition

if TYPE_CHECKING:
    from statemachines.conform.judge.tables.known_variables import KnownVariables

PathStep = tuple["str | None", "str | None", str]
"""From, to and how a step is known."""


class JudgedInstance(Protocol):
    """What a check of an observation asks of the instance that is judged."""

    context: JudgingContext
    tables: JudgingTables
    owner: int
    spec: SpecDefinition
    incarnation: int
    is_over: bool
    single_incarnation: bool
    last_step: tuple[str | None, str | None] | None
    known_variables: KnownVariables | None

    @property
    def point(self) -> StatePoint | None:
        """The states that it may be in, and the line from which on."""

    @property
    def states_if_untrue(self) -> frozenset[str]:
        """After a forbidden step: the states it may be in if the line is not true."""

    def states(self) -> tuple[str, ...] | None:
        """The states that it may be in; None: any."""

    def class_belief(self, rules: ReleaseClass) -> Belief:
        """The states that a class of releases believes in."""


class ClassGroup:
    """The classes of releases that read an observation in the same way, and what comes of it for
    them.
    """

    def __init__(
        self, reading: LineReading, line: LineDefinition, classes: Sequence[ReleaseClass]
    ) -> None:
        self.reading, self.line, self.classes = reading, line, classes
        self.findings: list[PendingFinding] = []
        self.rows: list[PathStep] = []
        self.beliefs: dict[int, Belief] = {}
        """By the releases of a class."""
        self.begins_incarnation = False
        self.is_cut_short = False
        """Whether the life before ended in the middle."""
        self.has_step = False
        """Whether a step was told."""
        self.possible_transitions: list[tuple[ReleaseClass, Transition]] = []
        """What a told step may have taken, of a machine whose lines tell values."""
        self.may_change_nothing = False
        """Whether the event that is told may also have changed nothing."""
        self.states_if_untrue: frozenset[str] = frozenset()
        """After a forbidden step: the states in which the instance may be if the line is not true.
        """

    @property
    def worst_verdict(self) -> int:
        """The worst verdict of the group's findings; -1 without any."""
        return max((finding.verdict for finding in self.findings), default=-1)
