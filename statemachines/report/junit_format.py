"""JUnit's XML, which build servers show: a suite a machine, a case an instance that something was
found of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from statemachines.model.evidence.reports import Finding, InstanceKey, MachineSummary, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.display_names import place_name
from statemachines.report.sections.plain_texts import printable_text
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.text.headline import plain_headline

_CaseKey = tuple[str, InstanceKey]
"""Process and instance."""


def to_junit(report: Report) -> Iterator[str]:
    """Write a report as JUnit XML.

    A violated finding is a failure, an inconclusive one makes its case skipped with the reason, and
    each machine has one case more for all instances of which nothing was found. Where nothing was
    seen at all, one skipped case says so.

    Args:
        report: what a check found.

    Yields:
        Lines of one document.
    """
    findings: dict[str, dict[_CaseKey, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for finding in report.findings:
        if finding.verdict is not Verdict.HOLDS:
            findings[finding.machine][finding.process, finding.instance].append(finding)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites name={_xml_attribute(plain_headline(report))}>\n"
    names = SubjectNames(report)
    for machine in report.machines:
        yield from _suite_lines(machine, findings[machine.machine], names)
    if why := _unknown_reason(report):
        yield '  <testsuite name="statemachines" tests="1" failures="0" errors="0" skipped="1">\n'
        yield (
            '    <testcase name="anything of the catalogue"><skipped'
            f' message="{why}"/></testcase>\n'
        )
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _unknown_reason(report: Report) -> str:
    """Say why no finding tells what is not known; nothing where one does, or all is known."""
    if report.interrupted:
        return "the check was interrupted"
    if not report.machines:
        return "nothing of the catalogue was seen"
    if report.errors:
        return "what was named could not be read"
    explained = report.verdict is not Verdict.INCONCLUSIVE or any(
        f.verdict is not Verdict.HOLDS for f in report.findings
    )
    return "" if explained else "nothing was judged"


def _suite_lines(
    machine: MachineSummary, cases: dict[_CaseKey, list[Finding]], names: SubjectNames
) -> Iterator[str]:
    failures = sum(
        any(f.verdict is Verdict.VIOLATED for f in findings) for findings in cases.values()
    )
    counts = (
        f'tests="{len(cases) + 1}" failures="{failures}" errors="0"'
        f' skipped="{len(cases) - failures}"'
    )
    yield f"  <testsuite name={_xml_attribute(machine.machine)} {counts}>\n"
    rest = max(machine.instances - len({instance for _, instance in cases}), 0)
    yield (
        f'    <testcase classname={_xml_attribute(machine.machine)} name="{rest} instances without'
        ' a finding"/>\n'
    )
    for (process, instance), findings in cases.items():
        name = f"{names.name(machine.machine, instance, process)} ({process})"
        yield (
            f"    <testcase classname={_xml_attribute(machine.machine)}"
            f" name={_xml_attribute(name)}>\n"
        )
        yield from _outcome_lines(findings)
        yield "    </testcase>\n"
    yield "  </testsuite>\n"


def _outcome_lines(findings: Sequence[Finding]) -> Iterator[str]:
    violated = [finding for finding in findings if finding.verdict is Verdict.VIOLATED]
    for finding in violated:
        attributes = (
            f"type={_xml_attribute(finding.kind)} message={_xml_attribute(finding.message)}"
        )
        yield f"      <failure {attributes}>{escape(_evidence_text(finding))}</failure>\n"
    if not violated:
        reasons = "; ".join(
            f"{finding.kind}: {finding.message} ({place_name(finding.place)})"
            for finding in findings
        )
        yield f"      <skipped message={_xml_attribute(reasons)}/>\n"


def _evidence_text(finding: Finding) -> str:
    lines = [place_name(finding.place), finding.text or ""]
    lines += [f"legal from there: {', '.join(finding.legal)}"] if finding.legal else []
    lines += [f"spec: {place_name(finding.spec)}"] if finding.spec else []
    return "\n".join(printable_text(line) for line in lines)


def _xml_attribute(text: str) -> str:
    return quoteattr(printable_text(text))
