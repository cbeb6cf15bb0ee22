"""The engine for one machine: files one after the other, the same steps as on a cluster."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from statemachines.conform.assemble import Assembly, FileFacts, Seen, key_of, sort_key
from statemachines.conform.judged import Judged, StepRow
from statemachines.conform.judging import Judging
from statemachines.conform.observations import Observation
from statemachines.conform.observe import Observer
from statemachines.conform.plan import Plan
from statemachines.conform.processes import Context, File, context_of
from statemachines.conform.profile import Profile, join, merged_reasons, shift_between
from statemachines.conform.reader import Reader
from statemachines.conform.store import Store
from statemachines.conform.tables import Tables
from statemachines.conform.timeline import Timeline
from statemachines.logs import Layouts, Moment, Scan, Scanner, first_and_last, open_log, pieces, rotation, scan
from statemachines.logs.scanner import Buffer
from statemachines.model.reports import Instant, Key, Place, Report, Step

Progress = Callable[[int, int], None]
"""Called with the bytes read and the bytes in all."""


def check_files(
    plan: Plan, paths: Sequence[tuple[str, Path]], layouts: Layouts, *, progress: Progress | None = None, timeline: bool = True
) -> Report:
    """Judge log files.

    Args:
        paths: of each file the name that reports use and where it lies.
    """
    reader = Reader(plan)
    scanner = Scanner(reader.literals)
    store, profiles, facts, errors = Store(), [], [], []
    for number, (name, path) in enumerate(paths):
        profile, fact, error = read_file(plan, reader, scanner, layouts, number, path, store)
        profiles.append(profile)
        facts.append(fact)
        errors += [f"{name}: {error}"] if error else []
    files = tuple(File(name, *rotation(name)) for name, _ in paths)
    context = context_of(plan, files, profiles)
    return judge_all(context, Tables(plan), store, profiles, facts, timeline=timeline, errors=tuple(errors))


def read_file(
    plan: Plan, reader: Reader, scanner: Scanner, layouts: Layouts, number: int, path: Path, store: Store
) -> tuple[Profile, FileFacts, str | None]:
    """Read one file into a store of observations, and return what it shows."""
    zone = zone_of(plan.options.zone)
    with open_log(path) as log:
        profile = Profile()
        for start, end in pieces(log.size):
            profile = _read_piece(Observer(plan, reader, number), scan(log.buffer, start, end, scanner, layouts, zone=zone), profile, store)
        return profile, facts_of(log.buffer, layouts, zone, log.problems), log.unreadable


def facts_of(buffer: Buffer, layouts: Layouts, zone: tzinfo | None, problems: tuple[str, ...]) -> FileFacts:
    """Return what is known of a file beside its profile; its first and last bytes are enough for that."""
    first, last = (_instant(moment) for moment in first_and_last(buffer, layouts, zone=zone))
    return FileFacts(first, last, problems, _first_line(buffer))


def _read_piece(observer: Observer, part: Scan, before: Profile, store: Store) -> Profile:
    """Read a piece into the store; its times and lines move by what the pieces before it show."""
    observations = list(observer.observe(part))
    piece = finished(observer, part)
    shift = shift_between(before, piece)
    store.add(shift.moved(seen) for seen in observations)
    return join(before, piece)


def finished(observer: Observer, part: Scan) -> Profile:
    """Return the profile of a piece that was read to its end."""
    observer.profile.lines = part.lines
    observer.profile.midnights = part.midnights
    observer.profile.problems.update(part.problems)
    return observer.profile


def zone_of(name: str | None) -> tzinfo | None:
    """Return the time zone of a name (`Europe/Berlin`) or an offset (`+05:30`)."""
    if name is None:
        return None
    if found := re.fullmatch(r"(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?", name):
        minutes = int(found[2]) * 60 + int(found[3] or 0)
        return timezone(timedelta(minutes=-minutes if found[1] == "-" else minutes))
    return ZoneInfo(name)


def _instant(moment: Moment | None) -> Instant | None:
    return None if moment is None else Instant(moment.at_ms, ("Z" if moment.zoned else "unknown") if moment.dated else "none")


def _first_line(buffer: Buffer) -> str:
    return bytes(buffer[:4096]).split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")


def judge_all(
    context: Context,
    tables: Tables,
    store: Store,
    profiles: list[Profile],
    facts: list[FileFacts],
    *,
    timeline: bool,
    errors: tuple[str, ...],
) -> Report:
    """Judge every instance of a store, in the order of the report."""
    lost: list[Observation] = []
    instances = store.instances(context, lost)
    for observation in lost:
        profile = profiles[observation.file]
        profile.unjudged = merged_reasons(profile.unjudged, [("no generation", 1, observation.line, observation.text)])
    rows, seen, judged = Timeline(), Seen(), list[Judged]()
    for who in sorted(instances, key=lambda who: sort_key(context, who)):
        judging = Judging(context, tables, who[0], who[2], instances[who])
        key = key_of(context, who[0], who[2])
        for row in judging:
            count(seen, who[0], row)
            if timeline:
                rows.add(named(context, who[0], key, row))
        judged.append(judging.judged)
    return Assembly(context, tables, profiles, facts).report(judged, seen, rows, errors=errors)


def count(seen: Seen, owner: int, row: StepRow) -> None:
    """Count a row of the timeline."""
    seen.hidden += row.how in ("hidden", "silent")
    seen.missing += row.how == "missing"
    if row.source is not None and row.target is not None:
        seen.arrows[owner].add((row.source, row.target))


def named(context: Context, owner: int, key: Key, row: StepRow) -> Step:
    """Give a row of the timeline its names."""
    return Step(
        context.plan.owners[owner].name,
        key,
        context.processes[row.process].name,
        row.life,
        Instant(row.at, row.zone) if row.at is not None else None,
        row.source,
        row.target,
        row.how,
        Place(context.files[row.file].name, row.line) if row.line else None,
    )
