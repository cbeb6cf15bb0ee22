"""A line that tells an event and not where it led: the machine knows."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.conform.hearing import Hearing
from statemachines.conform.rules import Rules, shortest
from statemachines.model.machines import Transition
from statemachines.model.verdicts import Verdict

KINDS = {"ignore": "ignored", "raise": "raised", "force": "forbidden"}
"""What the spec does with an event that no arrow takes, to the kind of finding; anything else is refused."""
Arrow = tuple[Rules, Transition]


class EventHearing(Hearing):
    """One observation of an event, as one group of classes reads it."""

    def judge(self) -> None:
        """It led to where its arrows lead from the states in which the instance may be; what known values forbid is none of them."""
        knowing = self.instance.knowing
        if knowing is not None:
            knowing.forget_unseen(self.classes, self.shown())
        if self.source is not None:
            self._is(self.source)
        may = {rules.releases: self._may_be_in(rules) for rules in self.classes}
        here = [(rules, arrow) for rules, arrow in self._arrows() if arrow.source in may[rules.releases]]
        taken = [(rules, arrow) for rules, arrow in here if not self._refuses(rules, arrow)]
        if taken:
            self._taken(taken, may)
        elif begins := self._begins(may):
            self._new_life()
            self._taken(begins, {rules.releases: rules.initial for rules in self.classes})
        else:
            self._not_taken(bool(here), may)

    def _arrows(self) -> Iterable[Arrow]:
        event = self.group.telling.event
        return ((rules, arrow) for rules in self.classes for arrow in rules.every if arrow.event == event)

    def _refuses(self, rules: Rules, arrow: Transition) -> bool:
        knowing = self.instance.knowing
        return knowing is not None and knowing.refuses(rules, arrow, self.group.telling)

    def _may_be_in(self, rules: Rules) -> frozenset[str]:
        """Return where the instance may be when the event comes: where it was believed to be, or where unseen steps lead from there."""
        if self.source is not None:
            return frozenset([self.source])
        belief = self.beliefs[rules.releases]
        if belief is None:
            return frozenset(rules.states)
        unseen = rules.unseen.under(self.shown())
        return frozenset(
            state for state in rules.states if state in belief or (unseen and shortest(rules, belief, state, unseen) is not None)
        )

    def _begins(self, may: dict[int, frozenset[str]]) -> list[Arrow]:
        """Return what takes the event where a life begins, if a sign says that one began since; one that only began is no other."""
        if not self.signed:
            return []
        return [(rules, arrow) for rules, arrow in self._arrows() if arrow.source in rules.initial - may[rules.releases]]

    def _taken(self, taken: list[Arrow], may: dict[int, frozenset[str]]) -> None:
        """Follow the event; where a guard cannot be told, the spec may also say that the event changes nothing."""
        stays = {rules.releases: self._may_stay(rules, taken, may[rules.releases]) for rules in self.classes}
        pairs = {(arrow.source, arrow.target) for _, arrow in taken}
        self.group.taken, self.group.stays = taken, any(stays.values())
        if len(pairs) == 1 and not self.group.stays:
            ((self.source, self.target),) = pairs
            if not self.group.new_life and not self._is_believed(self.source):
                self.group.rows += self._way(self.source, self.classes) or []
            self.group.rows.append((self.source, self.target, "told"))
            self.group.made = True
        self.group.beliefs = {
            rules.releases: frozenset(arrow.target for other, arrow in taken if other is rules) | stays[rules.releases]
            for rules in self.classes
            if stays[rules.releases] or any(other is rules for other, _ in taken)
        }

    def _may_stay(self, rules: Rules, taken: list[Arrow], may: frozenset[str]) -> frozenset[str]:
        """Return the states in which the event may have changed nothing: none of its arrows is sure to be taken, and the spec allows it."""
        knowing, event = self.instance.knowing, self.group.telling.event or ""
        sure = {
            arrow.source
            for other, arrow in taken
            if other is rules and (arrow.case is None or (knowing is not None and knowing.takes(rules, arrow, self.group.telling)))
        }
        return frozenset(state for state in may - sure if _is_mild(rules, state, event))

    def _is_believed(self, state: str) -> bool:
        return any(belief is None or state in belief for belief in self.beliefs.values())

    def _not_taken(self, guarded: bool, may: dict[int, frozenset[str]]) -> None:
        """An event came that no arrow takes: the spec says what becomes of it, else it may not be."""
        states, event = self.instance.states() or (), self.group.telling.event or ""
        known = [rules.decided_event(state, event) for rules in self.classes for state in rules.states if state in may[rules.releases]]
        kinds = [KINDS.get(str(entry.does), "refused") for entry in known if entry is not None]
        where = " or ".join((self.source,) if self.source else states)
        if mild := next((kind for kind in kinds if kind != "forbidden"), None):
            self.find(mild, Verdict.HOLDS, f"{event} in {where}: the spec says that it is {mild}", outcome=mild)
        elif kinds and len(kinds) == len(known):
            self.find("forbidden", Verdict.VIOLATED, f"{event} in {where}: the spec says that it is forbidden", outcome="forbidden")
        else:
            why = f": no guard holds with {self.instance.knowing.words()}" if guarded and self.instance.knowing else ""
            self.find("forbidden", Verdict.VIOLATED, f"{event} is not allowed in {where}{why}", outcome="done")
            self._as_if_taken()

    def _as_if_taken(self) -> None:
        """Go on from what was told, so that a fault is told once: the instance may be where the event leads, from wherever it was."""
        for rules in self.classes:
            belief, led = self.beliefs[rules.releases], {arrow.target for other, arrow in self._arrows() if other is rules}
            if belief is not None and led:
                self.group.beliefs[rules.releases] = belief | led


def _is_mild(rules: Rules, state: str, event: str) -> bool:
    """Tell whether the spec says that an event that no arrow takes changes nothing in a state."""
    entry = rules.decided_event(state, event)
    return entry is not None and KINDS.get(str(entry.does)) != "forbidden"
