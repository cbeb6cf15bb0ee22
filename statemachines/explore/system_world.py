"""A system within a scope, as rows of numbers: one column for each part (each key of one), for what is shared, and for what waits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext

from attrs import define, evolve, field, frozen

from statemachines.explore.columns import Row, is_outside
from statemachines.explore.drawing import Values
from statemachines.explore.draws import Draws, draws_of
from statemachines.explore.limits import Budget, Ending, Limits, unlimited
from statemachines.explore.scopes import Scope, id_types, parameters_within
from statemachines.explore.scopes import extent as extent_within
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.data import Scope as Named
from statemachines.model.expressions import Kind
from statemachines.model.machines import Transition
from statemachines.model.snapshots import Advanced, Answer, Forced, Raised, Refused, Snapshot, Value
from statemachines.model.systems import Held, Link, System, SystemSnapshot
from statemachines.model.types import IdType, base_of
from statemachines.model.values import FrozenMap
from statemachines.semantics.choices import Extent, extent_of
from statemachines.semantics.compile import used_names
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.step import decided
from statemachines.semantics.system_starts import all_starts
from statemachines.semantics.systems import SystemTables, deliver, follow, tables_of_system

Place = tuple[str, Value]
"""A part and its key."""
MOST_BEGINNINGS = 200_000
"""Beginnings that are gone through."""
FEW = 1_000
"""Those that are kept where time was over before all were found."""


@frozen(eq=False)
class Move:
    """An event that a part takes by itself; what its links make of it depends on the others."""

    event: str
    arguments: Values
    answer: Answer
    weight: int = 1
    """How many arguments come to the same: these are the first."""


@frozen(eq=False)
class SystemStep:
    """A step of a system."""

    occurrence: SystemOccurrence
    after: Row
    weight: int = 1
    """How many arguments come to the same."""


@define(eq=False)
class Numbers:
    """The values of a column, numbered as they are met; columns of one part share them."""

    values: list[object] = field(factory=list)
    known: dict[object, int] = field(factory=dict)

    def number(self, value: object) -> int:
        """Return the number of a value."""
        found = self.known.get(value)
        if found is None:
            found = self.known[value] = len(self.values)
            self.values.append(value)
        return found


@define(eq=False)
class SystemWorld:
    """All that is explored of a system."""

    tables: SystemTables
    extent: Extent
    extents: dict[str, Extent]
    """Part to the extent within which its arguments are drawn."""
    held: dict[str, Numbers]
    """Part to its snapshots; None where it is absent."""
    places: tuple[Place, ...] = ()
    """The columns of the parts."""
    cut: tuple[str, ...] = ()
    """Beginnings that were left out, and why: there are too many, or it took too long to find them."""
    stopped: Ending = field(factory=Ending)
    """Whether a limit was hit, or somebody ended it, before all beginnings were found."""
    shared: Numbers = field(factory=Numbers)
    parameters: Numbers = field(factory=Numbers)
    waiting: Numbers = field(factory=Numbers)
    begins: tuple[Row, ...] = ()
    draws: dict[tuple[str, str], Draws] = field(factory=dict)
    moves: dict[tuple[str, int], tuple[tuple[Move, ...], int]] = field(factory=dict)
    """Part and the number of its snapshot: what it takes by itself, and how many events with arguments nothing takes."""
    outside: dict[tuple[str, int], bool] = field(factory=dict)
    """Part and the number of its snapshot: whether an integer without bounds has left the range that is explored."""
    turned_down: int = 0
    wrong: list[Row] = field(factory=list)
    """The row from which the first step goes in which the spec is wrong."""
    spend: Callable[[], None] = unlimited
    """Called now and then while something is asked: whoever explores looks at limits there."""

    @property
    def system(self) -> System:
        """The system."""
        return self.tables.system

    def row(self, snapshot: SystemSnapshot, before: SystemSnapshot | None = None, row: Row = ()) -> Row:
        """Return the numbers of a snapshot; what is the same as in the snapshot before it, whose row is given, is not looked up."""
        found = list(row) if before is not None else [0] * (len(self.places) + 3)
        for place, (name, key) in enumerate(self.places):
            whole = snapshot.parts[name]
            if before is None or whole is not before.parts[name]:
                found[place] = self.held[name].number(_at(whole, key))
        rest = (snapshot.variables, self.shared), (snapshot.parameters, self.parameters), (snapshot.waiting, self.waiting)
        for place, (value, numbers) in enumerate(rest, len(self.places)):
            found[place] = numbers.number(value)
        return tuple(found)

    def snapshot(self, row: Row) -> SystemSnapshot:
        """Return the snapshot of a row."""
        parts: dict[str, Held] = {name: {} for name, part in self.tables.parts.items() if part.each is not None}
        for (name, key), number in zip(self.places, row, strict=False):
            one: Snapshot | None = self.held[name].values[number]  # type: ignore[assignment]  # its column holds nothing else
            if key is None:
                parts[name] = one
            elif one is not None:
                parts[name][key] = one  # type: ignore[index]  # a map: the part has keys
        ordered = ((name, parts[name]) for name in self.tables.parts if name in parts)  # the author's order, which every output keeps
        whole = FrozenMap({name: FrozenMap(one) if type(one) is dict else one for name, one in ordered})
        shared, parameters, waiting = (
            numbers.values[number] for numbers, number in zip((self.shared, self.parameters, self.waiting), row[-3:], strict=True)
        )
        return SystemSnapshot(whole, shared, parameters, waiting)  # type: ignore[arg-type]  # columns hold what they hold

    def held_in(self, snapshot: SystemSnapshot) -> Iterator[tuple[Place, Snapshot]]:
        """Yield the parts that there are, with their keys."""
        for name, key in self.places:
            if (held := _at(snapshot.parts[name], key)) is not None:
                yield (name, key), held

    def is_outside(self, row: Row) -> bool:
        """Tell whether an integer without bounds lies outside the range that is explored."""
        pairs = zip(self.places, row, strict=False)
        return any(self._outside(name, number) for (name, _), number in pairs) or self._outside("", row[-3])

    def _outside(self, name: str, number: int) -> bool:
        """Tell it of a part, or (no name) of the shared variables; what something begins with was not reached by counting."""
        found = self.outside.get((name, number))
        if found is None:
            one = (self.held[name] if name else self.shared).values[number]
            values = one.variables if isinstance(one, Snapshot) else one
            machine = self.tables.tables[name].machine if name else self.tables.behaviour.machine
            integers = self.extents[name].integers if name else self.extent.integers
            known = values if isinstance(values, Mapping) else {}
            found = any(is_outside(each.type, known[each.name], integers) for each in machine.data.variables if each.name in known)
            self.outside[name, number] = found
        return found

    def steps(self, row: Row) -> Iterator[SystemStep]:
        """Yield every step from a row: events of the parts in order, then what waits; count what nothing takes, keep what is wrong."""
        now = self.snapshot(row)
        for (name, key), number in zip(self.places, row, strict=False):
            moves, turned_down = self._moves(name, number)
            self.turned_down += turned_down
            for move in moves:
                answer = follow(self.tables, now, name, key, move.event, move.arguments, move.answer)
                yield from self._step(row, now, SystemOccurrence(f"{name}.{move.event}", key, move.arguments, answer), move.weight)
        for place in now.waiting:
            delivered = deliver(self.system, now, place)
            first = delivered.steps[0] if delivered.steps else None
            event = f"{first.part}.{first.event}" if first is not None else ""
            yield from self._step(row, now, SystemOccurrence(event, place.receiver, now.waiting[place], delivered, place))

    def _step(self, row: Row, now: SystemSnapshot, occurrence: SystemOccurrence, weight: int = 1) -> Iterator[SystemStep]:
        answer = occurrence.answer
        if answer.wrong and not self.wrong:
            self.wrong.append(row)
        if occurrence.delivered is None and isinstance(answer.steps[0].answer, Refused):
            self.turned_down += weight
        else:
            yield SystemStep(occurrence, self.row(answer.after, now, row), weight)

    def _moves(self, name: str, number: int) -> tuple[tuple[Move, ...], int]:
        """Return what a part takes by itself."""
        found = self.moves.get((name, number))
        if found is None:
            held: Snapshot | None = self.held[name].values[number]  # type: ignore[assignment]
            found = self.moves[name, number] = ((), 0) if held is None else self._asked(name, held)
        return found

    def _asked(self, name: str, held: Snapshot) -> tuple[tuple[Move, ...], int]:
        tables, taken, turned_down = self.tables.tables[name], dict[tuple[object, ...], Move](), 0
        for event in tables.events:
            for arguments in self.draws_of(name, event).of(held):
                self.spend()
                answer = decided(tables, held, event, arguments)
                if not is_taken(answer):
                    turned_down += 1
                    continue
                told = (FrozenMap(arguments), answer.returned) if self._is_told(name, event) else ()
                key = (event, type(answer), answer.error, answer.after, *told)
                known = taken.get(key)
                taken[key] = Move(event, FrozenMap(arguments), answer) if known is None else evolve(known, weight=known.weight + 1)
        return tuple(taken.values()), turned_down

    def draws_of(self, name: str, event: str) -> Draws:
        """Return how the arguments of a part's event are drawn."""
        found = self.draws.get((name, event))
        if found is None:
            found = self.draws[name, event] = draws_of(self.tables.tables[name].behaviour, self.extents[name], event)
            found.spend = lambda: self.spend()
        return found

    def _is_told(self, name: str, event: str) -> bool:
        """Tell whether some link looks at the arguments of an event, or at what it returned."""
        asked = any(
            fair.event == f"{name}.{event}" for one in self.system.data.properties for fair in one.assuming if fair.each is not None
        )
        return asked or any(_looks(link) for link in self.tables.links[name] if link.event in (None, event))


