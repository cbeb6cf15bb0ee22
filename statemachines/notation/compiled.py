"""The whole shipped catalogue, kept read: so that a check of a small log does not wait for specs.

Two files in the user's cache folder (everything, and what a check of logs needs of it), keyed by the contents of all specs and by this
package's own sources. A file that is missing, stale, cut, somebody else's, or anything but what was written, is as good as none.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

from attrs import evolve

from statemachines.model.data import Data, Property
from statemachines.model.machines import Spec
from statemachines.model.systems import SystemSpec
from statemachines.notation.folders import specs_folder
from statemachines.notation.standins import standing_in

Whole = tuple[tuple[Spec, ...], tuple[SystemSpec, ...]]
"""All machines of a folder, and all systems."""

_DIGEST = hashlib.sha256().digest_size


def cached_catalogue(folder: Path | None = None, *, cache: Path | None = None) -> tuple[Spec, ...]:
    """Return what `load_catalogue` returns for all machines of a folder, from the cache where it has it.

    Args:
        folder: the specs folder; None for the shipped one.
        cache: the folder of the cache; None for the user's.

    Raises:
        SpecError: a spec has errors.
    """
    return cached_whole(folder, cache=cache)[0]


def cached_whole(folder: Path | None = None, *, cache: Path | None = None) -> Whole:
    """Return all machines of a folder and all systems, from the cache where it has them; see `cached_catalogue`.

    Raises:
        SpecError: a spec has errors.
    """
    return _cached(folder, cache, "catalogue")


def cached_for_logs(folder: Path | None = None, *, cache: Path | None = None) -> Whole:
    """Return the same as a check of logs needs it: of a machine that has no lines only its releases and what it and its
    properties are called.

    Such machines are the larger part of a catalogue, and loading them takes as long as judging a small log.

    Raises:
        SpecError: a spec has errors.
    """
    return _cached(folder, cache, "logs")


def for_logs(whole: Whole) -> Whole:
    """Leave out of the machines without lines what no check of logs asks for."""
    specs, systems = whole
    return tuple(spec if spec.log and spec.log.lines else _bare(spec) for spec in specs), systems


def _bare(spec: Spec) -> Spec:
    return evolve(spec, transitions=(), otherwise=(), predicates=(), events=(), data=_named(spec), versions=())


def _named(spec: Spec) -> Data:
    """Return the properties of a machine by name: a check says of each that it was not judged."""
    listed = [one for data in (spec.data, *(data for _, data in spec.versions)) for one in data.properties]
    return Data(properties=tuple(Property(claim, name) for claim, name in dict.fromkeys((one.claim, one.name) for one in listed)))


def _cached(folder: Path | None, cache: Path | None, part: str) -> Whole:
    root = folder or specs_folder()
    if standing_in():
        return _loaded(root)  # what stands in for a spec must neither be missed nor kept
    ending = f"{hashlib.sha256(str(root.absolute()).encode()).hexdigest()[:16]}.pickle"
    files = {name: (cache or cache_folder()) / f"{name}-{ending}" for name in ("catalogue", "logs")}
    key = _key(root)
    found = _kept(files[part], key)
    if found is None:
        whole = _loaded(root)
        parts = {"catalogue": whole, "logs": for_logs(whole)}
        found = parts[part]
        with contextlib.suppress(OSError):
            for name, file in files.items():
                _keep(file, key, parts[name])
    return found


def _loaded(root: Path) -> Whole:
    """Load a folder; the machines of its systems are those of the catalogue, each kept once."""
    from statemachines.notation.catalogues import catalogue, load_catalogue, load_system

    specs = load_catalogue(folder=root)
    known = {spec.name: spec for spec in specs}
    systems = (load_system(name, folder=root) for name in catalogue(root, kind="system"))
    return specs, tuple(
        evolve(system, machines=tuple((name, known.get(spec.name, spec)) for name, spec in system.machines)) for system in systems
    )


def cache_folder() -> Path:
    """Return the user's cache folder for this package, as the platform has it."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "statemachines"
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    return Path(os.environ.get(variable) or home / ".cache") / "statemachines"


def _key(root: Path) -> bytes:
    """Hash all that a loaded catalogue depends on: the specs, the reader's and the model's sources, the Python that pickled."""
    whole = hashlib.sha256(sys.version.encode())
    for path in sorted(path for path in root.rglob("*.yaml") if path.is_file()):
        data = path.read_bytes()
        whole.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    package = Path(__file__).parent.parent
    for part in ("model", "notation"):
        for path in sorted((package / part).rglob("*.py")):
            status = path.stat()
            whole.update(f"{path.relative_to(package).as_posix()} {status.st_size} {status.st_mtime_ns}\n".encode())
    return whole.digest()


def _kept(file: Path, key: bytes) -> Whole | None:
    """Read the cache: key, hash of the rest, the rest; None where any of them does not fit."""
    try:
        with file.open("rb") as opened:
            if not is_own(os.fstat(opened.fileno())):
                return None
            data = opened.read()
    except OSError:
        return None
    body = data[2 * _DIGEST :]
    if data[:_DIGEST] != key or data[_DIGEST : 2 * _DIGEST] != hashlib.sha256(body).digest():
        return None
    with _nothing_collected():
        whole: Whole = pickle.loads(body)
    return whole


@contextlib.contextmanager
def _nothing_collected() -> Iterator[None]:
    """Keep the collector of garbage away from tens of thousands of values that all stay: it would take a third of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def is_own(status: os.stat_result) -> bool:
    """Tell whether nobody else could have written a file whose content will be run, by the status of the opened file."""
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _keep(file: Path, key: bytes, whole: Whole) -> None:
    """Write the cache beside its place, then move it there: a reader sees the old file or the whole new one."""
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
