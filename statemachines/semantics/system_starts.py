"""How a system begins."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping

from statemachines.model.expressions import Expression
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.systems import Held, Part, System, SystemSnapshot
from statemachines.model.types import BoolType, ElementType, EnumType, IntType
from statemachines.model.values import FrozenMap
from statemachines.semantics.choices import Extent, first_values, ordered
from statemachines.semantics.mistakes import ArgumentsError, unknown
from statemachines.semantics.starts import starts
from statemachines.semantics.systems import SystemTables, tables_of_system

Values = Mapping[str, Value]
Keys = Mapping[str, Iterable[Value]]
Choose = Callable[[Part, Value, tuple[Snapshot, ...]], Snapshot]
"""Given a part, its key and all its beginnings: which one."""


def start_system(
    system: System,
    /,
    *,
    keys: Keys | None = None,
    states: Mapping[str, object] | None = None,
    absent: Iterable[str] = (),
    choose: Choose | None = None,
    parameters: Values | None = None,
) -> SystemSnapshot:
    """Return the snapshot in which a system begins.

    Args:
        system: in one release.
        keys: of each part that there is once for each value of an `id` type, its keys.
        states: of a part, the state in which it begins; of one with keys, a state for all or a map from keys to states. Any state of the
            machine will do; what is not named begins in its first initial state.
        absent: optional parts that are not there.
        choose: which of several beginnings a part that `states` does not name has; the first one where it is None.
        parameters: of the system.

    Raises:
        ArgumentsError: a part, key, state or parameter is unknown or missing, or the beginning is against `initially`.
    """
    tables = tables_of_system(system)
    _known(tables, keys or {}, states or {}, absent)
    given = tables.behaviour.parameters(parameters or {})
    picked = choose or (lambda part, key, found: found[0])
    gone = set(absent)
    begin = _Begin(tables, given, keys or {}, states or {}, picked)
    parts: dict[str, Held] = {name: None if name in gone else begin.part(part) for name, part in tables.parts.items()}
    variables = next(iter(first_values(tables.behaviour, given)), {})
    snapshot = SystemSnapshot(FrozenMap(parts), FrozenMap(variables), FrozenMap(given), FrozenMap())
    condition = system.data.initially
    if condition is not None and not tables.holds(condition, snapshot):
        raise ArgumentsError(f"{tables.title} does not begin so: it is against `initially`")
    return snapshot


def all_starts(
    system: System,
    /,
    *,
    keys: Keys,
    absent: Iterable[str] = (),
    parameters: Values,
    extent: Extent | None = None,
    spend: Callable[[], None] = lambda: None,
) -> Iterator[SystemSnapshot]:
    """Yield every snapshot in which a system may begin with these parameters: each part anywhere that it may, if `initially` allows it.

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
    """
    tables = tables_of_system(system)
    given, gone = tables.behaviour.parameters(parameters), set(absent)
    begin = _Begin(tables, given, keys, {}, lambda part, key, found: found[0])
    each = [[None] if name in gone else list(begin.each(part)) for name, part in tables.parts.items()]
    condition = system.data.initially
    for held in itertools.product(*each):
        for variables in first_values(tables.behaviour, given, extent):
            spend()
            parts: dict[str, Held] = dict(zip(tables.parts, held, strict=True))
            snapshot = SystemSnapshot(FrozenMap(parts), FrozenMap(variables), FrozenMap(given), FrozenMap())
            if condition is None or tables.holds(condition, snapshot):
                yield snapshot


def _known(tables: SystemTables, keys: Keys, states: Mapping[str, object], absent: Iterable[str]) -> None:
    for name in (*keys, *states, *absent):
        if name not in tables.parts:
            raise unknown("part", name, tables.parts, tables.title)
    for name in absent:
        if not tables.parts[name].optional:
            raise ArgumentsError(f"`{name}` is not optional")


class _Begin:
    """The parts of a system at its beginning."""

    def __init__(self, tables: SystemTables, parameters: Values, keys: Keys, states: Mapping[str, object], choose: Choose) -> None:
        self.tables = tables
        self.parameters = parameters
        self.keys = keys
        self.states = states
        self.choose = choose

    def part(self, part: Part) -> Held:
        if part.each is None:
            return self._one(part, None)
        return FrozenMap({key: self._one(part, key) for key in self._keys(part)})

    def each(self, part: Part) -> Iterator[Held]:
        """Yield every beginning of a part."""
        keys = (None,) if part.each is None else self._keys(part)
        found = [starts(self.tables.tables[part.name], **{name: self._value(node, key) for name, node in part.given}) for key in keys]
        for chosen in itertools.product(*found):
            yield chosen[0] if part.each is None else FrozenMap(zip(keys, chosen, strict=True))

    def _keys(self, part: Part) -> tuple[Value, ...]:
        """Return the keys of a part: told by its type, else by the caller."""
        match part.each:
            case ElementType():
                found = self._value(part.each.of, None)
                return tuple(found) if isinstance(found, tuple) else ordered(found)  # type: ignore[arg-type]  # a set
            case EnumType():
                return part.each.members
            case BoolType():
                return (False, True)
            case IntType(low, high) if low is not None and high is not None:
                return tuple(range(low, high + 1))
        if part.name not in self.keys:
            raise ArgumentsError(f"`{part.name}` needs its keys of type `{part.each}`: give `keys={{{part.name!r}: […]}}`")
        return tuple(dict.fromkeys(self.keys[part.name]))

    def _one(self, part: Part, key: Value) -> Snapshot:
        given = {name: self._value(node, key) for name, node in part.given}
        tables = self.tables.tables[part.name]
        found = starts(tables, **given)
        named = self.states.get(part.name)
        state = named.get(key) if isinstance(named, Mapping) else named
        if state is None:
            return self.choose(part, key, found)
        tables.place(str(state))
        wanted = [one for one in found if one.state == state]
        return wanted[0] if wanted else Snapshot(str(state), found[0].variables, found[0].parameters)

    def _value(self, node: Expression, key: Value) -> Value:
        value: Value = self.tables.behaviour.evaluate(node)("", {}, self.parameters, {"key": key})
        return value
