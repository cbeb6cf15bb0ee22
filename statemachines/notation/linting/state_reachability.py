"""States that nothing leads to, and states that nothing leaves."""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import SpecDefinition, State
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.model.diagnosis.spans import Span


def unreachable_states(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of a state that no path from an initial state reaches, with the releases in which it is
    so.

    Args:
        spec: in all its releases.

    Returns:
        A warning a state, in their order.
    """
    reached = _reachable_releases(spec)
    diagnostics = []
    for state in spec.states:
        missing = state.releases & ~reached.get(state.name, 0)
        if missing:
            diagnostics.append(
                _state_warning(
                    "SM208",
                    f"nothing leads to `{state.name}`{_release_suffix(spec, missing)}",
                    state,
                    "add a transition or `initial: true`",
                )
            )
    return diagnostics


def _reachable_releases(spec: SpecDefinition) -> dict[str, ReleaseSet]:
    """Return the releases in which each state can be reached: a fixed point over all releases at
    once.
    """
    reached: dict[str, ReleaseSet] = {}
    for state in spec.states:
        if state.initial:
            reached[state.name] = reached.get(state.name, 0) | state.releases
    changed = True
    while changed:
        changed = False
        for transition in spec.transitions:
            new = (
                reached.get(transition.source, 0)
                & transition.releases
                & ~reached.get(transition.target, 0)
            )
            if new:
                reached[transition.target] = reached.get(transition.target, 0) | new
                changed = True
    return reached


def dead_ends(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of a state that is not final and that no transition leaves.

    Args:
        spec: in all its releases.

    Returns:
        A warning a state, in their order.
    """
    left: dict[str, ReleaseSet] = {}
    for transition in spec.transitions:
        if transition.target != transition.source or transition.case is not None:
            left[transition.source] = left.get(transition.source, 0) | transition.releases
    diagnostics = []
    for state in spec.states:
        stuck = 0 if state.final or not state.name else state.releases & ~left.get(state.name, 0)
        if stuck:
            diagnostics.append(
                _state_warning(
                    "SM209",
                    f"nothing leaves `{state.name}`{_release_suffix(spec, stuck)}, and it is not"
                    " final",
                    state,
                    "add `final: true`",
                )
            )
    return diagnostics


def _release_suffix(spec: SpecDefinition, releases: ReleaseSet) -> str:
    return f" in `{spec.family.ranges(releases)}`" if spec.family.name else ""


def _state_warning(code: str, message: str, state: State, hint: str) -> Diagnostic:
    return Diagnostic(code, message, state.span or Span("", 1, 1), hint, Severity.WARNING)
