"""What a log tells of an instance's variables, and what follows: a guard that is false on known values forbids; an unknown one never does.

A value is known from the line that tells it on (`set`), from a line that says that a life begins (the variable's initial value), and
through the effects of told steps, until something may have changed it that the log does not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from statemachines.conform.observations import Telling
from statemachines.conform.properties import Moved
from statemachines.conform.rules import Rules
from statemachines.model.data import Let
from statemachines.model.expressions import Boolean, Expression
from statemachines.model.machines import Spec, Transition
from statemachines.model.snapshots import Value
from statemachines.model.types import BoolType, ElementType, IntType, ListType, OptionalType, SetType, Type
from statemachines.notation.resolve import machine_of
from statemachines.semantics.behaviour import Behaviour, behaviour_of
from statemachines.semantics.compile import Evaluate
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.partial import DOUBTFUL, Partial, Untold
from statemachines.semantics.values import accept

NOTHING = ("", "none", "null")
"""How programs write that there is no value, whatever the case."""


@frozen(eq=False)
class Conditions:
    """The guards and effects of a machine, compiled; shared by all of its instances."""

    spec: Spec
    _behaviours: dict[int, Behaviour] = field(factory=dict)
    _compiled: dict[tuple[int, str, tuple[Let, ...], Expression], Evaluate] = field(factory=dict)
    _loose: dict[tuple[int, frozenset[int]], frozenset[str]] = field(factory=dict)

    def nothing(self) -> Knowing:
        """Return what is known of an instance before its first line."""
        return Knowing(self)

    def behaviour(self, rules: Rules) -> Behaviour:
        """Return the data of a class of releases."""
        if rules.releases not in self._behaviours:
            release = self.spec.family.newest(rules.releases) if self.spec.family.name else None
            self._behaviours[rules.releases] = behaviour_of(machine_of(self.spec, release))
        return self._behaviours[rules.releases]

    def compiled(self, rules: Rules, arrow: Transition, node: Expression) -> Evaluate:
        """Return an expression of an arrow as a function."""
        behaviour = self.behaviour(rules)
        lets = (*behaviour.signature(arrow.event).lets, *(arrow.case.lets if arrow.case else ()))
        key = rules.releases, arrow.event, lets, node
        if key not in self._compiled:
            self._compiled[key] = behaviour.compiler.expression(node, lets)
        return self._compiled[key]

    def changed_unseen(self, rules: Rules, shown: frozenset[int]) -> frozenset[str]:
        """Return the variables that steps change of which no shown line tells, or that may pass in silence."""
        key = rules.releases, shown
        if key not in self._loose:
            unseen = [one for one in rules.every if one.silent or not any(line.number in shown for line in rules.told_by(one))]
            self._loose[key] = frozenset(one.variable for arrow in unseen if arrow.case for one in arrow.case.effect)
        return self._loose[key]


@define
class Knowing:
    """The known variables of one instance."""

    conditions: Conditions
    values: Partial = field(factory=Partial)

    def copy(self) -> Knowing:
        """Return the same knowledge, which goes its own way."""
        return Knowing(self.conditions, self.held())

    # ------------------------------------------------------------------------------------------------------------- questions

    def nothing(self) -> Knowing:
        """Return what is known of another instance of the same machine before its first line."""
        return self.conditions.nothing()

    def held(self) -> Partial:
        """Return what is known now, to be kept."""
        return Partial(self.values)

    def moved(self, before: Partial | None, *, in_doubt: bool) -> Moved:
        """Return what was known before a line, and what is now."""
        return Moved(before or Partial(), self.held(), in_doubt)

    def words(self) -> str:
        """Return what is known, in words."""
        return ", ".join(f"{name} = {value!r}" for name, value in self.values.items()) or "what the line tells"

    def refuses(self, rules: Rules, arrow: Transition, telling: Telling) -> bool:
        """Tell whether an arrow is impossible whatever the values are that are not known."""
        if arrow.case is None:
            return False
        parts = [*_conjuncts(arrow.case.guard), *_conjuncts(arrow.case.when)]
        return any(self._holds(rules, arrow, part, telling) is False for part in parts)

    def takes(self, rules: Rules, arrow: Transition, telling: Telling) -> bool:
        """Tell whether an arrow is taken whatever the values are that are not known."""
        if arrow.case is None:
            return True
        parts = [*_conjuncts(arrow.case.guard), *_conjuncts(arrow.case.when)]
        return all(self._holds(rules, arrow, part, telling) for part in parts)

    def _holds(self, rules: Rules, arrow: Transition, condition: Expression, telling: Telling) -> bool | None:
        """Return what a condition is; None: it cannot be told."""
        try:
            return bool(self._value(rules, arrow, condition, telling))
        except (Untold, *DOUBTFUL):
            return None

    def _value(self, rules: Rules, arrow: Transition, node: Expression, telling: Telling) -> Value:
        arguments = self._arguments(self.conditions.behaviour(rules), arrow, telling)
        value: Value = self.conditions.compiled(rules, arrow, node)(arrow.source, self.values, Partial(), arguments)
        return value

    def _arguments(self, behaviour: Behaviour, arrow: Transition, telling: Telling) -> Partial:
        types = {argument.name: argument.type for argument in behaviour.signature(arrow.event).arguments}
        return Partial({name: value for name, text in telling.arguments if name in types for value in read(types[name], text)})

    # --------------------------------------------------------------------------------------------------------------- changes

    def forget_unseen(self, classes: Iterable[Rules], shown: frozenset[int]) -> None:
        """Forget what may have changed without a line since the last one."""
        for rules in classes:
            for name in self.conditions.changed_unseen(rules, shown):
                self.values.pop(name, None)

    def forget(self) -> None:
        """Forget everything: steps passed that are not told."""
        self.values.clear()

    def begin(self, classes: Iterable[Rules]) -> None:
        """A life begins: the variables have their initial values, where all releases agree on them and parameters decide nothing."""
        found = [dict(self._initial(rules)) for rules in classes]
        self.values = Partial({name: value for name, value in found[0].items() if all(other.get(name) == value for other in found)})

    def _initial(self, rules: Rules) -> Iterator[tuple[str, Value]]:
        behaviour = self.conditions.behaviour(rules)
        for variable in behaviour.machine.data.variables:
            if variable.initial is not None:
                try:
                    yield variable.name, behaviour.evaluate(variable.initial)("", Partial(), Partial())
                except Untold:
                    continue

    def step(self, taken: Iterable[tuple[Rules, Transition]], telling: Telling, *, stays: bool = False) -> None:
        """A told step was taken by one of some arrows: a variable stays known where all of them leave it, or give it one value.

        Args:
            taken: what may have been taken, in a class of releases.
            telling: with the arguments.
            stays: whether it may also be that nothing changed.
        """
        after = [self._after(rules, arrow, telling) for rules, arrow in taken] + ([dict(self.values)] if stays else [])
        if after:
            self.values = Partial({name: value for name, value in after[0].items() if all(name in o and o[name] == value for o in after)})

    def _after(self, rules: Rules, arrow: Transition, telling: Telling) -> dict[str, Value]:
        values = dict(self.values)
        for one in arrow.case.effect if arrow.case else ():
            try:
                values[one.variable] = self._value(rules, arrow, one.value, telling)
            except (Untold, *DOUBTFUL):
                values.pop(one.variable, None)
        return values

    def told(self, classes: Iterable[Rules], telling: Telling) -> None:
        """Take in what a line tells of variables; a text that is no value of the variable's type tells nothing."""
        variables = {one.name: one for rules in classes for one in self.conditions.behaviour(rules).machine.data.variables}
        for name, text in telling.values:
            self.values.pop(name, None)
            for value in read(variables[name].type, text) if name in variables else ():
                self.values[name] = value


