"""A row of a system as what its steps and its expressions look at: what they ask for is recorded,
and nothing else is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from attrs import frozen

from statemachines.explore.models.decision_forests import WHOLE, LookRecorder
from statemachines.explore.models.system_columns import PRESENCE, SystemColumns
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.system.channels import EventQueue, Waiting
from statemachines.semantics.system.system_states import PartKey, SystemState


@frozen(eq=False)
class _RecordedSource:
    """A row that is handed out column by column; see `SystemSource`."""

    columns: SystemColumns
    recorder: LookRecorder
    offset: int = 0
    """The first column of the row: a row after a step may be followed by the one before it."""

    def keys(self, part: str) -> tuple[Value, ...]:
        """Return the keys of a part that are there."""
        return tuple(key for key in self.columns.keys[part] if self._is_there(part, key))

    def _is_there(self, part: str, key: Value) -> bool:
        index = self.columns.blocks[part, key].offset
        return index in self.columns.always_there or bool(
            self.recorder.see(self.offset + index, PRESENCE)
        )

    def part_snapshot(self, part: str, key: Value) -> Snapshot:
        """Return one of a part; all of it is looked at."""
        block = self.columns.blocks[part, key]
        snapshot = block.kind.snapshot(tuple(map(self._number, block.columns)))
        assert snapshot is not None
        return snapshot

    def part_record(self, part: str, key: Value) -> Value:
        """Return one of a part as expressions see it: looked at field by field."""

        def whole() -> Value:
            return self.columns.tables.part_record(part, self.part_snapshot(part, key))

        known, block, first = self.recorder.known, self.columns.blocks[part, key], self.offset
        if first + block.offset in known and all(first + at in known for at in block.columns):
            return whole()
        record: Any = _RecordedPart(partial(self._field, part, key), whole)
        return record  # it acts as the record that it stands for

    def _field(self, part: str, key: Value, name: str) -> Value:
        """Return a field of a part's record, at whose columns alone is looked."""
        block = self.columns.blocks[part, key]
        kind = block.kind
        if name in kind.tables.predicates:
            is_in: Any = self.recorder.see(self.offset + block.offset, name)
            return is_in  # a view of the state
        places = (0,) if name == "state" else kind.places[name]
        if len(places) == 1 and not kind.columns[places[0]].is_item:
            value: Value = self._whole(block.offset + places[0])
            return value
        return kind.map_value({at: self._number(block.offset + at) for at in places})

    def variable(self, name: str) -> Value:
        """Return the value of a shared variable."""
        variable: Any = self._whole(self.columns.variable_places[name])
        return variable  # its column holds values

    def parameter(self, name: str) -> Value:
        """Return the value of a parameter of the system."""
        index = self.offset + self.columns.parameters_place
        parameter: Any = self.recorder.see(index, name)
        return parameter  # its column holds values

    def queue(self, queue: EventQueue) -> Waiting:
        """Return what waits in a queue."""
        waiting: Waiting = self._whole(self.columns.queue_places[queue])
        return waiting

    def queues_to(self, part: PartKey) -> Iterable[EventQueue]:
        """Return the queues in which something may wait for one of a part."""
        return [queue for queue in self.columns.queue_places if queue.receiver == part]

    def _whole(self, index: int) -> Any:
        return self.columns.column_value(index, self._number(index))

    def _number(self, index: int) -> int:
        number = self.recorder.see(self.offset + index, WHOLE)
        assert isinstance(number, int)
        return number


def recorded_state(columns: SystemColumns, recorder: LookRecorder, offset: int = 0) -> SystemState:
    """Return a row as a system on its way through an event."""
    return SystemState(columns.tables, _RecordedSource(columns, recorder, offset))


class _RecordedPart:
    """Stands for a part's record in expressions: a field is looked at when it is used, and all of
    them where the record is used as a whole.
    """

    __slots__ = ("_record", "_see")

    def __init__(self, see: Callable[[str], Any], record: Callable[[], Any]) -> None:
        self._see = see
        self._record = record

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # no field is called so: `_replace`, `_fields`
            return getattr(self._record(), name)
        return self._see(name)

    def __eq__(self, other: object) -> bool:
        return bool(self._record() == (other._record() if type(other) is type(self) else other))

    def __hash__(self) -> int:
        return hash(self._record())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._record())

    def __getitem__(self, index: int) -> Any:
        return self._record()[index]
