"""Arguments that say how far a loop came before an exception ended it: `over` and `until`."""

from __future__ import annotations

import re

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.key_shapes import NAME
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_text,
)

LOOPS_KEY = "loops"
"""Of an event that has loops: what holds of how far they came; never written by a person."""
_GENERATOR = re.compile(rf"({NAME})\s+in\s+(.+)", re.DOTALL)
_Entry = tuple[YamlScalar, YamlNode]


def loops_written_out(event: YamlMapping, found: list[Diagnostic]) -> YamlMapping:
    """Return an event in which a loop is a set that the system chooses, and a condition on it.

    A loop over a set goes in no order. It comes to all of its elements, or to some of them of which
    exactly one fulfils `until`: that one ended it.
    """
    args = event.get("args")
    if not isinstance(args, YamlMapping) or not any(_is_loop(value) for _, value in args.entries):
        return event
    entries, conditions = list[_Entry](), list[YamlNode]()
    for name, value in args.entries:
        if isinstance(value, YamlMapping) and _is_loop(value):
            value = _chosen_set(name.text, value, conditions, found)
        entries.append((name, value))
    written = YamlMapping(tuple(entries), args.span)
    kept = ((key, written if key.text == "args" else value) for key, value in event.entries)
    loops = YamlScalar(LOOPS_KEY, args.span), YamlSequence(tuple(conditions), args.span)
    return YamlMapping((*kept, loops), event.span)


def _is_loop(node: YamlNode) -> bool:
    return isinstance(node, YamlMapping) and node.get("over") is not None


def _chosen_set(
    name: str, loop: YamlMapping, conditions: list[YamlNode], found: list[Diagnostic]
) -> YamlMapping:
    """Return the argument that a loop stands for; add what holds of it."""
    over, until = loop.get("over") or loop, loop.get("until") or loop
    made = _GENERATOR.fullmatch(node_text(over).strip())
    element, whole = made.groups() if made else (name, node_text(over))
    if made is None:
        hint = "write `over: task in running`, and `until:` with a condition on the `task`"
        message = f"`{whole}` does not say what is gone over"
        found.append(Diagnostic("SM332", message, over.span, hint))
    else:
        ends = f"{element} for {element} in {name} if {node_text(until)}"
        text = f"len({{{ends}}}) == 1 or ({{{ends}}} == set() and {name} == ({whole}))"
        conditions.append(YamlScalar(text, until.span))
    type_ = YamlScalar("type", over.span), YamlScalar(f"set[{whole}]", over.span)
    chosen = YamlScalar("chosen", over.span), YamlScalar("true", over.span)
    kept = (entry for entry in loop.entries if entry[0].text in ("doc", "source"))
    return YamlMapping((type_, chosen, *kept), loop.span)
