"""Specs, systems and families loaded by name or path, alone and as a catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from attrs import evolve

from statemachines.model.definitions.log_definitions import FamilyLog, LogDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseFamily
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity, Span, SpecError
from statemachines.model.diagnosis.suggestions import (
    did_you_mean,
)
from statemachines.notation.document.yaml_nodes import node_text
from statemachines.notation.lines.line_templates import settle_literals
from statemachines.notation.loading.spec_extension import extend_spec, extended_name_span
from statemachines.notation.loading.spec_reader import read_document
from statemachines.notation.log_passes.family_pass import family_file, read_family
from statemachines.notation.passes.spec_builder import (
    ParsedFamilies,
    SpecBuilder,
    SpecReading,
    neighbouring_spec,
    why_unusable,
)
from statemachines.notation.sources.catalogue_names import (
    folder_within_specs,
    is_path,
    locate_spec,
    name_from_path,
    neighbour_hint,
    not_a_spec_hint,
    spec_names,
    specs_folder,
)
from statemachines.notation.sources.file_cache import file_bytes, stand_in_for


def load_spec(name_or_path: str | Path, *, folder: Path | None = None) -> SpecDefinition:
    """Load one machine.

    Args:
        name_or_path: a catalogue name (`shop/Order`, or its last part where only one ends so) or a
            path.
        folder: the specs folder of catalogue names; None for the shipped one.

    Returns:
        The machine in all its releases.

    Raises:
        SpecError: there is no such spec, or it has errors; `diagnostics` has all of them.
    """
    return read_spec(name_or_path, folder=folder).valid_spec()


def read_spec(
    name_or_path: str | Path, *, folder: Path | None = None, families: ParsedFamilies | None = None
) -> SpecReading:
    """Read one machine and report everything that is wrong with it; see `load_spec`.

    Args:
        name_or_path: a catalogue name (`shop/Order`, or its last part where only one ends so) or a
            path.
        folder: the specs folder of catalogue names; None for the shipped one.
        families: that were read already; filled.

    Returns:
        The machine, None where it has errors, and all diagnostics.
    """
    root = folder or specs_folder()
    reading = _read_alone(name_or_path, root, families)
    if reading.builder is not None and reading.builder.kind == "extends" and not reading.has_errors:
        reading = _read_extended(reading, reading.builder, root, families)
    return evolve(reading, spec=stand_in_for(reading.spec)) if reading.spec is not None else reading


def read_spec_text(
    data: bytes,
    file: str,
    *,
    name: str | None = None,
    path: Path | None = None,
    specs: Path | None = None,
    families: ParsedFamilies | None = None,
) -> SpecReading:
    """Read one spec file.

    Args:
        data: the file's bytes.
        file: its name in places.
        name: the catalogue name; `file` without its ending where None.
        path: where it lies, for the family beside it.
        specs: the folder of catalogue names, for families that are not beside it.
        families: families that were read already; filled.

    Returns:
        The machine, None where it has errors, and all diagnostics.
    """
    return read_document(
        data, file, name=name, path=path, specs=specs, families=families, read_other=read_spec
    )


def load_system(name_or_path: str | Path, *, folder: Path | None = None) -> SystemSpecDefinition:
    """Load one system; see `load_spec`.

    Args:
        name_or_path: a catalogue name (`shop/Order`, or its last part where only one ends so) or a
            path.
        folder: the specs folder of catalogue names; None for the shipped one.

    Returns:
        The system in all its releases.

    Raises:
        SpecError: there is no such file, it has errors, or it is no system.
    """
    reading = read_spec(name_or_path, folder=folder)
    if reading.system is not None:
        return reading.system
    if reading.builder is None or reading.has_errors:
        raise SpecError(reading.diagnostics)
    raise SpecError(
        (
            Diagnostic(
                "SM606",
                f"this is a {reading.builder.kind}, not a system",
                reading.builder.root.span,
                "name a system",
            ),
        )
    )


def _read_alone(
    name_or_path: str | Path, root: Path, families: ParsedFamilies | None
) -> SpecReading:
    """Read one file as it stands, without what it extends."""
    try:
        path, name, file = locate_spec(name_or_path, root)
        data = file_bytes(path)
    except SpecError as error:
        return SpecReading(None, error.diagnostics)
    except OSError as error:
        path, where = Path(name_or_path), Span(str(name_or_path), 1, 1)
        hint = neighbour_hint(path) or (not_a_spec_hint(path) if path.is_dir() else "")
        wrong = Diagnostic("SM604", f"cannot read it: {error.strerror}", where, hint)
        return SpecReading(None, (wrong,))
    reading = read_spec_text(data, file, name=name, path=path, specs=root, families=families)
    return _named_by_itself(reading, root) if is_path(name_or_path) else reading


def _named_by_itself(reading: SpecReading, root: Path) -> SpecReading:
    """Return what was read from a path under the name that it gives itself: a file that is renamed
    is the same machine as before.

    Below a folder `specs/` the folders between stay part of the name, as for the catalogue.
    """
    own = node_text(reading.builder.root.get(reading.builder.kind)) if reading.builder else ""
    if not own or reading.builder is None or reading.builder.path is None:
        return reading
    folder = folder_within_specs(reading.builder.path, root)
    name = f"{folder}/{own}" if folder else own
    spec, system = reading.spec, reading.system
    return evolve(
        reading,
        spec=spec and renamed_machine(spec, name),
        system=system and evolve(system, name=name),
    )


def _read_extended(
    reading: SpecReading, work: SpecBuilder, root: Path, families: ParsedFamilies | None
) -> SpecReading:
    """Add an extension's lines to the machine that it names."""
    named = node_text(work.root.get("extends"))
    base = _read_alone(neighbouring_spec(work, named) or named, root, families)
    if base.spec is None:
        wrong: list[Diagnostic] = []
        reason, hint = why_unusable(base, wrong)
        message = f"cannot extend `{named}`: {reason or 'it is no machine'}"
        wrong.append(Diagnostic("SM605", message, extended_name_span(work), hint))
        return SpecReading(None, (*reading.diagnostics, *wrong), work)
    spec, diagnostics = extend_spec(work, base.spec)
    whole = SpecReading(spec, (*reading.diagnostics, *diagnostics), work)
    return evolve(whole, spec=None) if whole.has_errors else whole