def _looks(link: Link) -> bool:
    nodes = [node for node in (link.guard, link.only_if) if node is not None]
    nodes += [one.value for one in link.effect]
    if link.send is not None:
        nodes += [value for _, value in link.send.arguments] + ([link.send.key] if link.send.key is not None else [])
    return any(name.kind is Kind.ARGUMENT and name.name != "key" for name in used_names(nodes))


def is_taken(answer: Answer) -> bool:
    """Tell whether a transition took an event, or it was done all the same."""
    return isinstance(answer, Advanced | Forced) or (isinstance(answer, Raised) and isinstance(answer.decided_by, Transition))


def _at(held: Held, key: Value) -> Snapshot | None:
    return held.get(key) if isinstance(held, Mapping) else held


def system_world(system: System, scope: Scope, limits: Limits | None = None) -> SystemWorld:
    """Return a system's world.

    Args:
        system: in one release.
        scope: what is said beside the system's own.
        limits: where looking for beginnings ends early, which an interrupt does then too; the world says so.

    Raises:
        ArgumentsError: the scope does not fit the system, or nothing begins.
    """
    tables = tables_of_system(system)
    extent = system_extent(tables, scope)
    extents = {name: _of_part(extent_of(each.behaviour), extent, scope, system.data.scope) for name, each in tables.tables.items()}
    world = SystemWorld(tables, extent, extents, {name: Numbers() for name in tables.parts})
    _begin(world, scope, limits)
    for row in world.begins:
        world.outside |= {(name, number): False for (name, _), number in zip(world.places, row, strict=False)}
        world.outside["", row[-3]] = False
    return world


