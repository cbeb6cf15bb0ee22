"""`check`: the one call behind the command line and the Python API."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from functools import reduce
from importlib import metadata
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfoNotFoundError, available_timezones

from attrs import asdict, evolve, frozen

from statemachines.conform.accounts import accounted
from statemachines.conform.assemble import cut_short
from statemachines.conform.inputs import Input, Missing, inputs_of
from statemachines.conform.local import check_files
from statemachines.conform.plan import FamilyPlan, Options, Plan
from statemachines.conform.systems import parts_of, with_rules
from statemachines.logs import Layouts, default_layouts, level_of, load_layout_file
from statemachines.model.diagnostics import Diagnostic, SpecError
from statemachines.model.loglines import FamilyLog
from statemachines.model.machines import Spec
from statemachines.model.options import takes_options
from statemachines.model.reports import Report
from statemachines.model.suggestions import did_you_mean, meant, nearest
from statemachines.model.systems import SystemSpec
from statemachines.model.zones import zone_of
from statemachines.notation.compiled import cached_for_logs
from statemachines.notation.resolve import resolve_release

if TYPE_CHECKING:
    from statemachines.notation.reading import Reading

Paths = Sequence["str | PathLike[str]"]
ENGINES = ("auto", "local", "spark")
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
LOCAL_BYTES = 2 << 30
"""With `engine="auto"`, logs up to this size (as they lie on disk) are judged in this process."""


@takes_options()
def check(
    paths: Paths | str | PathLike[str],
    *,
    specs: Paths | None = None,
    release: str | None = None,
    engine: str = "auto",
    levels: Sequence[tuple[str | None, str]] = (),
    layouts: Sequence[str] = (),
    zone: str | None = None,
    tolerance: float = 1.0,
    separate: bool = False,
    progress: Callable[[int, int], None] | None = None,
    timeline: bool = True,
    master: str | None = None,
    remote: str | None = None,
    unread: bool = False,
) -> Report:
    """Judge logs by specs.

    Args:
        paths: files, folders, or `-` for standard input.
        specs: names of the catalogue, patterns of them, or files; None: the whole catalogue.
        release: the release that wrote the logs; None: found out from them.
        engine: `auto`, `local` or `spark`.
        levels: logger (None: all) and the level that it was set to.
        layouts: names of known layouts or files; none: found out record by record.
        zone: of times that tell none.
        tolerance: how far the clocks of processes may differ, in seconds.
        separate: keep what the first folders of the names hold apart: each is a system of its own.
        progress: called with bytes read and bytes in all.
        timeline: whether the report has its timeline.
        master: a Spark cluster.
        remote: a Spark Connect server.
        unread: whether the report lists lines that hold a word or a logger of the catalogue and that no line of it reads.

    Returns:
        What was found; `errors` names what could not be read.

    Raises:
        SpecError: no spec is left to judge by.
    """
    check_engine(engine)
    paths = [paths] if isinstance(paths, str | PathLike) else paths
    specs = [specs] if isinstance(specs, str | PathLike) else specs
    request = request_of(specs=specs, release=release, levels=levels, layouts=layouts, zone=zone, tolerance=tolerance, separate=separate)
    if master or remote or engine == "spark" or (engine == "auto" and is_much(paths) and has_spark()):
        from statemachines.conform.spark import check_paths, session

        report = check_paths(session(master=master, remote=remote), paths, request, progress=progress, timeline=timeline)
    else:
        report = check_here(paths, request, progress=progress, timeline=timeline)
    return finished(report, request, timeline=timeline, unread=unread)


def finished(report: Report, request: Request, *, timeline: bool, unread: bool) -> Report:
    """Return a report of an engine with the rules of systems and with what makes it reproducible, and without what was not asked for.

    Args:
        report: with the steps of all parts of systems, whether a timeline was asked for or not.
        request: what the engine was asked.
        timeline: whether it was asked for.
        unread: likewise.
    """
    options = request.plan.options
    whole = accounted(with_rules(report, request.systems, tolerance=options.tolerance_ms, separate=options.separate_folders))
    return evolve(whole, made_with=made_with(request), timeline=whole.timeline if timeline else (), unread=whole.unread if unread else ())


def check_here(paths: Paths, request: Request, *, progress: Callable[[int, int], None] | None = None, timeline: bool = True) -> Report:
    """Judge logs on this machine, in this process."""
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        found = inputs_of(paths, Path(spool))
        readable = [entry for entry in found if isinstance(entry, Input)]
        errors = [f"{entry.name}: {entry.why}" for entry in found if isinstance(entry, Missing)]
        report = check_files(request.plan, readable, request.layouts, progress=progress, timeline=timeline)
    return cut_short(report, interrupted=any(entry.interrupted for entry in readable), errors=(*errors, *request.errors))


def is_much(paths: Paths) -> bool:
    """Say whether files are so large together that starting Spark pays (`LOCAL_BYTES`)."""
    files = (file for path in map(Path, paths) for file in ([path] if path.is_file() else path.rglob("*") if path.is_dir() else []))
    return sum(file.stat().st_size for file in files if file.is_file()) > LOCAL_BYTES


def has_spark() -> bool:
    """Say whether the extra that brings Spark is installed."""
    return find_spec("pyspark") is not None


def made_with(request: Request) -> dict[str, object]:
    """Return what makes a report reproducible: the version, the options that were not left to their defaults, the specs' hashes."""
    try:
        version = metadata.version("lifecycle-statemachines")
    except metadata.PackageNotFoundError:
        version = "unknown"
    given = asdict(request.plan.options, filter=lambda field, value: value != field.default)
    hashes = [(spec.name, spec.sha256) for spec in request.plan.specs] + [(system.name, system.sha256) for system in request.systems]
    return {"version": version, "options": given, "specs": dict(sorted(hashes))}


