"""What a process loads, compiles and learns before copies of it are made, so it is done once."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

from statemachines.conform.engines import file_reader
from statemachines.conform.engines.file_reader import FileReader
from statemachines.conform.engines.inputs import Input
from statemachines.conform.engines.processes import worker_processes
from statemachines.conform.engines.processes.reading_tasks import plan_tasks
from statemachines.logs import open_log
from statemachines.model.arrays import (
    is_loaded_without_threads,
    is_numpy_installed,
    load_numpy,
)

_MOST_TRIED = 8
"""So many files are looked at for one of which a part can be read."""


def prepare_copies(reader: FileReader, inputs: Iterable[Input]) -> None:
    """Read the beginning of a log as a copy of this process would, and forget what it tells. What
    was loaded for it, the sieve that was made and the forms that were learnt stay; each copy would
    spend a fifth of a second on them.

    Nothing is done where no copies can be made, or loading arrays would prevent it.

    Args:
        reader: reads as the copies shall.
        inputs: the files, in their order.
    """
    may_load = is_loaded_without_threads() and is_numpy_installed()
    if not (may_load and worker_processes.may_copy()):
        return
    load_numpy()
    for number, entry in enumerate(islice(inputs, _MOST_TRIED)):
        task = next(plan_tasks(number, entry.log), None)
        if task is not None and task.end is not None:
            with suppress(OSError), open_log(task.path) as log:
                end = min(log.size, file_reader.READ_CHUNK_BYTES)
                reader.read_piece(number, log.buffer, 0, end)
            return
