"""Checking logs: the door through which the command line and programs reach the engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from statemachines.model.reports import Report


class CannotCheck(ValueError):
    """The engine that was asked for cannot work here; the message says what to do."""


def check(
    paths: Sequence[str | PathLike[str]] | str | PathLike[str],
    *,
    specs: Sequence[str | PathLike[str]] | None = None,
    release: str | None = None,
    engine: str = "auto",
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Report:
    """Judge logs by specs.

    Args:
        paths: files, folders, or `-` for standard input; one, or several.
        specs: names of the catalogue, patterns of them, or files; None: the whole catalogue.
        release: the release that wrote the logs; None: found out from them.
        engine: `auto`, `local` or `spark`.
        progress: called with bytes read and bytes in all, now and then.
        options: further ones of `statemachines.conform.check`: levels, layouts, zone, tolerance, separate, master, remote.

    Returns:
        What was found; `errors` names what could not be read.

    Raises:
        SpecError: no spec is left to judge by.
        ValueError: an option that names nothing: a release, a time zone, a layout.
        CannotCheck: the engine cannot work here: no Java, no such cluster, a path that its workers do not see.
    """
    from statemachines.conform import check as judge

    try:
        return judge(paths, specs=specs, release=release, engine=engine, progress=progress, **options)
    except RuntimeError as problem:
        from statemachines.conform.spark import NoJava, SessionFailed, SparkMissing, Unreachable

        if isinstance(problem, (NoJava, SessionFailed, SparkMissing, Unreachable)):
            raise CannotCheck(str(problem)) from problem
        raise
