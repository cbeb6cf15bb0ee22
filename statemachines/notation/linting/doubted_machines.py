"""What a log says of other machines that are not there, or that have no such key or sign."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from statemachines.model.definitions.incident_definitions import IncidentDefinition
from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.lines.line_templates import template_fields
from statemachines.notation.loading.spec_catalogue import read_spec


@frozen
class _NamedMachine:
    """What a log says of another machine."""

    machine: str
    keys: tuple[str, ...]
    """Fields that its instances are known by."""
    signs: tuple[str, ...]
    """Its episodes and marks."""
    span: Span | None


def unknown_doubted_machines(spec: SpecDefinition, path: Path) -> Iterator[Diagnostic]:
    """Yield doubts that no instance can ever meet, ends of episodes that nobody tells, and machines
    through which no incident follows another.

    Args:
        spec: the machine that has them.
        path: of its file; those that it names stand below the same folder of specs.

    Yields:
        A diagnostic for each name that leads nowhere.
    """
    root = path.resolve().parents[spec.name.count("/")]
    for named in _named_machines(spec):
        file = root / f"{named.machine}.yaml"
        span = named.span or Span(spec.file, 1, 1)
        if file.is_file():
            yield from _unknown_names(named, file, root, span)
        else:
            machines = [f"{other.relative_to(root).with_suffix('')}" for other in _specs(file)]
            hint = did_you_mean(named.machine, machines)
            yield Diagnostic("SM524", f"there is no machine `{named.machine}`", span, hint)


def _named_machines(spec: SpecDefinition) -> Iterator[_NamedMachine]:
    """Yield what a machine's log says of other machines."""
    log = spec.log
    if log is None:
        return
    for doubt in log.doubts:
        yield _NamedMachine(doubt.machine, _names(doubt.about), (), doubt.span)
    for end in (episode.ends_with for episode in log.episodes):
        if end is not None:
            yield _NamedMachine(end.machine, _names(end.about), end.signs, end.span)
    for kind in log.incidents:
        if kind.through:
            yield _NamedMachine(kind.through, tuple(_lent_fields(kind, log)), (), kind.span)


def _names(about: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return tuple(name for name, _ in about)


def _lent_fields(kind: IncidentDefinition, log: LogDefinition) -> Iterator[str]:
    """Yield the fields that an incident has not itself."""
    for own, _ in (pair for followed in kind.follows for pair in followed.same):
        for name in template_fields(own) if "{" in own else (own,):
            if name not in (kind.subject or log.instance):
                yield name


def _specs(doubted: Path) -> list[Path]:
    return sorted(doubted.parent.glob("*.yaml"))


def _unknown_names(
    named: _NamedMachine, file: Path, root: Path, span: Span
) -> Iterator[Diagnostic]:
    """Yield what is compared that the other machine's instances are not known by, and signs that
    it never gives.
    """
    other = read_spec(file, folder=root).spec
    log = other.log if other is not None else None
    keys = log.known_by if log is not None else ()
    for name in named.keys:
        if name not in keys:
            message = f"`{name}` is no key of an instance of `{named.machine}`"
            yield Diagnostic("SM524", message, span, did_you_mean(name, keys))
    signs = [episode.name for episode in log.episodes] if log is not None else []
    signs += [line.counter for line in log.lines if line.counter] if log is not None else []
    for sign in named.signs:
        if sign not in signs:
            message = f"`{sign}` is no episode and no mark of `{named.machine}`"
            yield Diagnostic("SM524", message, span, did_you_mean(sign, sorted({*signs})))
