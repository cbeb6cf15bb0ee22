"""The entries of `log: lines:`, of a machine, of an extension and of a family."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.loglines import Each, Line, Sample, Says, Template
from statemachines.model.places import Span
from statemachines.model.releases import Family, Releases
from statemachines.model.suggestions import did_you_mean, hint
from statemachines.notation.ambiguity import ambiguous_pair
from statemachines.notation.explosive import is_explosive
from statemachines.notation.nodes import Mapping, Node, Scalar, is_true, items_of, text_of, texts_of
from statemachines.notation.ranges import releases_in
from statemachines.notation.templates import (
    SHORTEST_LITERAL,
    STATE_FIELDS,
    TemplateError,
    compile_template,
    fields_of,
    runs_of,
    state_pattern,
)

EXPLODES = "this pattern may take time that doubles with each character: a loop in a loop, or two branches of a loop that read the same"
MOST_WORDINGS = 2_000
"""Of one log; a machine has dozens."""


@frozen
class Reader:
    """What the entries of one log are read with."""

    family: Family
    releases: Releases
    patterns: dict[str, str]
    """Field and regular expression, those of states included."""
    states: tuple[str, ...] = ()
    """Names of states; none in a family."""
    first_number: int = 0


def patterns_of(node: Node | None, found: list[Diagnostic]) -> dict[str, str]:
    """Read `patterns`, leaving out those that are no regular expressions of one field."""
    read: dict[str, str] = {}
    for name, value in node.entries if isinstance(node, Mapping) else ():
        wrong = _wrong_pattern(name.text, text_of(value))
        if wrong:
            found.append(Diagnostic("SM508", wrong, value.span))
        else:
            read[name.text] = text_of(value)
    return read


def _wrong_pattern(name: str, pattern: str) -> str | None:
    if name in STATE_FIELDS:
        return f"`{name}` has no pattern of its own: it matches the names of states"
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"`{pattern}` is no regular expression: {error}"
    if compiled.groups:
        return f"`{pattern}` captures a group; write (?:…)"
    return f"{EXPLODES}: `{pattern}`" if is_explosive(pattern) else None


def state_patterns(names: tuple[str, ...], spellings: tuple[str, ...]) -> dict[str, str]:
    """Return the patterns of `{from}`, `{to}` and `{state}`."""
    return dict.fromkeys(STATE_FIELDS, state_pattern((*names, *spellings)))


def lines_of(node: Node | None, reader: Reader, found: list[Diagnostic]) -> Iterator[Line]:
    """Read all entries of `lines`."""
    wordings = 0
    for number, entry in enumerate(items_of(node)):
        if isinstance(entry, Mapping):
            wordings += len(items_of(entry.get("text")))
            if wordings > MOST_WORDINGS:
                found.append(Diagnostic("SM518", f"more than {MOST_WORDINGS:,} wordings", entry.span, "read what tells of the machine"))
                return
            yield _line(entry, number + reader.first_number, reader, found)


def _line(node: Mapping, number: int, reader: Reader, found: list[Diagnostic]) -> Line:
    each_field = next((name.text for name, _ in _pairs(node.get("each"))), None)
    patterns = reader.patterns | ({each_field: ".*"} if each_field else {})
    templates = tuple(_templates(node, patterns, found))
    thread = node.get("thread")
    threads = template_of(thread, patterns, found) if isinstance(thread, Scalar) else None
    found += _told_wrong(node, (*templates, threads) if threads else templates)
    says = tuple(Says(text) for text in texts_of(node.get("says")))
    if len(says) > 1 and set(says) != {Says.REFUSED, Says.FAILED}:
        span = (node.get("says") or node).span
        found.append(Diagnostic("SM516", "a line says one thing, or `[refused, failed]`", span))
    return Line(
        number,
        says or (Says.NOTE,),
        templates,
        source=_states(node.get("from"), reader, found),
        target=_states(node.get("to"), reader, found),
        state=next(iter(_states(node.get("state"), reader, found)), None),
        event=text_of(node.get("event")) or None,
        arguments=tuple((name.text, text_of(value)) for name, value in _pairs(node.get("args"))),
        sets=tuple((name.text, text_of(value)) for name, value in _pairs(node.get("set"))),
        each=_each(node, reader, templates, found),
        loggers=texts_of(node.get("logger")),
        thread=threads,
        level=text_of(node.get("level")) or None,
        strict=is_true(node.get("strict")),
        echo=is_true(node.get("echo")),
        mark=text_of(node.get("mark")),
        samples=tuple(_samples(node.get("samples"))),
        doc=text_of(node.get("doc")),
        releases=releases_in(node.get("in"), reader.family, reader.releases, found),
        span=node.span,
    )


def _told_wrong(node: Mapping, templates: tuple[Template, ...]) -> Iterator[Diagnostic]:
    """Report what `set` and `args` are told from where it cannot be read, or names a field that no text of the line captures."""
    captured = [field for template in templates for field in template.fields]
    known = dict.fromkeys([*captured, *(field for _, item in _pairs(node.get("each")) for field in _fields(item)[0])])
    for _, value in (pair for key in ("set", "args") for pair in _pairs(node.get(key))):
        fields, wrong = _fields(value)
        yield from wrong
        for field in fields if templates else ():
            if field not in known:
                yield Diagnostic("SM520", f"`{{{field}}}` is not captured by this line", value.span, did_you_mean(field, known))


def _fields(node: Node) -> tuple[tuple[str, ...], list[Diagnostic]]:
    try:
        return fields_of(text_of(node)), []
    except TemplateError as error:
        return (), [Diagnostic("SM501", str(error), node.span)]


def _pairs(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _states(node: Node | None, reader: Reader, found: list[Diagnostic]) -> tuple[str, ...]:
    for name in items_of(node):
        if isinstance(name, Scalar) and name.text not in reader.states:
            found.append(Diagnostic("SM204", f"unknown state `{name.text}`", name.span, hint(len(found), name.text, reader.states)))
    return texts_of(node)


def _templates(node: Mapping, patterns: dict[str, str], found: list[Diagnostic]) -> Iterator[Template]:
    for text in items_of(node.get("text")):
        if isinstance(text, Scalar):
            template = template_of(text, patterns, found)
            if template and not runs_of(text.text):
                hint = f"it needs {SHORTEST_LITERAL} characters in a row of A-Za-z0-9 _.:,()[]=-"
                found.append(Diagnostic("SM503", "nothing of this wording can be searched for", text.span, hint))
            if template:
                yield template


def template_of(text: Scalar, patterns: dict[str, str], found: list[Diagnostic], *, whole: bool = True) -> Template | None:
    """Read one template, reporting what makes it unreadable or ambiguous."""
    if "\n" in text.text:
        found.append(Diagnostic("SM501", "a template has one line", text.span, "the first line of the message is enough"))
        return None
    try:
        template = compile_template(text.text, patterns, whole=whole)
    except TemplateError as error:
        found.append(Diagnostic("SM501", str(error), _inside(text, error.at)))
        return None
    pair = ambiguous_pair(text.text, patterns)
    if pair:
        first, second = pair
        hint = f"write more text between them, or a pattern for `{first}` that leaves something for `{second}`"
        found.append(Diagnostic("SM502", f"where `{{{first}}}` ends and `{{{second}}}` begins is ambiguous", text.span, hint))
        return None
    return template


def _inside(text: Scalar, at: int) -> Span:
    """Place of a character within a scalar, where the scalar stands as it is written."""
    quotes = int(text.quoted)
    if text.span.length == len(text.text) + 2 * quotes:
        return Span(text.span.file, text.span.line, text.span.column + quotes + at)
    return text.span


def _each(node: Mapping, reader: Reader, templates: tuple[Template, ...], found: list[Diagnostic]) -> Each | None:
    pairs = _pairs(node.get("each"))
    if len(pairs) > 1:
        found.append(Diagnostic("SM517", "a line has one list", pairs[1][0].span, "write a line for each list"))
    for name, value in pairs:
        if templates and any(name.text not in template.fields for template in templates):
            found.append(Diagnostic("SM517", f"`{{{name.text}}}` does not stand in every text of this line", name.span))
        item = template_of(value, reader.patterns, found, whole=False) if isinstance(value, Scalar) else None
        if item and not item.fields:
            found.append(Diagnostic("SM517", "an item without fields tells of no instance", value.span))
        if item:
            return Each(name.text, item)
    return None


def _samples(node: Node | None) -> Iterator[Sample]:
    for sample in items_of(node):
        if isinstance(sample, Scalar):
            yield Sample(sample.text, (), sample.span)
        elif isinstance(sample, Mapping):
            line = sample.get("line")
            yields = tuple((name.text, text_of(value)) for name, value in _pairs(sample.get("yields")))
            yield Sample(text_of(line), yields, line.span if line else sample.span)
