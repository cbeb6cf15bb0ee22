"""One release out of what was said for several."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.releases.release_ranges import parse_ranges


def release_mask(node: YamlNode | None, family: ReleaseFamily) -> ReleaseSet:
    """Return the releases that an `in` names; all of them where there is none, or where it is wrong
    (another pass says so).

    Args:
        node: as the spec has it; None where it is missing.
        family: whose releases they are.

    Returns:
        A set of releases.
    """
    if not isinstance(node, YamlScalar) or not family.name:
        return family.all_releases
    mask, wrong = parse_ranges(node.text, family, node.span)
    return family.all_releases if wrong else mask


def exists_in(node: YamlNode, family: ReleaseFamily, bit: ReleaseSet) -> bool:
    """Tell whether something exists in a release.

    Args:
        node: an entry, perhaps with `in`.
        family: whose releases they are.
        bit: the release.

    Returns:
        True where nothing limits it, too.
    """
    ranges = node.get("in") if isinstance(node, YamlMapping) else None
    return ranges is None or bool(release_mask(ranges, family) & bit)


def value_in_release(
    node: YamlNode | None, family: ReleaseFamily, bit: ReleaseSet
) -> YamlNode | None:
    """Return what is said of a name in one release; None where nothing is.

    Args:
        node: as the spec has it; None where it is missing.
        family: whose releases they are.
        bit: the release.

    Returns:
        The node of the value, without `in`.
    """
    if (
        isinstance(node, YamlSequence)
        and node.items
        and all(isinstance(item, YamlMapping) for item in node.items)
    ):
        return next((item for item in node.items if exists_in(item, family, bit)), None)
    return node if node is not None and exists_in(node, family, bit) else None


def scalar_in_release(
    node: YamlNode | None, family: ReleaseFamily, bit: ReleaseSet
) -> YamlScalar | None:
    """Return the text of an expression or a type in one release: it may be a list of `{in: …, is:
    …}`.

    Args:
        node: as the spec has it; None where it is missing.
        family: whose releases they are.
        bit: the release.

    Returns:
        The text with its place; None where nothing is said in this release.
    """
    chosen = value_in_release(node, family, bit)
    if isinstance(chosen, YamlMapping):
        chosen = chosen.get("is")
    return chosen if isinstance(chosen, YamlScalar) else None


def entries_in_release(
    node: YamlNode | None, family: ReleaseFamily, bit: ReleaseSet
) -> Iterator[tuple[YamlScalar, YamlNode]]:
    """Yield the names of a mapping that exist in one release, with what is said of them.

    Args:
        node: as the spec has it; None where it is missing.
        family: whose releases they are.
        bit: the release.

    Yields:
        A name and its node, in the author's order.
    """
    for name, value in node.entries if isinstance(node, YamlMapping) else ():
        chosen = value_in_release(value, family, bit)
        if chosen is not None:
            yield name, chosen


def source_text(scalar: YamlScalar) -> SourceText:
    """Return a scalar's text with its place.

    Args:
        scalar: as it was written.

    Returns:
        The text with its place.
    """
    return SourceText(scalar.text, scalar.span, scalar.quoted, scalar.raw)
