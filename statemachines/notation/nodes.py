"""A YAML document as nodes that know where they were written."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field, frozen

from statemachines.model.places import Span


@frozen
class Scalar:
    """A text, quoted or plain."""

    text: str
    span: Span
    quoted: bool = False
    raw: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """Its lines in the file, from its first character on, where they are not the text itself: escapes, several lines."""


@frozen
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    span: Span

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)


@frozen
class Mapping:
    """Keys and values in the author's order."""

    entries: tuple[tuple[Scalar, Node], ...]
    span: Span
    _by_text: dict[str, tuple[Scalar, Node]] = field(init=False, eq=False, repr=False)

    @_by_text.default
    def _first_of_each(self) -> dict[str, tuple[Scalar, Node]]:
        return {name.text: (name, value) for name, value in reversed(self.entries)}

    def get(self, key: str) -> Node | None:
        """Return the value of a key; None where it is absent."""
        entry = self._by_text.get(key)
        return entry[1] if entry else None

    def key(self, key: str) -> Scalar | None:
        """Return a key as it was written; None where it is absent."""
        entry = self._by_text.get(key)
        return entry[0] if entry else None


Node = Scalar | Sequence | Mapping


def items_of(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a list, or the node itself as the only one; none where it is absent."""
    if node is None:
        return ()
    return node.items if isinstance(node, Sequence) else (node,)


def text_of(node: Node | None, default: str = "") -> str:
    """Return the text of a scalar, the default where it is none."""
    return node.text if isinstance(node, Scalar) else default


def texts_of(node: Node | None) -> tuple[str, ...]:
    """Return the texts of a scalar or of a list of scalars."""
    return tuple(item.text for item in items_of(node) if isinstance(item, Scalar))


def is_true(node: Node | None) -> bool:
    """Tell whether a node is the plain scalar `true`."""
    return isinstance(node, Scalar) and not node.quoted and node.text in ("true", "True", "TRUE")


def flow_text(node: Node) -> str:
    """Write a node as YAML would have it on one line: what a person most likely typed.

    >>> flow_text(Mapping(((Scalar("t for t in ready", Span("", 1, 1)), Scalar("", Span("", 1, 1))),), Span("", 1, 1)))
    '{t for t in ready}'
    """
    if isinstance(node, Scalar):
        return f"'{node.text}'" if node.quoted else node.text
    if isinstance(node, Sequence):
        return f"[{', '.join(map(flow_text, node.items))}]"
    entries = ((flow_text(key), flow_text(value)) for key, value in node.entries)
    return "{" + ", ".join(f"{key}: {value}" if value else key for key, value in entries) + "}"
