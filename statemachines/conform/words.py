"""The words of findings about requests that came to nothing."""

from __future__ import annotations

from collections.abc import Sequence

from statemachines.model.loglines import Says
from statemachines.model.machines import Does, Otherwise

KIND_OF = {Does.IGNORE: Says.IGNORED, Does.REFUSE: Says.REFUSED, Does.RAISE: Says.RAISED, Does.FORCE: Says.FORCED}


def outcome_words(kind: Says, expected: Sequence[Otherwise | None], reason: str) -> str:
    """Say what became of a request: `ignored`, `refused`, `raised SomeException`, `failed`."""
    errors = [entry.error for entry in expected if entry is not None and entry.error]
    if kind is Says.RAISED and errors:
        return f"raised {errors[-1]}"
    return str(kind) if kind is not Says.FAILED or not reason else f"failed: {reason}"


def request_words(kind: Says, source: str | None, target: str | None, expected: Sequence[Otherwise | None], reason: str) -> str:
    """Say what was asked, what came of it, and where the spec expects something else."""
    move = f"{source or '?'} -> {target or '?'}"
    if kind is Says.FAILED:
        return f"{move} was tried and failed" + (f": {reason}" if reason else "")
    kinds = {KIND_OF[entry.does] if entry is not None else Says.REFUSED for entry in expected}
    differs = f"; the spec expected it to be {' or '.join(sorted(kinds))}" if kinds and kind not in kinds else ""
    return f"{move} was asked for, and {kind}{differs}"
