"""A document in which every shorthand stands in its long form: what lines share is given to each of
them, and what is like another is written out with what differs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attrs import evolve

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.shorthands.cases import (
    CaseBudget,
    NamedCases,
    RaisedErrors,
    cut_ranges,
    named_cases,
    raised_errors,
    with_entry,
)
from statemachines.notation.shorthands.loops import loops_written_out

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


_MOST_TEXTS = 2_000
"""Of one log: beyond it nothing is written out."""
_DEFAULTS = ("logger", "level", "prefix")
_Entry = tuple[YamlScalar, YamlNode]
_Defaults = dict[str, _Entry]


def lines_written_out(log: YamlMapping) -> YamlMapping:
    """Return a log in which each line carries what it shares with others; no groups are left.

    Args:
        log: the value of `log`.

    Returns:
        A mapping whose lines stand in one list.
    """
    lines = log.get("lines")
    outer = _own_defaults(log)
    if not isinstance(lines, YamlSequence) or not (outer or _has_groups(lines)):
        return log
    written = YamlSequence(tuple(_up_to_most_texts(_written_lines(lines, outer))), lines.span)
    return _with_entries(
        log,
        {name.text: (name, written) for name, _ in log.entries if name.text == "lines"},
        without=_DEFAULTS,
    )


def _up_to_most_texts(lines: Iterator[YamlNode]) -> Iterator[YamlNode]:
    """Yield lines until they have more texts than a log may have, which a later pass reports."""
    texts = 0
    for line in lines:
        yield line
        texts += len(node_items(line.get("text"))) if isinstance(line, YamlMapping) else 0
        if texts > _MOST_TEXTS:
            return


def _has_groups(lines: YamlSequence) -> bool:
    return any(isinstance(line, YamlMapping) and line.get("lines") is not None for line in lines)


def _written_lines(lines: YamlSequence, outer: _Defaults) -> Iterator[YamlNode]:
    """Yield the lines of a list, those of its groups in their place."""
    for line in lines:
        if not isinstance(line, YamlMapping):
            yield line
        elif line.get("lines") is None:
            yield _written_line(line, outer)
        else:
            shared = outer | _own_defaults(line) | _own_releases(line)
            yield from (
                _written_line(inner, shared)
                for inner in node_items(line.get("lines"))
                if isinstance(inner, YamlMapping)
            )


def _own_defaults(node: YamlMapping) -> _Defaults:
    return {name.text: (name, value) for name, value in node.entries if name.text in _DEFAULTS}


def _own_releases(node: YamlMapping) -> _Defaults:
    return {name.text: (name, value) for name, value in node.entries if name.text == "in"}


def _written_line(line: YamlMapping, shared: _Defaults) -> YamlMapping:
    """Return a line with what it shares and does not say itself."""
    if not shared:
        return line
    added = {name: entry for name, entry in shared.items() if name in ("logger", "level")}
    if "in" in shared:
        added["in"] = _cut_releases(line.key_scalar("in"), line.get("in"), shared["in"])
    texts, key = line.get("text"), line.key_scalar("text")
    prefixes = node_texts(line.get("prefix") or shared.get("prefix", (None, None))[1])
    if texts is not None and key is not None and any(prefixes):
        added["text"] = key, _with_prefixes(texts, prefixes)
    taken = {name: entry for name, entry in added.items() if name in ("in", "text")}
    taken |= {name: entry for name, entry in added.items() if line.get(name) is None}
    return _with_entries(line, taken, without=("prefix",))


def _with_entries(
    node: YamlMapping, entries: _Defaults, *, without: tuple[str, ...] = ()
) -> YamlMapping:
    """Return a mapping with some entries in place of its own, new ones at its end."""
    own = {name.text: (name, value) for name, value in node.entries if name.text not in without}
    return YamlMapping(tuple((own | entries).values()), node.span)


def _cut_releases(name: YamlScalar | None, own: YamlNode | None, outer: _Entry) -> _Entry:
    """Return the `in` of a line of a group that has one: both hold."""
    if name is None or not isinstance(own, YamlScalar):
        return outer
    return name, evolve(own, text=f"{node_text(outer[1])} & {own.text}")


def _with_prefixes(texts: YamlNode, prefixes: tuple[str, ...]) -> YamlNode:
    """Return each text of a line behind each of some prefixes."""
    scalars = [text for text in node_items(texts) if isinstance(text, YamlScalar)]
    pairs = itertools.islice(itertools.product(scalars, prefixes), _MOST_TEXTS + 1)
    whole = tuple(evolve(text, text=prefix + text.text) for text, prefix in pairs)
    return whole[0] if len(whole) == 1 else YamlSequence(whole, texts.span)


def written_out(root: YamlMapping) -> tuple[YamlMapping, tuple[Diagnostic, ...]]:
    """Write out the shorthands of a document whose shape was checked.

    Args:
        root: the document, its shape checked.

    Returns:
        A document that means the same, in which nodes that have no shorthand are the same nodes;
        and what is wrong with the shorthands.
    """
    diagnostics: list[Diagnostic] = []
    cases = named_cases(root, diagnostics)
    root = likenesses_written_out(root, cases.budget, diagnostics)
    raised = raised_errors(root)
    entries = tuple(
        (name, _section_written_out(name.text, node, cases, raised, diagnostics))
        for name, node in root.entries
        if name.text != "cases"
    )
    return YamlMapping(entries, root.span), tuple(diagnostics)


def _section_written_out(
    name: str,
    node: YamlNode,
    cases: NamedCases,
    raised: RaisedErrors,
    diagnostics: list[Diagnostic],
) -> YamlNode:
    if name == "log" and isinstance(node, YamlMapping):
        return lines_written_out(node)
    if name == "transitions" and isinstance(node, YamlSequence):
        return _operations_written_out(node, cases, raised, diagnostics)
    if name == "events" and isinstance(node, YamlMapping):
        entries = (
            (
                event,
                _operations_written_out(
                    _with_loops(value, diagnostics), cases, raised, diagnostics
                ),
            )
            for event, value in node.entries
        )
        return YamlMapping(tuple(entries), node.span)
    return node


def _with_loops(event: YamlNode, diagnostics: list[Diagnostic]) -> YamlNode:
    """Return an event, or each of its entries, in which loops are arguments."""
    if isinstance(event, YamlSequence):
        return YamlSequence(tuple(_with_loops(item, diagnostics) for item in event), event.span)
    return loops_written_out(event, diagnostics) if isinstance(event, YamlMapping) else event


def _operations_written_out(
    node: YamlNode, cases: NamedCases, raised: RaisedErrors, diagnostics: list[Diagnostic]
) -> YamlNode:
    """Write out an operation, or each of a list of them."""
    if isinstance(node, YamlSequence):
        items = (_operations_written_out(item, cases, raised, diagnostics) for item in node.items)
        return YamlSequence(tuple(items), node.span)
    if not isinstance(node, YamlMapping):
        return node
    written = cases.operation_written_out(node, diagnostics)
    return raised.operation_written_out(written, cases.budget, diagnostics)