def _begin(world: SystemWorld, scope: Scope, limits: Limits | None) -> None:
    """Find the rows in which a system begins, and the columns that they need.

    Raises:
        ArgumentsError: there is none.
    """
    begins, rows = list[SystemSnapshot](), list[Row]()
    cut = world.stopped.bounds
    budget = Budget.of_beginnings(limits, cut)

    def spend() -> None:
        budget.spend(0, 0, 0)

    with nullcontext() if limits is None else world.stopped.noted():
        for one in itertools.islice(_beginnings(world, scope, cut, spend), MOST_BEGINNINGS + 1):
            begins.append(one)
    if not begins and not world.stopped.early:
        raise ArgumentsError(f"nothing begins: no parts of {world.tables.title} fit together, or no parameters do")
    if len(begins) > MOST_BEGINNINGS:
        cut.append(f"there are more than {MOST_BEGINNINGS:,} beginnings; the others were not looked at")
    world.places = keys_of(world, begins)
    if world.stopped.early:
        rows = [world.row(one) for one in begins[:FEW]]
    else:
        with nullcontext() if limits is None else world.stopped.noted():
            for one in begins[:MOST_BEGINNINGS]:
                spend()
                rows.append(world.row(one))
    world.cut, world.begins = tuple(cut), tuple(dict.fromkeys(rows))


