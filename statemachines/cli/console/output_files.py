"""Files that verbs write."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import CommandError


def write_bytes(file: str | None, content: bytes) -> None:
    """Write to a file, or to stdout where there is none or it is `-`.

    Args:
        file: a path; None or `-` for stdout.
        content: all of it.

    Raises:
        CommandError: it cannot be written.
    """
    if file is None or file == "-":
        with terminal.until_output_closes():
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        return
    with replaced_file(file) as stream:
        stream.write(content)


@contextlib.contextmanager
def replaced_file(file: str) -> Iterator[IO[bytes]]:
    """Write a file beside its place and put it there when it is whole: where that fails, what was
    there before stays as it was.

    What is no regular file (a pipe, a terminal), and a file in a folder that takes no other, is
    written in place.

    Args:
        file: a path.

    Yields:
        A stream to write to; the file is there when the block ends without an error.

    Raises:
        CommandError: it cannot be written.
    """
    target = Path(os.path.realpath(file))
    with _write_errors_reported(file):
        beside = _temporary_file(target)
        stream = open(beside or file, "wb")
    with _removed_on_failure(beside), _write_errors_reported(file):
        with stream:
            yield stream
        if beside is not None:
            beside.replace(target)


@contextlib.contextmanager
def _write_errors_reported(file: str) -> Iterator[None]:
    """Say which file cannot be written; an error that names another one is about that one."""
    try:
        yield
    except OSError as problem:
        if problem.filename is not None and not _is_written_for(problem.filename, file):
            raise
        if isinstance(problem, IsADirectoryError):
            raise CommandError(f"{file} is a folder; name a file in it") from None
        if isinstance(problem, FileNotFoundError):
            raise CommandError(f"{file}: there is no folder {Path(file).parent}") from None
        raise CommandError(f"{file} cannot be written: {problem.strerror}") from None


def _is_written_for(named: str | bytes, file: str) -> bool:
    """Tell whether a name is that of a file, or of the one that is written beside it first."""
    path, target = Path(os.path.realpath(os.fsdecode(named))), Path(os.path.realpath(file))
    is_beside = path.name.startswith(f".{target.name[:80]}.") and path.parent == target.parent
    return path == target or is_beside


def _temporary_file(target: Path) -> Path | None:
    """Make an empty file beside another, with its rights or those of a new one; None where it is to
    be written in place.
    """
    is_there = target.exists()
    if is_there and (not target.is_file() or not os.access(target, os.W_OK)):
        return None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:80]}.", dir=target.parent)
    except PermissionError:
        return None
    with os.fdopen(handle):
        os.chmod(name, stat.S_IMODE(target.stat().st_mode) if is_there else 0o666 & ~_umask())
    return Path(name)


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


@contextlib.contextmanager
def _removed_on_failure(file: Path | None) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if file is not None:
            file.unlink(missing_ok=True)
        raise


def write_new(file: str | None, content: str, *, force: bool) -> None:
    """Write a file that is not there yet, as a spec or a program may hold somebody's changes.

    Args:
        file: a path; None or `-` for stdout.
        content: all of it.
        force: overwrite what is there.

    Raises:
        CommandError: it is there and `force` is not asked for, or it cannot be written.
    """
    if file is not None and file != "-" and not force:
        require_new(file)
    write_bytes(file, content.encode())


def require_other(file: str | None, inputs: Iterable[str | None]) -> None:
    """See that what is read is not overwritten by what is made of it.

    Args:
        file: where a result is to go; None or `-` for stdout.
        inputs: names and paths that the command line gives to read.

    Raises:
        CommandError: the file is one of them.
    """
    target = None if file is None or file == "-" else Path(file)
    if target is None or not target.is_file():
        return
    for source in inputs:
        if source and Path(source).is_file() and target.samefile(source):
            raise CommandError(f"{file} is an input of this command; write to another file")


def require_new(file: str | Path) -> None:
    """See that no file is overwritten; a pipe or a terminal may be written to.

    Args:
        file: a path.

    Raises:
        CommandError: it is there.
    """
    if Path(file).is_file():
        raise CommandError(f"{file} exists already; --force overwrites it")
