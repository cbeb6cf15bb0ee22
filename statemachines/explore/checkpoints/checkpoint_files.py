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
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field

from statemachines.explore.checkpoints.value_fingerprints import fingerprint_values
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.resources.interrupts import DelayedInterrupts
from statemachines.explore.resources.limits import SearchEnding
from statemachines.semantics.messages.argument_errors import ArgumentsError

FORMAT = "statemachines.search/8"
NOT_KEPT = "the search could not be kept in"
PlainData = dict[str, Any]
"""What an engine keeps: plain data."""
Blobs = Mapping[str, Iterable[Any]]
"""Arrays of numbers of eight bytes each, under a name, in pieces: what is large is never copied
whole.
"""
_READ_ERRORS = (
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
    running: SearchEnding | None = None
    """What the file is of: the search itself says so when it begins."""
    remembered: dict[str, set[str]] = field(factory=dict)
    """Words that are kept with the search, by what they are of."""

    def remember(self, name: str, words: set[str]) -> None:
        """Keep words with the search, and add those that were kept of the same before.

        Args:
            name: under which they are kept.
            words: added to by those that the file has.
        """
        words.update(self.stored.get("remembered", {}).get(name, ()))
        self.remembered[name] = words

    def settle(self) -> None:
        """Save a search that was ended early, and remove the file of one that was not: all has been
        said of it.
        """
        if self.running is not None and self.running.ended_early:
            self.running.save()
        else:
            self.path.unlink(missing_ok=True)

    def save_interrupted(self) -> None:
        """Save the search wherever it is: an interrupt while something is said of a whole one keeps
        it too, so that it need not be made again.
        """
        if self.running is not None:
            self.running.save()

    def save_search(self, model: Model, engine: str, stored: PlainData, blobs: Blobs) -> list[str]:
        """Write a search; the file is replaced when the new one is whole, and interrupts wait until
        it is.

        Args:
            model: what is explored.
            engine: `rows` or `arrays`.
            stored: what the engine goes on from.
            blobs: its arrays, by name.

        Returns:
            Why it could not be written, in words; nothing where it was.
        """
        data = {
            "format": FORMAT,
            "mark": self.fingerprint,
            "about": self.description,
            "engine": engine,
            "blobs": [*blobs],
            "remembered": {name: sorted(words) for name, words in self.remembered.items()},
            **model.encode(),
            **stored,
        }
        draft = self.path.with_name(self.path.name + ".part")
        try:
            with DelayedInterrupts():
                _write_zip(draft, data, blobs)
                draft.replace(self.path)
        except (OSError, MemoryError) as problem:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            why = problem.strerror if isinstance(problem, OSError) else "no memory is left"
            older = "; what was kept there before is still there" if self.engine else ""
            return [f"{NOT_KEPT} {self.path}: {why}{older}"]
        return []

    def restore(self, model: Model) -> None:
        """Give the columns of a model the numbers that the file uses.

        Args:
            model: that has explored nothing yet.

        Raises:
            ArgumentsError: they have others already.
        """
        if not model.restore(self.stored):
            raise self.stale()

    def stale(self) -> ArgumentsError:
        """Return what is wrong where the file is of something that is no more."""
        return ArgumentsError(
            f"{self.path} was written for {self.description} as its spec was before; remove it to"
            " begin anew"
        )


def search_checkpoint(path: Path, model: Model, scope: str, how: str) -> Checkpoint:
    """Return the file of a search, with what is in it; see `open_checkpoint`.

    Args:
        path: of the file; it need not be there.
        model: what is explored.
        scope: what is explored, for a person.
        how: options.

    Returns:
        The file, and what a search goes on from.
    """
    fingerprint = fingerprint_values(*model.identity(), how)
    about = filter(None, (model.tables.title, scope and f"within {scope}", how))
    return open_checkpoint(path, fingerprint, " ".join(about))


def open_checkpoint(path: Path, fingerprint: str, about: str) -> Checkpoint:
    """Return the file of a search, with what is in it.

    Args:
        path: of the file; it need not be there.
        fingerprint: of what is searched, and how.
        about: the same for a person.

    Returns:
        The file, and what a search goes on from.

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
        return Checkpoint(path, fingerprint, about)
    if not path.is_file():
        raise ArgumentsError(
            f"{path} is a pipe or a device, which cannot keep a search; name a file"
        )
    try:
        stored, blobs = _read_zip(path)
    except _READ_ERRORS:
        raise ArgumentsError(
            f"{path} is no search that was stopped, or it is damaged; name another file"
        ) from None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise ArgumentsError(
            f"{path} was written by another version of this program; remove it to begin anew"
        )
    checkpoint = Checkpoint(path, fingerprint, about, stored["engine"], stored, blobs)
    if stored["about"] != about:
        raise ArgumentsError(
            f"{path} was written for {stored['about']}, not for {about}; remove it to begin anew,"
            " or name another file"
        )
    if stored["mark"] != fingerprint:
        raise checkpoint.stale()
    return checkpoint


def _write_zip(draft: Path, data: PlainData, blobs: Blobs) -> None:
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("search.json", json.dumps(data))
        for name, blocks in blobs.items():
            with file.open(name, "w", force_zip64=True) as blob:
                for block in blocks:
                    blob.write(block)


def _read_zip(path: Path) -> tuple[Any, dict[str, array[int]]]:
    with zipfile.ZipFile(path) as file:
        stored = json.loads(file.read("search.json"))
        names = (
            stored["blobs"] if isinstance(stored, dict) and stored.get("format") == FORMAT else ()
        )
        return stored, {name: array("q", file.read(name)) for name in names}
