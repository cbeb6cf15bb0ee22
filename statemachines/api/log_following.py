"""Following logs: the door through which the command line and programs reach the follower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import TYPE_CHECKING, Unpack

from statemachines.api.log_check import CannotCheck
from statemachines.conform.check_options import OPTION_NAMES, CheckKeywords, CheckOptions
from statemachines.conform.engines.state.state_problems import StateUnusable
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.evidence.changes import LogChange, LogChangeKind

if TYPE_CHECKING:
    from statemachines.conform.engines.follow.follower import Follower as Follower

__all__ = ["LogChange", "LogChangeKind", "follow"]


@refuses_unknown_options(*OPTION_NAMES)
@contextmanager
def follow(
    paths: Sequence[str | PathLike[str]] | str | PathLike[str],
    *,
    options: CheckOptions | None = None,
    **changed: Unpack[CheckKeywords],
) -> Iterator[Follower]:
    """Follow logs that are being written.

    Args:
        paths: files and folders, which may come later; `-` for what `feed` is given.
        options: how to judge; None: as `CheckOptions()`.
        changed: options by their names in `CheckOptions`; they win over `options`.

    Yields:
        A follower: `poll()` reads what is new and returns what changed since, `report()` is the
        whole report at any time, `keep()` writes the state folder.

    Raises:
        SpecError: no spec is left to judge by.
        ValueError: an option that names nothing, or Spark, which follows nothing.
        CannotCheck: a state folder that another check uses.
    """
    from statemachines.conform.checking import make_request, state_folder, with_systems_root
    from statemachines.conform.engines.follow.follower import Follower

    options = (options or CheckOptions()).updated(**changed)
    if options.is_on_spark():
        raise ValueError("logs are followed on this machine; leave Spark out")
    named = [fspath(path) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]
    try:
        with (
            state_folder(request := with_systems_root(make_request(options), named)) as state,
            Follower(named, request, state) as follower,
        ):
            yield follower
    except StateUnusable as problem:
        raise CannotCheck(str(problem)) from problem
