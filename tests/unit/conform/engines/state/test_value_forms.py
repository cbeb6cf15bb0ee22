"""The form of values that are kept: another field, another type or another column is another form."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import pytest
from attrs import frozen

from statemachines.conform.engines.follow.pipe_window import PipeWindow
from statemachines.conform.engines.spark.streaming.streamed_files import (
    StreamedFile,
    StreamedLine,
    StreamedNews,
)
from statemachines.conform.engines.state import packed_values, value_forms
from statemachines.conform.engines.state.value_forms import form_digest


class Side(Enum):
    LEFT = 1


class Wing(NamedTuple):
    side: Side


@frozen
class Door:
    wings: tuple[Wing, ...] = ()
    note: str | None = None


class OtherSide(Enum):
    LEFT = 1
    RIGHT = 2


OtherSide.__qualname__ = "Side"


@pytest.fixture(autouse=True)
def _ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the classes of this test for those of the package."""
    monkeypatch.setattr(value_forms, "_OURS", __name__.partition(".")[0])


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        (Door, "note", "int | None"),
        (Door, "wings", "tuple[Wing]"),
        (Wing, "side", "OtherSide"),
    ],
)
def test_another_type_of_a_field_is_another_form(
    monkeypatch: pytest.MonkeyPatch, kind: type, name: str, told: str
) -> None:
    """However deep it lies: what is kept would be taken for something else."""
    before = form_digest(Door, columns={})
    assert form_digest(Door, columns={}) == before
    monkeypatch.setitem(kind.__annotations__, name, told)
    assert form_digest(Door, columns={}) != before


def test_other_columns_are_another_form() -> None:
    """Rows that were said are compared with those of now."""
    assert form_digest(Door, columns={"a": "b int"}) != form_digest(Door, columns={"a": "c int"})


def test_the_form_of_a_stream_reaches_its_observations(monkeypatch: pytest.MonkeyPatch) -> None:
    """They lie four classes below what is kept of a file."""
    monkeypatch.setattr(value_forms, "_OURS", "statemachines")
    found: dict[type, str] = {}
    for kind in (StreamedFile, StreamedNews):
        value_forms._add_form(kind, found)
    not_pickled = {StreamedFile, StreamedLine, StreamedNews, PipeWindow}
    assert {(kind.__module__, kind.__qualname__) for kind in found.keys() - not_pickled} <= set(
        packed_values._CLASSES
    ), "what is kept could not be read"
    names = {kind.__name__ for kind in found}
    assert names >= {
        "Observation",
        "LineReading",
        "Profile",
        "UnitProfile",
        "PipeWindow",
        "Instant",
    }
