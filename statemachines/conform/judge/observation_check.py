"""One observation, heard by the classes of releases that read it alike: what it proves, and what is
wrong with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from statemachines.conform.interchange.judgements import Belief, PendingFinding, StatePoint
from statemachines.conform.interchange.observations import LineReading, Observation
from statemachines.conform.judge.outcome_messages import outcome_text, request_message
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import (
    ReleaseClass,
    possible_states,
    shortest_path,
)
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition, Transition
from statemachines.model.evidence.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.judge.tables.known_variables import KnownVariables

STEP_LINE_KINDS = {LineKind.STEP, LineKind.FORCED, LineKind.EVENT}
"""What a line says that tells of a step."""
MOST_NAMES = 12
"""States that a message names."""
_RESTART_MS = 60_000
"""So long as this, a silence may hide that a program was ended and begun anew."""
PathStep = tuple["str | None", "str | None", str]
"""From, to and how a step is known."""


class JudgedInstance(Protocol):
    """What a hearing asks of the instance that is judged."""

    context: JudgingContext
    tables: JudgingTables
    owner: int
    spec: SpecDefinition
    incarnation: int
    is_over: bool
    single_incarnation: bool
    point: StatePoint | None
    states_if_untrue: frozenset[str]
    last_step: tuple[str | None, str | None] | None
    known_variables: KnownVariables | None

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


class ObservationCheck:
    """One observation as one group of classes reads it; `judge` fills the group."""

    def __init__(
        self,
        instance: JudgedInstance,
        seen: Observation,
        process: int,
        group: ClassGroup,
        signed: bool,
    ) -> None:
        self.instance, self.observation, self.process, self.group, self.has_begin_sign = (
            instance,
            seen,
            process,
            group,
            signed,
        )
        self.classes = group.classes
        self.source, self.target = group.reading.source, group.reading.target
        self.beliefs = {rules.releases: instance.class_belief(rules) for rules in group.classes}

    def judge(self) -> None:
        """Fill the group with what comes of the observation."""
        kinds, knowing = self.group.line.kinds, self.instance.known_variables
        if knowing is not None:
            knowing.forget_unseen(self.classes, self.shown_lines())
        if unknown := self._unknown_states():
            self._report_unknown_state(unknown)
            return
        match kinds[0]:
            case LineKind.STEP | LineKind.FORCED | LineKind.EVENT if self.target is not None:
                self._judge_step(forced=kinds[0] is LineKind.FORCED)
            case LineKind.IS | LineKind.BEGIN:
                state = self.group.reading.state or self.source
                if self.group.line.echo and state is not None and self._is_known_echo(state):
                    return
                if state is not None:
                    self._judge_state(state, begins=kinds[0] is LineKind.BEGIN)
                elif kinds[0] is LineKind.BEGIN and not self.instance.single_incarnation:
                    self._judge_unknown_begin()
            case LineKind.MAY_BE | LineKind.MAY_NOT_BE | LineKind.IS_NOT:
                self._doubt(kinds[0])
            case LineKind.ASKED | LineKind.NOTE | LineKind.END:
                if self.source is not None:
                    self._judge_state(self.source)
            case _:
                self._judge_outcome(kinds)

    # ----------------------------------------------------------------------------------------------
    # unknown states

    def _unknown_states(self) -> dict[str, str]:
        """Return the fields of the line that tell a state which the machine does not have, or not
        in these releases, and its name.
        """
        told = self.group.reading
        elsewhere = (
            {}
            if told.state is None or any(told.state in rules.states for rules in self.classes)
            else {"state": told.state}
        )
        return elsewhere | dict(told.unknown_states)

    def _report_unknown_state(self, unknown: dict[str, str]) -> None:
        """A line tells a state that nothing is known of: what it tells beside it counts, and behind
        it the instance may be anywhere.
        """
        reading, spec = self.group.reading, self.instance.spec
        if self.source is not None:
            self._judge_state(self.source)
        self.source, self.target = unknown.get("from", self.source), unknown.get("to", self.target)
        names = " and ".join(dict.fromkeys(unknown.values()))
        has = ", ".join(self.classes[-1].states[:MOST_NAMES]) + (
            ", …" if len(self.classes[-1].states) > MOST_NAMES else ""
        )
        why = (
            f"{names}: no state of {spec.name}, which has {has}; a spec that has it would decide"
            " what may follow"
        )
        self.add_finding("unknown state", Verdict.INCONCLUSIVE, why, source=unknown.get("state"))
        if self.group.line.kinds[0] not in STEP_LINE_KINDS and "state" not in unknown:
            return
        known = None if "to" in unknown or "state" in unknown else reading.target
        self.group.rows.append((reading.source, known, "unknown"))
        self.group.beliefs = {
            rules.releases: frozenset((known,)) if known else None for rules in self.classes
        }

    # ----------------------------------------------------------------------------------------------
    # steps

    def _judge_step(self, forced: bool) -> None:
        assert self.target is not None
        if self.group.line.echo and self._is_known_echo(self.target):
            return
        if self.source is None and not self._settle_source():
            return
        assert self.source is not None
        source, target = self.source, self.target
        legal = [rules for rules in self.classes if rules.allows(source, target)]
        if refusal := self._guard_refusal(legal, source, target):
            self._report_guard(source, target, refusal)
        elif not legal or (forced and len(legal) < len(self.classes)):
            self._report_forbidden_step(forced)
        else:
            self._judge_reaching(source, legal)
            if not any(rules.takes(source, target) for rules in legal):
                self.add_finding(
                    "unusual",
                    Verdict.HOLDS,
                    f"{source} -> {target} stands in the table, and the code never takes it",
                )
        self.group.rows.append((source, target, "told"))
        self.group.has_step = True
        self.group.beliefs = {rules.releases: frozenset((target,)) for rules in self.classes}

    def _guard_refusal(self, legal: Sequence[ReleaseClass], source: str, target: str) -> str | None:
        """Return the known values by which no release can take a step that its table has; None: it
        may be, and `taken` says by what.
        """
        knowing, reading = self.instance.known_variables, self.group.reading
        if knowing is None or not legal:
            return None
        transitions = [
            (rules, transition)
            for rules in legal
            for transition in rules.transitions
            if (transition.source, transition.target) == (source, target)
        ]
        transitions = [
            (rules, transition)
            for rules, transition in transitions
            if reading.event in (None, transition.event)
        ] or transitions
        self.group.possible_transitions = [
            (rules, transition)
            for rules, transition in transitions
            if not knowing.rules_out(rules, transition, reading)
        ]
        return None if self.group.possible_transitions else knowing.message()

    def _report_guard(self, source: str, target: str, refusal: str) -> None:
        """A guard is false on what the log tells."""
        why = f"{source} -> {target} is not allowed: its guard does not hold with {refusal}"
        self.add_finding("forbidden", Verdict.VIOLATED, why, outcome="done")

    def _is_known_echo(self, target: str) -> bool:
        """Say whether an echo only repeats what another line tells, or will tell."""
        instance = self.instance
        if instance.last_step == (self.source, target) or (
            self.source is None and instance.states() == (target,)
        ):
            return True
        shown = instance.tables.lines_shown_anywhere(instance.context, self.process, instance.owner)
        transitions = (
            (rules, transition)
            for rules in self.classes
            for transition in rules.transitions
            if transition.target == target and self.source in (None, transition.source)
        )
        return any(
            not line.echo and line.index in shown
            for rules, transition in transitions
            for line in rules.lines_by_step[transition.source, transition.target]
        )

    def _settle_source(self) -> bool:
        """Find the state that a step began in which names only its target; False where the line
        only says what is.
        """
        target = self.target
        assert target is not None
        starts = (s for rules in self.classes for s in rules.initial if rules.allows(s, target))
        if self._is_of_later_life(target) and (start := next(starts, None)) is not None:
            self.source = start
            return True
        for rules in self.classes:
            belief = self.beliefs[rules.releases]
            may_be_there = belief is None or target in belief
            if may_be_there and not rules.allows(target, target):
                self._judge_state(target)
                return False
        sources = [s for rules in self.classes for s in rules.states if rules.allows(s, target)]
        believed = [s for s in sources if any(b is None or s in b for b in self.beliefs.values())]
        reached = [s for s in sources if self._unseen_path(s, self.classes) is not None]
        self.source = next(iter(believed or reached or sources), None)
        if self.source is None:
            self._judge_state(target)
        return self.source is not None

    def _report_forbidden_step(self, forced: bool) -> None:
        source, target = self.source, self.target
        spec = self.instance.spec
        legal_in = sum(
            rules.releases
            for rules in self.instance.tables.all_classes(self.instance.owner)
            if rules.allows(source or "", target or "")
        )
        where = (
            f"; legal in {spec.family.ranges(legal_in)}" if legal_in and spec.family.name else ""
        )
        done = ", done all the same" if forced else ""
        self.add_finding(
            "forbidden",
            Verdict.VIOLATED,
            f"{source} -> {target} is not allowed{done}{where}",
            legal_in=legal_in,
            outcome="done",
        )
        if not forced:
            self.group.states_if_untrue = frozenset(
                (
                    source or "",
                    *(
                        state
                        for rules in self.classes
                        for state in rules.legal_targets.get(source or "", ())
                    ),
                )
            )

    # ----------------------------------------------------------------------------------------------
    # what is told to be

    def _judge_state(self, state: str, begins: bool = False) -> None:
        """The instance is told to be in a state."""
        self.has_begin_sign = self.has_begin_sign or (
            begins and not self.instance.single_incarnation
        )
        self._judge_reaching(state, self.classes)
        self.group.beliefs = {rules.releases: frozenset((state,)) for rules in self.classes}

    def _doubt(self, kinds: LineKind) -> None:
        """The instance may be in a state from here on, or is in another one of those in which it
        may be, if there is one.
        """
        state, told = self.group.reading.state or "", self.beliefs
        if kinds is LineKind.IS_NOT and all(
            told[rules.releases] == frozenset((state,)) and not self._leaves(rules, state)
            for rules in self.classes
        ):
            paths = [
                rules
                for rules in self.classes
                if any(rules.takes(state, other) for other in rules.states if other != state)
            ]
            verdict = Verdict.INCONCLUSIVE if paths else Verdict.VIOLATED
            self.add_finding(
                "gap" if paths else "impossible",
                verdict,
                f"{self._belief_message()}, and is not; the log should show how it left {state}",
            )
            self.group.beliefs = dict.fromkeys(told)
            return
        for releases, belief in told.items():
            if belief is not None:
                self.group.beliefs[releases] = (
                    belief | {state} if kinds is LineKind.MAY_BE else (belief - {state} or belief)
                )

    def _leaves(self, rules: ReleaseClass, state: str) -> bool:
        """Say whether steps that this file does not show may have led elsewhere."""
        return possible_states(rules, (state,), self.shown_lines()) != {state}

    def _judge_unknown_begin(self) -> None:
        """A life begins, and the line does not say in which state: what was believed is over unless
        a life may begin there.
        """
        if all(
            not (self.beliefs[rules.releases] or rules.initial) & rules.initial
            for rules in self.classes
        ):
            self._begin_incarnation()
            self.group.beliefs = {rules.releases: rules.initial for rules in self.classes}

    def _judge_reaching(self, state: str, classes: Sequence[ReleaseClass]) -> None:
        """Judge how the instance came to be in a state: the rows of the table of `docs/judging.md`
        from the second on.
        """
        beliefs = [self.beliefs[rules.releases] for rules in classes]
        if any(belief is None or state in belief for belief in beliefs):
            self._judge_repeated_state(state, classes)
            return
        if unseen := self._unseen_path(state, classes):
            self.group.rows += unseen
            return
        initial = any(state in rules.initial for rules in classes)
        begins = self.has_begin_sign or self._may_begin_unseen(classes)
        if begins and (begun := self._unseen_path_from_initial(state, classes)) is not None:
            self._begin_incarnation()
            self.group.rows += begun
        elif self._follows_if_untrue(state, classes):
            return
        elif path := self._shortest_path(state, classes):
            self._report_gap(path)
        elif initial:
            self._report_began_again(state)
        elif self._may_be_over(classes) and (
            lost := self._shortest_path_from_initial(state, classes)
        ):
            self._report_lost_beginning(lost)
        else:
            self._report_impossible(state)

    def _judge_repeated_state(self, state: str, classes: Sequence[ReleaseClass]) -> None:
        """Judge a state that is believed: it is told again, unless a line told since that the life
        is over, and the state is none in which a life ends: then it is a later life's.
        """
        if not self._is_of_later_life(state):
            return
        if (begun := self._unseen_path_from_initial(state, classes)) is not None:
            self._begin_incarnation()
            self.group.rows += begun
        elif lost := self._shortest_path_from_initial(state, classes):
            self._report_lost_beginning(lost)

    def _is_of_later_life(self, state: str) -> bool:
        """Say whether a line told that the life is over before this one tells of a state, in which
        no life ends.
        """
        is_final = all(state in rules.final for rules in self.classes)
        return self.instance.is_over and not self.instance.single_incarnation and not is_final

    def _may_be_over(self, classes: Sequence[ReleaseClass]) -> bool:
        """Say whether the life that was believed may be over, so that what is told may be of a
        later one whose first lines are lost.

        A final state that may still be left (an error that only closing ends) does not end a life
        where the line tells that very way on: then its from-state is wrong, and a later life would
        explain everything.
        """
        if self.instance.single_incarnation:
            return False
        if self.has_begin_sign or self.instance.is_over:
            return True
        beliefs = [(rules, self.beliefs[rules.releases] or frozenset()) for rules in classes]
        goes_on = self._follows_soon() and all(
            rules.allows(state, self.target or "") for rules, belief in beliefs for state in belief
        )
        return not goes_on and any(belief and belief <= rules.final for rules, belief in beliefs)

    def _follows_soon(self) -> bool:
        """Say whether a line comes so soon after the one that made the state that no program was
        ended and begun anew in between.
        """
        before, now = self.instance.point, self.observation.at
        return (
            before is not None
            and before.at is not None
            and now is not None
            and now - before.at <= _RESTART_MS
        )

    def _follows_if_untrue(self, state: str, classes: Sequence[ReleaseClass]) -> bool:
        """Say whether the line before was forbidden and this one follows if it was not true: a
        fault is told once.
        """
        instead, shown = self.instance.states_if_untrue, self.shown_lines()
        return bool(instead) and any(
            shortest_path(rules, instead, state, rules.unseen.unseen_steps(shown)) is not None
            for rules in classes
        )

    def shown_lines(self) -> frozenset[int]:
        """Return the numbers of the lines that the file shows."""
        instance = self.instance
        return instance.tables.shown_lines(
            instance.context, self.process, self.observation.file, instance.owner
        )

    def _unseen_path(self, state: str, classes: Sequence[ReleaseClass]) -> list[PathStep] | None:
        """Return the rows of the shortest way over steps that this file does not show; None: there
        is none.
        """
        shown = self.shown_lines()
        for rules in reversed(classes):
            unseen = rules.unseen.unseen_steps(shown)
            path = shortest_path(rules, self.beliefs[rules.releases] or (), state, unseen)
            if path is not None:
                return [(a, b, unseen[a, b]) for a, b in path]
        return None

    def _may_begin_unseen(self, classes: Sequence[ReleaseClass]) -> bool:
        """Say whether the last life was over in this process, and the lines that tell of a
        beginning are none that this file shows.
        """
        point = self.instance.point
        over = all(
            (self.beliefs[rules.releases] or rules.initial) <= rules.final for rules in classes
        )
        if (
            self.instance.single_incarnation
            or not over
            or point is None
            or point.process != self.process
        ):
            return False
        begins = {
            line.index for rules in classes for line in rules.lines if LineKind.BEGIN in line.kinds
        }
        return bool(begins) and not begins & self.shown_lines()

    def _unseen_path_from_initial(
        self, state: str, classes: Sequence[ReleaseClass]
    ) -> list[PathStep] | None:
        """Return the rows of the shortest way from where a life begins over steps that this file
        does not show; None: there is none.
        """
        shown = self.shown_lines()
        for rules in reversed(classes):
            unseen = rules.unseen.unseen_steps(shown)
            path = shortest_path(rules, rules.initial, state, unseen)
            if path is not None:
                return [(a, b, unseen[a, b]) for a, b in path]
        return None

    def _shortest_path(self, state: str, classes: Sequence[ReleaseClass]) -> list[PathStep] | None:
        shown = self.shown_lines()
        for rules in reversed(classes):
            path = shortest_path(rules, self.beliefs[rules.releases] or (), state)
            if path is not None:
                unseen = rules.unseen.unseen_steps(shown)
                return [(a, b, unseen.get((a, b), "missing")) for a, b in path]
        return None

    def _shortest_path_from_initial(
        self, state: str, classes: Sequence[ReleaseClass]
    ) -> list[PathStep] | None:
        """Return the rows of the shortest path from where a life begins; None: there is none."""
        shown = self.shown_lines()
        for rules in reversed(classes):
            path = shortest_path(rules, rules.initial, state)
            if path is not None:
                unseen = rules.unseen.unseen_steps(shown)
                return [(a, b, unseen.get((a, b), "missing")) for a, b in path]
        return None

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

    def _report_gap(self, path: list[PathStep]) -> None:
        missing = tuple(f"{a} -> {b}" for a, b, how in path if how == "missing")
        self.add_finding(
            "gap",
            Verdict.INCONCLUSIVE,
            f"{self._belief_message()}; the log should show {', '.join(missing)} in between",
            missing=missing,
        )
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

    def _begin_incarnation(self) -> None:
        instance = self.instance
        states = instance.states() or ()
        finals = {s for rules in self.classes for s in rules.final}
        if not instance.is_over and not set(states) <= finals:
            self.group.rows.append((states[0] if len(states) == 1 else None, None, "ended unseen"))
        self.group.begins_incarnation = True

    # ----------------------------------------------------------------------------------------------
    # outcomes

    def _judge_outcome(self, kinds: tuple[LineKind, ...]) -> None:
        """A request was swallowed, refused or raised, or a legal move failed."""
        if self.source is not None:
            self._judge_state(self.source)
        source = self.source or (
            next(iter(states)) if (states := self.instance.states()) and len(states) == 1 else None
        )
        allowed = [
            source is not None and self.target is not None and rules.allows(source, self.target)
            for rules in self.classes
        ]
        known = source is not None and self.target is not None
        kind = kinds[0]
        if len(kinds) > 1:
            kind = (
                LineKind.REFUSED
                if known and not any(allowed) and LineKind.REFUSED in kinds
                else kinds[-1]
            )
        if kind is not LineKind.FAILED and known and all(allowed):
            verdict = Verdict.INCONCLUSIVE if kind is LineKind.IGNORED else Verdict.VIOLATED
            self.add_finding(
                "contradiction",
                verdict,
                f"{source} -> {self.target} is allowed, and was {kind} all the same",
                outcome=str(kind),
            )
            return
        expected = (
            [rules.request_fallback(source or "", self.target or "") for rules in self.classes]
            if known and not any(allowed)
            else []
        )
        self.add_finding(
            str(kind),
            Verdict.HOLDS,
            request_message(kind, source, self.target, expected, self.observation.reason),
            outcome=outcome_text(kind, expected, self.observation.reason),
        )

    # ----------------------------------------------------------------------------------------------
    # words

    def _belief_message(self) -> str:
        states = self.instance.states() or ()
        point = self.instance.point
        name = self.instance.context.files[point.file].name if point else ""
        return f"was {' or '.join(states)}" + (f" ({name}:{point.line})" if point else "")

    def _legal_targets(self) -> tuple[str, ...]:
        rules = self.classes[-1]
        states = self.instance.states() or ((self.source,) if self.source else ())
        return tuple(
            dict.fromkeys(
                target for state in states for target in rules.legal_targets.get(state, ())
            )
        )

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
    ) -> None:
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
                self._legal_targets(),
                missing,
                instance.point,
                legal_in,
                message,
            )
        )
