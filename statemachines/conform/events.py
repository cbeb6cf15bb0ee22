"""A line that tells an event and not where it led: the machine knows."""

from __future__ import annotations

from statemachines.conform.hearing import Hearing
from statemachines.conform.rules import Rules
from statemachines.model.verdicts import Verdict

KINDS = {"ignore": "ignored", "raise": "raised", "force": "forbidden"}
"""What the spec does with an event that no arrow takes, to the kind of finding; anything else is refused."""


class EventHearing(Hearing):
    """One observation of an event, as one group of classes reads it."""

    def judge(self) -> None:
        """It led to where its arrows lead from the states that are believed; what known values forbid is none of them."""
        telling, knowing = self.group.telling, self.instance.knowing
        if knowing is not None:
            knowing.forget_unseen(self.classes, self.shown())
        arrows = [(rules, arrow) for rules in self.classes for arrow in rules.every if arrow.event == telling.event]
        here = [(rules, arrow) for rules, arrow in arrows if self._may_be_in(rules, arrow.source)]
        taken = [(rules, arrow) for rules, arrow in here if knowing is None or not knowing.refuses(rules, arrow, telling)]
        self.group.taken = taken
        pairs = {(arrow.source, arrow.target) for _, arrow in taken}
        if len(pairs) == 1:
            ((self.source, self.target),) = pairs
            self.group.rows.append((self.source, self.target, "told"))
            self.group.made = True
        if not taken:
            self._not_taken(bool(here))
        else:
            self.group.beliefs = {rules.releases: frozenset(a.target for r, a in taken if r is rules) for rules, _ in taken}

    def _may_be_in(self, rules: Rules, state: str) -> bool:
        belief = self.beliefs[rules.releases]
        return state in (self.source, None) if self.source else belief is None or state in belief

    def _not_taken(self, guarded: bool) -> None:
        """An event came that no arrow takes: the spec says what becomes of it, else it may not be."""
        states, event = self.instance.states() or (), self.group.telling.event
        decided = [rules.decided_event(state, event or "") for rules in self.classes for state in states]
        where = " or ".join(states)
        if decided and all(entry is not None for entry in decided):
            does = str(decided[0].does) if decided[0] else ""
            kind = KINDS.get(does, "refused")
            verdict = Verdict.VIOLATED if kind == "forbidden" else Verdict.HOLDS
            self.find(kind, verdict, f"{event} in {where}: the spec says that it is {kind}", outcome=kind)
        else:
            why = f": no guard holds with {self.instance.knowing.words()}" if guarded and self.instance.knowing else ""
            self.find("forbidden", Verdict.VIOLATED, f"{event} is not allowed in {where}{why}", outcome="done")
