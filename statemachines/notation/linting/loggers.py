"""Steps whose logger is not told: then no file's level says whether the step would have been shown."""

from __future__ import annotations

from statemachines.model.diagnostics import Diagnostic, Severity
from statemachines.model.loglines import Says
from statemachines.model.machines import Spec


def missing_loggers(spec: Spec) -> list[Diagnostic]:
    """Warn of a line that tells a step and names no logger."""
    hint = "with it, a step that a file's level hides is not taken for a gap"
    return [
        Diagnostic("SM513", "a line that tells a step names no `logger`", line.span, hint, Severity.WARNING)
        for line in (spec.log.lines if spec.log else ())
        if Says.STEP in line.says and not line.loggers and line.span
    ]