def with_distinct_names(
    readings: list[SpecReading], folder: Path | None = None
) -> list[SpecReading]:
    """Return machines that were read from several files, those of one name that are not the same
    under the names of their files.

    An extension has the name of its machine: the two are put together by `merged`.

    Args:
        readings: in the order in which they were named.
        folder: the specs folder of catalogue names; None for the shipped one.

    Returns:
        The readings, in the same order.
    """
    root = folder or specs_folder()
    known: dict[str, set[str]] = {}
    for reading in readings:
        if reading.spec is not None:
            known.setdefault(reading.spec.name, set()).add(reading.spec.sha256)
    return [
        (
            _named_by_file(reading, root)
            if reading.spec and len(known[reading.spec.name]) > 1
            else reading
        )
        for reading in readings
    ]


def _named_by_file(reading: SpecReading, root: Path) -> SpecReading:
    if (
        reading.spec is None
        or reading.builder is None
        or reading.builder.path is None
        or reading.builder.kind == "extends"
    ):
        return reading
    return evolve(
        reading, spec=evolve(reading.spec, name=name_from_path(reading.builder.path, root))
    )


def load_catalogue(
    names: Iterable[str | Path] | None = None, *, folder: Path | None = None
) -> tuple[SpecDefinition, ...]:
    """Load several machines, each family once, with literals settled over all of them.

    Args:
        names: catalogue names and paths; None: all machines of the folder.
        folder: the specs folder of catalogue names; None for the shipped one.

    Returns:
        Machines in that order.

    Raises:
        SpecError: one of them has errors; `diagnostics` has those of all.
    """
    families: ParsedFamilies = {}
    chosen = spec_names(folder) if names is None else tuple(names)
    readings = with_distinct_names(
        [read_spec(name, folder=folder, families=families) for name in chosen], folder
    )
    broken = tuple(
        dict.fromkeys(
            wrong for reading in readings if reading.spec is None for wrong in reading.diagnostics
        )
    )
    if broken:
        raise SpecError(broken)
    return settle_literals(merge_same_names([reading.valid_spec() for reading in readings]))


