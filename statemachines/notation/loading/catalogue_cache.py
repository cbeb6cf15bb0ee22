"""The whole shipped catalogue, kept read: so that a check of a small log does not wait for specs.

Two files in the user's cache folder (everything, and what a check of logs needs of it), keyed by
the contents of all specs and by this package's own sources. A file that is missing, stale, cut,
somebody else's, or anything but what was written, is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from attrs import evolve

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.kept_values import (
    cache_folder,
    files_below,
    read_kept,
    sources_key,
    write_kept,
)
from statemachines.notation.loading.log_catalogue import SpecsAndSystems, reduced_for_logs
from statemachines.notation.sources.catalogue_names import specs_folder
from statemachines.notation.sources.file_cache import has_stand_ins


def cached_catalogue(
    folder: Path | None = None, *, cache: Path | None = None
) -> tuple[SpecDefinition, ...]:
    """Return what `load_catalogue` returns for all machines of a folder, from the cache where it
    has it.

    Args:
        folder: the specs folder; None for the shipped one.
        cache: the folder of the cache; None for the user's.

    Returns:
        Machines in the order of their names, with literals settled over all of them.

    Raises:
        SpecError: a spec has errors.
    """
    return cached_specs_and_systems(folder, cache=cache)[0]


def cached_specs_and_systems(
    folder: Path | None = None, *, cache: Path | None = None
) -> SpecsAndSystems:
    """Return all machines of a folder and all systems, from the cache where it has them; see
    `cached_catalogue`.

    Args:
        folder: the specs folder of catalogue names; None for the shipped one.
        cache: the folder of the cache; None for the user's.

    Returns:
        The machines and the systems, in the order of their names.

    Raises:
        SpecError: a spec has errors.
    """
    return _cached_part(folder, cache, "catalogue")[0]


def cached_for_logs(folder: Path | None = None, *, cache: Path | None = None) -> SpecsAndSystems:
    """Return the same as a check of logs needs it: of a machine that has no lines only its releases
    and what it and its properties are called, and expressions without their places.

    Such machines are the larger part of a catalogue, and loading them takes as long as judging a
    small log.

    Args:
        folder: the specs folder of catalogue names; None for the shipped one.
        cache: the folder of the cache; None for the user's.

    Returns:
        The machines and the systems, in the order of their names.

    Raises:
        SpecError: a spec has errors.
    """
    return keyed_for_logs(folder, cache=cache)[0]


def keyed_for_logs(
    folder: Path | None = None, *, cache: Path | None = None
) -> tuple[SpecsAndSystems, str]:
    """Return the same, and a digest of the specs that it was made of: whoever keeps what depends on
    the catalogue need not go through it.

    Args:
        folder: the specs folder of catalogue names; None for the shipped one.
        cache: the folder of the cache; None for the user's.

    Returns:
        The machines and the systems; and the digest, which is empty where something else stands in
        for a spec.

    Raises:
        SpecError: a spec has errors.
    """
    return _cached_part(folder, cache, "logs")


def _cached_part(folder: Path | None, cache: Path | None, part: str) -> tuple[SpecsAndSystems, str]:
    """Return a part of the catalogue, and a digest of its specs; none where something else stands
    in for one, which must neither be missed nor kept.
    """
    root = folder or specs_folder()
    if has_stand_ins():
        return _load_specs_and_systems(root), ""
    ending = f"{hashlib.sha256(str(root.absolute()).encode()).hexdigest()[:16]}.pickle"
    files = {name: (cache or cache_folder()) / f"{name}-{ending}" for name in ("catalogue", "logs")}
    key, digest = _cache_key(root)
    part_value: SpecsAndSystems | None = read_kept(files[part], key)
    if part_value is None:
        whole = _load_specs_and_systems(root)
        parts = {"catalogue": whole, "logs": reduced_for_logs(whole)}
        part_value = parts[part]
        with contextlib.suppress(OSError):
            for name, file in files.items():
                write_kept(file, key, parts[name])
    return part_value, digest


def _load_specs_and_systems(root: Path) -> SpecsAndSystems:
    """Load a folder; the machines of its systems are those of the catalogue, each kept once."""
    from statemachines.notation.loading.spec_catalogue import load_catalogue, load_system
    from statemachines.notation.sources.catalogue_names import spec_names

    specs = load_catalogue(folder=root)
    known = {spec.name: spec for spec in specs}
    systems = (load_system(name, folder=root) for name in spec_names(root, kind="system"))
    return specs, tuple(
        evolve(
            system,
            machines=tuple((name, known.get(spec.name, spec)) for name, spec in system.machines),
        )
        for system in systems
    )


def _cache_key(root: Path) -> tuple[bytes, str]:
    """Hash all that a loaded catalogue depends on: the specs, the reader's and the model's
    sources; and the specs alone.
    """
    whole = hashlib.sha256()
    for path in filter(os.path.isfile, files_below(root, ".yaml")):
        with open(path, "rb") as opened:
            data = opened.read()
        whole.update(f"{os.path.relpath(path, root)} {len(data)}\n".encode() + data)
    digest = whole.hexdigest()
    whole.update(sources_key("model", "notation"))
    return whole.digest(), digest
