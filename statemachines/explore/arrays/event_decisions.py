"""What an event does, in pieces: the arguments with their atoms, which case is taken, and what each
effect gives.

Each piece looks at fewer columns than the whole, so it is asked far less often than there are
steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, evolve, field, frozen

from statemachines.explore.arrays.packing import Packing
from statemachines.explore.arrays.splitting import (
    ArgumentTerms,
    ExpressionSplitter,
    SplitExpression,
    TermValues,
)
from statemachines.explore.models.derived_columns import DerivedColumn, DerivedColumns
from statemachines.explore.models.event_memos import EventMemo, partial_snapshot
from statemachines.explore.models.map_columns import KeyedExpressions, key_arguments
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.data_definitions import Case, Let
from statemachines.model.definitions.machine_definitions import FallbackKind, Transition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import Expression, Name, NameKind, type_sets
from statemachines.semantics.arguments.enumeration import ArgumentEnumeration
from statemachines.semantics.evaluation.behaviour import CompiledOperation
from statemachines.semantics.machine.step import forced_target, matching_fallback
from statemachines.semantics.machine.value_enumeration import DomainSizes

NOT_ASKED, DISABLED = 0, 1
"""What is decided where the arguments are against `where`, and where nothing takes the event."""
_MOST_FILTER_BITS = 14
"""Bits of the columns of `where` and of the arguments' types up to which `where` is asked as
arguments are drawn.
"""


@frozen(eq=False)
class DecidedOutcome:
    """One outcome of an event in a state."""

    transition: Transition | None
    """None where the step is forced."""
    target: int
    effects: tuple[tuple[int, SplitExpression], ...] = ()
    """Column that changes, and its new value."""
    type_checks: tuple[tuple[str, Row], ...] = ()
    """Variables whose types are looked at after the step, with all columns that this needs."""
    overlaps: bool = False
    """Whether another transition may take the event too."""


@frozen(eq=False)
class _CaseBranch:
    """One case of an operation."""

    number: int
    when: SplitExpression | None
    outcome: DecidedOutcome
    overlapping_outcome: DecidedOutcome


@frozen(eq=False)
class _PlannedOperation:
    """What one plan does in a state."""

    guard: SplitExpression | None
    branches: tuple[_CaseBranch, ...]

    @property
    def conditions(self) -> Iterator[SplitExpression]:
        yield from (
            part
            for part in (self.guard, *(branch.when for branch in self.branches))
            if part is not None
        )

    def chosen_branch(self, now: Snapshot, atoms: dict[str, Value]) -> _CaseBranch | None:
        if self.guard is not None and not self.guard.value(now, atoms):
            return None
        return next(
            (
                branch
                for branch in self.branches
                if branch.when is None or branch.when.value(now, atoms)
            ),
            None,
        )


@define(eq=False)
class EventDecisions:
    """One event, in pieces."""

    memo: EventMemo
    argument_columns: Row
    """The columns from which its arguments are drawn, the state among them."""
    keyed: KeyedExpressions
    """What its expressions are with the arguments that are keys of maps."""
    is_filtered: bool
    """Whether `where` looks at these columns only: then arguments against it are left out as they
    are drawn.
    """
    derived: DerivedColumns
    terms: ArgumentTerms = field(init=False)
    enumeration: ArgumentEnumeration = field(init=False)
    """Its arguments; those against `where` too, where this looks at other columns."""
    known_classes: dict[tuple[TermValues, ...], dict[TermValues, int]] = field(factory=dict)
    """The values of each argument, to the atoms of all combinations, where nothing else is looked
    at.
    """
    where: SplitExpression | None = None
    operations: dict[str, tuple[_PlannedOperation, ...]] = field(factory=dict)
    forced_outcomes: dict[str, DecidedOutcome | None] = field(factory=dict)
    splitters: dict[object, ExpressionSplitter] = field(factory=dict)
    outcomes: list[DecidedOutcome] = field(factory=list)
    reads: Row = ()
    """The columns that decide, those of aspects last."""
    used_terms: tuple[int, ...] = ()
    """The atoms that decide."""
    fair_terms: dict[str, int] = field(factory=dict)
    """Argument for each of whose values the event is fair by itself, to its atom."""
    last_view: tuple[Row, Row, Snapshot, dict[str, Value]] | None = None
    """What was looked at last, with its aspects: many arguments are asked about in each snapshot.
    """

    def __attrs_post_init__(self) -> None:
        self.terms = ArgumentTerms(self.memo.tables)
        whole = self.memo.enumeration
        self.enumeration = evolve(
            whole, where=whole.where if self.is_filtered else None, given=self.keyed.arguments
        )
        tables, signature = self.memo.tables, self.memo.tables.behaviour.signature(self.memo.event)
        if signature.where is not None and not self.is_filtered:
            self.where = self._splitter(signature.lets, "where").split(
                self.keyed.given(signature.where)
            )
        for state in tables.states:
            plans = tables.compiled_operations(state, self.memo.event)
            self.operations[state] = tuple(self._build_operation(plan) for plan in plans)
            self.forced_outcomes[state] = self._forced_outcome(state)
        parts = [
            part
            for operations in self.operations.values()
            for operation in operations
            for part in operation.conditions
        ]
        parts += [self.where] if self.where is not None else []
        self.reads = tuple(sorted({0, *(column for part in parts for column in part.reads)}))
        self.used_terms = tuple(sorted({atom for part in parts for atom in part.terms}))
        types = {argument.name: argument.type for argument in signature.arguments}
        for argument in self.memo.fair_arguments:
            node = Name(NameKind.ARGUMENT, argument, type=types[argument])
            self.fair_terms[argument] = self.terms.index("fair", node, ())
        self.terms.compile()

    @property
    def draws_in_order(self) -> bool:
        """Whether steps with these keys, and then with the next ones, come in the order of all
        arguments: no other argument stands before a key.
        """
        names = [argument.name for argument in self.enumeration.arguments]
        return set(names[: len(self.keyed.arguments)]) == set(self.keyed.arguments)

    def _splitter(self, lets: tuple[Let, ...], key: object) -> ExpressionSplitter:
        splitter = self.splitters.get(key)
        if splitter is None:
            around = frozenset(self.argument_columns)
            splitter = self.splitters[key] = ExpressionSplitter(
                self.memo.tables,
                self.memo.places,
                around,
                tuple(evolve(let, value=self.keyed.given(let.value)) for let in lets),
                self.terms,
                self.derived,
                key,
            )
        return splitter

    def _build_operation(self, plan: CompiledOperation) -> _PlannedOperation:
        if plan.decide is None:
            return _PlannedOperation(None, (self._build_branch(plan.transitions[0], None, None),))
        cases = {
            transition.case.index: transition
            for transition in reversed(plan.transitions)
            if transition.case is not None
        }
        ordered = [cases[number] for number in sorted(cases)]
        first = ordered[0].case
        assert first is not None
        lets = (*self.memo.tables.behaviour.signature(self.memo.event).lets, *first.lets)
        splitter = self._splitter(lets, plan.transitions[0].entry if first.lets else "where")
        guard = None if first.guard is None else splitter.split(self.keyed.given(first.guard))
        return _PlannedOperation(
            guard,
            tuple(
                self._build_branch(transition, transition.case, splitter) for transition in ordered
            ),
        )

    def _build_branch(
        self, transition: Transition, case: Case | None, splitter: ExpressionSplitter | None
    ) -> _CaseBranch:
        target = self.memo.columns[0].value_id(transition.target)
        if case is None or splitter is None:
            outcome = DecidedOutcome(transition, target)
            return _CaseBranch(0, None, outcome, evolve(outcome, overlaps=True))
        when = None if case.when is None else splitter.split(self.keyed.given(case.when))
        effects = tuple(
            (column, splitter.split_effect(value, column))
            for column, value in self._assigned_columns(case)
        )
        outcome = DecidedOutcome(transition, target, effects, tuple(self._type_checks(case)))
        return _CaseBranch(case.index, when, outcome, evolve(outcome, overlaps=True))

    def _assigned_columns(self, case: Case) -> Iterator[tuple[int, Expression]]:
        """Yield the columns that a case writes, each with what it writes there."""
        for assignment in case.effect:
            for place in self.memo.places.variable(assignment.variable):
                column = self.memo.columns[place]
                value = (
                    self.keyed.new_item(assignment, column.key)
                    if column.is_item
                    else self.keyed.given(assignment.value)
                )
                if value is not None:
                    yield place, value

    def _type_checks(self, case: Case) -> Iterator[tuple[str, Row]]:
        tables = self.memo.tables
        for name, type_ in tables.behaviour.compiler.unproved_variables(case.effect):
            places = self.memo.places
            yield name, tuple(sorted({*places.variable(name), *places.read_by(type_sets(type_))}))

    def _forced_outcome(self, state: str) -> DecidedOutcome | None:
        entry = matching_fallback(self.memo.tables, state, self.memo.event)
        if entry is None or entry.does is not FallbackKind.FORCE:
            return None
        return DecidedOutcome(
            None,
            self.memo.columns[0].value_id(forced_target(self.memo.tables, state, self.memo.event)),
        )

    def argument_classes(self, numbers: Row) -> dict[TermValues, int]:
        """Return the atoms of all arguments where the columns around them hold these values, and
        how many arguments have them.
        """
        now = partial_snapshot(
            self.memo.tables,
            self.memo.columns,
            dict(zip(self.argument_columns, numbers, strict=True)),
        )
        factors = None if self.terms.read_columns else self.enumeration.factors(now)
        if factors is None:
            return self._counted_classes(now)
        classes = self.known_classes.get(factors)
        if classes is None:
            classes = self.known_classes[factors] = self._counted_classes(now)
        return classes

    def _counted_classes(self, now: Snapshot) -> dict[TermValues, int]:
        self.enumeration.check_limits = self.memo.enumeration.check_limits
        counts: dict[TermValues, int] = {}
        for arguments in self.enumeration.arguments_at(now):
            atoms = self.terms.values(now, arguments)
            counts[atoms] = counts.get(atoms, 0) + 1
        whole = self.memo.enumeration
        whole.is_truncated = whole.is_truncated or self.enumeration.is_truncated
        return counts

    def decide(self, numbers: Row, atoms: dict[str, Value]) -> int:
        """Return what is decided: NOT_ASKED, TURNED_DOWN, or two more than the place of a way."""
        now, aspects = self.view(self.reads, numbers)
        named = atoms | aspects if aspects else atoms
        if self.where is not None and not self.where.value(now, named):
            return NOT_ASKED
        taken = [
            branch
            for operation in self.operations[now.state]
            if (branch := operation.chosen_branch(now, named)) is not None
        ]
        if taken:
            return self._outcome_code(
                taken[0].outcome if len(taken) == 1 else taken[0].overlapping_outcome
            )
        forced = self.forced_outcomes[now.state]
        return DISABLED if forced is None else self._outcome_code(forced)

    def _outcome_code(self, outcome: DecidedOutcome) -> int:
        if not any(known is outcome for known in self.outcomes):
            self.outcomes.append(outcome)
        return 2 + next(i for i, known in enumerate(self.outcomes) if known is outcome)

    def new_value_id(
        self, column: int, part: SplitExpression, numbers: Row, atoms: dict[str, Value]
    ) -> int:
        """Return the number of a column's new value."""
        now, aspects = self.view(part.reads, numbers)
        return self.memo.columns[column].value_id(
            part.value(now, atoms | aspects if aspects else atoms)
        )

    def is_of_type(self, name: str, columns: Row, numbers: Row, _: dict[str, Value]) -> bool:
        """Tell whether a variable is of its type after a step."""
        now, _ = self.view(columns, numbers)
        variable = next(
            declared
            for declared in self.memo.tables.machine.data.variables
            if declared.name == name
        )
        return self.memo.tables.behaviour.is_of_type(variable, now.variables, now.parameters)

    def derived_value_id(self, aspect: DerivedColumn, numbers: Row, _: dict[str, Value]) -> int:
        """Return the number of an aspect's value."""
        return aspect.value_id(self.view(aspect.reads, numbers)[0])

    def view(self, columns: Row, numbers: Row) -> tuple[Snapshot, dict[str, Value]]:
        """Return a snapshot with some columns, and the aspects among them by their names."""
        last = self.last_view
        if last is None or last[0] is not columns or last[1] is not numbers:
            held = dict(zip(columns, numbers, strict=True))
            derived = {
                column: self.derived.at_index(column)
                for column in columns
                if column >= self.derived.first_index
            }
            named = {
                aspect.name: aspect.values[held.pop(column)] for column, aspect in derived.items()
            }
            now = partial_snapshot(self.memo.tables, self.memo.columns, {0: 0, **held})
            last = self.last_view = columns, numbers, now, named
        return last[2:]


