"""Judging one instance: a fold over its observations in their order.

Each class of releases that fits has a belief of its own; where classes disagree, the mildest word
counts. The rules are those of `docs/judging.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

from statemachines.conform.interchange.judgements import (
    ANY_STATE,
    Belief,
    IncarnationStart,
    PendingFinding,
    SimpleSteps,
    StatePoint,
    StepRow,
    point_after,
    simple_steps_of,
)
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.judge.checks.class_groups import ClassGroup
from statemachines.conform.judge.checks.event_check import EventCheck
from statemachines.conform.judge.checks.observation_check import ObservationCheck
from statemachines.conform.judge.finding_list import FindingList
from statemachines.conform.judge.line_counts import LineCounts
from statemachines.conform.judge.line_histories import outlives_processes
from statemachines.conform.judge.single_releases import SingleReleases
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.judge.variable_updates import follow_variables
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.snapshots import Value
from statemachines.model.evidence.reports import StepValues
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap

if TYPE_CHECKING:
    from statemachines.conform.judge.property_findings import PropertyChecks
    from statemachines.conform.judge.tables.compiled_properties import ValueChange
    from statemachines.conform.judge.tables.known_variables import KnownVariables

_COUNTER_LINE_KINDS = {LineKind.NOTE, LineKind.ASKED, LineKind.STEP, LineKind.IS}
"""What a line that is counted says: nothing of states, or what was asked for."""


class InstanceJudge:
    """Judges the observations of one instance, given one after the other."""

    def __init__(self, context: JudgingContext, tables: JudgingTables, owner: int) -> None:
        self.context, self.tables, self.owner = context, tables, owner
        self.spec = context.plan.specs[owner]
        self.lines = {line.index: line for line in (self.spec.log.lines if self.spec.log else ())}
        self.final = frozenset(state.name for state in self.spec.states if state.final)
        self.beliefs: dict[int, Belief] = {}
        self.incarnation, self.observations, self.steps = 1, 0, 0
        self.point: StatePoint | None = None
        self.point_before: StatePoint | None = None
        """The point before the last."""
        self.first_point: StatePoint | None = None
        """The first point that tells the same states as the last: a step, where one does."""
        self._findings, self.line_counts = FindingList(), LineCounts(self.spec.log)
        self.is_over = False
        self.lives = False
        """Whether a line has told of the life that is going on."""
        self.incarnation_start: IncarnationStart | None = None
        self.lives_on = outlives_processes(context, owner)
        """Whether no restart of a process touches it."""
        self.single_incarnation = self.spec.log is not None and self.spec.log.generation is not None
        self.has_holder = self.spec.log is not None and self.spec.log.has_holder
        """A key with a generation names one life: no sign of a beginning touches it."""
        self.known_variables = tables.new_variables(owner)
        """What the log tells of the instance's variables; None where its lines tell none."""
        self.keeps_values = owner in context.plan.system_part_owners
        """Whether rules of systems look at them."""
        self.property_checks = self._make_property_checks()
        """Looks at the machine's properties; None where there are none that logs can be judged by.
        """
        self.order_unclear = False
        """Whether the order of this line and the one before cannot be told."""
        self.single_releases = SingleReleases(self)
        """What single releases would say."""
        self._has_begin_sign = False
        self._last_seen: tuple[int, Observation] | None = None
        """The line before that counted, and its process."""
        self._numbered = False
        """Whether the line before stood in a sequence."""
        self.exact_belief: tuple[int, str] | None = None
        """What fits, and the one state in which every class of it believes."""
        self.last_step: tuple[str | None, str | None] | None = None
        self.states_if_untrue: frozenset[str] = frozenset()

    def _make_property_checks(self) -> PropertyChecks | None:
        watch = self.tables.new_watch(self.owner)
        if watch is None:
            return None
        from statemachines.conform.judge.property_findings import PropertyChecks

        return PropertyChecks(self, watch)

    def fork(self) -> InstanceJudge:
        """Return a judge that goes on from here by itself, without the properties: this one hears
        nothing of what it finds.
        """
        other = copy(self)
        other._findings, other.line_counts = self._findings.fork(), self.line_counts.fork()
        other.known_variables = (
            self.known_variables.copy() if self.known_variables is not None else None
        )
        other.property_checks = None
        other.single_releases = self.single_releases.copy(other)
        return other

    # ----------------------------------------------------------------------------------------------
    # one observation

    def feed(self, seen: Observation) -> Iterator[StepRow | StatePoint]:
        """Judge one observation.

        Yields:
            The timeline rows that it proves, and a point where the believed states change.
        """
        number = self.context.process_index(seen)
        process = self.context.processes[number]
        position = self.context.position(seen)
        fitting = process.fitting_releases(self.owner, self.spec.family.name, position)
        if seen.about and not self._is_about(seen, fitting):
            return
        self.observations += 1
        if seen.placed is not None and self._is_told_by_history(seen, fitting, number, position):
            return
        if self._is_simple_step(seen, fitting):
            yield from self._take_simple_step(seen, fitting, number)
            return
        heard = self.tables.classes_by_reading(self.owner, fitting, seen.readings)
        groups = [
            ClassGroup(seen.readings[place], self.lines[seen.readings[place].entry], classes)
            for place, classes in heard
        ]
        if groups and any(group.line.known for group in groups) and not self._is_known():
            self.observations -= 1
            return
        if not groups:
            self._reject_line(seen, fitting)
            return
        self.lives = groups[0].line.kinds[0] is not LineKind.END
        self._count_line(groups, seen, number)
        if all(group.line.kinds == (LineKind.NOTE,) for group in groups):
            if self.known_variables is not None:
                self._take_values(self.known_variables, groups, seen, fitting, number, position)
            self.observations -= 1
        else:
            self._check_groups(groups, seen, number, position)
            self.single_releases.check_line(
                groups,
                seen,
                number,
                fitting,
                signed=self._may_have_begun(number, position),
                near=self.order_unclear,
            )
            yield from self._apply_group(
                seen, number, position, fitting, groups, _mildest_group(groups)
            )

    def _count_line(self, groups: list[ClassGroup], seen: Observation, number: int) -> None:
        """Count a line that has a counter."""
        for group in groups:
            if group.line.counter and group.line.kinds[0] in _COUNTER_LINE_KINDS:
                self.line_counts.count_line(group.line.counter, seen, number)
                return

    def _is_known(self) -> bool:
        """Tell whether an earlier line told of the life that is going on; one whose end was told is
        over.
        """
        states = self.states()
        return self.lives and (states is None or not self.final.issuperset(states))

    def _is_about(self, seen: Observation, fitting: int) -> bool:
        """Say whether a line of many instances is of this one, as its known variables tell."""
        keys = self.spec.log.instance if self.spec.log else ()
        told = [(name, text) for name, text in seen.about or () if name not in keys]
        classes = self.tables.fitting_classes(self.owner, fitting)
        return all(
            self.known_variables is not None and self.known_variables.has(classes, name, text)
            for name, text in told
        )

    def _is_told_by_history(
        self, seen: Observation, fitting: int, number: int, position: Position
    ) -> bool:
        """Take in the place of a line in the history that several processes tell; True where
        nothing else is to be judged.
        """
        from statemachines.conform.judge.retold_changes import Retold

        assert seen.placed is not None
        if seen.placed.anew:
            self._has_begin_sign = True
            if self.known_variables is not None:
                self.known_variables.forget_all()
        heard = self.tables.classes_by_reading(self.owner, fitting, seen.readings)
        groups = [
            ClassGroup(seen.readings[place], self.lines[seen.readings[place].entry], classes)
            for place, classes in heard
        ]
        retold = Retold(self, seen, number, groups)
        wrong = bool(groups) and (retold.misnumbered() or retold.fell())
        done = wrong or (bool(groups) and seen.placed.again and retold.again())
        if groups and not done:
            retold.missing()
        for finding in (finding for group in groups for finding in group.findings):
            self.add_finding(finding)
        if done:
            self._last_seen, self._numbered = (number, seen), True
        return done

    def lost(self) -> None:
        """Steps are missing: the instance may be anywhere, and have any values."""
        self.beliefs, self.exact_belief = {}, None
        if self.known_variables is not None:
            self.known_variables.forget_all()

    @property
    def has_lives(self) -> bool:
        """Whether lines name the lives of an instance."""
        return self.spec.log is not None and self.spec.log.life is not None

    def _reject_line(self, seen: Observation, fitting: int) -> None:
        """Count a line that no release that fits has; of a machine that none of them has it tells
        nothing.
        """
        if fitting & self.spec.releases:
            self.line_counts.count_unjudged(self._unread_reason(fitting), seen)
            line = self.lines[seen.readings[0].entry]
            self.line_counts.last_counter = (
                line.counter if line.kinds[0] in _COUNTER_LINE_KINDS and line.counter else None
            )
        else:
            self.observations -= 1

    def _check_groups(
        self, groups: list[ClassGroup], seen: Observation, number: int, position: Position
    ) -> None:
        """Have each group judge the observation."""
        near, signed = (
            self._is_order_unclear(number, position, numbered=seen.number is not None),
            self._may_have_begun(number, position),
        )
        if self.known_variables is not None and self._process_began_since(number, position):
            self.known_variables.forget_all()
        for group in groups:
            untold = group.line.kinds[0] is LineKind.EVENT and group.reading.target is None
            (EventCheck if untold else ObservationCheck)(self, seen, number, group, signed).judge()
            if near:
                _doubt_order(group.findings)
        self.order_unclear = near

    def _is_order_unclear(self, number: int, position: Position, *, numbered: bool = False) -> bool:
        """Tell whether the line before is another process's, and so near that the clocks cannot
        tell which was first.
        """
        before = self._last_line
        if before is None or before[0] == number or (self._numbered and numbered):
            return False
        return abs(position.reached - before[1].reached) <= self.context.plan.options.tolerance_ms

    def _may_have_begun(self, number: int, position: Position) -> bool:
        """Tell whether a life may have begun since the line before."""
        return (
            self._has_begin_sign or self._process_began_since(number, position)
        ) and not self.single_incarnation

    def _process_began_since(self, number: int, position: Position) -> bool:
        """Tell whether the process of the line before began anew since: what was known of its
        values is over.

        What one process after the other holds outlives each of them.
        """
        before = self._last_line
        if before is None or self.has_holder or self.lives_on:
            return False
        return before[0] == number and self.context.processes[number].began_between(
            before[1], position
        )

    def _is_simple_step(self, seen: Observation, fitting: int) -> bool:
        """Say whether an observation is a told step from the one state that is believed, which
        nothing is to be said of.
        """
        return (
            self.known_variables is None
            and seen.placed is None
            and self.exact_belief == (fitting, seen.readings[0].source)
            and self.tables.is_simple_step(self.owner, fitting, seen.readings)
        )

    def _take_simple_step(
        self, seen: Observation, fitting: int, number: int
    ) -> tuple[StepRow, StatePoint]:
        source, target = seen.readings[0].source, seen.readings[0].target
        told = "told", number, seen.file, seen.line
        row = StepRow(self.incarnation, seen.at, seen.zone, source, target, *told)
        self.take_simple_steps(simple_steps_of([row]), seen, fitting)
        return row, point_after(row)

    def take_simple_steps(self, steps: SimpleSteps, last: Observation, fitting: int) -> None:
        """Go where simple steps lead: the same as the table makes of them, and much cheaper.

        Args:
            steps: what counts of them.
            last: the line of the last one.
            fitting: the releases that fit all of them.
        """
        row = steps.last
        source, target = row.source, row.target or ""
        self._findings.separate_later_ones()
        self.lives = True
        self.steps += steps.total
        self.states_if_untrue = frozenset()
        self.beliefs = self.tables.exact_belief(self.owner, fitting, target)
        self.exact_belief = fitting, target
        self.point_before = point_after(steps.before) if steps.before is not None else self.point
        self.point = point_after(row)
        came = steps.came
        if came is None and (self.first_point is None or not self.first_point.by_step):
            came = steps.first
        if came is not None:
            self.first_point = point_after(came)
        self.is_over, self._has_begin_sign = False, False
        self._last_seen, self.last_step = (row.process, last), (source, target)
        self._numbered = last.number is not None
        if self.property_checks is not None:
            self.property_checks.check_simple_step(last, fitting, row.process)

    def _apply_group(
        self,
        seen: Observation,
        number: int,
        position: Position,
        fitting: int,
        groups: list[ClassGroup],
        chosen: ClassGroup,
    ) -> Iterator[StepRow | StatePoint]:
        """Put what was found into the state of the judge."""
        says = chosen.line.kinds[0]
        if chosen.begins_incarnation:
            self.incarnation += 1
        after: dict[int, Belief] = {}
        for group in groups:
            after |= group.beliefs
        changed = bool(chosen.rows) or chosen.begins_incarnation
        if changed:
            self._findings.separate_later_ones()
        values = (
            follow_variables(self.known_variables, groups, chosen, in_doubt=self.order_unclear)
            if self.known_variables is not None
            else None
        )
        yield from self._step_rows(chosen, seen, number, values)
        for finding in chosen.findings:
            self.add_finding(finding)
        if after:
            self.states_if_untrue = chosen.states_if_untrue
            yield from self._set_beliefs(after, seen, number, chosen)
            self.exact_belief = self._single_state(fitting, groups)
            if chosen.begins_incarnation:
                self._remember_start(number, position)
        self.is_over = says == LineKind.END or (self.is_over and not changed)
        self._has_begin_sign = says in (LineKind.BEGIN, LineKind.END) or (
            self._has_begin_sign and not after
        )
        if after or self._last_seen is None:
            self._last_seen, self._numbered = (number, seen), seen.number is not None
        if self.property_checks is not None:
            self.property_checks.check_line(seen, fitting, number, groups, chosen, values)
        if chosen.has_step:
            self.last_step = chosen.reading.source, chosen.reading.target

    def _step_rows(
        self, chosen: ClassGroup, seen: Observation, number: int, values: ValueChange | None
    ) -> Iterator[StepRow]:
        """Yield the steps that a line proves, and count them."""
        for source, target, how in chosen.rows:
            how = (
                "missing" if how == "told" and seen.placed is not None and seen.placed.late else how
            )
            told = how in ("told", "unknown")
            self.steps += how == "told"
            life = self.incarnation - (how == "ended unseen")
            yield StepRow(
                life,
                seen.at,
                seen.zone,
                source,
                target,
                how,
                number,
                seen.file,
                seen.line if told else 0,
                values=_step_values(values) if told and values and self.keeps_values else None,
            )

    def _remember_start(self, number: int, position: Position) -> None:
        """Remember where the new life's program began, where the process says so."""
        before, begins = self._last_line, self.context.processes[number].possible_starts
        place = (
            bisect_right(begins, before[1])
            if before is not None and before[0] == number
            else len(begins)
        )
        if place < len(begins) and begins[place] < position and self.point is not None:
            self.incarnation_start = IncarnationStart(begins[place], self.point)

    @property
    def _last_line(self) -> tuple[int, Position] | None:
        """The process of the line before that counted, and where in it the line stands."""
        if self._last_seen is None:
            return None
        number, seen = self._last_seen
        return number, self.context.position(seen)

    @property
    def last_position(self) -> Position | None:
        """Where the last line stands that was judged."""
        last = self._last_line
        return last[1] if last is not None else None

    def _take_values(
        self,
        knowing: KnownVariables,
        groups: list[ClassGroup],
        seen: Observation,
        fitting: int,
        number: int,
        position: Position,
    ) -> None:
        """Take in the values that a line tells which says nothing of states, and look at the
        properties that they decide.
        """
        classes = [rules for group in groups for rules in group.classes]
        if self._process_began_since(number, position):
            knowing.forget_all()
        shown = self.tables.shown_lines(self.context, number, seen.file, self.owner)
        knowing.forget_unseen(classes, shown)
        knowing.take_values(classes, groups[0].reading)
        if self.property_checks is not None and groups[0].reading.values and len(groups) == 1:
            anew, near = (
                self._may_have_begun(number, position),
                self._is_order_unclear(number, position),
            )
            self.property_checks.check_values(
                seen,
                fitting,
                number,
                groups[0],
                shown,
                knowing.change_since(None, in_doubt=near),
                anew=anew,
            )

    def _single_state(self, fitting: int, groups: list[ClassGroup]) -> tuple[int, str] | None:
        """Return what fits and the one state that every class of it believes in; None where they do
        not agree.
        """
        asked = sum(len(group.classes) for group in groups)
        states = self.states()
        return (
            (fitting, states[0])
            if states
            and len(states) == 1
            and asked == len(self.tables.fitting_classes(self.owner, fitting))
            else None
        )

    def _set_beliefs(
        self, after: dict[int, Belief], seen: Observation, number: int, chosen: ClassGroup
    ) -> Iterator[StatePoint]:
        self.beliefs = after
        states = self.states()
        if states is None:
            self.point_before, self.point, self.first_point = self.point, None, None
        elif (
            self.point is None
            or self.point.states != states
            or chosen.rows
            or chosen.begins_incarnation
        ):
            self.point_before = self.point
            self.point = StatePoint(
                states, seen.at, seen.zone, number, seen.file, seen.line, bool(chosen.rows)
            )
            if chosen.begins_incarnation or not self._repeats_first_point(self.point):
                self.first_point = self.point
            yield self.point

    def _repeats_first_point(self, point: StatePoint) -> bool:
        """Whether a point only repeats the first one; a step tells more than a word about the
        state, which may be old.
        """
        first = self.first_point
        return (
            first is not None
            and first.states == point.states
            and (first.by_step or not point.by_step)
        )

    def states(self) -> tuple[str, ...] | None:
        """Return the states that the instance may be in, in the author's order; None: any."""
        found: set[str] = set()
        for belief in self.beliefs.values():
            if belief is None:
                return None
            found |= belief
        return (
            tuple(dict.fromkeys(s.name for s in self.spec.states if s.name in found))
            if self.beliefs
            else None
        )

    def rank(self) -> Value:
        """Return what is known of the variable that says which of all instances is in the state
        that is one's alone; None: nothing.
        """
        sole = self.spec.log.sole if self.spec.log is not None else None
        if sole is None or self.known_variables is None:
            return None
        return self.known_variables.current_values().get(sole.variable)

    def class_belief(self, rules: ReleaseClass) -> Belief:
        """Return the states that a class of releases believes in; what another class believed holds
        where it was not asked before.
        """
        if rules.releases in self.beliefs or not self.beliefs:
            return self.beliefs.get(rules.releases, ANY_STATE)
        states = self.states()
        return ANY_STATE if states is None else frozenset(states)

    # ----------------------------------------------------------------------------------------------
    # findings

    @property
    def findings(self) -> Sequence[PendingFinding]:
        """What was found so far; equal findings stand there once."""
        return self._findings.listed

    def add_finding(self, finding: PendingFinding) -> None:
        """Take in a finding of the life that goes on."""
        self._findings.add(finding, self.incarnation)

    def _unread_reason(self, fitting: int) -> str:
        names = self.spec.family.ranges(fitting)
        return f"not a line of {names}" if names else "no release fits"


def _mildest_group(groups: list[ClassGroup]) -> ClassGroup:
    """Return the classes of releases whose word counts: of the mildest, those with the newest."""
    return min(
        groups, key=lambda group: (group.worst_verdict, -group.classes[-1].releases.bit_length())
    )


def _step_values(values: ValueChange) -> StepValues:
    """Return what is known around a step, to be kept."""
    return StepValues(FrozenMap(values.before), FrozenMap(values.after))


def _doubt_order(findings: list[PendingFinding]) -> None:
    """Soften what rests on the order of lines of two processes that is within the tolerance of
    their clocks.
    """
    for finding in findings:
        if finding.kind in ("gap", "began again", "impossible"):
            finding.verdict = Verdict.INCONCLUSIVE
            finding.message += (
                "; the line before is another process's, and their clocks cannot tell which was"
                " first"
            )
