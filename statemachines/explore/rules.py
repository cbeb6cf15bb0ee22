"""What events do, remembered: an event looks at some columns only, so what it does is asked once for what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter

from attrs import define, field, frozen

from statemachines.explore.columns import Column, Row
from statemachines.explore.drawing import Values, all_arguments
from statemachines.model.data import Case
from statemachines.model.expressions import Expression, Kind, sets_in_type
from statemachines.model.machines import Transition
from statemachines.model.snapshots import Advanced, Answer, Forced, Raised, Refused, Snapshot
from statemachines.model.values import FrozenMap
from statemachines.semantics.behaviour import Plan
from statemachines.semantics.choices import Extent
from statemachines.semantics.step import decided
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

    @property
    def changes(self) -> bool:
        """Whether it may change something."""
        return any(outcome.sets for outcome in self.outcomes)


@define(eq=False)
class Rule:
    """One event of a machine."""

    tables: Tables
    extent: Extent
    columns: tuple[Column, ...]
    event: str
    reads: tuple[int, ...]
    """The columns that it looks at or writes; the state is always one."""
    known: dict[Row, Doings] = field(factory=dict)
    """Numbers in these columns to what it does."""

    def doings(self, numbers: Row) -> Doings:
        """Return what the event does where its columns hold these values."""
        found = self.known.get(numbers)
        if found is None:
            found = self.known[numbers] = self._ask(numbers)
        return found

    def _ask(self, numbers: Row) -> Doings:
        before = dict(zip(self.reads, numbers, strict=True))
        snapshot = snapshot_of(self.tables, self.columns, before)
        outcomes, wrong, turned_down = list[Outcome](), list[tuple[Values, str]](), 0
        for arguments in all_arguments(self.tables.behaviour, self.extent, snapshot, self.event):
            answer = decided(self.tables, snapshot, self.event, arguments)
            if is_step(answer):
                outcomes.append(self._outcome(before, arguments, answer))
            else:
                turned_down += 1
            wrong += ((arguments, said) for said in self._faults(snapshot, arguments, answer))
        return Doings(tuple(outcomes), turned_down, tuple(wrong))

    def _outcome(self, before: dict[int, int], arguments: Values, answer: Answer) -> Outcome:
        after = {0: self.columns[0].number(answer.after.state)}
        for place in self.reads[1:]:
            column = self.columns[place]
            if column.name in answer.after.variables:
                after[place] = column.number(answer.after.variables[column.name])
        sets = tuple((place, number) for place, number in after.items() if before[place] != number)
        leaves = any(self.columns[place].outside[number] for place, number in sets)
        arrow = answer.decided_by if isinstance(answer.decided_by, Transition) else None
        return Outcome(arguments, sets, arrow, isinstance(answer, Raised), leaves)

    def _faults(self, snapshot: Snapshot, arguments: Values, answer: Answer) -> Iterator[str]:
        """Yield what is wrong with the spec here: a variable leaves its type, or two transitions may take the event."""
        if isinstance(answer, Refused) and answer.reason:
            yield answer.reason
        plans = self.tables.plans(snapshot.state, self.event)
        if len(plans) < 2 or not isinstance(answer.decided_by, Transition):
            return
        taking = [plan for plan in plans if answer.decided_by not in plan.arrows and self._takes(plan, snapshot, arguments)]
        if taking:
            yield f"two transitions may take `{self.event}` from {snapshot.state or 'here'}; only the first ever would"

    def _takes(self, plan: Plan, snapshot: Snapshot, arguments: Values) -> bool:
        if plan.decide is None:
            return True
        return plan.decide(snapshot.state, snapshot.variables, snapshot.parameters, arguments) is not None


def is_step(answer: Answer) -> bool:
    """Tell whether a transition took an event, or the step was forced."""
    return isinstance(answer, Advanced | Forced) or (isinstance(answer, Raised) and isinstance(answer.decided_by, Transition))


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
    return tuple(Rule(tables, extent, columns, event, _reads(tables, event, place)) for event in tables.events)


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
