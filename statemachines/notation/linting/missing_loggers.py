"""Steps whose logger is unknown: then no level says whether a log would have shown them."""

from __future__ import annotations

from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity


def missing_loggers(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of a line that tells a step and names no logger.

    Args:
        spec: in all its releases.

    Returns:
        A warning a line, in their order.
    """
    hint = "with it, a step that a file's level hides is not taken for a gap"
    return [
        Diagnostic(
            "SM513", "a line that tells a step names no `logger`", line.span, hint, Severity.WARNING
        )
        for line in (spec.log.lines if spec.log else ())
        if LineKind.STEP in line.kinds and not line.loggers and line.span
    ]
