"""From what a check says of logs that are known to be right to changes of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from statemachines.conform.join.deadlines import LATE, WITHIN
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.durations import exact_duration
from statemachines.model.evidence.reports import Finding, Place, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation.formatting.spec_edits import (
    AddedSpelling,
    AddedState,
    AddedTransition,
    InitialState,
    LongerDeadline,
    SpecEdit,
)


@frozen
class SpecChange:
    """A change of a spec, and the line that stands for it."""

    edit: SpecEdit
    why: str
    place: Place | None
    text: str
    """The line."""


def proposed_changes(report: Report, spec: SpecDefinition) -> list[SpecChange]:
    """Return what would admit the lines that a check does not, each change once.

    Args:
        report: of logs that are right, by the spec.
        spec: what is to be changed.

    Returns:
        Changes in the order of the findings.
    """
    wrong = [finding for finding in report.findings if finding.verdict is not Verdict.HOLDS]
    changes: dict[SpecEdit, SpecChange] = {}
    for change in (
        *_unknown_states(wrong, report, spec), *_steps(wrong, spec), *_deadlines(wrong, report),
    ):  # fmt: skip
        changes.setdefault(change.edit, change)
    return list(changes.values())


def _change(edit: SpecEdit, why: str, finding: Finding) -> SpecChange:
    return SpecChange(edit, why, finding.place, (finding.text or "").strip())


def _steps(findings: Sequence[Finding], spec: SpecDefinition) -> Iterator[SpecChange]:
    """Yield the steps that the logs take and the spec does not have, and states in which lives
    begin.
    """
    states = {state.name for state in spec.states}
    finals = {state.name for state in spec.states if state.final}
    for finding in findings:
        was = finding.was.state[0] if finding.was and finding.was.state else None
        source, target = finding.source, finding.target
        if finding.kind == "forbidden" and source in states and target in states:
            assert source is not None
            assert target is not None
            yield _change(
                AddedTransition(source, target), f"{source} -> {target} is taken", finding
            )
        elif finding.kind in ("gap", "impossible", "began again"):
            goal = source if source not in (None, was) else target
            if goal not in states or was is None:
                continue
            assert goal is not None
            if was in finals and finding.kind != "began again":
                yield _change(InitialState(goal), f"a life begins in {goal}", finding)
            else:
                silent = goal == source
                why = f"{was} -> {goal} is taken" + (", and no line tells it" if silent else "")
                yield _change(AddedTransition(was, goal, silent), why, finding)


def _deadlines(findings: Sequence[Finding], report: Report) -> Iterator[SpecChange]:
    """Yield, for each deadline that was missed, the shortest that all of it keeps."""
    rules = {(rule.machine, rule.rule) for rule in report.rules if rule.claim == WITHIN}
    longest: dict[int, tuple[int, str, Finding]] = {}
    for finding in findings:
        name = finding.message.partition(LATE)[0]
        if finding.spec is None or (finding.machine, name) not in rules:
            continue
        lasted = _lasted_ms(finding, name, report)
        line = finding.spec.line
        if lasted is not None and (line not in longest or lasted > longest[line][0]):
            longest[line] = lasted, name, finding
    for line, (lasted, name, finding) in longest.items():
        why = f"{name}: {exact_duration(lasted)} pass"
        yield _change(LongerDeadline(line, exact_duration(lasted)), why, finding)


def _lasted_ms(finding: Finding, name: str, report: Report) -> int | None:
    """Return how long lasted what a finding says is late: until the end of the log where no line
    ends it. None where the report does not tell.
    """
    last_times = [source.last.ms for source in report.sources if source.last]
    end = max((ms for ms in last_times if ms is not None), default=None)
    at = finding.at.ms if finding.at else None
    for episode in report.episodes:
        since, until = (moment.ms if moment else None for moment in (episode.since, episode.until))
        whose = episode.machine, episode.kind, episode.subject, episode.process
        if whose == (finding.machine, name, finding.instance, finding.process) and at in (
            since, until,
        ):  # fmt: skip
            until = end if until is None else until
            return None if since is None or until is None else until - since
    return None


def _unknown_states(
    findings: Sequence[Finding], report: Report, spec: SpecDefinition
) -> Iterator[SpecChange]:
    """Yield the states that the logs name and the spec does not have: as another name of one that
    no line names and that stands among the same steps, else as a state of its own.
    """
    known = {state.name for state in spec.states}
    unknown = [finding for finding in findings if finding.kind == "unknown state"]
    observed = {row.source for row in report.timeline} | {row.target for row in report.timeline}
    free = [state.name for state in spec.states if state.name not in observed]
    steps = {(finding.source, finding.target) for finding in unknown}
    for name in dict.fromkeys(
        name
        for finding in unknown
        for name in (finding.source, finding.target)
        if name and name not in known
    ):
        first = next(finding for finding in unknown if name in (finding.source, finding.target))
        like = next((state for state in free if _fits(state, name, steps, spec)), None)
        if like is not None:
            free.remove(like)
            yield _change(AddedSpelling(like, name), f"{like} is called {name}", first)
        else:
            yield _change(AddedState(name), f"there is a state {name}", first)


def _fits(
    state: str, name: str, steps: set[tuple[str | None, str | None]], spec: SpecDefinition
) -> bool:
    """Tell whether all steps of an unknown state are those of a known one, as far as their other
    end is known.
    """
    known = {state.name for state in spec.states}
    table = {(transition.source, transition.target) for transition in spec.transitions}
    renamed = {
        (state if source == name else source, state if target == name else target)
        for source, target in steps
        if name in (source, target)
    }
    decided = {pair for pair in renamed if pair[0] in known and pair[1] in known}
    return bool(decided) and decided <= table
