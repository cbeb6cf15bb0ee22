"""A file of what was said since the state folder was written last, by which who is killed then does
not say it again.

It is no part of the folder's database: what is written there takes along what was read, which is
whole only now and then.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from attrs import define

from statemachines.conform.engines.state.state_problems import StateWarning
from statemachines.conform.join.report_changes import SaidRow
from statemachines.conform.join.said_things import SaidThing

_NAME = "said.jsonl"


@define
class SaidFile:
    """Rows of what was said, each written at once.

    Limits: what was written is safe from the end of the process, not from that of the machine.
    """

    _path: Path
    _made_with: str
    """What is said depends on it: rows that were written under another are none."""
    _file: IO[bytes] | None = None
    _warned: bool = False

    @classmethod
    def in_folder(cls, folder: Path, made_with: str) -> SaidFile:
        """Return the file of a state folder.

        Args:
            folder: the state folder.
            made_with: names the specs, options and version by which is judged.
        """
        return cls(folder / _NAME, made_with)

    def rows(self) -> Iterator[SaidRow]:
        """Yield what was written before a kill; what is not whole was being written then."""
        content = self._content()
        if not content.startswith(self._head()):
            return
        for line in content.split(b"\n")[1:]:
            try:
                what, key, thing = json.loads(line)
            except ValueError:
                continue
            yield what, key, SaidThing(*thing)

    def add(self, rows: Iterable[SaidRow]) -> None:
        """Write rows behind the others."""
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        try:
            self._opened().write(content)
        except OSError as problem:
            self._warn(problem)

    def clear(self) -> None:
        """Begin anew: the folder holds what was said by now."""
        try:
            self._opened().truncate(0)
            self._opened().write(self._head())
        except OSError as problem:
            self._warn(problem)

    def close(self) -> None:
        """Let go of it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> IO[bytes]:
        """Return the file, which goes on behind what was written before a kill."""
        if self._file is None:
            content = self._content()
            self._file = open(self._path, "ab", buffering=0)
            if not content.startswith(self._head()):
                self._file.truncate(0)
                self._file.write(self._head())
            elif not content.endswith(b"\n"):
                self._file.write(b"\n")
        return self._file

    def _content(self) -> bytes:
        try:
            return self._path.read_bytes()
        except OSError:
            return b""

    def _head(self) -> bytes:
        return json.dumps({"made with": self._made_with}).encode() + b"\n"

    def _warn(self, problem: OSError) -> None:
        if self._warned:
            return
        self._warned, why = True, problem.strerror or problem
        warnings.warn(
            f"{self._path} cannot be written ({why}); who is killed says some of it again",
            StateWarning,
            stacklevel=2,
        )
