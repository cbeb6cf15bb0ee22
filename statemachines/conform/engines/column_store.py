"""A store that takes observations as columns too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from statemachines.conform.columns.column_lines import ColumnInstance
from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.columns.stored_columns import StoredColumns
from statemachines.conform.engines.observation_store import IN_MEMORY, ObservationStore
from statemachines.conform.engines.spilled_observations import StoredInstance
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.settle.checked_files import Unit
from statemachines.conform.settle.instance_order import InstanceIdentity, reporting_process
from statemachines.conform.settle.judging_context import JudgingContext


class ColumnStore(ObservationStore):
    """Takes observations and columns of them, and gives them back instance by instance; a context
    manager.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        super().__init__(in_memory)
        self._columns: StoredColumns | None = None

    def add_columns(self, columns: Iterable[ObservationColumns]) -> None:
        """Take columns in."""
        for column in columns:
            self._columns = self._columns or StoredColumns()
            self.add(self._columns.add(column))

    def __exit__(self, *_: object) -> None:
        super().__exit__(*_)
        if self._columns is not None:
            self._columns.close()

    def instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return the observations of each instance, in the order in which they are judged.

        Args:
            lost: takes those whose generation no line told.
        """
        others = super().instances(context, lost)
        if self._columns is None:
            return others
        instances, files = dict(others), dict[InstanceIdentity, list[tuple[int, int]]]()
        for code, (file, (owner, key)) in self._columns.sources():
            process = context.process_by_unit[file, None]
            who = owner, reporting_process(context, owner, process), key
            files.setdefault(who, []).append((file, code))
        for who, sources in files.items():
            rest, instance = others.get(who, ()), (who[0], who[2])
            told = self._columns, sources, rest, units_of(rest)
            instances[who] = ColumnInstance(context, instance, *told)
        return instances


def units_of(observations: Iterable[Observation]) -> frozenset[Unit]:
    """Return the files, and the processes in them, that observations are from."""
    if isinstance(observations, StoredInstance):
        return observations.units
    return frozenset((observation.file, observation.unit) for observation in observations)
