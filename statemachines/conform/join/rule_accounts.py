"""The account of a check: each machine, system and property that was asked for, with how often it
was looked at, or why it was not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from attrs import evolve

from statemachines.conform.interchange.check_plan import (
    ALL_RUNS,
    NO_LINES,
    NONE_JUDGED,
    NOT_SEEN,
    VersionedProperty,
    spec_properties,
)
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.variants import Variant, VariantTable
from statemachines.conform.join.deadlines import WITHIN, DeadlineCounts
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.reports import Place, Quote, Report, RuleSummary, UnjudgedSummary
from statemachines.model.evidence.verdicts import Verdict, worst_verdict

AS_A_WHOLE = "steps"
"""The claim of a machine or a system as a whole."""
_SHARED_REASONS = {ALL_RUNS, NO_LINES, NONE_JUDGED, NOT_SEEN}
"""What is said once for all machines."""
_QUIET = ("DEBUG", "TRACE")
_CHANGES = {LineKind.STEP, LineKind.EVENT}
_STEPS = {LineKind.STEP, LineKind.EVENT, LineKind.IS}
TOO_LITTLE_OBSERVED = "no line tells enough to decide it"
_NOT_DUE = "its time is not over yet at the end of the log"


def machine_rule_rows(
    context: JudgingContext,
    judged: Sequence[InstanceJudgement],
    deadlines: Mapping[tuple[int, str], DeadlineCounts],
    grouped: VariantTable,
) -> Iterator[RuleSummary]:
    """Yield a row for every machine of a plan and one for each of its properties and deadlines, by
    name of the machine.

    Args:
        context: with the plan.
        judged: of all instances, in any order.
        deadlines: how often each was looked at, by machine and name.
        grouped: instances that went as some of these did.
    """
    mine: dict[int, list[InstanceJudgement]] = defaultdict(list)
    for j in judged:
        mine[j.owner].append(j)
    specs = context.plan.specs
    for owner in sorted(range(len(specs)), key=lambda number: specs[number].name):
        variants = list(grouped.variants_of(owner))
        first = _first_line(context, mine[owner], variants)
        unseen = _reason_unseen(context, specs[owner])
        more = sum(variant.others * variant.judgement.observations for variant in variants)
        yield from _rule_rows(specs[owner], mine[owner], more, first, unseen)
        for name in _deadline_names(specs[owner]):
            counts = deadlines.get((owner, name)) or DeadlineCounts()
            yield _deadline_row(specs[owner], name, counts, mine[owner], first)


def _first_line(
    context: JudgingContext, judged: Sequence[InstanceJudgement], variants: Sequence[Variant]
) -> Quote | None:
    firsts = filter(
        None, [*(j.first_line for j in judged), *(variant.first_line for variant in variants)]
    )
    lines = ((context.files[file].name, line, text) for file, line, text in firsts)
    first = min(lines, default=None)
    return Quote(Place(first[0], first[1]), first[2]) if first else None


def _reason_unseen(context: JudgingContext, spec: SpecDefinition) -> str:
    """Say why nothing was seen of a machine: which loggers tell steps of it at levels that are
    mostly not shown, in the releases that fit, is the way to see it.
    """
    if not spec.log or not spec.log.lines:
        return NO_LINES
    by_process = (process.fits.get(spec.family.name, ()) for process in context.processes)
    releases = reduce(or_, (fit.releases for fits in by_process for fit in fits), 0)
    lines = [line for line in spec.log.lines if line.releases & releases]
    if any(line.level not in _QUIET and _CHANGES.intersection(line.kinds) for line in lines):
        return NOT_SEEN
    quiet = {
        (line.level, logger)
        for line in lines
        if line.level in _QUIET and _STEPS.intersection(line.kinds)
        for logger in line.loggers
    }
    loggers = ", ".join(f"{logger} at {level}" for level, logger in sorted(quiet))
    return f"{NOT_SEEN}; steps of it are told by {loggers}" if loggers else NOT_SEEN


def _rule_rows(
    spec: SpecDefinition,
    judged: Sequence[InstanceJudgement],
    more: int,
    first: Quote | None,
    unseen: str,
) -> Iterator[RuleSummary]:
    lines = more + sum(
        j.observations - sum(entry.occurrences for entry in j.unjudged if not entry.in_part)
        for j in judged
    )
    why = "" if lines else NONE_JUDGED if judged else unseen
    findings = [finding for j in judged for finding in j.findings if not finding.rule]
    doubtful, wrong = (
        sum(f.count for f in findings if f.verdict is verdict)
        for verdict in (Verdict.INCONCLUSIVE, Verdict.VIOLATED)
    )
    verdict = None if why else worst_verdict([finding.verdict for finding in findings])
    yield RuleSummary(spec.name, AS_A_WHOLE, None, lines, doubtful, wrong, verdict, why, first)
    for number, wanted in enumerate(spec_properties(spec)):
        yield _property_row(
            spec.name, number, wanted, judged, why or wanted.unjudgeable_reason, first
        )


def _property_row(
    name: str,
    number: int,
    wanted: VersionedProperty,
    judged: Sequence[InstanceJudgement],
    why: str,
    first: Quote | None,
) -> RuleSummary:
    counts = [
        property_count
        for j in judged
        for property_count in j.property_counts
        if property_count.property_index == number
    ]
    decided, undecided, broken = (
        (sum(count) for count in zip(*(count_row[1:] for count_row in counts), strict=True))
        if counts
        else (0, 0, 0)
    )
    verdicts = [
        finding.verdict for j in judged for finding in j.findings if finding.rule == wanted.name
    ]
    verdict = worst_verdict(verdicts) if decided else None
    return RuleSummary(
        name,
        str(wanted.kind),
        wanted.name,
        decided,
        undecided,
        broken,
        verdict,
        "" if decided else why or TOO_LITTLE_OBSERVED,
        first,
    )


def _deadline_names(spec: SpecDefinition) -> Iterable[str]:
    episodes = spec.log.episodes if spec.log else ()
    return dict.fromkeys(episode.name for episode in episodes if episode.within)


def _deadline_row(
    spec: SpecDefinition,
    name: str,
    counts: DeadlineCounts,
    judged: Sequence[InstanceJudgement],
    first: Quote | None,
) -> RuleSummary:
    """Return the row of a deadline: never judged where nothing that it is about was seen to end, or
    to last too long.
    """
    verdicts = [finding.verdict for j in judged for finding in j.findings if finding.rule == name]
    verdict = worst_verdict(verdicts) if counts.decided or verdicts else None
    undecided = _NOT_DUE if counts.not_due else TOO_LITTLE_OBSERVED
    why = "" if verdict is not None else undecided if judged else NOT_SEEN
    return RuleSummary(
        spec.name,
        WITHIN,
        name,
        counts.decided,
        counts.undecided,
        counts.broken,
        verdict,
        why,
        first,
    )


def with_unjudged_rules(report: Report) -> Report:
    """Return a report whose `unjudged` names all that was asked for and not judged."""
    added = tuple(_unjudged_rows(report.rules, report.begins))
    if not added:
        return report
    rows = sorted((*report.unjudged, *added), key=unjudged_sort_key)
    checked = evolve(
        report.checked, unjudged=report.checked.unjudged + sum(row.count for row in added)
    )
    return evolve(report, unjudged=tuple(rows), checked=checked)


def unjudged_sort_key(row: UnjudgedSummary) -> tuple[str, str, int]:
    """Return what orders rows of what was not judged: by why, file, line."""
    return row.why, *((row.place.file, row.place.line) if row.place else ("", 0))


def _unjudged_rows(rules: Sequence[RuleSummary], begins: Quote | None) -> Iterator[UnjudgedSummary]:
    """Yield a row a reason: those of many machines together once, others once a machine or system.

    What was not seen at all stands there by its name alone; that nothing gets stuck, which every
    machine with data claims unasked, stands in `rules` only.
    """
    groups: dict[str, dict[str, list[RuleSummary]]] = defaultdict(lambda: defaultdict(list))
    unseen = {row.machine for row in rules if row.rule is None and row.verdict is None}
    for row in rules:
        if (
            row.verdict is None
            and row.claim != PropertyKind.NO_DEADLOCK
            and (row.rule is None or row.machine not in unseen)
        ):
            groups[row.why if row.why in _SHARED_REASONS else f"rules of {row.machine}: {row.why}"][
                row.machine
            ].append(row)
    for why, machines in groups.items():
        missed = [row for rows in machines.values() for row in rows]
        first = min(
            (row.first for row in missed if row.first),
            key=lambda line: (line.place.file, line.place.line),
            default=begins,
        )
        reasons = (
            _machine_names(machines)
            if why in _SHARED_REASONS
            else f"({_rule_names(missed)})"
            if missed[0].rule
            else ""
        )
        place, text = (first.place, first.text) if first else (None, "")
        yield UnjudgedSummary(
            f"{why}: {reasons}" if why in _SHARED_REASONS else f"{why} {reasons}".strip(),
            len(missed),
            place,
            text,
            about_lines=False,
        )


def _machine_names(machines: Mapping[str, Sequence[RuleSummary]]) -> str:
    return ", ".join(
        f"{name} ({_rule_names(rows)})" if rows[0].rule else name for name, rows in machines.items()
    )


def _rule_names(rows: Iterable[RuleSummary]) -> str:
    return ", ".join(dict.fromkeys(row.rule for row in rows if row.rule))
