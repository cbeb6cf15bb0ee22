"""Steps that time never takes, as another one begins the times of their state again before."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.machine_definitions import SpecDefinition, Transition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.model.evidence.durations import format_duration


def times_never_due(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of a step that time takes and that is never due: another one of its state comes before,
    whatever else holds, and begins all times of the state again.

    Args:
        spec: in all its releases.

    Returns:
        A warning a transition, in their order.
    """
    timed = [transition for transition in spec.transitions if transition.after_ms]
    first = [transition for transition in timed if _always_restarts(transition)]
    return list(_warnings(timed, first))


def _always_restarts(transition: Transition) -> bool:
    """Tell whether time takes a step again and again, for nothing can hinder it."""
    case = transition.case
    is_bare = case is None or (case.guard is None and case.when is None)
    return transition.restarts and transition.taken and is_bare


def _warnings(timed: list[Transition], first: list[Transition]) -> Iterator[Diagnostic]:
    for late in timed:
        for early in first:
            is_before = early.source == late.source and early.after_ms < late.after_ms
            if is_before and late.releases & early.releases == late.releases:
                assert late.span is not None
                message = (
                    f"time never takes `{late.event}`: every {format_duration(early.after_ms)}"
                    f" `{early.event}` begins the times of `{early.source}` again"
                )
                hint = (
                    f"give `{early.event}` a `guard` that ends it, or leave out its `to`:"
                    " then it comes once, and no time begins again"
                )
                yield Diagnostic("SM223", message, late.span, hint, Severity.WARNING)
                break
