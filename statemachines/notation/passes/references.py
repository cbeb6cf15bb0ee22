"""Names of states where something refers to them."""

from __future__ import annotations

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.releases import Releases
from statemachines.model.suggestions import ENOUGH, did_you_mean, nearest
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence, items_of
from statemachines.notation.work import Work


def known_states(node: Node | None, work: Work, found: list[Diagnostic]) -> tuple[Scalar, ...]:
    """Return the names of a scalar or list that are states, and report the others."""
    names = [item for item in items_of(node) if isinstance(item, Scalar)]
    for name in names:
        if not work.releases_of(name.text):
            found.append(unknown_state(name, work, len(found)))
    return tuple(name for name in names if work.releases_of(name.text))


def unknown_state(name: Scalar, work: Work, told: int = 0) -> Diagnostic:
    """Report a name that is no state, with a hint while not enough was told."""
    if told >= ENOUGH:
        return Diagnostic("SM204", f"unknown state `{name.text}`", name.span)
    near = nearest(name.text, work.state_names())
    line = next((state.span.line for state in work.states if state.name == near and state.span), None)
    hint = did_you_mean(name.text, work.state_names(), f"declared on line {line}" if line else "")
    return Diagnostic("SM204", f"unknown state `{name.text}`", name.span, hint)


def absent_states(node: Mapping, keys: tuple[str, ...], own: Releases, work: Work) -> list[Diagnostic]:
    """Report states that an entry names singly and that some releases of its own `in` lack."""
    if not isinstance(node.get("in"), Scalar):
        return []
    found = []
    for key in keys:
        name = node.get(key)
        if isinstance(name, Sequence) or not isinstance(name, Scalar) or name.text == "*":
            continue
        missing = own & ~work.releases_of(name.text)
        if missing and work.releases_of(name.text):
            ranges = work.family.ranges(missing)
            has = work.family.ranges(work.releases_of(name.text))
            found.append(Diagnostic("SM206", f"there is no state `{name.text}` in `{ranges}`", name.span, f"it exists in `{has}`"))
    return found