@frozen
class Request:
    """What a check is asked to do, whatever engine does it."""

    plan: Plan
    layouts: Layouts
    errors: tuple[str, ...] = ()
    """Specs that cannot be used."""
    systems: tuple[SystemSpec, ...] = ()
    """Those whose rules are asked for."""


def request_of(
    *,
    specs: Paths | None = None,
    release: str | None = None,
    levels: Sequence[tuple[str | None, str]] = (),
    layouts: Sequence[str] = (),
    zone: str | None = None,
    tolerance: float = 1.0,
    separate: bool = False,
) -> Request:
    """Load the specs and settle the options of a check; the arguments are those of `check`.

    Raises:
        SpecError: no spec is left to judge by.
        ValueError: a release or a time zone that nobody knows; the message says which there are.
    """
    chosen = chosen_specs(specs)
    check_release(release, chosen.machines)
    check_zone(zone)
    if not 0 <= tolerance < float("inf"):
        raise ValueError(f"clocks cannot differ by {tolerance} seconds")
    together = frozenset[str]().union(*(parts_of(system) for system in chosen.systems))
    plan = plan_of(chosen.machines, Options(release, named_levels(levels), zone, int(tolerance * 1000), separate), together)
    return Request(plan, layouts_of(layouts), tuple(_said(wrong) for wrong in chosen.broken), chosen.systems)


def check_release(release: str | None, specs: Sequence[Spec]) -> None:
    """Refuse a release that no spec has: everything would be judged by nothing.

    Raises:
        ValueError: the message has the nearest one that there is.
    """
    if release is None or any(resolve_release(spec.family, release, within=spec.releases).known for spec in specs):
        return
    listed = [spec for spec in specs if spec.family.name]
    known = dict.fromkeys(name for spec in listed for name in spec.family.names(spec.releases))
    if not known:
        raise ValueError(f"no release `{release}`: these specs have no releases")
    near = nearest(release, reversed(known))
    ranges = dict.fromkeys(f"{spec.family.name} has {spec.family.ranges(spec.family.everything)}" for spec in listed)
    raise ValueError(f"no spec has a release `{release}`" + (f"; did you mean `{near}`?" if near else f"; {'; '.join(ranges)}"))


def named_levels(levels: Sequence[tuple[str | None, str]]) -> tuple[tuple[str | None, str], ...]:
    """Return the levels of loggers by their names in records.

    Raises:
        ValueError: one is no level, or no pair: it would say nothing of any logger, and nobody would know.
    """
    named = []
    for pair in levels:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"a level is a pair of a logger (None: all) and its level, not {pair!r}")
        if (level := level_of(pair[1])) is None:
            raise ValueError(f"`{pair[1]}` is no level; {did_you_mean(str(pair[1]).upper(), LEVELS)}")
        named.append((pair[0], level))
    return tuple(named)


