"""What the profiles of all files say together: settled when every profile is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from statemachines.conform.interchange.check_plan import CheckPlan, FamilyPlan
from statemachines.conform.interchange.profiles import (
    BEGIN_KINDS,
    CarriedGeneration,
    LineSignature,
    ProcessEvent,
    Profile,
    Shift,
    UnitProfile,
)
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.conform.settle.processes import (
    CheckedFile,
    Process,
    Unit,
    fit_releases,
    process_names,
    rotation_indexes,
)


def settle_context(
    plan: CheckPlan, files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> JudgingContext:
    """Settle what the profiles of all files say together."""
    names = dict(process_names(plan, files, profiles))
    numbers: dict[str, int] = {}
    abroad = tuple(observation for profile in profiles for observation in profile.abroad)
    context = JudgingContext(
        plan,
        files,
        [],
        {},
        _rotation_shifts(files, profiles),
        _carried_generations(files, profiles),
        abroad,
        _doubled_units(profiles),
    )
    for unit, name in names.items():
        if name not in numbers:
            numbers[name] = len(context.processes)
            context.processes.append(Process(name.rpartition("\0")[2], name))
        context.process_by_unit[unit] = numbers[name]
        context.processes[numbers[name]].units.append(unit)
    for process in context.processes:
        _settle_process(context, process, profiles)
    return context


_FEWEST_DOUBLED = 5
"""Kinds of lines of which each must stand twice, for it to be no chance, and no fault of one."""


def _doubled_units(profiles: list[Profile]) -> frozenset[Unit]:
    return frozenset(
        (file, prefix)
        for file, profile in enumerate(profiles)
        for prefix, unit in profile.units.items()
        if unit.wholly_doubled >= _FEWEST_DOUBLED
    )


def _rotation_shifts(files: tuple[CheckedFile, ...], profiles: list[Profile]) -> dict[Unit, Shift]:
    """Return for each unit the latest time of the older files of its stem."""
    parts, shifts = rotation_indexes(files), dict[Unit, Shift]()
    latest: dict[tuple[str, str | None], int] = {}
    for number in sorted(range(len(files)), key=lambda n: (files[n].stem, parts[n])):
        for prefix, unit in profiles[number].units.items():
            before = latest.get((files[number].stem, prefix))
            if before is not None:
                shifts[number, prefix] = Shift(0, {prefix: before})
            reached = [time for time in (before, unit.reached) if time is not None]
            if reached:
                latest[files[number].stem, prefix] = max(reached)
    return shifts


def _carried_generations(
    files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> dict[Unit, list[CarriedGeneration]]:
    """Return the generations told in each unit, those of the older files of its stem before its own
    (with line 0).
    """
    parts, carried = rotation_indexes(files), dict[Unit, list[CarriedGeneration]]()
    latest: dict[tuple[str, str | None], dict[tuple[str, str, str], CarriedGeneration]] = {}
    for number in sorted(range(len(files)), key=lambda n: (files[n].stem, parts[n])):
        for prefix, unit in profiles[number].units.items():
            before = latest.get((files[number].stem, prefix), {})
            carried[number, prefix] = [*before.values(), *unit.generations]
            latest[files[number].stem, prefix] = {
                (c.field, c.carrier, c.value): c._replace(line=0) for c in carried[number, prefix]
            }
    return carried


def _settle_process(context: JudgingContext, process: Process, profiles: list[Profile]) -> None:
    """Fill in what the profiles of a process's units say."""
    units = [(unit, profiles[unit[0]].units.get(unit[1], UnitProfile())) for unit in process.units]
    process_events = sorted(
        (
            context.line_position(file, prefix, process_event.reached, process_event.line),
            process_event,
        )
        for (file, prefix), profile in units
        for process_event in profile.process_events
    )
    process.possible_starts = [
        position for position, process_event in process_events if process_event.kind in BEGIN_KINDS
    ]
    process.certain_starts = [
        position
        for position, process_event in process_events
        if process_event.kind == "process begins"
    ]
    process.ends = [
        position
        for position, process_event in process_events
        if process_event.kind == "process ends"
    ]
    read: Counter[LineSignature] = Counter()
    for (file, _), profile in units:
        read.update(profile.signatures)
        stem = context.stems[context.files[file].stem]
        for (owner, logger), rank in profile.levels.items():
            process.shown_levels[stem, owner, logger] = min(
                rank, process.shown_levels.get((stem, owner, logger), rank)
            )
    process.problems += _folder_problems(context, process, read)
    for family in context.plan.families:
        process.fits[family.family.name], problems = fit_releases(
            context.plan,
            family,
            list(read),
            [m for m in process_events if _concerns_family(context.plan, m[1], family)],
        )
        process.problems += problems
    for owner in {
        process_event.owner
        for _, process_event in process_events
        if process_event.kind == "release" and process_event.owner < len(context.plan.specs)
    }:
        own = [m for m in process_events if m[1].owner == owner or m[1].kind in BEGIN_KINDS]
        process.own_fits[owner], _ = fit_releases(
            context.plan, context.plan.owner_family(owner), list(read), own
        )


def _folder_problems(
    context: JudgingContext, process: Process, read: Iterable[LineSignature]
) -> Iterator[str]:
    """Say where several folders tell of one process and of an instance that processes share: one
    check judges one system.
    """
    folders = sorted({context.files[file].folder for file, _ in process.units})
    shared = any(
        owner.log is not None and owner.log.shared
        for owner in (context.plan.owners[signature.owner] for signature in read)
    )
    if len(folders) > 1 and shared:
        yield (
            f"{process.name} is told of in {' and '.join(folders)}: if these are two systems,"
            " --separate keeps them apart"
        )


def _concerns_family(plan: CheckPlan, process_event: ProcessEvent, family: FamilyPlan) -> bool:
    return plan.owners[process_event.owner].family == family.family.name and (
        process_event.kind != "release" or process_event.owner >= len(plan.specs)
    )
