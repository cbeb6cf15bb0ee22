"""Values that take long to make, kept in the user's cache folder.

A file that is missing, stale, cut, somebody else's, or anything but what was written, is as good as
none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
from pathlib import Path
from typing import Any

from statemachines.model.garbage import uncollected

MOST_KEPT = 32
"""Values of one kind: an environment that is gone leaves its own behind."""
_DIGEST = hashlib.sha256().digest_size


def cache_folder() -> Path:
    """Return the user's cache folder for this package, as the platform has it."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "statemachines"
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    return Path(os.environ.get(variable) or home / ".cache") / "statemachines"


def sources_key(*parts: str) -> bytes:
    """Hash what values depend on that this package's own code makes: the sources of some of its
    folders, the Python that pickles.

    Args:
        parts: folders within the package.

    Returns:
        A hash.
    """
    whole = hashlib.sha256(sys.version.encode())
    package = Path(__file__).parent.parent
    for part in parts:
        for path in files_below(package / part, ".py"):
            status = os.stat(path)
            whole.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return whole.digest()


def files_below(folder: Path, suffix: str | tuple[str, ...]) -> list[str]:
    """Return the files in a folder and all below, a tenth as slow as with `Path.rglob`.

    Args:
        folder: where they are looked for.
        suffix: how their names end, or several of these.

    Returns:
        Their places, in order.
    """
    return sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(suffix)
    )


def read_kept(file: Path, key: bytes) -> Any:
    """Read a value that was kept under a key; None where there is none of that key.

    In the file stand the key, a hash of the rest, and the rest.

    Args:
        file: where it was kept.
        key: as it was kept with.

    Returns:
        The value, or None.
    """
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
        return pickle.loads(body)


def is_owned_by_user(status: os.stat_result) -> bool:
    """Tell whether nobody else could have written a file whose content will be run, by the status
    of the opened file.

    Args:
        status: of the opened file.

    Returns:
        Whether the file may be trusted.
    """
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def write_kept(file: Path, key: bytes, value: object) -> None:
    """Keep a value under a key: written beside its place, then moved there, so that a reader sees
    the old file or the whole new one. Of each kind those that were written last are kept.

    Args:
        file: where it is kept: its kind, a dash, and what tells it from others of its kind.
        key: what the value depends on.
        value: what can be pickled.

    Raises:
        OSError: it cannot be written.
    """
    import tempfile

    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.stem)
    try:
        with os.fdopen(handle, "wb") as written:
            written.write(key + hashlib.sha256(body).digest() + body)
        os.replace(name, file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    _drop_oldest(file)


def _drop_oldest(file: Path) -> None:
    """Remove what was written before the newest of a kind."""
    kind = file.name.rpartition("-")[0]
    with contextlib.suppress(OSError):
        alike = sorted(
            file.parent.glob(f"{kind}-*{file.suffix}"),
            key=lambda other: other.stat().st_mtime_ns,
            reverse=True,
        )
        for other in alike[MOST_KEPT:]:
            other.unlink(missing_ok=True)
