"""The rules of one instance of a system, looked at wherever one of its parts moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from statemachines.conform.interchange.versioned_properties import unjudgeable_reason
from statemachines.conform.systems.part_timelines import (
    PartTimeline,
    States,
    possible_states,
    state_after,
    state_before,
    step_ms,
    unsteady_variables,
    with_possible_states,
)
from statemachines.conform.systems.partial_conditions import SystemCondition, system_condition
from statemachines.conform.systems.step_order import merge_steps, source_logs
from statemachines.conform.systems.unseen_completion import AskedPartStep, UnseenCompletion
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import (
    Link,
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.diagnosis.spans import Span
from statemachines.model.evidence.reports import Finding, Place, TimelineStep
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.expression_nodes import Implies
from statemachines.semantics.evaluation.partial_evaluation import PartialValuation
from statemachines.semantics.system.system_tables import system_tables

IN_FLIGHT_MS = 50
"""Milliseconds by which the line of a part may be behind that of the part that it follows; a second
where times have no milliseconds.
"""


SLOW_MS = 1_000
"""Milliseconds by which it may be behind where all stood still, or the part was busy."""
UNOBSERVED_PART = "; only a part that no line tells of would explain it"
ORDER_UNKNOWN = "; the order of the lines cannot be told"
LOST_LINES = "; lines at the end of a part's that are not in the log would explain it"


ONLY_IF = "only if"
"""The claim of a link."""
DecisionCounts = tuple[int, int]
RuleQuestion = tuple[str, str, ReleaseSet]
"""Claim and name of a rule, and the releases that fit where it was asked."""


@frozen
class KnownStates:
    """What is known of each life at one moment."""

    counts: tuple[int, ...]
    """How many of its steps are told."""
    states: tuple[States, ...]


@frozen
class SystemProperty:
    """What is looked at: over each moment, or over each step of some part."""

    kind: str
    name: str
    doc: str
    holds: SystemCondition
    is_invariant: bool
    """Over each moment; a break that lasts no longer than a line is behind is none."""
    span: Span | None
    link: Link | None = None
    """Where a link's `only if` says it: the steps that it speaks of."""

    @property
    def key(self) -> object:
        """What tells it from the system's other rules: two links may be called alike."""
        return self.kind, self.name, self.link.index if self.link else None


def judgeable_properties(system: SystemDefinition) -> tuple[SystemProperty, ...]:
    """Return what can be looked at in logs: `always`, `each step`, and the `only if` of links that
    speak of states.
    """
    told = [
        _from_property(system, one) for one in system.data.properties if not unjudgeable_reason(one)
    ]
    asked = [
        _from_link(system, link)
        for link in system.links
        if link.only_if is not None and (link.enters or link.leaves)
    ]
    return (*told, *asked)


def _from_property(system: SystemDefinition, rule: Property) -> SystemProperty:
    tables, node = system_tables(system), rule.holds
    assert node is not None
    return SystemProperty(
        str(rule.kind),
        rule.name,
        rule.doc or "does not hold",
        system_condition(tables, node),
        rule.kind is PropertyKind.ALWAYS,
        rule.span,
    )


def link_name(link: Link) -> str:
    """Return how a link is called whose `only if` does not hold."""
    if link.event is not None:
        return f"{link.on} takes {link.event} too early"
    states = " or ".join((*(link.enters or ()), *(link.leaves or ())))
    return f"{link.on} {'enters' if link.enters else 'leaves'} {states} too early"


