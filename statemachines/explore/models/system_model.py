"""A system within a scope, as rows of numbers: one column for each part (each key of one), for what
is shared, and for what waits.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext

from attrs import define, evolve, field, frozen

from statemachines.explore.arguments.enumeration import ArgumentEnumeration, build_enumeration
from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.models.row_columns import Row, leaves_integer_range
from statemachines.explore.models.scopes import ExplorationScope, id_types, parameter_assignments
from statemachines.explore.models.scopes import scope_extent as extent_within
from statemachines.explore.resources.limits import Budget, Limits, SearchEnding, check_nothing
from statemachines.explore.walks.system_walks import SystemTraceStep
from statemachines.model.definitions.data_definitions import ScopeDefinition as Named
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Raised,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    Link,
    PartSnapshots,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.language.expression_nodes import NameKind
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import IdType, base_type
from statemachines.semantics.evaluation.compiler import used_names
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import DomainSizes, default_domain_sizes
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshots
from statemachines.semantics.system.system_step import (
    SystemTables,
    apply_part_step,
    deliver_event,
    system_tables,
)

PartKey = tuple[str, Value]
"""A part and its key."""
MOST_INITIAL_SNAPSHOTS = 200_000
"""Beginnings that are gone through."""
KEPT_WHEN_STOPPED = 1_000
"""Those that are kept where time was over before all were found."""


@frozen(eq=False)
class PartMove:
    """An event that a part takes by itself; what its links make of it depends on the others."""

    event: str
    arguments: NamedValues
    answer: Answer
    weight: int = 1
    """How many arguments come to the same: these are the first."""


@frozen(eq=False)
class SystemRowStep:
    """A step of a system."""

    trace_step: SystemTraceStep
    after: Row
    weight: int = 1
    """How many arguments come to the same."""


@define(eq=False)
class ValueIds:
    """The values of a column, numbered as they are met; columns of one part share them."""

    values: list[object] = field(factory=list)
    ids: dict[object, int] = field(factory=dict)

    def value_id(self, value: object) -> int:
        """Return the number of a value."""
        found = self.ids.get(value)
        if found is None:
            found = self.ids[value] = len(self.values)
            self.values.append(value)
        return found


@define(eq=False)
class SystemModel:
    """All that is explored of a system."""

    tables: SystemTables
    extent: DomainSizes
    extents: dict[str, DomainSizes]
    """Part to the extent within which its arguments are drawn."""
    part_values: dict[str, ValueIds]
    """Part to its snapshots; None where it is absent."""
    part_keys: tuple[PartKey, ...] = ()
    """The columns of the parts."""
    truncations: tuple[str, ...] = ()
    """Beginnings that were left out, and why: there are too many, or it took too long to find them.
    """
    ending: SearchEnding = field(factory=SearchEnding)
    """Whether a limit was hit, or somebody ended it, before all beginnings were found."""
    shared: ValueIds = field(factory=ValueIds)
    parameters: ValueIds = field(factory=ValueIds)
    waiting: ValueIds = field(factory=ValueIds)
    initial_rows: tuple[Row, ...] = ()
    enumerations: dict[tuple[str, str], ArgumentEnumeration] = field(factory=dict)
    known_moves: dict[tuple[str, int], tuple[tuple[PartMove, ...], int]] = field(factory=dict)
    """Part and the number of its snapshot: what it takes by itself, and how many events with
    arguments nothing takes.
    """
    out_of_range: dict[tuple[str, int], bool] = field(factory=dict)
    """Part and the number of its snapshot: whether an integer without bounds has left the range
    that is explored.
    """
    disabled: int = 0
    faulty_rows: list[Row] = field(factory=list)
    """The row from which the first step goes in which the spec is wrong."""
    check_limits: Callable[[], None] = check_nothing
    """Called now and then while something is asked: whoever explores looks at limits there."""

    @property
    def system(self) -> SystemDefinition:
        """The system."""
        return self.tables.system

    def row(
        self, snapshot: SystemSnapshot, before: SystemSnapshot | None = None, row: Row = ()
    ) -> Row:
        """Return the numbers of a snapshot; what is the same as in the snapshot before it, whose
        row is given, is not looked up.
        """
        found = list(row) if before is not None else [0] * (len(self.part_keys) + 3)
        for place, (name, key) in enumerate(self.part_keys):
            whole = snapshot.parts[name]
            if before is None or whole is not before.parts[name]:
                found[place] = self.part_values[name].value_id(_part_snapshot(whole, key))
        rest = (
            (snapshot.variables, self.shared),
            (snapshot.parameters, self.parameters),
            (snapshot.waiting, self.waiting),
        )
        for place, (value, numbers) in enumerate(rest, len(self.part_keys)):
            found[place] = numbers.value_id(value)
        return tuple(found)

    def snapshot(self, row: Row) -> SystemSnapshot:
        """Return the snapshot of a row."""
        parts: dict[str, PartSnapshots] = {
            name: {} for name, part in self.tables.parts.items() if part.each is not None
        }
        for (name, key), number in zip(self.part_keys, row, strict=False):
            one: Snapshot | None = self.part_values[name].values[number]  # type: ignore[assignment]  # its column holds nothing else
            if key is None:
                parts[name] = one
            elif one is not None:
                parts[name][key] = one  # type: ignore[index]  # a map: the part has keys
        ordered = (
            (name, parts[name]) for name in self.tables.parts if name in parts
        )  # the author's order, which every output keeps
        whole = FrozenMap(
            {name: FrozenMap(one) if type(one) is dict else one for name, one in ordered}
        )
        shared, parameters, waiting = (
            numbers.values[number]
            for numbers, number in zip(
                (self.shared, self.parameters, self.waiting), row[-3:], strict=True
            )
        )
        return SystemSnapshot(whole, shared, parameters, waiting)  # type: ignore[arg-type]  # columns hold what they hold

    def present_parts(self, snapshot: SystemSnapshot) -> Iterator[tuple[PartKey, Snapshot]]:
        """Yield the parts that there are, with their keys."""
        for name, key in self.part_keys:
            if (held := _part_snapshot(snapshot.parts[name], key)) is not None:
                yield (name, key), held

    def is_out_of_range(self, row: Row) -> bool:
        """Tell whether an integer without bounds lies outside the range that is explored."""
        pairs = zip(self.part_keys, row, strict=False)
        return any(
            self._is_part_out_of_range(name, number) for (name, _), number in pairs
        ) or self._is_part_out_of_range("", row[-3])

    def _is_part_out_of_range(self, name: str, number: int) -> bool:
        """Tell it of a part, or (no name) of the shared variables; what something begins with was
        not reached by counting.
        """
        found = self.out_of_range.get((name, number))
        if found is None:
            one = (self.part_values[name] if name else self.shared).values[number]
            values = one.variables if isinstance(one, Snapshot) else one
            machine = self.tables.tables[name].machine if name else self.tables.behaviour.machine
            integers = self.extents[name].integers if name else self.extent.integers
            known = values if isinstance(values, Mapping) else {}
            found = any(
                leaves_integer_range(each.type, known[each.name], integers)
                for each in machine.data.variables
                if each.name in known
            )
            self.out_of_range[name, number] = found
        return found

    def steps(self, row: Row) -> Iterator[SystemRowStep]:
        """Yield every step from a row: events of the parts in order, then what waits; count what
        nothing takes, keep what is wrong.
        """
        now = self.snapshot(row)
        for (name, key), number in zip(self.part_keys, row, strict=False):
            moves, turned_down = self._part_moves(name, number)
            self.disabled += turned_down
            for move in moves:
                answer = apply_part_step(
                    self.tables, now, name, key, move.event, move.arguments, move.answer
                )
                yield from self._row_step(
                    row,
                    now,
                    SystemTraceStep(f"{name}.{move.event}", key, move.arguments, answer),
                    move.weight,
                )
        for place in now.waiting:
            delivered = deliver_event(self.system, now, place)
            first = delivered.steps[0] if delivered.steps else None
            event = f"{first.part}.{first.event}" if first is not None else ""
            yield from self._row_step(
                row,
                now,
                SystemTraceStep(event, place.receiver, now.waiting[place], delivered, place),
            )

    def _row_step(
        self, row: Row, now: SystemSnapshot, occurrence: SystemTraceStep, weight: int = 1
    ) -> Iterator[SystemRowStep]:
        answer = occurrence.answer
        if answer.spec_errors and not self.faulty_rows:
            self.faulty_rows.append(row)
        if occurrence.delivered_from is None and isinstance(answer.steps[0].answer, Refused):
            self.disabled += weight
        else:
            yield SystemRowStep(occurrence, self.row(answer.after, now, row), weight)

    def _part_moves(self, name: str, number: int) -> tuple[tuple[PartMove, ...], int]:
        """Return what a part takes by itself."""
        found = self.known_moves.get((name, number))
        if found is None:
            held: Snapshot | None = self.part_values[name].values[number]  # type: ignore[assignment]
            found = self.known_moves[name, number] = (
                ((), 0) if held is None else self._compute_moves(name, held)
            )
        return found

    def _compute_moves(self, name: str, held: Snapshot) -> tuple[tuple[PartMove, ...], int]:
        tables, taken, turned_down = (
            self.tables.tables[name],
            dict[tuple[object, ...], PartMove](),
            0,
        )
        for event in tables.events:
            for arguments in self.argument_enumeration(name, event).arguments_at(held):
                self.check_limits()
                answer = unchecked_step(tables, held, event, arguments)
                if not was_taken(answer):
                    turned_down += 1
                    continue
                told = (
                    (FrozenMap(arguments), answer.returned)
                    if self._arguments_matter(name, event)
                    else ()
                )
                key = (event, type(answer), answer.error, answer.after, *told)
                known = taken.get(key)
                taken[key] = (
                    PartMove(event, FrozenMap(arguments), answer)
                    if known is None
                    else evolve(known, weight=known.weight + 1)
                )
        return tuple(taken.values()), turned_down

    def argument_enumeration(self, name: str, event: str) -> ArgumentEnumeration:
        """Return how the arguments of a part's event are drawn."""
        found = self.enumerations.get((name, event))
        if found is None:
            found = self.enumerations[name, event] = build_enumeration(
                self.tables.tables[name].behaviour, self.extents[name], event
            )
            found.check_limits = lambda: self.check_limits()
        return found

    def _arguments_matter(self, name: str, event: str) -> bool:
        """Tell whether some link looks at the arguments of an event, or at what it returned."""
        asked = any(
            fair.event == f"{name}.{event}"
            for one in self.system.data.properties
            for fair in one.assuming
            if fair.argument is not None
        )
        return asked or any(
            _link_reads_arguments(link)
            for link in self.tables.links[name]
            if link.event in (None, event)
        )


