"""A YAML document as nodes that know where they were written."""

from __future__ import annotations

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