def merge_same_names(specs: list[SpecDefinition]) -> list[SpecDefinition]:
    """Put machines of one name together: an extension adds its lines behind its machine's.

    Args:
        specs: in the order in which they were named.

    Returns:
        Machines, each name once, in that order.
    """
    merged: dict[str, SpecDefinition] = {}
    for spec in specs:
        earlier = merged.get(spec.name)
        if earlier is not None and earlier.log is not None and spec.log is not None:
            added = tuple(line for line in spec.log.lines if line not in earlier.log.lines)
            first = len(earlier.log.lines)
            lines = earlier.log.lines + tuple(
                evolve(line, index=first + index) for index, line in enumerate(added)
            )
            spec = evolve(
                spec,
                log=evolve(
                    spec.log,
                    lines=lines,
                    patterns=tuple((dict(earlier.log.patterns) | dict(spec.log.patterns)).items()),
                ),
            )
        merged[spec.name] = spec
    return list(merged.values())


def load_family(name: str, *, folder: Path | None = None) -> tuple[ReleaseFamily, FamilyLog]:
    """Load a family of the catalogue: its releases and what its lines tell of processes.

    Args:
        name: of its file, without the ending.
        folder: the specs folder of catalogue names; None for the shipped one.

    Returns:
        The family, and its lines.

    Raises:
        SpecError: there is no such family, or it has errors.
    """
    root = folder or specs_folder()
    path = family_file(name, None, root)
    if path is None:
        near = did_you_mean(
            name, [known.rsplit("/", 1)[-1] for known in spec_names(root, kind="family")]
        )
        raise SpecError(
            (Diagnostic("SM601", f"there is no family `{name}`", Span(name, 1, 1), near),)
        )
    known, diagnostics = read_family(file_bytes(path), path.relative_to(root).as_posix())
    if known is None or any(wrong.severity is Severity.ERROR for wrong in diagnostics):
        raise SpecError(diagnostics)
    return known.family, known.log or FamilyLog()


def renamed_machine(spec: SpecDefinition, name: str) -> SpecDefinition:
    """Return a machine under another name: those that stood beside it stand beside it still.

    Args:
        spec: as it was read, named by its place.
        name: its own name, with the folder that is part of it.

    Returns:
        An equal machine but for names.
    """
    before, after = (text.rpartition("/") for text in (spec.name, name))
    log = spec.log and _moved_log(spec.log, "".join(before[:2]), "".join(after[:2]))
    return evolve(spec, name=name, log=log)


def _moved_log(log: LogDefinition, before: str, after: str) -> LogDefinition:
    def moved(machine: str) -> str:
        beside = before and machine.startswith(before) and "/" not in machine[len(before) :]
        return after + machine[len(before) :] if beside else machine

    return evolve(
        log,
        doubts=tuple(evolve(doubt, machine=moved(doubt.machine)) for doubt in log.doubts),
        episodes=tuple(
            evolve(episode, ends_with=evolve(end, machine=moved(end.machine))) if end else episode
            for episode in log.episodes
            for end in (episode.ends_with,)
        ),
        incidents=tuple(evolve(kind, through=moved(kind.through)) for kind in log.incidents),
    )
