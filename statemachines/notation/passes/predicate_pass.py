"""Predicates: named sets of states."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.machine_definitions import Predicate
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_text,
)
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.passes.state_references import absent_states, known_states
from statemachines.notation.releases.release_ranges import union, values_by_release


def read_predicates(work: SpecBuilder) -> list[Diagnostic]:
    """Read the predicates.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    diagnostics: list[Diagnostic] = []
    node = work.root.get("predicates")
    if isinstance(node, YamlMapping):
        work.predicates = tuple(
            predicate
            for name, value in node.entries
            for predicate in _read_predicate(name, value, work, diagnostics)
        )
    return diagnostics


def _read_predicate(
    name: YamlScalar, value: YamlNode, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[Predicate]:
    for node, releases, span in values_by_release(
        value, work.family, work.releases, diagnostics, name
    ):
        states = node.get("states") if node.entries else value
        known = known_states(states, work, diagnostics)
        missing = absent_states(node, ("states",), releases, work)
        diagnostics.extend(missing)
        cut = releases & union(work.releases_of(state.text) for state in known)
        if known and not cut and not missing:
            ranges = work.family.ranges(releases)
            diagnostics.append(
                Diagnostic(
                    "SM203", f"none of the states of `{name.text}` exists in `{ranges}`", span
                )
            )
        listed = states.items if isinstance(states, YamlSequence) else ()
        if len({node_text(item) for item in listed}) < len(listed):
            diagnostics.append(Diagnostic("SM205", f"`{name.text}` names a state twice", span))
        yield Predicate(
            name.text, tuple(state.text for state in known), node_text(node.get("doc")), cut, span
        )
