"""What the lines of logs report, before anything is judged, as Parquet."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from statemachines.api.queries.parquet_files import OBSERVATIONS, created_folder, open_table
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, make_request, with_systems_root
from statemachines.conform.engines.inputs import STDIN, Input, list_inputs
from statemachines.conform.engines.local import read_files
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.engines.spark.observation_rows import observation_row
from statemachines.conform.engines.spark.stages.stage_rows import OBSERVATION_COLUMNS
from statemachines.conform.interchange.observations import Observation


def write_observations(
    paths: Sequence[str | PathLike[str]],
    folder: str | PathLike[str],
    *,
    options: CheckOptions | None = None,
) -> bool:
    """Read logs, and write what their lines tell as `observations.parquet`.

    Args:
        paths: files and folders.
        folder: is made where it is not there.
        options: how to read.

    Returns:
        Whether it was written: standard input cannot be read again.

    Raises:
        CannotWrite: the library is not installed, or the folder cannot be written.
        SpecError: no spec is left to read by.

    Complexity: one pass over the bytes, whatever a check of them has read before.
    """
    if any(fspath(path) == STDIN for path in paths):
        return False
    request = with_systems_root(make_request(options), paths)
    with (
        tempfile.TemporaryDirectory(prefix="statemachines-") as spool,
        open_table(created_folder(folder) / OBSERVATIONS, OBSERVATION_COLUMNS) as write,
    ):
        inputs = [source for source in list_inputs(paths, Path(spool)) if isinstance(source, Input)]
        ordered = sorted(inputs, key=lambda source: (source.name, str(source.path)))
        store = _TableStore(request, [source.name for source in ordered], write)
        read_files(request.plan, ordered, request.layouts, store, jobs=request.options.jobs)
    return True


class _TableStore(ObservationStore):
    """Writes observations instead of keeping them."""

    def __init__(
        self,
        request: JudgingRequest,
        names: Sequence[str],
        write: Callable[[Sequence[tuple[Any, ...]]], None],
    ) -> None:
        super().__init__()
        self._plan, self._names, self._write = request.plan, names, write

    def add(self, observations: Iterable[Observation]) -> None:
        rows = [
            observation_row(self._plan, observation, self._names[observation.file])
            for observation in observations
        ]
        if rows:
            self._write(rows)
