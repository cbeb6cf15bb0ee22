"""The names of what the judge numbers: keys, subjects, moments, places, and the order of instances in a report."""

from __future__ import annotations

from statemachines.conform.judged import EpisodePoint, StatePoint, StepRow
from statemachines.conform.observations import KeyValues
from statemachines.conform.plan import Plan
from statemachines.conform.processes import Context
from statemachines.model.loglines import Log
from statemachines.model.reports import Instant, Key, Place, Step


def log_of(plan: Plan, owner: int) -> Log:
    """Return how logs tell of a machine that observations are of."""
    log = plan.owners[owner].log
    assert log is not None
    return log


def key_of(context: Context, owner: int, values: KeyValues) -> Key:
    """Name the values of an instance's key."""
    log = log_of(context.plan, owner)
    return tuple((name, value if value is not None else "?") for name, value in zip(log.instance, values, strict=True))


def subject_of(context: Context, owner: int, values: KeyValues) -> Key:
    """Return the fields that stay the same thing for a person."""
    log = log_of(context.plan, owner)
    named = dict(key_of(context, owner, values))
    return tuple((name, named[name]) for name in log.subject or log.instance)


def generation_of(context: Context, owner: int, values: KeyValues) -> int | str:
    """Return what orders the instances of one subject."""
    log = log_of(context.plan, owner)
    value = values[log.instance.index(log.generation)] if log.generation in log.instance else 0
    return value if value is not None else 0


def sort_key(context: Context, identity: tuple[int, int, KeyValues]) -> tuple[object, ...]:
    """Sort instances by machine, subject (numbers as numbers), generation, the rest of the key and the process."""
    owner, process, values = identity
    subject = tuple((isinstance(v, str), v) for _, v in subject_of(context, owner, values))
    generation = generation_of(context, owner, values)
    return (
        context.plan.owners[owner].name,
        subject,
        (isinstance(generation, str), generation),
        tuple((isinstance(v, str), v) for v in values),
        context.processes[process].name if process >= 0 else "",
        process,
    )


def instant(point: StatePoint | EpisodePoint | StepRow) -> Instant | None:
    """Return when something was told; None without a time."""
    return Instant(point.at, point.zone) if point.at is not None else None


def step_of(context: Context, owner: int, key: Key, row: StepRow) -> Step:
    """Return a row of the timeline by its names."""
    place = Place(context.files[row.file].name, row.line) if row.line else None
    process = context.processes[row.process].name
    return Step(context.plan.owners[owner].name, key, process, row.life, instant(row), row.source, row.target, row.how, place, row.text)