def _link_reads_arguments(link: Link) -> bool:
    nodes = [node for node in (link.guard, link.only_if) if node is not None]
    nodes += [one.value for one in link.effect]
    if link.send is not None:
        nodes += [value for _, value in link.send.arguments] + (
            [link.send.key] if link.send.key is not None else []
        )
    return any(name.kind is NameKind.ARGUMENT and name.name != "key" for name in used_names(nodes))


def was_taken(answer: Answer) -> bool:
    """Tell whether a transition took an event, or it was done all the same."""
    return isinstance(answer, Advanced | Forced) or (
        isinstance(answer, Raised) and isinstance(answer.decided_by, Transition)
    )


def _part_snapshot(held: PartSnapshots, key: Value) -> Snapshot | None:
    return held.get(key) if isinstance(held, Mapping) else held


def build_system_model(
    system: SystemDefinition, scope: ExplorationScope, limits: Limits | None = None
) -> SystemModel:
    """Return a system's world.

    Args:
        system: in one release.
        scope: what is said beside the system's own.
        limits: where looking for beginnings ends early, which an interrupt does then too; the world
            says so.

    Raises:
        ArgumentsError: the scope does not fit the system, or nothing begins.
    """
    tables = system_tables(system)
    extent = system_extent(tables, scope)
    extents = {
        name: _part_extent(default_domain_sizes(each.behaviour), extent, scope, system.data.scope)
        for name, each in tables.tables.items()
    }
    world = SystemModel(tables, extent, extents, {name: ValueIds() for name in tables.parts})
    _find_initial_rows(world, scope, limits)
    for row in world.initial_rows:
        world.out_of_range |= {
            (name, number): False for (name, _), number in zip(world.part_keys, row, strict=False)
        }
        world.out_of_range["", row[-3]] = False
    return world


