"""Looking at the properties of a machine line by line: what is asked after a line, and what is said of a property that is broken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from attrs import define, evolve

from statemachines.conform.judged import Belief, Found
from statemachines.conform.properties import STILL, Checkable, Moved, Option, Watch
from statemachines.conform.rules import Rules, may_be_in
from statemachines.conform.tables import Tables
from statemachines.model.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.hearing import Group
    from statemachines.conform.observations import Observation

IN_DOUBT = "; the line before is another process's, and their clocks cannot tell which was first"


class Instance(Protocol):
    """What is asked of the instance that is judged."""

    tables: Tables
    owner: int
    life: int
    beliefs: dict[int, Belief]
    near: bool

    def believed(self, rules: Rules) -> Belief:
        """The states that a class of releases believes in."""

    def add(self, finding: Found) -> None:
        """Take in a finding."""


@define
class Looking:
    """The properties of one instance."""

    instance: Instance
    watch: Watch

    def plain(self, seen: Observation, fitting: int, process: int) -> None:
        """Look at a plain step of a machine whose lines tell no values."""
        telling, instance = seen.tellings[0], self.instance
        source, target = telling.source or "", telling.target or ""
        answers = self.watch.properties.plain(instance.tables.classes(instance.owner, fitting), fitting, source, target)
        for broken in self.watch.looked(answers):
            self._find(broken, seen, process, telling.line, (source, target), STILL)

    def after(self, seen: Observation, fitting: int, process: int, groups: Sequence[Group], chosen: Group, values: Moved | None) -> None:
        """Look at a line that says something of states or events: where the instance may be after it, and the step that it tells."""
        if chosen.new_life:
            self.watch.begins()
        beliefs = self.instance.beliefs if any(group.beliefs for group in groups) else {}
        classes = [rules for group in groups for rules in group.classes if rules.releases in beliefs]
        now = [_now(rules, fitting, beliefs[rules.releases] or rules.states) for rules in classes]
        move, values = _step(chosen), values or evolve(STILL, in_doubt=self.instance.near)
        for broken in self.watch.at(now, _steps(groups, fitting), values):
            self._find(broken, seen, process, chosen.line.number, move, values)

    def note(
        self, seen: Observation, fitting: int, process: int, group: Group, shown: frozenset[int], values: Moved, *, anew: bool
    ) -> None:
        """Look at values that a line tells which says nothing of states: unseen steps may have led elsewhere before it.

        Args:
            seen: the line.
            fitting: the releases that fit.
            process: of the line.
            group: the classes of releases that read it.
            shown: the numbers of the lines that the file shows.
            values: what is known.
            anew: whether another life may have begun since the line before.
        """
        may = [(rules, may_be_in(rules, None if anew else self.instance.believed(rules), shown)) for rules in group.classes]
        for broken in self.watch.at([_now(rules, fitting, states) for rules, states in may], (), values):
            self._find(broken, seen, process, group.line.number, (None, None), values)

    def _find(
        self, broken: Checkable, seen: Observation, process: int, entry: int, move: tuple[str | None, str | None], values: Moved
    ) -> None:
        rule = broken.asked.versions[-1][1]
        message = f"{rule.name}: {rule.doc or 'does not hold'} ({broken.words(move, values)})"
        verdict = Verdict.INCONCLUSIVE if values.in_doubt else Verdict.VIOLATED
        found = Found(
            "broken rule", verdict, seen, process, self.instance.life, *move, entry,
            message=message + (IN_DOUBT if values.in_doubt else ""), rule=rule.name, rule_line=rule.span.line if rule.span else 0,
        )  # fmt: skip
        self.instance.add(found)


def _now(rules: Rules, fitting: int, states: Iterable[str]) -> Option:
    return rules.releases & fitting or rules.releases, [(state, None) for state in states]


def _steps(groups: Sequence[Group], fitting: int) -> list[Option]:
    """Return the steps that a line may tell, by class; none where some class takes it for no step."""
    if any(group.stays or not (group.made or group.taken) for group in groups):
        return []
    return [(rules.releases & fitting or rules.releases, _moments(group, rules)) for group in groups for rules in group.classes]


def _moments(group: Group, rules: Rules) -> list[tuple[str, str | None]]:
    source, target = _step(group)
    if target is not None:
        return [(target, source)]
    return [(arrow.target, arrow.source) for other, arrow in group.taken if other is rules]


def _step(group: Group) -> tuple[str | None, str | None]:
    """Return the step that a group takes a line for."""
    return group.rows[-1][:2] if group.made and group.rows else (None, None)
