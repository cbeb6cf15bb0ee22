"""The names of what the judge numbers: keys, subjects, moments, places, and the order of instances
in a report.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import (
    EpisodePoint,
    InstanceJudgement,
    StatePoint,
    StepRow,
)
from statemachines.conform.interchange.observations import KeyValues
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.evidence.reports import InstanceKey, Instant, Place, TimelineStep


def machine_log(plan: CheckPlan, owner: int) -> LogDefinition:
    """Return how logs tell of a machine that observations are of."""
    log = plan.owners[owner].log
    assert log is not None
    return log


def named_key(context: JudgingContext, owner: int, values: KeyValues) -> InstanceKey:
    """Name the values of an instance's key."""
    log = machine_log(context.plan, owner)
    return tuple(
        (name, value if value is not None else "?")
        for name, value in zip(log.instance, values, strict=True)
    )


def subject_key(context: JudgingContext, owner: int, values: KeyValues) -> InstanceKey:
    """Return the fields that stay the same thing for a person."""
    log = machine_log(context.plan, owner)
    named = dict(named_key(context, owner, values))
    return tuple((name, named[name]) for name in log.subject or log.instance)


def subject_phrases(plan: CheckPlan) -> dict[str, tuple[SubjectPhrase, ...]]:
    """Return what people call instances, by machine, where its spec says so."""
    logs = ((owner.name, owner.log) for owner in plan.owners)
    return {name: log.called for name, log in logs if log is not None and log.called}


def remembered_fields(
    context: JudgingContext, judged: Iterable[InstanceJudgement]
) -> dict[tuple[str, str, InstanceKey], InstanceKey]:
    """Return what instances are known by beside their keys, numbers as numbers; nothing of what
    their lives tell differently.
    """
    names = dict[tuple[str, str, InstanceKey], InstanceKey]()
    for j in judged:
        numeric = machine_log(context.plan, j.owner).numeric_fields
        fields = tuple(
            (
                remembered.name,
                int(remembered.value) if remembered.name in numeric else remembered.value,
            )
            for remembered in j.remembered
            if remembered.is_only
        )
        for process in j.processes if fields else ():
            name = context.processes[process].name
            key = named_key(context, j.owner, j.key)
            names[context.plan.owners[j.owner].name, name, key] = fields
    return names


def generation_value(context: JudgingContext, owner: int, values: KeyValues) -> int | str:
    """Return what orders the instances of one subject."""
    log = machine_log(context.plan, owner)
    value = values[log.instance.index(log.generation)] if log.generation in log.instance else 0
    return value if value is not None else 0


def instance_sort_key(
    context: JudgingContext, identity: tuple[int, int, KeyValues]
) -> tuple[object, ...]:
    """Sort instances by machine, subject (numbers as numbers), generation, the rest of the key and
    the process.
    """
    owner, process, values = identity
    subject = tuple((isinstance(v, str), v) for _, v in subject_key(context, owner, values))
    generation = generation_value(context, owner, values)
    return (
        context.plan.owners[owner].name,
        subject,
        (isinstance(generation, str), generation),
        tuple((isinstance(v, str), v) for v in values),
        context.processes[process].name if process >= 0 else "",
        process,
    )


def to_instant(point: StatePoint | EpisodePoint | StepRow) -> Instant | None:
    """Return when something was told; None without a time."""
    return Instant(point.at, point.zone) if point.at is not None else None


def timeline_step(
    context: JudgingContext, owner: int, key: InstanceKey, row: StepRow
) -> TimelineStep:
    """Return a row of the timeline by its names."""
    place = Place(context.files[row.file].name, row.line) if row.line else None
    process = context.processes[row.process].name
    return TimelineStep(
        context.plan.owners[owner].name,
        key,
        process,
        row.incarnation,
        to_instant(row),
        row.source,
        row.target,
        row.how,
        place,
        row.text,
        row.values,
        _run_number(context, row),
        None if row.source_since is None else Instant(row.source_since, row.zone),
    )


def _run_number(context: JudgingContext, row: StepRow) -> int | None:
    """Return how often the process of a step began before; None where it never says so."""
    process = context.processes[row.process]
    if not process.possible_starts or not row.line:
        return None
    unit = next((prefix for file, prefix in process.units if file == row.file), None)
    position = context.line_position(row.file, unit, row.at, row.line)
    return bisect_right(process.possible_starts, position)
