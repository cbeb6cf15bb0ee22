"""Types in TLA+: the set of all values of one, and whether a value is of one."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from statemachines.embed.tla_expressions import TlaWriter
from statemachines.embed.tla_names import atom, record_field, tla_value
from statemachines.model.data import Scope
from statemachines.model.types import (
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

LONGEST = 2
"""Of lists that are drawn, as when exploring."""
SUBSET = "\\subseteq"


@frozen
class TlaTypes:
    """Writes types."""

    writer: TlaWriter
    named: Mapping[str, str]
    """Type of the spec to its name in the module."""
    scope: Scope

    def values(self, type_: Type) -> str:
        """Return the set of all values of a type; integers and lists without end within the scope."""
        known = self.named.get(getattr(type_, "name", ""))
        match type_:
            case EnumType() | IdType() | RecordType() if known is not None:
                return known
            case IntType():
                low, high = self._numbers(type_)
                return f"{low}..{high}"
            case TextType():
                return '{"text"}'
            case ElementType():
                return self.writer.as_set(type_.of)
            case OptionalType():
                return f"{{None}} \\cup {atom(self.values(type_.item))}"
            case ListType():
                return f"UNION {{[1..n -> {self.values(type_.item)}] : n \\in 0..{LONGEST}}}"
        return self.spelled(type_)

    def spelled(self, type_: Type) -> str:
        """Return what a named type is, and what types are made of others."""
        match type_:
            case BoolType():
                return "BOOLEAN"
            case EnumType():
                return f"{{{', '.join(map(tla_value, type_.members))}}}"
            case SetType():
                return f"SUBSET {atom(self.values(type_.item))}"
            case RecordType():
                return f"[{', '.join(f'{record_field(name)} : {self.values(field)}' for name, field in type_.fields)}]"
            case MapType():
                key, value = self.values(type_.key), self.values(type_.value)
                if type_.total:
                    return f"[{key} -> {value}]"
                return f"UNION {{[some -> {value}] : some \\in SUBSET {atom(key)}}}"
        return self.values(type_)

    def _numbers(self, type_: IntType) -> tuple[int, int]:
        low, high = self.scope.integers or (0, 3)
        first = type_.low if type_.low is not None else min(low, type_.high) if type_.high is not None else low
        return first, type_.high if type_.high is not None else max(high, first)

    def fits(self, type_: Type, text: str) -> str:
        """Return the condition that a value is of a type."""
        match type_:
            case IntType() if None in (type_.low, type_.high):
                bounds = [f"{text} >= {type_.low}"] if type_.low is not None else []
                bounds += [f"{text} <= {type_.high}"] if type_.high is not None else []
                return " /\\ ".join((f"{text} \\in Int", *bounds))
            case OptionalType():
                return f"{text} = None \\/ {atom(self.fits(type_.item, text))}"
            case TextType():
                return f"{text} \\in STRING"
            case ListType():
                return self._each(type_.item, f"Range({text})")
            case SetType(item=ElementType()) if _is_plain(type_.item):
                return f"{text} \\subseteq {atom(self.values(type_.item))}"
            case SetType():
                return self._each(type_.item, text)
            case MapType():
                domain = f"DOMAIN {atom(text)}"
                keys = atom(self.values(type_.key))
                return f"{domain} {'=' if type_.total else SUBSET} {keys} /\\ {atom(self._each(type_.value, f'Range({text})'))}"
            case RecordType():
                parts = (atom(self.fits(field, f"{text}.{record_field(name)}")) for name, field in type_.fields)
                return " /\\ ".join(parts)
        return f"{text} \\in {atom(self.values(type_))}"

    def _each(self, item: Type, walked: str) -> str:
        one = self.writer.fresh("each")
        return f"\\A {one} \\in {walked} : {self.fits(item, one)}"


def _is_plain(type_: Type) -> bool:
    return not isinstance(type_, ElementType) or _is_plain(type_.base)
