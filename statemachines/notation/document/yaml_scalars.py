"""What a plain scalar means: YAML 1.2's core schema, where `on`, `yes` and `no` are texts."""

from __future__ import annotations

import re

from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)

_SCALAR_PATTERNS = (
    ("null", re.compile(r"null|Null|NULL|~|")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")),
    (
        "float",
        re.compile(
            r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
        ),
    ),
)
_FIRST_CHARACTERS = frozenset("nN~tTfF+-.0123456789")
"""First characters of what is no text; nearly all scalars begin otherwise."""


MOST_DIGITS = 1000
"""Digits of a number in a spec; Python refuses to read many thousands."""


def scalar_kind(scalar: YamlScalar) -> str:
    """Return `null`, `bool`, `int`, `float` or `text`.

    >>> from statemachines.model.diagnosis.diagnostics import Span
    >>> [scalar_kind(YamlScalar(text, Span("", 1, 1))) for text in ("on", "1.0", "", "true")]
    ['text', 'float', 'null', 'bool']

    Args:
        scalar: as it was written.

    Returns:
        The kind by the rules of YAML 1.2; what is quoted is text.
    """
    if scalar.quoted or (scalar.text and scalar.text[0] not in _FIRST_CHARACTERS):
        return "text"
    return next(
        (kind for kind, pattern in _SCALAR_PATTERNS if pattern.fullmatch(scalar.text)), "text"
    )


def is_null(scalar: object) -> bool:
    """Tell whether a node is an absent value.

    Args:
        scalar: a node or None.

    Returns:
        True of an empty scalar and of `null`.
    """
    return isinstance(scalar, YamlScalar) and scalar_kind(scalar) == "null"


def native_text(node: YamlNode) -> str | None:
    """Return how a value of YAML's own is written in an expression; None for what is none.

    >>> from statemachines.model.diagnosis.diagnostics import Span
    >>> here = Span("", 1, 1)
    >>> [native_text(YamlScalar(text, here)) for text in ("true", "+7", "007", "x", "3")]
    ['True', '7', '7', None, '3']
    >>> native_text(YamlSequence((), here)), native_text(YamlMapping((), here))
    ('[]', '{}')

    Args:
        node: as it was written.

    Returns:
        The text of an expression.
    """
    match node:
        case YamlSequence(items=()):
            return "[]"
        case YamlMapping(entries=()):
            return "{}"
        case YamlScalar(text=text) if scalar_kind(node) == "bool":
            return text.capitalize()
        case YamlScalar(text=text) if scalar_kind(node) == "int":
            if len(text) > MOST_DIGITS:
                return text
            return str(int(text, 0 if text[:2] in ("0x", "0o") else 10))
    return None
