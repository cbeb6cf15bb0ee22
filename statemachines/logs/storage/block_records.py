"""Records of several lines, a field on each: blocks of YAML, paragraphs, what journald exports."""

from __future__ import annotations

import json
import re
from typing import IO, Any, Literal

from statemachines.logs.storage.record_lines import RecordLines

BlockForm = Literal["YAML", "journald's export", "journald's verbose form"]
_JOURNAL_START = re.compile(rb"__(?:CURSOR|REALTIME_TIMESTAMP|MONOTONIC_TIMESTAMP)=")
_VERBOSE_BLOCK = re.compile(rb"\w{3} (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \S+) \[s=[0-9a-f]+;")
"""With this a record begins; below it stand its fields, indented."""
_VERBOSE_START = re.compile(rb"(?:-- [^\n]*\n)*" + _VERBOSE_BLOCK.pattern)
"""The same behind what journald says of itself."""
_LENGTH_BYTES = 8
_YAML_START = re.compile(
    rb"(?:---[ \t]*\r?\n)?(?:- )?[ \t]{0,4}[A-Za-z_@\"'][\w.@\"'-]{0,60}[ \t]{0,30}: ?"
)
_PAIR = re.compile(rb"([A-Za-z_]\w{0,60})[ \t]{0,30}: ?(.*)")
"""A line of a paragraph that is no YAML, for its value holds a colon or a quote."""
_BLOCK_START = re.compile(rb"- |---|" + _VERBOSE_BLOCK.pattern)
_ALIAS = re.compile(rb"(?:^|: +|- +|[\[{,] *)[&*]\w", re.MULTILINE)
"""A small text with aliases may mean a large one."""
_MESSAGE_KEYS = ("message", "msg", "Message", "MESSAGE", "log", "text", "body", "event")
_MOST_LINE_BYTES = 1 << 16
_BLANKS = b" \t\r"


def block_form(head: bytes) -> BlockForm | None:
    """The form of a file whose records are blocks, by its beginning; None for any other file.

    >>> block_form(b"- time: 12:00:00\\n  message: open\\n- time: 12:00:01\\n")
    'YAML'
    >>> block_form(b"note: a file of the shop\\n12:00:00 INFO open\\n")

    Args:
        head: the first bytes of the file.

    Returns:
        The name of the form.
    """
    if _JOURNAL_START.match(head):
        return "journald's export"
    if _VERBOSE_START.match(head):
        return "journald's verbose form"
    head = head.lstrip(b"\r\n")
    if not _YAML_START.match(head):
        return None
    lines = head.split(b"\n")[:-1]
    starts = (at for at, line in enumerate(lines) if at and _begins_block(line, lines[at - 1]))
    first = lines[: next(starts, len(lines))]
    values = _yaml_fields(b"\n".join(first))
    return "YAML" if any(isinstance(values.get(key), str) for key in _MESSAGE_KEYS) else None


def _begins_block(line: bytes, before: bytes) -> bool:
    return bool(_BLOCK_START.match(line)) or not before.strip(_BLANKS)


def put_blocks_on_lines(source: IO[bytes], form: BlockForm) -> IO[bytes]:
    """A file with each block on the line on which it began; what is no block stays as it is.

    Args:
        source: the file, in UTF-8; it is closed.
        form: of its blocks.

    Returns:
        A temporary file with as many lines.

    Source: systemd, Journal Export Formats (https://systemd.io/JOURNAL_EXPORT_FORMATS/).
    """
    lines, is_open, before = RecordLines(), False, b""
    read_fields = _FIELDS[form]

    def end_block() -> None:
        fields = read_fields(lines.open_text())
        text = json.dumps(fields, ensure_ascii=False) if len(fields) > 1 else ""
        lines.end(text.encode("utf-8", "replace"))

    with source:
        while part := source.readline(_MOST_LINE_BYTES):
            text = part.removesuffix(b"\n")
            if lines.is_at_margin and _begins_block(text, before):
                if is_open:
                    end_block()
                is_open = False
            if not is_open and text.strip(_BLANKS):
                lines.begin()
                is_open = True
            lines.add(text)
            before = text
            if len(text) < len(part) and not lines.end_line(_BLANKS):
                is_open = False
    if is_open:
        end_block()
    return lines.close(_BLANKS)


def _yaml_fields(block: bytes) -> dict[str, Any]:
    """The fields of a block of YAML, all as texts; none where it is something else."""
    if _ALIAS.search(block):
        return {}
    import yaml  # here: few logs have such records, and importing it takes a while

    try:
        value = yaml.load(
            block.decode("utf-8", "replace"),
            Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader),
        )
    except (yaml.YAMLError, RecursionError, ValueError):
        return _paired_fields(block)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else {}


def _paired_fields(block: bytes) -> dict[str, Any]:
    """The fields of a paragraph each line of which is a name, a colon and a value; else none."""
    pairs = [_PAIR.fullmatch(line.strip(_BLANKS)) for line in block.strip().split(b"\n")]
    return {
        pair[1].decode(): pair[2].decode("utf-8", "replace")
        for pair in pairs
        if pair and all(pairs)
    }


def _journal_fields(block: bytes) -> dict[str, Any]:
    """The fields of a record of journald's export: `NAME=text`, or a name, a line feed, the length
    of the value and the value, where that is no plain text.
    """
    fields: dict[str, Any] = {}
    at = 0
    while at < len(block):
        feed = block.find(b"\n", at)
        end = feed if feed >= 0 else len(block)
        name, equals, value = block[at:end].partition(b"=")
        if not equals and name.strip(_BLANKS) and end < len(block):
            start = end + 1 + _LENGTH_BYTES
            end = start + int.from_bytes(block[end + 1 : start], "little")
            value = block[start:end]
        if value or equals:
            text = value.decode("utf-8", "replace").rstrip("\r")
            fields[name.strip().decode("utf-8", "replace")] = text
        at = end + 1
    return fields


def _verbose_fields(block: bytes) -> dict[str, Any]:
    """The fields of a record of journald's verbose form, and its time."""
    first, _, rest = block.partition(b"\n")
    match = _VERBOSE_BLOCK.match(first)
    pairs = (line.strip().partition("=") for line in rest.decode("utf-8", "replace").split("\n"))
    fields: dict[str, Any] = {key: value for key, equals, value in pairs if equals}
    return {**fields, "captured_at": match[1].decode()} if match else {}


_FIELDS = {
    "YAML": _yaml_fields,
    "journald's export": _journal_fields,
    "journald's verbose form": _verbose_fields,
}
