"""A state that is observed: how the instance came to be in it, by the table of
`docs/judging.md`.
"""

from __future__ import annotations

from collections.abc import Sequence

from statemachines.conform.judge.checks.group_check import GroupCheck
from statemachines.conform.judge.tables.release_tables import (
    ReleaseClass,
    possible_states,
)
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.evidence.verdicts import Verdict

RESTART_MS = 60_000
"""So long as this, a silence may hide that a program was ended and begun anew."""


class StateCheck(GroupCheck):
    """Judges states that are told."""

    def _judge_state(self, state: str, begins: bool = False) -> None:
        """The instance is told to be in a state."""
        self.has_begin_sign = self.has_begin_sign or (
            begins and not self.instance.single_incarnation
        )
        self._judge_reaching(state, self.classes)
        self.group.beliefs = {rules.releases: frozenset((state,)) for rules in self.classes}

    def _doubt(self, kinds: LineKind) -> None:
        """The instance may be in a state from here on, or is in another one of those in which it
        may be, if there is one. A line that has a source tells where it was until here.
        """
        if self.source is not None:
            self._judge_state(self.source)
        state, known = self.group.reading.state or "", self.beliefs | self.group.beliefs
        if kinds is LineKind.IS_NOT and all(
            known[rules.releases] == frozenset((state,)) and not self._leaves(rules, state)
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
            self.group.beliefs = dict.fromkeys(known)
            return
        for releases, belief in known.items():
            if belief is not None:
                self.group.beliefs[releases] = (
                    belief | {state} if kinds is LineKind.MAY_BE else (belief - {state} or belief)
                )

    def _leaves(self, rules: ReleaseClass, state: str) -> bool:
        """Say whether steps that this file does not show may have led elsewhere."""
        return possible_states(rules, (state,), self.shown_lines) != {state}

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
        return bool(begins) and not begins & self.shown_lines

    def _follows_soon(self) -> bool:
        """Say whether a line comes so soon after the one that made the state that no program was
        ended and begun anew in between.
        """
        before, now = self.instance.point, self.observation.at
        return (
            before is not None
            and before.at is not None
            and now is not None
            and now - before.at <= RESTART_MS
        )

    def _follows_if_untrue(self, state: str, classes: Sequence[ReleaseClass]) -> bool:
        """Say whether the line before was forbidden and this one follows if it was not true: a
        fault is told once.
        """
        instead, shown = self.instance.states_if_untrue, self.shown_lines
        return bool(instead) and any(
            rules.paths.unseen_path(instead, state, shown) is not None for rules in classes
        )
