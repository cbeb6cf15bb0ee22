"""Classes of values are those of attrs, whoever writes their methods."""

import json
import subprocess
import sys
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model import values

_ANY = st.recursive(
    st.none() | st.integers(0, 3) | st.text("ab", max_size=2), lambda inner: st.tuples(inner, inner)
)
_CHECK = """
import sys, attrs, json, contextlib, io
from statemachines.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main(["check", sys.argv[1]])
made = [
    f"{name}.{value.__name__}"
    for name, module in list(sys.modules.items()) if name.startswith("statemachines")
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__ == name and attrs.has(value)
    and "<attrs generated" in getattr(value.__repr__, "__code__", main.__code__).co_filename
]
print(json.dumps(made))
"""


def _classes(library: Any) -> list[type]:
    """Return classes of some kinds, as a library makes them."""

    @library.frozen
    class Door:
        name: object
        width: object = attrs.field(default=0, repr=False)
        place: object = attrs.field(default=0, eq=False, repr=lambda value: f"<{value}>")

    @library.frozen
    class OpenDoor(Door):
        since: object = 0

    @library.frozen(cache_hash=True)
    class KeptDoor:
        name: object

    @library.frozen(eq=False)
    class OwnDoor:
        name: object

    @library.frozen(order=True)
    class NumberedDoor:
        name: object

    @library.frozen(slots=False)
    class Nothing:
        pass

    @library.define
    class Changing:
        name: object = 1

        def __repr__(self) -> str:
            return "own"

    @library.define
    class Gate:
        name: object = 1

    return [Door, OpenDoor, KeptDoor, OwnDoor, NumberedDoor, Nothing, Changing, Gate]


_PAIRS = list(zip(_classes(values), _classes(attrs), strict=True))


def _arguments(kind: type, contents: list[object]) -> list[object]:
    return contents[: len(attrs.fields(kind))]


@pytest.mark.parametrize(("ours", "theirs"), _PAIRS, ids=[theirs.__name__ for _, theirs in _PAIRS])
@given(first=st.lists(_ANY, min_size=4, max_size=4), second=st.lists(_ANY, min_size=4, max_size=4))
def test_values_are_those_of_attrs(
    ours: type, theirs: type, first: list[object], second: list[object]
) -> None:
    results = [
        _compared(kind(*_arguments(kind, first)), kind(*_arguments(kind, second)))
        for kind in (ours, theirs)
    ]
    assert results[0] == results[1]


def _compared(value: Any, other: Any) -> tuple[object, ...]:
    again = attrs.evolve(value)
    return (
        repr(value),
        value == other,
        value != other,
        value == again,
        value == object(),
        _same_hash(value, again),
    )


def _same_hash(first: object, second: object) -> bool | str:
    try:
        return hash(first) == hash(second)
    except TypeError as error:
        return str(error)


def test_a_class_never_equals_another_with_the_same_fields() -> None:
    door, open_door, *_ = _classes(values)
    assert door("a") != open_door("a")
    assert hash(door("a")) != hash(open_door("a", 0, 0))


def test_what_holds_itself_is_shown_once() -> None:
    @values.define
    class Room:
        inner: object = None

    room = Room()
    room.inner = room
    assert repr(room).endswith("Room(inner=...)")


def test_a_check_has_no_method_compiled_that_needs_none(tmp_path: Any) -> None:
    log = tmp_path / "small.log"
    log.write_text("[2026-11-21 15:46:00,566] INFO nothing (shop.Controller)\n")
    command = [sys.executable, "-c", _CHECK, str(log)]
    for _ in range(2):  # the first one may have to read the specs, which makes many values
        made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(made.splitlines()[-1]) == []
