"""Transitions as a spec would say them, and what differs between two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from statemachines.model.definitions.data_definitions import Case, Definition, Returns, Signature
from statemachines.model.definitions.machine_definitions import (
    Event,
    Otherwise,
    SpecDefinition,
    Transition,
)
from statemachines.model.definitions.system_definitions import Link
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.messages.expression_text import format_expression

_IDENTIFYING_KEYS = ("case", "from", "to", "event", "on", "enters", "leaves")
"""Keys that say which one it is."""
NotationKeys = Mapping[str, str]
"""Key of the notation to what stands behind it."""


def transition_keys(spec: SpecDefinition, transitions: Sequence[Transition]) -> dict[str, str]:
    """Write the transitions of one entry as the notation has them.

    Args:
        spec: whose transitions they are; it tells the releases.
        transitions: alike but for where they come from and lead to; none: a transition that is not
            there.

    Returns:
        Keys of the notation with their values.
    """
    if not transitions:
        return {}
    first = transitions[0]
    stays = all(
        transition.source == transition.target and not transition.restarts
        for transition in transitions
    )
    entries = {
        "from": _names_text(transition.source for transition in transitions),
        "to": "" if stays else _names_text(transition.target for transition in transitions),
    }
    entries["event"] = "" if first.event == f"to_{first.target}" else first.event
    return _without_empty(
        {
            **entries,
            **(_case_keys(first.case) if first.case else {}),
            "in": _releases_text(spec, first.releases),
        }
    )


def otherwise_keys(spec: SpecDefinition, entry: Otherwise | None) -> dict[str, str]:
    """Write an entry of `otherwise`; None: one that is not there.

    Args:
        spec: in all of its releases.
        entry: of the spec's `otherwise`.

    Returns:
        Keys of the notation with their values.
    """
    if entry is None:
        return {}
    does = f"{entry.does}{f' {entry.error}' if entry.error else ''}"
    entries = {
        "from": _names_text(entry.sources or ()),
        "to": _names_text(entry.targets or ()),
        "event": entry.event or "",
        "does": does,
    }
    return _without_empty({**entries, "in": _releases_text(spec, entry.releases)})


def definition_key(definition: Definition) -> dict[str, str]:
    """Write a definition.

    Args:
        definition: of the spec's definitions.

    Returns:
        One key with its value.
    """
    return {f"define {definition.name}": format_expression(definition.body)}


def event_keys(event: Event) -> dict[str, str]:
    """Write what an event takes: its `let` and `where`.

    Args:
        event: of the spec.

    Returns:
        Keys of the notation with their values.
    """
    signature = event.signature or Signature()
    lets = {f"let {let.name}": format_expression(let.value) for let in signature.lets}
    return _without_empty({"event": event.name, **lets, "where": _expression_text(signature.where)})


def link_keys(link: Link) -> dict[str, str]:
    """Write a link of a system.

    Args:
        link: of a system.

    Returns:
        Keys of the notation with their values.
    """
    entries = {
        "on": link.on,
        "enters": _names_text(link.enters or ()),
        "leaves": _names_text(link.leaves or ()),
        "event": link.event or "",
        "begins": "true" if link.begins else "",
    }
    entries |= {"guard": _expression_text(link.guard), "only if": _expression_text(link.only_if)}
    if link.send is not None:
        key = f"[{format_expression(link.send.key)}]" if link.send.key is not None else ""
        entries["send"] = f"{link.send.part}{key}.{link.send.event}"
        entries |= {f"args {name}": format_expression(value) for name, value in link.send.arguments}
    if link.create is not None:
        entries["create"] = f"{link.create.part}[{format_expression(link.create.key)}]"
    entries |= {
        f"effect {assignment.variable}": format_expression(assignment.value)
        for assignment in link.effect
    }
    later = "true" if link.deferred and link.channel is None else ""
    through = (link.channel or "") if link.deferred or link.hands_over else ""
    return _without_empty({**entries, "later": later, "through": through})


def key_diff(before: NotationKeys, after: NotationKeys) -> tuple[str, ...]:
    """Return the lines of a diff: what stays that says which one it is, then `-` and `+`.

    Args:
        before: keys with their values.
        after: keys with their values.

    Returns:
        Lines.

    >>> key_diff({"from": "LOCKED", "to": "OPEN"}, {"from": "LOCKED", "to": "LOCKED"})
    ('  from: LOCKED', '- to: OPEN', '+ to: LOCKED')
    """
    lines = list[str]()
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if old == new:
            lines += [f"  {key}: {old}"] if key in _IDENTIFYING_KEYS else []
            continue
        lines += [f"- {key}: {old}"] if old is not None else []
        lines += [f"+ {key}: {new}"] if new is not None else []
    return tuple(lines)


def _case_keys(case: Case) -> dict[str, str]:
    entries = {f"let {let.name}": format_expression(let.value) for let in case.lets}
    entries |= {"guard": _expression_text(case.guard), "when": _expression_text(case.when)}
    entries |= {
        f"effect {assignment.variable}": format_expression(assignment.value)
        for assignment in case.effect
    }
    return {**entries, **_result_keys(case.returns), "raises": case.raises or ""}


def _result_keys(returns: Returns) -> dict[str, str]:
    if returns is None or isinstance(returns, Expression):
        return {"returns": _expression_text(returns)}
    return {f"returns {name}": format_expression(value) for name, value in returns}


def _expression_text(node: Expression | None) -> str:
    return "" if node is None else format_expression(node)


def _without_empty(entries: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in entries.items() if text}


def _names_text(names: Iterable[str]) -> str:
    distinct = tuple(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]" if distinct else ""


def _releases_text(spec: SpecDefinition, releases: int) -> str:
    return (
        ""
        if releases & spec.releases == spec.releases or not spec.family.name
        else spec.family.ranges(releases)
    )
