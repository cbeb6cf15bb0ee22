"""States that nothing leads to, and states that nothing leaves."""

from __future__ import annotations

from statemachines.model.diagnostics import Diagnostic, Severity
from statemachines.model.machines import Spec, State
from statemachines.model.places import Span
from statemachines.model.releases import Releases


def unreachable_states(spec: Spec) -> list[Diagnostic]:
    """Warn of a state that no path from an initial state reaches, with the releases in which it is so."""
    reached = _reached(spec)
    found = []
    for state in spec.states:
        missing = state.releases & ~reached.get(state.name, 0)
        if missing:
            found.append(
                _warning("SM208", f"nothing leads to `{state.name}`{_in(spec, missing)}", state, "add a transition or `initial: true`")
            )
    return found


def _reached(spec: Spec) -> dict[str, Releases]:
    """Return the releases in which each state can be reached: a fixed point over all releases at once."""
    reached: dict[str, Releases] = {}
    for state in spec.states:
        if state.initial:
            reached[state.name] = reached.get(state.name, 0) | state.releases
    changed = True
    while changed:
        changed = False
        for arrow in spec.transitions:
            new = reached.get(arrow.source, 0) & arrow.releases & ~reached.get(arrow.target, 0)
            if new:
                reached[arrow.target] = reached.get(arrow.target, 0) | new
                changed = True
    return reached


def dead_ends(spec: Spec) -> list[Diagnostic]:
    """Warn of a state that is not final and that no transition leaves."""
    left: dict[str, Releases] = {}
    for arrow in spec.transitions:
        if arrow.target != arrow.source or arrow.case is not None:
            left[arrow.source] = left.get(arrow.source, 0) | arrow.releases
    found = []
    for state in spec.states:
        stuck = 0 if state.final or not state.name else state.releases & ~left.get(state.name, 0)
        if stuck:
            found.append(
                _warning("SM209", f"nothing leaves `{state.name}`{_in(spec, stuck)}, and it is not final", state, "add `final: true`")
            )
    return found


def _in(spec: Spec, releases: Releases) -> str:
    return f" in `{spec.family.ranges(releases)}`" if spec.family.name else ""


def _warning(code: str, message: str, state: State, hint: str) -> Diagnostic:
    return Diagnostic(code, message, state.span or Span("", 1, 1), hint, Severity.WARNING)
