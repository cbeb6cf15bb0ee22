"""The entries of `log: lines:`, of a machine, of an extension and of a family."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs
from attrs import frozen

from statemachines.model.definitions.log_definitions import (
    Inside,
    LineDefinition,
    LineKind,
    ListCapture,
    Sample,
    Template,
)
from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.diagnosis.suggestions import did_you_mean, limited_hint
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.lines.explosive_patterns import is_explosive
from statemachines.notation.lines.line_templates import (
    SHORTEST_LITERAL,
    STATE_FIELDS,
    TemplateError,
    ambiguous_pair,
    compile_template,
    literal_runs,
    state_pattern,
    template_fields,
)
from statemachines.notation.passes.spec_builder import read_time_limit
from statemachines.notation.releases.release_ranges import releases_of_node

_EXPLOSIVE_PATTERN_MESSAGE = (
    "this pattern may take time that doubles with each character, or grows with the cube of them:"
    " a loop in a loop, two branches of a loop that read the same, or three loops in a row that do"
    " (write what ends each: `[^-]+-[^-]+`)"
)
MOST_TEMPLATES = 2_000
"""Of one log; a machine has dozens."""


@frozen
class LineContext:
    """What the entries of one log are read with."""

    family: ReleaseFamily
    releases: ReleaseSet
    patterns: dict[str, str]
    """Field and regular expression, those of states included."""
    states: tuple[str, ...] = ()
    """Names of states; none in a family."""
    first_index: int = 0


def read_patterns(node: YamlNode | None, diagnostics: list[Diagnostic]) -> dict[str, str]:
    """Read `patterns`, leaving out those that are no regular expressions of one field.

    Args:
        node: as the spec has it; None where it is missing.
        diagnostics: takes what is wrong.

    Returns:
        Sources of regular expressions by field.
    """
    read: dict[str, str] = {}
    for name, value in node.entries if isinstance(node, YamlMapping) else ():
        wrong = _pattern_error(name.text, node_text(value))
        if wrong:
            diagnostics.append(Diagnostic("SM508", wrong, value.span))
        else:
            read[name.text] = node_text(value)
    return read


def _pattern_error(name: str, pattern: str) -> str | None:
    if name in STATE_FIELDS:
        return f"`{name}` has no pattern of its own: it matches the names of states"
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"`{pattern}` is no regular expression: {error}"
    if compiled.groups:
        return f"`{pattern}` captures a group; write (?:…)"
    return f"{_EXPLOSIVE_PATTERN_MESSAGE}: `{pattern}`" if is_explosive(pattern) else None


def state_patterns(names: tuple[str, ...], spellings: tuple[str, ...]) -> dict[str, str]:
    """Return the patterns of `{from}`, `{to}` and `{state}`.

    Args:
        names: of the machine's states.
        spellings: that logs have for them.

    Returns:
        Sources of regular expressions by field.
    """
    return dict.fromkeys(STATE_FIELDS, state_pattern((*names, *spellings)))


def read_lines(
    node: YamlNode | None, reader: LineContext, diagnostics: list[Diagnostic]
) -> Iterator[LineDefinition]:
    """Read all entries of `lines`.

    Args:
        node: as the spec has it; None where it is missing.
        reader: the machine, its patterns and its states.
        diagnostics: takes what is wrong.

    Yields:
        The lines that could be read, in the author's order.
    """
    wordings = 0
    for number, entry in enumerate(node_items(node)):
        if isinstance(entry, YamlMapping):
            wordings += len(node_items(entry.get("text")))
            if wordings > MOST_TEMPLATES:
                diagnostics.append(
                    Diagnostic(
                        "SM518",
                        f"more than {MOST_TEMPLATES:,} wordings",
                        entry.span,
                        "read what tells of the machine",
                    )
                )
                return
            yield _read_line(entry, number + reader.first_index, reader, diagnostics)


def _read_line(
    node: YamlMapping, number: int, reader: LineContext, diagnostics: list[Diagnostic]
) -> LineDefinition:
    whole = [name.text for key in ("each", "inside") for name, _ in _mapping_entries(node.get(key))]
    patterns = dict.fromkeys(whole, ".*") | reader.patterns
    templates = tuple(_read_templates(node, patterns, diagnostics))
    thread = node.get("thread")
    threads = (
        _read_line_template(thread, patterns, diagnostics)
        if isinstance(thread, YamlScalar)
        else None
    )
    below = [text for text in node_items(node.get("rest")) if isinstance(text, YamlScalar)]
    rest = [_read_line_template(text, patterns, diagnostics) for text in below]
    known = (*templates, *(more for more in (threads, *rest) if more))
    diagnostics += _wrong_value_templates(node, known)
    return LineDefinition(
        number,
        _read_kinds(node, diagnostics),
        templates,
        source=_read_states(node.get("from"), reader, diagnostics),
        target=_read_states(node.get("to"), reader, diagnostics),
        state=next(iter(_read_states(node.get("state"), reader, diagnostics)), None),
        event=node_text(node.get("event")) or None,
        argument_templates=_named_texts(node.get("args")),
        variable_templates=_named_texts(node.get("set")),
        each=_read_list_capture(node, reader, templates, diagnostics),
        inside=tuple(_inside_of(node, reader, templates, diagnostics)),
        loggers=node_texts(node.get("logger")),
        thread=threads,
        level=node_text(node.get("level")) or None,
        strict=is_true(node.get("strict")),
        echo=is_true(node.get("echo")),
        known=is_true(node.get("known")),
        counter=node_text(node.get("mark")),
        takes_instance=is_true(node.get("takes")),
        only_from_holder=is_true(node.get("holder")),
        undoes_previous=is_true(node.get("undoes")),
        following_lines=tuple(template for template in rest if template),
        replayed=is_true(node.get("replayed")),
        about=(
            _named_texts(node.get("about")) if isinstance(node.get("about"), YamlMapping) else None
        ),
        within=read_time_limit(node.get("within")),
        state_of_others=_state_of_others(node, reader, diagnostics),
        samples=tuple(_read_samples(node.get("samples"))),
        doc=node_text(node.get("doc")),
        releases=releases_of_node(node.get("in"), reader.family, reader.releases, diagnostics),
        span=node.span,
    )


def _read_kinds(node: YamlMapping, diagnostics: list[Diagnostic]) -> tuple[LineKind, ...]:
    """Return what a line says; a note where the entry does not say it."""
    kinds = tuple(LineKind(text) for text in node_texts(node.get("says")))
    if len(kinds) > 1 and set(kinds) != {LineKind.REFUSED, LineKind.FAILED}:
        span = (node.get("says") or node).span
        diagnostics.append(
            Diagnostic("SM516", "a line can say one thing only, or `[refused, failed]`", span)
        )
    return kinds or (LineKind.NOTE,)


def _wrong_value_templates(
    node: YamlMapping, templates: tuple[Template, ...]
) -> Iterator[Diagnostic]:
    """Report what `set`, `args` and `about` are told from where it cannot be read, or names a field
    that no text of the line captures.
    """
    captured = [field for template in templates for field in template.fields]
    parts = [
        item
        for key in ("each", "inside")
        for _, value in _mapping_entries(node.get(key))
        for item in node_items(value)
    ]
    known = dict.fromkeys(
        [*captured, *(field for part in parts for field in _template_fields(part)[0])]
    )
    for _, value in (
        pair for key in ("set", "args", "about") for pair in _mapping_entries(node.get(key))
    ):
        fields, wrong = _template_fields(value)
        yield from wrong
        for field in fields if templates else ():
            if field not in known:
                yield Diagnostic(
                    "SM520",
                    f"`{{{field}}}` is not captured by this line",
                    value.span,
                    did_you_mean(field, known),
                )


def _template_fields(node: YamlNode) -> tuple[tuple[str, ...], list[Diagnostic]]:
    try:
        return template_fields(node_text(node)), []
    except TemplateError as error:
        return (), [Diagnostic("SM501", str(error), node.span)]


def _mapping_entries(node: YamlNode | None) -> tuple[tuple[YamlScalar, YamlNode], ...]:
    return node.entries if isinstance(node, YamlMapping) else ()


def _named_texts(node: YamlNode | None) -> tuple[tuple[str, str], ...]:
    """Return the entries of a mapping as texts; none where there is no mapping."""
    return tuple((name.text, node_text(value)) for name, value in _mapping_entries(node))


def _read_states(
    node: YamlNode | None, reader: LineContext, diagnostics: list[Diagnostic]
) -> tuple[str, ...]:
    for name in node_items(node):
        if isinstance(name, YamlScalar) and name.text not in reader.states:
            diagnostics.append(
                Diagnostic(
                    "SM204",
                    f"unknown state `{name.text}`",
                    name.span,
                    limited_hint(len(diagnostics), name.text, reader.states),
                    undeclared=name.text,
                )
            )
    return node_texts(node)


def _read_templates(
    node: YamlMapping, patterns: dict[str, str], diagnostics: list[Diagnostic]
) -> Iterator[Template]:
    for text in node_items(node.get("text")):
        if isinstance(text, YamlScalar):
            template = _read_line_template(text, patterns, diagnostics)
            if template and not literal_runs(text.text):
                hint = (
                    f"it needs {SHORTEST_LITERAL} characters in a row of A-Za-z0-9 _.:,()[]=-: take"
                    " in more of what the program writes, or write one line a state with the"
                    " state's name in place of its field"
                )
                diagnostics.append(
                    Diagnostic(
                        "SM503", "no part of this wording can be searched for", text.span, hint
                    )
                )
            if template:
                yield template


def _read_line_template(
    text: YamlScalar, patterns: dict[str, str], diagnostics: list[Diagnostic], *, whole: bool = True
) -> Template | None:
    """Read one template, reporting what makes it unreadable or ambiguous."""
    if "\n" in text.text:
        diagnostics.append(
            Diagnostic(
                "SM501",
                "a template can have one line only",
                text.span,
                "the first line of the message is enough",
            )
        )
        return None
    try:
        template = compile_template(text.text, patterns, whole=whole)
    except TemplateError as error:
        diagnostics.append(Diagnostic("SM501", str(error), _character_span(text, error.offset)))
        return None
    pair = ambiguous_pair(text.text, patterns)
    if pair:
        first, second = pair
        hint = (
            f"write more text between them, or a pattern for `{first}` that leaves something for"
            f" `{second}`"
        )
        diagnostics.append(
            Diagnostic(
                "SM502",
                f"where `{{{first}}}` ends and `{{{second}}}` begins is ambiguous",
                text.span,
                hint,
            )
        )
        return None
    return template


def _character_span(text: YamlScalar, at: int) -> Span:
    """Place of a character within a scalar, where the scalar stands as it is written."""
    quotes = int(text.quoted)
    if text.span.length == len(text.text) + 2 * quotes:
        return Span(text.span.file, text.span.line, text.span.column + quotes + at)
    return text.span


def _read_list_capture(
    node: YamlMapping,
    reader: LineContext,
    templates: tuple[Template, ...],
    diagnostics: list[Diagnostic],
) -> ListCapture | None:
    captures: list[ListCapture] = []
    for name, value in _mapping_entries(node.get("each")):
        holders = (captures[-1].item,) if captures else templates
        if holders and any(name.text not in template.fields for template in holders):
            where = "the items of the list above" if captures else "every text of this line"
            diagnostics.append(
                Diagnostic("SM517", f"`{{{name.text}}}` does not stand in {where}", name.span)
            )
        item = (
            _read_line_template(value, reader.patterns, diagnostics, whole=False)
            if isinstance(value, YamlScalar)
            else None
        )
        if item and not item.fields:
            diagnostics.append(
                Diagnostic("SM517", "an item without fields tells of no instance", value.span)
            )
        if item:
            captures.append(ListCapture(name.text, item))
    nested: ListCapture | None = None
    for capture in reversed(captures):
        nested = attrs.evolve(capture, inner=nested)
    return nested


def _inside_of(
    node: YamlMapping,
    reader: LineContext,
    templates: tuple[Template, ...],
    diagnostics: list[Diagnostic],
) -> Iterator[Inside]:
    for name, value in _mapping_entries(node.get("inside")):
        if not any(name.text in template.fields for template in templates) and templates:
            diagnostics.append(
                Diagnostic("SM517", f"`{{{name.text}}}` stands in no text of this line", name.span)
            )
        parts = [
            _read_line_template(text, reader.patterns, diagnostics, whole=False)
            for text in node_items(value)
            if isinstance(text, YamlScalar)
        ]
        yield Inside(name.text, tuple(part for part in parts if part))


def _state_of_others(
    node: YamlMapping, reader: LineContext, diagnostics: list[Diagnostic]
) -> str | None:
    """Read what a list that is complete says of those that it does not name."""
    others = node.get("others")
    if others is None:
        return None
    if node.get("each") is None or {"step", "is"}.isdisjoint(node_texts(node.get("says"))):
        diagnostics.append(
            Diagnostic(
                "SM517",
                "`others` are those whom a list does not name",
                others.span,
                "write `each` beside it, on a line that says `step` or `is`",
            )
        )
    return next(iter(_read_states(others, reader, diagnostics)), None)


def _read_samples(node: YamlNode | None) -> Iterator[Sample]:
    for sample in node_items(node):
        if isinstance(sample, YamlScalar):
            yield Sample(sample.text, (), sample.span)
        elif isinstance(sample, YamlMapping):
            line = sample.get("line")
            span = line.span if line else sample.span
            yield Sample(node_text(line), _named_texts(sample.get("yields")), span)
