"""The rules of one instance of a system, looked at wherever one of its parts moved."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from statemachines.conform.systems.known_histories import KnownHistories
from statemachines.conform.systems.part_timelines import (
    PartTimeline,
    States,
    source_logs,
    unsteady_variables,
    with_possible_states,
)
from statemachines.conform.systems.system_account import DecisionCounts, RuleQuestion
from statemachines.conform.systems.system_history import KnownStates
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
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.evidence.reports import Finding, Place
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

    Complexity: a rule is asked once of moves that are alike; beyond that, linear in the steps, once
    for all releases in which the parts may be in the same states.
    """

    def __init__(
        self,
        spec: SystemSpecDefinition,
        system: SystemDefinition,
        timelines: Sequence[PartTimeline],
        tolerance: int,
        histories: KnownHistories,
        known: KnownAnswers,
    ) -> None:
        tables = system_tables(system)
        self.spec, self.system = spec, system
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
            if all(timeline.observed.has_whole_seconds for timeline in timelines)
            else _IN_FLIGHT_MS
        )
        self.has_one_log = len(source_logs(timelines)) == 1
        self.near_ms = self.flight_ms if self.has_one_log else max(tolerance, self.flight_ms)
        self.history, self.alike = histories.history_of(
            tables, self.parts, self.completion.interchangeable
        )
        self.followers = {
            (link.on, link.send.part)
            for link in system.links
            if link.send is not None and not link.deferred
        }
        """Parts, and those whose step follows one of theirs."""

    def findings(self) -> Iterator[Finding]:
        """Yield what is broken: each rule where it begins to be."""
        for rule in judgeable_properties(self.system):
            answers = self._answers(rule)
            self._count_decisions(rule, answers)
            if broken := frozenset(move for move, answer in answers.items() if answer is False):
                yield from (
                    self._invariant_findings(rule, broken)
                    if rule.is_invariant
                    else self._step_findings(rule, broken)
                )

    def _answers(self, rule: SystemProperty) -> dict[int, bool | None]:
        """Return whether a rule holds (see `UnseenCompletion.decided`), by the numbers of the moves
        that it looks at.
        """
        examples = enumerate(self.alike.examples)
        if rule.is_invariant:
            return {
                move: self.completion.decided(
                    rule.key, rule.holds, self.history.known_after(index).states
                )
                for move, index in examples
            }
        return {
            move: self.completion.decided(
                rule.key, rule.holds, self.history.known_before(index).states, query
            )
            for move, index in examples
            if (query := self._query(rule, index)) is not None
        }

    def _query(self, rule: SystemProperty, index: int) -> PartStepQuery | None:
        """Return the step of a move as a rule of steps looks at it; None where it does not."""
        part, number = self.history.moves[index]
        source, target, has_source = self.parts[part].observed.kind(number)
        if not has_source or not concerns(rule, self.parts[part], source.state, target.state):
            return None
        return PartStepQuery(part, source, target)

    def _count_decisions(self, rule: SystemProperty, answers: dict[int, bool | None]) -> None:
        """Count how often a rule was decided, and how often it was not."""
        for (move, fitting), count in self.alike.tally.items():
            if move in answers:
                question = rule.kind, rule.name, fitting
                decided, undecided = self.counts.get(question, (0, 0))
                is_decided = answers[move] is not None
                self.counts[question] = (
                    decided + count * is_decided,
                    undecided + count * (not is_decided),
                )

    def _invariant_findings(
        self, rule: SystemProperty, broken: frozenset[int]
    ) -> Iterator[Finding]:
        """Yield where a rule begins to be broken, and look at how long it stays so."""
        times = self.history.merged.times
        for began, end in self.alike.spans(broken):
            if end is None or times[end] - times[began] > self.flight_ms:
                yield self._span_finding(rule, began, end)

    def _span_finding(self, rule: SystemProperty, began: int, end: int | None) -> Finding:
        (part, number), times = self.history.moves[began], self.history.merged.times
        sure = (
            self._log_goes_on(began)
            if end is None
            else times[end] - times[began]
            > (_SLOW_MS if self._follows(began, end) else self.near_ms)
        )
        states = self.history.known_after(began)
        unsure = (
            self._excuse(rule, states, self.history.confirmed_states(states, part))
            if sure
            else _ORDER_UNKNOWN
        )
        return self._make_finding(rule, part, number, states, unsure)

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

    def _follows(self, began: int, end: int) -> bool:
        """Tell whether the step that ends a break is what follows the one that began it: it may
        only be slow.
        """
        first, last = (self.parts[self.history.moves[index][0]] for index in (began, end))
        return (first.part, last.part) in self.followers

    def _log_goes_on(self, index: int) -> bool:
        """Tell whether the log goes on for long enough after a move to see what comes of it."""
        times = self.history.merged.times
        return times[-1] - times[index] > self.near_ms

    def _step_findings(self, rule: SystemProperty, broken: Container[int]) -> Iterator[Finding]:
        """Yield the steps that break a rule: as the lines stand, then with what may be behind or
        before them.
        """
        for index, move in enumerate(self.alike.numbers):
            query = self._query(rule, index) if move in broken else None
            if query is not None:
                before, after = self.history.known_before(index), self.history.known_after(index)
                number = self.history.moves[index][1]
                yield from self._step_finding(rule, query, number, before, after)

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
        part, at = move.part, self.parts[move.part].observed.times[number]
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
        step, anchor = self.parts[part].observed.step(number), self.parts[0].observed.step(0)
        spec = Place(self.spec.file, rule.span.line) if rule.span is not None else None
        message = f"{rule.name}: {rule.doc} ({self.history.states_message(states.states)}){unsure}"
        return Finding(
            "broken rule", verdict, self.spec.name, anchor.instance, step.process, step.at,
            step.place, step.text, step.source, step.target, None, (), (), None, None, spec, 1,
            message, rule=(rule.kind, rule.name),
        )  # fmt: skip
