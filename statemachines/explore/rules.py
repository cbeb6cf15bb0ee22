"""What events do, remembered: an event looks at some columns only, so what it does is asked once for what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter

from attrs import define, field, frozen

from statemachines.explore.columns import Column, Row, is_open
from statemachines.explore.drawing import Values
from statemachines.explore.draws import Draws, draws_of
from statemachines.model.data import Case
from statemachines.model.expressions import Expression, Kind, sets_in_type
from statemachines.model.machines import Does, Transition
from statemachines.model.snapshots import Refused, Snapshot
from statemachines.model.values import FrozenMap
from statemachines.semantics.behaviour import Plan
from statemachines.semantics.choices import Extent
from statemachines.semantics.step import decided, forced_target, manner
from statemachines.semantics.tables import Tables


@frozen(eq=False)
class Outcome:
    """What one event with its arguments does: a step."""

    arguments: Values
    sets: tuple[tuple[int, int], ...]
    """Columns that change and the numbers of their new values."""
    arrow: Transition | None
    """None where the step was forced."""
    raised: bool
    leaves: bool
    """Whether an integer without bounds leaves the range that is explored."""

    def apply(self, row: Row, offset: int = 0) -> Row:
        """Return the row after it; `offset` is the first column of the machine that steps."""
        if not self.sets:
            return row
        after = list(row)
        for column, number in self.sets:
            after[offset + column] = number
        return tuple(after)


@frozen(eq=False)
class Doings:
    """All that an event does where its columns hold some values."""

    outcomes: tuple[Outcome, ...]
    """In the order of the arguments."""
    turned_down: int
    """Arguments with which nothing took the event and nothing changed."""
    wrong: tuple[tuple[Values, str], ...] = ()
    """Errors of the spec: arguments, and what is wrong."""
    apart: tuple[Outcome, ...] = field(init=False)
    """The first of the outcomes that change the same: of a thousand arguments most do the same."""
    calm: int = field(init=False)
    """Outcomes that raise nothing."""

    def __attrs_post_init__(self) -> None:
        first = dict[object, Outcome]()
        for outcome in self.outcomes:
            first.setdefault((outcome.sets, outcome.raised), outcome)
        object.__setattr__(self, "apart", tuple(first.values()))
        object.__setattr__(self, "calm", sum(not outcome.raised for outcome in self.outcomes))

    @property
    def changes(self) -> bool:
        """Whether it may change something."""
        return any(outcome.sets for outcome in self.outcomes)


@define(eq=False)
class Rule:
    """One event of a machine."""

    tables: Tables
    columns: tuple[Column, ...]
    event: str
    reads: tuple[int, ...]
    """The columns that it looks at or writes; the state is always one."""
    variables: dict[str, int]
    """Variable to its column."""
    draws: Draws
    may_leave: bool
    """Whether some variable has integers without bounds."""
    known: dict[Row, Doings] = field(factory=dict)
    """Numbers in these columns to what it does."""
    took: set[int] = field(factory=set)
    """The `id` of every transition that was taken."""
    asked_in: set[int] = field(factory=set)
    """The numbers of the states in which it was asked."""

    @property
    def has_data(self) -> bool:
        """Whether it has arguments, or some transition of it has a guard or an effect."""
        arrows = self.tables.machine.transitions
        return bool(self.draws.arguments) or any(arrow.event == self.event and arrow.case is not None for arrow in arrows)

    def doings(self, numbers: Row) -> Doings:
        """Return what the event does where its columns hold these values."""
        found = self.known.get(numbers)
        if found is None:
            found = self.known[numbers] = self._ask(numbers)
        return found

    def _ask(self, numbers: Row) -> Doings:
        """Ask about all arguments: what `decided` would answer, without its answers; a law holds the two equal."""
        before = dict(zip(self.reads, numbers, strict=True))
        now = snapshot_of(self.tables, self.columns, before)
        plans = self.tables.plans(now.state, self.event)
        self.asked_in.add(numbers[0])
        outcomes, wrong, turned_down = list[Outcome](), list[tuple[Values, str]](), 0
        for arguments in self.draws.of(now):
            outcome, said = self._outcome(plans, now, arguments, before)
            if outcome is None:
                turned_down += 1
            else:
                outcomes.append(outcome)
                self.took.add(id(outcome.arrow))
            if said:
                wrong.append((arguments, said))
        return Doings(tuple(outcomes), turned_down, tuple(wrong))

    def _outcome(
        self, plans: tuple[Plan, ...], now: Snapshot, arguments: Values, before: dict[int, int]
    ) -> tuple[Outcome | None, str | None]:
        """Return the step that is taken, and what is wrong with the spec there."""
        for place, plan in enumerate(plans):
            if plan.decide is None:
                return self._step(plan.arrows[0], None, {}, arguments, before), self._overlap(plans[place + 1 :], now, arguments)
            decision = plan.decide(now.state, now.variables, now.parameters, arguments)
            if decision is not None:
                number, changes, _, misfit = decision
                if misfit is not None:
                    return None, reason_of(self.tables, now, self.event, arguments)
                arrow, error = plan.cases[number]
                return self._step(arrow, error, changes or {}, arguments, before), self._overlap(plans[place + 1 :], now, arguments)
        entry = manner(self.tables, now.state, self.event)
        if entry is None or entry.does is not Does.FORCE:
            return None, None
        target = self.columns[0].number(forced_target(self.tables, now.state, self.event))
        return Outcome(arguments, ((0, target),) if target != before[0] else (), None, False, False), None

    def _step(self, arrow: Transition, error: str | None, changes: Values, arguments: Values, before: dict[int, int]) -> Outcome:
        target = self.columns[0].number(arrow.target)
        sets = [(0, target)] if target != before[0] else []
        for name, value in changes.items():
            place = self.variables[name]
            number = self.columns[place].number(value)
            if number != before[place]:
                sets.append((place, number))
        leaves = self.may_leave and any(self.columns[place].outside[number] for place, number in sets)
        return Outcome(arguments, tuple(sets), arrow, error is not None, leaves)

    def _overlap(self, plans: tuple[Plan, ...], now: Snapshot, arguments: Values) -> str | None:
        """Say where another transition than the one that takes an event may take it too."""
        if plans and any(self._takes(plan, now, arguments) for plan in plans):
            return f"two transitions may take `{self.event}` from {now.state or 'here'}; only the first ever would"
        return None

    def _takes(self, plan: Plan, snapshot: Snapshot, arguments: Values) -> bool:
        if plan.decide is None:
            return True
        return plan.decide(snapshot.state, snapshot.variables, snapshot.parameters, arguments) is not None


def reason_of(tables: Tables, now: Snapshot, event: str, arguments: Values) -> str:
    """Return why a step is refused whose variables would leave their types."""
    answer = decided(tables, now, event, arguments)
    return answer.reason if isinstance(answer, Refused) else ""


def snapshot_of(tables: Tables, columns: tuple[Column, ...], numbers: dict[int, int]) -> Snapshot:
    """Return a snapshot with the values of some columns; what is not among them is left out."""
    first = 1 + len(tables.machine.data.parameters)
    named = {place: (columns[place].name, columns[place].values[number]) for place, number in numbers.items()}
    parameters = FrozenMap(pair for place, pair in named.items() if 0 < place < first)
    variables = FrozenMap(pair for place, pair in named.items() if place >= first)
    return Snapshot(str(columns[0].values[numbers[0]]), variables, parameters)


def rules_of(tables: Tables, extent: Extent, columns: tuple[Column, ...]) -> tuple[Rule, ...]:
    """Return the rules of a machine, in the order of its events."""
    place = {(column.name, position <= len(tables.machine.data.parameters)): position for position, column in enumerate(columns)}
    may_leave = any(column.type is not None and is_open(column.type) for column in columns)
    variables = {name: position for (name, fixed), position in place.items() if not fixed}
    return tuple(
        Rule(tables, columns, event, _reads(tables, event, place), variables, draws_of(tables.behaviour, extent, event), may_leave)
        for event in tables.events
    )


def _reads(tables: Tables, event: str, place: dict[tuple[str, bool], int]) -> tuple[int, ...]:
    """Return the columns that an event looks at or writes."""
    cases = [arrow.case for arrow in tables.machine.transitions if arrow.event == event and arrow.taken and arrow.case]
    signature = tables.behaviour.signature(event)
    checked = {name: type_ for case in cases for name, type_ in tables.behaviour.compiler.to_check(case.effect)}
    types = [*(argument.type for argument in signature.arguments), *checked.values()]
    nodes = [node for type_ in types for node in sets_in_type(type_)]
    nodes += [let.value for let in signature.lets] + ([signature.where] if signature.where is not None else [])
    nodes += [node for case in cases for node in _expressions(case)]
    found = {0, *columns_read(tables, nodes, place)}
    return tuple(sorted(found | {place[name, False] for name in [*checked, *_written(cases)]}))


def columns_read(tables: Tables, nodes: list[Expression], place: dict[tuple[str, bool], int]) -> set[int]:
    """Return the columns that expressions look at, through definitions too."""
    names = tables.behaviour.compiler.names_of(nodes)
    found = {place[name.name, False] for name in names if name.kind is Kind.VARIABLE}
    return found | {place[name.name, True] for name in names if name.kind in (Kind.PARAMETER, Kind.STATE)}


def _written(cases: list[Case]) -> Iterator[str]:
    return (assignment.variable for case in cases for assignment in case.effect)


def _expressions(case: Case) -> Iterator[Expression]:
    yield from (node for node in (case.guard, case.when) if node is not None)
    yield from (let.value for let in case.lets)
    yield from (assignment.value for assignment in case.effect)
    if isinstance(case.returns, Expression):
        yield case.returns
    elif case.returns is not None:
        yield from (value for _, value in case.returns)


def picker(columns: tuple[int, ...], offset: int = 0) -> Callable[[Row], Row]:
    """Return a function that picks columns of a row."""
    places = [offset + column for column in columns]
    if len(places) == 1:
        (only,) = places
        return lambda row: (row[only],)
    return itemgetter(*places) if places else lambda row: ()
