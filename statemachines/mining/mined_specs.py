"""Draft specs from the logs of an unknown program."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from attrs import frozen

from statemachines.conform.checking import select_layouts
from statemachines.interop.drafting.drafts import unique_names
from statemachines.mining.checked_drafts import check_texts
from statemachines.mining.drafts.draft_text import draft_text, is_writable, machine_name
from statemachines.mining.found.machines import FoundMachine, find_machines
from statemachines.mining.found.state_words import state_lines
from statemachines.mining.found.workflows import find_workflows
from statemachines.mining.read_logs import LogsRead, ReadRecord, read_records
from statemachines.mining.templates.message_templates import MinedTemplate, TemplateMiner
from statemachines.model.evidence.reports import MachineSummary
from statemachines.model.evidence.time_zones import time_zone
from statemachines.model.evidence.verdicts import Verdict

MOST_DRAFTS = 12


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


def mine_specs(
    paths: Sequence[str | PathLike[str]],
    *,
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> MiningResult:
    """Make drafts of specs of what logs show: wordings, instances, states and steps.

    Each draft is judged over the same logs. Lines are templates by what they have in common; which
    of their words are states, and which name the instance, is taken from the wording and from
    how the lines of an instance go on from each other.

    Args:
        paths: files and folders.
        layouts: names of known layouts, or files; none: found out record by record.
        zone: of times that tell none.

    Complexity: linear in the lines; of one template 50,000 lines are looked at.
    """
    miner = TemplateMiner()

    def take(read: ReadRecord) -> None:
        record = read.record
        miner.add(record.message, record.logger, record.level, read.process, read.place, read.order)

    done = read_records(paths, take, select_layouts(layouts), time_zone(zone))
    found = _found_machines(list(miner.templates()))
    specs = _judged_drafts(found, done, paths, layouts, zone) if found else ()
    return MiningResult(specs, done.files, done.lines, done.errors)


def _found_machines(templates: list[MinedTemplate]) -> list[FoundMachine]:
    machines = find_machines(templates)
    noted = [other.template for machine in machines for other in machine.notes]
    left = [each for each in templates if each not in noted and not state_lines(each)]
    found = [*machines, *find_workflows(left)]
    return [machine for machine in found if is_writable(machine)][:MOST_DRAFTS]


def _judged_drafts(
    found: Sequence[FoundMachine], done: LogsRead, paths: Sequence[str | PathLike[str]],
    layouts: Sequence[str], zone: str | None,
) -> tuple[MinedSpec, ...]:  # fmt: skip
    """Write drafts, judge all of them at once, and say in each how it fared."""
    names = _distinct_names(found)
    texts = {
        name: draft_text(machine, name, ()) for name, machine in zip(names, found, strict=True)
    }
    report = check_texts(texts, paths, layouts, zone)
    by_name = {summary.machine: summary for summary in report.machines}
    return tuple(
        _mined_spec(name, machine, by_name.get(name), done)
        for name, machine in zip(names, found, strict=True)
    )


def _distinct_names(found: Sequence[FoundMachine]) -> list[str]:
    """Name machines, those of one logger by their number as well."""
    names = list[str]()
    for wanted in map(machine_name, found):
        number = sum(name.rstrip("0123456789") == wanted for name in names)
        names.append(f"{wanted}{number + 1}" if number else wanted)
    return list(unique_names(names, [], "machine").values())


def _mined_spec(
    name: str, machine: FoundMachine, summary: MachineSummary | None, done: LogsRead
) -> MinedSpec:
    verdict = summary.verdict if summary else Verdict.INCONCLUSIVE
    steps = summary.steps if summary else 0
    files = "1 file" if done.files == 1 else f"{done.files:,} files"
    notes = (
        f"A draft, mined from {done.lines:,} lines of {files}: look through"
        " it before you rely on it.",
        "How sure it is of each part: `sure` from ten lines with none against it, `likely` from"
        " three, else `a guess`.",
        f"check over the same logs: {verdict.name}, {steps:,} steps of {machine.instances:,}"
        " instances.",
    )
    return MinedSpec(name, draft_text(machine, name, notes), machine.count, verdict, steps)
