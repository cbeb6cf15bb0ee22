"""What a log says of other machines that are not there, or that have no such key or sign."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from statemachines.model.definitions.log_definitions import DoubtDefinition, EndSign
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.spans import Span
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.loading.spec_catalogue import read_spec


def unknown_doubted_machines(spec: SpecDefinition, path: Path) -> Iterator[Diagnostic]:
    """Yield doubts that no instance can ever meet, and ends of episodes that nobody tells.

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


def _named_machines(spec: SpecDefinition) -> Iterator[DoubtDefinition | EndSign]:
    """Yield what a machine's log says of other machines."""
    if spec.log is not None:
        yield from spec.log.doubts
        yield from (
            episode.ends_with for episode in spec.log.episodes if episode.ends_with is not None
        )


def _specs(doubted: Path) -> list[Path]:
    return sorted(doubted.parent.glob("*.yaml"))


def _unknown_names(
    named: DoubtDefinition | EndSign, file: Path, root: Path, span: Span
) -> Iterator[Diagnostic]:
    """Yield what is compared that the other machine's instances are not known by, and signs that
    it never gives.
    """
    other = read_spec(file, folder=root).spec
    log = other.log if other is not None else None
    keys = log.known_by if log is not None else ()
    for name, _ in named.about:
        if name not in keys:
            message = f"`{name}` is no key of an instance of `{named.machine}`"
            yield Diagnostic("SM524", message, span, did_you_mean(name, keys))
    signs = [episode.name for episode in log.episodes] if log is not None else []
    signs += [line.counter for line in log.lines if line.counter] if log is not None else []
    for sign in named.signs if isinstance(named, EndSign) else ():
        if sign not in signs:
            message = f"`{sign}` is no episode and no mark of `{named.machine}`"
            yield Diagnostic("SM524", message, span, did_you_mean(sign, sorted({*signs})))
