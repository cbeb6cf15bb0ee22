"""What a check asks, in a form that every engine takes, and what is done with their reports."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from functools import reduce
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from attrs import asdict, evolve, field

from statemachines.conform.check_options import CheckOptions, Paths
from statemachines.conform.engines.inputs import (
    Input,
    MissingInput,
    common_folder,
    is_state_file,
    list_inputs,
)
from statemachines.conform.engines.local import check_files
from statemachines.conform.interchange.check_plan import CheckPlan, FamilyPlan, PlanOptions
from statemachines.conform.join.report_assembly import with_incompleteness
from statemachines.conform.join.rule_accounts import with_unjudged_rules
from statemachines.conform.systems import judged_machines, with_system_findings
from statemachines.logs import Layouts, default_layouts, load_layout_file
from statemachines.model.definitions.log_definitions import FamilyLog
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, SpecError
from statemachines.model.diagnosis.suggestions import meant_hint, nearest_word
from statemachines.model.evidence.reports import Report
from statemachines.model.values import frozen
from statemachines.model.version import __version__
from statemachines.notation.loading.catalogue_cache import cached_specs_and_systems, keyed_for_logs
from statemachines.notation.releases.release_resolution import resolve_release

if TYPE_CHECKING:
    from statemachines.conform.engines.state.state_folder import StateFolder
    from statemachines.notation.passes.spec_builder import SpecReading


def finish_report(report: Report, request: JudgingRequest) -> Report:
    """Return a report of an engine with the rules of systems and with what makes it reproducible,
    and without what was not asked for.

    Args:
        report: with the steps of all parts of systems, whether a timeline was asked for or not.
        request: what the engine was asked.

    Returns:
        The report that users are given.
    """
    options = request.plan.options
    whole = with_unjudged_rules(
        with_system_findings(
            report,
            request.systems,
            tolerance=options.tolerance_ms,
            separate=options.separate_folders,
        )
    )
    return evolve(
        whole,
        made_with=made_with(request),
        timeline=whole.timeline if request.options.timeline else (),
        unread=whole.unread if request.options.unread else (),
    )


def check_locally(
    paths: Paths,
    request: JudgingRequest,
    *,
    progress: Callable[[int, int], None] | None = None,
    timeline: bool = True,
) -> Report:
    """Judge logs on this machine.

    Args:
        paths: files and folders; `-` is standard input.
        request: what is judged by, and how.
        progress: called with bytes read and bytes in all, as they lie on disk; of standard input
            with what came, and 0 while it goes on.
        timeline: False leaves steps out.

    Returns:
        The report of all of them.
    """
    request = with_systems_root(request, paths)
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        inputs = list_inputs(paths, Path(spool), progress)
        readable = [entry for entry in inputs if isinstance(entry, Input)]
        errors = [
            f"{entry.name}: {entry.reason}" for entry in inputs if isinstance(entry, MissingInput)
        ]
        report = _checked(request, readable, progress, timeline=timeline)
    return with_incompleteness(
        report,
        interrupted=any(entry.interrupted for entry in readable),
        errors=(*errors, *request.errors),
    )


def _checked(
    request: JudgingRequest,
    inputs: Sequence[Input],
    progress: Callable[[int, int], None] | None,
    *,
    timeline: bool,
) -> Report:
    """Judge files, with what earlier checks have kept where that is asked for."""
    plan, layouts, options = request.plan, request.layouts, request.options
    if options.state is None:
        return check_files(
            plan, inputs, layouts, progress=progress, timeline=timeline, jobs=options.jobs
        )
    # Imported where it is used: databases take as long to import as a small log to judge.
    from statemachines.conform.engines.state.kept_check import check_kept_files

    folder = Path(options.state).resolve()
    inputs = [entry for entry in inputs if not is_state_file(entry.path, folder)]
    with state_folder(request) as state:
        assert state is not None
        return check_kept_files(plan, inputs, layouts, state, progress=progress, timeline=timeline)


@contextmanager
def state_folder(request: JudgingRequest) -> Iterator[StateFolder | None]:
    """Open what earlier checks have kept, where a check shall use it.

    Args:
        request: that names the folder.

    Yields:
        The folder; None where none is named.

    Raises:
        StateUnusable: another check uses it, or nothing can be written there.
    """
    if request.options.state is None:
        yield None
        return
    from statemachines.conform.engines.state.reading_keys import reading_keys
    from statemachines.conform.engines.state.state_folder import StateFolder

    keys = reading_keys(request.plan, request.layouts, request.catalogue_digest)
    with StateFolder(request.options.state, keys) as state:
        yield state


def made_with(request: JudgingRequest) -> dict[str, object]:
    """Return what makes a report reproducible: the version, the options that were not left to their
    defaults, the specs' hashes.
    """
    given = asdict(request.plan.options, filter=lambda option, value: value != option.default)
    hashes = [(spec.name, spec.sha256) for spec in request.plan.specs] + [
        (system.name, system.sha256) for system in request.systems
    ]
    return {"version": __version__, "options": given, "specs": dict(sorted(hashes))}


@frozen
class JudgingRequest:
    """What a check is asked to do, whatever engine does it."""

    plan: CheckPlan
    layouts: Layouts
    errors: tuple[str, ...] = ()
    """Specs that cannot be used."""
    systems: tuple[SystemSpecDefinition, ...] = ()
    """Those whose rules are asked for."""
    options: CheckOptions = field(factory=CheckOptions)
    catalogue_digest: str = ""
    """Of the specs, where these are the whole catalogue."""


def make_request(options: CheckOptions | None = None) -> JudgingRequest:
    """Load the specs of a check and settle what is sent to any worker.

    Args:
        options: of the check; None: those that hold where nothing is said.

    Returns:
        What every engine takes.

    Raises:
        SpecError: no spec is left to judge by.
        ValueError: a release that no spec has; the message says which there are.
    """
    options = options or CheckOptions()
    chosen = load_specs(options.specs)
    _refuse_unknown_release(options.release, chosen.machines)
    together = frozenset[str]().union(*(judged_machines(system) for system in chosen.systems))
    return JudgingRequest(
        make_plan(chosen.machines, _plan_options(options), together),
        select_layouts(options.layouts),
        tuple(_diagnostic_message(wrong) for wrong in chosen.broken),
        chosen.systems,
        options,
        chosen.digest,
    )


def with_systems_root(request: JudgingRequest, paths: Paths) -> JudgingRequest:
    """Return a request that knows where the folders stand that are systems of their own, if these
    are kept apart: below the folder that several paths have in common.

    Args:
        request: of the check.
        paths: that are checked.

    Returns:
        The request, with the folder; the same one where nothing is kept apart.
    """
    options = request.plan.options
    if not options.separate_folders:
        return request
    rooted = evolve(options, systems_root=common_folder(paths))
    return evolve(request, plan=evolve(request.plan, options=rooted))


def _plan_options(options: CheckOptions) -> PlanOptions:
    return PlanOptions(
        options.release,
        options.levels,
        options.zone,
        int(options.tolerance * 1000),
        options.separate,
    )


def _refuse_unknown_release(release: str | None, specs: Sequence[SpecDefinition]) -> None:
    """Refuse a release that no spec has: everything would be judged by nothing.

    Raises:
        ValueError: the message has the nearest one that there is.
    """
    if release is None or any(
        resolve_release(spec.family, release, within=spec.releases).is_known for spec in specs
    ):
        return
    listed = [spec for spec in specs if spec.family.name]
    known = dict.fromkeys(name for spec in listed for name in spec.family.names(spec.releases))
    if not known:
        raise ValueError(f"no release `{release}`: these specs have no releases")
    same_line = [name for name in known if name.split(".")[0] == release.split(".")[0]]
    near = nearest_word(release, reversed(same_line))
    ranges = dict.fromkeys(
        f"{spec.family.name} has {spec.family.ranges(spec.family.all_releases)}" for spec in listed
    )
    raise ValueError(
        f"no spec has a release `{release}`"
        + f"; {meant_hint(near) if near else '; '.join(ranges)}"
    )


def make_plan(
    specs: Sequence[SpecDefinition],
    options: PlanOptions | None = None,
    together: frozenset[str] = frozenset(),
) -> CheckPlan:
    """Return the plan of a check by some specs and their families; `together` as in `Plan`.

    Args:
        specs: the machines.
        options: of the plan; None: those that hold where nothing is said.
        together: families whose machines are judged as one.

    Returns:
        What is looked for in logs.
    """
    families: dict[str, FamilyPlan] = {}
    for spec in specs:
        families.setdefault(
            spec.family.name, FamilyPlan(spec.family, spec.family_log or FamilyLog())
        )
    return CheckPlan(tuple(specs), tuple(families.values()), options or PlanOptions(), together)


@frozen
class ChosenSpecs:
    """What to judge by."""

    machines: tuple[SpecDefinition, ...]
    systems: tuple[SystemSpecDefinition, ...] = ()
    broken: tuple[Diagnostic, ...] = ()
    """What is wrong with the specs that cannot be used."""
    digest: str = ""
    """Of the specs of the catalogue, where that is what was chosen."""


def load_specs(specs: Paths | None) -> ChosenSpecs:
    """Load the specs to judge by: of the catalogue all; else those that are named, with the
    machines of a system that is named.

    Args:
        specs: names and paths; None: all of the catalogue.

    Returns:
        The machines and systems.

    Raises:
        SpecError: none can be used.
    """
    if specs is None:
        try:
            catalogue, digest = keyed_for_logs()
            return ChosenSpecs(*catalogue, digest=digest)
        except SpecError:
            specs = ["*"]
    elif (chosen := _choose_by_patterns(specs)) is not None:
        return chosen
    # The reader of specs takes as long to load as a small log to judge; a check by the compiled
    # catalogue does without it.
    from statemachines.notation import read_spec
    from statemachines.notation.loading.spec_catalogue import with_distinct_names

    readings = with_distinct_names(
        [read_spec(name) for requested in specs for name in _expand_name(requested)]
    )
    systems = {
        reading.system.name: reading.system for reading in readings if reading.system is not None
    }
    named = [reading.spec for reading in readings if reading.spec is not None]
    unusable = [reading for reading in readings if reading.spec is None and reading.system is None]
    broken = tuple(
        dict.fromkeys(wrong for reading in unusable for wrong in _unusable_diagnostics(reading))
    )
    if not named and not any(system.machines for system in systems.values()):
        raise SpecError(broken)
    return _with_parts(named, list(systems.values()), broken)


def _choose_by_patterns(patterns: Paths) -> ChosenSpecs | None:
    """Choose machines and systems of the compiled catalogue, which is there at once; None where
    something else than patterns is asked for, or a pattern that no name of it fits.
    """
    known = [requested for requested in patterns if _is_pattern(requested)]
    if not known or len(known) < len(patterns):
        return None
    try:
        machines, systems = cached_specs_and_systems()
    except SpecError:
        return None
    named = [spec for requested in known for spec in machines if fnmatch(spec.name, requested)]
    together = {
        system.name: system
        for requested in known
        for system in systems
        if fnmatch(system.name, requested)
    }
    names = {spec.name for spec in named} | together.keys()
    if not all(any(fnmatch(name, requested) for name in names) for requested in known):
        return None
    return _with_parts(named, list(together.values()))


def _with_parts(
    named: list[SpecDefinition],
    systems: list[SystemSpecDefinition],
    broken: tuple[Diagnostic, ...] = (),
) -> ChosenSpecs:
    """Add the machines of systems to those that are named."""
    from statemachines.notation import settle_literals
    from statemachines.notation.loading.spec_catalogue import merge_same_names

    known = {problem.name for problem in named}
    parts = [spec for system in systems for _, spec in system.machines if spec.name not in known]
    return ChosenSpecs(
        settle_literals(merge_same_names([*dict.fromkeys(parts), *named])), tuple(systems), broken
    )


def _is_pattern(text: str | PathLike[str]) -> TypeGuard[str]:
    return isinstance(text, str) and any(sign in text for sign in "*?[") and not Path(text).exists()


def _unusable_diagnostics(reading: SpecReading) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a file that gave no machine; one without a mistake is something
    else, and that is said.
    """
    try:
        reading.valid_spec()
    except SpecError as problem:
        return problem.diagnostics
    return ()


