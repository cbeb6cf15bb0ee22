"""Any observation but that of an event: what it proves, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence

from statemachines.conform.judge.checks.request_check import RequestCheck
from statemachines.conform.judge.tables.release_tables import (
    ReleaseClass,
)
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import FallbackKind
from statemachines.model.evidence.verdicts import Verdict

STEP_LINE_KINDS = {LineKind.STEP, LineKind.FORCED, LineKind.EVENT}
"""What a line says that tells of a step."""
MOST_NAMES = 12
"""States that a message names."""


class ObservationCheck(RequestCheck):
    """One observation as one group of classes reads it; `judge` fills the group."""

    def judge(self) -> None:
        """Fill the group with what comes of the observation."""
        kinds, knowing = self.group.line.kinds, self.instance.known_variables
        if knowing is not None:
            knowing.forget_unseen(self.classes, self.shown_lines)
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
                self._judge_request(kinds)

    def _unknown_states(self) -> dict[str, str]:
        """Return the fields of the line that tell a state which the machine does not have, or not
        in these releases, and its name.
        """
        reading = self.group.reading
        elsewhere = (
            {}
            if reading.state is None or any(reading.state in rules.states for rules in self.classes)
            else {"state": reading.state}
        )
        return elsewhere | dict(reading.unknown_states)

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
        is_step = self.group.line.kinds[0] in STEP_LINE_KINDS
        if not is_step and not unknown.keys() & {"state", "from"}:
            return
        known = reading.target if is_step and not unknown.keys() & {"state", "to"} else None
        self.group.rows.append((reading.source, known, "unknown"))
        self.group.beliefs = {
            rules.releases: frozenset((known,)) if known else None for rules in self.classes
        }

    def _judge_step(self, forced: bool) -> None:
        assert self.target is not None
        if self.group.line.echo and self._is_known_echo(self.target):
            return
        if self.source is None and forced:
            self.source = self._forced_source(self.target)
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
        step = f"{source} -> {target}{self.argument_text()}"
        why = f"{step} is not allowed: its guard does not hold with {refusal}"
        words = self._refusal_words(source, target)
        self.add_finding("forbidden", Verdict.VIOLATED, words + why, outcome="done", illegal=target)

    def _refusal_words(self, source: str | None, target: str | None) -> str:
        """Return why the spec refuses a step, as its author says it; of what becomes of a request
        otherwise its `doc` says what the program does, which it did not.
        """
        entry = self.classes[-1].request_fallback(source or "", target or "")
        if entry is None or entry.does is not FallbackKind.REFUSE or not entry.doc:
            return ""
        return f"{' '.join(entry.doc.split()).rstrip('.')}: "

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

    def _forced_source(self, target: str) -> str | None:
        """Return where a forced step began whose line names only its target: a state in which the
        instance is believed to be, where none of these allows the step.
        """
        believed = self.instance.states() or ()
        allowed = any(rules.allows(state, target) for rules in self.classes for state in believed)
        return None if allowed else next(iter(believed), None)

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
        words = self._refusal_words(source, target)
        done = ", done all the same" if forced else self._leading_call()
        self.add_finding(
            "forbidden",
            Verdict.VIOLATED,
            f"{words}{source} -> {target} is not allowed{done}{where}",
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

    def _leading_call(self) -> str:
        """Name the call that takes several moves of the table to get there; a log tells each."""
        pair = self.source, self.target
        call = next(
            (
                transition.event
                for rules in self.classes
                for transition in rules.all_transitions
                if (transition.source, transition.target) == pair
            ),
            None,
        )
        return f" (`{call}` leads there by several moves, each of which has a line)" if call else ""
