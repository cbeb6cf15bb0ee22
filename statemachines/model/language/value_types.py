"""The types of a machine's data, as values."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field

from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.values import frozen


@frozen
class BoolType:
    """True or False; no number."""

    def __str__(self) -> str:
        return "bool"


@frozen
class IntType:
    """Whole numbers; a bound of None is open."""

    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        if self.low is None and self.high is None:
            return "int"
        return f"{'' if self.low is None else self.low}..{'' if self.high is None else self.high}"


@frozen
class EnumType:
    """One of some names; its values are `str`."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@frozen
class WordsType:
    """Quoted members whose enumeration the context has not told."""

    members: frozenset[str]

    def __str__(self) -> str:
        return " or ".join(f"'{member}'" for member in sorted(self.members))


@frozen
class IdType:
    """Opaque names: equal or not, nothing else; any hashable value."""

    name: str

    def __str__(self) -> str:
        return self.name


@frozen
class TextType:
    """Carried and printed, never computed with."""

    def __str__(self) -> str:
        return "text"


@frozen
class NeverType:
    """Type of the elements of an empty display; fits every type."""

    def __str__(self) -> str:
        return "nothing"


@frozen
class ErrorType:
    """Type of an expression that was already reported; fits everything and is reported no more."""

    def __str__(self) -> str:
        return "unknown"


@frozen
class SetType:
    """A finite set; its values are frozensets."""

    item: Type

    def __str__(self) -> str:
        return f"set[{self.item}]"


@frozen
class ListType:
    """A finite list; its values are tuples."""

    item: Type

    def __str__(self) -> str:
        return f"list[{self.item}]"


@frozen
class BagType:
    """What `m.values()` gives: counted, without order; never a value of its own."""

    item: Type

    def __str__(self) -> str:
        return f"values of {self.item}"


@frozen
class PairsType:
    """What `m.items()` gives: walked by `for k, v in`, never a value of its own."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"items of map[{self.key}, {self.value}]"


@frozen
class MapType:
    """A finite map; its values are `FrozenMap`."""

    key: Type
    value: Type
    total: bool = False
    """Whether it has every value of its key type."""

    def __str__(self) -> str:
        return f"map[{self.key}, {self.value}]"


@frozen
class OptionalType:
    """A value or None."""

    item: Type

    def __str__(self) -> str:
        return "None" if isinstance(self.item, NeverType) else f"{self.item}?"


@frozen
class RecordType:
    """Named fields; its values are named tuples."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return self.name

    def get(self, name: str) -> Type | None:
        """Return the type of a field; None where there is no such field.

        Args:
            name: of the field.

        Returns:
            Its type, or None.
        """
        return dict(self.fields).get(name)


@frozen
class ElementType:
    """An element of a set-valued expression that stands for a type."""

    set_expression: Expression
    base: Type
    text: str = field(eq=False)
    """The expression as it was written."""

    def __str__(self) -> str:
        return self.text


Type = (
    BoolType
    | IntType
    | EnumType
    | WordsType
    | IdType
    | TextType
    | NeverType
    | ErrorType
    | SetType
    | ListType
    | BagType
    | PairsType
    | MapType
    | OptionalType
    | RecordType
    | ElementType
)

FiniteType = IntType | EnumType | IdType
"""Of what values may stand for those of an `id` type; a whole number has both bounds."""


@frozen
class Expression:
    """A typed expression: its type may again be the elements of an expression, so it stands here;
    what it may be made of is in `expression_nodes`.
    """

    type: Type = field(eq=False, kw_only=True)
    span: Span | None = field(default=None, eq=False, repr=False, kw_only=True)


BOOL = BoolType()
INT = IntType()
TEXT = TextType()
NEVER = NeverType()
ERROR_TYPE = ErrorType()
NONE = OptionalType(NEVER)


def base_type(type_: Type) -> Type:
    """Return a type without the set that stands for it: the elements of `created` are Tasks.

    Args:
        type_: one of the notation's.

    Returns:
        The type of the elements, or the type itself.
    """
    while isinstance(type_, ElementType):
        type_ = type_.base
    return type_


def nested_types(type_: Type, *, of_elements: bool = True) -> Iterator[Type]:
    """Yield a type and all types that it is made of, each before its parts.

    Args:
        type_: one of the notation's.
        of_elements: whether the types of elements of a set of the moment are among them.

    Yields:
        Types.
    """
    yield type_
    match type_:
        case ElementType() if of_elements:
            yield from nested_types(type_.base)
        case SetType() | ListType() | BagType() | OptionalType():
            yield from nested_types(type_.item, of_elements=of_elements)
        case MapType():
            yield from nested_types(type_.key, of_elements=of_elements)
            yield from nested_types(type_.value, of_elements=of_elements)
        case RecordType():
            for _, part in type_.fields:
                yield from nested_types(part, of_elements=of_elements)


def is_finite(type_: Type) -> bool:
    """Tell whether a type names all of its values itself.

    Args:
        type_: one of the notation's.

    Returns:
        Whether they can be listed without a scope.
    """
    return isinstance(type_, BoolType | EnumType) or (
        isinstance(type_, IntType) and None not in (type_.low, type_.high)
    )
