"""What an event does, in pieces: the arguments with their atoms, which case is taken, and what each effect gives.

Each piece looks at fewer columns than the whole, so it is asked far less often than there are steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, evolve, field, frozen

from statemachines.explore.aspects import Aspect, Aspects
from statemachines.explore.columns import Row
from statemachines.explore.packing import Packing
from statemachines.explore.rules import Rule, columns_read, snapshot_of
from statemachines.explore.splitting import Atoms, Part, Splitter
from statemachines.model.data import Case, Let
from statemachines.model.expressions import sets_in_type
from statemachines.model.machines import Does, Transition
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.behaviour import Plan
from statemachines.semantics.step import forced_target, manner

NOT_ASKED, TURNED_DOWN = 0, 1
"""What is decided where the arguments are against `where`, and where nothing takes the event."""
FILTERED = 14
"""Bits of the columns of `where` and of the arguments' types up to which `where` is asked as arguments are drawn."""


@frozen(eq=False)
class Way:
    """One outcome of an event in a state."""

    arrow: Transition | None
    """None where the step is forced."""
    target: int
    effects: tuple[tuple[int, Part], ...] = ()
    """Column that changes, and its new value."""
    checks: tuple[tuple[str, Row], ...] = ()
    """Variables whose types are looked at after the step, with all columns that this needs."""
    overlaps: bool = False
    """Whether another transition may take the event too."""


@frozen(eq=False)
class _Branch:
    """One case of an operation."""

    number: int
    when: Part | None
    way: Way
    overlapping: Way


@frozen(eq=False)
class _Operation:
    """What one plan does in a state."""

    guard: Part | None
    branches: tuple[_Branch, ...]

    @property
    def parts(self) -> Iterator[Part]:
        yield from (part for part in (self.guard, *(branch.when for branch in self.branches)) if part is not None)

    def take(self, now: Snapshot, atoms: dict[str, Value]) -> _Branch | None:
        if self.guard is not None and not self.guard.of(now, atoms):
            return None
        return next((branch for branch in self.branches if branch.when is None or branch.when.of(now, atoms)), None)


