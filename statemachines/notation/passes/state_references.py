"""Names of states where something refers to them."""

from __future__ import annotations

from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import MOST_HINTS, did_you_mean, nearest_word
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
)
from statemachines.notation.passes.spec_builder import SpecBuilder


def known_states(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[YamlScalar, ...]:
    """Return the names of a scalar or list that are states, and report the others.

    Args:
        node: as the spec has it; None where it is missing.
        work: the spec that is read; what is read is put into it.
        diagnostics: takes what is wrong.

    Returns:
        Names of states with their places, in the author's order.
    """
    names = [item for item in node_items(node) if isinstance(item, YamlScalar)]
    for name in names:
        if not work.releases_of(name.text):
            diagnostics.append(unknown_state_error(name, work, len(diagnostics)))
    return tuple(name for name in names if work.releases_of(name.text))


def unknown_state_error(name: YamlScalar, work: SpecBuilder, reported: int = 0) -> Diagnostic:
    """Report a name that is no state, with a hint while not enough was told.

    Args:
        name: as the spec has it.
        work: the spec that is read; what is read is put into it.
        reported: how many hints were given already.

    Returns:
        The diagnostic SM204.
    """
    if reported >= MOST_HINTS:
        return Diagnostic("SM204", f"unknown state `{name.text}`", name.span)
    near = nearest_word(name.text, work.state_names())
    line = next(
        (state.span.line for state in work.states if state.name == near and state.span), None
    )
    hint = did_you_mean(name.text, work.state_names(), f"declared on line {line}" if line else "")
    return Diagnostic("SM204", f"unknown state `{name.text}`", name.span, hint)


def absent_states(
    node: YamlMapping, keys: tuple[str, ...], own: ReleaseSet, work: SpecBuilder
) -> list[Diagnostic]:
    """Report states that an entry names singly and that some releases of its own `in` lack.

    Args:
        node: an entry of the document.
        keys: of the entry that name states.
        own: the releases of the entry.
        work: the spec that is read; what is read is put into it.

    Returns:
        A diagnostic a state.
    """
    if not isinstance(node.get("in"), YamlScalar):
        return []
    diagnostics = []
    for key in keys:
        name = node.get(key)
        if isinstance(name, YamlSequence) or not isinstance(name, YamlScalar) or name.text == "*":
            continue
        missing = own & ~work.releases_of(name.text)
        if missing and work.releases_of(name.text):
            ranges = work.family.ranges(missing)
            has = work.family.ranges(work.releases_of(name.text))
            diagnostics.append(
                Diagnostic(
                    "SM206",
                    f"there is no state `{name.text}` in `{ranges}`",
                    name.span,
                    f"it exists in `{has}`",
                )
            )
    return diagnostics
