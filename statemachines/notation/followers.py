"""What only follows from an earlier mistake: of a document whose pieces were left out for their shape, uses of them look wrong too."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import itemgetter

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.places import Span
from statemachines.notation.nodes import Mapping, Node, Scalar
from statemachines.notation.nodes import Sequence as Items
from statemachines.notation.shapecheck import GOES_ON

PROPERTIES = ("always", "each step", "sometimes", "leads to", "no deadlock", "scope")
KEEPING_NAMES = frozenset({*PROPERTIES, "states", "transitions", "otherwise", "links", "log", "texts", "doc", "source", "in", "where"})
"""Sections in which an entry of the wrong shape takes no name away from other entries."""
WHATEVER_ELSE = frozenset({"SM301", "SM302", "SM317"})
"""Codes about the text of an expression, whatever its names stand for."""

_Place = tuple[int, int]
_Region = tuple[_Place, _Place]
_Everything = ((0, 0), (1 << 60, 0))


def without_followers(root: Mapping, misfits: Sequence[Diagnostic], found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return what is wrong with expressions, without what may only follow from pieces that were left out.

    Args:
        root: the document as it was written, nothing left out.
        misfits: what was left out for its shape, and why.
        found: by the passes that read expressions.
    """
    starts, entries = (
        [_of(name.span) for name, _ in root.entries],
        cache(lambda place: [_of(one) for one in _entries(root.entries[place][1])]),
    )
    regions = [(misfit, region) for misfit in misfits if (region := _region(root, starts, entries, misfit)) is not None]
    blocked = _merged(region for _, region in regions)
    cut = _merged(region for misfit, region in regions if misfit.hint == GOES_ON)
    places = {misfit.span for misfit in misfits}
    return tuple(one for one in found if one.span not in places and not _follows(one, cut if one.code in WHATEVER_ELSE else blocked))


def _merged(regions: Iterable[_Region]) -> list[_Region]:
    """Return regions in their order, those that overlap as one."""
    merged: list[_Region] = []
    for start, end in sorted(regions):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _follows(one: Diagnostic, regions: list[_Region]) -> bool:
    place = bisect_right(regions, _of(one.span), key=itemgetter(0)) - 1
    return place >= 0 and _of(one.span) < regions[place][1]


def _region(
    root: Mapping, starts: list[_Place], entries_of: Callable[[int], list[_Place]], misfit: Diagnostic
) -> tuple[_Place, _Place] | None:
    """Return where followers of a misfit would lie: in its own entry, or anywhere where it may have declared a name; None: nowhere."""
    place = bisect_right(starts, _of(misfit.span)) - 1
    if place < 0 or (misfit.code == "SM113" and misfit.span == root.span):
        return None
    name, section = root.entries[place]
    if isinstance(section, Scalar) and misfit.code == "SM111":
        return None
    if name.text not in KEEPING_NAMES or (name.text == "states" and misfit.code != "SM111"):
        return _Everything
    end = starts[place + 1] if place + 1 < len(starts) else _Everything[1]
    entries = entries_of(place)
    at = bisect_right(entries, _of(misfit.span)) - 1
    if at < 0:
        return starts[place], end
    return entries[at], entries[at + 1] if at + 1 < len(entries) else end


def _entries(section: Node) -> list[Span]:
    if isinstance(section, Mapping):
        return [name.span for name, _ in section.entries]
    return [item.span for item in section.items] if isinstance(section, Items) else []


def _of(span: Span) -> _Place:
    return span.line, span.column
