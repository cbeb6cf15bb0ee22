"""Which JSON files hold many records in one object, and where in it the records stand."""

from __future__ import annotations

import json
import re
from typing import Any

from statemachines.logs.layouts.json_layouts import value_at_key, with_nested
from statemachines.model.values import frozen

_TOKEN = re.compile(r'\\.|["{}\[\],]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_MOST_BRACKETS = 12
"""Around a record."""
_FIRST_ITEMS = 3
"""Of a list, that are looked at."""
_RECORD_KEYS = (
    "message", "msg", "MESSAGE", "Message", "LogMessage", "RenderedMessage", "short_message",
    "@message", "@m", "log", "Log", "line", "text", "textPayload", "_raw", "event",
    "body", "Body", "body.stringValue", "body.string_value",
)  # fmt: skip
"""Keys under which an object may have the text of a record."""
_DECODER = json.JSONDecoder(strict=False)


@frozen
class BatchForm:
    """The form of a file whose JSON objects hold many records each."""

    brackets: str
    """Those around each record, outermost first."""
    is_one_line: bool
    """Whether each object stands on one line."""
    is_indented: bool = False
    """Whether no bracket in an object begins a line: one that does begins another object."""


def batch_form(first: str) -> BatchForm | None:
    """The form of a file by its beginning; None where its objects are no batches.

    >>> batch_form('{"events": [{"message": "open"}')
    BatchForm(brackets='{[', is_one_line=True, is_indented=True)
    >>> batch_form('{"message": "open", "tags": [{"text": "a"}]}')

    Args:
        first: the first line of the file, or the beginning of a long one.

    Returns:
        How its objects are written.
    """
    try:
        value, end = _DECODER.raw_decode(first)
    except (ValueError, RecursionError):
        value, end = _decode_beginning(first), len(first)
    brackets = _brackets_around_record(value, _MOST_BRACKETS) or ""
    if brackets.count("{") == 0 or brackets.count("[") == 0:
        return None
    whole = first[:end].rstrip()
    return BatchForm(brackets, "\n" not in whole, "\n{" not in whole)


def _decode_beginning(text: str) -> Any:
    """What a JSON text that was cut tells up to its last whole value; None if it is none."""
    is_open, in_string = "", False
    end, closing = 0, ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == '"':
            in_string = not in_string
        elif in_string or token[0] == "\\":
            continue
        elif token in _CLOSING:
            is_open += token
        elif token == ",":
            end, closing = match.start(), is_open
        else:
            is_open = is_open[:-1]
            end, closing = match.end(), is_open
    whole = text[:end] + "".join(_CLOSING[bracket] for bracket in reversed(closing))
    try:
        return json.loads(whole, strict=False)
    except (ValueError, RecursionError):
        return None


def _brackets_around_record(value: Any, most: int) -> str | None:
    """The brackets around the first record in a value; None where it holds none."""
    if _is_record(value):
        return ""
    if most == 0 or not isinstance(value, dict | list):
        return None
    bracket = "{" if isinstance(value, dict) else "["
    inner = value.values() if isinstance(value, dict) else value[:_FIRST_ITEMS]
    paths = (_brackets_around_record(item, most - 1) for item in inner)
    return next((bracket + path for path in paths if path is not None), None)


def _is_record(value: Any) -> bool:
    """Whether a value is a record: an object with a text, or a row of cells, one of them a text."""
    if isinstance(value, list):
        return (
            len(value) > 1
            and all(isinstance(cell, str | int | float) for cell in value[:2])
            and any(isinstance(cell, str) and " " in cell for cell in value)
        )
    return isinstance(value, dict) and any(
        isinstance(value_at_key(mapping, key), str)
        for mapping in with_nested(value)
        for key in _RECORD_KEYS
    )
