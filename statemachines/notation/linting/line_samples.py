"""Samples: each is read by its own line, as it says, and by no other line with another meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.definitions.log_definitions import LineDefinition, Sample
from statemachines.model.definitions.machine_definitions import SpecDefinition, State
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.notation.lines.line_matching import (
    CapturedValues,
    matching_templates,
    state_by_spelling,
)

STATE_FIELDS = ("from", "to", "state")


def unread_samples(spec: SpecDefinition) -> list[Diagnostic]:
    """Report samples that their line does not read, or reads as something else than they say.

    Args:
        spec: in all its releases.

    Returns:
        A diagnostic a sample, in the order of the lines.
    """
    return [
        wrong
        for line in (spec.log.lines if spec.log else ())
        for wrong in _unread_line_samples(line, spec.states)
    ]


def unread_family_samples(spec: SpecDefinition) -> list[Diagnostic]:
    """The same for the lines of the family.

    Args:
        spec: in all its releases.

    Returns:
        A diagnostic a sample, in the order of the lines.
    """
    return [
        wrong
        for line in (spec.family_log.lines if spec.family_log else ())
        for wrong in _unread_line_samples(line, ())
    ]


def _unread_line_samples(line: LineDefinition, states: tuple[State, ...]) -> Iterator[Diagnostic]:
    for sample in line.samples:
        read = [
            dict(values) | (dict(items[0]) if items else {})
            for _, values, items in matching_templates(line, sample.line)
            if items or not line.each
        ]
        span = sample.span or line.span or Span("", 1, 1)
        if not read:
            yield Diagnostic(
                "SM505",
                f"this line does not match its sample `{sample.line}`",
                span,
                "compare it with the text, word by word",
            )
        else:
            yield from _wrong_yields(line, sample, read[0], states, span)


def _wrong_yields(
    line: LineDefinition,
    sample: Sample,
    values: dict[str, str],
    states: tuple[State, ...],
    span: Span,
) -> Iterator[Diagnostic]:
    values_read = _fixed_fields(line) | values
    for name, expected in sample.yields:
        if name not in values_read:
            yield Diagnostic(
                "SM506",
                f"the line does not capture `{name}`",
                span,
                "it captures " + ", ".join(f"`{known}`" for known in values_read),
            )
        elif expected not in (values_read[name], state_by_spelling(states, values_read[name])):
            yield Diagnostic(
                "SM506", f"`{name}` is read as `{values_read[name]}`, not as `{expected}`", span
            )


def _fixed_fields(line: LineDefinition) -> dict[str, str]:
    """Return what a line tells without its text."""
    fixed = {
        "from": line.source[0] if len(line.source) == 1 else None,
        "to": line.target[0] if len(line.target) == 1 else None,
    }
    fixed |= {"state": line.state, "event": line.event}
    return {name: value for name, value in fixed.items() if value}


def conflicting_samples(spec: SpecDefinition) -> list[Diagnostic]:
    """Report samples that another line of the machine reads in the same release with another
    meaning.

    Args:
        spec: in all its releases.

    Returns:
        A diagnostic a sample, in the order of the lines.
    """
    if spec.log is None:
        return []
    diagnostics = []
    for line in spec.log.lines:
        rivals = [
            other for other in spec.log.lines if other is not line and may_compete(line, other)
        ]
        for sample in line.samples:
            diagnostics += list(_conflicting_readings(sample, line, rivals, spec))
    return diagnostics


def _conflicting_readings(
    sample: Sample, line: LineDefinition, rivals: Iterable[LineDefinition], spec: SpecDefinition
) -> Iterator[Diagnostic]:
    own = [
        _line_meaning(line, values, items, spec)
        for _, values, items in matching_templates(line, sample.line)
    ]
    for other in rivals:
        for _, values, items in matching_templates(other, sample.line):
            if own and _line_meaning(other, values, items, spec) not in own:
                where = f"line {other.span.line}" if other.span else "another line"
                both = spec.family.ranges(line.releases & other.releases)
                message = (
                    f"{where} reads this sample too"
                    + (f" in `{both}`" if both else "")
                    + ", and says something else"
                )
                hint = "give the two different `in`, `logger` or `level`, or longer texts"
                yield Diagnostic("SM507", message, sample.span or line.span or Span("", 1, 1), hint)


def may_compete(line: LineDefinition, other: LineDefinition) -> bool:
    """Tell whether two lines compete: in one release, with nothing that chooses between them.

    Args:
        line: of a machine.
        other: of the same machine.

    Returns:
        True where one message may be read by both.
    """
    loggers_differ = bool(line.loggers and other.loggers) and not set(line.loggers) & set(
        other.loggers
    )
    levels_differ = bool(line.level and other.level) and line.level != other.level
    one_looks_further = bool(line.following_lines) != bool(other.following_lines)
    return bool(line.releases & other.releases) and not (
        loggers_differ or levels_differ or one_looks_further or other.strict
    )


def _line_meaning(
    line: LineDefinition,
    values: CapturedValues,
    items: tuple[CapturedValues, ...],
    spec: SpecDefinition,
) -> tuple[object, ...]:
    """Return what a line says of a message, comparable between lines."""
    values_read = {
        name: state_by_spelling(spec.states, text) if name in STATE_FIELDS else text
        for name, text in (_fixed_fields(line) | dict(values)).items()
    }
    keys = spec.log.instance if spec.log else ()
    core = tuple(
        (name, values_read[name]) for name in (*STATE_FIELDS, "event", *keys) if name in values_read
    )
    return line.kinds, core, items, line.variable_templates
