"""Samples: each is read by its own line, as it says, and by no other line with another meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.loglines import Line, Sample
from statemachines.model.machines import Spec, State
from statemachines.model.places import Span
from statemachines.notation.matching import Values, reads, state_named

STATE_FIELDS = ("from", "to", "state")


def unread_samples(spec: Spec) -> list[Diagnostic]:
    """Report samples that their line does not read, or reads as something else than they say."""
    return [wrong for line in (spec.log.lines if spec.log else ()) for wrong in _of_line(line, spec.states)]


def family_samples(spec: Spec) -> list[Diagnostic]:
    """The same for the lines of the family."""
    return [wrong for line in (spec.family_log.lines if spec.family_log else ()) for wrong in _of_line(line, ())]


def _of_line(line: Line, states: tuple[State, ...]) -> Iterator[Diagnostic]:
    for sample in line.samples:
        read = [dict(values) | (dict(items[0]) if items else {}) for _, values, items in reads(line, sample.line) if items or not line.each]
        span = sample.span or line.span or Span("", 1, 1)
        if not read:
            yield Diagnostic("SM505", f"this line does not read its sample `{sample.line}`", span, "compare it with the text, word by word")
        else:
            yield from _otherwise_read(line, sample, read[0], states, span)


def _otherwise_read(line: Line, sample: Sample, values: dict[str, str], states: tuple[State, ...], span: Span) -> Iterator[Diagnostic]:
    told = _fixed(line) | values
    for name, expected in sample.yields:
        if name not in told:
            yield Diagnostic("SM506", f"the line does not tell `{name}`", span, "it tells " + ", ".join(f"`{known}`" for known in told))
        elif expected not in (told[name], state_named(states, told[name])):
            yield Diagnostic("SM506", f"`{name}` is read as `{told[name]}`, not as `{expected}`", span)


def _fixed(line: Line) -> dict[str, str]:
    """Return what a line tells without its text."""
    fixed = {"from": line.source[0] if len(line.source) == 1 else None, "to": line.target[0] if len(line.target) == 1 else None}
    fixed |= {"state": line.state, "event": line.event}
    return {name: value for name, value in fixed.items() if value}


def cross_readings(spec: Spec) -> list[Diagnostic]:
    """Report samples that another line of the machine reads in the same release with another meaning."""
    if spec.log is None:
        return []
    found = []
    for line in spec.log.lines:
        rivals = [other for other in spec.log.lines if other is not line and may_meet(line, other)]
        for sample in line.samples:
            found += list(_read_by_others(sample, line, rivals, spec))
    return found


def _read_by_others(sample: Sample, line: Line, rivals: Iterable[Line], spec: Spec) -> Iterator[Diagnostic]:
    own = [meaning(line, values, items, spec) for _, values, items in reads(line, sample.line)]
    for other in rivals:
        for _, values, items in reads(other, sample.line):
            if own and meaning(other, values, items, spec) not in own:
                where = f"line {other.span.line}" if other.span else "another line"
                both = spec.family.ranges(line.releases & other.releases)
                message = f"{where} reads this sample too" + (f" in `{both}`" if both else "") + ", and says something else"
                hint = "give the two different `in`, `logger` or `level`, or longer texts"
                yield Diagnostic("SM507", message, sample.span or line.span or Span("", 1, 1), hint)


def may_meet(line: Line, other: Line) -> bool:
    """Tell whether two lines compete: in one release, with nothing that chooses between them."""
    loggers_differ = bool(line.loggers and other.loggers) and not set(line.loggers) & set(other.loggers)
    levels_differ = bool(line.level and other.level) and line.level != other.level
    return bool(line.releases & other.releases) and not loggers_differ and not levels_differ and not other.strict


def meaning(line: Line, values: Values, items: tuple[Values, ...], spec: Spec) -> tuple[object, ...]:
    """Return what a line says of a message, comparable between lines."""
    told = {name: state_named(spec.states, text) if name in STATE_FIELDS else text for name, text in (_fixed(line) | dict(values)).items()}
    keys = spec.log.instance if spec.log else ()
    core = tuple((name, told[name]) for name in (*STATE_FIELDS, "event", *keys) if name in told)
    return line.says, core, items, line.sets
