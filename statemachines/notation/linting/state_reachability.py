"""What of a spec never happens: states that nothing leads to or leaves, fallbacks that never count,
machines without any state.
"""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import Otherwise, SpecDefinition, State
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity, Span


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


def empty_machines(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of a machine that says nothing: a file that was begun, or whose keys were lost. What
    defines functions alone is for others to use.

    Args:
        spec: in all its releases.

    Returns:
        A warning, or nothing.
    """
    data = (spec.data, *(machine_data for _, machine_data in spec.versions))
    named = any(state.name for state in spec.states)
    if (
        named
        or spec.transitions
        or spec.events
        or any(machine_data.variables or machine_data.definitions for machine_data in data)
    ):
        return []
    message = f"`{spec.name}` has no states, no events and no variables: nothing can happen in it"
    hint = "write `states:` and `transitions:`, or `variables:` and `events:`"
    return [Diagnostic("SM221", message, Span(spec.file, 1, 1), hint, Severity.WARNING)]


_MOST_ENTRIES = 1_000
"""Entries that are compared, each with all before it: a machine that a person wrote has some
dozens.
"""
_MOST_LINES_SHOWN = 10


def shadowed_fallbacks(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of an entry whose every state, event and release an earlier entry takes; beyond a
    thousand entries none is looked at.

    Args:
        spec: in all its releases.

    Returns:
        A warning an entry, in their order.
    """
    diagnostics = []
    for index, entry in enumerate(spec.otherwise[:_MOST_ENTRIES]):
        earlier = [other for other in spec.otherwise[:index] if _covers(other, entry)]
        left = entry.releases
        for other in earlier:
            left &= ~other.releases
        if entry.releases and not left and entry.span:
            lines = ", ".join(
                str(other.span.line) for other in earlier[:_MOST_LINES_SHOWN] if other.span
            ) + (", …" if len(earlier) > _MOST_LINES_SHOWN else "")
            message = "this entry never counts: earlier ones take all it could"
            diagnostics.append(
                Diagnostic("SM214", message, entry.span, f"see line {lines}", Severity.WARNING)
            )
    return diagnostics


def _covers(earlier: Otherwise, later: Otherwise) -> bool:
    """Tell whether one entry takes everything that another could, where their releases meet."""
    events = earlier.event is None or earlier.event == later.event
    return (
        events
        and _is_superset(earlier.sources, later.sources)
        and _is_superset(earlier.targets, later.targets)
    )


def _is_superset(earlier: tuple[str, ...] | None, later: tuple[str, ...] | None) -> bool:
    return earlier is None or (later is not None and set(later) <= set(earlier))
