"""Expressions of the notation as typed nodes: what every reader of a machine's data works on.

Places are no part of equality. A `Local` is a generator's variable; its number tells it from others
of its name within one expression. What an expression leads to is looked up by it again and
again, so each computes its hash once.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from operator import is_
from typing import Any, TypeVar
from typing import Literal as OneOf

import attrs
from attrs import field

from statemachines.model.language.value_types import (
    BOOL,
    BagType,
    ElementType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)
from statemachines.model.language.value_types import Expression as Expression
from statemachines.model.values import frozen

BooleanOperator = OneOf["and", "or"]
ComparisonOperator = OneOf["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
BinaryOperator = OneOf["+", "-", "*", "//", "%", "|", "&", "^"]
"""The operators of two numbers, lists, sets or maps; each writer of expressions has all of them."""
LONGEST_RANGE = 1_000_000
"""Numbers that one `range` of an expression may have."""


class NameKind(enum.StrEnum):
    """What a name stands for."""

    VARIABLE = "variable"
    PARAMETER = "parameter"
    ARGUMENT = "argument"
    LET = "let"
    STATE = "state"
    BEFORE = "before"
    """A variable, or `state`, before the step (`before.x`)."""
    INPUT = "input"
    """An argument of a definition, inside it."""
    OUTSIDE = "outside"
    """Given by whoever evaluates: a property's or a system's own names."""


@frozen(cache_hash=True)
class Literal(Expression):
    """True, False, a number, a member's name, None, or the set of an enumeration's members."""

    value: object = field(eq=lambda value: (type(value).__name__, value))


@frozen(cache_hash=True)
class Name(Expression):
    """A declared name."""

    kind: NameKind
    name: str


@frozen(cache_hash=True)
class Local(Expression):
    """A generator's variable."""

    name: str
    id: int


@frozen(cache_hash=True)
class InStates(Expression):
    """A predicate: whether the state is one of these."""

    name: str
    states: tuple[str, ...]
    before: bool = False


@frozen(cache_hash=True)
class BooleanOperation(Expression):
    """`and`, `or`, from left to right; a chain of comparisons is an `and`."""

    operator: BooleanOperator
    operands: tuple[Expression, ...]


@frozen(cache_hash=True)
class Not(Expression):
    """`not x`."""

    operand: Expression


@frozen(cache_hash=True)
class Implies(Expression):
    """`implies(a, b)`: `b` is looked at only where `a` holds."""

    condition: Expression
    consequence: Expression


@frozen(cache_hash=True)
class Comparison(Expression):
    """`== != < <= > >= in` and `not in` of two operands."""

    operator: ComparisonOperator
    left: Expression
    right: Expression


@frozen(cache_hash=True)
class IsNone(Expression):
    """`x is None`."""

    operand: Expression


@frozen(cache_hash=True)
class BinaryOperation(Expression):
    """`+ - *` and `// %` of numbers, `+` of lists, `| & - ^` of sets, `|` of maps."""

    operator: BinaryOperator
    left: Expression
    right: Expression


@frozen(cache_hash=True)
class Negative(Expression):
    """`-n`."""

    operand: Expression


@frozen(cache_hash=True)
class Conditional(Expression):
    """`yes if test else no`."""

    test: Expression
    yes: Expression
    no: Expression


@frozen(cache_hash=True)
class SetDisplay(Expression):
    """`{a, b}` and `set()`."""

    items: tuple[Expression, ...]


@frozen(cache_hash=True)
class ListDisplay(Expression):
    """`[a, b]`."""

    items: tuple[Expression, ...]


@frozen(cache_hash=True)
class MapDisplay(Expression):
    """`{k: v}` and `{}`."""

    pairs: tuple[tuple[Expression, Expression], ...]


@frozen
class Clause:
    """`for targets in iterable if conditions`."""

    targets: tuple[Local, ...]
    """One; two where pairs are walked."""
    iterable: Expression
    conditions: tuple[Expression, ...] = ()


@frozen(cache_hash=True)
class Comprehension(Expression):
    """A set, list or map comprehension or a generator: `kind` is `set`, `list`, `map` or
    `generator`.
    """

    kind: str
    element: Expression
    """The key of a map comprehension."""
    value: Expression | None
    """Of a map comprehension."""
    clauses: tuple[Clause, ...]


@frozen(cache_hash=True)
class Call(Expression):
    """`len min max sum any all set range next` of checked arguments; `min` and `max` may have a
    `default` as `otherwise`.
    """

    function: str
    arguments: tuple[Expression, ...]
    default: Expression | None = None


@frozen(cache_hash=True)
class MapView(Expression):
    """`m.keys()`, `m.values()`, `m.items()`."""

    method: str
    map: Expression


@frozen(cache_hash=True)
class MapGet(Expression):
    """`m.get(k, d)`; without `d`: None."""

    map: Expression
    key: Expression
    default: Expression | None = None


@frozen(cache_hash=True)
class ItemAccess(Expression):
    """`m[k]` and `xs[i]`, where a fact makes it safe."""

    container: Expression
    key: Expression


