"""Instances of other machines by which an incident is known: the replicas of a partition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from attrs import define, field

from statemachines.conform.incidents.troubles import Trouble
from statemachines.conform.join.log_subjects import LogSubjects
from statemachines.conform.join.report_names import subject_key
from statemachines.model.evidence.reports import InstanceKey

KnownFields = Mapping[str, int | str]
"""Fields by which something is known, and their values."""


@define
class LinkedInstances:
    """Finds the instances that incidents follow `through`.

    Complexity: each lookup is one of a dictionary that is made once for two sets of fields.
    """

    keys: Mapping[str, Sequence[InstanceKey]]
    """By machine, the subjects that the log tells of, each once."""
    _by_values: dict[tuple[str, tuple[str, ...]], dict[InstanceKey, list[InstanceKey]]] = field(
        init=False, factory=dict
    )
    """By machine and fields: keys by the values of these fields."""

    def known_as(self, trouble: Trouble) -> Sequence[KnownFields]:
        """Return the fields that a trouble is known by: those of its subject, with those of each
        instance that it follows through; its own alone where the log tells of no such instance.
        """
        own = dict(trouble.subject)
        linked = self._linked(trouble.kind.through, own) if trouble.kind.through else ()
        return [{**dict(key), **own} for key in linked] or [own]

    def _linked(self, machine: str, own: KnownFields) -> Sequence[InstanceKey]:
        keys = self.keys.get(machine, ())
        if not keys:
            return ()
        common = tuple(name for name, _ in keys[0] if name in own)
        known = self._by_values.get((machine, common))
        if known is None:
            known = self._by_values[machine, common] = defaultdict(list)
            for key in keys:
                known[tuple(part for part in key if part[0] in common)].append(key)
        return known.get(tuple((name, own[name]) for name in common), ())


def linked_instances(log_subjects: LogSubjects) -> LinkedInstances:
    """Gather the instances that any incident of a check follows through.

    Args:
        log_subjects: the subjects of the log.
    """
    context = log_subjects.context
    logs = (owner.log for owner in context.plan.owners if owner.log)
    wanted = {kind.through for log in logs for kind in log.incidents if kind.through}
    numbers = {n: owner.name for n, owner in enumerate(context.plan.owners) if owner.name in wanted}
    keys: dict[str, dict[InstanceKey, None]] = defaultdict(dict)
    for one in log_subjects.instances:
        if one.owner in numbers:
            keys[numbers[one.owner]][subject_key(context, one.owner, one.key)] = None
    return LinkedInstances({machine: tuple(found) for machine, found in keys.items()})
