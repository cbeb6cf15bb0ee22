"""The words of findings about requests that came to nothing."""

from __future__ import annotations

from collections.abc import Sequence

from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import FallbackKind, Otherwise

_LINE_KIND_BY_FALLBACK = {
    FallbackKind.IGNORE: LineKind.IGNORED,
    FallbackKind.REFUSE: LineKind.REFUSED,
    FallbackKind.RAISE: LineKind.RAISED,
    FallbackKind.FORCE: LineKind.FORCED,
}


def outcome_text(kind: LineKind, expected: Sequence[Otherwise | None], reason: str) -> str:
    """Say what became of a request: `ignored`, `refused`, `raised SomeException`, `failed`."""
    errors = [entry.error for entry in expected if entry is not None and entry.error]
    if kind is LineKind.RAISED and errors:
        return f"raised {errors[-1]}"
    return str(kind) if kind is not LineKind.FAILED or not reason else f"failed: {reason}"


def request_message(
    kind: LineKind,
    source: str | None,
    target: str | None,
    expected: Sequence[Otherwise | None],
    reason: str,
) -> str:
    """Say what was asked, what came of it, and where the spec expects something else."""
    move = f"{source or '?'} -> {target or '?'}"
    if kind is LineKind.FAILED:
        return f"{move} was tried and failed" + (f": {reason}" if reason else "")
    kinds = {
        _LINE_KIND_BY_FALLBACK[entry.does] if entry is not None else LineKind.REFUSED
        for entry in expected
    }
    differs = (
        f"; the spec expected it to be {' or '.join(sorted(kinds))}"
        if kinds and kind not in kinds
        else ""
    )
    return f"{move} was asked for, and {kind}{differs}"
