"""Files as workers find them: local paths as they are, remote ones through PyArrow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from statemachines.conform.engines.inputs import is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_UNKNOWN_SYSTEM = re.compile("Unrecognized filesystem type|libjvm|libhdfs")
"""What PyArrow says of a file system that it was not built with, or whose Java it does not find."""


class Unreachable(RuntimeError):
    """Workers do not see a path that the driver sees; the message says which and what to do."""


def remote_files(url: str) -> Iterator[tuple[str, str, int]]:
    """List a remote file, or the files in a remote folder and below, sorted by name.

    Args:
        url: Such as `s3://bucket/folder`; the name is taken as it is, `%` and `?` and `*` included.

    Yields:
        The name as reports call it (in a folder: relative to it), the URL, the size in bytes.

    Raises:
        FileNotFoundError: Nothing is there.
        OSError: The file system does not answer.
    """
    from pyarrow import fs

    system, path = file_system(url)
    file_info = system.get_file_info(path)
    if file_info.type == fs.FileType.NotFound:
        raise FileNotFoundError("there is no such file or folder")
    if file_info.type == fs.FileType.File:
        yield url, url, file_info.size
        return
    below = {
        info.path[len(path) :].lstrip("/"): info
        for info in system.get_file_info(fs.FileSelector(path, recursive=True))
    }
    names = sorted(
        name
        for name, info in below.items()
        if info.type == fs.FileType.File and not _is_hidden(name)
    )
    if not names:
        raise FileNotFoundError("the folder holds no files")
    for name in names:
        yield name, f"{url.rstrip('/')}/{name}", below[name].size


def _is_hidden(name: str) -> bool:
    """Tell whether a file, or a folder that it is in, is hidden by a dot."""
    return any(part.startswith(".") for part in name.split("/"))


def is_known_to_arrow(url: str) -> bool:
    """Tell whether PyArrow has the file system of a URL, with the libraries that it needs."""
    try:
        file_system(url)
    except (ValueError, OSError) as problem:
        return not _UNKNOWN_SYSTEM.search(str(problem))
    return True


@contextmanager
def remote_stream(url: str) -> Iterator[Any]:
    """Open a remote file for reading ranges.

    Raises:
        OSError: It cannot be read.
    """
    system, inside = file_system(url)
    with system.open_input_file(inside) as stream:
        yield stream


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL or a local path, and the path in it; of a URL only the host
    is parsed, for a URL parser would change the rest.
    """
    from pyarrow import fs

    if not is_remote(url):
        return fs.LocalFileSystem(), os.path.abspath(url)
    scheme, _, rest = url.partition(":/")
    host, _, inside = rest[1:].partition("/") if rest.startswith("/") else ("", "", rest)
    system, root = fs.FileSystem.from_uri(f"{scheme}://{host}/")
    return system, f"{root.rstrip('/')}/{inside}".rstrip("/") or "/"


def check_reachable(spark: SparkSession, paths: Iterable[tuple[str, int]], tasks: int) -> None:
    """See that the workers of a cluster find local files as the driver does, with tasks that look.

    Args:
        spark: A session whose workers may be on other machines.
        paths: Local paths with their sizes in bytes; remote URLs are left out, for everybody
            reaches them or nobody.
        tasks: How many tasks to start: enough that every worker gets one.

    Raises:
        Unreachable: A worker does not find one, or finds another file there.
    """
    local = tuple((path, size) for path, size in paths if not is_remote(path))
    if not local:
        return
    frame = spark.range(0, tasks, 1, tasks).mapInArrow(
        _make_probe(local), "host string, path string"
    )
    missing = frame.limit(1).collect()
    if missing:
        raise Unreachable(
            f"{missing[0]['path']} is not there on the Spark worker {missing[0]['host']}: put the"
            " logs where every worker sees them (a shared folder, or a URL such as s3://…), or"
            " check them without a cluster"
        )


def _make_probe(paths: tuple[tuple[str, int], ...]) -> Any:
    """Make the function of a probe: it tells one path that is missing where it runs."""

    def probe(batches: Iterable[Any]) -> Iterator[Any]:
        import socket

        import pyarrow as pa

        for _ in batches:
            missing = next((path for path, size in paths if not _is_there(path, size)), None)
            rows = [] if missing is None else [missing]
            yield pa.RecordBatch.from_pydict(
                {
                    "host": pa.array([socket.gethostname()] * len(rows), pa.string()),
                    "path": pa.array(rows, pa.string()),
                }
            )

    return probe


def _is_there(path: str, size: int) -> bool:
    """Tell whether a file is there and has grown to a size at least; a log may be written to
    meanwhile.
    """
    try:
        return Path(path).stat().st_size >= size
    except OSError:
        return False