def _find_initial_rows(world: SystemModel, scope: ExplorationScope, limits: Limits | None) -> None:
    """Find the rows in which a system begins, and the columns that they need.

    Raises:
        ArgumentsError: there is none.
    """
    begins, rows = list[SystemSnapshot](), list[Row]()
    cut = world.ending.bounds
    budget = Budget.for_initial_snapshots(limits, cut)

    def spend() -> None:
        budget.check_when_due(0, 0, 0)

    with nullcontext() if limits is None else world.ending.catch_ending():
        for one in itertools.islice(
            _initial_snapshots(world, scope, cut, spend), MOST_INITIAL_SNAPSHOTS + 1
        ):
            begins.append(one)
    if not begins and not world.ending.ended_early:
        raise ArgumentsError(
            f"nothing begins: no parts of {world.tables.title} fit together, or no parameters do"
        )
    if len(begins) > MOST_INITIAL_SNAPSHOTS:
        cut.append(
            f"there are more than {MOST_INITIAL_SNAPSHOTS:,} beginnings; the others were not"
            " looked at"
        )
    world.part_keys = part_columns(world, begins)
    if world.ending.ended_early:
        rows = [world.row(one) for one in begins[:KEPT_WHEN_STOPPED]]
    else:
        with nullcontext() if limits is None else world.ending.catch_ending():
            for one in begins[:MOST_INITIAL_SNAPSHOTS]:
                spend()
                rows.append(world.row(one))
    world.truncations, world.initial_rows = tuple(cut), tuple(dict.fromkeys(rows))


