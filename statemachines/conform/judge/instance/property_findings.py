"""Looking at the properties of a machine line by line: what is asked after a line, and what is said
of a property that is broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from attrs import define, evolve

from statemachines.conform.interchange.judgements import Belief, PendingFinding
from statemachines.conform.judge.tables.compiled_properties import (
    NO_CHANGE,
    CompiledProperty,
    PropertyTotals,
    PropertyWatch,
    ReleaseCase,
    ValueChange,
)
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import ReleaseClass, possible_states
from statemachines.model.evidence.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.interchange.observations import Observation
    from statemachines.conform.judge.checks.group_check import ClassGroup

_ORDER_UNCLEAR = (
    "; the line before is another process's, and their clocks cannot tell which was first"
)


class PropertyHost(Protocol):
    """What is asked of the instance that is judged."""

    tables: JudgingTables
    owner: int
    incarnation: int
    order_unclear: bool

    @property
    def beliefs(self) -> dict[int, Belief]:
        """The states that it may be in, by the releases of a class."""

    def class_belief(self, rules: ReleaseClass) -> Belief:
        """The states that a class of releases believes in."""

    def add_finding(self, finding: PendingFinding) -> None:
        """Take in a finding."""


@define
class PropertyChecks:
    """The properties of one instance."""

    instance: PropertyHost
    watch: PropertyWatch

    def resume_point(self) -> PropertyTotals:
        """Return what another one goes on from."""
        return self.watch.resume_point()

    def resume(self, point: PropertyTotals) -> None:
        """Go on from what was kept."""
        self.watch.resume(point)

    def check_simple_step(self, observation: Observation, fitting: int, process: int) -> None:
        """Look at a plain step of a machine whose lines tell no values."""
        reading, instance = observation.readings[0], self.instance
        source, target = reading.source or "", reading.target or ""
        answers = instance.tables.step_answers(instance.owner, fitting, (source, target))
        for broken in self.watch.count_answers(answers):
            self._report_broken(
                broken, observation, process, reading.entry, (source, target), NO_CHANGE
            )

    def count_simple_steps(self, steps: Mapping[tuple[str, str], int], fitting: int) -> None:
        """Count plain steps none of which breaks a property, where none is broken.

        Args:
            steps: from where to where, and how often.
            fitting: the releases that fit all of them.
        """
        for step, times in steps.items():
            answers = self.instance.tables.step_answers(self.instance.owner, fitting, step)
            self.watch.count_answers_often(answers, times)

    def check_line(
        self,
        observation: Observation,
        fitting: int,
        process: int,
        groups: Sequence[ClassGroup],
        chosen: ClassGroup,
        values: ValueChange | None,
    ) -> None:
        """Look at a line that says something of states or events: where the instance may be after
        it, and the step that it tells.
        """
        if chosen.begins_incarnation:
            self.watch.begin_incarnation()
        beliefs = self.instance.beliefs if any(group.beliefs for group in groups) else {}
        classes = [
            rules for group in groups for rules in group.classes if rules.releases in beliefs
        ]
        now = [
            _current_case(rules, fitting, beliefs[rules.releases] or rules.states)
            for rules in classes
        ]
        move, values = (
            _chosen_step(chosen),
            values or evolve(NO_CHANGE, order_unclear=self.instance.order_unclear),
        )
        for broken in self.watch.check_line(now, _step_cases(groups, fitting), values):
            self._report_broken(broken, observation, process, chosen.line.index, move, values)

    def check_values(
        self,
        observation: Observation,
        fitting: int,
        process: int,
        group: ClassGroup,
        shown: frozenset[int],
        values: ValueChange,
        *,
        anew: bool,
    ) -> None:
        """Look at values that a line tells which says nothing of states: unseen steps may have led
        elsewhere before it.

        Args:
            observation: the line.
            fitting: the releases that fit.
            process: of the line.
            group: the classes of releases that read it.
            shown: the numbers of the lines that the file shows.
            values: what is known.
            anew: whether another life may have begun since the line before.
        """
        may = [
            (
                rules,
                possible_states(rules, None if anew else self.instance.class_belief(rules), shown),
            )
            for rules in group.classes
        ]
        for broken in self.watch.check_line(
            [_current_case(rules, fitting, states) for rules, states in may], (), values
        ):
            self._report_broken(
                broken, observation, process, group.line.index, (None, None), values
            )

    def _report_broken(
        self,
        broken: CompiledProperty,
        observation: Observation,
        process: int,
        entry: int,
        move: tuple[str | None, str | None],
        values: ValueChange,
    ) -> None:
        rule = broken.versioned.versions[-1][1]
        message = (
            f"{rule.name}: {rule.doc or 'does not hold'} ({broken.values_message(move, values)})"
        )
        verdict = Verdict.INCONCLUSIVE if values.order_unclear else Verdict.VIOLATED
        finding = PendingFinding(
            "broken rule", verdict, observation, process, self.instance.incarnation, *move, entry,
            message=message + (_ORDER_UNCLEAR if values.order_unclear else ""), rule=rule.name,
            rule_line=rule.span.line if rule.span else 0,
        )  # fmt: skip
        self.instance.add_finding(finding)


def _current_case(rules: ReleaseClass, fitting: int, states: Iterable[str]) -> ReleaseCase:
    return rules.releases & fitting or rules.releases, [(state, None) for state in states]


def _step_cases(groups: Sequence[ClassGroup], fitting: int) -> list[ReleaseCase]:
    """Return the steps that a line may tell, by class; none if some class sees no step in it."""
    if any(
        group.may_change_nothing or not (group.has_step or group.possible_transitions)
        for group in groups
    ):
        return []
    return [
        (rules.releases & fitting or rules.releases, _step_states(group, rules))
        for group in groups
        for rules in group.classes
    ]


def _step_states(group: ClassGroup, rules: ReleaseClass) -> list[tuple[str, str | None]]:
    """Return the steps that a line may tell in a class: where an event leads from several states to
    one, the line is listed as a step from one of them, and a property asks all.
    """
    possible: list[tuple[str, str | None]] = [
        (transition.target, transition.source)
        for other, transition in group.possible_transitions
        if other is rules
    ]
    source, target = _chosen_step(group)
    return [(target, source)] if target is not None and not possible else possible


def _chosen_step(group: ClassGroup) -> tuple[str | None, str | None]:
    """Return the step that a group takes a line for."""
    return group.rows[-1][:2] if group.has_step and group.rows else (None, None)
