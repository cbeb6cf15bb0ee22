"""A search that stopped early, kept in a file: it goes on from there, and finds what it would have
found without stopping.

The file is a zip of one JSON text and arrays of numbers: nothing in it is executed when it is read.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

from statemachines.explore.checkpoints.value_fingerprints import fingerprint_values
from statemachines.explore.models.machine_model import MachineModel
from statemachines.explore.resources.interrupts import delay_interrupts
from statemachines.explore.resources.limits import SearchEnding
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.semantics.messages.argument_errors import ArgumentsError

FORMAT = "statemachines.search/3"
PlainData = dict[str, Any]
"""What an engine keeps: plain data."""
Blobs = Mapping[str, Iterable[Any]]
"""Arrays of numbers of eight bytes each, under a name, in pieces: what is large is never copied
whole.
"""
READ_ERRORS = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    TypeError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
"""What reading a file raises that is no zip, or one that was cut or overwritten."""
MOST_COMPARED_ROWS = 1000
"""Beginnings that are compared."""


@define(eq=False)
class Checkpoint:
    """The file of one search."""

    path: Path
    fingerprint: str = ""
    """Tells searches of other machines, scopes and options apart."""
    description: str = ""
    """What is searched, for a person."""
    engine: str = ""
    """Of the search in the file; empty where there is none yet."""
    stored: PlainData = field(factory=dict)
    blobs: dict[str, array[int]] = field(factory=dict)

    def save_machine_search(
        self, world: MachineModel, engine: str, stored: PlainData, blobs: Blobs
    ) -> list[str]:
        """Write a search of a machine; see `write`."""
        columns = [[encode_value(value) for value in column.values] for column in world.columns]
        cut = [number for number, rule in enumerate(world.memos) if rule.enumeration.is_truncated]
        return self.write_search(
            engine, {"columns": columns, "used": _memo_usage(world), "cut": cut, **stored}, blobs
        )

    def write_search(self, engine: str, stored: PlainData, blobs: Blobs) -> list[str]:
        """Write a search; the file is replaced when the new one is whole, and interrupts wait until
        it is.

        Returns:
            Why it could not be written, in words; nothing where it was.
        """
        told = {
            "format": FORMAT,
            "mark": self.fingerprint,
            "about": self.description,
            "engine": engine,
            "blobs": [*blobs],
            **stored,
        }
        draft = self.path.with_name(self.path.name + ".part")
        try:
            with delay_interrupts():
                _write_zip(draft, told, blobs)
                draft.replace(self.path)
        except (OSError, MemoryError) as problem:
            draft.unlink(missing_ok=True)
            why = problem.strerror if isinstance(problem, OSError) else "no memory is left"
            return [f"the search could not be kept in {self.path}: {why}"]
        return []

    def restore(self, world: MachineModel) -> None:
        """Give the columns of a world the numbers that the file uses.

        Raises:
            ArgumentsError: they have others already.
        """
        for column, values in zip(world.columns, self.stored["columns"], strict=True):
            for number, value in enumerate(values):
                if column.value_id(decode_value(value)) != number:
                    raise self.stale()
        arrows = world.machine.transitions
        for rule, (states, taken) in zip(world.memos, self.stored["used"], strict=True):
            rule.asked_states.update(states)
            rule.taken_transitions.update(id(arrows[number]) for number in taken)
        for number in self.stored["cut"]:
            world.memos[number].enumeration.is_truncated = True

    def stale(self) -> ArgumentsError:
        """Return what is wrong where the file is of something that is no more."""
        return ArgumentsError(
            f"{self.path} was written for {self.description} as its spec was before; remove it to"
            " begin anew"
        )

    def remove(self) -> None:
        """Remove the file: the search has ended."""
        self.path.unlink(missing_ok=True)


def machine_checkpoint(path: Path, world: MachineModel, scope: str, how: str) -> Checkpoint:
    """Return the file of a search of a machine, with what is in it; see `checkpoint_at`.

    Args:
        path: of the file; it need not be there.
        world: what is explored.
        scope: what is explored, for a person.
        how: options.
    """
    one = world.machine
    content = one.states, one.transitions, one.otherwise, one.events, one.data
    mark = fingerprint_values(
        one.name,
        one.release,
        content,
        world.extent,
        world.copies,
        world.initial_rows[:MOST_COMPARED_ROWS],
        how,
    )
    return open_checkpoint(path, mark, search_description(one.name, one.release, scope, how))


@contextmanager
def keep_when_ended_early(
    keep: Checkpoint | None, seen: SearchEnding, save: Callable[[], None]
) -> Iterator[None]:
    """Save a search that was ended early, and remove the file of one that was not, when all was
    said of it.

    An interrupt while something is said of a whole search keeps it too: it need not be made again.
    """
    try:
        yield
    except (KeyboardInterrupt, MemoryError):
        save()
        raise
    if seen.ended_early:
        save()
    elif keep is not None:
        keep.remove()


def search_description(name: str, release: str, scope: str, how: str) -> str:
    """Say what is searched.

    >>> search_description("shop/Order", "2.0", "Item=3", "with symmetry")
    'shop/Order 2.0 within Item=3 with symmetry'
    """
    return " ".join(
        part for part in (name, release, f"within {scope}" if scope else "", how) if part
    )


def open_checkpoint(path: Path, mark: str, about: str) -> Checkpoint:
    """Return the file of a search, with what is in it.

    Args:
        path: of the file; it need not be there.
        mark: of what is searched, and how.
        about: the same for a person.

    Raises:
        ArgumentsError: it is no such file, one of another search, or its folder is not there.
    """
    if not path.exists():
        if not os.access(path.parent, os.W_OK):
            why = (
                "nobody may write there"
                if path.parent.is_dir()
                else f"there is no folder {path.parent}"
            )
            raise ArgumentsError(f"{path} cannot be written: {why}")
        return Checkpoint(path, mark, about)
    if not path.is_file():
        raise ArgumentsError(
            f"{path} is a pipe or a device, which cannot keep a search; name a file"
        )
    try:
        stored, blobs = _read_zip(path)
    except READ_ERRORS:
        raise ArgumentsError(
            f"{path} is no search that was stopped, or it is damaged; name another file"
        ) from None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise ArgumentsError(
            f"{path} was written by another version of this program; remove it to begin anew"
        )
    found = Checkpoint(path, mark, about, stored["engine"], stored, blobs)
    if stored["about"] != about:
        raise ArgumentsError(
            f"{path} was written for {stored['about']}, not for {about}; remove it to begin anew,"
            " or name another file"
        )
    if stored["mark"] != mark:
        raise found.stale()
    return found


def _write_zip(draft: Path, told: PlainData, blobs: Blobs) -> None:
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("search.json", json.dumps(told))
        for name, pieces in blobs.items():
            with file.open(name, "w", force_zip64=True) as blob:
                for piece in pieces:
                    blob.write(piece)


def _read_zip(path: Path) -> tuple[Any, dict[str, array[int]]]:
    with zipfile.ZipFile(path) as file:
        stored = json.loads(file.read("search.json"))
        names = (
            stored["blobs"] if isinstance(stored, dict) and stored.get("format") == FORMAT else ()
        )
        return stored, {name: array("q", file.read(name)) for name in names}


def _memo_usage(world: MachineModel) -> list[tuple[list[int], list[int]]]:
    """Return for each rule the states in which it was asked, and the places of the transitions that
    were taken.
    """
    place = {id(arrow): number for number, arrow in enumerate(world.machine.transitions)}
    return [
        (
            sorted(rule.asked_states),
            sorted(place[one] for one in rule.taken_transitions if one in place),
        )
        for rule in world.memos
    ]


def encode_value(value: Value) -> object:
    """Write a value as plain data.

    >>> encode_value(frozenset([("a", 1)]))
    {'set': [{'list': ['a', 1]}]}
    """
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return {
            "record": type(value).__name__,
            "fields": list(fields),
            "values": [encode_value(item) for item in value],
        }
    match value:
        case tuple():
            return {"list": [encode_value(item) for item in value]}
        case frozenset():
            return {"set": [encode_value(item) for item in sorted(value, key=repr)]}
        case dict():
            return {"map": [[encode_value(key), encode_value(item)] for key, item in value.items()]}
    return value


def decode_value(told: Any) -> Value:
    """Read a value from plain data."""
    if not isinstance(told, dict):
        value: Value = told
        return value
    if "record" in told:
        made: Value = make_record(
            told["record"], tuple(told["fields"]), [decode_value(item) for item in told["values"]]
        )
        return made
    if "map" in told:
        return FrozenMap({decode_value(key): decode_value(item) for key, item in told["map"]})
    if "set" in told:
        return frozenset(decode_value(item) for item in told["set"])
    return tuple(decode_value(item) for item in told["list"])
