"""A system made ready: the tables of its parts, its links by part, and its parts as expressions see
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import (
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    Channel,
    Link,
    PartSnapshots,
    PendingEvent,
    SystemDefinition,
    SystemPart,
    SystemSnapshot,
)
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.semantics.evaluation.behaviour import Behaviour, compile_behaviour
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables


@frozen(eq=False)
class SystemTables:
    """A system, ready to be asked."""

    system: SystemDefinition
    title: str
    parts: dict[str, SystemPart]
    tables: dict[str, MachineTables]
    """Name of a part to the tables of its machine."""
    behaviour: Behaviour
    """The system's own data, compiled; the parts are names of it."""
    links: dict[str, tuple[Link, ...]]
    """Name of a part to what its steps fire, in the author's order."""
    channels: dict[str, Channel] = field(factory=dict)
    """By name."""
    link_of: dict[int, Link] = field(factory=dict)
    """By its number."""
    arrivals: dict[tuple[str, str], str] = field(factory=dict)
    """A part and an event that comes to it through a channel, and through nothing else from
    outside, to that channel.
    """
    same: dict[str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = field(factory=dict)
    """Name of a part to its variables that others have as well, with all who have each of them."""
    cached_records: dict[tuple[str, int], tuple[Snapshot, Value]] = field(factory=dict, repr=False)
    """(part, id of a snapshot) to the snapshot, and what expressions see of it."""

    @property
    def events(self) -> tuple[str, ...]:
        """Every event of every part, as `part.event`."""
        return tuple(
            f"{name}.{event}" for name, tables in self.tables.items() for event in tables.events
        )

    def evaluation_snapshot(self, snapshot: SystemSnapshot) -> Snapshot:
        """Return a system's snapshot as its expressions see it: parts as records, beside the shared
        variables.

        Args:
            snapshot: of the system.

        Returns:
            A snapshot without a state; parts and shared variables are its variables.
        """
        parts = {name: self.part_value(name, snapshot.parts[name]) for name in self.parts}
        return Snapshot("", FrozenMap({**parts, **snapshot.variables}), snapshot.parameters)

    def part_value(self, name: str, held: PartSnapshots) -> Value:
        """Return a part as expressions see it.

        Args:
            name: of the part.
            held: a snapshot, or one for each key, or None.

        Returns:
            A record, or a map of records by key; None where the part is absent.
        """
        if held is None:
            return None
        if isinstance(held, Snapshot):
            return self.part_record(name, held)
        return FrozenMap({key: self.part_record(name, snapshot) for key, snapshot in held.items()})

    def part_record(self, name: str, held: Snapshot) -> Value:
        """Return one of a part as expressions see it; made once for a snapshot, which is kept, so
        its id stays its own.

        Args:
            name: of the part.
            held: one snapshot of the part.

        Returns:
            A record of its state, variables and predicates.
        """
        known = self.cached_records.get((name, id(held)))
        if known is None:
            if len(self.cached_records) >= _MOST_RECORDS:
                self.cached_records.clear()
            known = self.cached_records[name, id(held)] = held, self._new_record(name, held)
        return known[1]

    def _new_record(self, name: str, held: Snapshot) -> Value:
        looks, tables = self.parts[name].record_type, self.tables[name]
        values: dict[str, Value] = {"state": held.state, **held.parameters, **held.variables}
        values |= {
            predicate: tables.holds(predicate, held.state) for predicate in tables.predicates
        }
        names = tuple(name for name, _ in looks.fields)
        record: Value = make_record(looks.name, names, [values[name] for name in names])
        return record

    def holds(
        self,
        node: Expression,
        snapshot: SystemSnapshot,
        before: SystemSnapshot | None = None,
        bound: Mapping[str, Value] | None = None,
    ) -> bool:
        """Evaluate a condition of the system over a snapshot.

        Args:
            node: the condition.
            snapshot: where it is evaluated.
            before: the snapshot before the step, where it looks back.
            bound: what names stand for of which it is claimed for each value.

        Returns:
            True or False; an expression of a spec that loads cannot fail.
        """
        now = self.evaluation_snapshot(snapshot)
        earlier = None if before is None else self.evaluation_snapshot(before)
        return bool(
            self.behaviour.evaluator(node)("", now.variables, now.parameters, bound, earlier)
        )

    def may_stop(self, snapshot: SystemSnapshot) -> bool:
        """Tell whether it is legal to stop: where `final` holds, or where every part is in a final
        state and nothing waits.

        Args:
            snapshot: where it is.

        Returns:
            False where it must go on.
        """
        final = self.system.data.final
        if final is not None and self.holds(final, snapshot):
            return True
        return not snapshot.waiting and all(
            bool(self.tables[name].final >> self.tables[name].state_index[part_snapshot.state] & 1)
            for name, held in snapshot.parts.items()
            for part_snapshot in (
                held.values() if isinstance(held, Mapping) else () if held is None else (held,)
            )
        )

    def delivered_event(self, pending: PendingEvent) -> str:
        """Return what waits, as `part.event`.

        Args:
            pending: link, sender and receiver.

        Returns:
            A name.
        """
        send = self.link_of[pending.link].send
        assert send is not None
        return f"{send.part}.{send.event}"


_SYSTEM_TABLES: dict[int, SystemTables] = {}
_MOST_SYSTEM_TABLES = 64
_MOST_RECORDS = 20_000


def system_tables(system: SystemDefinition) -> SystemTables:
    """Return the tables of a system; they are built once for a value and kept.

    Args:
        system: in one release.

    Returns:
        Tables of each part's machine, of links and of channels.
    """
    built = _SYSTEM_TABLES.get(id(system))
    if built is None:
        if len(_SYSTEM_TABLES) >= _MOST_SYSTEM_TABLES:
            _SYSTEM_TABLES.clear()
        built = _SYSTEM_TABLES[id(system)] = _build_system_tables(
            system
        )  # the tables keep the system alive, so its id stays its own
    return built


def _build_system_tables(system: SystemDefinition) -> SystemTables:
    own = MachineDefinition(system.name, system.release, (), (), data=system.data)
    return SystemTables(
        system,
        f"{system.name} {system.release}".strip(),
        {part.name: part for part in system.parts},
        {name: machine_tables(machine) for name, machine in system.machines},
        compile_behaviour(own),
        {
            part.name: tuple(link for link in system.links if link.on == part.name)
            for part in system.parts
        },
        {channel.name: channel for channel in system.channels},
        {link.index: link for link in system.links},
        {
            (link.send.part, link.send.event): link.channel
            for link in system.links
            if link.send is not None and link.channel is not None
        },
        {
            part.name: tuple(
                (variable, same_variable.members)
                for same_variable in system.same
                for name, variable in same_variable.members
                if name == part.name
            )
            for part in system.parts
        },
    )
