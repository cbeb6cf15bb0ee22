"""Instances that went as others did, judged apart, as one group in the order of the report."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import eq

from statemachines.conform.interchange.variants import (
    InstanceGroup,
    MemberKey,
    Variant,
    VariantTable,
)
from statemachines.conform.join.report_sources import are_compared_as_they_are, instance_sort_key
from statemachines.conform.settle.judging_context import JudgingContext, reporting_process

_POINTS = 4
"""Numbers of each in `InstanceGroup.points`."""


def join_variants(
    context: JudgingContext,
    parts: Iterable[tuple[Sequence[Variant], Iterable[Mapping[int, InstanceGroup]]]],
) -> VariantTable:
    """Return all that went as others did.

    Args:
        context: what all files say together.
        parts: those that were judged together, by machine and in the order of the report, and the
            ways that they went.

    Complexity: a merge of the keys.
    """
    joined = VariantTable()
    for variants, grouped in parts:
        before = len(joined.variants)
        for variant in variants:
            variant.number += before
            joined.variants.append(variant)
        for group in grouped:
            _add(joined, group, before)
    put_in_order(context, joined)
    return joined


def put_in_order(context: JudgingContext, grouped: VariantTable) -> None:
    """Put the instances of each machine in the order of the report.

    Complexity: a merge of keys, where those are sorted in parts.
    """
    for owner in grouped.by_owner:
        grouped.by_owner[owner] = _in_order(context, grouped, owner)


def _add(joined: VariantTable, grouped: Mapping[int, InstanceGroup], before: int) -> None:
    """Put more behind the others, whose variants have numbers from one on."""
    for owner, group in grouped.items():
        mine = joined.by_owner[owner]
        mine.keys += group.keys
        mine.variants.extend(number + before for number in group.variants)
        mine.points.extend(group.points)


def _in_order(context: JudgingContext, grouped: VariantTable, owner: int) -> InstanceGroup:
    """Return the group of a machine in the order of the report."""
    group = grouped.by_owner[owner]
    order = sorted(range(len(group.keys)), key=_sort_key(context, grouped, owner))
    if all(map(eq, order, range(len(order)))):
        return group
    keys, points = list(map(group.keys.__getitem__, order)), array("q")
    for place in order:
        points.extend(group.points[_POINTS * place : _POINTS * (place + 1)])
    return InstanceGroup(keys, array("i", map(group.variants.__getitem__, order)), points)


def _sort_key(
    context: JudgingContext, grouped: VariantTable, owner: int
) -> Callable[[int], MemberKey | tuple[object, ...]]:
    """Return by what those at some places are sorted."""
    group = grouped.by_owner[owner]
    tellers = {
        variant.number: reporting_process(context, owner, variant.judgement.processes[0])
        for variant in grouped.variants_of(owner)
    }
    if len(set(tellers.values())) < 2 and are_compared_as_they_are(group.keys):
        return group.keys.__getitem__
    return lambda place: instance_sort_key(
        context, (owner, tellers[group.variants[place]], group.keys[place])
    )
