"""Bytes to nodes: read from the parser's events, so that every node has a place and nothing of YAML
acts on its own.

Anchors, aliases, tags, merge keys, duplicate keys, further documents, control characters, files
beyond 1 MiB and nesting deeper than 32 are refused; a refusal comes before anything is expanded, so
a hostile file costs no more than its own bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import yaml
from attrs import define, field

from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.notation.document.unquoted_commas import rejoin_entries, rejoin_items
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from statemachines.notation.sources.file_cache import MOST_BYTES

DEEPEST = 32
_LONGEST_ALIGNED_SCALAR = 5_000
"""Characters of a scalar whose places are known one by one."""

_LOADER = getattr(yaml, "CLoader", yaml.Loader)
_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)
_UNCLOSED_HINTS = {
    "while scanning a simple key": (
        "a `:` is missing behind this",
        "every name of a mapping has one",
    ),
    "while scanning a quoted scalar": (
        "this quote is never closed",
        'the same quote inside it is written twice, or `\\"`',
    ),
}
"""What the parser says of something that it understands only further down: better told where it
begins.
"""


class _YamlRefused(Exception):
    """Reading cannot go on; carries what is wrong."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def read_yaml(data: bytes, file: str) -> tuple[YamlNode | None, tuple[Diagnostic, ...]]:
    """Read one document.

    Args:
        data: the file's bytes, UTF-8 with or without a byte order mark.
        file: the name that places carry.

    Returns:
        The root, None where the file cannot be read at all, and everything that is wrong with the
        file as YAML.
    """
    try:
        text = _decoded_text(data, file)
        reader = _NodeBuilder(file, text.split("\n"))
        root = reader.read_document(yaml.parse(text, Loader=_LOADER))
        return root, tuple(reader.diagnostics)
    except _YamlRefused as refused:
        return None, (refused.diagnostic,)
    except yaml.MarkedYAMLError as error:
        return None, (_syntax_diagnostic(error, file, text),)
    except yaml.YAMLError as error:
        return None, (Diagnostic("SM101", f"this is not YAML: {error}", Span(file, 1, 1)),)


