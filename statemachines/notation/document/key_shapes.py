"""The shapes that a node may have: a small language in which `keys` writes the notation down once,
for the reader and for the schema.
"""

from __future__ import annotations

from attrs import frozen

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
"""What names match."""
NAME_RULE = "a name has letters, digits and `_`, and does not begin with a digit"


@frozen
class TextShape:
    """A scalar that YAML reads as text."""

    choices: tuple[str, ...] = ()
    pattern: str | None = None
    """A regular expression that all of it matches."""
    label: str = "a text"
    """How messages call it."""
    code: str = "SM115"
    """Of a text that does not fit."""
    unit: str = ""
    """What a number alone lacks to be one."""
    rule: str = ""
    """How such a text is written, for who wrote another; where empty, the nearest word is named."""


@frozen
class FlagShape:
    """`true` or `false`."""


@frozen
class NumberShape:
    """One whole number, or it with minor versions behind it."""

    value: int
    minors: tuple[float, ...] = ()


@frozen
class ExpressionShape:
    """An expression or a type: any scalar; where a list is, entries of `in` and `is`."""

    native: bool = True
    """Whether YAML's own `true`, numbers, `[]` and `{}` are the values that they look like; else
    they are texts.
    """


@frozen
class EmptyShape:
    """An absent value."""


@frozen
class ListShape:
    """A list of things of one shape, at least one where `may_be_empty` does not say otherwise."""

    item: Shape
    may_be_empty: bool = False
    """Whether none says the same as leaving the key out."""


@frozen
class MappingKey:
    """A key that a mapping may have."""

    name: str
    shape: Shape
    doc: str = ""
    required: bool = False


@frozen
class MappingShape:
    """A mapping with known keys."""

    keys: tuple[MappingKey, ...]
    label: str = "a mapping"

    def key_named(self, name: str) -> MappingKey | None:
        """Return the key of this name.

        Args:
            name: as a document writes it.

        Returns:
            None where the mapping has no such key.
        """
        return next((key for key in self.keys if key.name == name), None)


@frozen
class NamesShape:
    """A mapping from names that the author chooses."""

    value: Shape
    pattern: str = NAME
    each_pattern: str = ""
    """Keys below which such a mapping stands once more: for each value of something."""
    label: str = "a name"
    """How messages call one of them."""
    rule: str = NAME_RULE
    """How one is written."""


@frozen
class AlternativeShapes:
    """One of several shapes, told apart by what the node is: a scalar, a list (of mappings, or of
    other things) or a mapping.
    """

    shapes: tuple[Shape, ...]


Shape = (
    TextShape
    | FlagShape
    | NumberShape
    | ExpressionShape
    | EmptyShape
    | ListShape
    | MappingShape
    | NamesShape
    | AlternativeShapes
)
