"""What a plain scalar means: the core schema of YAML 1.2, in which `on`, `yes` and `no` are texts."""

from __future__ import annotations

import re

from statemachines.notation.nodes import Scalar

_KINDS = (
    ("null", re.compile(r"null|Null|NULL|~|")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")),
    ("float", re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")),
)
_BEGINNINGS = frozenset("nN~tTfF+-.0123456789")
"""First characters of what is no text; nearly all scalars begin otherwise."""


def kind_of(scalar: Scalar) -> str:
    """Return `null`, `bool`, `int`, `float` or `text`.

    >>> from statemachines.model.places import Span
    >>> [kind_of(Scalar(text, Span("", 1, 1))) for text in ("on", "1.0", "", "true")]
    ['text', 'float', 'null', 'bool']
    """
    if scalar.quoted or (scalar.text and scalar.text[0] not in _BEGINNINGS):
        return "text"
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(scalar.text)), "text")


def is_null(scalar: object) -> bool:
    """Tell whether a node is an absent value."""
    return isinstance(scalar, Scalar) and kind_of(scalar) == "null"
