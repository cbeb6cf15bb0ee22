"""Observations as rows for users: what each line reports of each instance, before it is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from statemachines.conform.engines.spark.stages.stage_rows import (
    OBSERVATION_COLUMNS,
    column_rows,
    make_arrow_function,
    unpack_cached,
    unpack_lines,
)
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.join.report_sources import machine_log


def observation_row(plan: CheckPlan, observation: Observation, file: str) -> tuple[Any, ...]:
    """Return an observation in the columns of `OBSERVATION_COLUMNS`.

    Where releases read a line differently, the row has what the first of them reads.

    Args:
        plan: the specs by which the line was read.
        observation: at its place in the whole file.
        file: as reports call it.

    Returns:
        A value a column.
    """
    owner, reading = plan.owners[observation.owner], observation.readings[0]
    names = machine_log(plan, observation.owner).instance
    instance = [
        (name, None if value is None else str(value))
        for name, value in zip(names, observation.key, strict=True)
    ]
    says = " or ".join(kind.value for kind in owner.lines[reading.entry].kinds)
    return (
        owner.name,
        instance,
        observation.at,
        observation.zone,
        says,
        reading.source,
        reading.target,
        reading.state,
        reading.event,
        observation.reason or None,
        file,
        observation.line,
        observation.text,
    )


def make_row_function(known: bytes) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that turns rows of observations of the first stage into rows for users.

    Args:
        known: A packed `SettledContext`.
    """

    def tell(batches: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
        settled = unpack_cached(known)
        plan, files = settled.context.plan, settled.context.files
        for batch in batches:
            for file, piece, body in column_rows(batch, "file", "piece", "body"):
                lines, columns = settled.absolute(file, piece, unpack_lines(body))
                in_columns = (block.observations() for block in columns)
                for observation in chain(lines, *in_columns):
                    yield observation_row(plan, observation, files[file].name)

    return make_arrow_function(OBSERVATION_COLUMNS, tell)
