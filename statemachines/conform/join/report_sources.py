"""What a report says of files and processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import define, evolve

from statemachines.conform.interchange.check_plan import LEVEL_ORDER, FamilyPlan
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.conform.settle.processes import Process
from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.evidence.reports import Instant, ProcessReleases, SourceSummary


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


def last_times_of_processes(
    context: JudgingContext, profiles: Sequence[Profile], facts: Sequence[FileFacts]
) -> dict[int, int]:
    """Return the time of the last line of each process, in epoch milliseconds; a process none of
    whose files tells a time is left out.
    """
    last_times: dict[int, int] = {}
    for number, profile in enumerate(profiles):
        last = facts[number].last
        if last is None or last.ms is None:
            continue
        for prefix in profile.prefixes:
            process = context.process_by_unit[number, prefix]
            last_times[process] = max(last.ms, last_times.get(process, last.ms))
    return last_times


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
