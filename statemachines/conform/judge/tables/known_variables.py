"""What a log shows of an instance's variables, and what follows: a guard that is false on known
values forbids; an unknown one never does.

A value is known from the line that gives it on (`set`), from a line that says that a life begins
(the variable's initial value), and through the effects of told steps, until something may have
changed it that the log does not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field, frozen

from statemachines.conform.interchange.observations import LineReading
from statemachines.conform.judge.tables.compiled_properties import ValueChange
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.judge.tables.value_bounds import is_within_bounds
from statemachines.model.definitions.data_definitions import Let
from statemachines.model.definitions.machine_definitions import SpecDefinition, Transition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.expression_nodes import BooleanOperation, Expression
from statemachines.model.language.value_types import (
    BoolType,
    ElementType,
    IntType,
    ListType,
    OptionalType,
    SetType,
    Type,
)
from statemachines.notation.releases.machine_selection import machine_of
from statemachines.semantics.evaluation.behaviour import Behaviour, compile_behaviour
from statemachines.semantics.evaluation.compiler import Evaluator
from statemachines.semantics.evaluation.partial_evaluation import (
    EVALUATION_ERRORS,
    PartialValuation,
    UnknownValue,
)
from statemachines.semantics.evaluation.value_acceptance import accept_value
from statemachines.semantics.messages.argument_errors import ArgumentsError

_NO_VALUE_TEXTS = ("", "none", "null")
"""How programs write that there is no value, whatever the case."""


@frozen(eq=False)
class CompiledConditions:
    """The guards and effects of a machine, compiled; shared by all of its instances."""

    spec: SpecDefinition
    _behaviours: dict[int, Behaviour] = field(factory=dict)
    _compiled: dict[tuple[int, str, tuple[Let, ...], Expression], Evaluator] = field(factory=dict)
    _changed_unseen: dict[tuple[int, frozenset[int]], frozenset[str]] = field(factory=dict)

    def new_variables(self) -> KnownVariables:
        """Return what is known of an instance before its first line."""
        return KnownVariables(self)

    def class_behaviour(self, rules: ReleaseClass) -> Behaviour:
        """Return the data of a class of releases."""
        if rules.releases not in self._behaviours:
            release = self.spec.family.newest(rules.releases) if self.spec.family.name else None
            self._behaviours[rules.releases] = compile_behaviour(machine_of(self.spec, release))
        return self._behaviours[rules.releases]

    def compiled_expression(
        self, rules: ReleaseClass, transition: Transition, node: Expression
    ) -> Evaluator:
        """Return an expression of a transition as a function."""
        behaviour = self.class_behaviour(rules)
        lets = (
            *behaviour.signature(transition.event).lets,
            *(transition.case.lets if transition.case else ()),
        )
        key = rules.releases, transition.event, lets, node
        if key not in self._compiled:
            self._compiled[key] = behaviour.compiler.compile_expression(node, lets)
        return self._compiled[key]

    def variables_changed_unseen(
        self, rules: ReleaseClass, shown: frozenset[int]
    ) -> frozenset[str]:
        """Return the variables that steps change of which no shown line tells, or that may pass in
        silence.
        """
        key = rules.releases, shown
        if key not in self._changed_unseen:
            unseen = [
                transition
                for transition in rules.all_transitions
                if transition.silent
                or not any(line.index in shown for line in rules.lines_observing(transition))
            ]
            self._changed_unseen[key] = frozenset(
                assignment.variable
                for transition in unseen
                if transition.case
                for assignment in transition.case.effect
            )
        return self._changed_unseen[key]


@define
class KnownVariables:
    """The known variables of one instance."""

    conditions: CompiledConditions
    values: PartialValuation = field(factory=PartialValuation)

    def copy(self) -> KnownVariables:
        """Return the same knowledge, which goes its own way."""
        return KnownVariables(self.conditions, self.current_values())

    def resume_point(self) -> tuple[tuple[str, Value], ...]:
        """Return what another one goes on from."""
        return tuple(self.values.items())

    def resume(self, point: Iterable[tuple[str, Value]]) -> None:
        """Go on from what was kept."""
        self.values = PartialValuation(point)

    # ----------------------------------------------------------------------------------------------
    # questions

    def nothing_known(self) -> KnownVariables:
        """Return what is known of another instance of the same machine before its first line."""
        return self.conditions.new_variables()

    def current_values(self) -> PartialValuation:
        """Return what is known now, to be kept."""
        return PartialValuation(self.values)

    def change_since(self, before: PartialValuation | None, *, in_doubt: bool) -> ValueChange:
        """Return what was known before a line, and what is now."""
        return ValueChange(before or PartialValuation(), self.current_values(), in_doubt)

    def has(self, classes: Iterable[ReleaseClass], name: str, text: str) -> bool:
        """Tell whether a variable is known to have a value as a line writes it; any, where it
        writes none.
        """
        if name not in self.values:
            return False
        return not text or any(
            self.values[name] == value
            for rules in classes
            for value in self.read(rules, name, text)
        )

    def read(self, rules: ReleaseClass, name: str, text: str) -> tuple[Value, ...]:
        """Return the value of a variable as a line writes it; nothing where it is none."""
        variables = self.conditions.class_behaviour(rules).machine.data.variables
        return next(
            (parse_value(variable.type, text) for variable in variables if variable.name == name),
            (),
        )

    def foreign_values(
        self, classes: Sequence[ReleaseClass], reading: LineReading
    ) -> Iterator[str]:
        """Yield a sentence for each variable, and each argument of the event, of which a line tells
        what no class of releases has among the values of its type.

        An empty text tells nothing, and is not looked at. The sentence does not hold the value, so
        that such lines are counted together.
        """
        behaviours = [self.conditions.class_behaviour(rules) for rules in classes]
        variables = [
            variable for behaviour in behaviours for variable in behaviour.machine.data.variables
        ]
        arguments = [
            argument
            for behaviour in behaviours
            for argument in (behaviour.signature(reading.event).arguments if reading.event else ())
        ]
        for texts, declared in ((reading.values, variables), (reading.arguments, arguments)):
            for name, text in texts:
                types = [variable.type for variable in declared if variable.name == name]
                if text and types and not any(_has_value(type_, text) for type_ in types):
                    yield f"a value of `{name}` that its type `{types[-1]}` does not have"

    def message(self) -> str:
        """Return what is known, in words."""
        return (
            ", ".join(f"{name} = {value!r}" for name, value in self.values.items())
            or "what the line tells"
        )

    def rules_out(self, rules: ReleaseClass, transition: Transition, reading: LineReading) -> bool:
        """Tell whether a transition is impossible whatever the values are that are not known."""
        if transition.case is None:
            return False
        parts = [*_conjuncts(transition.case.guard), *_conjuncts(transition.case.when)]
        return any(self._truth(rules, transition, part, reading) is False for part in parts)

    def is_certain(self, rules: ReleaseClass, transition: Transition, reading: LineReading) -> bool:
        """Tell whether a transition is taken whatever the values are that are not known."""
        if transition.case is None:
            return True
        parts = [*_conjuncts(transition.case.guard), *_conjuncts(transition.case.when)]
        return all(self._truth(rules, transition, part, reading) for part in parts)

    def _truth(
        self,
        rules: ReleaseClass,
        transition: Transition,
        condition: Expression,
        reading: LineReading,
    ) -> bool | None:
        """Return what a condition is; None: it cannot be told."""
        try:
            return bool(self._evaluate(rules, transition, condition, reading))
        except (UnknownValue, *EVALUATION_ERRORS):
            return None

    def _evaluate(
        self, rules: ReleaseClass, transition: Transition, node: Expression, reading: LineReading
    ) -> Value:
        arguments = self._parse_arguments(
            self.conditions.class_behaviour(rules), transition, reading
        )
        value: Value = self.conditions.compiled_expression(rules, transition, node)(
            transition.source, self.values, PartialValuation(), arguments
        )
        return value

    def _parse_arguments(
        self, behaviour: Behaviour, transition: Transition, reading: LineReading
    ) -> PartialValuation:
        types = {
            argument.name: argument.type
            for argument in behaviour.signature(transition.event).arguments
        }
        return PartialValuation(
            {
                name: value
                for name, text in reading.arguments
                if name in types
                for value in parse_value(types[name], text)
            }
        )

    # ----------------------------------------------------------------------------------------------
    # changes

    def forget_unseen(self, classes: Iterable[ReleaseClass], shown: frozenset[int]) -> None:
        """Forget what may have changed without a line since the last one."""
        for rules in classes:
            for name in self.conditions.variables_changed_unseen(rules, shown):
                self.values.pop(name, None)

    def forget_all(self) -> None:
        """Forget everything: steps passed that are not told."""
        self.values.clear()

    def begin_incarnation(self, classes: Iterable[ReleaseClass]) -> None:
        """A life begins: the variables have their initial values, where all releases agree on them
        and parameters decide nothing.
        """
        initial = [dict(self._initial_values(rules)) for rules in classes]
        self.values = PartialValuation(
            {
                name: value
                for name, value in initial[0].items()
                if all(other.get(name) == value for other in initial)
            }
        )

    def _initial_values(self, rules: ReleaseClass) -> Iterator[tuple[str, Value]]:
        behaviour = self.conditions.class_behaviour(rules)
        for variable in behaviour.machine.data.variables:
            if variable.initial is not None:
                try:
                    yield (
                        variable.name,
                        behaviour.evaluator(variable.initial)(
                            "", PartialValuation(), PartialValuation()
                        ),
                    )
                except UnknownValue:
                    continue

    def apply_step(
        self,
        taken: Iterable[tuple[ReleaseClass, Transition]],
        reading: LineReading,
        *,
        stays: bool = False,
    ) -> None:
        """A told step was taken by one of some transitions: a variable stays known where all of
        them leave it, or give it one value.

        Args:
            taken: what may have been taken, in a class of releases.
            reading: with the arguments.
            stays: whether it may also be that nothing changed.
        """
        after = [self._values_after(rules, transition, reading) for rules, transition in taken] + (
            [dict(self.values)] if stays else []
        )
        if after:
            self.values = PartialValuation(
                {
                    name: value
                    for name, value in after[0].items()
                    if all(name in o and o[name] == value for o in after)
                }
            )

    def _values_after(
        self, rules: ReleaseClass, transition: Transition, reading: LineReading
    ) -> dict[str, Value]:
        values = dict(self.values)
        for assignment in transition.case.effect if transition.case else ():
            try:
                values[assignment.variable] = self._evaluate(
                    rules, transition, assignment.value, reading
                )
            except (UnknownValue, *EVALUATION_ERRORS):
                values.pop(assignment.variable, None)
        return values

    def take_values(self, classes: Iterable[ReleaseClass], reading: LineReading) -> None:
        """Take in what a line tells of variables; a text that is no value of the variable's type
        tells nothing.
        """
        variables = {
            variable.name: variable
            for rules in classes
            for variable in self.conditions.class_behaviour(rules).machine.data.variables
        }
        for name, text in reading.values:
            self.values.pop(name, None)
            for value in parse_value(variables[name].type, text) if name in variables else ():
                self.values[name] = value


def _conjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    if isinstance(condition, BooleanOperation) and condition.operator == "and":
        return tuple(part for operand in condition.operands for part in _conjuncts(operand))
    return () if condition is None else (condition,)


def _has_value(type_: Type, text: str) -> bool:
    return any(is_within_bounds(type_, value) for value in parse_value(type_, text))


def parse_value(type_: Type, text: str) -> tuple[Value, ...]:
    """Read a value as programs write it; nothing where the text is none of the type.

    >>> parse_value(IntType(), "17"), parse_value(IntType(), "many")
    ((17,), ())
    >>> parse_value(SetType(IntType()), "[1, 3]"), parse_value(OptionalType(IntType()), "None")
    ((frozenset({1, 3}),), (None,))
    """
    try:
        return (accept_value(type_, _parse_raw(type_, text.strip())),)
    except (ArgumentsError, ValueError):
        return ()


def _parse_raw(type_: Type, text: str) -> object:
    """Return what a text says, for `accept` to look at."""
    match type_:
        case OptionalType():
            return None if text.casefold() in _NO_VALUE_TEXTS else _parse_raw(type_.item, text)
        case BoolType():
            return {"true": True, "false": False}.get(text.casefold(), text)
        case IntType():
            return int(text)
        case SetType() | ListType():
            inner = text[text.find("(") + 1 : -1] if text.endswith(")") else text.strip("[]{}")
            items = [
                _parse_raw(type_.item, item.strip()) for item in inner.split(",") if item.strip()
            ]
            return frozenset(items) if isinstance(type_, SetType) else tuple(items)
        case ElementType():
            return _parse_raw(type_.base, text)
    return text
