"""Classes whose methods are written when somebody wants them are those that `attrs` makes."""

import copy
import inspect
import pickle
import sys
import threading
import weakref
from typing import Any, ClassVar, Generic, TypeVar

import attrs
import pytest

from statemachines.model import values
from statemachines.model.late_methods import _LateMethod

T = TypeVar("T")


def _classes(library: Any) -> list[type]:
    """Return classes of many kinds, each made in order of its bases."""

    @library.frozen
    class Door:
        kinds: ClassVar[tuple[str, ...]] = ("oak", "pine")
        name: str
        width: int = 3
        tags: list[str] = attrs.field(factory=list, repr=False)
        _place: str = attrs.field(default="hall", eq=False)

        @property
        def shown(self) -> str:
            return f"{self.name}/{self._place}"

        @classmethod
        def wide(cls, name: str) -> Any:
            return cls(name, 9)

    @library.frozen
    class OpenDoor(Door):
        width: int = 5
        since: int = attrs.field(init=False)

        @since.default
        def _first(self) -> int:
            return self.width + 1

    @library.frozen(kw_only=True)
    class Named:
        name: str
        number: int = 1

    @library.frozen(cache_hash=True)
    class Keyed:
        value: object = attrs.field(eq=lambda value: (type(value).__name__, value))

    @library.frozen
    class Both(Keyed):
        other: object = 0

    @library.frozen(eq=False)
    class Own:
        name: str

    @library.frozen(repr=False)
    class Quiet:
        name: str

    @library.define
    class Room:
        doors: list[object] = attrs.field(factory=list)
        size: int = 0

        def __attrs_post_init__(self) -> None:
            self.size += 100

    @library.define(eq=False)
    class Hall(Room):
        light: bool = True

    @library.frozen
    class Box(Generic[T]):
        content: T

    @library.frozen
    class Bare:
        pass

    return [Door, OpenDoor, Named, Keyed, Both, Own, Quiet, Room, Hall, Box, Bare]


_GIVEN: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "Door": [
        (("a",), {}),
        (("a", 4, ["x"]), {"place": "p"}),
        (("a", 3, []), {}),
        ((), {}),
        ((1,) * 9, {}),
    ],
    "OpenDoor": [(("a",), {}), (("a", [], "p", 7), {}), ((), {"name": "b", "width": 2})],
    "Named": [((), {"name": "a"}), ((), {"name": "a", "number": 2}), (("a",), {})],
    "Keyed": [((1,), {}), ((True,), {}), (([],), {})],
    "Both": [((1, 2), {}), ((True, 2), {}), ((1,), {})],
    "Room": [((), {}), (([1],), {}), ((), {"size": 3})],
    "Hall": [((), {}), (([1], 2, False), {})],
}
_OURS, _THEIRS = _classes(values), _classes(attrs)
_PAIRS = list(zip(_OURS, _THEIRS, strict=True))


def _said(ask: Any) -> object:
    """What comes of a question: an answer, or what kind of error."""
    try:
        return ask()
    except (TypeError, AttributeError) as error:
        return type(error).__name__, str(error)


def _facts(kind: Any) -> object:
    """What can be seen of a class and of values that it makes of the same arguments."""
    given = _GIVEN.get(kind.__name__, [(("a",), {}), (("b",), {}), ((), {})])
    made = [_said(lambda a=a, k=k: kind(*a, **k)) for a, k in given]
    seen = [
        (
            repr(value) if kind.__name__ != "Quiet" else "",
            [value == other for other in made],
            [_said(lambda v=value, o=other: hash(v) == hash(o)) for other in made],
            _said(lambda v=value: repr(attrs.evolve(v)) if kind.__name__ != "Quiet" else ""),
            _said(lambda v=value: attrs.asdict(v)),
            _said(lambda v=value: setattr(v, "name", 1)),
            _said(lambda v=value: delattr(v, "name")),
            _said(lambda v=value: setattr(v, "other", 1)) and None,
            _said(lambda v=value: v.__getstate__()),
            copy.copy(value) == value,
            hasattr(value, "__dict__"),
        )
        for value in made
        if not isinstance(value, tuple)
    ]
    fields = [
        (field.name, field.alias, field.inherited, field.kw_only) for field in attrs.fields(kind)
    ]
    texts = [value if isinstance(value, tuple) else "made" for value in made]
    return (
        seen,
        fields,
        texts,
        kind.__match_args__,
        str(inspect.signature(kind)),
        kind.__slots__[:-1],
    )


@pytest.mark.parametrize(("ours", "theirs"), _PAIRS, ids=[theirs.__name__ for _, theirs in _PAIRS])
def test_they_are_those_of_attrs(ours: Any, theirs: Any) -> None:
    assert _facts(ours) == _facts(theirs)


def test_what_they_say_of_themselves() -> None:
    door = _classes(values)[0]
    assert door.wide("a").shown == "a/hall"
    match door("a", 4):
        case door(name, width):
            assert (name, width) == ("a", 4)
    assert weakref.ref(value := door("a"))() is value
    assert attrs.has(door)
    assert door.kinds == ("oak", "pine")


def test_nothing_is_written_before_it_is_wanted() -> None:
    """Neither by naming a class, nor by reading values of it."""
    kinds = [kind for kind in _classes(values) if kind.__name__ != "Box"]
    for kind in kinds:
        value = kind.__new__(kind)
        value.__setstate__({"name": "a", "value": 1, "doors": [], "gone": 3})
        assert isinstance(vars(kind)["__init__"], _LateMethod), kind
    assert kinds[0]("a").name == "a"
    assert not isinstance(vars(kinds[0])["__init__"], _LateMethod)


def test_values_come_back_from_a_pickle() -> None:
    kinds = {kind.__name__: kind for kind in _OURS}
    module = sys.modules[__name__]
    for name, given in _GIVEN.items():
        kinds[name].__qualname__ = name
        setattr(module, name, kinds[name])
        value = kinds[name](*given[0][0], **given[0][1])
        assert pickle.loads(pickle.dumps(value)) == value or name == "Hall"


def test_threads_that_make_the_first_value_at_once() -> None:
    for _ in range(50):
        door, begun, made = _classes(values)[1], threading.Barrier(4), []

        def make(door: Any = door, begun: Any = begun, made: list[object] = made) -> None:
            begun.wait()
            made.append(door("a"))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [door("a")] * 4
