"""Doubts about machines that are not there, or that have no such key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from statemachines.model.definitions.log_definitions import DoubtDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.spans import Span
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.loading.spec_catalogue import read_spec


def unknown_doubted_machines(spec: SpecDefinition, path: Path) -> Iterator[Diagnostic]:
    """Yield doubts that no instance can ever meet.

    Args:
        spec: the machine that casts them.
        path: of its file; those that it names stand below the same folder of specs.
    """
    root = path.resolve().parents[spec.name.count("/")]
    for doubt in spec.log.doubts if spec.log else ():
        doubted = root / f"{doubt.machine}.yaml"
        place = doubt.span or Span(spec.file, 1, 1)
        if doubted.is_file():
            yield from _unknown_keys(doubt, doubted, root, place)
        else:
            machines = [f"{other.relative_to(root).with_suffix('')}" for other in _specs(doubted)]
            hint = did_you_mean(doubt.machine, machines)
            yield Diagnostic("SM524", f"there is no machine `{doubt.machine}`", place, hint)


def _specs(doubted: Path) -> list[Path]:
    return sorted(doubted.parent.glob("*.yaml"))


def _unknown_keys(
    doubt: DoubtDefinition, doubted: Path, root: Path, place: Span
) -> Iterator[Diagnostic]:
    """Yield what a doubt compares that is no key of the machine that it is about."""
    other = read_spec(doubted, folder=root).spec
    keys = other.log.instance if other is not None and other.log is not None else ()
    for name, _ in doubt.about:
        if name not in keys:
            message = f"`{name}` is no key of an instance of `{doubt.machine}`"
            yield Diagnostic("SM524", message, place, did_you_mean(name, keys))
