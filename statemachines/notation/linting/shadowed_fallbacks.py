"""Entries of `otherwise` that never count, for earlier ones take all they could."""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import Otherwise, SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity

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
