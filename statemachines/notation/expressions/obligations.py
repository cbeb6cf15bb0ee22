"""What must be shown of a value: that it lies in its bounds, in the set that stands for its type, with every key that it must have."""

from __future__ import annotations

from statemachines.model.expressions import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    Expression,
    ListDisplay,
    Literal,
    Make,
    MapDisplay,
    Replace,
    SetDisplay,
)
from statemachines.model.types import (
    INT,
    BagType,
    BoolType,
    ElementType,
    EnumType,
    IntType,
    ListType,
    MapType,
    NeverType,
    OptionalType,
    RecordType,
    SetType,
    Type,
    base_of,
)
from statemachines.notation.expressions.bounds import bounds
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.proving import is_in, is_some, is_within
from statemachines.notation.expressions.terms import same


def is_free(type_: Type) -> bool:
    """Tell whether a type asks nothing beyond its kind."""
    match type_:
        case IntType():
            return type_.low is None and type_.high is None
        case ElementType():
            return False
        case SetType() | ListType() | OptionalType() | BagType():
            return is_free(type_.item)
        case MapType():
            return not type_.total and is_free(type_.key) and is_free(type_.value)
        case RecordType():
            return all(is_free(field) for _, field in type_.fields)
    return True


def loosened(type_: Type) -> Type:
    """Return the kind of a type, with all that must be shown taken off."""
    match type_:
        case IntType():
            return INT
        case ElementType():
            return loosened(type_.base)
        case SetType():
            return SetType(loosened(type_.item))
        case ListType():
            return ListType(loosened(type_.item))
        case OptionalType():
            return OptionalType(loosened(type_.item))
        case MapType():
            return MapType(loosened(type_.key), loosened(type_.value))
        case RecordType():
            return RecordType(type_.name, tuple((name, loosened(field)) for name, field in type_.fields))
    return type_


def promises(actual: Type, declared: Type) -> bool:
    """Tell whether each value of one type is one of another."""
    match declared:
        case ElementType():
            return isinstance(actual, NeverType) or _is_element(actual, declared)
        case OptionalType():
            return promises(actual.item if isinstance(actual, OptionalType) else actual, declared.item)
    actual = base_of(actual)
    match actual, declared:
        case NeverType(), _:
            return True
        case IntType(), IntType():
            return is_inside(actual, declared)
        case SetType(), SetType():
            return promises(actual.item, declared.item)
        case ListType(), ListType():
            return promises(actual.item, declared.item)
        case MapType(), MapType():
            whole = not declared.total or (actual.total and actual.key == declared.key)
            return whole and promises(actual.key, declared.key) and promises(actual.value, declared.value)
        case RecordType(), RecordType():
            return all(promises(mine, theirs) for (_, mine), (_, theirs) in zip(actual.fields, declared.fields, strict=True))
    return is_free(declared)


def _is_element(actual: Type, declared: ElementType) -> bool:
    return isinstance(actual, ElementType) and (same(actual.of, declared.of) or promises(actual.base, declared))


def is_inside(actual: IntType, declared: IntType) -> bool:
    """Tell whether one range is within another."""
    low = declared.low is None or (actual.low is not None and actual.low >= declared.low)
    return low and (declared.high is None or (actual.high is not None and actual.high <= declared.high))


def is_shown(facts: Facts, node: Expression, declared: Type) -> bool:
    """Tell whether a value of the right kind surely is of a type, whatever the state."""
    if promises(node.type, declared):
        return True
    match declared:
        case OptionalType() if is_some(facts, node):
            return is_shown(facts, node, declared.item)
        case IntType():
            return is_inside(bounds(facts, node), declared)
        case ElementType():
            return is_in(facts, node, declared.of)
    if isinstance(node, Conditional):
        yes, no = facts.knowing(node.test), facts.knowing(node.test, truth=False)
        return is_shown(yes, node.yes, declared) and is_shown(no, node.no, declared)
    match declared:
        case SetType():
            return _is_shown_set(facts, node, declared)
        case ListType():
            return _is_shown_list(facts, node, declared)
        case MapType():
            return _is_shown_map(facts, node, declared)
        case RecordType():
            return _is_shown_record(facts, node, declared)
    return False


def _is_shown_set(facts: Facts, node: Expression, declared: SetType) -> bool:
    if isinstance(declared.item, ElementType) and is_within(facts, node, declared.item.of):
        return True
    match node:
        case SetDisplay():
            return all(is_shown(facts, item, declared.item) for item in node.items)
        case Binary(operator="|") | Binary(operator="^"):
            return is_shown(facts, node.left, declared) and is_shown(facts, node.right, declared)
        case Binary(operator="-"):
            return is_shown(facts, node.left, declared)
        case Binary(operator="&"):
            return is_shown(facts, node.left, declared) or is_shown(facts, node.right, declared)
        case Comprehension():
            return is_shown(_inside(facts, node), node.element, declared.item)
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and is_shown(facts, meaning, declared)


