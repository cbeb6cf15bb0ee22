"""The shapes that a node may have: a small language in which `keys` writes the notation down once, for the reader and for the schema."""

from __future__ import annotations

from attrs import frozen

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
"""What names match."""


@frozen
class Text:
    """A scalar that YAML reads as text."""

    choices: tuple[str, ...] = ()
    pattern: str | None = None
    """A regular expression that all of it matches."""
    called: str = "a text"
    """How messages call it."""
    code: str = "SM115"
    """Of a text that does not fit."""


@frozen
class Flag:
    """`true` or `false`."""


@frozen
class Number:
    """One whole number."""

    only: int


@frozen
class Expression:
    """An expression or a type: any scalar; where a list is, entries of `in` and `is`."""


@frozen
class Nothing:
    """An absent value."""


@frozen
class Listed:
    """A list of things of one shape, at least one."""

    item: Shape


@frozen
class Key:
    """A key that a mapping may have."""

    name: str
    shape: Shape
    doc: str = ""
    required: bool = False


@frozen
class Keys:
    """A mapping with known keys."""

    keys: tuple[Key, ...]
    called: str = "a mapping"

    def named(self, name: str) -> Key | None:
        """Return the key of this name."""
        return next((key for key in self.keys if key.name == name), None)


@frozen
class Names:
    """A mapping from names that the author chooses."""

    value: Shape
    pattern: str = NAME


@frozen
class Either:
    """One of several shapes, told apart by what the node is: a scalar, a list (of mappings, or of other things) or a mapping."""

    shapes: tuple[Shape, ...]


Shape = Text | Flag | Number | Expression | Nothing | Listed | Keys | Names | Either