@define(eq=False)
class Decisions:
    """One event, in pieces."""

    rule: Rule
    around: Row
    """The columns from which its arguments are drawn, the state among them."""
    place: dict[tuple[str, bool], int]
    filtered: bool
    """Whether `where` looks at these columns only: then arguments against it are left out as they are drawn."""
    aspects: Aspects
    atoms: Atoms = field(init=False)
    where: Part | None = None
    states: dict[str, tuple[_Operation, ...]] = field(factory=dict)
    forced: dict[str, Way | None] = field(factory=dict)
    splitters: dict[object, Splitter] = field(factory=dict)
    ways: list[Way] = field(factory=list)
    reads: Row = ()
    """The columns that decide, those of aspects last."""
    uses: tuple[int, ...] = ()
    """The atoms that decide."""
    last: tuple[Row, Row, Snapshot, dict[str, Value]] | None = None
    """What was looked at last, with its aspects: many arguments are asked about in each snapshot."""

    def __attrs_post_init__(self) -> None:
        self.atoms = Atoms(self.rule.tables)
        tables, signature = self.rule.tables, self.rule.tables.behaviour.signature(self.rule.event)
        if signature.where is not None and not self.filtered:
            self.where = self._splitter(signature.lets, "where").part(signature.where)
        for state in tables.states:
            plans = tables.plans(state, self.rule.event)
            self.states[state] = tuple(self._operation(plan) for plan in plans)
            self.forced[state] = self._forced(state)
        parts = [part for operations in self.states.values() for one in operations for part in one.parts]
        parts += [self.where] if self.where is not None else []
        self.reads = tuple(sorted({0, *(column for part in parts for column in part.reads)}))
        self.uses = tuple(sorted({atom for part in parts for atom in part.atoms}))
        self.atoms.compiled()

    def _splitter(self, lets: tuple[Let, ...], key: object) -> Splitter:
        found = self.splitters.get(key)
        if found is None:
            around = frozenset(self.around)
            found = self.splitters[key] = Splitter(self.rule.tables, self.place, around, lets, self.atoms, self.aspects, key)
        return found

    def _operation(self, plan: Plan) -> _Operation:
        if plan.decide is None:
            return _Operation(None, (self._branch(plan.arrows[0], None, None),))
        cases = {arrow.case.number: arrow for arrow in reversed(plan.arrows) if arrow.case is not None}
        ordered = [cases[number] for number in sorted(cases)]
        first = ordered[0].case
        assert first is not None
        lets = (*self.rule.tables.behaviour.signature(self.rule.event).lets, *first.lets)
        splitter = self._splitter(lets, plan.arrows[0].entry if first.lets else "where")
        guard = None if first.guard is None else splitter.part(first.guard)
        return _Operation(guard, tuple(self._branch(arrow, arrow.case, splitter) for arrow in ordered))

    def _branch(self, arrow: Transition, case: Case | None, splitter: Splitter | None) -> _Branch:
        target = self.rule.columns[0].number(arrow.target)
        if case is None or splitter is None:
            way = Way(arrow, target)
            return _Branch(0, None, way, evolve(way, overlaps=True))
        when = None if case.when is None else splitter.part(case.when)
        effects = tuple((self.rule.variables[one.variable], splitter.part(one.value, alone=True)) for one in case.effect)
        way = Way(arrow, target, effects, tuple(self._checks(case)))
        return _Branch(case.number, when, way, evolve(way, overlaps=True))

    def _checks(self, case: Case) -> Iterator[tuple[str, Row]]:
        tables = self.rule.tables
        for name, type_ in tables.behaviour.compiler.to_check(case.effect):
            read = columns_read(tables, sets_in_type(type_), self.place)
            yield name, tuple(sorted({self.rule.variables[name], *read}))

    def _forced(self, state: str) -> Way | None:
        entry = manner(self.rule.tables, state, self.rule.event)
        if entry is None or entry.does is not Does.FORCE:
            return None
        return Way(None, self.rule.columns[0].number(forced_target(self.rule.tables, state, self.rule.event)))

    def drawn(self, numbers: Row) -> dict[tuple[Value, ...], int]:
        """Return the atoms of all arguments where the columns around them hold these values, and how many arguments have them."""
        now = snapshot_of(self.rule.tables, self.rule.columns, dict(zip(self.around, numbers, strict=True)))
        draws = self.rule.draws if self.filtered else evolve(self.rule.draws, where=None)
        found: dict[tuple[Value, ...], int] = {}
        for arguments in draws.of(now):
            atoms = self.atoms.of(now, arguments)
            found[atoms] = found.get(atoms, 0) + 1
        self.rule.draws.cut = self.rule.draws.cut or draws.cut
        return found

    def decide(self, numbers: Row, atoms: dict[str, Value]) -> int:
        """Return what is decided: NOT_ASKED, TURNED_DOWN, or two more than the place of a way."""
        now, aspects = self.look(self.reads, numbers)
        named = atoms | aspects if aspects else atoms
        if self.where is not None and not self.where.of(now, named):
            return NOT_ASKED
        taken = [branch for one in self.states[now.state] if (branch := one.take(now, named)) is not None]
        if taken:
            return self._number(taken[0].way if len(taken) == 1 else taken[0].overlapping)
        forced = self.forced[now.state]
        return TURNED_DOWN if forced is None else self._number(forced)

    def _number(self, way: Way) -> int:
        place = next((place for place, one in enumerate(self.ways) if one is way), None)
        if place is None:
            place = len(self.ways)
            self.ways.append(way)
        return place + 2

    def new_value(self, column: int, part: Part, numbers: Row, atoms: dict[str, Value]) -> int:
        """Return the number of a column's new value."""
        now, aspects = self.look(part.reads, numbers)
        return self.rule.columns[column].number(part.of(now, atoms | aspects if aspects else atoms))

    def is_of_type(self, name: str, columns: Row, numbers: Row) -> bool:
        """Tell whether a variable is of its type after a step."""
        now, _ = self.look(columns, numbers)
        variable = next(one for one in self.rule.tables.machine.data.variables if one.name == name)
        return self.rule.tables.behaviour.is_of_type(variable, now.variables, now.parameters)

    def aspect(self, aspect: Aspect, numbers: Row) -> int:
        """Return the number of an aspect's value."""
        return aspect.number(self.look(aspect.reads, numbers)[0])

    def look(self, columns: Row, numbers: Row) -> tuple[Snapshot, dict[str, Value]]:
        """Return a snapshot with some columns, and the aspects among them by their names."""
        last = self.last
        if last is None or last[0] is not columns or last[1] is not numbers:
            held = dict(zip(columns, numbers, strict=True))
            seen = {column: self.aspects.of(column) for column in columns if column >= self.aspects.first}
            named = {aspect.name: aspect.values[held.pop(column)] for column, aspect in seen.items()}
            now = snapshot_of(self.rule.tables, self.rule.columns, {0: 0, **held})
            last = self.last = columns, numbers, now, named
        return last[2:]


def decisions_of(rule: Rule, packing: Packing, aspects: Aspects) -> Decisions:
    """Return an event in pieces; it may add to the aspects."""
    tables, place = rule.tables, aspects.place
    signature = tables.behaviour.signature(rule.event)
    drawn = {0, *columns_read(tables, [node for one in signature.arguments for node in sets_in_type(one.type)], place)}
    nodes = [] if signature.where is None else [signature.where, *(let.value for let in signature.lets)]
    whole = tuple(sorted(drawn | columns_read(tables, nodes, place)))
    filtered = packing.key_bits(whole) <= FILTERED
    return Decisions(rule, whole if filtered else tuple(sorted(drawn)), place, filtered, aspects)
