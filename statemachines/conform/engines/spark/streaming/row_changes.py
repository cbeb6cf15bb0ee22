"""Rows of a table that are otherwise than they were: found, changed, withdrawn."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from statemachines.conform.engines.spark.observation_rows import observation_row
from statemachines.conform.engines.spark.stages.stage_rows import (
    EPISODE_COLUMNS,
    FINDING_COLUMNS,
    OBSERVATION_COLUMNS,
)
from statemachines.conform.engines.spark.user_frames import episode_row, finding_row
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.join.change_keys import episode_key, finding_key
from statemachines.model.evidence.reports import Report

FINDINGS, EPISODES, OBSERVATIONS = "findings", "episodes", "observations"

TABLE_COLUMNS = {
    FINDINGS: FINDING_COLUMNS,
    EPISODES: EPISODE_COLUMNS,
    OBSERVATIONS: OBSERVATION_COLUMNS,
}
CHANGE_COLUMNS = "change string, key string"
"""Columns before those of the table: what became of the row, and what it is known by."""
_OPEN_COLUMN = [column.split()[0] for column in EPISODE_COLUMNS.split(", ")].index("open")

Row = tuple[Any, ...]
KeyedRows = dict[str, Row]


class RowChange(NamedTuple):
    """A row that is otherwise than it was."""

    table: str
    change: str
    """`found`, `changed`, `withdrawn`; of episodes `opened` and `healed` where they are."""
    key: str
    row: Row
    """As it is now; where it is withdrawn, as it was."""


def changed_rows(table: str, before: Mapping[str, Row], now: Mapping[str, Row]) -> list[RowChange]:
    """Return what leads from the rows of before to those of now: withdrawn ones first."""
    withdrawn = [
        RowChange(table, "withdrawn", key, row) for key, row in before.items() if key not in now
    ]
    fresh = [
        RowChange(table, _change(table, before.get(key), row), key, row)
        for key, row in now.items()
        if before.get(key) != row
    ]
    return [*withdrawn, *fresh]


def _change(table: str, before: Row | None, now: Row) -> str:
    """Say what became of a row."""
    if table == EPISODES and (before is None or before[_OPEN_COLUMN] != now[_OPEN_COLUMN]):
        return "opened" if now[_OPEN_COLUMN] else "healed"
    return "found" if before is None else "changed"


def report_rows(report: Report) -> dict[str, KeyedRows]:
    """Return the rows of a report by table and key."""
    return {
        FINDINGS: _keyed(
            (finding_key(finding), finding_row(finding)) for finding in report.findings
        ),
        EPISODES: _keyed(
            (episode_key(episode), episode_row(episode)) for episode in report.episodes
        ),
    }


def observation_rows(plan: CheckPlan, file: str, observations: Iterable[Observation]) -> KeyedRows:
    """Return the rows of a file's observations by key."""
    return _keyed(
        (
            json.dumps([file, observation.line, observation.owner, observation.key]),
            observation_row(plan, observation, file),
        )
        for observation in observations
    )


def _keyed(rows: Iterable[tuple[str, Row]]) -> KeyedRows:
    """Give each row a short key; equal ones are counted."""
    return dict(_counted_keys(rows))


def _counted_keys(rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, Row]]:
    counts: Counter[str] = Counter()
    for key, row in rows:
        counts[key] += 1
        whole = f"{key} {counts[key]}".encode("utf-8", "surrogatepass")
        yield hashlib.blake2b(whole, digest_size=12).hexdigest(), row
