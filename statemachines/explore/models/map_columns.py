"""Which maps are columns, one a key, and what expressions come to once keys are known.

A map of seventeen flags has 131,072 values; seventeen columns have two each. An event that flips
`flag[p]` is asked for each `p` by itself: with `p` given, it looks at one column and writes one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from attrs import frozen

from statemachines.explore.models.row_columns import NO_VALUE
from statemachines.model.definitions.data_definitions import Assignment
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    Call,
    Clause,
    Comparison,
    Comprehension,
    Conditional,
    DefinitionCall,
    Expression,
    ItemAccess,
    Literal,
    Local,
    MapDisplay,
    MapGet,
    Name,
    NameKind,
    rebuild,
)
from statemachines.model.language.value_types import (
    BOOL,
    BoolType,
    EnumType,
    IntType,
    MapType,
    OptionalType,
    SetType,
    Type,
    is_finite,
)
from statemachines.notation.typing.substitution import (
    input_substitution,
    locals_of,
    substitute,
    with_fresh_locals,
)
from statemachines.semantics.evaluation.compiler import used_names
from statemachines.semantics.evaluation.constant_folding import plain_value
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    enumerate_values,
)

MapKeys = Mapping[str, tuple[Value, ...]]
"""Variable to the keys that have a column each."""
NO_KEYS: MapKeys = MappingProxyType({})
MOST_KEYS = 32
"""Keys of a map that is columns."""
MOST_ITEM_VALUES = 64
"""Values of such a column: all of them are numbered before a search begins."""
MOST_INSTANCES = 128
"""Ways to give events the arguments that are keys, all together."""
_ROW_BITS = 62
_MANY = 1 << 62
_UNKNOWN_BITS = 16
"""Bits that are left for a column whose values nobody can count, and for none more than these."""


def map_keys(tables: MachineTables, extent: DomainSizes, copies: int) -> MapKeys:
    """Return the maps of a machine that are columns: those that have all of a few keys, whose
    values can be listed, and that events write key by key.
    """
    data, keys_of = tables.machine.data, dict[str, tuple[Value, ...]]()
    room = _ROW_BITS // copies - (len(tables.states) - 1).bit_length()
    listed = list[tuple[str, tuple[Value, ...], int]]()
    for parameter in data.parameters:
        room -= _column_bits(parameter.type, extent)
    for variable in data.variables:
        keys = _listed_keys(tables, extent, variable.type)
        if keys and isinstance(variable.type, MapType):
            bits = _column_bits(variable.type.value, extent) * len(keys)
            listed.append((variable.name, keys, bits))
        else:
            room -= _column_bits(variable.type, extent)
    for name, keys, bits in listed:
        if bits <= room and _is_written_by_key(tables, extent, name, keys):
            keys_of[name], room = keys, room - bits
    instances = sum(
        len(list(key_arguments(tables, extent, event, keys_of))) for event in tables.events
    )
    return keys_of if instances <= MOST_INSTANCES + len(tables.events) else NO_KEYS


def _listed_keys(
    tables: MachineTables, extent: DomainSizes, type_: Type
) -> tuple[Value, ...] | None:
    """Return the keys of a map that has all of a few, each with one of a few values."""
    if not isinstance(type_, MapType) or not type_.total or not is_finite(type_.key):
        return None
    many, values = (count_values(part, extent) or _MANY for part in (type_.key, type_.value))
    if many > MOST_KEYS or values > MOST_ITEM_VALUES:
        return None
    return listed_values(tables, extent, type_.key)


def listed_values(tables: MachineTables, extent: DomainSizes, type_: Type) -> tuple[Value, ...]:
    """Return all values of a type that lists them itself."""
    nowhere = ValueContext(tables.behaviour, extent, "", {}, {}, {})
    return tuple(enumerate_values(type_, nowhere))


def _column_bits(type_: Type, extent: DomainSizes) -> int:
    size = count_values(type_, extent)
    return _UNKNOWN_BITS if size is None else min((size - 1).bit_length(), _UNKNOWN_BITS)


def count_values(type_: Type, extent: DomainSizes) -> int | None:
    """Return how many values a type has; None where that is not plain."""
    match type_:
        case BoolType():
            return 2
        case EnumType():
            return len(type_.members)
        case IntType():
            low, high = (
                bound if own is None else own
                for own, bound in zip((type_.low, type_.high), extent.integers, strict=True)
            )
            return high - low + 1
        case OptionalType() if (many := count_values(type_.item, extent)) is not None:
            return many + 1
        case SetType() if (many := count_values(type_.item, extent)) is not None:
            return 1 << min(many, _ROW_BITS)
    return None


def _is_written_by_key(
    tables: MachineTables, extent: DomainSizes, variable: str, keys: tuple[Value, ...]
) -> bool:
    """Tell whether every event writes single keys of a map, once it has its arguments."""
    single = {variable: keys}
    for transition in tables.machine.transitions:
        for assignment in () if transition.case is None else transition.case.effect:
            if assignment.variable == variable:
                first = next(key_arguments(tables, extent, transition.event, single))
                if not KeyedExpressions(tables, single, first).is_by_key(assignment):
                    return False
    return True


def key_arguments(
    tables: MachineTables, extent: DomainSizes, event: str, keys: MapKeys
) -> Iterator[dict[str, Value]]:
    """Yield the arguments of an event that are keys of maps which are columns, each way to give
    them; nothing, once, where it has none.
    """
    types = {
        variable.type.key
        for variable in tables.machine.data.variables
        if variable.name in keys and isinstance(variable.type, MapType)
    }
    arguments = [
        argument
        for argument in tables.behaviour.signature(event).arguments
        if argument.type in types
    ]
    values = [listed_values(tables, extent, argument.type) for argument in arguments]
    for chosen in itertools.product(*values):
        yield {argument.name: value for argument, value in zip(arguments, chosen, strict=True)}


class _NotByKeyError(Exception):
    """A map is written as a whole."""


@frozen(eq=False)
class KeyedExpressions:
    """The expressions of an event with some arguments given."""

    tables: MachineTables
    keys: MapKeys
    arguments: Mapping[str, Value]

    def given(self, node: Expression) -> Expression:
        """Return an expression with the arguments put in, and what that makes plain worked out."""
        if not self.keys:
            return node
        by: dict[Expression, Expression] = {
            name: Literal(self.arguments[name.name], type=name.type)
            for name in used_names([node])
            if name.kind is NameKind.ARGUMENT and name.name in self.arguments
        }
        return self._worked_out(substitute(node, by))

    def _worked_out(self, node: Expression) -> Expression:
        """Return an expression with what its literals come to, definitions of literals too."""
        if isinstance(node, Name | Literal | Local):
            return node
        node = rebuild(node, self._worked_out)
        is_known = isinstance(node, DefinitionCall) and all(
            isinstance(argument, Literal) for argument in node.arguments
        )
        if not isinstance(node, DefinitionCall) or not node.arguments or not is_known:
            return plain_value(node)
        definition = next(
            declared
            for declared in self.tables.machine.data.definitions
            if declared.name == node.definition
        )
        body = with_fresh_locals(definition.body, locals_of(definition.body))
        return self._worked_out(substitute(body, input_substitution(node, definition.inputs)))

    def is_by_key(self, assignment: Assignment) -> bool:
        """Tell whether an effect writes single keys of a map."""
        node = self.given(assignment.value)
        try:
            for key in self.keys[assignment.variable]:
                self._item(node, assignment.variable, key)
        except _NotByKeyError:
            return False
        return True

    def new_item(self, assignment: Assignment, key: Value) -> Expression | None:
        """Return what an effect gives a map at a key; None where that stays as it is.

        A map that is written as a whole, and not surely has all keys, gives `NO_VALUE` where it
        has others: whoever looks at its type then sees that some are missing.
        """
        node, keys = self.given(assignment.value), self.keys[assignment.variable]
        try:
            item = self._item(node, assignment.variable, key)
        except _NotByKeyError:
            at = Literal(key, type=BOOL)
            if assignment.proved:
                return ItemAccess(node, at, type=BOOL)
            nothing = Literal(NO_VALUE, type=BOOL)
            size = Call("len", (node,), type=IntType())
            is_whole = Comparison("==", size, Literal(len(keys), type=IntType()), type=BOOL)
            return Conditional(is_whole, MapGet(node, at, nothing, type=BOOL), nothing, type=BOOL)
        return None if self._is_old(item, assignment.variable, key) else item

    def _is_old(self, node: Expression | None, variable: str, key: Value) -> bool:
        match node:
            case ItemAccess(container=Name(kind=NameKind.VARIABLE, name=name), key=Literal() as at):
                return name == variable and at.value == key
        return node is None

    def _item(self, node: Expression, variable: str, key: Value) -> Expression | None:
        """Return what an expression gives a map at a key; None where that stays as it is.

        Raises:
            _NotByKeyError: that is not plain.
        """
        match node:
            case Name(kind=NameKind.VARIABLE, name=name) if name == variable:
                return None
            case BinaryOperation(operator="|", left=left, right=right):
                written = self._displayed(right, variable)
                if key in written:
                    return written[key]
                return self._item(left, variable, key)
            case Conditional(test=test, yes=yes, no=no):
                items = [self._item(branch, variable, key) for branch in (yes, no)]
                if items == [None, None]:
                    return None
                old = ItemAccess(
                    Name(NameKind.VARIABLE, variable, type=node.type),
                    Literal(key, type=BOOL),
                    type=BOOL,
                )
                first, second = (old if item is None else item for item in items)
                return Conditional(test, first, second, type=first.type)
        written = self._displayed(node, variable)
        if key not in written:
            raise _NotByKeyError
        return written[key]

    def _displayed(self, node: Expression, variable: str) -> dict[Value, Expression]:
        """Return the keys and values of a map that is written out, or made key by key.

        Raises:
            _NotByKeyError: it is neither, or has a key that the variable does not have.
        """
        match node:
            case MapDisplay(pairs=pairs):
                items = list(pairs)
            case Comprehension(
                kind="map",
                element=Local() as local,
                value=Expression() as value,
                clauses=(Clause(targets=(target,), iterable=Literal() as every, conditions=()),),
            ) if local == target and isinstance(every.value, frozenset):
                keys = [Literal(key, type=local.type) for key in every.value]
                items = [(key, self._worked_out(substitute(value, {local: key}))) for key in keys]
            case _:
                raise _NotByKeyError
        written = dict[Value, Expression]()
        for key, value in items:
            if not isinstance(key, Literal) or key.value not in self.keys[variable]:
                raise _NotByKeyError
            written[key.value] = value
        return written
