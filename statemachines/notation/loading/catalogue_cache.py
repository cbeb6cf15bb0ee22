"""The whole shipped catalogue, kept read: so that a check of a small log does not wait for specs.

Two files in the user's cache folder (everything, and what a check of logs needs of it), keyed by
the contents of all specs and by this package's own sources. A file that is missing, stale, cut,
somebody else's, or anything but what was written, is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
from pathlib import Path

from attrs import evolve

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.garbage import uncollected
from statemachines.notation.loading.log_catalogue import SpecsAndSystems, reduced_for_logs
from statemachines.notation.sources.shipped_specs import specs_folder
from statemachines.notation.sources.stand_ins import has_stand_ins

_DIGEST = hashlib.sha256().digest_size


def cached_catalogue(
    folder: Path | None = None, *, cache: Path | None = None
) -> tuple[SpecDefinition, ...]:
    """Return what `load_catalogue` returns for all machines of a folder, from the cache where it
    has it.

    Args:
        folder: the specs folder; None for the shipped one.
        cache: the folder of the cache; None for the user's.

    Raises:
        SpecError: a spec has errors.
    """
    return cached_specs_and_systems(folder, cache=cache)[0]


def cached_specs_and_systems(
    folder: Path | None = None, *, cache: Path | None = None
) -> SpecsAndSystems:
    """Return all machines of a folder and all systems, from the cache where it has them; see
    `cached_catalogue`.

    Raises:
        SpecError: a spec has errors.
    """
    return _cached_part(folder, cache, "catalogue")


def cached_for_logs(folder: Path | None = None, *, cache: Path | None = None) -> SpecsAndSystems:
    """Return the same as a check of logs needs it: of a machine that has no lines only its releases
    and what it and its properties are called, and expressions without their places.

    Such machines are the larger part of a catalogue, and loading them takes as long as judging a
    small log.

    Raises:
        SpecError: a spec has errors.
    """
    return _cached_part(folder, cache, "logs")


def _cached_part(folder: Path | None, cache: Path | None, part: str) -> SpecsAndSystems:
    root = folder or specs_folder()
    if has_stand_ins():
        return _load_specs_and_systems(
            root
        )  # what stands in for a spec must neither be missed nor kept
    ending = f"{hashlib.sha256(str(root.absolute()).encode()).hexdigest()[:16]}.pickle"
    files = {name: (cache or cache_folder()) / f"{name}-{ending}" for name in ("catalogue", "logs")}
    key = _cache_key(root)
    found = _read_cache(files[part], key)
    if found is None:
        whole = _load_specs_and_systems(root)
        parts = {"catalogue": whole, "logs": reduced_for_logs(whole)}
        found = parts[part]
        with contextlib.suppress(OSError):
            for name, file in files.items():
                _write_cache(file, key, parts[name])
    return found


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


def cache_folder() -> Path:
    """Return the user's cache folder for this package, as the platform has it."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "statemachines"
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    return Path(os.environ.get(variable) or home / ".cache") / "statemachines"


def _cache_key(root: Path) -> bytes:
    """Hash all that a loaded catalogue depends on: the specs, the reader's and the model's sources,
    the Python that pickled.
    """
    whole = hashlib.sha256(sys.version.encode())
    for path in sorted(path for path in root.rglob("*.yaml") if path.is_file()):
        data = path.read_bytes()
        whole.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    package = Path(__file__).parent.parent.parent
    for part in ("model", "notation"):
        for path in sorted((package / part).rglob("*.py")):
            status = path.stat()
            name = path.relative_to(package).as_posix()
            whole.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return whole.digest()


def _read_cache(file: Path, key: bytes) -> SpecsAndSystems | None:
    """Read the cache: key, hash of the rest, the rest; None where any of them does not fit."""
    try:
        with file.open("rb") as opened:
            if not is_owned_by_user(os.fstat(opened.fileno())):
                return None
            data = opened.read()
    except OSError:
        return None
    body = data[2 * _DIGEST :]
    if data[:_DIGEST] != key or data[_DIGEST : 2 * _DIGEST] != hashlib.sha256(body).digest():
        return None
    with uncollected():
        whole: SpecsAndSystems = pickle.loads(body)
    return whole


def is_owned_by_user(status: os.stat_result) -> bool:
    """Tell whether nobody else could have written a file whose content will be run, by the status
    of the opened file.
    """
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _write_cache(file: Path, key: bytes, whole: SpecsAndSystems) -> None:
    """Write the cache beside its place, then move it there: a reader sees the old file or the whole
    new one.
    """
    import tempfile

    body = pickle.dumps(whole, protocol=pickle.HIGHEST_PROTOCOL)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.stem)
    try:
        with os.fdopen(handle, "wb") as written:
            written.write(key + hashlib.sha256(body).digest() + body)
        os.replace(name, file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
