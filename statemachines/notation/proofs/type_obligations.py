"""What must be shown of a value: that it lies in its bounds, in the set that stands for its type,
with every key that it must have.
"""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    Call,
    Comprehension,
    Conditional,
    Expression,
    ListDisplay,
    Literal,
    MapDisplay,
    RecordDisplay,
    RecordUpdate,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    INT,
    BagType,
    BoolType,
    ElementType,
    EnumType,
    ErrorType,
    IntType,
    ListType,
    MapType,
    NeverType,
    OptionalType,
    RecordType,
    SetType,
    Type,
    base_type,
)
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.proofs.inclusion import is_proved_within
from statemachines.notation.proofs.membership import is_proved_in, is_proved_not_none
from statemachines.notation.proofs.number_bounds import is_proved_in_range, number_bounds
from statemachines.notation.typing.substitution import is_same_term


def _is_unconstrained(type_: Type) -> bool:
    """Tell whether a type asks nothing beyond its kind."""
    match type_:
        case IntType():
            return type_.low is None and type_.high is None
        case ElementType():
            return False
        case SetType() | ListType() | OptionalType() | BagType():
            return _is_unconstrained(type_.item)
        case MapType():
            return (
                not type_.total and _is_unconstrained(type_.key) and _is_unconstrained(type_.value)
            )
        case RecordType():
            return all(_is_unconstrained(field) for _, field in type_.fields)
    return True


def unconstrained_type(type_: Type) -> Type:
    """Return the kind of a type, with all that must be shown taken off.

    Args:
        type_: as it is declared.

    Returns:
        A type without bounds, and without sets that stand for types.
    """
    match type_:
        case IntType():
            return INT
        case ElementType():
            return unconstrained_type(type_.base)
        case SetType():
            return SetType(unconstrained_type(type_.item))
        case ListType():
            return ListType(unconstrained_type(type_.item))
        case OptionalType():
            return OptionalType(unconstrained_type(type_.item))
        case MapType():
            return MapType(unconstrained_type(type_.key), unconstrained_type(type_.value))
        case RecordType():
            return RecordType(
                type_.name, tuple((name, unconstrained_type(field)) for name, field in type_.fields)
            )
    return type_


def _is_subtype(actual: Type, declared: Type) -> bool:
    """Tell whether each value of one type is one of another."""
    match declared:
        case ElementType():
            return isinstance(actual, NeverType | ErrorType) or _is_element_subtype(
                actual, declared
            )
        case OptionalType():
            return _is_subtype(
                actual.item if isinstance(actual, OptionalType) else actual, declared.item
            )
    actual = base_type(actual)
    match actual, declared:
        case ((NeverType() | ErrorType()), _) | (_, ErrorType()):
            return True
        case IntType(), IntType():
            return _is_subrange(actual, declared)
        case SetType(), SetType():
            return _is_subtype(actual.item, declared.item)
        case ListType(), ListType():
            return _is_subtype(actual.item, declared.item)
        case MapType(), MapType():
            whole = not declared.total or (actual.total and actual.key == declared.key)
            return (
                whole
                and _is_subtype(actual.key, declared.key)
                and _is_subtype(actual.value, declared.value)
            )
        case RecordType(), RecordType():
            return all(
                _is_subtype(mine, theirs)
                for (_, mine), (_, theirs) in zip(actual.fields, declared.fields, strict=True)
            )
    return _is_unconstrained(declared)


def _is_element_subtype(actual: Type, declared: ElementType) -> bool:
    return isinstance(actual, ElementType) and (
        is_same_term(actual.set_expression, declared.set_expression)
        or _is_subtype(actual.base, declared)
    )


def _is_subrange(actual: IntType, declared: IntType) -> bool:
    """Tell whether one range is within another."""
    low = declared.low is None or (actual.low is not None and actual.low >= declared.low)
    return low and (
        declared.high is None or (actual.high is not None and actual.high <= declared.high)
    )


def is_proved_of_type(facts: Facts, node: Expression, declared: Type) -> bool:
    """Tell whether a value of the right kind surely is of a type, whatever the state.

    Args:
        facts: what is known where it stands.
        node: a typed expression.
        declared: the type.

    Returns:
        False where it is not known.
    """
    if _is_subtype(node.type, declared):
        return True
    match declared:
        case OptionalType() if is_proved_not_none(facts, node):
            return is_proved_of_type(facts, node, declared.item)
        case IntType():
            return _is_subrange(number_bounds(facts, node), declared)
        case ElementType():
            named = declared.set_expression
            return is_proved_in(facts, node, named) or is_proved_in_range(facts, node, named)
    if isinstance(node, Conditional):
        yes, no = facts.assuming(node.test), facts.assuming(node.test, truth=False)
        return is_proved_of_type(yes, node.yes, declared) and is_proved_of_type(
            no, node.no, declared
        )
    match declared:
        case SetType():
            return _is_proved_set(facts, node, declared)
        case ListType():
            return _is_proved_list(facts, node, declared)
        case MapType():
            return _is_proved_map(facts, node, declared)
        case RecordType():
            return _is_proved_record(facts, node, declared)
    return False


def _is_proved_set(facts: Facts, node: Expression, declared: SetType) -> bool:
    if isinstance(declared.item, ElementType) and is_proved_within(
        facts, node, declared.item.set_expression
    ):
        return True
    match node:
        case BinaryOperation(operator="|") | BinaryOperation(operator="^"):
            return _are_proved_of_type(facts, (node.left, node.right), declared)
        case BinaryOperation(operator="-"):
            return is_proved_of_type(facts, node.left, declared)
        case BinaryOperation(operator="&"):
            return is_proved_of_type(facts, node.left, declared) or is_proved_of_type(
                facts, node.right, declared
            )
    return _are_proved_elements(facts, node, declared)


