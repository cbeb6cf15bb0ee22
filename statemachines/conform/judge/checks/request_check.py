"""A line that tells what became of a request: ignored, refused, raised, failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import field

from statemachines.conform.judge.checks.state_check import StateCheck
from statemachines.conform.judge.tables.release_tables import ReleaseClass, possible_states
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    Otherwise,
    Transition,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.values import frozen

ClassTransition = tuple[ReleaseClass, Transition]


@frozen
class _AllowedRequest:
    """What the spec says of a request."""

    always: bool
    """Every release that fits grants it, wherever the instance may be."""
    never: bool
    """None does anywhere."""
    expected: Sequence[Otherwise | None] = field(default=())
    """What becomes of it then."""


class RequestCheck(StateCheck):
    """One observation of what became of a request, as one group of classes reads it."""

    def _judge_request(self, kinds: tuple[LineKind, ...]) -> None:
        """A request was swallowed, refused or raised, or a legal move failed."""
        if self.source is not None:
            self._judge_state(self.source)
        if self.group.reading.event is not None and self.target is None:
            allowed, move, what = self._asked_event()
        else:
            allowed, move, what = self._asked_move()
        kind = _told_kind(kinds, allowed)
        if kind is not LineKind.FAILED and allowed.always:
            verdict = Verdict.INCONCLUSIVE if kind is LineKind.IGNORED else Verdict.VIOLATED
            message = f"{what} is allowed, and was {kind} all the same"
            self.add_finding("contradiction", verdict, message, outcome=str(kind))
            return
        reason = self.observation.reason
        self.add_finding(
            str(kind),
            Verdict.HOLDS,
            request_message(kind, move, allowed.expected, reason),
            outcome=outcome_text(kind, allowed.expected, reason),
        )

    def _asked_move(self) -> tuple[_AllowedRequest, str, str]:
        """Return what the spec says of a request for a state, and how it is named."""
        states = self.instance.states() or ()
        source = self.source or (next(iter(states)) if len(states) == 1 else None)
        target = self.target
        move = f"{source or '?'} -> {target or '?'}"
        if source is None or target is None:
            return _AllowedRequest(always=False, never=False), move, move
        allowed = [rules.allows(source, target) for rules in self.classes]
        never = not any(allowed)
        expected = [rules.request_fallback(source, target) for rules in self.classes]
        return _AllowedRequest(all(allowed), never, expected if never else ()), move, move

    def _asked_event(self) -> tuple[_AllowedRequest, str, str]:
        """Return what the spec says of an event, wherever the instance may be, and its name."""
        event = self.group.reading.event or ""
        where = [
            (rules, state) for rules in self.classes for state in sorted(self._may_be_in(rules))
        ]
        taken = [list(self._transitions_from(rules, state)) for rules, state in where]
        always = all(any(map(self._is_certain, transitions)) for transitions in taken)
        never = not any(taken)
        expected = [rules.event_fallback(state, event) for rules, state in where] if never else ()
        states = self.instance.states() or ()
        believed = " or ".join((self.source,) if self.source else states)
        name = f"`{event}`{self.argument_text()}" + (f" in {believed}" if believed else "")
        return _AllowedRequest(always and bool(where), never, expected), name, name

    def _may_be_in(self, rules: ReleaseClass) -> frozenset[str]:
        """Return where the instance may be when an event comes: where it was believed to be, or
        where unseen steps lead from there.
        """
        if self.source is not None:
            return frozenset([self.source])
        return possible_states(rules, self.beliefs[rules.releases], self.shown_lines)

    def _event_transitions(self) -> Iterable[ClassTransition]:
        event = self.group.reading.event
        return (
            (rules, transition)
            for rules in self.classes
            for transition in rules.all_transitions
            if transition.event == event
        )

    def _transitions_from(self, rules: ReleaseClass, state: str) -> Iterator[ClassTransition]:
        """Yield what may take the event in a state, with all that is known of values."""
        return (
            (of_class, transition)
            for of_class, transition in self._event_transitions()
            if of_class is rules
            and transition.source == state
            and not self._is_refused(rules, transition)
        )

    def _is_refused(self, rules: ReleaseClass, transition: Transition) -> bool:
        known = self.instance.known_variables
        return known is not None and known.rules_out(rules, transition, self.group.reading)

    def _is_certain(self, of_class: ClassTransition) -> bool:
        """Say whether a transition takes the event whatever the values are."""
        rules, transition = of_class
        known = self.instance.known_variables
        return transition.taken and (
            transition.case is None
            or (known is not None and known.is_certain(rules, transition, self.group.reading))
        )


def _told_kind(kinds: tuple[LineKind, ...], allowed: _AllowedRequest) -> LineKind:
    """Return what became of a request; of one text for two things the spec decides which."""
    if len(kinds) > 1:
        is_refused = allowed.never and LineKind.REFUSED in kinds
        return LineKind.REFUSED if is_refused else kinds[-1]
    return kinds[0]


_LINE_KIND_BY_FALLBACK = {
    FallbackKind.IGNORE: LineKind.IGNORED,
    FallbackKind.REFUSE: LineKind.REFUSED,
    FallbackKind.RAISE: LineKind.RAISED,
    FallbackKind.FORCE: LineKind.FORCED,
}


def outcome_text(kind: LineKind, expected: Sequence[Otherwise | None], reason: str) -> str:
    """Say what became of a request: `ignored`, `refused`, `raised SomeException`, `failed`."""
    errors = [entry.error for entry in expected if entry is not None and entry.error]
    if kind is LineKind.RAISED and errors:
        return f"raised {errors[-1]}"
    return str(kind) if kind is not LineKind.FAILED or not reason else f"failed: {reason}"


def request_message(
    kind: LineKind,
    move: str,
    expected: Sequence[Otherwise | None],
    reason: str,
) -> str:
    """Say what was asked, what came of it, and where the spec expects something else."""
    if kind is LineKind.FAILED:
        return f"{move} was tried and failed" + (f": {reason}" if reason else "")
    kinds = {
        _LINE_KIND_BY_FALLBACK[entry.does] if entry is not None else LineKind.REFUSED
        for entry in expected
    }
    differs = (
        f"; the spec expected it to be {' or '.join(sorted(kinds))}"
        if kinds and kind not in kinds
        else ""
    )
    return f"{move} was asked for, and {kind}{differs}"
