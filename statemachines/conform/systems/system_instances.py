"""Which instances of a log belong to one instance of a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from attrs import define, field

from statemachines.conform.systems.observed_steps import InstanceName, ObservedInstances
from statemachines.conform.systems.part_timelines import PartTimeline
from statemachines.conform.systems.system_account import is_always_there
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemPart
from statemachines.model.evidence.instance_names import instance_name, longest_name_prefix
from statemachines.model.evidence.reports import InstanceKey

NOTHING_REMEMBERED: Mapping[tuple[str, InstanceKey], InstanceKey] = MappingProxyType({})


def group_instances(
    system: SystemDefinition,
    instances: ObservedInstances,
    remembered: Mapping[tuple[str, InstanceKey], InstanceKey] = NOTHING_REMEMBERED,
) -> list[list[PartTimeline]]:
    """Gather the instances that belong together, around those that there are exactly once.

    What belongs to a whole has all of its key fields, with the same values, in its key or as what a
    line of it told once; or its name begins with
    that of the whole; or the whole is the only one of its process.

    Those that there are exactly once come first, those with the fewest key fields before the
    others, then the rest in the author's order of their parts.

    Complexity: linear in the instances; steps are read of those only that belong to a whole.
    """
    gathered = _GatheredInstances(instances, remembered)
    anchors = [(part, _keys_of(instances, part)) for part in system.parts if is_always_there(part)]
    for part, keys in sorted(anchors, key=lambda anchor: min(map(len, anchor[1]), default=0)):
        for key in keys:
            gathered.add_anchor(part, key)
    for part in system.parts:
        for key in () if is_always_there(part) else _keys_of(instances, part):
            gathered.add_member(part, key)
    order = {part.name: index for index, part in enumerate(system.parts)}
    return [
        sorted(
            whole.lives, key=lambda timeline: (not timeline.is_always_there, order[timeline.part])
        )
        for whole in gathered.wholes
    ]


def are_apart(groups: Sequence[Sequence[PartTimeline]]) -> bool:
    """Tell whether parts that there are exactly once were seen, and no two of them together."""
    once = [
        [timeline.part for timeline in timelines if timeline.is_always_there]
        for timelines in groups
    ]
    return all(len(parts) == 1 for parts in once) and len({part for (part,) in once}) > 1


def _keys_of(instances: ObservedInstances, part: SystemPart) -> list[InstanceKey]:
    return [key for machine, key in instances if machine == part.machine]


@define(eq=False)
class _SystemInstance:
    """The instances of one instance of a system."""

    process: str
    """Of the first one."""
    lives: list[PartTimeline] = field(factory=list)


@define
class _GatheredInstances:
    """All instances of a system in a log."""

    instances: ObservedInstances
    remembered: Mapping[tuple[str, InstanceKey], InstanceKey]
    wholes: list[_SystemInstance] = field(factory=list)
    _named: dict[str, _SystemInstance] = field(factory=dict)
    _keyed: dict[tuple[str, ...], dict[InstanceKey, _SystemInstance]] = field(factory=dict)
    """The names of key fields to the keys that have them, of those that there are exactly once."""

    def add_anchor(self, part: SystemPart, key: InstanceKey) -> None:
        """Add one that there is exactly once: to the whole whose key it has, or as a new one."""
        instance = self._with_key(key) or self._named.get(instance_name(key))
        if instance is None or any(timeline.part == part.name for timeline in instance.lives):
            instance = _SystemInstance(self.instances.process_of((part.machine, key)))
            self.wholes.append(instance)
        observed = self.instances[part.machine, key]
        instance.lives.append(PartTimeline(part.name, None, observed, is_always_there=True))
        self._named.setdefault(instance_name(key), instance)
        self._keyed.setdefault(_field_names(key), {}).setdefault(key, instance)

    def add_member(self, part: SystemPart, key: InstanceKey) -> None:
        """Add one of which there may be several, or none, to its whole, if there is one."""
        known_by = (*self.remembered.get((part.machine, key), ()), *key)
        instance = (
            self._with_key(known_by)
            or self._with_name(key)
            or self._only_one(known_by, (part.machine, key))
        )
        if instance is not None:
            name = instance_name(key) if part.each is not None else None
            instance.lives.append(PartTimeline(part.name, name, self.instances[part.machine, key]))

    def _with_key(self, key: InstanceKey) -> _SystemInstance | None:
        """Return the whole all of whose key fields another key has, with the same values."""
        values = dict(key)
        for names, known in self._keyed.items():
            if all(name in values for name in names):
                instance = known.get(tuple((name, values[name]) for name in names))
                if instance is not None:
                    return instance
        return None

    def _with_name(self, key: InstanceKey) -> _SystemInstance | None:
        name = longest_name_prefix(instance_name(key), self._named)
        return None if name is None else self._named[name]

    def _only_one(self, key: InstanceKey, name: InstanceName) -> _SystemInstance | None:
        """Return the only whole, where it is the same process's and nothing in the keys says that
        they are of two.
        """
        if len(self.wholes) != 1 or self.wholes[0].process != self.instances.process_of(name):
            return None
        values = dict(key)
        apart = any(name in values for names in self._keyed for name in names)
        return None if apart else self.wholes[0]


def _field_names(key: InstanceKey) -> tuple[str, ...]:
    return tuple(name for name, _ in key)
