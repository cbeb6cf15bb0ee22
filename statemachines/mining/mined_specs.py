"""Draft specs from the logs of an unknown program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

from attrs import evolve, frozen

from statemachines.conform.checking import select_layouts
from statemachines.interop.drafting.drafts import unique_names, valid_name
from statemachines.mining.checked_drafts import check_texts, spec_of_text
from statemachines.mining.drafts.draft_text import draft_text, is_writable, machine_name
from statemachines.mining.inference.machines import (
    Evidence,
    InferredMachine,
    find_machines,
    state_lines,
)
from statemachines.mining.inference.workflows import find_workflows
from statemachines.mining.read_logs import LogsRead, ReadRecord, read_records
from statemachines.mining.repair.drifted_wordings import (
    DriftedWording,
    drifted_wordings,
    spec_reader,
)
from statemachines.mining.repair.repair_proposals import SpecChange, proposed_changes
from statemachines.mining.templates.message_templates import MinedTemplate, TemplateMiner
from statemachines.model.counts import count_text
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.model.evidence.moments import time_zone
from statemachines.model.evidence.reports import MachineSummary, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation.formatting.spec_edits import AddedTransition, InitialState

_MOST_DRAFTS = 12
MOST_ROUNDS = 3
"""Times that drafts are judged again with what they lacked."""


@frozen
class MinedSpec:
    """A draft of a spec, and how it fares over the logs that it was made from."""

    name: str
    text: str
    """The spec file, with how sure it is of each part and the first lines that stand for it."""
    lines: int
    """That tell of its steps."""
    verdict: Verdict
    steps: int
    """That were judged."""


@frozen
class MiningResult:
    """What logs of an unknown program show."""

    specs: tuple[MinedSpec, ...]
    """Those whose lines name states first, the one with the most lines before others."""
    files: int
    lines: int
    errors: tuple[str, ...]
    """What could not be read."""
    drifted: tuple[DriftedWording, ...] = ()
    """Wordings of the spec that was given, as the program writes them now."""


def mine_specs(
    paths: Sequence[str | PathLike[str]],
    *,
    like: SpecDefinition | None = None,
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> MiningResult:
    """Make drafts of specs of what logs show: wordings, instances, states and steps.

    Each draft is judged over the same logs. Lines are templates by what they have in common; which
    of their words are states, and which name the instance, is taken from the wording and from
    how the lines of an instance go on from each other.

    Args:
        paths: files and folders.
        like: a spec of the program, as it once was: drafts are made of the lines that it does not
            read, and those near one of its wordings are named.
        layouts: names of known layouts, or files; none: found out record by record.
        zone: of times that tell none.

    Returns:
        The drafts, and what was read.

    Complexity: linear in the lines; of one template 50,000 lines are looked at.
    """
    miner = TemplateMiner()
    reader = None if like is None else spec_reader(like)
    drifted = [] if like is None else drifted_wordings(like, paths, layouts, zone)

    def take(read: ReadRecord) -> None:
        record = read.record
        if reader is not None and reader.read_with_headers(record)[1]:
            return
        miner.add(record.message, record.logger, record.level, read.process, read.place, read.order)

    done = read_records(paths, take, select_layouts(layouts), time_zone(zone))
    inferred_machines = _inferred_machines(list(miner.templates()))
    specs = (
        _judged_drafts(inferred_machines, done, paths, layouts, zone) if inferred_machines else ()
    )
    return MiningResult(specs, done.files, done.lines, done.errors, tuple(drifted))


def _inferred_machines(templates: list[MinedTemplate]) -> list[InferredMachine]:
    machines = find_machines(templates)
    noted = [other.template for machine in machines for other in machine.notes]
    left = [
        template for template in templates if template not in noted and not state_lines(template)
    ]
    inferred = [*machines, *find_workflows(left)]
    return [machine for machine in inferred if is_writable(machine)][:_MOST_DRAFTS]


def _judged_drafts(
    inferred: Sequence[InferredMachine], done: LogsRead, paths: Sequence[str | PathLike[str]],
    layouts: Sequence[str], zone: str | None,
) -> tuple[MinedSpec, ...]:  # fmt: skip
    """Write drafts, judge all of them at once, and add what they still lack, round by round."""
    named = dict(zip(_distinct_names(inferred), inferred, strict=True))
    machines = {name: machine for name, machine in named.items() if _is_sound(name, machine)}
    if not machines:
        return ()
    report = _report(machines, paths, layouts, zone)
    for _ in range(MOST_ROUNDS):
        if not (completed := _completed(machines, report)):
            break
        machines |= completed
        report = _report(machines, paths, layouts, zone)
    by_name = {summary.machine: summary for summary in report.machines}
    specs = [
        (machine, _mined_spec(name, machine, by_name.get(name), done))
        for name, machine in machines.items()
    ]
    return tuple(
        spec
        for machine, spec in specs
        if spec.verdict is Verdict.HOLDS or not machine.fit.lines[0].label
    )


def _is_sound(name: str, machine: InferredMachine) -> bool:
    """Tell whether the draft of a machine is a spec: logs have words of which the notation makes
    none, and the other drafts are worth having.
    """
    try:
        spec_of_text(draft_text(machine, name, ()), f"{name}.yaml")
    except SpecError:
        return False
    return True


def _report(
    machines: dict[str, InferredMachine], paths: Sequence[str | PathLike[str]],
    layouts: Sequence[str], zone: str | None,
) -> Report:  # fmt: skip
    texts = {name: draft_text(machine, name, ()) for name, machine in machines.items()}
    return check_texts(texts, paths, layouts, zone)


def _completed(machines: dict[str, InferredMachine], report: Report) -> dict[str, InferredMachine]:
    """Return the machines that do not admit the logs yet, with what they lack."""
    completed = dict[str, InferredMachine]()
    for summary in report.machines:
        if summary.verdict is Verdict.HOLDS or summary.machine not in machines:
            continue
        machine = machines[summary.machine]
        spec = spec_of_text(draft_text(machine, summary.machine, ()), f"{summary.machine}.yaml")
        own = [finding for finding in report.findings if finding.machine == summary.machine]
        if changes := proposed_changes(evolve(report, findings=tuple(own)), spec):
            completed[summary.machine] = with_changes(machine, changes)
    return completed


def _distinct_names(inferred: Sequence[InferredMachine]) -> list[str]:
    """Name machines, those of one logger by their number as well."""
    names = list[str]()
    for wanted in map(machine_name, inferred):
        number = sum(name.rstrip("0123456789") == wanted for name in names)
        names.append(f"{wanted}{number + 1}" if number else wanted)
    return list(unique_names(names, [], "machine").values())


def _mined_spec(
    name: str, machine: InferredMachine, summary: MachineSummary | None, done: LogsRead
) -> MinedSpec:
    verdict = summary.verdict if summary else Verdict.INCONCLUSIVE
    steps = summary.steps if summary else 0
    notes = (
        f"A draft, mined from {count_text(done.lines, 'line')} of"
        f" {count_text(done.files, 'file')}: look through"
        " it before you rely on it.",
        "How sure it is of each part: `sure` from ten lines with none against it, `likely` from"
        " three, else `a guess`.",
        f"check over the same logs: {verdict.name}, {count_text(steps, 'step')} of"
        f" {count_text(machine.instances, 'instance')}.",
    )
    return MinedSpec(name, draft_text(machine, name, notes), machine.count, verdict, steps)


def with_changes(machine: InferredMachine, changes: Iterable[SpecChange]) -> InferredMachine:
    """Return a machine with steps and beginnings that a check of its draft missed.

    Args:
        machine: what logs showed.
        changes: that name states as the draft does.

    Returns:
        A new machine.
    """
    states = {valid_name(state): state for state in machine.states}
    steps, unseen, initial = dict(machine.steps), dict(machine.unseen), dict(machine.initial)
    for change in changes:
        match change.edit:
            case AddedTransition(source, target, silent):
                table = unseen if silent else steps
                table.setdefault((states[source], states[target]), Evidence(1, change.place))
            case InitialState(state):
                initial.setdefault(states[state], 1)
            case _:
                continue
    return evolve(machine, steps=steps, unseen=unseen, initial=initial)