def _expand_name(text: str | PathLike[str]) -> list[str | Path]:
    """Return what a name, a pattern, a folder of specs or a path stands for."""
    if Path(text).is_dir():
        from statemachines.notation import spec_names

        folder = Path(text)
        names = [
            name
            for kind in ("machine", "system", "extends")
            for name in spec_names(folder, kind=kind)
        ]
        return [folder / f"{name}.yaml" for name in names] or [
            text if isinstance(text, str) else folder
        ]
    if _is_pattern(text):
        from statemachines.notation import spec_names

        return [
            name
            for kind in ("machine", "system")
            for name in spec_names(kind=kind)
            if fnmatch(name, text)
        ] or [text]
    return [text if isinstance(text, str) else Path(text)]


def select_layouts(layouts: Sequence[str]) -> Layouts:
    """Return the layouts of some names and files; of none: all that are known.

    Args:
        layouts: names of shipped ones, and paths of files.

    Returns:
        Layouts, the most specific first.
    """
    if not layouts:
        return default_layouts()
    files = [load_layout_file(path) for path in layouts if Path(path).is_file()]
    named = [name for name in layouts if not Path(name).is_file()]
    return reduce(
        Layouts.followed_by, [*files, *([default_layouts().selected(named)] if named else [])]
    )


def _diagnostic_message(wrong: Diagnostic) -> str:
    return f"{wrong.span.file}:{wrong.span.line}:{wrong.span.column}: {wrong.code} {wrong.message}"
