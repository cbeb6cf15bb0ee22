"""Lines that name what they tell of, in a spec that takes all of it for one instance."""

from __future__ import annotations

from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.notation.lines.line_templates import STATE_FIELDS

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
        or (line.each is not None and line.each.field == name)
        or any(part.field == name for part in line.inside)
    )
