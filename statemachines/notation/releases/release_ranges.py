"""Ranges of releases: the text of `in`, and how it is cut with what contains it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.diagnosis.suggestions import did_you_mean, meant_hint
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)

_CONDITION = re.compile(r"[=<>()']|\b(?:and|or|not|in|is)\b")
"""What no range of releases has, and most conditions have."""


def releases_of_node(
    node: YamlNode | None, family: ReleaseFamily, within: ReleaseSet, diagnostics: list[Diagnostic]
) -> ReleaseSet:
    """Return the releases that an `in` names, cut with those of what contains it.

    Args:
        node: the value of `in`; None where there is none.
        family: whose releases they are.
        within: the releases of what contains it.
        diagnostics: takes what is wrong; an empty cut is an error.

    Returns:
        The releases; those of what contains it where nothing is named.
    """
    if not isinstance(node, YamlScalar):
        return within
    if _CONDITION.search(node.text):
        hint = "`in` names releases wherever it stands, so nothing else is called that"
        diagnostics.append(Diagnostic("SM211", "`in` is given a condition", node.span, hint))
        return within
    if not family.name:
        hint = "name a `family:`"
        message = "`in` without a family: this machine has one nameless release"
        diagnostics.append(Diagnostic("SM211", message, node.span, hint))
        return within
    own, wrong = parse_ranges(node.text, family, node.span)
    diagnostics.extend(wrong)
    if wrong:
        return own & within or within
    if not own & within:
        reason = f"`{node.text}` names no release of what contains it (`{family.ranges(within)}`)"
        diagnostics.append(Diagnostic("SM203", reason, node.span))
        return within
    return own & within


def parse_ranges(
    text: str, family: ReleaseFamily, span: Span
) -> tuple[ReleaseSet, list[Diagnostic]]:
    """Read ranges such as `0.10.2.2, 0.11.0.1..`; parts with `&` between them are cut.

    >>> door = ReleaseFamily("door", ("1.0", "1.1", "2.0"))
    >>> parse_ranges("..1.1, 2.0", door, Span("", 1, 1))
    (7, [])

    Args:
        text: as it is written.
        family: whose releases they are.
        span: its place, for what is wrong.

    Returns:
        The releases, and the diagnostics.
    """
    releases, problems = family.all_releases, list[Diagnostic]()
    for side in text.split("&"):
        whole = 0
        for part in side.split(","):
            mask, wrong = _parse_range(part.strip(), family, span)
            whole |= mask
            problems += wrong
        releases &= whole
    return releases, problems


def _parse_range(
    text: str, family: ReleaseFamily, span: Span
) -> tuple[ReleaseSet, list[Diagnostic]]:
    era = dict(family.eras).get(text)
    if era is not None:
        return era, []
    first, dots, last = map(str.strip, text.partition(".."))
    last = last if dots else first
    wrong = [
        _unknown_release(name, family, span)
        for name in dict.fromkeys((first, last))
        if name and name not in family.index
    ]
    if not first and not last:
        return 0, [
            Diagnostic(
                "SM203",
                "a range without releases",
                span,
                'write "2.2.0..2.3.1", "2.6.0..", "..1.0.2" or leave `in` out',
            )
        ]
    if wrong:
        return 0, wrong
    low = family.index[first] if first else 0
    high = family.index[last] if last else len(family.releases) - 1
    if low > high:
        return 0, [
            Diagnostic(
                "SM202",
                f"the range `{text}` is upside down",
                span,
                meant_hint(f"{last}..{first}"),
            )
        ]
    return (1 << (high + 1)) - (1 << low), []


def _unknown_release(name: str, family: ReleaseFamily, span: Span) -> Diagnostic:
    line = [release for release in family.releases if release.startswith(name + ".")]
    hint = (
        f"`{line[0]}` to `{line[-1]}` are its releases"
        if line
        else did_you_mean(name, (*(era for era, _ in family.eras), *family.releases))
    )
    return Diagnostic("SM201", f"unknown release `{name}` of {family.name}", span, hint)


def values_by_release(
    node: YamlNode,
    family: ReleaseFamily,
    within: ReleaseSet,
    diagnostics: list[Diagnostic],
    name: YamlScalar | None = None,
) -> Iterator[tuple[YamlMapping, ReleaseSet, Span]]:
    """Yield the values of a name with their releases: one, or a list of values with disjoint `in`.

    A value that is nothing, or a list of plain things, comes as an empty mapping.

    Args:
        node: as the spec has it; None where it is missing.
        family: whose releases they are.
        within: the releases of what contains it.
        diagnostics: takes what is wrong.
        name: whose values they are, for messages.

    Yields:
        The value, its releases, its place.
    """
    if isinstance(node, YamlSequence) and all(isinstance(item, YamlMapping) for item in node.items):
        taken = 0
        for item in node.items:
            releases = releases_of_node(_value_at(item, "in"), family, within, diagnostics)
            if taken & releases:
                both = f" in `{family.ranges(taken & releases)}`" if family.name else ""
                message = f"`{name.text if name else 'this'}` is said twice{both}"
                diagnostics.append(
                    Diagnostic(
                        "SM205",
                        message,
                        item.span,
                        "let no two values of the list hold in the same release",
                    )
                )
            taken |= releases
            if isinstance(item, YamlMapping):
                yield item, releases, name.span if name and item is node.items[0] else item.span
    else:
        value = node if isinstance(node, YamlMapping) else YamlMapping((), node.span)
        span = name.span if name else node.span
        yield value, releases_of_node(value.get("in"), family, within, diagnostics), span


def _value_at(node: YamlNode, key: str) -> YamlNode | None:
    return node.get(key) if isinstance(node, YamlMapping) else None


def union(masks: Iterable[ReleaseSet]) -> ReleaseSet:
    """Return the releases that are in one of some sets.

    Args:
        masks: sets of releases.

    Returns:
        All of them.
    """
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def with_eras(
    family: ReleaseFamily, node: YamlNode | None, diagnostics: list[Diagnostic]
) -> ReleaseFamily:
    """Return a family with the eras that a file names, each of which may use those before it.

    Args:
        family: whose releases they are; with the family's own eras, where the file is a spec.
        node: the value of `eras`.
        diagnostics: takes what is wrong.

    Returns:
        The family with the new eras behind its own.
    """
    for name, value in node.entries if isinstance(node, YamlMapping) else ():
        ranges = value.get("is") if isinstance(value, YamlMapping) else value
        if not isinstance(ranges, YamlScalar) or not ranges.text:
            continue
        if not family.name:
            diagnostics.append(
                Diagnostic("SM211", "`eras` without a family", name.span, "name a `family:`")
            )
            return family
        if name.text in dict(family.eras):
            hint = "take another name"
            diagnostics.append(
                Diagnostic("SM205", f"era `{name.text}` is named twice", name.span, hint)
            )
            continue
        releases, wrong = parse_ranges(ranges.text, family, ranges.span)
        diagnostics += wrong
        family = evolve(family, eras=(*family.eras, (name.text, releases)))
    return family
