"""`like`: an event that is another one but for what it says itself."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
    node_text,
)
from statemachines.notation.shorthands.cases import CaseBudget, cut_ranges, with_entry

_NAMED_PARTS = ("args", "let", "effect", "returns")
"""Keys whose values are taken name by name; of all others the value is the event's own, if any."""


def likenesses_written_out(
    root: YamlMapping, budget: CaseBudget, diagnostics: list[Diagnostic]
) -> YamlMapping:
    """Return a document in which each event says everything itself.

    Args:
        root: the document.
        budget: how many entries may still be made.
        diagnostics: what is wrong is added.

    Returns:
        A document without `like`.
    """
    events = root.get("events")
    if not isinstance(events, YamlMapping) or not any(_likes(value) for _, value in events.entries):
        return root
    others = {name.text: value for name, value in events.entries}
    entries = tuple(
        (name, _written_event(value, others, budget, diagnostics) if _likes(value) else value)
        for name, value in events.entries
    )
    return with_entry(root, "events", YamlMapping(entries, events.span))


def _likes(event: YamlNode) -> bool:
    """Tell whether an event, in some releases, is like another one."""
    return any(
        isinstance(entry, YamlMapping) and entry.get("like") is not None
        for entry in node_items(event)
    )


def _written_event(
    event: YamlNode, others: dict[str, YamlNode], budget: CaseBudget, diagnostics: list[Diagnostic]
) -> YamlNode:
    written = [
        made
        for entry in node_items(event)
        if isinstance(entry, YamlMapping)
        for made in _written_entry(entry, others, budget, diagnostics)
    ]
    if len(written) == 1 and written[0].get("in") is None:
        return written[0]
    return YamlSequence(tuple(written), event.span)


def _written_entry(
    own: YamlMapping, others: dict[str, YamlNode], budget: CaseBudget, diagnostics: list[Diagnostic]
) -> Iterator[YamlMapping]:
    """Yield an entry once for each entry of the event that it is like."""
    wanted = own.get("like")
    if wanted is None:
        yield own
        return
    own = YamlMapping(tuple(e for e in own.entries if e[0].text != "like"), own.span)
    other = others.get(node_text(wanted))
    if other is None or _likes(other):
        diagnostics.append(_no_such_event(wanted, others))
        yield own
        return
    for entry in _entries_of_same_releases(own, other):
        if not budget.take(own, diagnostics):
            return
        yield _joined(entry, own)


def _entries_of_same_releases(own: YamlMapping, other: YamlNode) -> tuple[YamlMapping, ...]:
    """Return the entries of another event that have the same `in`, all of them where none has."""
    if isinstance(other, YamlScalar):
        return (YamlMapping((), other.span),)
    entries = tuple(entry for entry in node_items(other) if isinstance(entry, YamlMapping))
    ranges = node_text(own.get("in"))
    alike = tuple(entry for entry in entries if node_text(entry.get("in")) == ranges)
    return alike or entries


def _joined(other: YamlMapping, own: YamlMapping) -> YamlMapping:
    """Return what both say; what the event says itself counts."""
    made = YamlMapping(other.entries, own.span)
    for name, value in own.entries:
        inherited = other.get(name.text)
        if name.text == "in" and node_text(inherited) != node_text(value):
            value = cut_ranges(inherited, value) or value
        if name.text in _NAMED_PARTS and isinstance(inherited, YamlMapping):
            value = _joined_names(inherited, value)
        made = with_entry(made, name.text, value)
    return made


def _joined_names(inherited: YamlMapping, own: YamlNode) -> YamlNode:
    """Return two mappings from names as one, in the order of the first."""
    if not isinstance(own, YamlMapping):
        return own
    entries = {name.text: (name, value) for name, value in inherited.entries}
    entries |= {name.text: (name, value) for name, value in own.entries}
    return YamlMapping(tuple(entries.values()), own.span)


def _no_such_event(wanted: YamlNode, others: dict[str, YamlNode]) -> Diagnostic:
    name = node_text(wanted)
    if name in others:
        message = f"`{name}` is like another event itself"
        return Diagnostic("SM331", message, wanted.span, "name the event that says it all")
    hint = did_you_mean(name, [other for other, value in others.items() if not _likes(value)])
    return Diagnostic("SM331", f"there is no event `{name}` to be like", wanted.span, hint)
