"""One release out of what was said for several."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.releases import Family, Releases
from statemachines.notation.expressions.reader import Written
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence
from statemachines.notation.ranges import parse_ranges


def mask_of(node: Node | None, family: Family) -> Releases:
    """Return the releases that an `in` names; all of them where there is none, or where it is wrong (another pass says so)."""
    if not isinstance(node, Scalar) or not family.name:
        return family.everything
    mask, wrong = parse_ranges(node.text, family, node.span)
    return family.everything if wrong else mask


def exists(node: Node, family: Family, bit: Releases) -> bool:
    """Tell whether something exists in a release."""
    return not isinstance(node, Mapping) or bool(mask_of(node.get("in"), family) & bit)


def picked(node: Node | None, family: Family, bit: Releases) -> Node | None:
    """Return what is said of a name in one release; None where nothing is."""
    if isinstance(node, Sequence) and node.items and all(isinstance(item, Mapping) for item in node.items):
        return next((item for item in node.items if exists(item, family, bit)), None)
    return node if node is not None and exists(node, family, bit) else None


def scalar_of(node: Node | None, family: Family, bit: Releases) -> Scalar | None:
    """Return the text of an expression or a type in one release: it may be a list of `{in: …, is: …}`."""
    chosen = picked(node, family, bit)
    if isinstance(chosen, Mapping):
        chosen = chosen.get("is")
    return chosen if isinstance(chosen, Scalar) else None


def entries_of(node: Node | None, family: Family, bit: Releases) -> Iterator[tuple[Scalar, Node]]:
    """Yield the names of a mapping that exist in one release, with what is said of them."""
    for name, value in node.entries if isinstance(node, Mapping) else ():
        chosen = picked(value, family, bit)
        if chosen is not None:
            yield name, chosen


def written_of(scalar: Scalar) -> Written:
    """Return a scalar's text with its place."""
    return Written(scalar.text, scalar.span, scalar.quoted, scalar.raw)
