"""Judging one instance: a fold over its observations in their order.

Each class of releases that fits has a belief of its own; where classes disagree, the mildest word counts. The rules are those of
`docs/judging.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING

from statemachines.conform.alone import Releasing
from statemachines.conform.events import EventHearing
from statemachines.conform.hearing import Group, Hearing
from statemachines.conform.judged import ANY, Belief, Found, Marked, Reborn, StatePoint, StepRow, Unjudgeable
from statemachines.conform.observations import Observation, Position
from statemachines.conform.processes import Context
from statemachines.conform.repeats import more_reasons
from statemachines.conform.rules import Rules
from statemachines.conform.tables import Tables
from statemachines.model.loglines import Says
from statemachines.model.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.knowing import Knowing
    from statemachines.conform.looking import Looking
    from statemachines.conform.properties import Moved

COUNTED = {"failed", "ignored", "refused", "raised"}
LISTED = 100
"""Findings that are not HOLDS are listed so often an instance, then counted."""
MARKED = {Says.NOTE, Says.ASKED}
"""What a line that is counted says: nothing of states, or what was asked for."""


class Judge:
    """Judges the observations of one instance, given one after the other."""

    def __init__(self, context: Context, tables: Tables, owner: int) -> None:
        self.context, self.tables, self.owner = context, tables, owner
        self.spec = context.plan.specs[owner]
        self.lines = {line.number: line for line in (self.spec.log.lines if self.spec.log else ())}
        self.beliefs: dict[int, Belief] = {}
        self.life, self.observations, self.steps = 1, 0, 0
        self.point: StatePoint | None = None
        self.before: StatePoint | None = None
        """The point before the last."""
        self.findings: list[Found] = []
        self.unjudged: dict[str, Unjudgeable] = {}
        self.marks: dict[str, Marked] = {}
        self.marked: str | None = None
        """What the observation that was judged last is counted for."""
        self.over = False
        self.reborn: Reborn | None = None
        self.one_life = self.spec.log is not None and self.spec.log.generation is not None
        """A key with a generation names one life: no sign of a beginning touches it."""
        self.knowing = tables.knowing(owner)
        """What the log tells of the instance's variables; None where its lines tell none."""
        self.looking = self._looking()
        """Looks at the machine's properties; None where there are none that logs can be judged by."""
        self.near = False
        """Whether the order of this line and the one before cannot be told."""
        self.alone = Releasing(self)
        """What single releases would say."""
        self._sign = False
        self._last: tuple[int, Position] | None = None
        self._counted: dict[tuple[object, ...], Found] = {}
        self._listed = 0
        self._exact: tuple[int, str] | None = None
        """What fits, and the one state in which every class of it believes."""
        self.told: tuple[str | None, str | None] | None = None
        self.instead: frozenset[str] = frozenset()

    def _looking(self) -> Looking | None:
        watch = self.tables.watch(self.owner)
        if watch is None:
            return None
        from statemachines.conform.looking import Looking

        return Looking(self, watch)

    def trial(self) -> Judge:
        """Return a judge that goes on from here by itself, without the properties: this one hears nothing of what it finds."""
        other = copy(self)
        other.findings, other._counted = [], {}
        other.unjudged, other.marks = dict(self.unjudged), dict(self.marks)
        other.knowing = self.knowing.copy() if self.knowing is not None else None
        other.looking = None
        other.alone = self.alone.copy(other)
        return other

    # ------------------------------------------------------------------------------------------------------ one observation

    def feed(self, seen: Observation) -> Iterator[StepRow | StatePoint]:
        """Judge one observation.

        Yields:
            The timeline rows that it proves, and a point where the believed states change.
        """
        self.observations += 1
        number = self.context.process(seen)
        process = self.context.processes[number]
        position = self.context.position(seen)
        fitting = process.fitting(self.owner, self.spec.family.name, position)
        if self._is_plain(seen, fitting):
            yield from self._step(seen, fitting, number, position)
            if self.looking is not None:
                self.looking.plain(seen, fitting, number)
            return
        heard = self.tables.heard(self.owner, fitting, seen.tellings)
        groups = [Group(seen.tellings[place], self.lines[seen.tellings[place].line], classes) for place, classes in heard]
        if not groups:
            self._not_heard(seen, fitting)
            return
        if mark := next((group.line.mark for group in groups if group.line.says[0] in MARKED and group.line.mark), ""):
            self._mark(mark, seen, number)
        if all(group.line.says == (Says.NOTE,) for group in groups):
            if self.knowing is not None:
                self._note(self.knowing, groups, seen, fitting, number, position)
            self.observations -= 1
        else:
            self._hear(groups, seen, number, position)
            self.alone.look(groups, seen, number, fitting, signed=self._is_signed(number, position), near=self.near)
            chosen = min(groups, key=lambda group: (group.worst, -group.classes[-1].releases.bit_length()))
            yield from self._take(seen, number, position, fitting, groups, chosen)

    def _not_heard(self, seen: Observation, fitting: int) -> None:
        """Count a line that no release that fits has; of a machine that none of them has it tells nothing."""
        if fitting & self.spec.releases:
            self._unjudged(self._not_a_line(fitting), seen)
            line = self.lines[seen.tellings[0].line]
            self.marked = line.mark if line.says[0] in MARKED and line.mark else None
        else:
            self.observations -= 1

    def _hear(self, groups: list[Group], seen: Observation, number: int, position: Position) -> None:
        """Have each group judge the observation."""
        near, signed = self._is_near(number, position), self._is_signed(number, position)
        if self.knowing is not None and self._began_since(number, position):
            self.knowing.forget()
        for group in groups:
            untold = group.line.says[0] is Says.EVENT and group.telling.target is None
            (EventHearing if untold else Hearing)(self, seen, number, group, signed).judge()
            if near:
                _doubt_order(group.findings)
        self.near = near

    def _is_near(self, number: int, position: Position) -> bool:
        """Tell whether the line before is another process's, and so near that the clocks cannot tell which was first."""
        before = self._last
        if before is None or before[0] == number:
            return False
        return abs(position.reached - before[1].reached) <= self.context.plan.options.tolerance_ms

    def _is_signed(self, number: int, position: Position) -> bool:
        """Tell whether a life may have begun since the line before."""
        return (self._sign or self._began_since(number, position)) and not self.one_life

    def _began_since(self, number: int, position: Position) -> bool:
        """Tell whether the process of the line before began anew since: what was known of its values is over."""
        before = self._last
        return before is not None and before[0] == number and self.context.processes[number].began_between(before[1], position)

    def _is_plain(self, seen: Observation, fitting: int) -> bool:
        """Say whether an observation is a told step from the one state that is believed, which nothing is to be said of."""
        telling = seen.tellings[0]
        if (
            self.knowing is not None
            or self._exact != (fitting, telling.source)
            or len(seen.tellings) > 1
            or telling.target is None
            or telling.source is None
        ):
            return False
        line = self.lines[telling.line]
        everywhere = not fitting & self.spec.releases & ~telling.releases
        plain = line.says == (Says.STEP,) and not line.echo and everywhere
        return plain and self.tables.is_plain(self.owner, fitting, telling.source, telling.target)

    def _step(self, seen: Observation, fitting: int, number: int, position: Position) -> Iterator[StepRow | StatePoint]:
        """Take a plain step: the same as `Hearing` and `_take` make of it, and much cheaper."""
        telling = seen.tellings[0]
        target = telling.target or ""
        self._counted.clear()
        self.steps += 1
        yield StepRow(self.life, seen.at, seen.zone, telling.source, target, "told", number, seen.file, seen.line)
        self.instead = frozenset()
        self.beliefs = self.tables.exact(self.owner, fitting, target)
        self._exact = fitting, target
        self.before, self.point = self.point, StatePoint((target,), seen.at, seen.zone, number, seen.file, seen.line, True)
        yield self.point
        self.over, self._sign = False, False
        self._last, self.told = (number, position), (telling.source, target)

    def _take(
        self, seen: Observation, number: int, position: Position, fitting: int, groups: list[Group], chosen: Group
    ) -> Iterator[StepRow | StatePoint]:
        """Put what was found into the state of the judge."""
        says = chosen.line.says[0]
        if chosen.new_life:
            self.life += 1
        after: dict[int, Belief] = {}
        for group in groups:
            after |= group.beliefs
        changed = bool(chosen.rows) or chosen.new_life
        if changed:
            self._counted.clear()
        for source, target, how in chosen.rows:
            told = how in ("told", "unknown")
            self.steps += how == "told"
            life = self.life - (how == "ended unseen")
            yield StepRow(life, seen.at, seen.zone, source, target, how, number, seen.file, seen.line if told else 0)
        for finding in chosen.findings:
            self.add(finding)
        if after:
            self.instead = chosen.instead
            yield from self._believe(after, seen, number, chosen)
            self._exact = self._one_state(fitting, groups)
            if chosen.new_life:
                self._reborn(number, position)
        self.over = says == Says.END or (self.over and not changed)
        self._sign = says in (Says.BEGIN, Says.END) or (self._sign and not after)
        if after or self._last is None:
            self._last = number, position
        values = self._know(self.knowing, groups, chosen) if self.knowing is not None else None
        if self.looking is not None:
            self.looking.after(seen, fitting, number, groups, chosen, values)
        if chosen.made:
            self.told = chosen.telling.source, chosen.telling.target

    def _reborn(self, number: int, position: Position) -> None:
        """Remember where the new life's program began, where the process says so."""
        before, begins = self._last, self.context.processes[number].begins
        place = bisect_right(begins, before[1]) if before is not None and before[0] == number else len(begins)
        if place < len(begins) and begins[place] < position and self.point is not None:
            self.reborn = Reborn(begins[place], self.point)

    @property
    def heard(self) -> Position | None:
        """Where the last line stands that was judged."""
        return self._last[1] if self._last is not None else None

    def _know(self, knowing: Knowing, groups: list[Group], chosen: Group) -> Moved:
        """Follow the variables: through a beginning, through what a told step may have taken, then what the line itself tells.

        Returns:
            What is known right before the step that the line tells, and after it.
        """
        classes = [rules for group in groups for rules in group.classes]
        taken = [entry for group in groups for entry in group.taken]
        begins = chosen.new_life or chosen.line.says[0] is Says.BEGIN
        if begins:
            knowing.begin(classes)
        alone = all(how in ("told", "ended unseen") for _, _, how in chosen.rows)
        before = knowing.held() if alone else None
        if taken and alone:
            knowing.step(taken, chosen.telling, stays=any(group.stays for group in groups))
        elif not begins and (chosen.rows or chosen.made or any(finding.kind == "forbidden" for finding in chosen.findings)):
            knowing.forget()
        knowing.told(classes, chosen.telling)
        values = knowing.moved(before, in_doubt=self.near)
        if chosen.line.says[0] is Says.END:
            knowing.forget()
        return values

    def _note(self, knowing: Knowing, groups: list[Group], seen: Observation, fitting: int, number: int, position: Position) -> None:
        """Take in the values that a line tells which says nothing of states, and look at the properties that they decide."""
        classes = [rules for group in groups for rules in group.classes]
        if self._began_since(number, position):
            knowing.forget()
        shown = self.tables.shown(self.context, number, seen.file, self.owner)
        knowing.forget_unseen(classes, shown)
        knowing.told(classes, groups[0].telling)
        if self.looking is not None and groups[0].telling.values and len(groups) == 1:
            anew, near = self._is_signed(number, position), self._is_near(number, position)
            self.looking.note(seen, fitting, number, groups[0], shown, knowing.moved(None, in_doubt=near), anew=anew)

    def _one_state(self, fitting: int, groups: list[Group]) -> tuple[int, str] | None:
        """Return what fits and the one state that every class of it believes in; None where they do not agree."""
        asked = sum(len(group.classes) for group in groups)
        states = self.states()
        return (fitting, states[0]) if states and len(states) == 1 and asked == len(self.tables.classes(self.owner, fitting)) else None

    def _believe(self, after: dict[int, Belief], seen: Observation, number: int, chosen: Group) -> Iterator[StatePoint]:
        self.beliefs = after
        states = self.states()
        if states is None:
            self.before, self.point = self.point, None
        elif self.point is None or self.point.states != states or chosen.rows or chosen.new_life:
            self.before = self.point
            self.point = StatePoint(states, seen.at, seen.zone, number, seen.file, seen.line, bool(chosen.rows))
            yield self.point

    def states(self) -> tuple[str, ...] | None:
        """Return the states that the instance may be in, in the author's order; None: any."""
        found: set[str] = set()
        for belief in self.beliefs.values():
            if belief is None:
                return None
            found |= belief
        return tuple(dict.fromkeys(s.name for s in self.spec.states if s.name in found)) if self.beliefs else None

    def believed(self, rules: Rules) -> Belief:
        """Return the states that a class of releases believes in; what another class believed holds where it was not asked before."""
        if rules.releases in self.beliefs or not self.beliefs:
            return self.beliefs.get(rules.releases, ANY)
        states = self.states()
        return ANY if states is None else frozenset(states)

    # ------------------------------------------------------------------------------------------------------------- findings

    def add(self, finding: Found) -> None:
        """Take in a finding; equal ones are counted."""
        step = finding.source, finding.target
        key = (finding.kind, finding.process, finding.life, *step, finding.outcome, finding.verdict, finding.rule)
        counts = finding.kind in COUNTED and finding.verdict == Verdict.HOLDS
        known = self._counted.get(key)
        if known is not None and (counts or self._listed >= LISTED):
            known.count += 1
            known.last_file, known.last_line = finding.seen.file, finding.seen.line
            return
        finding.life = self.life
        finding.last_file, finding.last_line = finding.seen.file, finding.seen.line
        self._counted[key] = finding
        self._listed += finding.verdict != Verdict.HOLDS
        self.findings.append(finding)

    def _unjudged(self, why: str, seen: Observation) -> None:
        known = self.unjudged.get(why)
        self.unjudged[why] = known._replace(times=known.times + 1) if known else Unjudgeable(why, 1, seen.file, seen.line, seen.text)

    def _mark(self, mark: str, seen: Observation, number: int) -> None:
        """Count what a line that tells nothing of states is counted for."""
        self.marked = mark
        point = StatePoint((), seen.at, seen.zone, number, seen.file, seen.line, False)
        known = self.marks.get(mark) or Marked(mark, 0, point, point)
        self.marks[mark] = Marked(mark, known.times + 1, known.first, point, more_reasons(known.reasons, seen.reason))

    def _not_a_line(self, fitting: int) -> str:
        names = self.spec.family.ranges(fitting)
        return f"not a line of {names}" if names else "no release fits"


def _doubt_order(findings: list[Found]) -> None:
    """Soften what rests on the order of lines of two processes that is within the tolerance of their clocks."""
    for finding in findings:
        if finding.kind in ("gap", "began again", "impossible"):
            finding.verdict = Verdict.INCONCLUSIVE
            finding.message += "; the line before is another process's, and their clocks cannot tell which was first"
