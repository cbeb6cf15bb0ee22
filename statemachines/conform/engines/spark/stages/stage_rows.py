"""Rows between the stages of a job: a few columns that Spark sorts and filters by, and a body that
only Python reads.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from statemachines.model.garbage import uncollected

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_PER_BATCH = 4096
_BYTES_PER_BATCH = 4 << 20
"""A batch ends where either is reached, so that a worker holds little."""

_PICKLE_PROTOCOL = 5

PROFILE, OBSERVATIONS = 0, 1
"""Kinds of rows of the first stage: what a piece shows as a whole, and what its lines tell of
instances, thousands of them in a row.
"""

READ_COLUMNS = "kind tinyint, file int, piece int, number bigint, body binary"
"""Columns of the first stage; `number` counts the rows of observations of a piece."""

PLACED_COLUMNS = "partition int, file int, piece int, number bigint, body binary"
"""Columns between the stages: the observations of one such row, divided by who judges them; all of
one instance are judged in one `partition`, in the order of `file`, `piece` and `number`.
"""

TIMELINE_COLUMNS = (
    "machine string, instance map<string,string>, process string, life int, at_ms bigint, zone"
    " string, from string, to string, how string, line int, file string"
)
"""Columns of a timeline for users: one row a step, instances in the order of the report; `at_ms` as
in the JSON report.
"""

FINDING_COLUMNS = (
    "kind string, verdict string, machine string, instance map<string,string>, process string,"
    " at_ms bigint, zone string, file string, line int, from string, to string, outcome string,"
    " legal array<string>, missing array<string>, legal_in string, count bigint, message string,"
    " text string"
)
"""Columns of findings for users: one row a finding, in the order of the report."""

EPISODE_COLUMNS = (
    "kind string, machine string, subject map<string,string>, process string, title string,"
    " since_ms bigint, until_ms bigint, zone string, open boolean, outcome string, orderly boolean,"
    " reason string, file string, line int, text string"
)
"""Columns of episodes for users: one row an episode, in the order of the report; `file`, `line` and
`text` are those of the line to blame.
"""

OBSERVATION_COLUMNS = (
    "machine string, instance map<string,string>, at_ms bigint, zone string, says string, from"
    " string, to string, state string, event string, reason string, file string, line int, text"
    " string"
)
"""Columns of observations for users: one row for each instance that a line tells of, as the line
tells it; what it leaves open is null.
"""

NEWS_COLUMNS = "file string, body binary"
"""Columns of a stream between the workers and the driver: what a trigger learnt of a file, in
pieces.
"""

RESULT_COLUMNS = "kind tinyint, partition int, body binary"
"""Columns of the second stage; the rows of a partition come in the order of the report. Kinds are
those of `parts/result_rows.py`.
"""


def pack(value: object) -> bytes:
    """Turn a value into the body of a row."""
    return pickle.dumps(value, _PICKLE_PROTOCOL)


def unpack(body: bytes) -> Any:
    """Turn the body of a row, which one of our own workers wrote, back into a value."""
    return pickle.loads(body)


def pack_lines(observed: object) -> bytes:
    """Turn what thousands of lines tell into the body of a row, a few times smaller: Java holds
    several of them at once, each two or three times.
    """
    import pyarrow as pa

    plain = pack(observed)
    pressed: bytes = pa.compress(plain, codec="lz4", asbytes=True)
    return len(plain).to_bytes(8, "little") + pressed


def unpack_lines(body: bytes) -> Any:
    """Turn such a body back."""
    import pyarrow as pa

    size = int.from_bytes(body[:8], "little")
    return unpack(pa.decompress(body[8:], size, codec="lz4", asbytes=True))


@lru_cache(maxsize=4)
def unpack_cached(body: bytes) -> Any:
    """The same for what many tasks of a worker share: plans, contexts."""
    with uncollected():
        return pickle.loads(body)


def arrow_batches(columns: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[pa.RecordBatch]:
    """Put rows into Arrow batches of bounded size.

    Args:
        columns: One of the schemas above, or of what users get; the last column is the longest.
        rows: One tuple a row.
    """
    schema = arrow_schema(columns)
    fresh: list[tuple[Any, ...]] = []
    size = 0
    for row in rows:
        fresh.append(row)
        size += len(row[-1] or b"")
        if len(fresh) >= _ROWS_PER_BATCH or size >= _BYTES_PER_BATCH:
            yield _arrow_batch(schema, fresh)
            fresh, size = [], 0
    if fresh:
        yield _arrow_batch(schema, fresh)


def column_rows(batch: pa.RecordBatch, *names: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of some columns of a batch as tuples."""
    return zip(*(batch.column(name).to_pylist() for name in names), strict=True)


def make_arrow_function(
    columns: str, function: Callable[[Iterator[Any]], Iterable[tuple[Any, ...]]]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the argument of `mapInArrow` from a function of batches to rows."""

    def map_batches(incoming: Iterator[Any]) -> Iterator[Any]:
        return arrow_batches(columns, function(incoming))

    return map_batches


def _arrow_batch(schema: pa.Schema, rows: Sequence[tuple[Any, ...]]) -> pa.RecordBatch:
    """Make one batch."""
    import pyarrow as pa

    columns = zip(zip(*rows, strict=True), schema, strict=True)
    return pa.RecordBatch.from_arrays(
        [_arrow_column(column, field.type) for column, field in columns], schema=schema
    )


def _arrow_column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Make a column; Arrow's own function asks pandas whether it is given some, and to import that
    takes a worker as long as reading 50 MB, so columns between the stages are made of their bytes.
    """
    import pyarrow as pa

    code = {pa.int8(): "b", pa.int32(): "i", pa.int64(): "q"}.get(kind)
    if None in values or (code is None and kind != pa.binary()):
        return pa.array(values, kind)
    if code is not None:
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(array(code, values))])
    ends = array("i", accumulate(map(len, values), initial=0))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def arrow_schema(columns: str) -> pa.Schema:
    """Read the column list of a Spark schema, as far as it is used here.

    Args:
        columns: a name and a type a column, with commas between them.

    Returns:
        The same columns for Arrow.
    """
    import pyarrow as pa

    text = pa.string()
    types = {
        "tinyint": pa.int8(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "binary": pa.binary(),
        "boolean": pa.bool_(),
        "string": text,
    }
    types |= {"array<string>": pa.list_(text), "map<string,string>": pa.map_(text, text)}
    return pa.schema(
        [
            pa.field(name, types[kind])
            for name, kind in (column.split() for column in columns.split(", "))
        ]
    )
