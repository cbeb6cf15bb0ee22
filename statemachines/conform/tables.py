"""The classes of releases of every machine and what a file shows of their lines: asked often, kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statemachines.conform.asked import properties_of
from statemachines.conform.conditions import Settled, settled
from statemachines.conform.judged import Belief
from statemachines.conform.observations import Telling
from statemachines.conform.plan import RANK, Plan
from statemachines.conform.processes import Context, given_ranks
from statemachines.conform.rules import Rules, rules_of
from statemachines.model.loglines import Line
from statemachines.model.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.knowing import Conditions, Knowing
    from statemachines.conform.properties import Properties, Watch


class Tables:
    """Rules by machine and releases."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._conditions: dict[int, Conditions | None] = {}
        self._properties: dict[int, Properties | None] = {}
        self._all: dict[int, tuple[Rules, ...]] = {}
        self._fitting: dict[tuple[int, int], list[Rules]] = {}
        self._heard: dict[tuple[int, int, tuple[tuple[int, int], ...]], tuple[tuple[int, tuple[Rules, ...]], ...]] = {}
        self._exact: dict[tuple[int, int, str], dict[int, Belief]] = {}
        self._plain: dict[tuple[int, int, str, str], bool] = {}
        self._episodes: dict[int, Settled] = {}
        self._would_show: dict[tuple[int, int], frozenset[int]] = {}
        self.alone: dict[tuple[object, ...], Verdict] = {}
        """What a class of releases by itself says of a line, by all that it depends on."""
        self._shown: dict[tuple[int, int, int], frozenset[int]] = {}

    def all(self, owner: int) -> tuple[Rules, ...]:
        """Return the classes of a machine's releases."""
        if owner not in self._all:
            self._all[owner] = rules_of(self.plan.specs[owner])
        return self._all[owner]

    def knowing(self, owner: int) -> Knowing | None:
        """Return what is known of an instance in the beginning: nothing; None for a machine whose lines tell no values."""
        if owner not in self._conditions:
            self._conditions[owner] = self._conditions_of(owner)
        conditions = self._conditions[owner]
        return conditions.nothing() if conditions is not None else None

    def _conditions_of(self, owner: int) -> Conditions | None:
        spec = self.plan.specs[owner]
        if not any(line.sets or line.event for line in (spec.log.lines if spec.log else ())):
            return None
        from statemachines.conform.knowing import Conditions  # with the compiler of guards, which few logs need

        return Conditions(spec)

    def watch(self, owner: int) -> Watch | None:
        """Return what looks at an instance's properties; None for a machine without any that logs can be judged by."""
        if owner not in self._properties:
            self._properties[owner] = self._properties_of(owner)
        properties = self._properties[owner]
        if properties is None:
            return None
        from statemachines.conform.properties import Watch

        return Watch(properties)

    def _properties_of(self, owner: int) -> Properties | None:
        if not any(one.versions for one in properties_of(self.plan.specs[owner])):
            return None
        from statemachines.conform.properties import Properties  # with the compiler of conditions, which few logs need

        return Properties(self.plan.specs[owner])

    def episodes(self, owner: int) -> Settled:
        """Return a machine's episodes as sets of states."""
        if owner not in self._episodes:
            self._episodes[owner] = settled(self.plan.specs[owner])
        return self._episodes[owner]

    def classes(self, owner: int, fitting: int) -> list[Rules]:
        """Return the classes in which some release fits."""
        key = owner, fitting
        if key not in self._fitting:
            self._fitting[key] = [rules for rules in self.all(owner) if rules.releases & fitting]
        return self._fitting[key]

    def heard(self, owner: int, fitting: int, tellings: tuple[Telling, ...]) -> tuple[tuple[int, tuple[Rules, ...]], ...]:
        """Return which of some tellings counts in which classes: the place of a telling, and the classes that read it.

        Kept by the entries and releases of the tellings, since a log has few kinds of lines.
        """
        key = owner, fitting, tuple((t.releases, t.line) for t in tellings)
        if key not in self._heard:
            places: dict[int, list[Rules]] = {}
            for rules in self.classes(owner, fitting):
                place = next((place for place, t in enumerate(tellings) if t.releases & rules.releases), None)
                if place is not None:
                    places.setdefault(place, []).append(rules)
            self._heard[key] = tuple((place, tuple(classes)) for place, classes in places.items())
        return self._heard[key]

    def exact(self, owner: int, fitting: int, state: str) -> dict[int, Belief]:
        """Return the belief of every class that the instance is in one state; not to be changed."""
        key = owner, fitting, state
        if key not in self._exact:
            self._exact[key] = {rules.releases: frozenset((state,)) for rules in self.classes(owner, fitting)}
        return self._exact[key]

    def is_plain(self, owner: int, fitting: int, source: str, target: str) -> bool:
        """Say whether a step is legal and taken in every class that fits: nothing is to be said of it where its source is believed."""
        key = owner, fitting, source, target
        if key not in self._plain:
            classes = self.classes(owner, fitting)
            self._plain[key] = all(rules.allows(source, target) and rules.takes(source, target) for rules in classes)
        return self._plain[key]

    def shown(self, context: Context, process: int, file: int, owner: int) -> frozenset[int]:
        """Return the numbers of a machine's lines that a process's files of one name show."""
        stem = context.stems[context.files[file].stem]
        key = process, stem, owner
        if key not in self._shown:
            lines = self.plan.owners[owner].lines
            self._shown[key] = frozenset(line.number for line in lines if _is_shown(context, process, stem, owner, line))
        return self._shown[key]

    def shown_anywhere(self, context: Context, process: int, owner: int) -> frozenset[int]:
        """Return the numbers of a machine's lines that any file of a process shows."""
        files = {file for file, _ in context.processes[process].units}
        return frozenset().union(*(self.shown(context, process, file, owner) for file in files))

    def would_show(self, context: Context, process: int, owner: int) -> frozenset[int]:
        """Return the numbers of a machine's lines that a process would show, as the lines of any machine tell its loggers' levels."""
        key = process, owner
        if key not in self._would_show:
            quietest: dict[str, int] = {}
            for (_, _, logger), rank in context.processes[process].shown.items():
                quietest[logger] = min(rank, quietest.get(logger, rank))
            lines = (line for line in self.plan.owners[owner].lines if any(_is_loud(line, quietest.get(name, 9)) for name in line.loggers))
            self._would_show[key] = frozenset(line.number for line in lines) | self.shown_anywhere(context, process, owner)
        return self._would_show[key]


def _is_loud(line: Line, rank: int) -> bool:
    return rank < 9 and (line.level is None or RANK[line.level] >= rank)


def _is_shown(context: Context, process: int, stem: int, owner: int, line: Line) -> bool:
    shown = context.processes[process].shown
    for logger in line.loggers or ("",):
        rank = min(given_ranks(context.plan, logger), default=shown.get((stem, owner, logger), 9))
        if _is_loud(line, rank):
            return True
    return False
