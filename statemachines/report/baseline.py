"""What is known: findings and incidents that a project has looked at and lives with, so that only
what is new counts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.quotes import EpisodeOutcome
from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.values import frozen
from statemachines.report import report_rows
from statemachines.report.json_format import REPORT_FORMAT, terminal_safe_json

BASELINE_FORMAT = "statemachines.baseline/1"
_IDENTITY_KEYS = ("kind", "machine", "instance", "from", "to", "outcome", "rule")
"""What a finding is known by: nothing that changes from log to log, as line, time, text, count."""
_INCIDENT_KEYS = ("kind", "machine", "subject")
_OBJECT_KEYS = ("instance", "subject")
_MOST_QUOTED = 40
_LASTING = (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER)
_NO_BASELINE = "it is no baseline; --format baseline writes one"


_EntriesByShape = Mapping[tuple[str, ...], frozenset[str]]
"""By the keys that entries have: the entries, each as a text."""


class BaselineError(ValueError):
    """A file that is no baseline; the message says why."""


@frozen
class KnownFindings:
    """The entries of a baseline; a key that an entry leaves out may be anything.

    Complexity: one look-up a finding and shape of entries, of which a file has a handful.
    """

    findings: _EntriesByShape
    incidents: _EntriesByShape

    def __len__(self) -> int:
        of_both = (*self.findings.values(), *self.incidents.values())
        return sum(len(entries) for entries in of_both)

    def entries_of(self, row: Finding | Incident) -> Iterator[str]:
        """Yield the entries that know a finding or an incident.

        Args:
            row: of a report.

        Yields:
            Texts of entries.
        """
        is_incident = isinstance(row, Incident)
        data = _incident_identity(row) if isinstance(row, Incident) else _finding_identity(row)
        for shape, entries in (self.incidents if is_incident else self.findings).items():
            text = _entry_text({key: data[key] for key in shape})
            if text in entries:
                yield text


@frozen
class BaselineOutcome:
    """A report without what is known."""

    report: Report
    left_out: int
    """Findings that were taken out, repeated ones counted each time."""
    left_out_incidents: int
    """Incidents that were taken out: kinds of subjects, however often each is told."""
    left_out_times: int
    """How often they are told."""
    unmet: int
    """Entries of the baseline that nothing in the report is any more: they may go."""


def to_baseline(report: Report) -> Iterator[str]:
    """Write the findings of a report that do not hold, and the incidents that go on, each once, as
    a file to be kept beside the project. What is over is not written down: known, it would hide its
    return.

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
    lasting = sorted(
        {
            _entry_text(_incident_identity(incident))
            for incident in report.incidents
            if incident.is_trouble and incident.outcome in _LASTING
        }
    )
    content = {
        "format": BASELINE_FORMAT,
        "findings": [json.loads(finding) for finding in known],
        "incidents": [json.loads(incident) for incident in lasting],
    }
    yield terminal_safe_json(json.dumps(content, indent=2, ensure_ascii=False)) + "\n"


def read_baseline(text: str) -> KnownFindings:
    """Read a baseline.

    Args:
        text: of the file.

    Returns:
        The entries, with what they ask of a finding or an incident.

    Raises:
        BaselineError: it is none, or an entry of it has a key that no finding or no incident has.
    """
    try:
        data = json.loads(text)
        if data["format"] != BASELINE_FORMAT:
            raise BaselineError(_foreign_format(data["format"]))
    except BaselineError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BaselineError(_NO_BASELINE) from None
    return KnownFindings(
        _by_shape(_entries(data, "findings"), "finding", _IDENTITY_KEYS),
        _by_shape(_entries(data, "incidents"), "incident", _INCIDENT_KEYS),
    )


def _entries(data: Mapping[str, object], name: str) -> list[dict[str, object]]:
    """Return the entries of one sort.

    Raises:
        BaselineError: they are no list of objects.
    """
    entries = data.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BaselineError(f"`{name}` is a list of objects, each with what an entry is known by")
    return entries


def _by_shape(
    entries: Iterable[Mapping[str, object]], what: str, keys: Sequence[str]
) -> _EntriesByShape:
    by_shape: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for entry in entries:
        by_shape[_entry_shape(entry, what, keys)].add(_entry_text(entry))
    return {shape: frozenset(texts) for shape, texts in by_shape.items()}


def _foreign_format(name: object) -> str:
    """Say what a file is instead of a baseline: often the report that is to be its like."""
    if name == REPORT_FORMAT:
        return "it is a report; the same check with --format baseline writes its findings as known"
    return f"its format is `{name}`, and `{BASELINE_FORMAT}` is expected"


def report_without_known(report: Report, known: KnownFindings) -> BaselineOutcome:
    """Take known findings and incidents out of a report.

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
    incidents = []
    for incident in report.incidents:
        entries = set(known.entries_of(incident))
        matched |= {f"incident {entry}" for entry in entries}
        if not entries:
            incidents.append(incident)
    silenced = [incident for incident in report.incidents if any(known.entries_of(incident))]
    taken = sum(f.count for f in report.findings) - sum(f.count for f in left)
    unseen = report.verdict is Verdict.INCONCLUSIVE and not any(
        f.verdict is Verdict.INCONCLUSIVE for f in report.findings
    )
    verdict = (
        report.verdict if unseen else max((report.at_best, *(finding.verdict for finding in left)))
    )
    return BaselineOutcome(
        evolve(
            report,
            findings=tuple(left),
            incidents=tuple(incidents),
            verdict=verdict,
            known=taken + len(silenced),
            known_open=sum(incident.is_ill for incident in silenced),
        ),
        taken,
        len({_entry_text(_incident_identity(incident)) for incident in silenced}),
        len(silenced),
        len(known) - len(matched),
    )


def _entry_shape(entry: Mapping[str, object], what: str, keys: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of an entry.

    Raises:
        BaselineError: it has none, and would hide everything, or one that nothing of its sort has.
    """
    for key in entry:
        if key not in keys:
            raise BaselineError(
                f"an entry has the key `{key}`; the keys of {what}s are {', '.join(keys)}"
            )
        if not _is_entry_value(key, entry[key]):
            shape = 'an object, such as {"order": "7"}' if key in _OBJECT_KEYS else "a text"
            raise BaselineError(f"`{key}` of an entry is {shape}, and it is {_quoted(entry[key])}")
    if not entry:
        raise BaselineError(f"an entry without a key would hide every {what}")
    return tuple(key for key in keys if key in entry)


def _is_entry_value(key: str, value: object) -> bool:
    """Tell whether a value may ever be that of a finding or an incident: one that is of another
    kind would match nothing, and be taken for something that was mended.
    """
    if key in _OBJECT_KEYS:
        return isinstance(value, dict) and all(
            isinstance(field, (str, int)) for field in value.values()
        )
    return value is None or isinstance(value, str)


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text}`" if len(text) <= _MOST_QUOTED else f"`{text[:_MOST_QUOTED]}…`"


def _finding_identity(finding: Finding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "machine": finding.machine,
        "instance": report_rows.key(finding.instance),
        "from": finding.source,
        "to": finding.target,
        "outcome": finding.outcome,
        "rule": finding.rule_name,
    }


def _incident_identity(incident: Incident) -> dict[str, object]:
    subject = report_rows.key(incident.subject)
    return {"kind": incident.kind, "machine": incident.machine, "subject": subject}


def _entry_text(entry: Mapping[str, object]) -> str:
    return json.dumps(entry, sort_keys=True, ensure_ascii=False)