def _decoded_text(data: bytes, file: str) -> str:
    """Decode a file after the checks that need no parser."""
    if len(data) > MOST_BYTES:
        raise _YamlRefused(
            Diagnostic("SM104", f"the file has more than {MOST_BYTES:,} bytes", Span(file, 1, 1))
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        span = Span(file, before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise _YamlRefused(
            Diagnostic(
                "SM102",
                f"byte 0x{data[error.start]:02x} is not UTF-8",
                span,
                "save the file as UTF-8",
            )
        ) from None
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        start = forbidden.start()
        span = Span(file, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
        raise _YamlRefused(
            Diagnostic(
                "SM103",
                f"the control character U+{ord(forbidden.group()[0]):04X} is not allowed",
                span,
                "take it out",
            )
        )
    return text


def _syntax_diagnostic(error: yaml.MarkedYAMLError, file: str, text: str) -> Diagnostic:
    """Say what the parser stumbled over."""
    position = error.problem_mark or error.context_mark
    span = Span(file, position.line + 1, position.column + 1) if position else Span(file, 1, 1)
    if position and text[position.index : position.index + 1] == "\t":
        return Diagnostic(
            "SM101", "this is not YAML: a TAB stands here", span, "indent with spaces"
        )
    if error.context in _UNCLOSED_HINTS and error.context_mark:
        begun = error.context_mark
        message, hint = _UNCLOSED_HINTS[error.context]
        return Diagnostic(
            "SM101",
            f"this is not YAML: {message}",
            Span(file, begun.line + 1, begun.column + 1),
            hint,
        )
    if "maximum nesting depth" in (error.problem or ""):  # libyaml looks ahead of its events
        return Diagnostic("SM105", f"this is nested deeper than {DEEPEST} levels", span)
    message = " ".join(part for part in (error.context, error.problem) if part)
    return Diagnostic("SM101", f"this is not YAML: {message}", span, _bracket_hint(error))


def _bracket_hint(error: yaml.MarkedYAMLError) -> str:
    """Guess why brackets and colons do not fit."""
    hint = "a text with any of `{ } [ ] , : # ? | & *` needs quotes"
    begun, span = error.context_mark, error.problem_mark
    if (
        begun
        and span
        and begun.line < span.line
        and (error.context or "").startswith("while parsing a flow")
    ):
        return f"the bracket on line {begun.line + 1} is not closed; or {hint}"
    if begun and span and (error.context or "").startswith("while parsing a block"):
        return (
            f"indent it as the lines beside it, the first of which is line {begun.line + 1}; or"
            f" {hint}"
        )
    return hint


@define
class _NodeBuilder:
    """Builds nodes from events and collects what is wrong."""

    file: str
    lines: list[str]
    diagnostics: list[Diagnostic] = field(factory=list)

    def read_document(self, events: Iterator[yaml.Event]) -> YamlNode | None:
        """Read the only document of a stream."""
        root: YamlNode | None = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _YamlRefused(
                        Diagnostic(
                            "SM106",
                            "a second document begins here",
                            self._event_span(event),
                            "write one document per file",
                        )
                    )
                root = self._read_node(next(events), events, 1)
        if root is None:
            raise _YamlRefused(
                Diagnostic(
                    "SM113", "the file is empty", Span(self.file, 1, 1), "begin with `notation: 1`"
                )
            )
        return root

    def _read_node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> YamlNode:
        self._refuse_beyond_plain_data(event)
        if isinstance(event, yaml.ScalarEvent):
            span = self._event_span(event)
            exact = span.length == len(event.value) + 2 * bool(event.style)
            return YamlScalar(
                event.value, span, bool(event.style), () if exact else self._raw_lines(event)
            )
        if depth > DEEPEST:
            raise _YamlRefused(
                Diagnostic(
                    "SM105", f"this is nested deeper than {DEEPEST} levels", self._event_span(event)
                )
            )
        span = self._event_span(event)
        if isinstance(event, yaml.SequenceStartEvent):
            items = self._read_items(events, depth)
            items = rejoin_items(items, self.diagnostics) if event.flow_style else items
            return YamlSequence(tuple(items), span)
        assert isinstance(event, yaml.MappingStartEvent)
        entries = self._read_entries(events, depth)
        entries = rejoin_entries(entries, self.diagnostics) if event.flow_style else entries
        return YamlMapping(tuple(self._named_once(entries)), span)

    def _read_items(self, events: Iterator[yaml.Event], depth: int) -> Iterator[YamlNode]:
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._read_node(event, events, depth + 1)

    def _read_entries(
        self, events: Iterator[yaml.Event], depth: int
    ) -> Iterator[tuple[YamlNode, YamlNode]]:
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                return
            key = self._read_node(event, events, depth + 1)
            yield key, self._read_node(next(events), events, depth + 1)

    def _named_once(
        self, entries: Iterable[tuple[YamlNode, YamlNode]]
    ) -> Iterator[tuple[YamlScalar, YamlNode]]:
        """Yield the entries whose keys are names, each for the first time; report the others."""
        first_spans: dict[str, Span] = {}
        for key, value in entries:
            if not isinstance(key, YamlScalar):
                self.diagnostics.append(Diagnostic("SM112", "a key must be a name", key.span))
            elif key.text == "<<" and not key.quoted:
                self.diagnostics.append(
                    Diagnostic(
                        "SM110",
                        "the notation has no merge key `<<`",
                        key.span,
                        "write the keys out",
                    )
                )
            elif key.text in first_spans:
                line = first_spans[key.text].line
                self.diagnostics.append(
                    Diagnostic(
                        "SM109",
                        f"key `{key.text}` appears twice",
                        key.span,
                        f"the first is on line {line}",
                    )
                )
            else:
                first_spans[key.text] = key.span
                yield key, value

    def _refuse_beyond_plain_data(self, event: yaml.Event) -> None:
        """Refuse what YAML has beyond plain data."""
        if isinstance(event, yaml.AliasEvent):
            raise _YamlRefused(
                Diagnostic(
                    "SM107",
                    f"the notation has no aliases, such as `*{event.anchor}`",
                    self._event_span(event),
                    "write the value out, or quote the text",
                )
            )
        if not isinstance(event, yaml.NodeEvent):
            return
        if event.anchor is not None:
            raise _YamlRefused(
                Diagnostic(
                    "SM107",
                    f"the notation has no anchors, such as `&{event.anchor}`",
                    self._event_span(event),
                    "write the value out, or quote the text",
                )
            )
        tag = event.tag if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) else None
        if tag is not None:
            self.diagnostics.append(
                Diagnostic(
                    "SM108",
                    f"the notation has no tags, such as `{tag}`",
                    self._event_span(event),
                    "leave it out; to make something a text, put quotes around it",
                )
            )

    def _raw_lines(self, event: yaml.ScalarEvent) -> tuple[str, ...]:
        """Return the lines of a scalar that is not written as it is read."""
        start, end = event.start_mark, event.end_mark
        if (
            start is None
            or end is None
            or start.line >= len(self.lines)
            or len(event.value) > _LONGEST_ALIGNED_SCALAR
        ):
            return ()
        lines = self.lines[start.line : end.line + 1]
        return (lines[0][start.column :], *lines[1:])

    def _event_span(self, event: yaml.Event) -> Span:
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:
            return Span(self.file, 1, 1)
        same_line = end.line == start.line
        length = (
            end.column - start.column
            if same_line
            else len(self.lines[start.line].rstrip()) - start.column
        )
        return Span(self.file, start.line + 1, start.column + 1, max(length, 1))
