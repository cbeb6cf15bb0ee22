"""A line that reports an event and not where it led: the machine knows."""

from __future__ import annotations

from statemachines.conform.judge.checks.group_check import PathStep
from statemachines.conform.judge.checks.observation_check import ObservationCheck
from statemachines.conform.judge.checks.request_check import ClassTransition
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.evidence.verdicts import Verdict

_FINDING_KIND_BY_FALLBACK = {"ignore": "ignored", "raise": "raised", "force": "forbidden"}
"""What the spec does with an event that no transition takes, to the kind of finding; anything else
is refused.
"""


class EventCheck(ObservationCheck):
    """One observation of an event, as one group of classes reads it."""

    def judge(self) -> None:
        """It led to where its transitions lead from the states in which the instance may be; what
        known values forbid is none of them.
        """
        known = self.instance.known_variables
        if known is not None:
            known.forget_unseen(self.classes, self.shown_lines)
        if unknown := self._unknown_states():
            self._report_unknown_state(unknown)
            return
        if self.source is not None:
            self._judge_state(self.source)
        may = {rules.releases: self._may_be_in(rules) for rules in self.classes}
        here = [
            (rules, transition)
            for rules, transition in self._event_transitions()
            if transition.source in may[rules.releases]
        ]
        taken = [
            (rules, transition)
            for rules, transition in here
            if not self._is_refused(rules, transition)
        ]
        if taken:
            self._follow_event(taken, may)
        elif begins := self._initial_transitions(may):
            self._begin_incarnation()
            self._follow_event(begins, {rules.releases: rules.initial for rules in self.classes})
        elif not self._apply_fallback(may) and not self._explain_by_lost_lines(
            {rules.releases for rules, _ in here}
        ):
            self._report_forbidden_event(guarded=bool(here))

    def _initial_transitions(self, may: dict[int, frozenset[str]]) -> list[ClassTransition]:
        """Return what takes the event where a life begins, if a sign says that one began since; one
        that only began is no other.
        """
        if not self.has_begin_sign:
            return []
        return [
            (rules, transition)
            for rules, transition in self._event_transitions()
            if transition.source in rules.initial - may[rules.releases]
        ]

    def _follow_event(self, taken: list[ClassTransition], may: dict[int, frozenset[str]]) -> None:
        """Follow the event; where a guard cannot be told, the spec may also say that the event
        changes nothing.
        """
        stays = {
            rules.releases: self._unchanged_states(rules, taken, may[rules.releases])
            for rules in self.classes
        }
        sources, targets = (
            dict.fromkeys(ends)
            for ends in zip(
                *((transition.source, transition.target) for _, transition in taken), strict=True
            )
        )
        self.group.possible_transitions, self.group.may_change_nothing = taken, any(stays.values())
        if len(targets) == 1 and not self.group.may_change_nothing:
            believed = [source for source in sources if self._is_believed(source)]
            possible = believed or list(sources)
            self.source, self.target = (
                possible[0] if len(possible) == 1 else None,
                next(iter(targets)),
            )
            if not self.group.begins_incarnation and not believed:
                self.group.rows += self._unseen_path(possible[0], self.classes) or []
            self.group.rows.append((self.source, self.target, "told"))
            self.group.has_step = True
        self.group.beliefs = {
            rules.releases: (
                frozenset(transition.target for other, transition in taken if other is rules)
                | stays[rules.releases]
            )
            for rules in self.classes
            if stays[rules.releases] or any(other is rules for other, _ in taken)
        }

    def _unchanged_states(
        self, rules: ReleaseClass, taken: list[ClassTransition], may: frozenset[str]
    ) -> frozenset[str]:
        """Return the states in which the event may have changed nothing: none of its transitions is
        sure to be taken, and the spec allows it.
        """
        known, event = self.instance.known_variables, self.group.reading.event or ""
        sure = {
            transition.source
            for other, transition in taken
            if other is rules
            and (
                transition.case is None
                or (known is not None and known.is_certain(rules, transition, self.group.reading))
            )
        }
        return frozenset(
            state for state in may - sure if _fallback_changes_nothing(rules, state, event)
        )

    def _is_believed(self, state: str) -> bool:
        return any(belief is None or state in belief for belief in self.beliefs.values())

    def _apply_fallback(self, may: dict[int, frozenset[str]]) -> bool:
        """Say what the spec says of an event that no transition takes; False where it says
        nothing.
        """
        event = self.group.reading.event or ""
        known = [
            rules.event_fallback(state, event)
            for rules in self.classes
            for state in rules.states
            if state in may[rules.releases]
        ]
        if any(entry is not None and entry.quiet for entry in known):
            return True
        kinds = [
            _FINDING_KIND_BY_FALLBACK.get(str(entry.does), "refused")
            for entry in known
            if entry is not None
        ]
        if mild := next((kind for kind in kinds if kind != "forbidden"), None):
            self.add_finding(
                mild,
                Verdict.HOLDS,
                f"{event} in {self._believed_states_text()}: the spec says that it is {mild}",
                outcome=mild,
            )
        elif kinds and len(kinds) == len(known):
            why = f"{event} in {self._believed_states_text()}: the spec says that it is forbidden"
            self.add_finding("forbidden", Verdict.VIOLATED, why, outcome="forbidden")
        return bool(self.group.findings)

    def _explain_by_lost_lines(self, held_back: set[int]) -> bool:
        """Say whether lines that the log should show explain the event if they were lost: the rows
        of the table for what is told to be.

        Args:
            held_back: classes in which a guard that is false on told values forbids it, and not the
                state; these it does not explain.
        """
        if self.source is not None:
            return False
        transitions = [
            (rules, transition)
            for rules, transition in self._event_transitions()
            if rules.releases not in held_back and self._may_ever_take(rules, transition)
        ]
        gap_paths = [
            (path, rules, transition)
            for rules, transition in transitions
            if (path := self._shortest_path(transition.source, [rules])) is not None
        ]
        if gap_paths:
            self._follow_gap(gap_paths)
        elif begins := [
            (rules, transition)
            for rules, transition in transitions
            if transition.source in rules.initial
        ]:
            self._report_began_again(begins[0][1].source)
            self._follow_event(begins, {rules.releases: frozenset() for rules in self.classes})
        elif self.has_begin_sign or self.instance.is_over:
            self._explain_by_later_incarnation(transitions)
        return bool(gap_paths) or self.group.begins_incarnation

    def _explain_by_later_incarnation(self, transitions: list[ClassTransition]) -> None:
        """Tell the shortest way from where a life begins to what takes the event; nothing where no
        life comes there.
        """
        gap_paths = [
            (path, rules, transition)
            for rules, transition in transitions
            if (path := self._shortest_path_from_initial(transition.source, [rules]))
        ]
        if gap_paths:
            self._report_lost_beginning(
                min(reversed(gap_paths), key=lambda gap_path: len(gap_path[0]))[0]
            )
            self._continue_from(gap_paths)

    def _follow_gap(self, gap_paths: list[tuple[list[PathStep], ReleaseClass, Transition]]) -> None:
        """Tell the shortest way to the event, of the newest releases; go on from wherever one of
        the ways leads.
        """
        shortest, *_ = min(reversed(gap_paths), key=lambda gap_path: len(gap_path[0]))
        self._report_gap(shortest)
        self._continue_from(gap_paths)

    def _continue_from(
        self, gap_paths: list[tuple[list[PathStep], ReleaseClass, Transition]]
    ) -> None:
        """Go on from wherever one of some ways of lost steps and the event lead; what was known of
        variables is lost with them.
        """
        self._follow_event(
            [(rules, transition) for _, rules, transition in gap_paths],
            {rules.releases: frozenset() for rules in self.classes},
        )
        self.group.possible_transitions = []
        if not self.group.has_step:
            self.group.rows.clear()
        if self.instance.known_variables is not None:
            self.instance.known_variables.forget_all()

    def _may_ever_take(self, rules: ReleaseClass, transition: Transition) -> bool:
        """Tell whether a transition may take the event whatever the variables are."""
        known = self.instance.known_variables
        return transition.taken and not (
            known is not None
            and known.nothing_known().rules_out(rules, transition, self.group.reading)
        )

    def _report_forbidden_event(self, guarded: bool) -> None:
        """Nothing explains the event."""
        why = (
            f": no guard holds with {self.instance.known_variables.message()}"
            if guarded and self.instance.known_variables
            else ""
        )
        self.add_finding(
            "forbidden",
            Verdict.VIOLATED,
            f"{self.group.reading.event}{self.argument_text()} is not allowed in"
            f" {self._believed_states_text()}{why}",
            outcome="done",
        )
        self._believe_as_if_taken()

    def _believed_states_text(self) -> str:
        return " or ".join((self.source,) if self.source else self.instance.states() or ())

    def _believe_as_if_taken(self) -> None:
        """Go on from what was told, so that a fault is told once: the instance may be where the
        event leads, from wherever it was.
        """
        for rules in self.classes:
            belief, led = (
                self.beliefs[rules.releases],
                {
                    transition.target
                    for other, transition in self._event_transitions()
                    if other is rules
                },
            )
            if belief is not None and led:
                self.group.beliefs[rules.releases] = belief | led


def _fallback_changes_nothing(rules: ReleaseClass, state: str, event: str) -> bool:
    """Tell whether the spec says that an event that no transition takes changes nothing in a
    state.
    """
    entry = rules.event_fallback(state, event)
    return entry is not None and _FINDING_KIND_BY_FALLBACK.get(str(entry.does)) != "forbidden"
