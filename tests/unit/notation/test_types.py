"""Types as they are written, and what stands for one.

Covers: statemachines.model.language.value_types.
"""

from __future__ import annotations

import pytest

from statemachines.model.language.value_types import (
    ElementType,
    EnumType,
    IdType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    Type,
)
from statemachines.notation.data.type_reader import read_type
from statemachines.notation.proofs.facts import Facts
from tests.expression_worlds import COLOUR, ITEM, WORLD, written


def read(text: str) -> Type:
    """Read a type that must be right."""
    type_, found = read_type(written(text), Facts(WORLD))
    assert type_ is not None, found
    return type_


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0..5", IntType(0, 5)),
        ("-3..3", IntType(-3, 3)),
        ("0..", IntType(0, None)),
        ("Item", ITEM),
        (" set[ Item ] ", SetType(ITEM)),
        ("Item?", OptionalType(ITEM)),
        ("list[Item?]", ListType(OptionalType(ITEM))),
        ("map[Item, set[Colour]]", MapType(ITEM, SetType(COLOUR))),
        ("map[Colour, 0..5]", MapType(COLOUR, IntType(0, 5), total=True)),
        (
            "map[bool, map[0..1, Item]]",
            MapType(read("bool"), MapType(IntType(0, 1), ITEM, total=True), total=True),
        ),
    ],
)
def test_a_type_is_read(text: str, expected: Type) -> None:
    """A map is total where its key type names all of its values."""
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "stock",
        "stock - sold",
        "set(place)",
        "{i for i in queue if i != item}",
        "place",
        "stock | {item}",
    ],
)
def test_a_set_stands_for_the_type_of_its_elements(text: str) -> None:
    """`task: created` is an element of `created` at that moment."""
    element = read(text)
    assert isinstance(element, ElementType)
    assert (element.base, str(element)) in ((ITEM, text), (element.base, text))
    keyed = read(f"map[{text}, 0..1]")
    assert isinstance(keyed, MapType)
    assert keyed.total


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "SM313"),
        ("5..0", "SM313"),
        ("Item??", "SM313"),
        ("set[Item, Item]", "SM313"),
        ("map[Item]", "SM313"),
        ("count", "SM313"),
        ("Itm", "SM314"),
        ("set[Itm]", "SM314"),
        ("Task.State", "SM314"),
        ("stokc - sold", "SM303"),
        ("set[", "SM301"),
        ("x" * 3000, "SM317"),
    ],
)
def test_what_is_no_type_gets_a_message(text: str, code: str) -> None:
    """The same quality of messages as for expressions."""
    type_, found = read_type(written(text), Facts(WORLD))
    assert type_ is None
    assert found[0].code == code


def test_types_are_written_as_they_are_read() -> None:
    """Messages quote types."""
    for text in ("set[Item]", "map[stock, 0..5]", "list[Colour]", "Item?", "0..", "bool", "text"):
        assert str(read(text)) == text


def test_kinds_are_values() -> None:
    """Equal declarations are equal types, wherever they were read."""
    assert EnumType("A", ("x",)) == EnumType("A", ("x",))
    assert IdType("A") != IdType("B")
