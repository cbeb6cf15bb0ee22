"""Everything that is wrong with specs, in one go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from statemachines.api.diagnostics import shown
from statemachines.model.diagnostics import Diagnostic, Severity


@frozen
class Linted:
    """What was found in some specs."""

    diagnostics: tuple[Diagnostic, ...]
    files: int

    @property
    def errors(self) -> int:
        """How many make a spec unusable."""
        return sum(d.severity is Severity.ERROR for d in self.diagnostics)

    @property
    def warnings(self) -> int:
        """How many do not."""
        return len(self.diagnostics) - self.errors

    @property
    def text(self) -> str:
        """The diagnostics as a person reads them."""
        return shown(self.diagnostics)

    @property
    def summary(self) -> str:
        """How many, and which codes say more."""
        said = [_number(self.errors, "error"), *([_number(self.warnings, "warning")] if self.warnings else [])]
        codes = dict.fromkeys(d.code for d in self.diagnostics)
        more = f"; explain {', explain '.join(codes)} say{'s' if len(codes) == 1 else ''} more" if codes else ""
        return f"{', '.join(said)} in {_number(self.files, 'file')}{more}"


def lint(specs: Sequence[str]) -> Linted:
    """Read specs and return everything that is wrong with them.

    Args:
        specs: files, folders, or catalogue names; none: the whole catalogue.

    Raises:
        ValueError: a folder holds no spec.
    """
    from statemachines.notation import catalogue, read_spec

    names = [name for asked in specs for name in _files(asked)] if specs else list(catalogue())
    readings = [read_spec(name) for name in names]
    found = dict.fromkeys(diagnostic for reading in readings for diagnostic in reading.diagnostics)
    return Linted(tuple(found), len(names))


def _files(asked: str) -> list[str | Path]:
    if not Path(asked).is_dir():
        return [asked]
    found: list[str | Path] = [*sorted(Path(asked).rglob("*.yaml"))]
    if not found:
        raise ValueError(f"{asked}: a folder without specs (*.yaml)")
    return found


def _number(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
