"""Between which numbers a whole number lies, as far as types and facts show."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    Call,
    Comprehension,
    Conditional,
    Expression,
    ListDisplay,
    Literal,
    Negative,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    INT,
    ElementType,
    IntType,
    MapType,
    base_type,
)
from statemachines.notation.proofs.facts import Fact, Facts, element_variable
from statemachines.notation.proofs.known_containers import declared_element_type
from statemachines.notation.proofs.membership import applies_to
from statemachines.notation.typing.substitution import is_same_term, matching_substitute, substitute
from statemachines.notation.typing.type_agreement import element_type

_DEEPEST_BOUNDS = 4
MOST_STEPS = 5_000
"""Each fact leads to another number, of which each fact is asked again: with many facts fewer steps
are gone.
"""


def number_bounds(facts: Facts, node: Expression, depth: int | None = None) -> IntType:
    """Return the narrowest range that is known of a whole number, as far as some thousand steps
    lead.

    Args:
        facts: what is known where it stands.
        node: of a whole number's type.
        depth: how many more facts may be followed; None: the most.

    Returns:
        A range; an end is None where none is known.
    """
    if depth is None:
        depth = next(
            (
                deep
                for deep in range(_DEEPEST_BOUNDS, 1, -1)
                if len(facts.known) ** deep <= MOST_STEPS
            ),
            1,
        )
    type_ = base_type(node.type)
    known = type_ if isinstance(type_, IntType) else INT
    if not depth:
        return known
    known = _range_intersection(known, _bounds_by_structure(facts, node, depth))
    if (named := _range_of(facts, node)) is not None:
        known = _range_intersection(known, _bounds_of_range(facts, named, depth))
    for fact in _facts_comparing(facts, node, depth):
        known = _range_intersection(known, _bounds_by_fact(facts, fact, node, known, depth))
    return known


def _range_intersection(left: IntType, right: IntType) -> IntType:
    """Return the numbers that are in both ranges."""
    lows = [low for low in (left.low, right.low) if low is not None]
    highs = [high for high in (left.high, right.high) if high is not None]
    return IntType(max(lows, default=None), min(highs, default=None))


def _bounds_by_structure(facts: Facts, node: Expression, depth: int) -> IntType:
    match node:
        case Literal():
            return IntType(node.value, node.value) if isinstance(node.value, int) else INT
        case BinaryOperation():
            return _binary_bounds(facts, node, depth)
        case Negative():
            inner = number_bounds(facts, node.operand, depth - 1)
            return IntType(_negated(inner.high), _negated(inner.low))
        case Conditional():
            yes = number_bounds(facts.assuming(node.test), node.yes, depth - 1)
            no = number_bounds(facts.assuming(node.test, truth=False), node.no, depth - 1)
            return IntType(_combined(min, yes.low, no.low), _combined(max, yes.high, no.high))
        case Call():
            return _call_bounds(facts, node, depth)
    meaning = facts.scope.meaning_of(node)
    return number_bounds(facts, meaning, depth - 1) if meaning is not None else INT


def _negated(value: int | None) -> int | None:
    return None if value is None else -value


def _combined(choose: Callable[[int, int], int], left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else choose(left, right)


def _binary_bounds(facts: Facts, node: BinaryOperation, depth: int) -> IntType:
    left, right = (
        number_bounds(facts, node.left, depth - 1),
        number_bounds(facts, node.right, depth - 1),
    )
    match node.operator:
        case "+":
            return IntType(_sum(left.low, right.low), _sum(left.high, right.high))
        case "-":
            difference = IntType(
                _sum(left.low, _negated(right.high)), _sum(left.high, _negated(right.low))
            )
            return _range_intersection(difference, _ordered_difference_bounds(facts, node))
        case "*":
            return _product(left, right)
        case "//" if right.low is not None and right.low > 0:
            return _quotient(left, right)
        case "%" if right.low is not None and right.low > 0:
            return IntType(0, None if right.high is None else right.high - 1)
    return INT


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _ordered_difference_bounds(facts: Facts, node: BinaryOperation) -> IntType:
    """Return what a known order says of a difference: `b <= a` makes `a - b` at least 0."""
    for fact in facts.direct_facts("less", "at most"):
        if is_same_term(fact.left, node.right) and is_same_term(fact.right, node.left):
            return IntType(1 if fact.relation == "less" else 0, None)
    return INT


def _ends(bounds: IntType) -> list[int]:
    """Return the bounds that there are; two of a range that ends on both sides."""
    return [end for end in (bounds.low, bounds.high) if end is not None]


def _product(left: IntType, right: IntType) -> IntType:
    lefts, rights = _ends(left), _ends(right)
    if len(lefts) == len(rights) == 2:
        ends = [a * b for a in lefts for b in rights]
        return IntType(min(ends), max(ends))
    if left.low is not None and right.low is not None and left.low >= 0 and right.low >= 0:
        return IntType(left.low * right.low, None)
    return INT


def _quotient(left: IntType, right: IntType) -> IntType:
    assert right.low is not None
    divisors = [right.low] if right.high is None else [right.low, right.high]
    low = (
        None
        if left.low is None
        else min([left.low // divisor for divisor in divisors] + ([0] if left.low >= 0 else []))
    )
    high = (
        None
        if left.high is None
        else max([left.high // divisor for divisor in divisors] + ([-1] if left.high < 0 else []))
    )
    return IntType(low, high)


def _call_bounds(facts: Facts, node: Call, depth: int) -> IntType:
    match node.function:
        case "len":
            return IntType(1 if _is_known_non_empty(facts, node.arguments[0]) else 0, None)
        case "min" | "max" if len(node.arguments) > 1:
            ranges = [number_bounds(facts, argument, depth - 1) for argument in node.arguments]
            return _extreme_bounds(node.function, ranges)
        case "sum":
            item = element_type(node.arguments[0].type)
            return (
                IntType(0, None)
                if isinstance(item, IntType) and item.low is not None and item.low >= 0
                else INT
            )
    return INT


def _extreme_bounds(function: str, ranges: list[IntType]) -> IntType:
    lows, highs = [range_.low for range_ in ranges], [range_.high for range_ in ranges]
    known_lows, known_highs = (
        [low for low in lows if low is not None],
        [high for high in highs if high is not None],
    )
    if function == "min":
        return IntType(
            min(known_lows) if None not in lows else None, min(known_highs, default=None)
        )
    return IntType(max(known_lows, default=None), max(known_highs) if None not in highs else None)


def _is_known_non_empty(facts: Facts, node: Expression) -> bool:
    """Tell whether a set, list or map surely has an element."""
    match node:
        case SetDisplay() | ListDisplay():
            return bool(node.items)
        case Literal(value=frozenset() as members):  # the name of an enumeration, or of a range
            return bool(members)
        case BinaryOperation(operator="|") | BinaryOperation(operator="+"):
            return _is_known_non_empty(facts, node.left) or _is_known_non_empty(facts, node.right)
        case Comprehension() if not any(clause.conditions for clause in node.clauses):
            return all(_is_known_non_empty(facts, clause.iterable) for clause in node.clauses)
        case Call(function="set") if node.arguments:
            return _is_known_non_empty(facts, node.arguments[0])
    if any(is_same_term(fact.right, node) for fact in facts.direct_facts("in")):
        return True
    return any(_implies_non_empty(fact, node) for fact in facts.direct_facts("less"))


def _implies_non_empty(fact: Fact, node: Expression) -> bool:
    if not isinstance(fact.right, Call) or fact.right.function != "len":
        return False
    low = base_type(fact.left.type)
    return (
        is_same_term(fact.right.arguments[0], node)
        and isinstance(low, IntType)
        and low.low is not None
        and low.low >= 0
    )


def _facts_comparing(facts: Facts, node: Expression, depth: int) -> Iterator[Fact]:
    """Yield the facts that compare a number, those about each element included."""
    for fact in facts.direct_facts("less", "at most", "equal", "unequal"):
        if is_same_term(fact.left, node) or is_same_term(fact.right, node):
            yield fact
    for every in facts.element_facts():
        for side in (every.fact.left, every.fact.right):
            expression = (
                matching_substitute(side, node, element_variable(every.clause))
                if every.fact.relation in ("less", "at most", "equal", "unequal")
                else None
            )
            if expression is not None and applies_to(facts, every, expression, depth):
                by: dict[Expression, Expression] = {element_variable(every.clause): expression}
                yield Fact(
                    every.fact.relation,
                    substitute(every.fact.left, by),
                    substitute(every.fact.right, by),
                )


def _bounds_by_fact(
    facts: Facts, fact: Fact, node: Expression, known: IntType, depth: int
) -> IntType:
    """Return the range that one comparison leaves."""
    is_left = is_same_term(fact.left, node)
    other = number_bounds(facts, fact.right if is_left else fact.left, depth - 1)
    gap = 1 if fact.relation == "less" else 0
    match fact.relation:
        case "equal":
            return other
        case "unequal":
            return _without_end(known, other)
    if is_left:
        return IntType(None, None if other.high is None else other.high - gap)
    return IntType(None if other.low is None else other.low + gap, None)


def _without_end(known: IntType, other: IntType) -> IntType:
    """Cut one number off the end of a range."""
    if other.low is None or other.low != other.high:
        return known
    low = known.low + 1 if known.low == other.low and known.low is not None else known.low
    high = known.high - 1 if known.high == other.high and known.high is not None else known.high
    return IntType(low, high)


def is_proved_less(facts: Facts, left: Expression, right: Expression) -> bool:
    """Tell whether one number is surely less than another.

    Args:
        facts: what is known where it stands.
        left: a whole number.
        right: a whole number.

    Returns:
        False where it is not known.
    """
    if (named := _range_of(facts, left)) is not None and is_same_term(named.arguments[-1], right):
        return True
    for fact in facts.direct_facts("less", "at most"):
        if _is_shifted(fact, left, right):
            return True
        if isinstance(left, BinaryOperation) and _is_difference_less(facts, fact, left, right):
            return True
    if (
        isinstance(left, BinaryOperation)
        and left.operator == "-"
        and is_same_term(left.left, right)
        and (number_bounds(facts, left.right).low or 0) > 0
    ):
        return True
    if isinstance(left, BinaryOperation) and left.operator == "%":
        divisor = facts.scope.meaning_of(left.right) or left.right
        same = is_same_term(left.right, right) or is_same_term(divisor, right)
        if same and (number_bounds(facts, left.right).low or 0) > 0:
            return True
    mine, theirs = number_bounds(facts, left), number_bounds(facts, right)
    return mine.high is not None and theirs.low is not None and mine.high < theirs.low


def _is_shifted(fact: Fact, left: Expression, right: Expression) -> bool:
    """Tell whether a fact compares the same numbers, and says enough whatever is added to them."""
    (less, added), (more, added_to_more) = _shift(fact.left), _shift(fact.right)
    (mine, my_shift), (theirs, their_shift) = _shift(left), _shift(right)
    if not (is_same_term(less, mine) and is_same_term(more, theirs)):
        return False
    gap = added_to_more - added + my_shift - their_shift
    return gap < 0 or (gap == 0 and fact.relation == "less")


def _shift(node: Expression) -> tuple[Expression, int]:
    """Return a number without what is added to it, and that."""
    if isinstance(node, BinaryOperation) and isinstance(node.right, Literal):
        number = node.right.value
        if node.operator in ("+", "-") and isinstance(number, int):
            return node.left, number if node.operator == "+" else -number
    return node, 0


def _is_difference_less(
    facts: Facts, fact: Fact, difference: BinaryOperation, right: Expression
) -> bool:
    """Tell whether `a - n` is below what `a` is at most, because `n` is positive."""
    same_order = (
        difference.operator == "-"
        and is_same_term(fact.left, difference.left)
        and is_same_term(fact.right, right)
    )
    return same_order and (number_bounds(facts, difference.right).low or 0) > 0


def is_proved_in_range(facts: Facts, number: Expression, container: Expression) -> bool:
    """Tell whether a number is surely one of `range(…)`, or of the keys of a map that has just
    these: `i % n` is in `range(n)`.

    Args:
        facts: what is known where it stands.
        number: a whole number.
        container: a set, a list or a map.

    Returns:
        False where it is not known.
    """
    type_ = base_type(container.type)
    if isinstance(type_, MapType) and type_.total and isinstance(type_.key, ElementType):
        container = type_.key.set_expression
    if not isinstance(container, Call) or container.function != "range":
        return False
    first = _first_of_range(facts, container)
    low = number_bounds(facts, number).low
    return (
        first.high is not None
        and low is not None
        and first.high <= low
        and is_proved_less(facts, number, container.arguments[-1])
    )


def _range_of(facts: Facts, node: Expression) -> Call | None:
    """Return the `range(…)` that an argument is one of, by its type."""
    declared = declared_element_type(facts, node)
    named = None if declared is None else declared.set_expression
    return named if isinstance(named, Call) and named.function == "range" else None


def _bounds_of_range(facts: Facts, named: Call, depth: int) -> IntType:
    first = (
        number_bounds(facts, named.arguments[0], depth - 1)
        if len(named.arguments) > 1
        else IntType(0, 0)
    )
    end = number_bounds(facts, named.arguments[-1], depth - 1).high
    return IntType(first.low, None if end is None else end - 1)


def _first_of_range(facts: Facts, named: Call) -> IntType:
    return number_bounds(facts, named.arguments[0]) if len(named.arguments) > 1 else IntType(0, 0)