def system_extent(tables: SystemTables, scope: Scope) -> Extent:
    """Return how many values the types of a system itself have; the sizes of types that parts alone have are left out.

    Raises:
        ArgumentsError: the scope sizes a type that neither the system nor a part has.
    """
    parts = {one.name for each in tables.tables.values() for one in id_types(each.machine)}
    parts -= {one.name for one in id_types(tables.behaviour.machine)}
    own = {name: size for name, size in scope.sizes.items() if name not in parts}
    return extent_within(tables.behaviour, evolve(scope, sizes=own))


def _beginnings(world: SystemWorld, scope: Scope, cut: list[str], spend: Callable[[], None]) -> Iterator[SystemSnapshot]:
    keys = id_keys(world)
    for parameters in parameters_within(world.tables.behaviour, world.extent, scope, cut, spend):
        for absent in absences(world):
            yield from all_starts(world.system, keys=keys, absent=absent, parameters=parameters, extent=world.extent, spend=spend)


def _of_part(own: Extent, system: Extent, scope: Scope, named: Named) -> Extent:
    """Return the extent of a part: what the system or a person names (`scope`, `named`) beats what its machine does."""
    integers = system.integers if (scope.integers, named.integers) != (None, None) else own.integers
    longest = system.longest if (scope.longest, named.longest) != (None, None) else own.longest
    return evolve(own, sizes={**own.sizes, **system.sizes, **scope.sizes}, integers=integers, longest=longest)


def keys_of(world: SystemWorld, snapshots: list[SystemSnapshot]) -> tuple[Place, ...]:
    """Return the columns that some snapshots need: each part, once for each key that one of them has."""
    found: dict[Place, None] = {}
    for name, part in world.tables.parts.items():
        if part.each is None:
            found[name, None] = None
        elif isinstance(type_ := base_of(part.each), IdType):
            found |= {(name, key): None for key in world.extent.ids(type_)}
        for snapshot in snapshots if part.each is not None else ():
            held = snapshot.parts[name]
            found |= {(name, key): None for key in (held if isinstance(held, Mapping) else ())}
    return tuple(found)


def id_keys(world: SystemWorld) -> dict[str, tuple[Value, ...]]:
    """Return the keys of parts that there are once for each value of an `id` type."""
    parts = world.tables.parts.values()
    return {part.name: world.extent.ids(part.each) for part in parts if isinstance(part.each, IdType)}


def absences(world: SystemWorld) -> Iterator[tuple[str, ...]]:
    """Yield which optional parts are not there: none, one, …"""
    optional = [part.name for part in world.tables.parts.values() if part.optional]
    for many in range(len(optional) + 1):
        yield from itertools.combinations(optional, many)
