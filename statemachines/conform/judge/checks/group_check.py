"""What any check of an observation does: gather the classes of releases that read it alike, look
for paths to what is observed, say what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from statemachines.conform.interchange.judgements import Belief, PendingFinding, StatePoint
from statemachines.conform.interchange.observations import LineReading, Observation
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition, Transition
from statemachines.model.evidence.verdicts import Verdict

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


class GroupCheck:
    """One observation before the classes of releases that read it alike."""

    def __init__(
        self,
        instance: JudgedInstance,
        observation: Observation,
        process: int,
        group: ClassGroup,
        signed: bool,
    ) -> None:
        self.instance, self.observation, self.process, self.group, self.has_begin_sign = (
            instance,
            observation,
            process,
            group,
            signed,
        )
        self.classes = group.classes
        self.source, self.target = group.reading.source, group.reading.target
        self.beliefs = {rules.releases: instance.class_belief(rules) for rules in group.classes}

    @cached_property
    def shown_lines(self) -> frozenset[int]:
        """The numbers of the lines that the file shows."""
        instance = self.instance
        return instance.tables.shown_lines(
            instance.context, self.process, self.observation.file, instance.owner
        )

    def _unseen_path(self, state: str, classes: Sequence[ReleaseClass]) -> list[PathStep] | None:
        """Return the rows of the shortest way over steps that this file does not show; None: there
        is none.
        """
        return self._path(state, classes, self._believed, only_unseen=True)

    def _unseen_path_from_initial(
        self, state: str, classes: Sequence[ReleaseClass]
    ) -> list[PathStep] | None:
        """Return the same from where a life begins."""
        return self._path(state, classes, attrgetter("initial"), only_unseen=True)

    def _shortest_path(self, state: str, classes: Sequence[ReleaseClass]) -> list[PathStep] | None:
        """Return the rows of the shortest path; of its steps those are missing that this file would
        have shown; None: there is none.
        """
        return self._path(state, classes, self._believed)

    def _shortest_path_from_initial(
        self, state: str, classes: Sequence[ReleaseClass]
    ) -> list[PathStep] | None:
        """Return the same from where a life begins."""
        return self._path(state, classes, attrgetter("initial"))

    def _believed(self, rules: ReleaseClass) -> Collection[str]:
        """Return the states that a class believes in; none where it may be any."""
        return self.beliefs[rules.releases] or ()

    def _path(
        self,
        state: str,
        classes: Sequence[ReleaseClass],
        sources: Callable[[ReleaseClass], Collection[str]],
        *,
        only_unseen: bool = False,
    ) -> list[PathStep] | None:
        """Return the rows of the shortest path in the newest class that has one."""
        shown = self.shown_lines
        for rules in reversed(classes):
            start = sources(rules)
            path = (
                rules.paths.unseen_path(start, state, shown)
                if only_unseen
                else rules.paths.path(start, state)
            )
            if path is not None:
                unseen = rules.unseen.unseen_steps(shown)
                return [(a, b, unseen.get((a, b), "missing")) for a, b in path]
        return None

    def _begin_incarnation(self) -> None:
        instance = self.instance
        states = instance.states() or ()
        finals = {s for rules in self.classes for s in rules.final}
        if not instance.is_over and not set(states) <= finals:
            self.group.rows.append((states[0] if len(states) == 1 else None, None, "ended unseen"))
            self.group.is_cut_short = self._is_cut_short(states, finals)
        self.group.begins_incarnation = True

    def _is_cut_short(self, states: Collection[str], finals: Collection[str]) -> bool:
        """Tell whether a life ended that surely has a successor, that was not on its way to an end,
        and whose end this file would have shown.
        """
        if not (self.has_begin_sign or self.group.line.kinds[0] is LineKind.BEGIN):
            return False
        goes_on = all(rules.may_return_to(state) for rules in self.classes for state in states)
        return goes_on and all(self._unseen_path(end, self.classes) is None for end in finals)

    def _report_gap(self, path: list[PathStep]) -> None:
        missing = tuple(f"{a} -> {b}" for a, b, how in path if how == "missing")
        self.add_finding(
            "gap",
            Verdict.INCONCLUSIVE,
            f"{self._belief_message()}; the log should show {', '.join(missing)} in between",
            missing=missing,
        )
        self.group.rows += path

    def _report_lost_beginning(self, path: list[PathStep]) -> None:
        """A later life, whose first lines are not in the log."""
        missing = tuple(f"{a} -> {b}" for a, b, how in path if how == "missing")
        why = (
            f"{self._belief_message()}, and that life is over; the log should show the beginning of"
            f" a new one: {', '.join(missing)}"
        )
        self._begin_incarnation()
        self.add_finding("gap", Verdict.INCONCLUSIVE, why, missing=missing)
        self.group.rows += path

    def _report_began_again(self, state: str) -> None:
        why = (
            f"{state} is where a life begins, and no line since says that one began; a line of the"
            " beginning would decide it"
        )
        self.add_finding("began again", Verdict.INCONCLUSIVE, why)
        self._begin_incarnation()

    def _report_impossible(self, state: str) -> None:
        legal = ", ".join(self._legal_targets()) or "nothing"
        self.add_finding(
            "impossible",
            Verdict.VIOLATED,
            f"{self._belief_message()}; nothing leads from there to {state} (legal there: {legal})",
        )

    def _belief_message(self) -> str:
        states = self.instance.states() or ()
        point = self.instance.point
        name = self.instance.context.files[point.file].name if point else ""
        return f"was {' or '.join(states)}" + (f" ({name}:{point.line})" if point else "")

    def _legal_targets(self) -> tuple[str, ...]:
        rules = self.classes[-1]
        states = self.instance.states() or ((self.source,) if self.source else ())
        if len(states) == 1:
            return rules.legal_targets.get(states[0], ())
        return tuple(
            dict.fromkeys(
                target for state in states for target in rules.legal_targets.get(state, ())
            )
        )

    def argument_text(self) -> str:
        """Return with which values something was asked for, in brackets; empty: none is told."""
        values = ", ".join(f"{name} = {text!r}" for name, text in self.group.reading.arguments)
        return f" ({values})" if values else ""

    def add_finding(
        self,
        kind: str,
        verdict: Verdict,
        message: str,
        *,
        outcome: str | None = None,
        missing: tuple[str, ...] = (),
        legal_in: int = 0,
        source: str | None = None,
        illegal: str | None = None,
    ) -> None:
        """Add a finding; `illegal` is a target that the table has, and that a guard rules out."""
        instance = self.instance
        source = source or self.source or self.group.reading.state
        self.group.findings.append(
            PendingFinding(
                kind,
                verdict,
                self.observation,
                self.process,
                instance.incarnation,
                source,
                self.target,
                self.group.line.index,
                outcome,
                tuple(legal for legal in self._legal_targets() if legal != illegal),
                missing,
                instance.point,
                legal_in,
                message,
            )
        )
