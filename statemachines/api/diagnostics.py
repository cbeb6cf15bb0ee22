"""What is wrong with a spec, as text for a person."""

from __future__ import annotations

from collections.abc import Sequence

from statemachines.model.diagnostics import Diagnostic


def shown(diagnostics: Sequence[Diagnostic]) -> str:
    """Return diagnostics with their lines and a caret under the offender, as the notation renders them."""
    return "\n".join(f"{d.span.file}:{d.span.line}:{d.span.column}  {d.code}  {d.message}" for d in diagnostics)
