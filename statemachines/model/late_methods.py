"""Classes of values whose methods `attrs` writes when one of them is first wanted.

To write and to compile what makes a value takes `attrs` a third of a millisecond a class, and most
classes are only named, or have their values read from a cache, which needs none of it. So a class
is made here with its fields as slots, and what makes values and tells of fields is taken over from
the class that `attrs` makes of the same body, when somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from inspect import get_annotations
from threading import RLock
from types import FunctionType
from typing import Any, cast

import attrs

OWN_HASH = "_own_hash"
"""The slot for the hash of a value that is asked for it often."""
_ATTRIBUTE = type(attrs.field())
_FROZEN = cast("Any", attrs.frozen(repr=False)(type("_Frozen", (), {})))
_WRITTEN = tuple(
    name
    for name in ("__init__", "__match_args__", "__attrs_attrs__", "__attrs_props__")
    if name in vars(_FROZEN)
)
"""What is taken over; not every version of `attrs` has the last."""
_OPTIONS = {"eq": False, "slots": True, "repr": False, "cache_hash": True, "kw_only": True}
"""Options, with the values for which a class is made here."""
_LEFT_TO_ATTRS = (
    *("__init__", "__eq__", "__hash__", "__setattr__", "__getstate__", "__setstate__"),
    *("__match_args__", "__getattr__"),
)
"""Methods of a body that `attrs` heeds in its own way."""
_NOT_TAKEN = ("__dict__", "__weakref__")
_NAMES, _SETTERS = "_field_names", "_field_setters"
_LOCK = RLock()


class _LateMethod:
    """Stands where something will be, and has the class completed by whoever looks at it."""

    def __init__(self, name: str, complete: Callable[[type], None]) -> None:
        self._name, self._complete = name, complete

    def __get__(self, value: object, kind: type) -> Any:
        self._complete(next(base for base in kind.__mro__ if self._name in vars(base)))
        return getattr(kind if value is None else value, self._name)


def late_class(
    maker: Callable[..., Any], body: type, options: dict[str, Any], finish: Callable[[type], None]
) -> Any:
    """Make a class of values that is completed when it is first used.

    Args:
        maker: `attrs.define` or `attrs.frozen`.
        body: the class as it was written.
        options: of the maker.
        finish: gives a completed class its equality.

    Returns:
        The class; None where something is unusual, so that the maker has to make it at once.
    """
    annotations = get_annotations(body)  # from Python 3.14 on they stand in no attribute
    own = tuple(name for name, kind in annotations.items() if "ClassVar" not in str(kind))
    inherited = [name for base in reversed(body.__mro__[1:-1]) for name in _field_names(base)]
    frozen = maker is attrs.frozen
    if not _is_usual(body, own, inherited, options) or not (frozen or _is_changed_freely(body)):
        return None

    def complete(made: type) -> None:
        with _LOCK:
            if isinstance(vars(made)["__init__"], _LateMethod):
                whole = maker(**{**options, "eq": False, "repr": False, "cache_hash": False})(body)
                for name in _WRITTEN:
                    setattr(made, name, vars(whole)[name])
                if compared:
                    finish(made)

    compared = ("__eq__", "__hash__") if options.get("eq", True) else ()
    ways = ("__setattr__", "__delattr__") if frozen else ()
    contents = {
        **{name: value for name, value in vars(body).items() if name not in _NOT_TAKEN + own},
        **_slots_and_state(body, own, inherited, hashed_often="cache_hash" in options),
        **{name: vars(_FROZEN)[name] for name in ways},
        **{name: _LateMethod(name, complete) for name in (*_WRITTEN, *compared)},
        **({"__hash__": None} if compared and not frozen else {}),
    }
    made = type(body)(body.__name__, body.__bases__, contents)
    contents[_SETTERS].update((name, getattr(made, name).__set__) for name in contents[_NAMES])
    return made


def _is_usual(
    body: type, own: Iterable[str], inherited: Iterable[str], options: dict[str, Any]
) -> bool:
    """Whether a class is one of those that are made here: none whose methods ask for their class,
    which `attrs` tells them, none with values that are computed once, fields without a type, or
    fields of a class that has no slots.
    """
    contents = vars(body)
    return (
        all(hasattr(body, name) for name in inherited)
        and all(name in _OPTIONS and value is _OPTIONS[name] for name, value in options.items())
        and not any(name in contents for name in _LEFT_TO_ATTRS)
        and not any(
            isinstance(value, cached_property)
            or (type(value) is _ATTRIBUTE and name not in own)
            or "__class__" in _variables(value)
            for name, value in contents.items()
        )
    )


def _variables(method: object) -> tuple[str, ...]:
    """What a method takes from around it."""
    function = getattr(method, "__func__", None) or getattr(method, "fget", None) or method
    return function.__code__.co_freevars if isinstance(function, FunctionType) else ()


def _is_changed_freely(body: type) -> bool:
    """Whether values of a class may be changed without being asked."""
    return not any("__setattr__" in vars(base) for base in body.__mro__[:-1])


def _slots_and_state(
    body: type, own: tuple[str, ...], inherited: list[str], *, hashed_often: bool
) -> dict[str, Any]:
    """What lays out the values of a class, and how they are pickled: as `attrs` has it."""
    names = tuple(dict.fromkeys((*inherited, *own)))
    setters: dict[str, Callable[[object, object], None]] = {}

    def get_state(self: object) -> dict[str, object]:
        return {name: getattr(self, name) for name in names}

    def set_state(self: object, state: dict[str, object]) -> None:
        for name, value in state.items():
            if name in setters:
                setters[name](self, value)

    weak = any("__weakref__" in vars(base) for base in body.__mro__[1:-1])
    return {
        "__slots__": (
            *(name for name in own if name not in inherited),
            *(() if weak else ("__weakref__",)),
            *((OWN_HASH,) if hashed_often else ()),
        ),
        "__getstate__": get_state,
        "__setstate__": set_state,
        _NAMES: names,
        _SETTERS: setters,
    }


def _field_names(base: type) -> tuple[str, ...]:
    """The fields of a class whose values are these, made here or by `attrs`."""
    known: tuple[str, ...] | None = vars(base).get(_NAMES)
    if known is not None:
        return known
    return tuple(field.name for field in vars(base).get("__attrs_attrs__", ()))
