"""A system on its way through one event: what it was, read where a step looks at it, and what has
changed since.

Whoever asks says where the parts come from. A snapshot has them all; a search hands them out one by
one, so that it knows what a step looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from attrs import define, evolve, field, frozen

from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    PendingEvent,
    SystemPart,
    SystemSnapshot,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.value_enumeration import sorted_values
from statemachines.semantics.system.channels import (
    ChannelTables,
    EventQueue,
    Waiting,
    queue_of,
    waiting_by_queue,
)

Values = Mapping[str, Value]
PartKey = tuple[str, Value]
"""A part and its key."""


class SystemSource(Protocol):
    """What a system was before an event."""

    def keys(self, part: str) -> tuple[Value, ...]:
        """Return the keys of a part that are there: none, or None alone where there is one only.

        Args:
            part: name of the part.

        Returns:
            Keys in their order; empty where an optional part is absent.
        """
        ...

    def part_snapshot(self, part: str, key: Value) -> Snapshot:
        """Return one of a part.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.

        Returns:
            State and variables of its machine.
        """
        ...

    def part_record(self, part: str, key: Value) -> Value:
        """Return one of a part as expressions see it.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.

        Returns:
            A record of its state, variables and predicates.
        """
        ...

    def variable(self, name: str) -> Value:
        """Return the value of a shared variable.

        Args:
            name: of the variable, parameter or part.

        Returns:
            As it is now.
        """
        ...

    def parameter(self, name: str) -> Value:
        """Return the value of a parameter of the system.

        Args:
            name: of the variable, parameter or part.

        Returns:
            As it was given at the beginning.
        """
        ...

    def queue(self, queue: EventQueue) -> Waiting:
        """Return what waits in a queue.

        Args:
            queue: a link or channel with its sender and receiver.

        Returns:
            Places and arguments, first to last; empty where nothing waits.
        """
        ...

    def queues_to(self, part: PartKey) -> Iterable[EventQueue]:
        """Return the queues in which something may wait for one of a part.

        Args:
            part: name and key.

        Returns:
            Queues in any order; those that are empty may be among them.
        """
        ...


class RecordMaker(ChannelTables, Protocol):
    """Makes what expressions see of a part, and knows the links."""

    @property
    def parts(self) -> Mapping[str, SystemPart]:
        """The parts by their names."""
        ...

    def part_record(self, name: str, held: Snapshot) -> Value:
        """Return one of a part as expressions see it.

        Args:
            name: of the variable, parameter or part.
            held: a snapshot of the part's machine.

        Returns:
            A record of its state, variables and predicates.
        """
        ...


@frozen(eq=False)
class SnapshotSource:
    """All of a system at once."""

    records: RecordMaker
    snapshot: SystemSnapshot

    def keys(self, part: str) -> tuple[Value, ...]:
        """Return the keys of a part that are there.

        Args:
            part: name of the part.

        Returns:
            Keys in the order of the snapshot; (None,) of a part that there is once.
        """
        held = self.snapshot.parts[part]
        if isinstance(held, Mapping):
            return tuple(held)
        return () if held is None else (None,)

    def part_snapshot(self, part: str, key: Value) -> Snapshot:
        """Return one of a part.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.

        Returns:
            State and variables of its machine.
        """
        held = self.snapshot.parts[part]
        snapshot = held[key] if isinstance(held, Mapping) else held
        assert snapshot is not None
        return snapshot

    def part_record(self, part: str, key: Value) -> Value:
        """Return one of a part as expressions see it.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.

        Returns:
            A record of its state, variables and predicates.
        """
        return self.records.part_record(part, self.part_snapshot(part, key))

    def variable(self, name: str) -> Value:
        """Return the value of a shared variable.

        Args:
            name: of the variable, parameter or part.

        Returns:
            As the snapshot has it.
        """
        return self.snapshot.variables[name]

    def parameter(self, name: str) -> Value:
        """Return the value of a parameter of the system.

        Args:
            name: of the variable, parameter or part.

        Returns:
            As the snapshot has it.
        """
        return self.snapshot.parameters[name]

    def queue(self, queue: EventQueue) -> Waiting:
        """Return what waits in a queue.

        Args:
            queue: a link or channel with its sender and receiver.

        Returns:
            Places and arguments, first to last; empty where nothing waits.
        """
        waiting = self.snapshot.waiting.items()
        return {at: given for at, given in waiting if queue_of(self.records, at) == queue}

    def queues_to(self, part: PartKey) -> Iterable[EventQueue]:
        """Return the queues in which something waits for one of a part.

        Args:
            part: name and key.

        Returns:
            Queues that are not empty.
        """
        queues = waiting_by_queue(self.records, self.snapshot.waiting)
        return [queue for queue in queues if queue.receiver == part]


class _NamesInScope(dict[str, Value]):
    """The names that an expression of a system may use: each is looked up when it is first used."""

    def __init__(self, state: SystemState) -> None:
        super().__init__()
        self.state = state

    def __missing__(self, name: str) -> Value:
        value = self[name] = self.state.named_value(name)
        return value


class _ParametersInScope(dict[str, Value]):
    """The parameters of a system: each is looked up when it is first used."""

    def __init__(self, source: SystemSource) -> None:
        super().__init__()
        self.source = source

    def __missing__(self, name: str) -> Value:
        value = self[name] = self.source.parameter(name)
        return value


@define(eq=False)
class SystemState:
    """What a system was, and what has changed since."""

    records: RecordMaker
    source: SystemSource
    changed_parts: dict[PartKey, Snapshot] = field(factory=dict)
    changed_variables: dict[str, Value] = field(factory=dict)
    changed_queues: dict[EventQueue, Waiting] = field(factory=dict)
    created_parts: list[PartKey] = field(factory=list)
    """They are among the changed ones too."""
    ended_parts: list[PartKey] = field(factory=list)
    """They are looked at no more: parts end when all of an event is done."""
    parameters: Values = field(init=False)
    known_names: _NamesInScope | None = None

    def __attrs_post_init__(self) -> None:
        self.parameters = _ParametersInScope(self.source)

    def keys(self, part: str) -> tuple[Value, ...]:
        """Return the keys of a part that are there now.

        Args:
            part: name of the part.

        Returns:
            Keys of the source and of parts that were created since, sorted.
        """
        created = [key for name, key in self.created_parts if name == part]
        there = self.source.keys(part)
        return sorted_values([*there, *created]) if created else there

    def has_part(self, part: str, key: Value) -> bool:
        """Tell whether one of a part is there.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.

        Returns:
            False of an optional part that is absent, too.
        """
        return key in self.keys(part)

    def create_part(self, part: str, key: Value, held: Snapshot) -> None:
        """Let one more of a part be there from now on.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.
            held: where it begins.
        """
        self.created_parts.append((part, key))
        self.changed_parts[part, key] = held
        self.known_names = None

    def part_snapshot(self, part: str, key: Value) -> Snapshot:
        """Return one of a part as it is now.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.

        Returns:
            The source's, where no step has changed it.
        """
        snapshot = self.changed_parts.get((part, key))
        return self.source.part_snapshot(part, key) if snapshot is None else snapshot

    def set_part(self, part: str, key: Value, held: Snapshot) -> None:
        """Let one of a part be another one from now on.

        Args:
            part: name of the part.
            key: which one; None of a part that there is once.
            held: in place of what it was.
        """
        if held is not self.part_snapshot(part, key):
            self.changed_parts[part, key] = held
            self.known_names = None

    def set_variables(self, values: Values) -> None:
        """Give shared variables new values, all at once.

        Args:
            values: by name; others keep theirs.
        """
        if values:
            self.changed_variables.update(values)
            self.known_names = None

    def share(self, part: str, variable: str, value: Value) -> None:
        """Give a variable that a part has in common with others a value in all of the part.

        Args:
            part: name of the part.
            variable: of the part's machine.
            value: that another part has given it.
        """
        for key in self.keys(part):
            held = self.part_snapshot(part, key)
            if held.variables[variable] != value:
                variables = FrozenMap({**held.variables, variable: value})
                self.set_part(part, key, evolve(held, variables=variables))

    def queue(self, queue: EventQueue) -> Waiting:
        """Return what waits in a queue now.

        Args:
            queue: a link or channel with its sender and receiver.

        Returns:
            Places and arguments, first to last; empty where nothing waits.
        """
        changed = self.changed_queues.get(queue)
        return self.source.queue(queue) if changed is None else changed

    def empty_queues_to(self, part: PartKey) -> None:
        """Let go of all that waits for one of a part.

        Args:
            part: name and key.
        """
        queues = [*self.source.queues_to(part), *self.changed_queues]
        for queue in queues:
            if queue.receiver == part and self.queue(queue):
                self.changed_queues[queue] = {}

    @property
    def names(self) -> dict[str, Value]:
        """What expressions see: parts as records, beside the shared variables."""
        if self.known_names is None:
            self.known_names = _NamesInScope(self)
        return self.known_names

    def names_with(self, variables: Values) -> dict[str, Value]:
        """Return what expressions see where shared variables had these values.

        Args:
            variables: shared ones by name, in place of those of now.

        Returns:
            A map that looks a part or a variable up when it is asked for.
        """
        names = _NamesInScope(self)
        names.update(variables)
        return names

    def named_value(self, name: str) -> Value:
        """Return a part as expressions see it, or the value of a shared variable.

        Args:
            name: of the variable, parameter or part.

        Returns:
            A record, a map of records by key, or the variable's value.
        """
        part = self.records.parts.get(name)
        if part is None:
            changed = self.changed_variables
            return changed[name] if name in changed else self.source.variable(name)
        keys = self.keys(name)
        if part.each is not None:
            return FrozenMap({key: self._part_record(name, key) for key in keys})
        return self._part_record(name, None) if keys else None

    def _parts_left(self, name: str, whole: PartSnapshots) -> PartSnapshots:
        """Return those of a part that have not ended, in an order that does not depend on when each
        was created.
        """
        assert isinstance(whole, Mapping)
        left = (key for key in sorted_values(whole) if (name, key) not in self.ended_parts)
        return FrozenMap({key: whole[key] for key in left})

    def _part_record(self, name: str, key: Value) -> Value:
        changed = self.changed_parts.get((name, key))
        if changed is None:
            return self.source.part_record(name, key)
        return self.records.part_record(name, changed)

    def snapshot_after(self, before: SystemSnapshot) -> SystemSnapshot:
        """Return a snapshot with all that has changed.

        Args:
            before: where the source began.

        Returns:
            A new snapshot; parts that no step has changed are the same objects.
        """
        parts: dict[str, PartSnapshots] = dict(before.parts)
        for (name, key), held in self.changed_parts.items():
            whole = parts[name]
            parts[name] = FrozenMap({**whole, key: held}) if isinstance(whole, Mapping) else held
        for name in dict.fromkeys(name for name, _ in [*self.created_parts, *self.ended_parts]):
            parts[name] = self._parts_left(name, parts[name])
        return SystemSnapshot(
            FrozenMap(parts),
            FrozenMap({**before.variables, **self.changed_variables}),
            before.parameters,
            self._waiting_after(before),
        )

    def _waiting_after(self, before: SystemSnapshot) -> Mapping[PendingEvent, Values]:
        if not self.changed_queues:
            return before.waiting
        queues = waiting_by_queue(self.records, before.waiting) | self.changed_queues
        return FrozenMap({at: given for queue in queues.values() for at, given in queue.items()})
