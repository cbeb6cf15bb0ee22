"""`check`: the one call behind the command line and the Python API, on the engine that fits."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.util import find_spec
from os import PathLike, fspath
from typing import Unpack

from statemachines.conform.check_options import CheckKeywords, CheckOptions, Paths
from statemachines.conform.checking import check_locally, finish_report, make_request
from statemachines.conform.engines.inputs import is_remote
from statemachines.model.evidence.reports import Report

_LOCAL_BYTES = 2 << 30
"""With `engine="auto"`, logs up to this size (as they lie on disk) are judged in this process."""


def check(
    paths: Paths | str | PathLike[str],
    *,
    options: CheckOptions | None = None,
    progress: Callable[[int, int], None] | None = None,
    **changed: Unpack[CheckKeywords],
) -> Report:
    """Judge logs by specs.

    Args:
        paths: files, folders, or `-` for standard input.
        options: how to judge.
        progress: called with bytes read and bytes in all.
        changed: options by their names, which win over `options`.

    Returns:
        What was found; `errors` names what could not be read.

    Raises:
        SpecError: no spec is left to judge by.
    """
    options = (options or CheckOptions()).updated(**changed)
    paths = _path_list(paths)
    request = make_request(options)
    if options.is_on_spark() or (
        options.engine == "auto"
        and options.state is None
        and _needs_spark(paths, options.jobs)
        and _has_spark()
    ):
        from statemachines.conform.spark import check_paths, session

        report = check_paths(
            session(master=options.master, remote=options.remote),
            paths,
            request,
            progress=progress,
            timeline=options.timeline,
        )
    else:
        report = check_locally(paths, request, progress=progress, timeline=options.timeline)
    return finish_report(report, request)


def _path_list(paths: object) -> Paths:
    """Return what is to be read as a list.

    Raises:
        TypeError: it is no path and no list of paths.
    """
    many = [paths] if isinstance(paths, str | PathLike) else paths
    if isinstance(many, Iterable):
        listed = list(many)
        if all(isinstance(path, str | PathLike) for path in listed):
            return listed
    raise TypeError(
        f"check() reads files, folders or '-' (standard input), one or a list, not {paths!r}"
    )


def _needs_spark(paths: Paths, jobs: int) -> bool:
    """Say whether a path is a URL, which Spark reads, or files are so large together that starting
    it pays (`_LOCAL_BYTES`) and nobody asked for processes of this machine.
    """
    if any(is_remote(fspath(path)) and not os.path.exists(path) for path in paths):
        return True
    if jobs > 1:
        return False
    return sum(map(_bytes_on_disk, paths)) > _LOCAL_BYTES


def _bytes_on_disk(path: str | PathLike[str]) -> int:
    """Return how large the files at a path and below it are. What is gone meanwhile or may not be
    looked at counts for nothing: that it was not read is said by what reads it.
    """
    files = [fspath(path)]
    for folder, _, names in os.walk(path) if os.path.isdir(path) else ():
        files += [os.path.join(folder, name) for name in names]
    size = 0
    for file in files:
        with suppress(OSError, ValueError):
            status = os.stat(file)
            size += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return size


def _has_spark() -> bool:
    """Say whether the extra that brings Spark is installed."""
    return find_spec("pyspark") is not None
