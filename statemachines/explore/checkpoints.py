"""A search that stopped early, kept in a file: it goes on from there, and finds what it would have found without stopping.

The file is a zip of one JSON text and arrays of numbers: nothing in it is executed when it is read.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from statemachines.explore.marks import mark_of
from statemachines.explore.world import World
from statemachines.model.snapshots import Value
from statemachines.model.values import FrozenMap, make_record
from statemachines.semantics.mistakes import ArgumentsError

FORMAT = "statemachines.search/2"
Stored = dict[str, Any]
"""What an engine keeps: plain data."""
MOST_BEGINNINGS = 1000
"""Beginnings that are compared."""


@define(eq=False)
class Checkpoint:
    """The file of one search."""

    path: Path
    mark: str = ""
    """Tells searches of other machines, scopes and options apart."""
    about: str = ""
    """What is searched, for a person."""
    engine: str = ""
    """Of the search in the file; empty where there is none yet."""
    stored: Stored = field(factory=dict)
    blobs: dict[str, array[int]] = field(factory=dict)

    def save(self, world: World, engine: str, stored: Stored, blobs: dict[str, Sequence[int]]) -> None:
        """Write a search of a machine; see `write`."""
        columns = [[encoded(value) for value in column.values] for column in world.columns]
        cut = [number for number, rule in enumerate(world.rules) if rule.draws.cut]
        self.write(engine, {"columns": columns, "used": _used(world), "cut": cut, **stored}, blobs)

    def write(self, engine: str, stored: Stored, blobs: dict[str, Sequence[int]]) -> None:
        """Write a search; the file is replaced when the new one is whole."""
        told = {"format": FORMAT, "mark": self.mark, "about": self.about, "engine": engine, **stored}
        draft = self.path.with_name(self.path.name + ".part")
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            file.writestr("search.json", json.dumps(told))
            for name, numbers in blobs.items():
                file.writestr(name, array("q", numbers).tobytes())
        draft.replace(self.path)

    def restore(self, world: World) -> None:
        """Give the columns of a world the numbers that the file uses.

        Raises:
            ArgumentsError: they have others already.
        """
        for column, values in zip(world.columns, self.stored["columns"], strict=True):
            for number, value in enumerate(values):
                if column.number(decoded(value)) != number:
                    raise self.stale()
        arrows = world.machine.transitions
        for rule, (states, taken) in zip(world.rules, self.stored["used"], strict=True):
            rule.asked_in.update(states)
            rule.took.update(id(arrows[number]) for number in taken)
        for number in self.stored["cut"]:
            world.rules[number].draws.cut = True

    def stale(self) -> ArgumentsError:
        """Return what is wrong where the file is of something that is no more."""
        return ArgumentsError(f"{self.path} was written for {self.about} as its spec was before; remove it to begin anew")

    def remove(self) -> None:
        """Remove the file: the search has ended."""
        self.path.unlink(missing_ok=True)


def checkpoint_of(path: Path, world: World, scope: str, how: str) -> Checkpoint:
    """Return the file of a search of a machine, with what is in it; see `checkpoint_at`.

    Args:
        path: of the file; it need not be there.
        world: what is explored.
        scope: what is explored, for a person.
        how: options.
    """
    one = world.machine
    content = one.states, one.transitions, one.otherwise, one.events, one.data
    mark = mark_of(one.name, one.release, content, world.extent, world.copies, world.begins[:MOST_BEGINNINGS], how)
    return checkpoint_at(path, mark, about(one.name, one.release, scope, how))


def about(name: str, release: str, scope: str, how: str) -> str:
    """Say what is searched.

    >>> about("shop/Order", "2.0", "Item=3", "with symmetry")
    'shop/Order 2.0 within Item=3 with symmetry'
    """
    return " ".join(part for part in (name, release, f"within {scope}" if scope else "", how) if part)


def checkpoint_at(path: Path, mark: str, about: str) -> Checkpoint:
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
            why = "nobody may write there" if path.parent.is_dir() else f"there is no folder {path.parent}"
            raise ArgumentsError(f"{path} cannot be written: {why}")
        return Checkpoint(path, mark, about)
    try:
        with zipfile.ZipFile(path) as file:
            stored = json.loads(file.read("search.json"))
            blobs = {name: array("q", file.read(name)) for name in file.namelist() if name != "search.json"}
    except (OSError, zipfile.BadZipFile, zlib.error, KeyError, ValueError):
        raise ArgumentsError(f"{path} is no search that was stopped; name another file") from None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise ArgumentsError(f"{path} was written by another version of this program; remove it to begin anew")
    found = Checkpoint(path, mark, about, stored["engine"], stored, blobs)
    if stored["about"] != about:
        raise ArgumentsError(f"{path} was written for {stored['about']}, not for {about}; remove it to begin anew, or name another file")
    if stored["mark"] != mark:
        raise found.stale()
    return found


def _used(world: World) -> list[tuple[list[int], list[int]]]:
    """Return for each rule the states in which it was asked, and the places of the transitions that were taken."""
    place = {id(arrow): number for number, arrow in enumerate(world.machine.transitions)}
    return [(sorted(rule.asked_in), sorted(place[one] for one in rule.took if one in place)) for rule in world.rules]


def encoded(value: Value) -> object:
    """Write a value as plain data.

    >>> encoded(frozenset([("a", 1)]))
    {'set': [{'list': ['a', 1]}]}
    """
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return {"record": type(value).__name__, "fields": list(fields), "values": [encoded(item) for item in value]}
    match value:
        case tuple():
            return {"list": [encoded(item) for item in value]}
        case frozenset():
            return {"set": [encoded(item) for item in sorted(value, key=repr)]}
        case dict():
            return {"map": [[encoded(key), encoded(item)] for key, item in value.items()]}
    return value


def decoded(told: Any) -> Value:
    """Read a value from plain data."""
    if not isinstance(told, dict):
        value: Value = told
        return value
    if "record" in told:
        made: Value = make_record(told["record"], tuple(told["fields"]), [decoded(item) for item in told["values"]])
        return made
    if "map" in told:
        return FrozenMap({decoded(key): decoded(item) for key, item in told["map"]})
    if "set" in told:
        return frozenset(decoded(item) for item in told["set"])
    return tuple(decoded(item) for item in told["list"])
