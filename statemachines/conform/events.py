"""A line that tells an event and not where it led: the machine knows."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.conform.hearing import Hearing, Row
from statemachines.conform.rules import Rules, may_be_in
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
        if unknown := self._unknown():
            self._is_unknown(unknown)
            return
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
        elif not self._otherwise(may) and not self._explained({rules.releases for rules, _ in here}):
            self._forbid(guarded=bool(here))

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
        return may_be_in(rules, self.beliefs[rules.releases], self.shown())

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

    def _otherwise(self, may: dict[int, frozenset[str]]) -> bool:
        """Say what the spec says of an event that no arrow takes; False where it says nothing."""
        event = self.group.telling.event or ""
        known = [rules.decided_event(state, event) for rules in self.classes for state in rules.states if state in may[rules.releases]]
        kinds = [KINDS.get(str(entry.does), "refused") for entry in known if entry is not None]
        if mild := next((kind for kind in kinds if kind != "forbidden"), None):
            self.find(mild, Verdict.HOLDS, f"{event} in {self._where()}: the spec says that it is {mild}", outcome=mild)
        elif kinds and len(kinds) == len(known):
            why = f"{event} in {self._where()}: the spec says that it is forbidden"
            self.find("forbidden", Verdict.VIOLATED, why, outcome="forbidden")
        return bool(self.group.findings)

    def _explained(self, held_back: set[int]) -> bool:
        """Say whether lines that the log should show explain the event if they were lost: the rows of the table for what is told to be.

        Args:
            held_back: classes in which a guard that is false on told values forbids it, and not the state; these it does not explain.
        """
        if self.source is not None:
            return False
        arrows = [(rules, arrow) for rules, arrow in self._arrows() if rules.releases not in held_back and self._ever_takes(rules, arrow)]
        ways = [(path, rules, arrow) for rules, arrow in arrows if (path := self._path(arrow.source, [rules])) is not None]
        if ways:
            self._after_a_gap(ways)
        elif begins := [(rules, arrow) for rules, arrow in arrows if arrow.source in rules.initial]:
            self._began_again(begins[0][1].source)
            self._taken(begins, {rules.releases: frozenset() for rules in self.classes})
        elif self.signed or self.instance.over:
            self._of_a_later_life(arrows)
        return bool(ways) or self.group.new_life

    def _of_a_later_life(self, arrows: list[Arrow]) -> None:
        """Tell the shortest way from where a life begins to what takes the event; nothing where no life comes there."""
        ways = [(path, rules, arrow) for rules, arrow in arrows if (path := self._path_of_a_life(arrow.source, [rules]))]
        if ways:
            self._lost_beginning(min(reversed(ways), key=lambda way: len(way[0]))[0])
            self._go_on(ways)

    def _after_a_gap(self, ways: list[tuple[list[Row], Rules, Transition]]) -> None:
        """Tell the shortest way to the event, of the newest releases; go on from wherever one of the ways leads."""
        shortest, *_ = min(reversed(ways), key=lambda way: len(way[0]))
        self._gap(shortest)
        self._go_on(ways)

    def _go_on(self, ways: list[tuple[list[Row], Rules, Transition]]) -> None:
        """Go on from wherever one of some ways of lost steps and the event lead; what was known of variables is lost with them."""
        self._taken([(rules, arrow) for _, rules, arrow in ways], {rules.releases: frozenset() for rules in self.classes})
        self.group.taken = []
        if not self.group.made:
            self.group.rows.clear()
        if self.instance.knowing is not None:
            self.instance.knowing.forget()

    def _ever_takes(self, rules: Rules, arrow: Transition) -> bool:
        """Tell whether an arrow may take the event whatever the variables are."""
        knowing = self.instance.knowing
        return arrow.taken and not (knowing is not None and knowing.nothing().refuses(rules, arrow, self.group.telling))

    def _forbid(self, guarded: bool) -> None:
        """Nothing explains the event."""
        why = f": no guard holds with {self.instance.knowing.words()}" if guarded and self.instance.knowing else ""
        self.find("forbidden", Verdict.VIOLATED, f"{self.group.telling.event} is not allowed in {self._where()}{why}", outcome="done")
        self._as_if_taken()

    def _where(self) -> str:
        return " or ".join((self.source,) if self.source else self.instance.states() or ())

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
