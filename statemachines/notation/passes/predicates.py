"""Predicates: named sets of states."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Predicate
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence, text_of
from statemachines.notation.passes.references import absent_states, known_states
from statemachines.notation.ranges import union, values_in
from statemachines.notation.work import Work


def predicates(work: Work) -> list[Diagnostic]:
    """Read the predicates."""
    found: list[Diagnostic] = []
    node = work.root.get("predicates")
    if isinstance(node, Mapping):
        work.predicates = tuple(predicate for name, value in node.entries for predicate in _named(name, value, work, found))
    return found


def _named(name: Scalar, value: Node, work: Work, found: list[Diagnostic]) -> Iterator[Predicate]:
    for said, releases, span in values_in(value, work.family, work.releases, found, name):
        states = said.get("states") if said.entries else value
        known = known_states(states, work, found)
        missing = absent_states(said, ("states",), releases, work)
        found.extend(missing)
        cut = releases & union(work.releases_of(state.text) for state in known)
        if known and not cut and not missing:
            ranges = work.family.ranges(releases)
            found.append(Diagnostic("SM203", f"none of the states of `{name.text}` exists in `{ranges}`", span))
        listed = states.items if isinstance(states, Sequence) else ()
        if len({text_of(item) for item in listed}) < len(listed):
            found.append(Diagnostic("SM205", f"`{name.text}` names a state twice", span))
        yield Predicate(name.text, tuple(state.text for state in known), text_of(said.get("doc")), cut, span)
