"""A line of a change that another line has reported: whether both say the same; and changes that no
line reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from attrs import frozen

from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.checks.group_check import ClassGroup, JudgedInstance
from statemachines.conform.judge.checks.observation_check import ObservationCheck
from statemachines.model.evidence.verdicts import Verdict


class RetoldInstance(JudgedInstance, Protocol):
    """What is asked of an instance whose history several processes tell."""

    @property
    def names_incarnations(self) -> bool:
        """Whether its name may stand for several incarnations."""

    def forget_state(self) -> None:
        """Take in that changes were lost."""


@frozen
class Retold:
    """One line of a history by its place there."""

    judge: RetoldInstance
    observation: Observation
    process: int
    groups: Sequence[ClassGroup]

    def compare(self) -> bool:
        """Say what is wrong with the place of the line; True where nothing else is to be judged."""
        if not self.groups:
            return False
        if self.misnumbered() or self.fell():
            return True
        if self.observation.placed is not None and self.observation.placed.again and self.again():
            return True
        self.missing()
        return False

    def misnumbered(self) -> bool:
        """Say of a line whose number does not follow the one that it says to follow that it does
        not: every change raises the number by one.
        """
        follows = self.observation.placed.follows if self.observation.placed else None
        if follows is None:
            return False
        why = f"{self._name} {self.observation.number} cannot follow {follows}"
        self._find("contradiction", Verdict.VIOLATED, why)
        return True

    def fell(self) -> bool:
        """Say of a line whose number is less than one that its process told before that it is."""
        fell = self.observation.placed.fell if self.observation.placed else None
        if fell is None:
            return False
        begins = bool(self.judge.context.processes[self.process].possible_starts)
        why = f"{self._name} {self.observation.number} after {fell}, in one run of its process"
        self._find("contradiction", Verdict.VIOLATED if begins else Verdict.INCONCLUSIVE, why)
        return True

    def again(self) -> bool:
        """Compare a line with what was told of the same change, and take in what was not; False
        where more is to be judged.
        """
        wrong = list(
            dict.fromkeys(words for group in self.groups for words in self._disagreements(group))
        )
        if wrong:
            certain = self.observation.life is not None or not self.judge.names_incarnations
            number = f"{self._name} {self.observation.number}"
            why = f"{number} is told twice, and not alike: {', '.join(wrong)}"
            self._find("contradiction", Verdict.VIOLATED if certain else Verdict.INCONCLUSIVE, why)
            return True
        if len(self.judge.states() or ()) != 1 and any(_state(group) for group in self.groups):
            return False
        if self.judge.known_variables is not None:
            self.judge.known_variables.take_values(
                [rules for group in self.groups for rules in group.classes], self.groups[0].reading
            )
        return True

    def _disagreements(self, group: ClassGroup) -> Iterator[str]:
        known, states, state = (
            self.judge.known_variables,
            self.judge.states() or (),
            _state(group),
        )
        if state is not None and len(states) == 1 and state not in states:
            yield f"{states[0]} before, {state} here"
        for name, text in group.reading.values if known is not None else ():
            values = [
                value
                for rules in group.classes
                for value in (known.read(rules, name, text) if known else ())
            ]
            if (
                known is not None
                and values
                and name in known.values
                and known.values[name] not in values
            ):
                yield f"{name} = {known.values[name]!r} before, {values[0]!r} here"

    def missing(self) -> None:
        """Say that changes are missing which lines of this process should tell; what comes of them
        is not known.
        """
        before, number = (
            (self.observation.placed.before if self.observation.placed else None),
            self.observation.number or 0,
        )
        if before is None or not any(
            group.line.event or group.reading.target for group in self.groups
        ):
            return
        shown = self.judge.tables.lines_shown_anywhere(
            self.judge.context, self.process, self.judge.owner
        )
        if any(
            how == "hidden"
            for group in self.groups
            for rules in group.classes
            for how in rules.unseen.unseen_steps(shown).values()
        ):
            return
        lost = f"{before + 1}" if number == before + 2 else f"{before + 1} to {number - 1}"
        self._find(
            "gap",
            Verdict.INCONCLUSIVE,
            f"{self._name} {before}, then {number}; the log should tell {lost} in between",
        )
        self.judge.forget_state()

    @property
    def _name(self) -> str:
        log = self.judge.spec.log
        return log.sequence or "" if log is not None else ""

    def _find(self, kind: str, verdict: Verdict, why: str) -> None:
        ObservationCheck(
            self.judge, self.observation, self.process, self.groups[0], signed=False
        ).add_finding(kind, verdict, why)


def _state(group: ClassGroup) -> str | None:
    return group.reading.target or group.reading.state
