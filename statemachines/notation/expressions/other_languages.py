"""What people write who come from other languages, and what it is in this one."""

from __future__ import annotations

import re

from statemachines.model.language.value_types import ListType, MapType, SetType, Type

FOREIGN_OPERATORS = {
    "&&": "`and`",
    "||": "`or`",
    "/\\": "`and`",
    "\\/": "`or`",
    "\\A": "`all(… for x in s)`",
    "\\E": "`any(… for x in s)`",
    "\\in": "`in`",
    "~>": "it as a promise: `leads to: {name: {when: …, then: …}}`",
    "<>": "`!=`",
    "<=>": "`==`",
    "==>": "`implies(a, b)`",
    "=<": "`<=`",
    "=>": "`>=`, or `implies(a, b)`",
    "->": "`implies(a, b)`",
    "?": "`x if c else y`",
}
"""Operators of others, to what is written here; those that hold others stand first."""
_GENERAL = "expressions are Python's: `a and b`, `x in s`, `y if c else z`, `{t for t in s if c}`"
_SHAPES = (
    (re.compile(r"\b\w+'(?!\w)"), "the new value has no sign; the old one is `before.x`"),
    (re.compile(r"[“”‘’]"), "quotes are `'`, of one kind"),
    (re.compile(r"\bif\b.*\bthen\b"), "write `x if c else y`"),
    (re.compile(r"\b(?:forall|for all|every)\b"), "write `all(… for x in s)`"),
    (re.compile(r"\b(?:exists|some)\b"), "write `any(… for x in s)`"),
    (re.compile(r"\bimplies \b"), "write `implies(a, b)`"),
    (re.compile(r"\+\+|--"), "an effect says the new value: `n + 1`"),
)
"""What a text that cannot be read looks like, with what was meant."""
_QUOTED = re.compile(r"(?<!\w)'[^']*'")
_FUNCTIONS = {
    **dict.fromkeys(("exists", "some", "anyOf"), "write `any(… for x in s)`"),
    **dict.fromkeys(("forall", "every", "allOf"), "write `all(… for x in s)`"),
    **dict.fromkeys(("Cardinality", "Len", "length", "size", "count", "card"), "write `len(s)`"),
    **dict.fromkeys(
        ("old", "prev", "previous", "pre"),
        "the value before the step is `before.x`, in `each step`",
    ),
    "abs": "write `max(n, -n)`",
    "Not": "write `not`",
}
_METHODS: dict[type[Type], dict[str, str]] = {
    ListType: {
        **dict.fromkeys(("append", "push", "add", "enqueue", "put"), "{owner} + [{item}]"),
        **dict.fromkeys(("popleft", "dequeue", "shift", "pop_front", "tail"), "{owner}[1:]"),
        "pop": "{owner}[1:]` or `{owner}[:len({owner}) - 1]",
        **dict.fromkeys(("extend", "concat"), "{owner} + {item}"),
    },
    SetType: {
        **dict.fromkeys(("add", "insert", "append", "put"), "{owner} | {{{item}}}"),
        **dict.fromkeys(("remove", "discard", "delete", "erase"), "{owner} - {{{item}}}"),
        **dict.fromkeys(("union", "update"), "{owner} | {item}"),
        "difference": "{owner} - {item}",
        "intersection": "{owner} & {item}",
        **dict.fromkeys(("issubset", "isSubsetOf"), "{owner} <= {item}"),
    },
    MapType: {
        **dict.fromkeys(("put", "set", "update", "insert", "add"), "{owner} | {{{item}: …}}"),
        **dict.fromkeys(
            ("pop", "remove", "delete"),
            "{{k: v for k, v in {owner}.items() if k != {item}}}",
        ),
    },
}
_OF_ALL = {
    **dict.fromkeys(
        ("contains", "includes", "has", "containsKey", "has_key", "member"), "{item} in {owner}"
    ),
    **dict.fromkeys(("size", "length", "count", "len"), "len({owner})"),
    **dict.fromkeys(("isEmpty", "is_empty", "empty"), "len({owner}) == 0"),
}
_TYPES = {
    **dict.fromkeys(
        ("float", "double", "real", "number", "decimal"),
        "numbers are whole: `int`, or a range such as `0..9`",
    ),
    **dict.fromkeys(("Int", "Nat", "long", "short", "uint", "Integer"), "write `int`, or `0..`"),
    **dict.fromkeys(
        ("string", "str", "String", "char"),
        "words that matter are an enumeration under `types`: `[red, green]`",
    ),
    **dict.fromkeys(("boolean", "Boolean", "BOOLEAN", "Bool"), "write `bool`"),
    **dict.fromkeys(("list", "array", "seq", "queue", "List", "Seq"), "write `list[T]`"),
    **dict.fromkeys(("set", "Set"), "write `set[T]`"),
    **dict.fromkeys(("map", "dict", "Map", "Dict", "object"), "write `map[K, V]`"),
    **dict.fromkeys(("any", "Any", "Object"), "name the values that there may be"),
}
_GENERICS = re.compile(r"(\w+)\s*[\[<](.*)[\]>]", re.DOTALL)
_GENERIC_WORDS = {
    **dict.fromkeys(("List", "Array", "Seq", "Sequence", "Vec", "seq", "array", "queue"), "list"),
    **dict.fromkeys(("Set", "FrozenSet", "frozenset"), "set"),
    **dict.fromkeys(("Map", "Dict", "dict", "HashMap", "Mapping", "Record"), "map"),
}
_MEMBERS = re.compile(
    r"(?:enum\b)?\s*[\[({]?\s*(['\"]?\w+['\"]?(?:\s*[,|]\s*['\"]?\w+['\"]?)+)\s*[])}]?"
)


