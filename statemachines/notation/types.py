"""Types of the notation: `0..5`, `set[T]`, `map[K, V]`, `list[T]`, `T?`, declared names, and sets that stand for a type."""

from __future__ import annotations

import re
from collections.abc import Callable

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.suggestions import meant
from statemachines.model.types import (
    BOOL,
    INT,
    TEXT,
    ElementType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    Type,
    WrongType,
    is_finite,
)
from statemachines.notation.expressions.agreement import element_of
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.reader import Written
from statemachines.notation.expressions.reading import read_expression

BASIC: dict[str, Type] = {"bool": BOOL, "int": INT, "text": TEXT}
_RANGE = re.compile(r"(-?\d+)?\s*\.\.\s*(-?\d+)?")
_MADE = re.compile(r"(set|map|list)\s*\[(.*)\]", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")
MOST_CHARACTERS = 2_000

Answer = tuple[Type | None, tuple[Diagnostic, ...]]


def read_type(written: Written, facts: Facts) -> Answer:
    """Read a type.

    Args:
        written: its text and place.
        facts: what is known of the names that a set-valued expression may use; `facts.scope.types` has the declared types.

    Returns:
        The type, None where anything is wrong with it, and what is wrong.
    """
    if len(written.text) > MOST_CHARACTERS:
        return _wrong("SM317", f"this type has {len(written.text):,} characters; the most is {MOST_CHARACTERS:,}", written)
    trimmed = written.part(0, len(written.text))
    text = trimmed.text
    if not text:
        return _wrong("SM313", "a type is missing here", written)
    if text in BASIC or text in facts.scope.types:
        known = BASIC.get(text) or facts.scope.types[text]
        return (None if isinstance(known, WrongType) else known), ()
    if text.endswith("?"):
        return _optional(trimmed, facts)
    if _RANGE.fullmatch(text):
        return _range(trimmed)
    made = _MADE.fullmatch(text)
    if made and _closes_at_end(text, made.start(2) - 1):
        return _made(trimmed, made, facts)
    return _element(trimmed, facts)


def _wrong(code: str, message: str, written: Written, hint: str = "") -> Answer:
    return None, (Diagnostic(code, message, written.place(0, max(len(written.text), 1)), hint),)


def _optional(written: Written, facts: Facts) -> Answer:
    item, found = read_type(written.part(0, len(written.text) - 1), facts)
    if isinstance(item, OptionalType):
        return _wrong("SM313", "a type is optional once", written, "take one `?` off")
    return (None if item is None else OptionalType(item)), found


def _range(written: Written) -> Answer:
    low, high = (None if part is None else int(part) for part in _RANGE.fullmatch(written.text).groups())  # type: ignore[union-attr]
    if low is not None and high is not None and low > high:
        return _wrong("SM313", f"the range `{written.text}` is upside down", written, f"write `{high}..{low}`")
    return IntType(low, high), ()


def _closes_at_end(text: str, opening: int) -> bool:
    """Tell whether the bracket that opens a made type closes as its last character."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] in "[({") - (text[place] in "])}")
        if depth == 0:
            return place == len(text) - 1
    return False


def _made(written: Written, made: re.Match[str], facts: Facts) -> Answer:
    """Read `set[T]`, `list[T]`, `map[K, V]`."""
    kind, wanted = made[1], 2 if made[1] == "map" else 1
    parts = [written.part(start, end) for start, end in _arguments(written.text, made.start(2), made.end(2))]
    if len(parts) != wanted:
        return _wrong("SM313", f"`{kind}` has {wanted} type{'s' * (wanted > 1)} in its brackets, not {len(parts)}", written, _form(kind))
    read = [read_type(part, facts) for part in parts]
    found = tuple(diagnostic for _, diagnostics in read for diagnostic in diagnostics)
    types = [type_ for type_, _ in read if type_ is not None]
    return (_MAKERS[kind](*types) if len(types) == wanted else None), found


def _form(kind: str) -> str:
    return "write `map[K, V]`" if kind == "map" else f"write `{kind}[T]`"


def _arguments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return where the parts between top-level commas begin and end."""
    parts, depth, first = [], 0, start
    for place in range(start, end):
        depth += (text[place] in "[({") - (text[place] in "])}")
        if text[place] == "," and depth == 0:
            parts.append((first, place))
            first = place + 1
    return [*parts, (first, end)]


def _map(key: Type, value: Type) -> Type:
    """Make a map's type: total where its keys are known."""
    return MapType(key, value, total=isinstance(key, ElementType) or is_finite(key))


_MAKERS: dict[str, Callable[..., Type]] = {"set": SetType, "list": ListType, "map": _map}


def _element(written: Written, facts: Facts) -> Answer:
    """Read a set-valued expression that stands for the type of its elements."""
    name = written.text
    if _NAME.fullmatch(name) and "." not in name and name not in facts.scope.all_names():
        names = [*BASIC, *facts.scope.types, *facts.scope.names, "set", "map", "list"]
        return _wrong("SM314", f"type `{name}` is declared nowhere", written, meant(name, names))
    if re.fullmatch(_NAME, name) and "." in name:
        return _wrong("SM314", f"type `{name}` is declared nowhere", written, "`use:` a machine and its states are `Machine.State`")
    typed, found = read_expression(written, facts)
    if typed is None:
        return None, found
    base = element_of(typed.type)
    if isinstance(base, WrongType):
        return None, ()
    if base is None:
        return _wrong("SM313", f"`{name}` is of type `{typed.type}`: no type, and no set that stands for one", written)
    return ElementType(typed, base, name), ()
