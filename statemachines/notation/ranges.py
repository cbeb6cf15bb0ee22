"""Ranges of releases: the text of `in`, and how it is cut with what contains it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.places import Span
from statemachines.model.releases import Family, Releases
from statemachines.model.suggestions import did_you_mean
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence


def releases_in(node: Node | None, family: Family, within: Releases, found: list[Diagnostic]) -> Releases:
    """Return the releases that an `in` names, cut with those of what contains it.

    Args:
        node: the value of `in`; None where there is none.
        family: whose releases they are.
        within: the releases of what contains it.
        found: takes what is wrong; an empty cut is an error.
    """
    if not isinstance(node, Scalar):
        return within
    if not family.name:
        found.append(Diagnostic("SM211", "`in` without a family: this machine has one nameless release", node.span, "name a `family:`"))
        return within
    own, wrong = parse_ranges(node.text, family, node.span)
    found.extend(wrong)
    if wrong:
        return own & within or within
    if not own & within:
        reason = f"`{node.text}` names no release of what contains it (`{family.ranges(within)}`)"
        found.append(Diagnostic("SM203", reason, node.span))
        return within
    return own & within


def parse_ranges(text: str, family: Family, span: Span) -> tuple[Releases, list[Diagnostic]]:
    """Read ranges such as `0.10.2.2, 0.11.0.1..`.

    >>> door = Family("door", ("1.0", "1.1", "2.0"))
    >>> parse_ranges("..1.1, 2.0", door, Span("", 1, 1))
    (7, [])
    """
    releases, found = 0, list[Diagnostic]()
    for part in text.split(","):
        mask, wrong = _one_range(part.strip(), family, span)
        releases |= mask
        found.extend(wrong)
    return releases, found


def _one_range(text: str, family: Family, span: Span) -> tuple[Releases, list[Diagnostic]]:
    first, dots, last = (part.strip() for part in text.partition(".."))
    last = last if dots else first
    wrong = [_unknown(name, family, span) for name in dict.fromkeys((first, last)) if name and name not in family.index]
    if not first and not last:
        return 0, [Diagnostic("SM203", "a range without releases", span, 'write "2.2.0..2.3.1", "2.6.0..", "..1.0.2" or leave `in` out')]
    if wrong:
        return 0, wrong
    low = family.index[first] if first else 0
    high = family.index[last] if last else len(family.releases) - 1
    if low > high:
        return 0, [Diagnostic("SM202", f"the range `{text}` is upside down", span, f"did you mean `{last}..{first}`?")]
    return (1 << (high + 1)) - (1 << low), []


def _unknown(name: str, family: Family, span: Span) -> Diagnostic:
    line = [release for release in family.releases if release.startswith(name + ".")]
    hint = f"`{line[0]}` to `{line[-1]}` are its releases" if line else did_you_mean(name, family.releases)
    return Diagnostic("SM201", f"unknown release `{name}` of {family.name}", span, hint)


def values_in(
    node: Node, family: Family, within: Releases, found: list[Diagnostic], name: Scalar | None = None
) -> Iterator[tuple[Mapping, Releases, Span]]:
    """Yield the values of a name with their releases: one, or a list of values with disjoint `in`.

    A value that is nothing, or a list of plain things, comes as an empty mapping.

    Yields:
        The value, its releases, its place.
    """
    if isinstance(node, Sequence) and all(isinstance(item, Mapping) for item in node.items):
        taken = 0
        for item in node.items:
            releases = releases_in(_get(item, "in"), family, within, found)
            if taken & releases:
                both = f" in `{family.ranges(taken & releases)}`" if family.name else ""
                message = f"`{name.text if name else 'this'}` is said twice{both}"
                found.append(Diagnostic("SM205", message, item.span, "give the values of a list disjoint `in`"))
            taken |= releases
            if isinstance(item, Mapping):
                yield item, releases, name.span if name and item is node.items[0] else item.span
    else:
        value = node if isinstance(node, Mapping) else Mapping((), node.span)
        span = name.span if name else node.span
        yield value, releases_in(value.get("in"), family, within, found), span


def _get(node: Node, key: str) -> Node | None:
    return node.get(key) if isinstance(node, Mapping) else None


def union(masks: Iterable[Releases]) -> Releases:
    """Return the releases that are in one of some sets."""
    whole = 0
    for mask in masks:
        whole |= mask
    return whole
