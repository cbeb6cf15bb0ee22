"""A record of a batch as a line, with what the batch says around it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from statemachines.logs.layouts.json_layouts import with_nested

_PROCESS_KEYS = (
    ("k8s.pod.name", "host.name", "service.instance.id", "logStreamName", "logStream"),
    ("k8s.container.name", "service.name"),
)
"""Keys that tell which process wrote a record; of each list the first that there is."""


def record_line(record: bytes, around: bytes) -> bytes:
    """The line of a record; nothing where it is no JSON.

    Args:
        record: an object, or a row: a time and a text, or the cells of a table.
        around: the objects and lists around it, each with what stands in it before the record.

    Returns:
        JSON on one line, without a line feed.
    """
    try:
        value = json.loads(record.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return b""
    context = _context(around)
    if isinstance(value, list):
        return _row_line(value, context).encode()
    whole = _with_plain_attributes({**context, **value})
    names = [_first_text(whole, keys) for keys in _PROCESS_KEYS]
    process = "/".join(name for name in names if name)
    text = json.dumps(whole, ensure_ascii=False)
    return (json.dumps({"of_process": process, "record": text}) if process else text).encode(
        "utf-8", "replace"
    )


@lru_cache(maxsize=8)
def _context(around: bytes) -> dict[str, Any]:
    """What is said around a record: objects, and of the names above them the texts."""
    try:
        value = json.loads(around.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return {}
    values: dict[str, Any] = {}
    while value and isinstance(value, dict | list):
        if isinstance(value, list):
            value = value[-1]
            continue
        inner = list(value.values())[-1]
        values |= {
            key: _with_plain_attributes(each) if isinstance(each, dict) else each
            for key, each in value.items()
            if each is not inner and (isinstance(each, dict) or key in _PROCESS_KEYS[0])
        }
        value = inner
    return values


def _with_plain_attributes(values: dict[str, Any]) -> dict[str, Any]:
    """Put the values of `attributes` under their names, which a list of pairs may tell."""
    pairs = values.get("attributes")
    if not isinstance(pairs, list):
        return values
    plain = {
        pair["key"]: next(iter(pair["value"].values()), None)
        for pair in pairs
        if isinstance(pair, dict)
        and isinstance(pair.get("key"), str)
        and isinstance(pair.get("value"), dict)
    }
    return {**values, "attributes": plain}


def _first_text(values: dict[str, Any], keys: Sequence[str]) -> str | None:
    found = (each[key] for key in keys for each in with_nested(values) if key in each)
    return next((text for text in found if isinstance(text, str) and text), None)


def _row_line(cells: list[Any], context: dict[str, Any]) -> str:
    """A time and a text as a line of Loki's client, with the labels of its stream; other cells as a
    row of a table.
    """
    texts = [cell if isinstance(cell, str) else json.dumps(cell) for cell in cells]
    if len(texts) == 2 or (len(texts) == 3 and isinstance(cells[2], dict)):
        labels = context.get("stream", {})
        return json.dumps({"labels": labels, "line": texts[1], "timestamp": texts[0]})
    row = io.StringIO()
    csv.writer(row, quoting=csv.QUOTE_ALL, lineterminator="").writerow(texts)
    return row.getvalue()
