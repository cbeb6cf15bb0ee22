"""What a person named to be checked: files, folders, standard input."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from statemachines.logs.storage.listed_files import ListedFile, list_file
from statemachines.model.values import frozen

STDIN = "-"
_STDIN_BLOCK_BYTES = 1 << 16
"""Bytes taken at once from standard input; fewer where fewer are there."""
_MOST_LOOKS = 5
"""At a folder whose files are renamed again and again."""
_URL_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""What makes a path a URL; one letter before the colon is a drive."""
_STATE_FILE = re.compile(r"(?:readings|damaged-\d+)\.sqlite(?:-journal|-wal|-shm)?|said\.jsonl")
"""What a state folder writes."""


@frozen
class Input:
    """A log to read."""

    name: str
    """As reports call it: the path as given; inside a folder relative to it."""
    path: Path
    named: bool
    """Whether the person named this very file, so that not to read it is an error."""
    interrupted: bool = False
    """Whether Ctrl-C ended standard input before its end."""
    listed: ListedFile | None = None
    """What the file was when it was listed; None of what cannot be found again, or not read."""

    @property
    def log(self) -> Path | ListedFile:
        """What to open: the file that was listed, whatever it is called by then."""
        return self.listed or self.path


@frozen
class MissingInput:
    """Something named that cannot be read."""

    name: str
    reason: str


def is_remote(path: str) -> bool:
    """Say whether a path is a URL.

    >>> is_remote("s3://logs/door.log"), is_remote("dbfs:/logs"), is_remote("C:/door.log")
    (True, True, False)
    """
    return _URL_PATTERN.match(path) is not None


def list_inputs(
    paths: Iterable[str | os.PathLike[str]],
    spool: Path,
    progress: Callable[[int, int], None] | None = None,
) -> list[Input | MissingInput]:
    """Return the logs that paths name; the files of a folder in the order of their names, each file
    once.

    Files of the only path are named relative to it; where there are several paths, each name begins
    with its path.

    Args:
        paths: files and folders; `-` is standard input.
        spool: a folder in which standard input is kept.
        progress: called with the bytes of standard input that came, and 0: nobody knows how many
            there will be.

    Returns:
        An input a log, and in its place what could not be opened.
    """
    inputs: list[Input | MissingInput] = []
    known: set[Path | tuple[int, int]] = set()
    named = [os.fspath(path) for path in paths]
    for path in named:
        prefix = Path("" if len(named) == 1 else path)
        for entry in _expand_path(path, spool, prefix, progress):
            if isinstance(entry, Input):
                identity = _file_identity(entry.path)
                if identity in known:
                    continue
                known.add(identity)
            inputs.append(entry)
    return inputs


def common_folder(paths: Iterable[str | os.PathLike[str]]) -> str:
    """Return what the names of all files begin with where several paths are given: the folder that
    the paths have in common, with its slash, or nothing.

    >>> common_folder(["../logs/north", "../logs/south"]), common_folder(["../logs"])
    ('../logs/', '')
    >>> common_folder(["s3://logs/north", "s3://logs/south"]), common_folder(["/a/b", "c"])
    ('s3://logs/', '')
    """
    named = [os.fspath(path) for path in paths]
    split = [(path if "://" in path else Path(path).as_posix()).split("/") for path in named]
    common = takewhile(lambda parts: len(set(parts)) == 1, zip(*split, strict=False))
    return "".join(f"{parts[0]}/" for parts in common) if len(split) > 1 else ""


def _expand_path(
    path: str, spool: Path, prefix: Path, progress: Callable[[int, int], None] | None
) -> Iterator[Input | MissingInput]:
    if path == STDIN and sys.stdin is None:
        yield MissingInput(STDIN, "standard input is closed")
    elif path == STDIN:
        file, interrupted = _spool_stdin(spool, progress)
        yield Input(STDIN, file, True, interrupted)
    elif os.path.isdir(path):
        files, unlisted = _list_folder(Path(path))
        for folder, reason in unlisted.items():
            yield MissingInput((prefix / folder).as_posix(), reason)
        for file, listed in files:
            name = (prefix / file.relative_to(path)).as_posix()
            yield Input(name, file, False, listed=listed)
        if not files and not unlisted:
            yield MissingInput(path, "the folder holds no files")
    elif not os.path.exists(path) and is_remote(path):
        yield MissingInput(path, "a URL is read by Spark: --engine spark, and the extra 'spark'")
    elif not os.path.exists(path):
        yield MissingInput(path, "there is no such file or folder")
    elif not os.access(path, os.R_OK):
        yield MissingInput(path, "permission denied")
    else:
        yield Input(path, Path(path), True, listed=list_file(Path(path)))


