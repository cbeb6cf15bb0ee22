"""Types of the notation: `0..5`, `set[T]`, `map[K, V]`, `list[T]`, `T?`, declared names, and sets
that stand for a type.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.value_types import (
    BOOL,
    INT,
    TEXT,
    ElementType,
    ErrorType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    Type,
    is_finite,
)
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.expressions.other_languages import enumeration_hint, type_hint
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.typing.type_agreement import element_type

_BASIC: dict[str, Type] = {"bool": BOOL, "int": INT, "text": TEXT}
_RANGE = re.compile(r"(-?\d+)?\s*\.\.\s*(-?\d+)?")
_NAMED_RANGE = re.compile(r"([^.\[\](){}]*[^.\s\[\](){}])\s*\.\.\s*([^.\[\](){}]*[^.\s\[\](){}])")
_GENERIC_TYPE = re.compile(r"(set|map|list)\s*\[(.*)\]", re.DOTALL)
_DEFAULTED_MAP = re.compile(r"(\s*map\s*\[.*\])\s*else\b", re.DOTALL)
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")
MOST_CHARACTERS = 2_000

ReadType = tuple[Type | None, tuple[Diagnostic, ...]]


def read_type(written: SourceText, facts: Facts) -> ReadType:
    """Read a type.

    Args:
        written: its text and place.
        facts: what is known of the names that a set-valued expression may use; `facts.scope.types`
            has the declared types.

    Returns:
        The type, None where anything is wrong with it, and what is wrong.
    """
    if len(written.text) > MOST_CHARACTERS:
        return _type_error(
            "SM317",
            f"this type has {len(written.text):,} characters; the most is {MOST_CHARACTERS:,}",
            written,
        )
    trimmed = written.part(0, len(written.text))
    text = trimmed.text
    if not text:
        return _type_error("SM313", "a type is missing here", written)
    if text in _BASIC or text in facts.scope.types:
        known = _BASIC.get(text) or facts.scope.types[text]
        return (None if isinstance(known, ErrorType) else known), ()
    if text.endswith("?"):
        return _read_optional(trimmed, facts)
    if _RANGE.fullmatch(text):
        return _read_range(trimmed)
    if "|" in text and (hint := type_hint(text)):
        return _type_error("SM314", f"`{text}` is not a type", trimmed, hint)
    made = _GENERIC_TYPE.fullmatch(text)
    if made and _closes_at_end(text, made.start(2) - 1):
        return _read_generic(trimmed, made, facts)
    return _read_element_type(trimmed, facts)


def split_default(written: SourceText) -> tuple[SourceText, SourceText | None]:
    """Cut `map[K, V] else D` into the type and the text of what a key without a value has.

    >>> from statemachines.model.diagnosis.diagnostics import Span
    >>> kind, default = split_default(SourceText("map[int, int] else 0", Span("", 1, 1)))
    >>> kind.text, default.text if default else None
    ('map[int, int]', '0')

    Args:
        written: the text of a type.

    Returns:
        The two texts; None for the second without a default.
    """
    made = _DEFAULTED_MAP.match(written.text)
    if made is None or not _closes_at_end(made[1], made[1].index("[")):
        return written, None
    return written.part(0, made.end(1)), written.part(made.end(), len(written.text))


def _type_error(
    code: str, message: str, written: SourceText, hint: str = "", *, undeclared: str = ""
) -> ReadType:
    span = written.span_at(0, max(len(written.text), 1))
    return None, (Diagnostic(code, message, span, hint, undeclared=undeclared),)


def _read_optional(written: SourceText, facts: Facts) -> ReadType:
    item, diagnostics = read_type(written.part(0, len(written.text) - 1), facts)
    if isinstance(item, OptionalType):
        return _type_error("SM313", "a type can be optional only once", written, "remove one `?`")
    return (None if item is None else OptionalType(item)), diagnostics


def _read_range(written: SourceText) -> ReadType:
    match = _RANGE.fullmatch(written.text)
    assert match is not None
    low, high = (None if part is None else int(part) for part in match.groups())
    if low is not None and high is not None and low > high:
        return _type_error(
            "SM313", f"the range `{written.text}` is upside down", written, f"write `{high}..{low}`"
        )
    return IntType(low, high), ()


def _closes_at_end(text: str, opening: int) -> bool:
    """Tell whether the bracket that opens a made type closes as its last character."""
    depth = 0
    for index in range(opening, len(text)):
        depth += (text[index] in "[({") - (text[index] in "])}")
        if depth == 0:
            return index == len(text) - 1
    return False


def _read_generic(written: SourceText, made: re.Match[str], facts: Facts) -> ReadType:
    """Read `set[T]`, `list[T]`, `map[K, V]`."""
    kind, wanted = made[1], 2 if made[1] == "map" else 1
    parts = [
        written.part(start, end)
        for start, end in _argument_spans(written.text, made.start(2), made.end(2))
    ]
    if len(parts) != wanted:
        return _type_error(
            "SM313",
            f"`{kind}` has {wanted} type{'s' * (wanted > 1)} in its brackets, not {len(parts)}",
            written,
            _generic_form(kind),
        )
    read = [read_type(part, facts) for part in parts]
    problems = tuple(diagnostic for _, diagnostics in read for diagnostic in diagnostics)
    types = [type_ for type_, _ in read if type_ is not None]
    return (_GENERIC_TYPES[kind](*types) if len(types) == wanted else None), problems


def _generic_form(kind: str) -> str:
    return "write `map[K, V]`" if kind == "map" else f"write `{kind}[T]`"


def _argument_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return where the parts between top-level commas begin and end."""
    parts, depth, first = [], 0, start
    for index in range(start, end):
        depth += (text[index] in "[({") - (text[index] in "])}")
        if text[index] == "," and depth == 0:
            parts.append((first, index))
            first = index + 1
    return [*parts, (first, end)]