def _is_shown_list(facts: Facts, node: Expression, declared: ListType) -> bool:
    match node:
        case ListDisplay():
            return all(is_shown(facts, item, declared.item) for item in node.items)
        case Binary(operator="+"):
            return is_shown(facts, node.left, declared) and is_shown(facts, node.right, declared)
        case Comprehension():
            return is_shown(_inside(facts, node), node.element, declared.item)
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and is_shown(facts, meaning, declared)


def _is_shown_map(facts: Facts, node: Expression, declared: MapType) -> bool:
    """Show the keys (all of them, where it is total), then each value."""
    if declared.total and not _has_every_key(facts, node, declared):
        return False
    return _has_only(facts, node, declared)


def _has_every_key(facts: Facts, node: Expression, declared: MapType) -> bool:
    if isinstance(declared.key, ElementType):
        return is_within(facts, declared.key.of, node)
    match node:
        case Binary(operator="|"):
            return any(_has_every_key(facts, side, declared) for side in (node.left, node.right))
        case MapDisplay() if all(isinstance(key, Literal) for key, _ in node.pairs):
            return {key.value for key, _ in node.pairs if isinstance(key, Literal)} == all_values(declared.key)
    type_ = base_of(node.type)
    if isinstance(type_, MapType) and type_.total:
        return True
    return isinstance(node, Comprehension) and _walks_everything(facts, node, declared)


def all_values(type_: Type) -> frozenset[object]:
    """Return the values of a finite type; none of any other."""
    match type_:
        case BoolType():
            return frozenset([False, True])
        case EnumType():
            return frozenset(type_.members)
        case IntType(int(low), int(high)):
            return frozenset(range(low, high + 1))
    return frozenset()


def _walks_everything(facts: Facts, made: Comprehension, declared: MapType) -> bool:
    """Tell whether a map comprehension walks all values of a finite key type."""
    clause = made.clauses[0]
    if len(made.clauses) > 1 or clause.conditions or made.element != clause.targets[0]:
        return False
    iterable = clause.iterable
    if isinstance(iterable, Call) and iterable.function == "range":
        return isinstance(declared.key, IntType) and _covers(facts, iterable, declared.key)
    type_ = base_of(getattr(iterable, "map", iterable).type)
    if isinstance(type_, MapType):
        return type_.total and base_of(type_.key) == declared.key
    return isinstance(type_, SetType) and type_.item == declared.key and isinstance(getattr(iterable, "value", None), frozenset)


def _covers(facts: Facts, made: Call, key: IntType) -> bool:
    """Tell whether a range surely has all numbers of a finite type."""
    first = bounds(facts, made.arguments[0]) if len(made.arguments) == 2 else IntType(0, 0)
    last = bounds(facts, made.arguments[-1])
    if first.high is None or last.low is None or key.low is None or key.high is None:
        return False
    return first.high <= key.low and last.low > key.high


def _has_only(facts: Facts, node: Expression, declared: MapType) -> bool:
    """Show that each key and each value is of its type."""
    match node:
        case MapDisplay():
            return all(is_shown(facts, key, declared.key) and is_shown(facts, value, declared.value) for key, value in node.pairs)
        case Binary(operator="|"):
            return _has_only(facts, node.left, declared) and _has_only(facts, node.right, declared)
        case Comprehension() if node.value is not None:
            inner = _inside(facts, node)
            return is_shown(inner, node.element, declared.key) and is_shown(inner, node.value, declared.value)
    type_ = base_of(node.type)
    if isinstance(type_, MapType) and promises(type_.value, declared.value):
        of = declared.key.of if isinstance(declared.key, ElementType) else None
        if promises(type_.key, declared.key) or (of is not None and is_within(facts, node, of)):
            return True
    meaning = facts.scope.meaning_of(node)
    return meaning is not None and _has_only(facts, meaning, declared)


def _is_shown_record(facts: Facts, node: Expression, declared: RecordType) -> bool:
    if isinstance(node, Make):
        return all(is_shown(facts, value, type_) for value, (_, type_) in zip(node.values, declared.fields, strict=True))
    if isinstance(node, Replace):
        types, kept = dict(declared.fields), dict(_fields(node.record.type))
        changed = {name: is_shown(facts, value, types[name]) for name, value in node.changes}
        return all(changed[name] if name in changed else promises(kept[name], type_) for name, type_ in declared.fields)
    return False


def _fields(type_: Type) -> tuple[tuple[str, Type], ...]:
    type_ = base_of(type_)
    return type_.fields if isinstance(type_, RecordType) else ()


def _inside(facts: Facts, made: Comprehension) -> Facts:
    for clause in made.clauses:
        facts = facts.inside(clause)
    return facts
