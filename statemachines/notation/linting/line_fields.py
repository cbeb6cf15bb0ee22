"""Lines that name what they are about where their spec does not, and fields that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.log_definitions import LineDefinition, LineKind, LogDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.notation.lines.line_templates import STATE_FIELDS, template_fields

_LIFE_KINDS = frozenset({LineKind.STEP, LineKind.IS, LineKind.BEGIN, LineKind.END})


def merged_instances(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of a log without `instance` whose lines all capture one and the same unused field: the
    steps of many would be judged as those of one.

    Args:
        spec: in all its releases.

    Returns:
        A warning, or nothing.
    """
    log = spec.log
    lines = [line for line in log.lines if _LIFE_KINDS & {*line.kinds}] if log else []
    if log is None or log.instance or not lines:
        return []
    named = set.intersection(*({*_captured(line)} for line in lines)) - {*STATE_FIELDS}
    unused = sorted(name for name in named if not any(_uses(line, name) for line in log.lines))
    if not unused or lines[0].span is None:
        return []
    name = unused[0]
    return [
        Diagnostic(
            "SM525",
            f"each line captures `{name}`, and whatever it is, all are one instance",
            lines[0].span,
            f"`instance: [{name}]` below `log:` tells them apart; `{{*}}` captures nothing",
            Severity.WARNING,
        )
    ]


def _captured(line: LineDefinition) -> set[str]:
    """Return the fields that every wording of a line captures."""
    return set.intersection(*({*template.fields} for template in line.templates))


def _uses(line: LineDefinition, name: str) -> bool:
    """Tell whether a line does more with a field than to capture it."""
    pairs = (*line.argument_templates, *line.variable_templates, *(line.about or ()))
    return (
        any(f"{{{name}}}" in text for _, text in pairs)
        or (line.each is not None and name in line.each.lists)
        or any(part.field == name for part in line.inside)
    )


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
            *(line.each.lists if line.each else ()),
            *(inside.field for inside in line.inside),
            *(field for _, text in values for field in template_fields(text)),
        )
    )