def _map_type(key: Type, value: Type) -> Type:
    """Make a map's type: total where its keys are known."""
    return MapType(key, value, total=isinstance(key, ElementType) or is_finite(key))


_GENERIC_TYPES: dict[str, Callable[..., Type]] = {
    "set": SetType,
    "list": ListType,
    "map": _map_type,
}


def _range_call(low: str, high: str) -> str:
    """Write bounds, the upper one included, as a call of `range`.

    >>> _range_call("0", "n - 1"), _range_call("1", "n"), _range_call("0", "n")
    ('range(n)', 'range(1, n + 1)', 'range(n + 1)')
    """
    less = re.fullmatch(r"(.+?)\s*-\s*1", high)
    end = less[1] if less else f"{high} + 1"
    return f"range({end})" if low == "0" else f"range({low}, {end})"


def _foreign_hint(text: str, facts: Facts) -> str:
    """Say how a type of another language is written; nothing where a name in it is known."""
    words = re.findall(r"[A-Za-z_]\w*", text)
    if any(word in facts.scope.names or word in facts.scope.definitions for word in words):
        return ""
    return type_hint(text) or enumeration_hint(text)


def _read_element_type(written: SourceText, facts: Facts) -> ReadType:
    """Read a set-valued expression that stands for the type of its elements."""
    name = written.text
    if _TYPE_NAME.fullmatch(name) and "." not in name and name not in facts.scope.all_names():
        names = [*_BASIC, *facts.scope.types, *facts.scope.names, "set", "map", "list"]
        hint = type_hint(name) or nearest_hint(name, names)
        message = f"type `{name}` is not declared"
        return _type_error("SM314", message, written, hint, undeclared=name)
    if hint := _foreign_hint(name, facts):
        return _type_error("SM314", f"`{name}` is not a type", written, hint)
    if re.fullmatch(_TYPE_NAME, name) and "." in name:
        return _type_error(
            "SM314",
            f"type `{name}` is not declared",
            written,
            "`use:` a machine and its states are `Machine.State`",
        )
    if bounds := _NAMED_RANGE.fullmatch(name):
        low, high = bounds.groups()
        return _type_error(
            "SM313",
            f"`{name}` is no range: the bounds of a range are numbers",
            written,
            f"`{_range_call(low.strip(), high.strip())}` is the set of these numbers, and a type",
        )
    typed, diagnostics = read_expression(written, facts)
    if typed is None:
        return None, diagnostics
    base = element_type(typed.type)
    if isinstance(base, ErrorType):
        return None, ()
    if base is None:
        return _type_error(
            "SM313",
            f"`{name}` is of type `{typed.type}`: no type, and no set that stands for one",
            written,
        )
    return ElementType(typed, base, name), ()
