"""The logs of a check as workers find them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from attrs import evolve, frozen

from statemachines.conform.engines.inputs import Input, MissingInput, is_remote, list_inputs
from statemachines.conform.engines.spark.stages.file_chunks import LogFile
from statemachines.conform.engines.spark.stages.worker_files import (
    is_known_to_arrow,
    remote_files,
    remote_stream,
)
from statemachines.logs.storage.listed_files import ListedFile
from statemachines.logs.storage.open_logs import is_divisible, is_plain_utf8
from statemachines.logs.storage.unpacking import is_text

HEAD_BYTES = 1 << 16


@frozen
class Listing:
    """The files to read, each with its name in reports, and what cannot be read."""

    files: tuple[tuple[str, LogFile], ...]
    errors: tuple[str, ...]
    of_session: frozenset[int] = frozenset()
    """The numbers of those that only Spark can read."""
    interrupted: bool = False
    """Whether standard input was still open when the person had seen enough."""


_FileFields = tuple[str, str, int, bool, bool, ListedFile | None]
"""The fields of a file that is not numbered yet: name, path, size, whether it can be divided,
whether it was named, what a local one was when it was listed.
"""

SessionLister = Callable[[str], Iterable[tuple[str, int]]]
"""Lists the files of a URL as the session knows them, with their bytes."""


def list_logs(
    paths: Iterable[str | os.PathLike[str]], spool: Path, by_session: SessionLister | None = None
) -> Listing:
    """List what paths name, in their order; the files of a folder by name.

    Files of the only path are named relative to it; where there are several paths, each name begins
    with its path.

    Args:
        paths: Files, folders, URLs of remote ones, `-` for standard input.
        spool: A folder in which standard input is kept; workers must see it.
        by_session: Asked where PyArrow does not know the file system of a URL.
    """
    listed: list[_FileFields] = []
    of_session = set[int]()
    errors: list[str] = []
    interrupted = False
    named = [os.fspath(path) for path in paths]
    for group in _group_local(named):
        if is_remote(group[0]):
            before, alone = len(listed), len(named) == 1
            if _list_remote(group[0], listed, errors, by_session, alone=alone):
                of_session |= set(range(before, len(listed)))
            continue
        inputs = list_inputs(group, spool)
        interrupted = interrupted or any(
            isinstance(entry, Input) and entry.interrupted for entry in inputs
        )
        _list_local(inputs, listed, errors, prefix=group[0] if len(group) == 1 < len(named) else "")
    files = [(fields[0], LogFile(number, *fields[1:])) for number, fields in enumerate(listed)]
    return Listing(tuple(files), tuple(errors), frozenset(of_session), interrupted)


def _group_local(paths: Iterable[str]) -> list[list[str]]:
    """Keep local paths that follow each other together, for a file that two of them name is read
    once.
    """
    groups: list[list[str]] = []
    for path in paths:
        if groups and not is_remote(path) and not is_remote(groups[-1][0]):
            groups[-1].append(path)
        else:
            groups.append([path])
    return groups


def _list_local(
    inputs: Iterable[Input | MissingInput],
    listed: list[_FileFields],
    errors: list[str],
    prefix: str,
) -> None:
    """List local files; one that cannot be opened is reported where it is read."""
    for entry in inputs:
        if isinstance(entry, MissingInput):
            errors.append(f"{entry.name}: {entry.reason}")
            continue
        name = entry.name if entry.named else (Path(prefix) / entry.name).as_posix()
        path = str(entry.path.absolute())
        try:
            size = entry.listed.size if entry.listed else entry.path.stat().st_size
            known = size, is_divisible(entry.log)
        except OSError:
            known = 0, False
        local = evolve(entry.listed, path=entry.path.absolute()) if entry.listed else None
        listed.append((name, path, *known, entry.named, local))


def _list_remote(
    url: str,
    listed: list[_FileFields],
    errors: list[str],
    by_session: SessionLister | None,
    *,
    alone: bool,
) -> bool:
    """Look at a remote file or folder; say whether only the session can read it."""
    known = True
    try:
        known = is_known_to_arrow(url)
        if known or by_session is None:
            _list_by_arrow(url, listed, alone=alone)
        else:
            _list_by_session(url, listed, by_session(url), alone=alone)
    except (OSError, ValueError) as problem:
        errors.append(f"{url}: {str(problem).splitlines()[0]}")
    return not known


def _list_by_arrow(url: str, listed: list[_FileFields], *, alone: bool) -> None:
    for name, location, size in remote_files(url):
        with remote_stream(location) as stream:
            head = bytes(stream.read_at(min(size, HEAD_BYTES), 0))
        divisible = is_plain_utf8(head) and is_text(head)
        name = name if alone else location
        listed.append((name, location, size, divisible, location == url, None))


def _list_by_session(
    url: str, listed: list[_FileFields], files: Iterable[tuple[str, int]], *, alone: bool
) -> None:
    """Name files as those of other file systems; a URL with a pattern is no folder."""
    folder = f"{url.rstrip('/')}/"
    for location, size in files:
        name = location.removeprefix(folder) if alone else location
        listed.append((name, location, size, False, location == url, None))