def _from_link(system: SystemDefinition, link: Link) -> SystemProperty:
    tables, asked = system_tables(system), link.only_if
    assert asked is not None
    node = asked if link.guard is None else Implies(link.guard, asked, type=asked.type)
    allows = system_condition(tables, node)

    def holds(_: PartialValuation, before: PartialValuation | None, key: Value) -> bool | None:
        assert before is not None  # what a link asks is asked of steps only
        return allows(before, None, key)

    doc = link.doc or "the system forbids it"
    return SystemProperty(ONLY_IF, link_name(link), doc, holds, False, link.span, link)


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
                life, tables.tables[life.part], unsteady[tables.parts[life.part].machine]
            )
            for life in timelines
        ]
        self.completion = UnseenCompletion(system, self.parts)
        self.flight_ms = (
            1_000
            if all(step_ms(step) % 1_000 == 0 for life in timelines for step in life.steps)
            else IN_FLIGHT_MS
        )
        self.has_one_log = len(source_logs(timelines)) == 1
        self.near_ms = self.flight_ms if self.has_one_log else max(tolerance, self.flight_ms)
        self.moves = list(merge_steps(timelines))
        self.initial = tables.tables[timelines[0].part].state_names(
            tables.tables[timelines[0].part].initial
        )
        self.shows_restarts = bool(spec.family.name)
        """Whether its programs may say when they begin, which is for a family to tell: then a step
        out of an initial state may be the first of a new run, else its timeline says what is.
        """
        self.anywhere: list[States] = [
            possible_states(tables.tables[life.part].states)
            | (frozenset() if life.is_always_there else {None})
            for life in timelines
        ]
        """Of a part that was there before the whole began anew: it may be in any state, and it need
        not be there.
        """
        self.entered = list(self._find_entered())
        """Of each life the last beginning of the whole before its first step, as the number of that
        step; -1 without any.
        """
        self.followers = {
            (link.on, link.send.part)
            for link in system.links
            if link.send is not None and not link.deferred
        }
        """Parts, and those whose step follows one of theirs."""

    def findings(self) -> Iterator[Finding]:
        """Yield what is broken: each rule where it begins to be; a link's only where no rule says
        it already.
        """
        reported = set[Place | None]()
        for rule in judgeable_properties(self.system):
            for finding in (
                self._invariant_findings(rule) if rule.is_invariant else self._step_findings(rule)
            ):
                if rule.link is None or finding.place not in reported:
                    reported.add(finding.place)
                    yield finding

    def _invariant_findings(self, rule: SystemProperty) -> Iterator[Finding]:
        """Look at a rule after each step, and at how long it stays broken."""
        began: tuple[int, KnownStates] | None = None
        for index, seen in enumerate(self._known_after_steps()):
            broken = self._evaluate(rule, self._step_at(index), seen.states) is False
            if began is not None and not broken:
                yield from self._span_finding(rule, *began, index)
            began = (began if began is not None else (index, seen)) if broken else None
        if began is not None:
            yield from self._span_finding(rule, *began, None)

    def _evaluate(
        self,
        rule: SystemProperty,
        step: TimelineStep,
        states: tuple[States, ...],
        move: AskedPartStep | None = None,
    ) -> bool | None:
        """Return whether a rule holds at a step, as `Completing.decided` does, and count it."""
        answer = self.completion.decided(rule.key, rule.holds, states, move)
        asked = rule.kind, rule.name, self.fitting(step)
        decided, undecided = self.counts.get(asked, (0, 0))
        self.counts[asked] = (
            (decided, undecided + 1) if answer is None else (decided + 1, undecided)
        )
        return answer

    def _known_after_steps(self) -> Iterator[KnownStates]:
        """Yield what is known after each step."""
        seen = self._known_initially()
        for move in self.moves:
            seen = self._after_step(seen, *move)
            yield seen

    def _after_step(self, seen: KnownStates, life: int, number: int) -> KnownStates:
        """Return what is known after one more step; where the whole begins anew, what was known of
        its parts is of no use.
        """
        counts, states = list(seen.counts), list(seen.states)
        if life == 0 and self._is_begin(number):
            states = [
                self._states_at_begin(index, number, count, states[index])
                for index, count in enumerate(counts)
            ]
        counts[life], states[life] = number + 1, self.parts[life].states_after(number + 1)
        return KnownStates(tuple(counts), tuple(states))

    def _states_at_begin(self, life: int, number: int, count: int, state: States) -> States:
        """Return what is known of a part when the whole begins: of one that was there before
        nothing.
        """
        if count:
            return self.anywhere[life]
        return self.parts[life].states_after(0) if self.entered[life] == number else state

    def _known_initially(self) -> KnownStates:
        """Return what is known before the first step."""
        known = zip(self.parts, self.anywhere, self.entered, strict=True)
        states = (
            anywhere if entered >= 0 and index else life.states_after(0)
            for index, (life, anywhere, entered) in enumerate(known)
        )
        return KnownStates(tuple(0 for _ in self.parts), tuple(states))

    def _find_entered(self) -> Iterator[int]:
        """Yield of each life the last beginning of the whole before its first step."""
        found, began = dict[int, int](), -1
        for life, number in self.moves:
            began = number if life == 0 and self._is_begin(number) else began
            found.setdefault(life, began)
        yield from (found[life] for life in range(len(self.parts)))

    def _is_begin(self, number: int) -> bool:
        """Tell whether a step of the one that there is exactly once is the first of a life."""
        steps = self.parts[0].steps
        if number > 0 and steps[number - 1].life != steps[number].life:
            return True
        return self.shows_restarts and steps[number].source in self.initial

    def _span_finding(
        self, rule: SystemProperty, began: int, seen: KnownStates, end: int | None
    ) -> Iterator[Finding]:
        life, number = self.moves[began]
        since = step_ms(self.parts[life].steps[number])
        lasted = None if end is None else step_ms(self._step_at(end)) - since
        if lasted is not None and lasted <= self.flight_ms:
            return
        sure = (
            self._log_goes_on(began)
            if lasted is None
            else lasted > (SLOW_MS if self._follows(began, end) else self.near_ms)
        )
        unsure = (
            self._excuse(rule, seen, self._confirmed_states(seen, life)) if sure else ORDER_UNKNOWN
        )
        yield self._make_finding(rule, life, number, seen, unsure)

    def _excuse(
        self,
        rule: SystemProperty,
        seen: KnownStates,
        proved: tuple[States, ...],
        move: AskedPartStep | None = None,
    ) -> str:
        """Say what could explain a break that the lines of the log do not; empty where nothing
        could.
        """
        if not self.completion.is_broken(rule.key, rule.holds, seen.states, move):
            return UNOBSERVED_PART
        return "" if self.completion.is_broken(rule.key, rule.holds, proved, move) else LOST_LINES

    def _step_at(self, index: int) -> TimelineStep:
        life, number = self.moves[index]
        return self.parts[life].steps[number]

    def _follows(self, began: int, end: int | None) -> bool:
        """Tell whether the step that ends a break is what follows the one that began it: it may
        only be slow.
        """
        return (
            end is not None
            and (self.parts[self.moves[began][0]].part, self.parts[self.moves[end][0]].part)
            in self.followers
        )

    def _confirmed_states(self, seen: KnownStates, mover: int) -> tuple[States, ...]:
        """Return where each instance may be even if lines behind its last one were lost; the one
        that just moved is where its line says.
        """
        told = zip(self.parts, seen.counts, seen.states, strict=True)
        return tuple(
            (
                one.states_if_lost | (frozenset() if one.is_always_there else {None})
                if index != mover and count == len(one.steps) and count
                else states
            )
            for index, (one, count, states) in enumerate(told)
        )

    def _log_goes_on(self, index: int) -> bool:
        """Tell whether the log goes on for long enough after a move to see what comes of it."""
        first, last = self.moves[index], self.moves[-1]
        return (
            step_ms(self.parts[last[0]].steps[last[1]])
            - step_ms(self.parts[first[0]].steps[first[1]])
            > self.near_ms
        )

    def _step_findings(self, rule: SystemProperty) -> Iterator[Finding]:
        """Look at a rule of steps at each of them: as the lines stand, then with what may be behind
        or before them.
        """
        before = self._known_initially()
        for (life, number), after in zip(self.moves, self._known_after_steps(), strict=True):
            told = self.parts[life].steps[number]
            if told.source is not None and _concerns(
                rule, self.parts[life], told.source, told.target
            ):
                move = AskedPartStep(life, state_before(told), state_after(told))
                here = (
                    self._after_step(before, life, number)
                    if life == 0 and self._is_begin(number)
                    else before
                )
                if self._evaluate(rule, told, here.states, move) is False:
                    yield from self._step_finding(rule, move, number, here, after)
            before = after

    def _step_finding(
        self,
        rule: SystemProperty,
        move: AskedPartStep,
        number: int,
        before: KnownStates,
        after: KnownStates,
    ) -> Iterator[Finding]:
        """Say that a step breaks a rule; where the lines of other parts are so near that their
        order means little, that it may.

        In one log the line of a part is written after those of the parts that it follows, so such a
        break cannot be told; in several logs the clocks say more than the lines.
        """
        life, at = move.life, step_ms(self.parts[move.life].steps[number])
        if self._is_broken(rule, self._states_around(at, self.near_ms, before), move):
            yield self._make_finding(
                rule,
                life,
                number,
                after,
                self._excuse(rule, before, self._confirmed_states(before, life), move),
            )
        elif self.has_one_log or self._is_broken(
            rule, self._states_around(at, self.flight_ms, before), move
        ):
            yield self._make_finding(rule, life, number, after, ORDER_UNKNOWN)

    def _is_broken(
        self, rule: SystemProperty, states: tuple[States, ...], move: AskedPartStep
    ) -> bool:
        return self.completion.is_broken(rule.key, rule.holds, states, move, guess=False)

    def _states_around(self, at: int, span: int, seen: KnownStates) -> tuple[States, ...]:
        """Return the states in which each instance may be within a span of milliseconds around a
        moment.
        """
        told = zip(self.parts, seen.counts, seen.states, strict=True)
        return tuple(
            states | one.states_around(at - span, at + span, count) for one, count, states in told
        )

    def _make_finding(
        self, rule: SystemProperty, life: int, number: int, seen: KnownStates, unsure: str
    ) -> Finding:
        """Return what is said of a break: VIOLATED unless something makes it unsure."""
        verdict = Verdict.INCONCLUSIVE if unsure else Verdict.VIOLATED
        step, anchor = self.parts[life].steps[number], self.parts[0].steps[0]
        spec = Place(self.spec.file, rule.span.line) if rule.span is not None else None
        message = f"{rule.name}: {rule.doc} ({self._states_message(seen.states)}){unsure}"
        return Finding(
            "broken rule", verdict, self.spec.name, anchor.instance, step.process, step.at,
            step.place, step.text, step.source, step.target, None, (), (), None, None, spec, 1,
            message, rule=(rule.kind, rule.name),
        )  # fmt: skip

    def _states_message(self, states: tuple[States, ...]) -> str:
        """Say in which state each part is."""
        told = zip(self.parts, self.anywhere, states, strict=True)
        named = (
            (one, sorted({state.state for state in known if state}))
            for one, anywhere, known in told
            if known != anywhere
        )
        return ", ".join(
            f"{one.key or one.part} {' or '.join(known)}" for one, known in named if known
        )


def _concerns(
    rule: SystemProperty, timeline: PartTimeline, source: str, target: str | None
) -> bool:
    """Tell whether a rule looks at a step."""
    if rule.link is None:
        return True
    if rule.link.on != timeline.part or source == target:
        return False
    return (
        target in rule.link.enters
        if rule.link.enters is not None
        else source in (rule.link.leaves or ())
    )