@frozen(cache_hash=True)
class Slice(Expression):
    """`xs[a:b]`; either end may be missing."""

    items: Expression
    low: Expression | None
    high: Expression | None


@frozen(cache_hash=True)
class RecordDisplay(Expression):
    """`Info(kind='active', …)`; values in the order of the record's fields."""

    values: tuple[Expression, ...]


@frozen(cache_hash=True)
class FieldAccess(Expression):
    """`x.state`."""

    record: Expression
    name: str


@frozen(cache_hash=True)
class RecordUpdate(Expression):
    """`replace(x, state='RUNNING')`."""

    record: Expression
    changes: tuple[tuple[str, Expression], ...]


@frozen(cache_hash=True)
class DefinitionCall(Expression):
    """A definition with its arguments, in the order of its declaration."""

    definition: str
    arguments: tuple[Expression, ...]


@frozen(cache_hash=True)
class AllowsCall(Expression):
    """`Task.allows(a, b)`: whether another machine has a transition from `a` to `b`."""

    machine: str
    pairs: frozenset[tuple[str, str]]
    source: Expression
    target: Expression


@frozen(cache_hash=True)
class Enabled(Expression):
    """`enabled(take, weight=1)`: whether something takes an event with these arguments, and any
    values of the others.
    """

    event: str
    """Of a system with its part: `part.event`."""
    arguments: tuple[tuple[str, Expression], ...] = ()


ENABLED = "enabled"
"""How it is called, in a spec and where who evaluates gives the function that tells."""
TRUE = Literal(True, type=BOOL)
FALSE = Literal(False, type=BOOL)

T = TypeVar("T", bound=Expression)


def children(node: Expression) -> list[Expression]:
    """Return the expressions that stand directly in one, from left to right (a generator's
    variables too).

    Args:
        node: the expression.

    Returns:
        The parts, in their order.
    """
    expressions = list[Expression]()
    for name in COMPONENT_NAMES[type(node)]:
        _gather_expressions(getattr(node, name), expressions)
    return expressions


class _ComponentNames(dict[type[Expression], tuple[str, ...]]):
    """A kind of expression to the names of what it is made of, its type and place aside."""

    def __missing__(self, kind: type[Expression]) -> tuple[str, ...]:
        names = (attribute.name for attribute in attrs.fields(kind))
        self[kind] = tuple(name for name in names if name not in ("type", "span"))
        return self[kind]


COMPONENT_NAMES = _ComponentNames()


def _gather_expressions(value: object, expressions: list[Expression]) -> None:
    if isinstance(value, Expression):
        expressions.append(value)
    elif isinstance(value, tuple):
        for part in value:
            _gather_expressions(part, expressions)
    elif isinstance(value, Clause):
        _gather_expressions((value.targets, value.iterable, value.conditions), expressions)


def walk(node: Expression) -> Iterator[Expression]:
    """Yield an expression and all that stand in it, outermost first, from left to right.

    Args:
        node: the expression.

    Yields:
        Expressions.
    """
    pending = [node]
    while pending:
        expression = pending.pop()
        yield expression
        pending.extend(reversed(children(expression)))


def rebuild(node: T, change: Callable[[Expression], Expression]) -> T:
    """Return the same expression with each direct part changed.

    Args:
        node: the expression.
        change: gives the new part for an old one.

    Returns:
        A new expression; the same one where no part has changed.
    """
    kind, parts, is_changed = type(node), list[Any](), False
    changed: Any
    for name in COMPONENT_NAMES[kind]:
        value = changed = getattr(node, name)
        if isinstance(value, Expression):
            changed = change(value)
        elif isinstance(value, tuple | Clause):
            changed = _rebuilt(value, change)
        parts.append(changed)
        is_changed = is_changed or changed is not value
    # What `attrs.evolve` gives, in fewer calls: this is done to each part in each proof.
    return kind(*parts, type=node.type, span=node.span) if is_changed else node


def _rebuilt(value: object, change: Callable[[Expression], Expression]) -> Any:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, tuple):
        parts = list[Any]()
        for part in value:
            parts.append(change(part) if isinstance(part, Expression) else _rebuilt(part, change))
        return value if all(map(is_, parts, value)) else tuple(parts)
    if isinstance(value, Clause):
        whole = (value.targets, value.iterable, value.conditions)
        changed = _rebuilt(whole, change)
        return value if changed is whole else Clause(*changed)
    return value


def type_sets(type_: Type) -> list[Expression]:
    """Return the sets that stand for types within a type.

    Args:
        type_: one of the notation's.

    Returns:
        Expressions that give sets.
    """
    match type_:
        case ElementType():
            return [type_.set_expression, *type_sets(type_.base)]
        case SetType() | ListType() | BagType() | OptionalType():
            return type_sets(type_.item)
        case MapType():
            return type_sets(type_.key) + type_sets(type_.value)
        case RecordType():
            return [part for _, field in type_.fields for part in type_sets(field)]
    return []
