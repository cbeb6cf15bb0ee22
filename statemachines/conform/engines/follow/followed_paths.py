"""The files that some paths name at a moment; of a file that is named also those that it became."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path

from attrs import frozen

from statemachines.conform.engines.follow.followed_log import FileIdentity
from statemachines.conform.engines.follow.log_reading import file_identity
from statemachines.conform.engines.inputs import STDIN, is_hidden
from statemachines.logs import rotation_key


@frozen
class FollowedPaths:
    """Files and folders that were named."""

    paths: tuple[str, ...]
    left_out: Path | None = None
    """A folder that holds no logs: the state folder."""

    def files(self, known: Callable[[], Collection[FileIdentity]]) -> Iterator[tuple[str, Path]]:
        """Yield the names and places of the files that are there now.

        Args:
            known: the files that are followed by now: of a file that was named, those beside it
                that it was renamed to are followed on.
        """
        named = [path for path in self.paths if path != STDIN]
        for path in named:
            prefix = Path("" if len(self.paths) == 1 else path)
            if os.path.isdir(path):
                yield from self._in_folder(Path(path), prefix)
                continue
            if os.path.isfile(path):
                yield path, Path(path)
            yield from _rotated(Path(path), known())

    def _in_folder(self, folder: Path, prefix: Path) -> Iterator[tuple[str, Path]]:
        for file in sorted(folder.rglob("*")):
            inside = file.relative_to(folder)
            if file.is_file() and not is_hidden(inside) and not self._is_left_out(file):
                yield (prefix / inside).as_posix(), file

    def _is_left_out(self, file: Path) -> bool:
        return self.left_out is not None and self.left_out in file.resolve().parents


def _rotated(path: Path, known: Collection[FileIdentity]) -> Iterator[tuple[str, Path]]:
    """Yield the files beside one that it was renamed to since it is followed."""
    with suppress(OSError):
        for other in os.scandir(path.parent):
            if rotation_key(other.name)[0] != path.name or other.name == path.name:
                continue
            with suppress(OSError):
                if file_identity(other.stat()) in known:
                    yield os.path.join(os.path.dirname(str(path)), other.name), Path(other.path)