def _is_proved_list(facts: Facts, node: Expression, declared: ListType) -> bool:
    match node:
        case BinaryOperation(operator="+"):
            return _are_proved_of_type(facts, (node.left, node.right), declared)
    return _are_proved_elements(facts, node, declared)


def _are_proved_elements(facts: Facts, node: Expression, declared: SetType | ListType) -> bool:
    """Show each element of a display or a comprehension, or of what a name stands for."""
    match node:
        case SetDisplay() | ListDisplay():
            return _are_proved_of_type(facts, node.items, declared.item)
        case Comprehension():
            return is_proved_of_type(_facts_inside(facts, node), node.element, declared.item)
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and is_proved_of_type(facts, meaning, declared)


def _are_proved_of_type(facts: Facts, nodes: Iterable[Expression], declared: Type) -> bool:
    return all(is_proved_of_type(facts, node, declared) for node in nodes)


def _is_proved_map(facts: Facts, node: Expression, declared: MapType) -> bool:
    """Show the keys (all of them, where it is total), then each value."""
    if declared.total and not _is_proved_total(facts, node, declared):
        return False
    return _has_proved_entries(facts, node, declared)


def _is_proved_total(facts: Facts, node: Expression, declared: MapType) -> bool:
    if isinstance(declared.key, ElementType):
        return is_proved_within(facts, declared.key.set_expression, node)
    match node:
        case BinaryOperation(operator="|"):
            return any(_is_proved_total(facts, side, declared) for side in (node.left, node.right))
        case MapDisplay() if all(isinstance(key, Literal) for key, _ in node.pairs):
            return {
                key.value for key, _ in node.pairs if isinstance(key, Literal)
            } == _finite_values(declared.key)
    type_ = base_type(node.type)
    if isinstance(type_, MapType) and type_.total:
        return True
    return isinstance(node, Comprehension) and _iterates_all_keys(facts, node, declared)


def _finite_values(type_: Type) -> frozenset[object]:
    """Return the values of a finite type; none of any other."""
    match type_:
        case BoolType():
            return frozenset([False, True])
        case EnumType():
            return frozenset(type_.members)
        case IntType(int(low), int(high)):
            return frozenset(range(low, high + 1))
    return frozenset()


def _iterates_all_keys(facts: Facts, made: Comprehension, declared: MapType) -> bool:
    """Tell whether a map comprehension walks all values of a finite key type."""
    clause = made.clauses[0]
    if len(made.clauses) > 1 or clause.conditions or made.element != clause.targets[0]:
        return False
    iterable = clause.iterable
    if isinstance(iterable, Call) and iterable.function == "range":
        return isinstance(declared.key, IntType) and _range_covers(facts, iterable, declared.key)
    type_ = base_type(getattr(iterable, "map", iterable).type)
    if isinstance(type_, MapType):
        return type_.total and base_type(type_.key) == declared.key
    return (
        isinstance(type_, SetType)
        and type_.item == declared.key
        and isinstance(getattr(iterable, "value", None), frozenset)
    )


def _range_covers(facts: Facts, made: Call, key: IntType) -> bool:
    """Tell whether a range surely has all numbers of a finite type."""
    first = number_bounds(facts, made.arguments[0]) if len(made.arguments) == 2 else IntType(0, 0)
    last = number_bounds(facts, made.arguments[-1])
    if first.high is None or last.low is None or key.low is None or key.high is None:
        return False
    return first.high <= key.low and last.low > key.high


def _has_proved_entries(facts: Facts, node: Expression, declared: MapType) -> bool:
    """Show that each key and each value is of its type."""
    match node:
        case MapDisplay():
            return all(
                is_proved_of_type(facts, key, declared.key)
                and is_proved_of_type(facts, value, declared.value)
                for key, value in node.pairs
            )
        case BinaryOperation(operator="|"):
            return _has_proved_entries(facts, node.left, declared) and _has_proved_entries(
                facts, node.right, declared
            )
        case Comprehension() if node.value is not None:
            inner = _facts_inside(facts, node)
            return is_proved_of_type(inner, node.element, declared.key) and is_proved_of_type(
                inner, node.value, declared.value
            )
    type_ = base_type(node.type)
    if isinstance(type_, MapType) and _is_subtype(type_.value, declared.value):
        of = declared.key.set_expression if isinstance(declared.key, ElementType) else None
        if _is_subtype(type_.key, declared.key) or (
            of is not None and is_proved_within(facts, node, of)
        ):
            return True
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and _has_proved_entries(facts, meaning, declared)


def _is_proved_record(facts: Facts, node: Expression, declared: RecordType) -> bool:
    if isinstance(node, RecordDisplay):
        return all(
            is_proved_of_type(facts, value, type_)
            for value, (_, type_) in zip(node.values, declared.fields, strict=True)
        )
    if isinstance(node, RecordUpdate):
        types, fields = dict(declared.fields), dict(_record_fields(node.record.type))
        changed = {
            name: is_proved_of_type(facts, value, types[name]) for name, value in node.changes
        }
        return all(
            changed[name] if name in changed else _is_subtype(fields[name], type_)
            for name, type_ in declared.fields
        )
    return False


def _record_fields(type_: Type) -> tuple[tuple[str, Type], ...]:
    type_ = base_type(type_)
    return type_.fields if isinstance(type_, RecordType) else ()


def _facts_inside(facts: Facts, made: Comprehension) -> Facts:
    for clause in made.clauses:
        facts = facts.inside_clause(clause)
    return facts
