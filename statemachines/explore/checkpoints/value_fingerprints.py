"""A mark of values: the same for the same values in every process, another one for others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import attrs


def fingerprint_values(*values: object) -> str:
    """Return the mark of some values; fields that do not count when values are compared do not
    count here.

    >>> fingerprint_values({"a", "b"}) == fingerprint_values({"b", "a"})
    True
    >>> fingerprint_values({"a": 1, "b": 2}) == fingerprint_values({"b": 2, "a": 1})
    True
    >>> fingerprint_values(("a", "b")) == fingerprint_values(("b", "a"))
    False

    Args:
        *values: of attrs classes, collections and plain ones.

    Returns:
        Hexadecimal digits; the same in every process.
    """
    return hashlib.sha256("".join(_canonical_texts(values)).encode()).hexdigest()


def _canonical_texts(value: object) -> Iterator[str]:
    kind: type[Any] = type(value)
    if attrs.has(kind):
        fields = [field.name for field in attrs.fields(kind) if field.eq]
        yield f"{kind.__name__}("
        for name in fields:
            yield f"{name}="
            yield from _canonical_texts(getattr(value, name))
        yield ")"
    elif isinstance(value, frozenset | set):
        yield f"{{{','.join(sorted(''.join(_canonical_texts(item)) for item in value))}}}"
    elif isinstance(value, Mapping):
        yield f"m{len(value)}"
        yield from sorted("".join(_canonical_texts(pair)) for pair in value.items())
    elif isinstance(value, tuple | list):
        yield f"l{len(value)}"
        yield from (text for item in value for text in _canonical_texts(item))
    else:
        yield f"{value!r};"
