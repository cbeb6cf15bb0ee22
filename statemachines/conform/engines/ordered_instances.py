"""All instances in the order of the report, with what lines tell of each: of one that is columns a
number is kept, for there may be millions.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from statemachines.conform.columns.column_lines import ColumnInstance
from statemachines.conform.columns.stored_columns import StoredColumns
from statemachines.conform.engines.spilled_observations import units_of
from statemachines.conform.interchange.observations import KeyValues, Observation
from statemachines.conform.join.report_sources import (
    are_compared_as_they_are,
    instance_sort_key,
    machine_log,
)
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    reporting_process,
)
from statemachines.conform.settle.processes import Unit
from statemachines.model.values import frozen

InstanceLines = tuple[InstanceIdentity, Iterable[Observation]]
"""An instance, and what lines tell of it."""


def ordered_instances(
    context: JudgingContext, instances: Mapping[InstanceIdentity, Iterable[Observation]]
) -> Iterator[InstanceLines]:
    """Yield instances with what lines tell of them, in the order of the report."""
    if isinstance(instances, SortedInstances):
        yield from instances.pairs()
        return
    for who in sorted(instances, key=lambda instance: instance_sort_key(context, instance)):
        yield who, instances[who]


class SortedInstances(Mapping[InstanceIdentity, Iterable[Observation]]):
    """The observations of all instances, which are put together when it is their turn: who asks for
    a single one has all looked through.
    """

    def pairs(self) -> Iterator[InstanceLines]:
        """Yield all instances with what lines tell of them, in the order of the report."""
        raise NotImplementedError

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[InstanceIdentity]:
        return (who for who, _ in self.pairs())

    def __getitem__(self, who: InstanceIdentity) -> Iterable[Observation]:
        """Return the observations of an instance.

        Raises:
            KeyError: no line tells of it.
        """
        for other, observations in self.pairs():
            if other == who:
                return observations
        raise KeyError(who)


@frozen
class OrderedInstances(SortedInstances):
    """The observations of all instances, of which some are columns; each is put together when it is
    its turn.

    Complexity: a sort of the keys; memory for a number an instance and file.
    """

    context: JudgingContext
    columns: StoredColumns
    others: Mapping[InstanceIdentity, Iterable[Observation]]
    """What was observed line by line, also of instances that have columns."""

    def pairs(self) -> Iterator[InstanceLines]:
        """Yield all instances with what lines tell of them, in the order of the report."""
        codes = self.columns.codes_by_owner()
        others = defaultdict[int, list[InstanceIdentity]](list)
        for who in self.others:
            others[who[0]].append(who)
        owners = self.context.plan.owners
        for owner in sorted(codes.keys() | others.keys(), key=lambda number: owners[number].name):
            yield from self._pairs_of(_Machine(self, owner, others[owner]), codes.get(owner))

    def _pairs_of(self, machine: _Machine, codes: Sequence[int] | None) -> Iterator[InstanceLines]:
        entries = machine.ordered([*(codes or ()), *range(-len(machine.others), 0)])
        for who, sources in groupby(entries, machine.who):
            mine = list(sources)
            others = self.others.get(who, ())
            columns = [(self.columns.source_file(code), code) for code in mine if code >= 0]
            yield who, self._instance(who, columns, others) if columns else others

    def _instance(
        self,
        who: InstanceIdentity,
        columns: Sequence[tuple[int, int]],
        others: Iterable[Observation],
    ) -> ColumnInstance:
        units = units_of(others) if others else frozenset[Unit]()
        return ColumnInstance(self.context, (who[0], who[2]), self.columns, columns, others, units)


class _Machine:
    """The instances of one machine, by entries: the code of a source of columns, or the place in
    `others`, which is negative.
    """

    def __init__(
        self, instances: OrderedInstances, owner: int, others: Sequence[InstanceIdentity]
    ) -> None:
        self.others, self._owner, self._context = others, owner, instances.context
        self._columns, self._keys = instances.columns, instances.columns.keys
        self._told_by = dict[int, int]()
        """Who tells of the machine's instances, by file."""

    def who(self, entry: int) -> InstanceIdentity:
        """Return the instance of an entry."""
        if entry < 0:
            return self.others[entry]
        file = self._columns.source_file(entry)
        told_by = self._told_by.get(file)
        if told_by is None:
            process = self._context.process_by_unit[file, None]
            told_by = reporting_process(self._context, self._owner, process)
            self._told_by[file] = told_by
        return self._owner, told_by, self._keys[entry]

    def ordered(self, entries: list[int]) -> array[int]:
        """Return entries in the order of the report, those of one instance by their files.

        Complexity: keys whose values are numbers, or texts, are compared as they are.
        """
        log = machine_log(self._context.plan, self._owner)
        if log.subject in ((), log.instance) and are_compared_as_they_are(map(self._key, entries)):
            tellers = {self.who(entry)[1] for entry in entries}
            if len(tellers) > 1:
                entries.sort(key=lambda entry: self._teller_key(self.who(entry)[1]))
            entries.sort(key=self._key)
        else:
            entries.sort(key=lambda entry: instance_sort_key(self._context, self.who(entry)))
        return array("q", entries)

    def _key(self, entry: int) -> KeyValues:
        return self._keys[entry] if entry >= 0 else self.others[entry][2]

    def _teller_key(self, process: int) -> tuple[str, int]:
        return self._context.processes[process].name if process >= 0 else "", process
