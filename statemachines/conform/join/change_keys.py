"""What the rows of a report are known by from report to report.

Names of files and numbers of lines are no part of it: they move when logs are rotated.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import Episode, Finding

_Row = TypeVar("_Row")


def incident_key(incident: Incident) -> str:
    """Return what an incident is known by from report to report. What its process is called is no
    part of it: a later line may say that.
    """
    since = incident.since.ms if incident.since else None
    return json.dumps([incident.machine, incident.kind, incident.subject, since])


def episode_key(episode: Episode) -> str:
    """Return what an episode is known by from report to report."""
    since = episode.since.ms if episode.since else None
    return json.dumps([episode.machine, episode.kind, episode.subject, episode.process, since])


def finding_key(finding: Finding) -> str:
    """Return what a finding is known by from report to report: what lasts too long by when it
    began, for the line that ends it is not written yet.
    """
    rule = finding.rule or finding.rule_name
    what = (finding.kind, finding.machine, finding.instance, rule)
    if finding.began is not None:
        return json.dumps([*what, finding.began.ms])
    at = finding.at.ms if finding.at else None
    return json.dumps([*what, at, finding.source, finding.target, finding.outcome, finding.text])


def incidents_by_key(incidents: Iterable[Incident]) -> dict[str, Incident]:
    """Return incidents by what they are known by; those of several processes are numbered."""
    rows = sorted(incidents, key=lambda incident: incident.process)
    return dict(_numbered((incident_key(row), row) for row in rows))


def findings_by_key(findings: Iterable[Finding]) -> dict[str, Finding]:
    """Return findings by what they are known by; equal ones are numbered."""
    return dict(_numbered((finding_key(finding), finding) for finding in findings))


def _numbered(rows: Iterable[tuple[str, _Row]]) -> Iterator[tuple[str, _Row]]:
    counts = Counter[str]()
    for key, row in rows:
        counts[key] += 1
        yield (key if counts[key] == 1 else f"{key} {counts[key]}"), row


def key_parts(key: str) -> list[Any]:
    """Return what a key is made of, without the number of equal ones."""
    parts, _ = json.JSONDecoder().raw_decode(key)
    assert isinstance(parts, list)
    return parts
