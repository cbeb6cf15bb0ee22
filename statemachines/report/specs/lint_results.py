"""Everything that is wrong with specs, in one go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from statemachines.model.counts import count_text
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.report.specs.diagnostic_text import diagnostics_summary, diagnostics_text

_NOT_FOUND_CODES = {"SM601", "SM602", "SM604"}
"""Codes that say: there was nothing to read."""


@frozen
class LintResult:
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
    def missing(self) -> bool:
        """Whether something that was named could not be read at all."""
        return any(d.code in _NOT_FOUND_CODES for d in self.diagnostics)

    @property
    def text(self) -> str:
        """All of it as a person reads it."""
        if not self.diagnostics:
            return f"no problems in {count_text(self.files, 'spec')}"
        return f"{diagnostics_text(self.diagnostics)}\n{diagnostics_summary(self.diagnostics)}"


def lint(specs: Sequence[str]) -> LintResult:
    """Read specs and return everything that is wrong with them.

    Args:
        specs: files, folders, or catalogue names; none: the whole catalogue.

    Returns:
        Diagnostics in the order of the files, and how many files there are.

    Raises:
        ValueError: a folder holds no spec.
    """
    from statemachines.notation import spec_names
    from statemachines.notation.linting import lint as all_checks

    names = [name for spec in specs for name in _spec_files(spec)] if specs else list(spec_names())
    return LintResult(tuple(all_checks(names)), len(names))


def _spec_files(name: str) -> list[str | Path]:
    if not Path(name).is_dir():
        return [name]
    spec_files: list[str | Path] = [*sorted(Path(name).rglob("*.yaml"))]
    if not spec_files:
        raise ValueError(f"{name}: a folder without specs (*.yaml)")
    return spec_files
