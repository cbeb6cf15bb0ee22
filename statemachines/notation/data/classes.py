"""Classes of releases in which a spec says the same, and what is wrong with the ranges that make them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.releases import Family, Releases
from statemachines.notation.data.picking import mask_of
from statemachines.notation.nodes import Mapping, Node, Sequence
from statemachines.notation.ranges import releases_in

SECTIONS = (
    "types",
    "errors",
    "define",
    "parameters",
    "where",
    "variables",
    "initially",
    "final",
    "texts",
    "events",
    "transitions",
    "always",
    "each step",
    "sometimes",
    "leads to",
    "no deadlock",
    "scope",
    "parts",
    "links",
)
"""Keys whose `in` may change what a machine's data is."""
_SEVERAL = ("cases", "transitions", "assuming", "links")
"""Lists that hold several things, not one in several ranges."""


def classes_of(releases: Releases, masks: Iterable[Releases]) -> tuple[Releases, ...]:
    """Return the releases cut so that each mask has all of a part or none of it; in the order of their oldest releases.

    >>> [bin(part) for part in classes_of(0b1111, [0b0011, 0b0110])]
    ['0b1', '0b10', '0b100', '0b1000']
    """
    parts = [releases]
    for mask in set(masks):
        parts = [cut for part in parts for cut in (part & mask, part & ~mask) if cut]
    return tuple(sorted(parts, key=lambda part: part & -part))


def masks_in(root: Mapping, family: Family, within: Releases, found: list[Diagnostic]) -> Iterator[Releases]:
    """Yield the releases of every `in` in the data part, and report those that are wrong."""
    for key, node in root.entries:
        if key.text in SECTIONS:
            yield from _masks(node, family, within, found, several=key.text in _SEVERAL)


def _masks(node: Node, family: Family, within: Releases, found: list[Diagnostic], *, several: bool) -> Iterator[Releases]:
    if isinstance(node, Mapping):
        own = releases_in(node.get("in"), family, within, found)
        if own != within:
            yield own
        for key, value in node.entries:
            if key.text != "in":
                yield from _masks(value, family, own, found, several=key.text in _SEVERAL)
    elif isinstance(node, Sequence):
        if not several:
            _twice(node, family, within, found)
        for item in node.items:
            yield from _masks(item, family, within, found, several=False)


def _twice(node: Sequence, family: Family, within: Releases, found: list[Diagnostic]) -> None:
    """Report values of one name in ranges that overlap."""
    taken = 0
    for item in node.items:
        if isinstance(item, Mapping):
            own = releases_in(item.get("in"), family, within, [])
            if taken & own:
                where = f" in `{family.ranges(taken & own)}`" if family.name else ""
                found.append(Diagnostic("SM205", f"this is said twice{where}", item.span, "give the values of a list disjoint `in`"))
            taken |= own


def masks_of_node(node: Node, family: Family) -> tuple[Releases, ...]:
    """Return the releases of every `in` within a node, in order; wrong ones are reported elsewhere."""
    found: list[Releases] = []
    if isinstance(node, Mapping):
        found += [mask_of(node.get("in"), family)] if node.get("in") is not None else []
        found += [mask for key, value in node.entries if key.text != "in" for mask in masks_of_node(value, family)]
    elif isinstance(node, Sequence):
        found += [mask for item in node.items for mask in masks_of_node(item, family)]
    return tuple(found)
