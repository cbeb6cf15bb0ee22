"""Change a spec until it admits logs that are known to be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

from attrs import define, frozen

from statemachines.mining.checked_drafts import check_specs, spec_of_text
from statemachines.mining.repair.drifted_wordings import DriftedWording, drifted_wordings
from statemachines.mining.repair.repair_proposals import SpecChange, proposed_changes
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.model.evidence.reports import Finding, Place, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation.formatting.spec_edits import AddedWording, edited_spec
from statemachines.notation.formatting.spec_formatting import CannotFormat

MOST_ROUNDS = 8
"""Checks with changes, one after the other: what one admits may bring out another."""
_MOST_TRIED_WITHOUT = 24
"""Changes of which each is tried without: it may not be needed once others are made."""


@frozen
class SpecRepair:
    """A spec that was changed to admit logs."""

    file: str
    text: str
    """The spec as it would be; the comments of its author stay."""
    diff: str
    """From the spec as it is, with the lines that stand for each change above; empty: none."""
    changes: tuple[SpecChange, ...]
    before: Verdict
    after: Verdict
    left: tuple[Finding, ...] = ()
    """What does not hold with the changes either."""
    errors: tuple[str, ...] = ()
    """Logs that could not be read."""


@frozen
class _Logs:
    """What a spec is to admit."""

    paths: tuple[str | PathLike[str], ...]
    layouts: tuple[str, ...]
    zone: str | None

    def report(self, spec: SpecDefinition) -> Report:
        return check_specs([spec], self.paths, self.layouts, self.zone)


@define
class _SpecUnderRepair:
    """A spec's text with the changes that were found so far."""

    original: str
    file: str
    path: Path
    changes: list[SpecChange]

    def text(self, changes: Iterable[SpecChange] | None = None) -> str:
        """Return the text with all changes, or with some."""
        chosen = self.changes if changes is None else changes
        return edited_spec(self.original, self.file, (change.edit for change in chosen))

    def spec(self, changes: Iterable[SpecChange] | None = None) -> SpecDefinition | None:
        """Return the spec with changes; None where they make none."""
        try:
            return spec_of_text(self.text(changes), self.file, self.path)
        except (SpecError, CannotFormat):
            return None


def repair_spec(
    path: Path,
    paths: Sequence[str | PathLike[str]],
    *,
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> SpecRepair:
    """Find the smallest change of a spec that admits logs which are known to be right.

    What a check does not admit says what is missing: a step, a state, another name of one, a state
    in which lives begin, a wording that has changed, a longer deadline. All are added, then each is
    tried without.

    Args:
        path: the spec's file; it is not written.
        paths: files and folders.
        layouts: as for `check`.
        zone: as for `check`.

    Returns:
        The spec's new text with its changes, and the verdicts before and after.

    Raises:
        SpecError: the spec has errors.
        CannotFormat: its text cannot be changed.
        OSError: it cannot be read.
    """
    original = path.read_text("utf-8")
    logs = _Logs(tuple(paths), tuple(layouts), zone)
    work = _SpecUnderRepair(original, str(path), path, [])
    spec = spec_of_text(original, str(path), path)
    before = logs.report(spec)
    work.changes = [
        _wording_change(wording) for wording in drifted_wordings(spec, paths, layouts, zone)
    ]
    after = _admit(work, logs, before)
    _leave_out_unneeded(work, logs, after)
    text = work.text() if work.changes else original
    diff = _diff(original, text, str(path), work.changes)
    changes = tuple(work.changes)
    left = tuple(finding for finding in after.findings if finding.verdict is not Verdict.HOLDS)
    verdicts = before.verdict, after.verdict
    return SpecRepair(str(path), text, diff, changes, *verdicts, left, after.errors)


def _wording_change(drifted: DriftedWording) -> SpecChange:
    line = drifted.line.span.line if drifted.line.span else 0
    why = f"`{drifted.known}` is written so now, {drifted.count:,} ×"
    edit = AddedWording(line, drifted.wording, drifted.sample)
    return SpecChange(edit, why, drifted.first, drifted.sample)


def _admit(work: _SpecUnderRepair, logs: _Logs, before: Report) -> Report:
    """Add what is proposed, round by round, as long as less is wrong."""
    report = before
    if work.changes and (spec := work.spec()) is not None:
        report = logs.report(spec)
    elif work.changes:
        work.changes.clear()
    for _ in range(MOST_ROUNDS):
        spec = work.spec()
        if spec is None or report.verdict is Verdict.HOLDS:
            break
        known = {change.edit for change in work.changes}
        new = [
            proposed_change
            for proposed_change in proposed_changes(report, spec)
            if proposed_change.edit not in known
        ]
        usable = _usable(work, new)
        changed = work.spec([*work.changes, *usable])
        if not usable or changed is None:
            break
        work.changes += usable
        report = logs.report(changed)
    return report


def _usable(work: _SpecUnderRepair, new: Sequence[SpecChange]) -> list[SpecChange]:
    """Return the changes that leave a spec without errors: all, or those that do one by one."""
    if work.spec([*work.changes, *new]) is not None:
        return list(new)
    usable = list[SpecChange]()
    for change in new:
        if work.spec([*work.changes, *usable, change]) is not None:
            usable.append(change)
    return usable


def _leave_out_unneeded(work: _SpecUnderRepair, logs: _Logs, after: Report) -> None:
    """Take back each change without which no more is left that is not admitted."""
    left = _not_admitted(after)
    for change in work.changes[:_MOST_TRIED_WITHOUT]:
        if isinstance(change.edit, AddedWording):
            continue
        others = [spec_change for spec_change in work.changes if spec_change is not change]
        spec = work.spec(others)
        report = None if spec is None else logs.report(spec)
        if report is None or report.verdict > after.verdict:
            continue
        if _not_admitted(report) <= left:
            work.changes = others


def _not_admitted(report: Report) -> set[tuple[str, Verdict, Place | None]]:
    """Return what is wrong or cannot be told, and where."""
    return {
        (finding.kind, finding.verdict, finding.place)
        for finding in report.findings
        if finding.verdict is not Verdict.HOLDS
    }


def _diff(before: str, after: str, file: str, changes: Iterable[SpecChange]) -> str:
    """Return a unified diff with the evidence above it, which `patch` passes over."""
    if before == after:
        return ""
    comments = [f"# {line}\n" for change in changes for line in _evidence(change)]
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    return "".join([*comments, *difflib.unified_diff(old, new, file, file)])


def _evidence(change: SpecChange) -> Iterable[str]:
    place = f"   {change.place.file}:{change.place.line}" if change.place else ""
    yield f"{change.why}{place}"
    if change.text:
        yield f"    {change.text}"
