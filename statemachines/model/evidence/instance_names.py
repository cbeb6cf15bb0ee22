"""Which instances belong together: parts are called after their whole, `shop-north` and
`shop-north-till-3`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from itertools import takewhile

from statemachines.model.evidence.reports import InstanceKey


def instance_name(key: InstanceKey) -> str:
    """Return the values of a key as one name.

    Args:
        key: the fields with their values.

    Returns:
        The values, joined.
    """
    return " ".join(str(value) for _, value in key)


def longest_name_prefix(name: str, names: Container[str]) -> str | None:
    """Return the longest of some names that a name begins with; None where it begins with none.

    A name ends where no letter and no digit follows: `till-1` is no beginning of `till-10`.

    Args:
        name: what may begin with one.
        names: those that are looked for.

    Returns:
        One of the names, or None.

    >>> names = "shop-1-till", "shop-10", "shops"
    >>> [longest_name_prefix(name, {"shop", "shop-1"}) for name in names]
    ['shop-1', 'shop', None]

    Complexity: a lookup for each letter of the name, however many names there are.
    """
    ends = (size for size in range(len(name), 0, -1) if not name[size : size + 1].isalnum())
    return next((name[:size] for size in ends if name[:size] in names), None)


def whole_finder(wholes: Iterable[InstanceKey]) -> Callable[[InstanceKey], InstanceKey | None]:
    """Return what finds the whole of a part: the only one there is, or the one with the longest
    name that the part's begins with.

    Args:
        wholes: keys of the instances that may be a whole.

    Returns:
        A function from the key of a part to the key of its whole, or None.

    >>> whole = whole_finder([(("shop", "north"),), (("shop", "north-west"),)])
    >>> whole((("till", "north-west-3"),)), whole((("till", "north-3"),))
    ((('shop', 'north-west'),), (('shop', 'north'),))
    >>> whole((("till", "south-1"),))
    """
    named = {instance_name(key): key for key in wholes}
    only = next(iter(named.values())) if len(named) == 1 else None

    def find(part: InstanceKey) -> InstanceKey | None:
        name = longest_name_prefix(instance_name(part), named)
        return only or (None if name is None else named[name])

    return find


def short_process_names(names: Sequence[str]) -> dict[str, str]:
    """Return processes that are called by their files, each by the folders that tell it from the
    others; those whose names do not end alike keep them.

    Args:
        names: of all processes of a log.

    Returns:
        Short names by whole ones; nothing where some would have none.

    >>> short_process_names(["logs/east/shop.log", "logs/west/shop.log"])
    {'logs/east/shop.log': 'east', 'logs/west/shop.log': 'west'}
    >>> short_process_names(["east/shop.log", "office.log"])
    {}
    """
    paths = {name: name.split("/") for name in names if "/" in name}
    if len(paths) < 2 or len({path[-1] for path in paths.values()}) > 1:
        return {}
    levels = zip(*(path[:-1] for path in paths.values()), strict=False)
    common = sum(1 for _ in takewhile(lambda folders: len(set(folders)) == 1, levels))
    short = {name: "/".join(path[common:-1]) for name, path in paths.items()}
    return short if all(short.values()) else {}
