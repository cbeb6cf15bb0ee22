"""The files that specs are read from, what was read kept until one of them changes, and specs that
stand in for others: how a test is run with a mutant in place of the machine that it loads.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, field

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.opened_files import open_for_reading
from statemachines.model.values import frozen

_STAND_INS: dict[str, SpecDefinition] = {}
"""Hash of a spec's file to what is handed out for it."""
_HANDED_OUT: set[str] = set()


def substitute_spec(spec: SpecDefinition) -> None:
    """Hand out another spec wherever the file that it was made from is loaded, from now on, by
    whatever name.

    Its states, transitions, answers and data count; its log lines are those of the file.

    Args:
        spec: with the path of the file that it stands for.
    """
    _STAND_INS[spec.sha256] = spec


def has_stand_ins() -> bool:
    """Tell whether anything stands in for a spec."""
    return bool(_STAND_INS)


def was_loaded(spec: SpecDefinition) -> bool:
    """Tell whether anybody has loaded what a spec stands in for.

    Args:
        spec: that `substitute_spec` has.

    Returns:
        False until somebody has.
    """
    return spec.sha256 in _HANDED_OUT


def remove_stand_ins() -> None:
    """Hand out the files' own specs again."""
    _STAND_INS.clear()
    _HANDED_OUT.clear()


def stand_in_for(spec: SpecDefinition) -> SpecDefinition:
    """Return what stands in for a spec; mostly the spec itself.

    Args:
        spec: as it was read from its file.

    Returns:
        The other spec, or the same.
    """
    other = _STAND_INS.get(spec.sha256) if _STAND_INS else None
    if other is None:
        return spec
    _HANDED_OUT.add(spec.sha256)
    return evolve(
        spec,
        states=other.states,
        transitions=other.transitions,
        otherwise=other.otherwise,
        events=other.events,
        data=other.data,
        versions=other.versions,
    )


MOST_BYTES = 1 << 20
MOST_CACHED = 64
"""Specs that are kept; the one that was asked for longest ago goes first."""

_Value = TypeVar("_Value")
_FileDigest = bytes | None
"""Of a file's bytes; None for a file that is not there, or is no regular one."""

_FILES_READ: ContextVar[dict[Path, _FileDigest] | None] = ContextVar("_READ", default=None)
"""What the reading that goes on has looked at."""


@frozen
class _CachedRead:
    """What was read, and the contents of all files that it depends on."""

    value: Any
    files: dict[Path, _FileDigest]


@frozen
class FileCache:
    """Values that are read from files, each read again only where one of its files has changed.

    What counts is the contents: a file that is written anew is seen whatever its times say, and a
    file that was not there and is now.
    """

    values: OrderedDict[tuple[object, ...], _CachedRead] = field(factory=OrderedDict)

    def get(self, request: object, read: Callable[[], _Value]) -> _Value:
        """Return what `read` gives, or gave for the same question as long as no file that it looked
        at has changed.

        Args:
            request: names the question; relative paths are of the working folder.
            read: what is done where nothing is kept; where it raises, nothing is kept.

        Returns:
            What `read` gives.
        """
        if has_stand_ins():
            return read()  # what stands in for a spec must neither be missed nor kept
        key = (request, _working_folder())
        entry = self.values.pop(key, None)
        if entry is None or any(_file_digest(path) != known for path, known in entry.files.items()):
            entry = _read_with_files(read)
        self.values[key] = entry
        while len(self.values) > MOST_CACHED:
            self.values.popitem(last=False)
        value: _Value = entry.value
        return value


def _working_folder() -> str:
    """Return the working folder; empty where it was deleted: catalogue names need none."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _read_with_files(read: Callable[[], object]) -> _CachedRead:
    files: dict[Path, _FileDigest] = {}
    token = _FILES_READ.set(files)
    try:
        return _CachedRead(read(), files)
    finally:
        _FILES_READ.reset(token)


def file_bytes(path: Path) -> bytes:
    """Read a file, but no more of it than shows that it is too large; it may be a device without
    end.

    Args:
        path: of the file.

    Returns:
        At most a byte more than a spec may have.

    Raises:
        OSError: it cannot be read.
    """
    with open_for_reading(path) as file:
        data = file.read(MOST_BYTES + 1)
    if (digests := _FILES_READ.get()) is not None:
        digests[path.absolute()] = hashlib.sha256(data).digest()
    return data


def file_exists(path: Path) -> bool:
    """Tell whether a file is there; what is not is remembered, for it may come.

    Args:
        path: of the file.

    Returns:
        False of a folder.
    """
    is_there = path.is_file()
    if not is_there and (digests := _FILES_READ.get()) is not None:
        digests.setdefault(path.absolute(), None)
    return is_there


def _file_digest(path: Path) -> _FileDigest:
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            return hashlib.sha256(file.read(MOST_BYTES + 1)).digest()
    except OSError:
        return None