def check_zone(zone: str | None) -> None:
    """Refuse a time zone that nobody knows.

    Raises:
        ValueError: the message says how to write one.
    """
    try:
        zone_of(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        said = meant(str(zone), available_timezones()) or "write Europe/Berlin, UTC or +02:00"
        raise ValueError(f"there is no time zone `{zone}`; {said}") from None


def check_engine(engine: str) -> None:
    """Refuse an engine that there is not: another one would judge in its place.

    Raises:
        ValueError: the message has those that there are.
    """
    if engine not in ENGINES:
        raise ValueError(f"there is no engine `{engine}`; {did_you_mean(engine, ENGINES)}")


def plan_of(specs: Sequence[Spec], options: Options | None = None, together: frozenset[str] = frozenset()) -> Plan:
    """Return the plan of a check by some specs and their families; `together` as in `Plan`."""
    families: dict[str, FamilyPlan] = {}
    for spec in specs:
        families.setdefault(spec.family.name, FamilyPlan(spec.family, spec.family_log or FamilyLog()))
    return Plan(tuple(specs), tuple(families.values()), options or Options(), together)


@frozen
class Chosen:
    """What to judge by."""

    machines: tuple[Spec, ...]
    systems: tuple[SystemSpec, ...] = ()
    broken: tuple[Diagnostic, ...] = ()
    """What is wrong with the specs that cannot be used."""


def chosen_specs(specs: Paths | None) -> Chosen:
    """Load the specs to judge by: of the catalogue all; else those that are named, with the machines of a system that is named.

    Raises:
        SpecError: none can be used.
    """
    if specs is None:
        try:
            return Chosen(*cached_for_logs())
        except SpecError:
            specs = ["*"]
    if not specs:
        raise ValueError("no spec is named to judge by; without `specs` all that are shipped are taken")
    # The reader of specs takes as long to load as a small log to judge; a check by the compiled catalogue does without it.
    from statemachines.notation import read_spec, settle_literals
    from statemachines.notation.catalogues import merged, told_apart

    readings = told_apart([read_spec(name) for asked in specs for name in _named(asked)])
    systems = {reading.system.name: reading.system for reading in readings if reading.system is not None}
    named = [reading.spec for reading in readings if reading.spec is not None]
    parts = [spec for system in systems.values() for _, spec in system.machines if spec.name not in {one.name for one in named}]
    unusable = [reading for reading in readings if reading.spec is None and reading.system is None]
    broken = tuple(dict.fromkeys(wrong for reading in unusable for wrong in _why_unusable(reading)))
    if not named and not parts:
        raise SpecError(broken)
    return Chosen(settle_literals(merged([*dict.fromkeys(parts), *named])), tuple(systems.values()), broken)


def _why_unusable(reading: Reading) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a file that gave no machine; one without a mistake is something else, and that is said."""
    try:
        reading.checked()
    except SpecError as problem:
        return problem.diagnostics
    return ()


def _named(asked: str | PathLike[str]) -> list[str | Path]:
    """Return what a name, a pattern, a folder of specs or a path stands for."""
    if not isinstance(asked, str | PathLike):
        raise TypeError(f"`specs` are names of the catalogue, patterns or files, not {asked!r}")
    if Path(asked).is_dir():
        from statemachines.notation import catalogue

        folder = Path(asked)
        names = [name for kind in ("machine", "system", "extends") for name in catalogue(folder, kind=kind)]
        return [folder / f"{name}.yaml" for name in names] or [asked if isinstance(asked, str) else folder]
    if isinstance(asked, str) and any(sign in asked for sign in "*?[") and not Path(asked).exists():
        from statemachines.notation import catalogue

        return [name for kind in ("machine", "system") for name in catalogue(kind=kind) if fnmatch(name, asked)] or [asked]
    return [asked if isinstance(asked, str) else Path(asked)]


def layouts_of(layouts: Sequence[str]) -> Layouts:
    """Return the layouts of some names and files; of none: all that are known."""
    if not layouts:
        return default_layouts()
    files = [load_layout_file(path) for path in layouts if Path(path).is_file()]
    named = [name for name in layouts if not Path(name).is_file()]
    return reduce(Layouts.before, [*files, *([default_layouts().named(named)] if named else [])])


def _said(wrong: Diagnostic) -> str:
    return f"{wrong.span.file}:{wrong.span.line}:{wrong.span.column}: {wrong.code} {wrong.message}"
