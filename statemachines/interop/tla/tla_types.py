"""Types in TLA+: the set of all values of one, and whether a value is of one."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from statemachines.interop.tla.tla_expressions import TlaWriter
from statemachines.interop.tla.tla_names import parenthesised, record_field, tla_value
from statemachines.model.definitions.data_definitions import ScopeDefinition
from statemachines.model.language.value_types import (
    BoolType,
    ElementType,
    EnumType,
    IdType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    Type,
)

_LONGEST_LIST = 2
"""Of lists that are drawn, as when exploring."""
SUBSET = "\\subseteq"


@frozen
class TlaTypeWriter:
    """Writes types."""

    writer: TlaWriter
    named: Mapping[str, str]
    """Type of the spec to its name in the module."""
    scope: ScopeDefinition

    def value_set(self, type_: Type) -> str:
        """Return the set of all values of a type; unbounded integers and lists within the scope.

        Args:
            type_: one of the notation's.

        Returns:
            An expression of TLA+.
        """
        known = self.named.get(getattr(type_, "name", ""))
        match type_:
            case EnumType() | IdType() | RecordType() if known is not None:
                return known
            case IntType():
                low, high = self._integer_bounds(type_)
                return f"{low}..{high}"
            case TextType():
                return '{"text"}'
            case ElementType():
                return self.writer.as_set(type_.set_expression)
            case OptionalType():
                return f"{{None}} \\cup {parenthesised(self.value_set(type_.item))}"
            case ListType():
                return (
                    f"UNION {{[1..n -> {self.value_set(type_.item)}] : n \\in 0..{_LONGEST_LIST}}}"
                )
        return self.type_definition(type_)

    def type_definition(self, type_: Type) -> str:
        """Return what a named type is, and what types are made of others.

        Args:
            type_: one of the notation's.

        Returns:
            An expression of TLA+.
        """
        match type_:
            case BoolType():
                return "BOOLEAN"
            case EnumType():
                return f"{{{', '.join(map(tla_value, type_.members))}}}"
            case SetType():
                return f"SUBSET {parenthesised(self.value_set(type_.item))}"
            case RecordType():
                fields = (
                    f"{record_field(name)} : {self.value_set(field)}"
                    for name, field in type_.fields
                )
                return f"[{', '.join(fields)}]"
            case MapType():
                key, value = self.value_set(type_.key), self.value_set(type_.value)
                if type_.total:
                    return f"[{key} -> {value}]"
                return f"UNION {{[some -> {value}] : some \\in SUBSET {parenthesised(key)}}}"
        return self.value_set(type_)

    def _integer_bounds(self, type_: IntType) -> tuple[int, int]:
        low, high = self.scope.integers or (0, 3)
        first = (
            type_.low
            if type_.low is not None
            else min(low, type_.high)
            if type_.high is not None
            else low
        )
        return first, type_.high if type_.high is not None else max(high, first)

    def membership(self, type_: Type, text: str) -> str:
        """Return the condition that a value is of a type.

        Args:
            type_: one of the notation's.
            text: the value, in TLA+.

        Returns:
            An expression of TLA+.
        """
        match type_:
            case IntType() if None in (type_.low, type_.high):
                bounds = [f"{text} >= {type_.low}"] if type_.low is not None else []
                bounds += [f"{text} <= {type_.high}"] if type_.high is not None else []
                return " /\\ ".join((f"{text} \\in Int", *bounds))
            case OptionalType():
                return f"{text} = None \\/ {parenthesised(self.membership(type_.item, text))}"
            case TextType():
                return f"{text} \\in STRING"
            case ListType():
                return self._every_element(type_.item, f"Range({text})")
            case SetType(item=ElementType()) if _is_plain_element(type_.item):
                return f"{text} \\subseteq {parenthesised(self.value_set(type_.item))}"
            case SetType():
                return self._every_element(type_.item, text)
            case MapType():
                domain = f"DOMAIN {parenthesised(text)}"
                keys = parenthesised(self.value_set(type_.key))
                return (
                    f"{domain} {'=' if type_.total else SUBSET} {keys} /\\"
                    f" {parenthesised(self._every_element(type_.value, f'Range({text})'))}"
                )
            case RecordType():
                parts = (
                    parenthesised(self.membership(field, f"{text}.{record_field(name)}"))
                    for name, field in type_.fields
                )
                return " /\\ ".join(parts)
        return f"{text} \\in {parenthesised(self.value_set(type_))}"

    def _every_element(self, item: Type, walked: str) -> str:
        fresh_name = self.writer.fresh_name("each")
        return f"\\A {fresh_name} \\in {walked} : {self.membership(item, fresh_name)}"


def _is_plain_element(type_: Type) -> bool:
    return not isinstance(type_, ElementType) or _is_plain_element(type_.base)
