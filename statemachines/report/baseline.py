"""Known findings: what a project has looked at and lives with, so that only what is new counts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping

from attrs import evolve, frozen

from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report import report_rows
from statemachines.report.json_format import REPORT_FORMAT, terminal_safe_json

BASELINE_FORMAT = "statemachines.baseline/1"
_IDENTITY_KEYS = ("kind", "machine", "instance", "from", "to", "outcome", "rule")
"""What a finding is known by: nothing that changes from log to log, as line, time, text, count."""
_BROKEN_RULE = "broken rule"
_NO_BASELINE = "it is no baseline; --format baseline writes one"


class BaselineError(ValueError):
    """A file that is no baseline; the message says why."""


@frozen
class KnownFindings:
    """The entries of a baseline; a key that an entry leaves out may be anything.

    Complexity: one look-up a finding and shape of entries, of which a file has a handful.
    """

    by_shape: Mapping[tuple[str, ...], frozenset[str]]
    """By the keys that entries have: the entries, each as a text."""

    def __len__(self) -> int:
        return sum(len(entries) for entries in self.by_shape.values())

    def entries_of(self, finding: Finding) -> Iterator[str]:
        """Yield the entries that know a finding.

        Args:
            finding: of a report.

        Yields:
            Texts of entries.
        """
        data = _finding_identity(finding)
        for shape, entries in self.by_shape.items():
            text = _entry_text({key: data[key] for key in shape})
            if text in entries:
                yield text


@frozen
class BaselineOutcome:
    """A report without what is known."""

    report: Report
    left_out: int
    """Findings that were taken out, repeated ones counted each time."""
    unmet: int
    """Entries of the baseline that no finding is any more: they may go."""


def to_baseline(report: Report) -> Iterator[str]:
    """Write the findings of a report that do not hold, each once, as a file to be kept beside the
    project.

    Args:
        report: what a check found.

    Returns:
        One JSON document.
    """
    known = sorted(
        {
            _entry_text(_finding_identity(finding))
            for finding in report.findings
            if finding.verdict is not Verdict.HOLDS
        }
    )
    content = {"format": BASELINE_FORMAT, "findings": [json.loads(finding) for finding in known]}
    yield terminal_safe_json(json.dumps(content, indent=2, ensure_ascii=False)) + "\n"


def read_baseline(text: str) -> KnownFindings:
    """Read a baseline.

    Args:
        text: of the file.

    Returns:
        The entries, with what they ask of a finding.

    Raises:
        BaselineError: it is none, or an entry of it has a key that no finding has.
    """
    try:
        data = json.loads(text)
        if data["format"] != BASELINE_FORMAT:
            raise BaselineError(_foreign_format(data["format"]))
        entries = [dict(entry) for entry in data["findings"]]
    except BaselineError:
        raise
    except (ValueError, TypeError, KeyError):
        raise BaselineError(_NO_BASELINE) from None
    by_shape: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for entry in entries:
        by_shape[_entry_shape(entry)].add(_entry_text(entry))
    return KnownFindings({shape: frozenset(texts) for shape, texts in by_shape.items()})


def _foreign_format(name: object) -> str:
    """Say what a file is instead of a baseline: often the report that is to be its like."""
    if name == REPORT_FORMAT:
        return "it is a report; the same check with --format baseline writes its findings as known"
    return f"its format is `{name}`, and `{BASELINE_FORMAT}` is expected"


def report_without_known(report: Report, known: KnownFindings) -> BaselineOutcome:
    """Take known findings out of a report.

    Args:
        report: what a check found.
        known: as `read_baseline` has it.

    Returns:
        The report with the verdict of what is left, which says how many were taken out.
    """
    left, matched = [], set[str]()
    for finding in report.findings:
        entries = set(known.entries_of(finding))
        matched |= entries
        if not entries:
            left.append(finding)
    taken = sum(f.count for f in report.findings) - sum(f.count for f in left)
    unseen = report.verdict is Verdict.INCONCLUSIVE and not any(
        f.verdict is Verdict.INCONCLUSIVE for f in report.findings
    )
    verdict = (
        report.verdict if unseen else max((report.at_best, *(finding.verdict for finding in left)))
    )
    return BaselineOutcome(
        evolve(report, findings=tuple(left), verdict=verdict, known=taken),
        taken,
        len(known) - len(matched),
    )


def _entry_shape(entry: Mapping[str, object]) -> tuple[str, ...]:
    """Return the keys of an entry.

    Raises:
        BaselineError: it has none, and would hide everything, or one that no finding has.
    """
    for key in entry:
        if key not in _IDENTITY_KEYS:
            raise BaselineError(
                f"an entry has the key `{key}`; those of a finding are {', '.join(_IDENTITY_KEYS)}"
            )
    if not entry:
        raise BaselineError("an entry without a key would hide every finding")
    return tuple(key for key in _IDENTITY_KEYS if key in entry)


def _finding_identity(finding: Finding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "machine": finding.machine,
        "instance": report_rows.key(finding.instance),
        "from": finding.source,
        "to": finding.target,
        "outcome": finding.outcome,
        "rule": _broken_rule(finding),
    }


def _broken_rule(finding: Finding) -> str | None:
    """Return the name of the rule that is broken: another rule of the same instance is new."""
    if finding.kind != _BROKEN_RULE:
        return None
    return finding.rule[1] if finding.rule else finding.message.partition(":")[0]


def _entry_text(entry: Mapping[str, object]) -> str:
    return json.dumps(entry, sort_keys=True, ensure_ascii=False)