def system_extent(tables: SystemTables, scope: ExplorationScope) -> DomainSizes:
    """Return how many values the types of a system itself have; the sizes of types that parts alone
    have are left out.

    Raises:
        ArgumentsError: the scope sizes a type that neither the system nor a part has.
    """
    parts = {one.name for each in tables.tables.values() for one in id_types(each.machine)}
    parts -= {one.name for one in id_types(tables.behaviour.machine)}
    own = {name: size for name, size in scope.sizes.items() if name not in parts}
    return extent_within(tables.behaviour, evolve(scope, sizes=own))


def _initial_snapshots(
    world: SystemModel, scope: ExplorationScope, cut: list[str], spend: Callable[[], None]
) -> Iterator[SystemSnapshot]:
    keys = id_type_keys(world)
    for parameters in parameter_assignments(
        world.tables.behaviour, world.extent, scope, cut, spend
    ):
        for absent in absent_parts(world):
            yield from initial_system_snapshots(
                world.system,
                keys=keys,
                absent=absent,
                parameters=parameters,
                extent=world.extent,
                spend=spend,
            )


def _part_extent(
    own: DomainSizes, system: DomainSizes, scope: ExplorationScope, named: Named
) -> DomainSizes:
    """Return the extent of a part: what the system or a person names (`scope`, `named`) beats what
    its machine does.
    """
    integers = system.integers if (scope.integers, named.integers) != (None, None) else own.integers
    longest = (
        system.longest_list
        if (scope.longest, named.longest_list) != (None, None)
        else own.longest_list
    )
    return evolve(
        own,
        sizes={**own.sizes, **system.sizes, **scope.sizes},
        integers=integers,
        longest_list=longest,
    )


def part_columns(world: SystemModel, snapshots: list[SystemSnapshot]) -> tuple[PartKey, ...]:
    """Return the columns that some snapshots need: each part, once for each key that one of them
    has.
    """
    found: dict[PartKey, None] = {}
    for name, part in world.tables.parts.items():
        if part.each is None:
            found[name, None] = None
        elif isinstance(type_ := base_type(part.each), IdType):
            found |= {(name, key): None for key in world.extent.id_values(type_)}
        for snapshot in snapshots if part.each is not None else ():
            held = snapshot.parts[name]
            found |= {(name, key): None for key in (held if isinstance(held, Mapping) else ())}
    return tuple(found)


def id_type_keys(world: SystemModel) -> dict[str, tuple[Value, ...]]:
    """Return the keys of parts that there are once for each value of an `id` type."""
    parts = world.tables.parts.values()
    return {
        part.name: world.extent.id_values(part.each)
        for part in parts
        if isinstance(part.each, IdType)
    }


def absent_parts(world: SystemModel) -> Iterator[tuple[str, ...]]:
    """Yield which optional parts are not there: none, one, …"""
    optional = [part.name for part in world.tables.parts.values() if part.optional]
    for many in range(len(optional) + 1):
        yield from itertools.combinations(optional, many)