def _event_decisions(
    memo: EventMemo, packing: Packing, aspects: DerivedColumns, keyed: KeyedExpressions
) -> EventDecisions:
    """Return an event in pieces; it may add to the aspects."""
    places, signature = memo.places, memo.tables.behaviour.signature(memo.event)
    types = [node for argument in signature.arguments for node in type_sets(argument.type)]
    read = {0, *places.read_by(map(keyed.given, types))}
    nodes = (
        [] if signature.where is None else [signature.where, *(let.value for let in signature.lets)]
    )
    whole = tuple(sorted(read | places.read_by(map(keyed.given, nodes))))
    filtered = packing.key_bits(whole) <= _MOST_FILTER_BITS
    return EventDecisions(
        memo, whole if filtered else tuple(sorted(read)), keyed, filtered, aspects
    )


def build_decisions(
    memos: Iterable[EventMemo], packing: Packing, extent: DomainSizes
) -> list[EventDecisions]:
    """Return events in pieces; those with arguments that are keys of maps once for each way to give
    them.
    """
    aspects, decisions = None, list[EventDecisions]()
    for memo in memos:
        aspects = aspects or DerivedColumns(memo.tables, memo.places)
        keys = memo.places.keys
        for given in key_arguments(memo.tables, extent, memo.event, keys):
            keyed = KeyedExpressions(memo.tables, keys, given)
            decisions.append(_event_decisions(memo, packing, aspects, keyed))
    return decisions
