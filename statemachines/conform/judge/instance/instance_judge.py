"""Judging one instance: a fold over its observations in their order.

Each class of releases that fits has a belief of its own; where classes disagree, the mildest word
counts. The rules are those of `docs/judging.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from statemachines.conform.interchange.judgements import (
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
from statemachines.conform.judge.checks.event_check import EventCheck
from statemachines.conform.judge.checks.group_check import ClassGroup
from statemachines.conform.judge.checks.observation_check import ObservationCheck
from statemachines.conform.judge.instance.believed_states import BelievedStates
from statemachines.conform.judge.instance.finding_list import FindingList
from statemachines.conform.judge.instance.instance_belief import (
    AS_JUDGES_HAVE_IT,
    PARTS_OF_JUDGES,
    InstanceBelief,
)
from statemachines.conform.judge.instance.line_before import JudgedLine, LineBefore, LineCounts
from statemachines.conform.judge.instance.single_releases import SingleReleases
from statemachines.conform.judge.instance.variable_updates import (
    follow_variables,
    take_noted_values,
)
from statemachines.conform.judge.line_histories import outlives_processes
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.snapshots import Value

if TYPE_CHECKING:
    from statemachines.conform.judge.instance.property_findings import PropertyChecks


class InstanceJudge:
    """Judges the observations of one instance, given one after the other."""

    def __init__(self, context: JudgingContext, tables: JudgingTables, owner: int) -> None:
        self.context, self.tables, self.owner = context, tables, owner
        self.spec = context.plan.specs[owner]
        log = self.spec.log
        self.lines = {line.index: line for line in (log.lines if log else ())}
        self.final = frozenset(state.name for state in self.spec.states if state.final)
        self.believed = BelievedStates([state.name for state in self.spec.states])
        self.incarnation, self.observations, self.steps = 1, 0, 0
        self.finding_list, self.line_counts = FindingList(), LineCounts(log)
        self.is_over = False
        self.is_alive = False
        """Whether a line has told of the incarnation that is going on."""
        self.incarnation_start: IncarnationStart | None = None
        self.outlives_processes = outlives_processes(context, owner)
        """Whether no restart of a process touches it."""
        self.single_incarnation = log is not None and log.generation is not None
        """A key with a generation names one life: no sign of a beginning touches it."""
        self.has_holder = log is not None and log.has_holder
        self.line_before = LineBefore(
            context,
            ends_with_process=not (self.has_holder or self.outlives_processes),
            single_incarnation=self.single_incarnation,
        )
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
        self.last_step: tuple[str | None, str | None] | None = None

    def _make_property_checks(self) -> PropertyChecks | None:
        watch = self.tables.new_watch(self.owner)
        if watch is None:
            return None
        from statemachines.conform.judge.instance.property_findings import PropertyChecks

        return PropertyChecks(self, watch)

    def fork(self) -> InstanceJudge:
        """Return a judge that goes on from here by itself, without the properties: this one hears
        nothing of what it finds.
        """
        other = copy(self)
        other.believed, other.line_before = self.believed.copy(), self.line_before.copy()
        other.finding_list, other.line_counts = self.finding_list.fork(), self.line_counts.fork()
        other.known_variables = (
            self.known_variables.copy() if self.known_variables is not None else None
        )
        other.property_checks = None
        other.single_releases = self.single_releases.copy(other)
        return other

    def belief(self) -> InstanceBelief:
        """Return what another judge goes on from; it shares what this one still changes."""
        same = {name: getattr(self, name) for name in AS_JUDGES_HAVE_IT}
        parts = {field: getattr(self, name) for field, name in PARTS_OF_JUDGES.items()}
        points = {field: part.resume_point() for field, part in parts.items() if part is not None}
        return InstanceBelief(**same, **points)

    def resume(self, belief: InstanceBelief) -> None:
        """Go on from what a judge of the same instance came to; the belief is this one's now."""
        for name in AS_JUDGES_HAVE_IT:
            setattr(self, name, getattr(belief, name))
        for field, name in PARTS_OF_JUDGES.items():
            if getattr(self, name) is not None:
                getattr(self, name).resume(getattr(belief, field))

    # ----------------------------------------------------------------------------------------------
    # what is known so far

    @property
    def point(self) -> StatePoint | None:
        """The states that the instance may be in, and the line from which on."""
        return self.believed.point

    @property
    def beliefs(self) -> dict[int, Belief]:
        """The states that the instance may be in, by the releases of a class."""
        return self.believed.beliefs

    @property
    def states_if_untrue(self) -> frozenset[str]:
        """After a forbidden step: the states it may be in if the line is not true."""
        return self.believed.if_untrue

    @property
    def last_position(self) -> Position | None:
        """Where the last line stands that was judged."""
        place = self.line_before.place
        return place[1] if place is not None else None

    @property
    def names_incarnations(self) -> bool:
        """Whether its lines name the incarnations of an instance."""
        return self.spec.log is not None and self.spec.log.life is not None

    @property
    def findings(self) -> Sequence[PendingFinding]:
        """What was found so far; equal findings stand there once."""
        return self.finding_list.listed

    def states(self) -> tuple[str, ...] | None:
        """Return the states that the instance may be in, in the author's order; None: any."""
        return self.believed.states()

    def class_belief(self, rules: ReleaseClass) -> Belief:
        """Return the states that a class of releases believes in."""
        return self.believed.class_belief(rules)

    def rank(self) -> Value:
        """Return what is known of the variable that says which of all instances is in the state
        that is one's alone; None: nothing.
        """
        sole = self.spec.log.sole if self.spec.log is not None else None
        if sole is None or self.known_variables is None:
            return None
        return self.known_variables.current_values().get(sole.by)

    def forget_state(self) -> None:
        """Forget where the instance is and what values it has: steps are missing."""
        self.believed.forget()
        if self.known_variables is not None:
            self.known_variables.forget_all()

    def add_finding(self, finding: PendingFinding) -> None:
        """Take in a finding of the life that goes on."""
        self.finding_list.add(finding, self.incarnation)

    # ----------------------------------------------------------------------------------------------
    # one observation

    def feed(self, observation: Observation) -> Sequence[StepRow | StatePoint]:
        """Judge one observation.

        Returns:
            The timeline rows that it proves, and a point where the believed states change.
        """
        process = self.context.process_index(observation)
        position = self.context.position(observation)
        fitting = self.context.processes[process].fitting_releases(
            self.owner, self.spec.family.name, position
        )
        if observation.about and not self._is_about(observation, fitting):
            return ()
        self.observations += 1
        if observation.placed is not None:
            groups = self._groups(observation, fitting)
            line = JudgedLine(observation, process, position, fitting, groups)
            if self._is_told_by_history(line):
                return ()
        if self._is_simple_step(observation, fitting):
            return self._take_simple_step(observation, fitting, process)
        groups = self._groups(observation, fitting)
        return self._judge_line(JudgedLine(observation, process, position, fitting, groups))

    def _groups(self, observation: Observation, fitting: int) -> list[ClassGroup]:
        """Return the classes of releases that read a line, by how they read it."""
        readings = observation.readings
        return [
            ClassGroup(readings[index], self.lines[readings[index].entry], classes)
            for index, classes in self.tables.classes_by_reading(self.owner, fitting, readings)
        ]

    def _is_about(self, observation: Observation, fitting: int) -> bool:
        """Say whether a line of many instances is of this one, as its known variables tell."""
        keys = self.spec.log.instance if self.spec.log else ()
        texts = [(name, text) for name, text in observation.about or () if name not in keys]
        classes = self.tables.fitting_classes(self.owner, fitting)
        return all(
            self.known_variables is not None and self.known_variables.has(classes, name, text)
            for name, text in texts
        )

    def _judge_line(self, line: JudgedLine) -> Sequence[StepRow | StatePoint]:
        """Judge a line that is no simple step."""
        groups = line.groups
        if groups and any(group.line.known for group in groups) and not self._is_known():
            self.observations -= 1
            return ()
        if not groups:
            self._reject_line(line.observation, line.fitting)
            return ()
        self.is_alive = groups[0].line.kinds[0] is not LineKind.END
        self.line_counts.count_groups(groups, line.observation, line.process)
        if self.known_variables is not None:
            for why in self.known_variables.foreign_values(groups[0].classes, groups[0].reading):
                self.line_counts.count_unjudged(why, line.observation, in_part=True)
        if all(group.line.kinds == (LineKind.NOTE,) for group in groups):
            take_noted_values(self, line, self.line_before, self.property_checks)
            self.observations -= 1
            return ()
        signed = self.line_before.may_have_begun(line.process, line.position)
        self._check_groups(line, signed=signed)
        self.single_releases.check_line(
            groups,
            line.observation,
            line.process,
            line.fitting,
            signed=signed,
            near=self.order_unclear,
        )
        return self._apply_group(line, line.mildest_group())

    def _is_known(self) -> bool:
        """Tell whether an earlier line told of the life that is going on; one whose end was told is
        over.
        """
        states = self.states()
        return self.is_alive and (states is None or not self.final.issuperset(states))

    def _reject_line(self, observation: Observation, fitting: int) -> None:
        """Count a line that no release that fits has; of a machine that none of them has it tells
        nothing.
        """
        if not fitting & self.spec.releases:
            self.observations -= 1
            return
        names = self.spec.family.ranges(fitting)
        why = f"not a line of {names}" if names else "no release fits"
        self.line_counts.count_rejected(why, observation, self.lines[observation.readings[0].entry])

    def _check_groups(self, line: JudgedLine, *, signed: bool) -> None:
        """Have each group judge the observation.

        Args:
            line: that is judged.
            signed: whether a life may have begun since the line before.
        """
        observation, process, position = line.observation, line.process, line.position
        before, is_numbered = self.line_before, observation.number is not None
        near = before.is_order_unclear(process, position, is_numbered=is_numbered)
        if self.known_variables is not None and before.process_began_since(process, position):
            self.known_variables.forget_all()
        for group in line.groups:
            is_plain_event = group.line.kinds[0] is LineKind.EVENT and group.reading.target is None
            (EventCheck if is_plain_event else ObservationCheck)(
                self, observation, process, group, signed
            ).judge()
        if near:
            line.doubt_order()
        self.order_unclear = near

    def _is_told_by_history(self, line: JudgedLine) -> bool:
        """Take in the place of a line in the history that several processes tell; True where
        nothing else is to be judged.
        """
        from statemachines.conform.judge.instance.retold_changes import Retold

        placed = line.observation.placed
        if placed is not None and placed.anew:
            self.line_before.has_begin_sign, self.line_before.is_beginning = True, False
            if self.known_variables is not None:
                self.known_variables.forget_all()
        done = Retold(self, line.observation, line.process, line.groups).compare()
        for finding in (finding for group in line.groups for finding in group.findings):
            self.add_finding(finding)
        if done:
            self.line_before.take_numbered(line.process, line.observation)
        return done

    # ----------------------------------------------------------------------------------------------
    # simple steps

    def _is_simple_step(self, observation: Observation, fitting: int) -> bool:
        """Say whether an observation is a told step from the one state that is believed, which
        nothing is to be said of.
        """
        return (
            self.known_variables is None
            and observation.placed is None
            and self.believed.exact == (fitting, observation.readings[0].source)
            and self.tables.is_simple_step(self.owner, fitting, observation.readings)
        )

    def _take_simple_step(
        self, observation: Observation, fitting: int, process: int
    ) -> tuple[StepRow, StatePoint]:
        reading, since = observation.readings[0], self.believed.named_since
        step = reading.source, reading.target, "told", process, observation.file, observation.line
        row = StepRow(self.incarnation, observation.at, observation.zone, *step, None, None, since)
        self.take_simple_steps(simple_steps_of([row]), observation, fitting)
        self.check_simple_step(observation, fitting, process)
        return row, point_after(row)

    def check_simple_step(self, observation: Observation, fitting: int, process: int) -> None:
        """Look at the properties of the machine after a simple step."""
        if self.property_checks is not None:
            self.property_checks.check_simple_step(observation, fitting, process)

    def take_simple_steps(self, steps: SimpleSteps, last: Observation, fitting: int) -> None:
        """Go where simple steps lead: the same as the table makes of them, and much cheaper; the
        properties of the machine are looked at elsewhere.

        Args:
            steps: what counts of them.
            last: the line of the last one.
            fitting: the releases that fit all of them.
        """
        row = steps.last
        self.finding_list.separate_later_ones()
        self.is_alive = True
        self.steps += steps.total
        beliefs = self.tables.exact_belief(self.owner, fitting, row.target or "")
        self.believed.take_simple_steps(steps, beliefs, fitting)
        self.is_over = self.line_before.has_begin_sign = self.line_before.is_beginning = False
        self.line_before.take(row.process, last)
        self.last_step = row.source, row.target or ""

    # ----------------------------------------------------------------------------------------------
    # what follows from a line

    def _apply_group(self, line: JudgedLine, chosen: ClassGroup) -> Sequence[StepRow | StatePoint]:
        """Put what was found into the state of the judge."""
        self.incarnation += chosen.begins_incarnation
        changed = bool(chosen.rows) or chosen.begins_incarnation
        if changed:
            self.finding_list.separate_later_ones()
        self.line_counts.count_cut_short(chosen, line.observation, line.process)
        values = None
        if self.known_variables is not None:
            values = follow_variables(
                self.known_variables, line.groups, chosen, in_doubt=self.order_unclear
            )
        change = values if self.keeps_values else None
        rows: list[StepRow | StatePoint] = []
        for row in line.step_rows(chosen, self.incarnation, change, self.believed):
            self.steps += row.how == "told"
            rows.append(row)
        for finding in chosen.findings:
            self.add_finding(finding)
        beliefs = line.beliefs()
        if beliefs and (point := self._believe(line, chosen, beliefs)) is not None:
            rows.append(point)
        self._end_line(line, chosen, changed=changed, believes=bool(beliefs))
        if self.property_checks is not None:
            self.property_checks.check_line(
                line.observation, line.fitting, line.process, line.groups, chosen, values
            )
        if chosen.has_step:
            self.last_step = chosen.reading.source, chosen.reading.target
        return rows

    def _believe(
        self, line: JudgedLine, chosen: ClassGroup, beliefs: dict[int, Belief]
    ) -> StatePoint | None:
        """Believe what a line tells; return a point where the believed states change."""
        observation = line.observation
        here = StatePoint(
            (),
            observation.at,
            observation.zone,
            line.process,
            observation.file,
            observation.line,
            bool(chosen.rows),
        )
        anew = chosen.line.kinds[0] is LineKind.BEGIN or self.line_before.process_began_since(
            line.process, line.position
        )
        point = self.believed.take_group(beliefs, chosen, here, anew=anew)
        fitting_classes = self.tables.fitting_classes(self.owner, line.fitting)
        self.believed.set_exact(
            line.fitting, all_classes_read=len(line.classes) == len(fitting_classes)
        )
        if chosen.begins_incarnation:
            self._remember_start(line)
        return point

    def _remember_start(self, line: JudgedLine) -> None:
        """Remember where the new life's program began, where the process says so."""
        start = self.line_before.start_since(line.process, line.position)
        if start is not None and self.point is not None:
            self.incarnation_start = IncarnationStart(start, self.point)

    def _end_line(
        self, line: JudgedLine, chosen: ClassGroup, *, changed: bool, believes: bool
    ) -> None:
        """Let the line be the one before, and note what it says of beginning and end."""
        kind, before = chosen.line.kinds[0], self.line_before
        self.is_over = kind is LineKind.END or (self.is_over and not changed)
        before.take_signs(kind, believes=believes)
        if believes or not before.is_known:
            before.take(line.process, line.observation)