def _conjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    if isinstance(condition, Boolean) and condition.operator == "and":
        return tuple(part for operand in condition.operands for part in _conjuncts(operand))
    return () if condition is None else (condition,)


def read(type_: Type, text: str) -> tuple[Value, ...]:
    """Read a value as programs write it; nothing where the text is none of the type.

    >>> read(IntType(), "17"), read(IntType(), "many"), read(SetType(IntType()), "[1, 3]"), read(OptionalType(IntType()), "None")
    ((17,), (), (frozenset({1, 3}),), (None,))
    """
    try:
        return (accept(type_, _plain(type_, text.strip())),)
    except (ArgumentsError, ValueError):
        return ()


def _plain(type_: Type, text: str) -> object:
    """Return what a text says, for `accept` to look at."""
    match type_:
        case OptionalType():
            return None if text.casefold() in NOTHING else _plain(type_.item, text)
        case BoolType():
            return {"true": True, "false": False}.get(text.casefold(), text)
        case IntType():
            return int(text)
        case SetType() | ListType():
            inner = text[text.find("(") + 1 : -1] if text.endswith(")") else text.strip("[]{}")
            items = [_plain(type_.item, item.strip()) for item in inner.split(",") if item.strip()]
            return frozenset(items) if isinstance(type_, SetType) else tuple(items)
        case ElementType():
            return _plain(type_.base, text)
    return text
