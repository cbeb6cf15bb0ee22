"""Transitions as a spec would say them, and what differs between two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from statemachines.model.data import Case, Definition, Returns, Signature
from statemachines.model.expressions import Expression
from statemachines.model.machines import Event, Otherwise, Spec, Transition
from statemachines.model.systems import Link
from statemachines.semantics.wording import wording

TELLING = ("case", "from", "to", "event", "on", "enters", "leaves")
"""Keys that say which one it is."""
Keys = Mapping[str, str]
"""Key of the notation to what stands behind it."""


def transition_keys(spec: Spec, arrows: Sequence[Transition]) -> dict[str, str]:
    """Write arrows of one entry as one transition of the notation.

    Args:
        spec: whose arrows they are; it tells the releases.
        arrows: alike but for where they come from and lead to; none: a transition that is not there.
    """
    if not arrows:
        return {}
    first = arrows[0]
    stays = all(arrow.source == arrow.target for arrow in arrows)
    told = {"from": _listed(arrow.source for arrow in arrows), "to": "" if stays else _listed(arrow.target for arrow in arrows)}
    told["event"] = "" if first.event == f"to_{first.target}" else first.event
    return _said({**told, **(_case(first.case) if first.case else {}), "in": _ranges(spec, first.releases)})


def otherwise_keys(spec: Spec, entry: Otherwise | None) -> dict[str, str]:
    """Write an entry of `otherwise`; None: one that is not there."""
    if entry is None:
        return {}
    does = f"{entry.does}{f' {entry.error}' if entry.error else ''}"
    told = {"from": _listed(entry.sources or ()), "to": _listed(entry.targets or ()), "event": entry.event or "", "does": does}
    return _said({**told, "in": _ranges(spec, entry.releases)})


def definition_key(one: Definition) -> dict[str, str]:
    """Write a definition."""
    return {f"define {one.name}": wording(one.body)}


def event_keys(event: Event) -> dict[str, str]:
    """Write what an event takes: its `let` and `where`."""
    signature = event.signature or Signature()
    lets = {f"let {one.name}": wording(one.value) for one in signature.lets}
    return _said({"event": event.name, **lets, "where": _condition(signature.where)})


def link_keys(link: Link) -> dict[str, str]:
    """Write a link of a system."""
    told = {"on": link.on, "enters": _listed(link.enters or ()), "leaves": _listed(link.leaves or ()), "event": link.event or ""}
    told |= {"guard": _condition(link.guard), "only if": _condition(link.only_if)}
    if link.send is not None:
        one = f"[{wording(link.send.key)}]" if link.send.key is not None else ""
        told["send"] = f"{link.send.part}{one}.{link.send.event}"
        told |= {f"args {name}": wording(value) for name, value in link.send.arguments}
    told |= {f"effect {one.variable}": wording(one.value) for one in link.effect}
    return _said({**told, "later": "true" if link.later else ""})


def differing(before: Keys, after: Keys) -> tuple[str, ...]:
    """Return the lines of a diff: what stays that says which one it is, then `-` and `+`.

    >>> differing({"from": "LOCKED", "to": "OPEN"}, {"from": "LOCKED", "to": "LOCKED"})
    ('  from: LOCKED', '- to: OPEN', '+ to: LOCKED')
    """
    lines = list[str]()
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if old == new:
            lines += [f"  {key}: {old}"] if key in TELLING else []
            continue
        lines += [f"- {key}: {old}"] if old is not None else []
        lines += [f"+ {key}: {new}"] if new is not None else []
    return tuple(lines)


def _case(case: Case) -> dict[str, str]:
    told = {f"let {one.name}": wording(one.value) for one in case.lets}
    told |= {"guard": _condition(case.guard), "when": _condition(case.when)}
    told |= {f"effect {one.variable}": wording(one.value) for one in case.effect}
    return {**told, **_returned(case.returns), "raises": case.raises or ""}


def _returned(returns: Returns) -> dict[str, str]:
    if returns is None or isinstance(returns, Expression):
        return {"returns": _condition(returns)}
    return {f"returns {name}": wording(value) for name, value in returns}


def _condition(node: Expression | None) -> str:
    return "" if node is None else wording(node)


def _said(told: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in told.items() if text}


def _listed(names: Iterable[str]) -> str:
    each = tuple(dict.fromkeys(names))
    return each[0] if len(each) == 1 else f"[{', '.join(each)}]" if each else ""


def _ranges(spec: Spec, releases: int) -> str:
    return "" if releases & spec.releases == spec.releases or not spec.family.name else spec.family.ranges(releases)
