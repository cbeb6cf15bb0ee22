"""Fields of a line that nothing uses, and whose names are nearly those of fields with a meaning."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.log_definitions import LineDefinition, LineKind, LogDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.notation.lines.line_templates import STATE_FIELDS, template_fields

_TELLS_FROM = frozenset(LineKind) - {LineKind.IS, LineKind.BEGIN, LineKind.END, LineKind.NOTE}


def misspelt_fields(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of `{form} -> {to}`, where `{from}` is meant: the line would not say what was left.

    Args:
        spec: in all its releases.

    Returns:
        A warning a field, in the order of the lines.
    """
    log = spec.log
    if log is None:
        return []
    return [warning for line in log.lines for warning in _misspelt_in_line(line, log)]


def _misspelt_in_line(line: LineDefinition, log: LogDefinition) -> Iterator[Diagnostic]:
    captured = dict.fromkeys(field for template in line.templates for field in template.fields)
    missing = [key for key in log.instance if key not in captured]
    if _TELLS_FROM.intersection(line.kinds) and "to" in captured and not line.source:
        missing += [] if "from" in captured else ["from"]
    used = _used_fields(line, log)
    for field in captured:
        hint = "" if field in used else nearest_hint(field, missing)
        if hint and line.span is not None:
            yield Diagnostic(
                "SM527",
                f"nothing uses the field `{field}`, which this line captures",
                line.span,
                hint,
                Severity.WARNING,
            )


def _used_fields(line: LineDefinition, log: LogDefinition) -> frozenset[str]:
    """Return the fields that mean something, or that the spec speaks of elsewhere."""
    values = (*line.variable_templates, *line.argument_templates, *(line.about or ()))
    named = (log.generation, log.generation_carrier, log.life, log.sequence, log.previous)
    return frozenset(
        (
            *STATE_FIELDS,
            *log.instance,
            *log.remembers,
            *(name for name, _ in log.patterns),
            *(name for name in named if name),
            *([line.each.field] if line.each else []),
            *(inside.field for inside in line.inside),
            *(field for _, text in values for field in template_fields(text)),
        )
    )
