"""Checking logs: the door through which the command line and programs reach the engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike

from statemachines.model.options import takes_options
from statemachines.model.reports import Report


class CannotCheck(ValueError):
    """The engine that was asked for cannot work here; the message says what to do."""


@takes_options()
def check(
    paths: Sequence[str | PathLike[str]] | str | PathLike[str],
    *,
    specs: Sequence[str | PathLike[str]] | None = None,
    release: str | None = None,
    engine: str = "auto",
    levels: Sequence[tuple[str | None, str]] = (),
    layouts: Sequence[str] = (),
    zone: str | None = None,
    tolerance: float = 1.0,
    separate: bool = False,
    progress: Callable[[int, int], None] | None = None,
    timeline: bool = True,
    master: str | None = None,
    remote: str | None = None,
    unread: bool = False,
) -> Report:
    """Judge logs by specs.

    Args:
        paths: files, folders, or `-` for standard input; one, or several.
        specs: names of the catalogue, patterns of them, or files; None: the whole catalogue.
        release: the release that wrote the logs; None: found out from them.
        engine: `auto`, `local` or `spark`.
        levels: logger (None: all) and the level that it was set to, where the log itself does not show it.
        layouts: names of known layouts or files; none: found out record by record.
        zone: of times that tell none, such as `Europe/Berlin` or `+02:00`.
        tolerance: how far the clocks of processes may differ, in seconds.
        separate: keep processes of one name in two folders apart.
        progress: called with bytes read and bytes in all, now and then.
        timeline: whether the report has its timeline.
        master: a Spark cluster.
        remote: a Spark Connect server.
        unread: whether the report lists lines that hold a word of the catalogue and that no line of it reads.

    Returns:
        What was found; `errors` names what could not be read.

    Raises:
        SpecError: no spec is left to judge by.
        ValueError: an option that names nothing: a release, a time zone, a layout.
        TypeError: an option that there is not; the message names the one that was meant.
        CannotCheck: the engine cannot work here: no Java, no such cluster, a path that its workers do not see.
    """
    from statemachines.conform import check as judge

    try:
        return judge(
            paths, specs=specs, release=release, engine=engine, levels=levels, layouts=layouts, zone=zone, tolerance=tolerance,
            separate=separate, progress=progress, timeline=timeline, master=master, remote=remote, unread=unread,
        )  # fmt: skip
    except RuntimeError as problem:
        from statemachines.conform.spark import NoJava, SessionFailed, SparkMissing, Unreachable

        if isinstance(problem, (NoJava, SessionFailed, SparkMissing, Unreachable)):
            raise CannotCheck(str(problem)) from problem
        raise
