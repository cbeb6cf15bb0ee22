"""Classes of releases in which a spec says the same, and what is wrong with the ranges that make
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from statemachines.notation.releases.release_ranges import releases_of_node
from statemachines.notation.releases.release_selection import release_mask

_RANGED_SECTIONS = (
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
    "always eventually",
    "eventually always",
    "until",
    "refines",
    "no deadlock",
    "scope",
    "parts",
    "same",
    "links",
)
"""Keys whose `in` may change what a machine's data is."""
_LIST_SECTIONS = ("cases", "transitions", "assuming", "weakly", "strongly", "links", "refines")
"""Lists that hold several things, not one in several ranges."""


def release_partition(releases: ReleaseSet, masks: Iterable[ReleaseSet]) -> tuple[ReleaseSet, ...]:
    """Return the releases cut so that each mask has all of a part or none of it; in the order of
    their oldest releases.

    >>> [bin(part) for part in release_partition(0b1111, [0b0011, 0b0110])]
    ['0b1', '0b10', '0b100', '0b1000']

    Args:
        releases: that are cut.
        masks: sets of releases, in any order.

    Returns:
        Sets that have nothing in common, and together are all.
    """
    parts = [releases]
    for mask in set(masks):
        parts = [cut for part in parts for cut in (part & mask, part & ~mask) if cut]
    return tuple(sorted(parts, key=lambda part: part & -part))


def range_masks(
    root: YamlMapping, family: ReleaseFamily, within: ReleaseSet, diagnostics: list[Diagnostic]
) -> Iterator[ReleaseSet]:
    """Yield the releases of every `in` in the data part, and report those that are wrong.

    Args:
        root: the document.
        family: whose releases they are.
        within: releases of the machine.
        diagnostics: takes what is wrong.

    Yields:
        Sets of releases, in the order of the document.
    """
    for key, node in root.entries:
        if key.text in _RANGED_SECTIONS:
            yield from _range_masks_within(
                node, family, within, diagnostics, several=key.text in _LIST_SECTIONS
            )


def _range_masks_within(
    node: YamlNode,
    family: ReleaseFamily,
    within: ReleaseSet,
    diagnostics: list[Diagnostic],
    *,
    several: bool,
) -> Iterator[ReleaseSet]:
    if isinstance(node, YamlMapping):
        own = releases_of_node(node.get("in"), family, within, diagnostics)
        if own != within:
            yield own
        for key, value in node.entries:
            if key.text != "in":
                yield from _range_masks_within(
                    value, family, own, diagnostics, several=key.text in _LIST_SECTIONS
                )
    elif isinstance(node, YamlSequence):
        if not several:
            _report_overlapping_ranges(node, family, within, diagnostics)
        for item in node.items:
            yield from _range_masks_within(item, family, within, diagnostics, several=several)


def _report_overlapping_ranges(
    node: YamlSequence, family: ReleaseFamily, within: ReleaseSet, diagnostics: list[Diagnostic]
) -> None:
    """Report values of one name in ranges that overlap."""
    taken = 0
    for item in node.items:
        if isinstance(item, YamlMapping):
            own = releases_of_node(item.get("in"), family, within, [])
            if taken & own:
                where = f" in `{family.ranges(taken & own)}`" if family.name else ""
                diagnostics.append(
                    Diagnostic(
                        "SM205",
                        f"this is given twice{where}",
                        item.span,
                        "let no two values of the list hold in the same release",
                    )
                )
            taken |= own


def node_range_masks(node: YamlNode, family: ReleaseFamily) -> tuple[ReleaseSet, ...]:
    """Return the releases of every `in` within a node, in order; errors are reported elsewhere.

    Args:
        node: as the spec has it; None where it is missing.
        family: whose releases they are.

    Returns:
        Sets of releases.
    """
    masks, pending = list[ReleaseSet](), [node]
    while pending:  # a loop: each node of a spec is asked
        part = pending.pop()
        if isinstance(part, YamlMapping):
            ranges = part.get("in")
            if ranges is not None:
                masks.append(release_mask(ranges, family))
            for key, value in reversed(part.entries):
                if key.text != "in" and not isinstance(value, YamlScalar):
                    pending.append(value)
        elif isinstance(part, YamlSequence):
            pending += reversed(part.items)
    return tuple(masks)
