"""Checking logs: the door through which the command line and programs reach the engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from statemachines.model.reports import Report


def check(
    paths: Sequence[str | PathLike[str]],
    *,
    specs: Sequence[str | PathLike[str]] | None = None,
    release: str | None = None,
    engine: str = "auto",
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Report:
    """Judge logs by specs.

    Args:
        paths: files, folders, or `-` for standard input.
        specs: names of the catalogue, patterns of them, or files; None: the whole catalogue.
        release: the release that wrote the logs; None: found out from them.
        engine: `auto`, `local` or `spark`.
        progress: called with bytes read and bytes in all, now and then.
        options: further ones of `statemachines.conform.check`: levels, layouts, zone, tolerance, separate, master, remote.

    Returns:
        What was found; `errors` names what could not be read.

    Raises:
        SpecError: a spec is broken and nothing else was asked for.
    """
    from statemachines.conform import check as judge

    report: Report = judge(paths, specs=specs, release=release, engine=engine, progress=progress, **options)
    return report