def syntax_hint(text: str) -> str:
    """Return what was meant by a text that is no expression.

    Args:
        text: as the spec has it.

    Returns:
        A hint; how expressions are written, where nothing is known of it.
    """
    hidden = _QUOTED.sub("_", text)
    return next((hint for shape, hint in _SHAPES if shape.search(hidden)), _GENERAL)


def function_hint(name: str) -> str:
    """Return what another language's function is here; nothing where none is known.

    Args:
        name: of the function.

    Returns:
        A hint, or the empty text.
    """
    return _FUNCTIONS.get(name, "")


def method_hint(type_: Type, owner: str, name: str, item: str = "x") -> str:
    """Return how what another language has a method or a property for is written.

    Args:
        type_: of the value.
        owner: the value's text.
        name: of the method.
        item: the text of its argument.

    Returns:
        A hint, or the empty text.
    """
    words = {**_OF_ALL, **_METHODS.get(type(type_), {})}
    written = words.get(name, "").format(owner=owner, item=item or "x")
    return f"write `{written}`" if written else ""


def type_hint(text: str) -> str:
    """Return how another language's type is written.

    Args:
        text: of a type that there is not.

    Returns:
        A hint, or the empty text.
    """
    if text in _TYPES:
        return _TYPES[text]
    if text.endswith("[]"):
        return f"write `list[{text[:-2]}]`"
    if dots := re.fullmatch(r"\(?\[?\s*(-?\d+)\s*(?:\.{3,}|-|,|to)\s*(-?\d+)\s*\]?\)?", text):
        return f"write `{dots[1]}..{dots[2]}`"
    if optional := re.fullmatch(r"(?:Optional\s*[\[<](.*)[\]>]|(.*?)\s*\|\s*(?:None|null))", text):
        return f"write `{optional[1] or optional[2]}?`"
    generic = _GENERICS.fullmatch(text)
    word = _GENERIC_WORDS.get(generic[1], "") if generic else ""
    return f"write `{word}[{generic[2]}]`" if generic and word else ""


def enumeration_hint(text: str) -> str:
    """Return how an enumeration is written that another language would write so.

    Args:
        text: such as `{red, green}`, `red | green`.

    Returns:
        A hint, or the empty text.
    """
    named = _MEMBERS.fullmatch(text.strip())
    if named is None:
        return ""
    members = ", ".join(re.findall(r"\w+", named[1]))
    return f"an enumeration is a list, without quotes around it: `[{members}]`"
