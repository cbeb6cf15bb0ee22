"""How a system begins."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypedDict

from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    SystemDefinition,
    SystemPart,
    SystemSnapshot,
)
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import BoolType, ElementType, EnumType, IntType
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.initial_values import initial_variables
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    sorted_values,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.event_cascade import with_events_sent
from statemachines.semantics.system.shared_variables import shared_parts
from statemachines.semantics.system.system_states import Values
from statemachines.semantics.system.system_tables import SystemTables, system_tables

PartKeys = Mapping[str, Iterable[Value]]
InitialChoice = Callable[[SystemPart, Value, tuple[Snapshot, ...]], Snapshot]
"""Given a part, its key and all its beginnings: which one."""


class SystemBeginning(TypedDict, total=False):
    """What is said of how a system begins."""

    keys: PartKeys | None
    """Of each part that there is once for each value of an `id` type, its keys."""
    states: Mapping[str, object] | None
    """Of a part, the state in which it begins; of one with keys, a state for all or a map from keys
    to states. Any state of the machine will do; what is not named begins in its first initial
    state.
    """
    absent: Iterable[str]
    """Optional parts that are not there."""
    parameters: Values | None
    """Of the system, by name."""


def initial_system_snapshot(
    system: SystemDefinition,
    /,
    *,
    keys: PartKeys | None = None,
    states: Mapping[str, object] | None = None,
    absent: Iterable[str] = (),
    choose: InitialChoice | None = None,
    parameters: Values | None = None,
) -> SystemSnapshot:
    """Return the snapshot in which a system begins.

    Args:
        system: in one release.
        keys: as `SystemBeginning` has it.
        states: likewise.
        absent: likewise.
        choose: which of several beginnings a part that `states` does not name has; the first one
            where it is None.
        parameters: as `SystemBeginning` has it.

    Returns:
        A snapshot in which shared variables are equal, and nothing waits but what links send at the
        beginning.

    Raises:
        ArgumentsError: a part, key, state or parameter is unknown or missing, or the beginning is
            against `initially`.
    """
    tables = system_tables(system)
    _check_part_names(tables, keys or {}, states or {}, absent)
    checked_parameters = tables.behaviour.checked_parameters(parameters or {})
    picked = choose or (lambda part, key, snapshots: snapshots[0])
    missing = set(absent)
    begin = _InitialParts(tables, checked_parameters, keys or {}, states or {}, picked)
    parts: dict[str, PartSnapshots] = {
        name: None if name in missing else begin.initial_part(part)
        for name, part in tables.parts.items()
    }
    variables = next(iter(initial_variables(tables.behaviour, checked_parameters)), {})
    parts = shared_parts(tables, parts)
    snapshot = SystemSnapshot(
        FrozenMap(parts), FrozenMap(variables), FrozenMap(checked_parameters), FrozenMap()
    )
    condition = system.data.initially
    if condition is not None and not tables.holds(condition, snapshot):
        raise ArgumentsError(f"{tables.title} does not begin so: it is against `initially`")
    return with_events_sent(tables, snapshot)


def initial_system_snapshots(
    system: SystemDefinition,
    /,
    *,
    keys: PartKeys,
    absent: Iterable[str] = (),
    parameters: Values,
    extent: DomainSizes | None = None,
    spend: Callable[[], None] = lambda: None,
) -> Iterator[SystemSnapshot]:
    """Yield every snapshot in which a system may begin with these parameters: each part anywhere
    that it may, if `initially` allows it.

    Args:
        system: in one release.
        keys: of each part that there is once for each value of an `id` type, its keys.
        absent: optional parts that are not there.
        parameters: of the system.
        extent: how many values types have, for shared variables that begin with any value.
        spend: is called now and then; what it raises ends it.

    Raises:
        ArgumentsError: the parameters do not fit, or a part cannot begin with what it is given.

    Complexity: as many as the product of what the parts have; they are made one by one.

    Yields:
        Snapshots in the order of the parts' beginnings, each once.
    """
    tables = system_tables(system)
    given, missing = tables.behaviour.checked_parameters(parameters), set(absent)
    begin = _InitialParts(tables, given, keys, {}, lambda part, key, snapshots: snapshots[0])
    by_part = [
        [None] if name in missing else list(begin.initial_parts(part))
        for name, part in tables.parts.items()
    ]
    condition = system.data.initially
    for held in itertools.product(*by_part):
        spend()
        for variables in initial_variables(tables.behaviour, given, extent, spend):
            parts = shared_parts(tables, dict(zip(tables.parts, held, strict=True)))
            snapshot = SystemSnapshot(
                FrozenMap(parts), FrozenMap(variables), FrozenMap(given), FrozenMap()
            )
            if condition is None or tables.holds(condition, snapshot):
                yield with_events_sent(tables, snapshot)


def _check_part_names(
    tables: SystemTables, keys: PartKeys, states: Mapping[str, object], absent: Iterable[str]
) -> None:
    for name in (*keys, *states, *absent):
        if name not in tables.parts:
            raise unknown_word("part", name, tables.parts, tables.title)
    for name in absent:
        if not tables.parts[name].optional:
            raise ArgumentsError(f"`{name}` is not optional")


class _InitialParts:
    """The parts of a system at its beginning."""

    def __init__(
        self,
        tables: SystemTables,
        parameters: Values,
        keys: PartKeys,
        states: Mapping[str, object],
        choose: InitialChoice,
    ) -> None:
        self.tables = tables
        self.parameters = parameters
        self.keys = keys
        self.states = states
        self.choose = choose

    def initial_part(self, part: SystemPart) -> PartSnapshots:
        if part.each is None:
            return self._initial_snapshot(part, None)
        return FrozenMap({key: self._initial_snapshot(part, key) for key in self._part_keys(part)})

    def initial_parts(self, part: SystemPart) -> Iterator[PartSnapshots]:
        """Yield every beginning of a part."""
        keys = (None,) if part.each is None else self._part_keys(part)
        choices = [
            initial_snapshots(
                self.tables.tables[part.name],
                **{name: self._evaluate(node, key) for name, node in part.parameters},
            )
            for key in keys
        ]
        for chosen in itertools.product(*choices):
            yield chosen[0] if part.each is None else FrozenMap(zip(keys, chosen, strict=True))

    def _part_keys(self, part: SystemPart) -> tuple[Value, ...]:
        """Return the keys of a part: told by its type, else by the caller."""
        if part.is_created:
            return ()
        match part.each:
            case ElementType():
                keys_of_part: Any = self._evaluate(part.each.set_expression, None)
                return (
                    keys_of_part if isinstance(keys_of_part, tuple) else sorted_values(keys_of_part)
                )
            case EnumType():
                return part.each.members
            case BoolType():
                return (False, True)
            case IntType(low, high) if low is not None and high is not None:
                return tuple(range(low, high + 1))
        if part.name not in self.keys:
            raise ArgumentsError(
                f"`{part.name}` needs its keys of type `{part.each}`: give `keys={{{part.name!r}:"
                " […]}`"
            )
        keys = self.keys[part.name]
        if isinstance(keys, str) or not isinstance(keys, Iterable):
            raise ArgumentsError(
                f"the keys of `{part.name}` are {keys!r}, and are a list: give"
                f" `keys={{{part.name!r}: [{keys!r}]}}`"
            )
        return tuple(dict.fromkeys(keys))

    def _initial_snapshot(self, part: SystemPart, key: Value) -> Snapshot:
        given = {name: self._evaluate(node, key) for name, node in part.parameters}
        tables = self.tables.tables[part.name]
        snapshots = initial_snapshots(tables, **given)
        named = self.states.get(part.name)
        state = named.get(key) if isinstance(named, Mapping) else named
        if state is None:
            return self.choose(part, key, snapshots)
        tables.index_of_state(str(state))
        wanted = [snapshot for snapshot in snapshots if snapshot.state == state]
        return (
            wanted[0]
            if wanted
            else Snapshot(str(state), snapshots[0].variables, snapshots[0].parameters)
        )

    def _evaluate(self, node: Expression, key: Value) -> Value:
        value: Value = self.tables.behaviour.evaluator(node)("", {}, self.parameters, {"key": key})
        return value
