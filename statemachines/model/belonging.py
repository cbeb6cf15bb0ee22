"""Which instances belong together: parts are called after their whole, `shop-north` and `shop-north-till-3`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from statemachines.model.reports import Key


def name_of(key: Key) -> str:
    """Return the values of a key as one name."""
    return " ".join(str(value) for _, value in key)


def belonging(wholes: Iterable[Key]) -> Callable[[Key], Key | None]:
    """Return what finds the whole of a part: the only one there is, or the one with the longest name that the part's begins with.

    A name ends where no letter and no digit follows: `till-1` is no beginning of `till-10`.

    >>> whole = belonging([(("shop", "north"),), (("shop", "north-west"),)])
    >>> whole((("till", "north-west-3"),)), whole((("till", "north-3"),)), whole((("till", "south-1"),))
    ((('shop', 'north-west'),), (('shop', 'north'),), None)

    Complexity: a lookup for each letter of the part's name, however many wholes there are.
    """
    named = {name_of(key): key for key in wholes}
    only = next(iter(named.values())) if len(named) == 1 else None

    def find(part: Key) -> Key | None:
        name = name_of(part)
        ends = (size for size in range(len(name), 0, -1) if not name[size : size + 1].isalnum())
        fitting = (named[name[:size]] for size in ends if name[:size] in named)
        return only or next(fitting, None)

    return find
