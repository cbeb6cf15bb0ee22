"""Arguments that say how far a loop came before an exception ended it: `over` and `until`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.key_shapes import NAME
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
    node_text,
)
from statemachines.notation.shorthands.cases import with_entry

LOOPS_KEY = "loops"
"""Of an event that has loops: what holds of how far they came; never written by a person."""
_GENERATOR = re.compile(rf"({NAME})\s+in\s+(.+)", re.DOTALL)
_Entry = tuple[YamlScalar, YamlNode]


def loops_written_out(event: YamlMapping, diagnostics: list[Diagnostic]) -> YamlMapping:
    """Return an event in which a loop is a set that the system chooses, and a condition on it.

    A loop over a set goes in no order. It comes to all of its elements, or to some of them of which
    exactly one fulfils `until`: that one ended it.

    Args:
        event: an entry of `events`.
        diagnostics: takes what is wrong.

    Returns:
        An event without loops; the same node where it has none.
    """
    args = event.get("args")
    if not isinstance(args, YamlMapping) or not any(_has_loop(value) for _, value in args.entries):
        return event
    entries, conditions = list[_Entry](), list[YamlNode]()
    for name, value in args.entries:
        whole = [
            _written_argument(name.text, node_item, diagnostics) for node_item in node_items(value)
        ]
        written = [argument for argument, _ in whole]
        conditions += _conditions([mapping for _, mapping in whole if mapping is not None], value)
        is_list = isinstance(value, YamlSequence)
        entries.append((name, YamlSequence(tuple(written), value.span) if is_list else written[0]))
    loops = YamlScalar(LOOPS_KEY, args.span), YamlSequence(tuple(conditions), args.span)
    entry = with_entry(event, "args", YamlMapping(tuple(entries), args.span))
    return YamlMapping((*entry.entries, loops), event.span)


def _has_loop(argument: YamlNode) -> bool:
    return any(map(_is_loop, node_items(argument)))


def _is_loop(node: YamlNode) -> bool:
    return isinstance(node, YamlMapping) and node.get("over") is not None


def _conditions(parts: list[YamlMapping], at: YamlNode) -> Iterator[YamlNode]:
    """Yield what holds of one argument: entries of `in` and `is`."""
    if parts:
        yield YamlSequence(tuple(parts), at.span)


def _written_argument(
    name: str, node: YamlNode, diagnostics: list[Diagnostic]
) -> tuple[YamlNode, YamlMapping | None]:
    """Return the argument that a loop stands for, and what holds of it; others as they are."""
    if not isinstance(node, YamlMapping) or not _is_loop(node):
        return node, None
    over, until = node.get("over") or node, node.get("until") or node
    made = _GENERATOR.fullmatch(node_text(over).strip())
    element, whole = made.groups() if made else (name, node_text(over))
    type_ = YamlScalar("type", over.span), YamlScalar(f"set[{whole}]", over.span)
    chosen = YamlScalar("chosen", over.span), YamlScalar("true", over.span)
    entries = (entry for entry in node.entries if entry[0].text in ("doc", "source", "in"))
    argument = YamlMapping((type_, chosen, *entries), node.span)
    if made is None:
        hint = "write `over: task in running`, and `until:` with a condition on the `task`"
        message = f"`{whole}` does not say what is gone over"
        diagnostics.append(Diagnostic("SM332", message, over.span, hint))
        return argument, None
    ends = f"{element} for {element} in {name} if {node_text(until)}"
    text = f"len({{{ends}}}) == 1 or ({{{ends}}} == set() and {name} == ({whole}))"
    ranges = (entry for entry in node.entries if entry[0].text == "in")
    holds = YamlScalar("is", until.span), YamlScalar(text, until.span)
    return argument, YamlMapping((*ranges, holds), until.span)
