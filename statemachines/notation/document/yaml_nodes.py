"""A YAML document as nodes that know where they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import field, frozen

from statemachines.model.diagnosis.diagnostics import Span


@frozen
class YamlScalar:
    """A text, quoted or plain."""

    text: str
    span: Span
    quoted: bool = False
    raw: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Its lines in the file, from its first character on, where they are not the text itself:
    escapes, several lines.
    """


@frozen
class YamlSequence:
    """A list."""

    items: tuple[YamlNode, ...]
    span: Span

    def __iter__(self) -> Iterator[YamlNode]:
        return iter(self.items)


@frozen
class YamlMapping:
    """Keys and values in the author's order."""

    entries: tuple[tuple[YamlScalar, YamlNode], ...]
    span: Span
    _by_text: dict[str, tuple[YamlScalar, YamlNode]] = field(init=False, eq=False, repr=False)

    @_by_text.default
    def _first_entry_by_text(self) -> dict[str, tuple[YamlScalar, YamlNode]]:
        return {name.text: (name, value) for name, value in reversed(self.entries)}

    def get(self, key: str) -> YamlNode | None:
        """Return the value of a key; None where it is absent.

        Args:
            key: as a document writes it.

        Returns:
            The node.
        """
        entry = self._by_text.get(key)
        return entry[1] if entry else None

    def key_scalar(self, key: str) -> YamlScalar | None:
        """Return a key as it was written; None where it is absent.

        Args:
            key: as a document writes it.

        Returns:
            The key with its place.
        """
        entry = self._by_text.get(key)
        return entry[0] if entry else None


YamlNode = YamlScalar | YamlSequence | YamlMapping


def node_items(node: YamlNode | None) -> tuple[YamlNode, ...]:
    """Return the items of a list, or the node itself as the only one; none where it is absent.

    Args:
        node: of a document; None where it is absent.

    Returns:
        Nodes in their order.
    """
    if node is None:
        return ()
    return node.items if isinstance(node, YamlSequence) else (node,)


def node_text(node: YamlNode | None, default: str = "") -> str:
    """Return the text of a scalar, the default where it is none.

    Args:
        node: of a document; None where it is absent.
        default: in place of what is no scalar.

    Returns:
        The text as it was written.
    """
    return node.text if isinstance(node, YamlScalar) else default


def node_texts(node: YamlNode | None) -> tuple[str, ...]:
    """Return the texts of a scalar or of a list of scalars.

    Args:
        node: of a document; None where it is absent.

    Returns:
        Texts in their order; other nodes are passed over.
    """
    return tuple(item.text for item in node_items(node) if isinstance(item, YamlScalar))


def is_true(node: YamlNode | None) -> bool:
    """Tell whether a node is the plain scalar `true`.

    Args:
        node: of a document; None where it is absent.

    Returns:
        False of a quoted one, too.
    """
    return (
        isinstance(node, YamlScalar) and not node.quoted and node.text in ("true", "True", "TRUE")
    )


def flow_text(node: YamlNode) -> str:
    """Write a node as YAML would have it on one line: what a person most likely typed.

    >>> here = Span("", 1, 1)
    >>> pair = YamlScalar("t for t in ready", here), YamlScalar("", here)
    >>> flow_text(YamlMapping((pair,), here))
    '{t for t in ready}'

    Args:
        node: of a document; None where it is absent.

    Returns:
        One line.
    """
    if isinstance(node, YamlScalar):
        return f"'{node.text}'" if node.quoted else node.text
    if isinstance(node, YamlSequence):
        return f"[{', '.join(map(flow_text, node.items))}]"
    entries = ((flow_text(key), flow_text(value)) for key, value in node.entries)
    return "{" + ", ".join(f"{key}: {value}" if value else key for key, value in entries) + "}"


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
