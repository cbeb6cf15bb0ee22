"""`check`: the one call behind the command line and the Python API, on the engine that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
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
    if any(is_remote(fspath(path)) and not Path(path).exists() for path in paths):
        return True
    if jobs > 1:
        return False
    files = (
        file
        for path in map(Path, paths)
        for file in ([path] if path.is_file() else path.rglob("*") if path.is_dir() else [])
    )
    return sum(file.stat().st_size for file in files if file.is_file()) > _LOCAL_BYTES


def _has_spark() -> bool:
    """Say whether the extra that brings Spark is installed."""
    return find_spec("pyspark") is not None