def _file_identity(path: Path) -> Path | tuple[int, int]:
    """Return what tells a file from others: where it lies; of one that has several names (hard
    links) its device and inode. Of no other, for some file systems number several files alike.
    """
    with suppress(OSError):
        status = path.stat()
        if status.st_nlink > 1 and status.st_ino:
            return status.st_dev, status.st_ino
    return path.resolve()


def _list_folder(
    folder: Path,
) -> tuple[list[tuple[Path, ListedFile | None]], Mapping[Path, str]]:
    """List the files in a folder, until nothing was renamed meanwhile: one whose name another takes
    would be missed, and one that gets a later name seen twice. Beside them stand the folders in it
    that may not be listed, and why.
    """
    for _ in range(_MOST_LOOKS):
        unlisted: dict[Path, str] = {}
        before = _numbers_of_files(folder, unlisted)
        files = [(file, list_file(file)) for file in sorted(before)]
        opened = {file: listed.number if listed else before[file] for file, listed in files}
        if before == opened == _numbers_of_files(folder, {}):
            break
    return files, unlisted


def _numbers_of_files(folder: Path, unlisted: dict[Path, str]) -> dict[Path, int]:
    """Return the inodes of files and pipes; the report names a pipe, `refuse_pipe` keeps it from
    being read.
    """
    numbers: dict[Path, int] = {}
    for file in folder_files(folder, unlisted):
        with suppress(OSError):
            status = file.stat()
            if stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode):
                numbers[file] = status.st_ino
    return numbers


def folder_files(folder: Path, unlisted: dict[Path, str]) -> Iterator[Path]:
    """Yield the entries of a folder and of those in it that are no folders, but for hidden ones.
    Linked folders are looked into as well, each once, and not those that hold, or lie in, one that
    is looked into anyway.

    Args:
        folder: where to look.
        unlisted: takes the folders that may not be listed, by their paths in the folder, and why.

    Yields:
        Files, pipes and links to such, in no order.
    """

    def note(problem: OSError) -> None:
        place = Path(problem.filename).relative_to(folder)
        if not is_hidden(place) and not isinstance(problem, FileNotFoundError):
            unlisted[place] = f"the folder cannot be listed: {problem.strerror}"

    entered = [folder.resolve()]
    for place, folders, names in os.walk(folder, onerror=note, followlinks=True):
        folders[:] = [
            name
            for name in sorted(folders)
            if not name.startswith(".") and _leads_on(Path(place, name), entered)
        ]
        for name in names:
            if not name.startswith("."):
                yield Path(place, name)


def _leads_on(folder: Path, entered: list[Path]) -> bool:
    """Say whether a folder is no link, or one to files that are not read anyway; it is entered
    then. A link to a folder around those that were entered would lead to them again.
    """
    if not folder.is_symlink():
        return True
    target = folder.resolve()
    if any(target.is_relative_to(other) or other.is_relative_to(target) for other in entered):
        return False
    entered.append(target)
    return True


def refuse_pipe(path: str | os.PathLike[str], named: bool) -> None:
    """Leave alone a pipe that only lies in a folder: it may never end, and its lines are meant for
    somebody else.

    Args:
        path: of a file.
        named: whether the user named it.

    Raises:
        OSError: It is such a pipe.
    """
    if not named and Path(path).is_fifo():
        raise OSError(errno.EINVAL, "it is a pipe; name it to have it read", os.fspath(path))


def is_hidden(path: Path) -> bool:
    """Say whether a path inside a folder, or a folder on it, begins with a dot."""
    return any(part.startswith(".") for part in path.parts)


def is_state_file(path: Path, folder: Path) -> bool:
    """Say whether a file is one that a state folder writes, and so no log. Any other file there is
    one: who keeps the state beside the logs, or above them, would have none of them judged.

    Args:
        path: of the file.
        folder: the state folder, with its links followed.

    Returns:
        True of what stands directly in the folder, under a name that it gives.
    """
    return _STATE_FILE.fullmatch(path.name) is not None and path.parent.resolve() == folder


def _spool_stdin(folder: Path, progress: Callable[[int, int], None] | None) -> tuple[Path, bool]:
    """Keep standard input in a file, as it comes; after Ctrl-C what came until then."""
    interrupted = False
    read: Callable[[int], bytes] = getattr(sys.stdin.buffer, "read1", sys.stdin.buffer.read)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as spool:
        try:
            while some := read(_STDIN_BLOCK_BYTES):
                spool.write(some)
                if progress is not None:
                    progress(spool.tell(), 0)
        except KeyboardInterrupt:
            interrupted = True
    return Path(spool.name), interrupted
