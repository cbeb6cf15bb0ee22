"""The rules of one instance of a system, looked at wherever one of its parts moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from statemachines.conform.systems.part_timelines import (
    PartTimeline,
    States,
    source_logs,
    state_after,
    state_before,
    step_ms,
    unsteady_variables,
    with_possible_states,
)
from statemachines.conform.systems.system_account import DecisionCounts, RuleQuestion
from statemachines.conform.systems.system_history import KnownStates, SystemHistory
from statemachines.conform.systems.system_properties import (
    SystemProperty,
    concerns,
    judgeable_properties,
)
from statemachines.conform.systems.unseen_completion import (
    KnownAnswers,
    PartStepQuery,
    UnseenCompletion,
)
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.evidence.reports import Finding, Place, TimelineStep
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.system.system_tables import system_tables

_IN_FLIGHT_MS = 50
"""Milliseconds by which the line of a part may be behind that of the part that it follows; a second
where times have no milliseconds.
"""


_SLOW_MS = 1_000
"""Milliseconds by which it may be behind where all stood still, or the part was busy."""


_UNOBSERVED_PART = "; only a part that no line tells of would explain it"


_ORDER_UNKNOWN = "; the order of the lines cannot be told"


_LOST_LINES = "; lines at the end of a part's that are not in the log would explain it"


class JudgedSystem:
    """One instance of a system in a log.

    Complexity: linear in the steps, times the instances that belong together; what is asked again
    is not gone through again.
    """

    def __init__(
        self,
        spec: SystemSpecDefinition,
        system: SystemDefinition,
        timelines: Sequence[PartTimeline],
        tolerance: int,
        fitting: Callable[[TimelineStep], ReleaseSet],
        known: KnownAnswers,
    ) -> None:
        tables = system_tables(system)
        self.spec, self.system = spec, system
        self.fitting = fitting
        """The releases that fit a line."""
        self.counts: dict[RuleQuestion, DecisionCounts] = {}
        """How often a rule was decided, and how often it was not."""
        unsteady = {machine.name: unsteady_variables(machine) for _, machine in spec.machines}
        self.parts = [
            with_possible_states(
                timeline,
                tables.tables[timeline.part],
                unsteady[tables.parts[timeline.part].machine],
            )
            for timeline in timelines
        ]
        self.completion = UnseenCompletion(system, self.parts, known)
        self.flight_ms = (
            1_000
            if all(step_ms(step) % 1_000 == 0 for timeline in timelines for step in timeline.steps)
            else _IN_FLIGHT_MS
        )
        self.has_one_log = len(source_logs(timelines)) == 1
        self.near_ms = self.flight_ms if self.has_one_log else max(tolerance, self.flight_ms)
        self.history = SystemHistory(spec, tables, self.parts)
        self.followers = {
            (link.on, link.send.part)
            for link in system.links
            if link.send is not None and not link.deferred
        }
        """Parts, and those whose step follows one of theirs."""

    def findings(self) -> Iterator[Finding]:
        """Yield what is broken: each rule where it begins to be."""
        for rule in judgeable_properties(self.system):
            yield from (
                self._invariant_findings(rule) if rule.is_invariant else self._step_findings(rule)
            )

    def _invariant_findings(self, rule: SystemProperty) -> Iterator[Finding]:
        """Look at a rule after each step, and at how long it stays broken."""
        began: tuple[int, KnownStates] | None = None
        for index, known in enumerate(self.history.known_after_steps()):
            broken = self._evaluate(rule, self.history.step_at(index), known.states) is False
            if began is not None and not broken:
                yield from self._span_finding(rule, *began, index)
            began = (began if began is not None else (index, known)) if broken else None
        if began is not None:
            yield from self._span_finding(rule, *began, None)

    def _evaluate(
        self,
        rule: SystemProperty,
        step: TimelineStep,
        states: tuple[States, ...],
        move: PartStepQuery | None = None,
    ) -> bool | None:
        """Return whether a rule holds at a step (see `UnseenCompletion.decided`), and count it."""
        answer = self.completion.decided(rule.key, rule.holds, states, move)
        question = rule.kind, rule.name, self.fitting(step)
        decided, undecided = self.counts.get(question, (0, 0))
        self.counts[question] = (
            (decided, undecided + 1) if answer is None else (decided + 1, undecided)
        )
        return answer

    def _span_finding(
        self, rule: SystemProperty, began: int, states: KnownStates, end: int | None
    ) -> Iterator[Finding]:
        part, number = self.history.moves[began]
        since = step_ms(self.parts[part].steps[number])
        lasted = None if end is None else step_ms(self.history.step_at(end)) - since
        if lasted is not None and lasted <= self.flight_ms:
            return
        sure = (
            self._log_goes_on(began)
            if lasted is None
            else lasted > (_SLOW_MS if self._follows(began, end) else self.near_ms)
        )
        unsure = (
            self._excuse(rule, states, self.history.confirmed_states(states, part))
            if sure
            else _ORDER_UNKNOWN
        )
        yield self._make_finding(rule, part, number, states, unsure)

    def _excuse(
        self,
        rule: SystemProperty,
        states: KnownStates,
        proved: tuple[States, ...],
        move: PartStepQuery | None = None,
    ) -> str:
        """Say what could explain a break that the lines of the log do not; empty where nothing
        could.
        """
        if not self.completion.is_broken(rule.key, rule.holds, states.states, move):
            return _UNOBSERVED_PART
        return "" if self.completion.is_broken(rule.key, rule.holds, proved, move) else _LOST_LINES

    def _follows(self, began: int, end: int | None) -> bool:
        """Tell whether the step that ends a break is what follows the one that began it: it may
        only be slow.
        """
        return (
            end is not None
            and (
                self.parts[self.history.moves[began][0]].part,
                self.parts[self.history.moves[end][0]].part,
            )
            in self.followers
        )

    def _log_goes_on(self, index: int) -> bool:
        """Tell whether the log goes on for long enough after a move to see what comes of it."""
        first, last = self.history.moves[index], self.history.moves[-1]
        return (
            step_ms(self.parts[last[0]].steps[last[1]])
            - step_ms(self.parts[first[0]].steps[first[1]])
            > self.near_ms
        )

    def _step_findings(self, rule: SystemProperty) -> Iterator[Finding]:
        """Look at a rule of steps at each of them: as the lines stand, then with what may be behind
        or before them.
        """
        before = self.history.known_initially()
        for (part, number), after in zip(
            self.history.moves, self.history.known_after_steps(), strict=True
        ):
            step = self.parts[part].steps[number]
            if step.source is not None and concerns(
                rule, self.parts[part], step.source, step.target
            ):
                move = PartStepQuery(part, state_before(step), state_after(step))
                here = (
                    self.history.after_step(before, part, number)
                    if (part, number) in self.history.begins
                    else before
                )
                if self._evaluate(rule, step, here.states, move) is False:
                    yield from self._step_finding(rule, move, number, here, after)
            before = after

    def _step_finding(
        self,
        rule: SystemProperty,
        move: PartStepQuery,
        number: int,
        before: KnownStates,
        after: KnownStates,
    ) -> Iterator[Finding]:
        """Say that a step breaks a rule; where the lines of other parts are so near that their
        order means little, that it may.

        In one log the line of a part is written after those of the parts that it follows, so such a
        break cannot be told; in several logs the clocks say more than the lines.
        """
        part, at = move.part, step_ms(self.parts[move.part].steps[number])
        if self._is_broken(rule, self.history.states_around(at, self.near_ms, before), move):
            yield self._make_finding(
                rule,
                part,
                number,
                after,
                self._excuse(rule, before, self.history.confirmed_states(before, part), move),
            )
        elif self.has_one_log or self._is_broken(
            rule, self.history.states_around(at, self.flight_ms, before), move
        ):
            yield self._make_finding(rule, part, number, after, _ORDER_UNKNOWN)

    def _is_broken(
        self, rule: SystemProperty, states: tuple[States, ...], move: PartStepQuery
    ) -> bool:
        return self.completion.is_broken(rule.key, rule.holds, states, move, guess=False)

    def _make_finding(
        self, rule: SystemProperty, part: int, number: int, states: KnownStates, unsure: str
    ) -> Finding:
        """Return what is said of a break: VIOLATED unless something makes it unsure."""
        verdict = Verdict.INCONCLUSIVE if unsure else Verdict.VIOLATED
        step, anchor = self.parts[part].steps[number], self.parts[0].steps[0]
        spec = Place(self.spec.file, rule.span.line) if rule.span is not None else None
        message = f"{rule.name}: {rule.doc} ({self.history.states_message(states.states)}){unsure}"
        return Finding(
            "broken rule", verdict, self.spec.name, anchor.instance, step.process, step.at,
            step.place, step.text, step.source, step.target, None, (), (), None, None, spec, 1,
            message, rule=(rule.kind, rule.name),
        )  # fmt: skip
