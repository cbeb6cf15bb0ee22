"""What a report says of files, processes and loggers that nothing reads; and the names of what the
judge numbers: keys, subjects, moments, places, and the order of instances in a report.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from statemachines.conform.interchange.check_plan import LEVEL_ORDER, CheckPlan, FamilyPlan
from statemachines.conform.interchange.judgements import (
    EpisodePoint,
    InstanceJudgement,
    StatePoint,
    StepRow,
    UnjudgedLines,
)
from statemachines.conform.interchange.observations import KeyValues
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.conform.settle.processes import Process
from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.evidence.reports import (
    InstanceKey,
    Instant,
    Place,
    ProcessReleases,
    SourceSummary,
    TimelineStep,
)
from statemachines.model.values import define

_PLAIN_TYPES = {int, str}
"""Of values of which those of one type are sorted as they are."""


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
    whole = named_key(context, owner, values)
    if log.subject in ((), log.instance):
        return whole
    named = dict(whole)
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
    whole = tuple((isinstance(v, str), v) for v in values)
    log, subject = machine_log(context.plan, owner), whole
    generation: tuple[bool, int | str] = False, 0
    if log.generation is not None or log.subject not in ((), log.instance) or None in values:
        subject = tuple((isinstance(v, str), v) for _, v in subject_key(context, owner, values))
        value = generation_value(context, owner, values)
        generation = isinstance(value, str), value
    return (
        context.plan.owners[owner].name,
        subject,
        generation,
        whole,
        context.processes[process].name if process >= 0 else "",
        process,
    )


def are_compared_as_they_are(keys: Iterable[KeyValues]) -> bool:
    """Say whether keys of one machine without generations are sorted by nothing but their values.

    Args:
        keys: all of them.
    """
    kinds = {tuple(map(type, key)) for key in keys}
    return len(kinds) < 2 and all(_PLAIN_TYPES.issuperset(kind) for kind in kinds)


def to_instant(point: StatePoint | EpisodePoint | StepRow) -> Instant | None:
    """Return when something was told; None without a time."""
    return Instant(point.at, point.zone) if point.at is not None else None


def timeline_steps(
    context: JudgingContext, owner: int, key: InstanceKey, rows: Iterable[StepRow]
) -> Iterator[TimelineStep]:
    """Yield rows of the timeline of an instance by their names."""
    files, processes, machine = context.files, context.processes, context.plan.owners[owner].name
    for row in rows:
        life, at, zone, source, target, how, number, file, line, text, values, since = row
        place, process = Place(files[file].name, line) if line else None, processes[number]
        yield TimelineStep(
            machine,
            key,
            process.name,
            life,
            None if at is None else Instant(at, zone),
            source,
            target,
            how,
            place,
            text,
            values,
            run_number(context, row) if process.possible_starts else None,
            None if since is None else Instant(since, zone),
        )


def run_number(context: JudgingContext, row: StepRow) -> int | None:
    """Return how often the process of a step began before; None where it never says so.

    Args:
        context: what all files say together.
        row: of the step.
    """
    process = context.processes[row.process]
    if not process.possible_starts or not row.line:
        return None
    unit = next((prefix for file, prefix in process.units if file == row.file), None)
    position = context.line_position(row.file, unit, row.at, row.line)
    return bisect_right(process.possible_starts, position)


UNREAD_PREFIX = "read by no line: logger "
"""How a row begins that counts such lines; the logger follows, and the releases that fit."""


def unread_rows(
    context: JudgingContext, profiles: Sequence[Profile]
) -> Iterator[tuple[str, UnjudgedLines]]:
    """Yield how many lines of a logger nothing reads, and why: a row for each process and file."""
    families = _family_by_logger(context.plan)
    for number, profile in enumerate(profiles):
        for (unit, logger), (count, line, text) in profile.unread_by_logger.items():
            releases = _fitting_ranges(
                context, families[logger], context.process_by_unit.get((number, unit))
            )
            why = f"{UNREAD_PREFIX}{logger}" + (f" ({releases})" if releases else "")
            yield why, UnjudgedLines(why, count, number, line, text)


def _family_by_logger(plan: CheckPlan) -> Mapping[str, FamilyPlan]:
    """Return the family of the first machine that reads a logger."""
    family: dict[str, FamilyPlan] = {}
    for owner in range(len(plan.specs)):
        for logger in (logger for line in plan.owners[owner].lines for logger in line.loggers):
            family.setdefault(logger, plan.owner_family(owner))
    return family


def _fitting_ranges(context: JudgingContext, family: FamilyPlan, process: int | None) -> str:
    """Return the releases that fit a process, as the notation writes them; nothing where no line
    tells any.
    """
    if process is None:
        return ""
    fitting = 0
    for fit in context.processes[process].fits.get(family.family.name, ()):
        fitting |= fit.releases if fit.how != "assumed" else 0
    return family.family.ranges(fitting)


@define
class FileFacts:
    """What is known of a file beside its profile."""

    first: Instant | None = None
    last: Instant | None = None
    problems: tuple[str, ...] = ()
    first_text: str = ""
    """The first line, for a report that has nothing else to show."""


def with_days(
    context: JudgingContext, profiles: Sequence[Profile], facts: Sequence[FileFacts]
) -> tuple[FileFacts, ...]:
    """Return facts in which a time without a date counts from the midnight before the first one of
    its log, as those of observations do: what is known of a file alone is a time of day.
    """
    return tuple(
        _with_days(context, number, profiles[number], fact) for number, fact in enumerate(facts)
    )


def _with_days(
    context: JudgingContext, number: int, profile: Profile, facts: FileFacts
) -> FileFacts:
    spans = profile.midnights.spans
    if facts.last is None or facts.last.zone != "none" or not spans:
        return facts
    shifts = (context.shifts.get((number, unit)) for unit in spans)
    before = max(max(shift.days_ms.values(), default=0) if shift else 0 for shift in shifts)
    within = DAY_MS * max(span.midnights for span in spans.values())
    return evolve(
        facts, first=_later(facts.first, before), last=_later(facts.last, before + within)
    )


def _later(instant: Instant | None, by_ms: int) -> Instant | None:
    if instant is None or instant.ms is None or instant.zone != "none":
        return instant
    return Instant(instant.ms + by_ms, instant.zone)


def source_rows(
    context: JudgingContext, profiles: Sequence[Profile], facts: Sequence[FileFacts]
) -> tuple[SourceSummary, ...]:
    """Return what is known of each file, by path."""
    rows = [
        _source_row(context, number, profile, facts[number])
        for number, profile in enumerate(profiles)
    ]
    return tuple(sorted(rows, key=lambda source: source.file))


def _source_row(
    context: JudgingContext, number: int, profile: Profile, facts: FileFacts
) -> SourceSummary:
    layout = min(profile.layouts, key=lambda name: (-profile.layouts[name], name), default=None)
    processes = [
        context.processes[p]
        for p in sorted({context.process_by_unit[number, prefix] for prefix in profile.prefixes})
    ]
    zone = next((time.zone for time in (facts.first, facts.last) if time is not None), "unknown")
    problems = dict.fromkeys(
        [
            *facts.problems,
            *sorted(profile.problems),
            *(p for process in processes for p in process.problems),
        ]
    )
    names = tuple(sorted(process.name for process in processes))
    return SourceSummary(
        context.files[number].name,
        layout,
        _quietest_levels(profile),
        zone if zone != "none" else "unknown",
        names,
        profile.lines,
        profile.unread,
        facts.first,
        facts.last,
        tuple(problems),
    )


def _quietest_levels(profile: Profile) -> dict[str, str]:
    quietest: dict[str, int] = {}
    for unit in profile.units.values():
        for (_, logger), rank in unit.levels.items():
            if logger:
                quietest[logger] = min(rank, quietest.get(logger, rank))
    return {logger: LEVEL_ORDER[quietest[logger]] for logger in sorted(quietest)}


def release_rows(
    context: JudgingContext, profiles: Sequence[Profile]
) -> tuple[ProcessReleases, ...]:
    """Return the releases that fit each process of which a line was read."""
    rows = [
        row
        for process in context.processes
        for family in context.plan.families
        for row in _process_release_rows(context, process, family, profiles)
    ]
    return tuple(sorted(rows, key=lambda r: (r.process, r.from_line or 0)))


def _process_release_rows(
    context: JudgingContext, process: Process, family: FamilyPlan, profiles: Sequence[Profile]
) -> Iterator[ProcessReleases]:
    units = [
        profiles[file].units[prefix]
        for file, prefix in process.units
        if prefix in profiles[file].units
    ]
    owners = {
        signature.owner
        for unit in units
        for signature in unit.signatures
        if context.plan.owners[signature.owner].family == family.family.name
    }
    if not owners or not family.family.name:
        return
    known = process.fits[family.family.name]
    own = next(
        (process.own_fits[owner] for owner in sorted(owners) if owner in process.own_fits), None
    )
    for fit in own if own and known[0].how in ("lines", "assumed") else known:
        ranges = family.family.ranges(fit.releases)
        if fit.start.line > 0:
            file = context.file_at(fit.start)
            yield ProcessReleases(
                process.name,
                ranges,
                fit.how,
                fit.start.line,
                family.family.name,
                file,
                fit.start.reached,
            )
        else:
            yield ProcessReleases(process.name, ranges, fit.how, None, family.family.name)
