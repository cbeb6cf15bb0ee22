"""What only follows from an earlier mistake: of a document whose pieces were left out for their
shape, uses of them look wrong too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import itemgetter

from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.notation.document.meant_keys import UNQUOTED_COMMA
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, YamlScalar
from statemachines.notation.document.yaml_nodes import YamlSequence as Items

_PROPERTY_SECTIONS = (
    *("always", "each step", "sometimes", "leads to"),
    *("always eventually", "eventually always", "until", "refines"),
    *("no deadlock", "scope"),
)
_NAMELESS_SECTIONS = frozenset(
    {
        *_PROPERTY_SECTIONS,
        "states",
        "transitions",
        "otherwise",
        "same",
        "links",
        "log",
        "texts",
        "doc",
        "source",
        "in",
        "where",
    }
)
"""Sections in which an entry of the wrong shape takes no name away from other entries."""
_SYNTAX_CODES = frozenset({"SM301", "SM302", "SM317"})
"""Codes about the text of an expression, whatever its names stand for."""

_Position = tuple[int, int]
_Region = tuple[_Position, _Position]
_WHOLE_FILE = ((0, 0), (1 << 60, 0))


def without_consequential_errors(
    root: YamlMapping, misfits: Sequence[Diagnostic], diagnostics: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with expressions, without what may only follow from pieces that were
    left out.

    Args:
        root: the document as it was written, nothing left out.
        misfits: what was left out for its shape, and why.
        diagnostics: by the passes that read expressions.

    Returns:
        Those of `diagnostics` that stand, in their order.
    """
    starts, entries = (
        [_position(name.span) for name, _ in root.entries],
        cache(
            lambda place: [
                _position(entry_span) for entry_span in _entry_spans(root.entries[place][1])
            ]
        ),
    )
    regions = [
        (misfit, region)
        for misfit in misfits
        if (region := _affected_region(root, starts, entries, misfit)) is not None
    ]
    blocked = _merged_regions(region for _, region in regions)
    cut = _merged_regions(region for misfit, region in regions if misfit.hint == UNQUOTED_COMMA)
    places = {misfit.span for misfit in misfits}
    return tuple(
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.span not in places
        and not (
            diagnostic.span.file == root.span.file
            and _is_within_regions(diagnostic, cut if diagnostic.code in _SYNTAX_CODES else blocked)
        )
    )


def _merged_regions(regions: Iterable[_Region]) -> list[_Region]:
    """Return regions in their order, those that overlap as one."""
    merged: list[_Region] = []
    for start, end in sorted(regions):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _is_within_regions(diagnostic: Diagnostic, regions: list[_Region]) -> bool:
    place = bisect_right(regions, _position(diagnostic.span), key=itemgetter(0)) - 1
    return place >= 0 and _position(diagnostic.span) < regions[place][1]


def _affected_region(
    root: YamlMapping,
    starts: list[_Position],
    entries_of: Callable[[int], list[_Position]],
    misfit: Diagnostic,
) -> tuple[_Position, _Position] | None:
    """Return where followers of a misfit would lie: in its own entry, or anywhere where it may have
    declared a name; None: nowhere.
    """
    place = bisect_right(starts, _position(misfit.span)) - 1
    if place < 0 or (misfit.code == "SM113" and misfit.span == root.span):
        return None
    name, section = root.entries[place]
    if isinstance(section, YamlScalar) and misfit.code == "SM111":
        return None
    if name.text not in _NAMELESS_SECTIONS or (name.text == "states" and misfit.code != "SM111"):
        return _WHOLE_FILE
    end = starts[place + 1] if place + 1 < len(starts) else _WHOLE_FILE[1]
    entries = entries_of(place)
    at = bisect_right(entries, _position(misfit.span)) - 1
    if at < 0:
        return starts[place], end
    return entries[at], entries[at + 1] if at + 1 < len(entries) else end


def _entry_spans(section: YamlNode) -> list[Span]:
    if isinstance(section, YamlMapping):
        return [name.span for name, _ in section.entries]
    return [item.span for item in section.items] if isinstance(section, Items) else []


def _position(span: Span) -> _Position:
    return span.line, span.column
