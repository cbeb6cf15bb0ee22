"""SARIF 2.1.0, which code hosts and editors show: each finding with the line of the log and the
line of the spec.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

from statemachines.model.evidence.reports import Finding, Place, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.json_format import terminal_safe_json
from statemachines.report.sections.plain_texts import printable_text
from statemachines.report.sections.subject_names import SubjectNames

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SARIF_LEVELS = {Verdict.VIOLATED: "error", Verdict.INCONCLUSIVE: "warning", Verdict.HOLDS: "note"}
FINDING_KINDS = {
    "forbidden": "a step that no release that fits allows",
    "impossible": "nothing leads from what was believed to what is told",
    "contradiction": "a legal move was refused, raised or ignored",
    "broken rule": "a rule of a machine or a system does not hold",
    "gap": "lines are missing that this log would have shown",
    "began again": "a new beginning without a sign of one",
    "unknown state": "a line tells a state that the spec does not have",
    "no release": "no single release allows all that a process does",
    "ignored": "a forbidden request was ignored, as it should be",
    "refused": "a forbidden request was refused, as it should be",
    "raised": "a forbidden request raised an error, as it should",
    "failed": "a legal move was tried and did not succeed",
    "unusual": "a legal step that the system's own code never takes",
}
"""Kinds of findings and what they mean."""


def to_sarif(report: Report) -> Iterator[str]:
    """Write the findings of a report as SARIF: one run, a rule a kind of finding, a result a
    finding.

    Args:
        report: what a check found.

    Yields:
        Parts of one document.

    Source: OASIS, Static Analysis Results Interchange Format (SARIF) 2.1.0, 2020.
    """
    driver = {
        "name": "statemachines",
        "version": str(report.made_with.get("version", "unknown")),
        "rules": [
            {"id": kind, "shortDescription": {"text": text}} for kind, text in FINDING_KINDS.items()
        ],
    }
    names = SubjectNames(report)
    run = {
        "tool": {"driver": driver},
        "results": [_sarif_result(finding, names) for finding in report.findings],
        "columnKind": "unicodeCodePoints",
    }
    yield terminal_safe_json(
        json.dumps(
            {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]},
            indent=2,
            ensure_ascii=False,
        )
    )
    yield "\n"


def _sarif_result(finding: Finding, names: SubjectNames) -> dict[str, object]:
    who = names.name(finding.machine, finding.instance, finding.process)
    result: dict[str, object] = {
        "ruleId": finding.kind,
        "ruleIndex": list(FINDING_KINDS).index(finding.kind),
        "level": _SARIF_LEVELS[finding.verdict],
        "message": {"text": printable_text(f"{who}: {finding.message}")},
        "locations": [_sarif_location(finding.place, finding.text)] if finding.place else [],
        "occurrenceCount": finding.count,
    }
    if finding.spec:
        result["relatedLocations"] = [
            {"id": 1, "message": {"text": "the spec"}, **_sarif_location(finding.spec, None)}
        ]
    return result


def _sarif_location(place: Place, text: str | None) -> dict[str, object]:
    region: dict[str, object] = {"startLine": place.line}
    if text is not None:
        region["snippet"] = {"text": printable_text(text)}
    return {
        "physicalLocation": {"artifactLocation": {"uri": _file_uri(place.file)}, "region": region}
    }


def _file_uri(file: str) -> str:
    return quote(file.encode("utf-8", "surrogateescape"), safe="/-_.~")
