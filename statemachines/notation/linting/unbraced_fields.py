"""Values of a line that are the name of a field, where what the field captures is meant."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.log_definitions import LineDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity


def unbraced_fields(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of `set: {floor: floor}` where the line captures `floor`: its word would be the value,
    which no number is, and what looks at the variable would never be decided.

    Args:
        spec: in all its releases.

    Returns:
        A warning a value, in the order of the lines.
    """
    lines = spec.log.lines if spec.log else ()
    return [warning for line in lines for warning in _unbraced_in_line(line)]


def _unbraced_in_line(line: LineDefinition) -> Iterator[Diagnostic]:
    fields = {field for template in line.templates for field in template.fields}
    for name, text in (*line.variable_templates, *line.argument_templates):
        if text in fields and line.span is not None:
            yield Diagnostic(
                "SM526",
                f"the value of `{name}` is the word `{text}`, whatever the line tells",
                line.span,
                f"`{{{text}}}` is what the field of this name captures",
                Severity.WARNING,
            )
