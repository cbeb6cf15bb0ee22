"""Which instances belong together: parts are called after their whole, `shop-north` and `shop-north-till-3`."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from statemachines.model.reports import Key


def name_of(key: Key) -> str:
    """Return the values of a key as one name."""
    return " ".join(str(value) for _, value in key)


def longest_beginning(name: str, names: Container[str]) -> str | None:
    """Return the longest of some names that a name begins with; None where it begins with none.

    A name ends where no letter and no digit follows: `till-1` is no beginning of `till-10`.

    >>> [longest_beginning(name, {"shop", "shop-1"}) for name in ("shop-1-till", "shop-10", "shops")]
    ['shop-1', 'shop', None]

    Complexity: a lookup for each letter of the name, however many names there are.
    """
    ends = (size for size in range(len(name), 0, -1) if not name[size : size + 1].isalnum())
    return next((name[:size] for size in ends if name[:size] in names), None)


def belonging(wholes: Iterable[Key]) -> Callable[[Key], Key | None]:
    """Return what finds the whole of a part: the only one there is, or the one with the longest name that the part's begins with.

    >>> whole = belonging([(("shop", "north"),), (("shop", "north-west"),)])
    >>> whole((("till", "north-west-3"),)), whole((("till", "north-3"),)), whole((("till", "south-1"),))
    ((('shop', 'north-west'),), (('shop', 'north'),), None)
    """
    named = {name_of(key): key for key in wholes}
    only = next(iter(named.values())) if len(named) == 1 else None

    def find(part: Key) -> Key | None:
        name = longest_beginning(name_of(part), named)
        return only or (None if name is None else named[name])

    return find
