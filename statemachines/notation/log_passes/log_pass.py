"""`log`: what logs show of a machine."""

from __future__ import annotations

import re

from statemachines.model.definitions.log_definitions import (
    LineDefinition,
    LineKind,
    LogDefinition,
    SoleState,
)
from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.diagnosis.suggestions import limited_hint
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.lines.line_templates import (
    STATE_FIELDS,
    TemplateError,
    literal_runs,
    template_fields,
)
from statemachines.notation.log_passes.doubt_pass import unknown_template_fields
from statemachines.notation.log_passes.line_pass import (
    LineContext,
    read_lines,
    read_patterns,
    state_patterns,
)
from statemachines.notation.log_passes.observable_names import (
    machine_observables,
    unknown_observables,
)
from statemachines.notation.passes.spec_builder import SpecBuilder, unknown_state_error

_LONG_LITERAL = 12
"""Characters in a row that make a wording one's own."""

_DIGIT_PATTERN = re.compile(r"(?:(?:\\d|\[0-9\])(?:[+*?]|\{\d+(?:,\d*)?\})?)+")


def read_log(work: SpecBuilder) -> list[Diagnostic]:
    """Read a machine's log, its episodes apart.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    node = work.root.get("log")
    if not isinstance(node, YamlMapping):
        return []
    diagnostics: list[Diagnostic] = []
    family_patterns = dict(work.family_log.patterns) if work.family_log else {}
    lines, patterns = read_lines_and_patterns(node, family_patterns, work, diagnostics)
    instance = node_texts(node.get("instance"))
    generation, carrier = read_field_pair(node.get("generation"))
    diagnostics += _unknown_keys(node, instance, len(diagnostics)) + (
        [] if diagnostics else _uncaptured_keys(node, lines)
    )
    remembers = node_texts(node.get("remembers"))
    work.log = LogDefinition(
        instance,
        lines,
        tuple(patterns.items()),
        is_true(node.get("shared")),
        node_texts(node.get("subject")) or instance,
        generation,
        carrier,
        numeric_fields=frozenset(
            name for name, pattern in patterns.items() if _DIGIT_PATTERN.fullmatch(pattern)
        ),
        is_program=is_true(node.get("program")),
        life=node_text(node.get("life")) or None,
        sequence=node_text(node.get("sequence")) or None,
        previous=node_text(node.get("previous")) or None,
        remembers=remembers,
        sole=_read_sole_state(node.get("sole"), work, diagnostics),
        called=read_phrases(node.get("called"), (*instance, *remembers), diagnostics),
    )
    diagnostics += _weak_begin_signs(work.log)
    diagnostics += unknown_observables(node, machine_observables(work), instance)
    return diagnostics


def read_lines_and_patterns(
    node: YamlMapping, known: dict[str, str], work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[tuple[LineDefinition, ...], dict[str, str]]:
    """Read the lines of a log with the patterns that hold for them: those that are known, then its
    own over them.

    Args:
        node: the value of `log`.
        known: patterns that hold already, by field.
        work: the spec that is read; what is read is put into it.
        diagnostics: takes what is wrong.

    Returns:
        The lines in the author's order, and all patterns by field.
    """
    patterns = known | read_patterns(node.get("patterns"), diagnostics)
    lines = tuple(read_lines(node.get("lines"), _line_context(work, patterns), diagnostics))
    diagnostics += [wrong for line in lines for wrong in missing_required_fields(line)]
    return lines, patterns


def _line_context(work: SpecBuilder, patterns: dict[str, str]) -> LineContext:
    names = work.state_names()
    spellings = tuple(spelling for state in work.states for spelling in state.spellings)
    return LineContext(
        work.family,
        work.releases,
        patterns | state_patterns(names, spellings),
        names,
        work.base_line_count,
    )


def _read_sole_state(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> SoleState | None:
    if not isinstance(node, YamlMapping):
        return None
    state = node.get("state")
    if isinstance(state, YamlScalar) and not work.releases_of(state.text):
        diagnostics.append(unknown_state_error(state, work))
    return SoleState(node_text(state), node_text(node.get("by")))


def read_field_pair(node: YamlNode | None) -> tuple[str | None, str | None]:
    """Return a field and what stands beside it, of `field` or `{field: other}`.

    Args:
        node: as the spec has it; None where it is missing.

    Returns:
        Both None where it is missing; the second one None of a field alone.
    """
    if isinstance(node, YamlMapping):
        return next(((name.text, node_text(value)) for name, value in node.entries), (None, None))
    return node_text(node) or None, None


def _unknown_keys(node: YamlMapping, instance: tuple[str, ...], reported: int) -> list[Diagnostic]:
    """Report subjects and generations that are no keys."""
    diagnostics: list[Diagnostic] = []
    generation = node.get("generation")
    ordering = (
        [name for name, _ in generation.entries]
        if isinstance(generation, YamlMapping)
        else list(node_items(generation))
    )
    for name in [*node_items(node.get("subject")), *ordering]:
        if isinstance(name, YamlScalar) and name.text not in instance:
            message = f"`{name.text}` is no key of the instance"
            diagnostics.append(
                Diagnostic(
                    "SM514",
                    message,
                    name.span,
                    limited_hint(reported + len(diagnostics), name.text, instance),
                )
            )
    return diagnostics


def _uncaptured_keys(node: YamlMapping, lines: tuple[LineDefinition, ...]) -> list[Diagnostic]:
    """Report keys that no line tells."""
    diagnostics: list[Diagnostic] = []
    captured = dict.fromkeys(field for line in lines for field in line.fields)
    keys = [("the key ", name) for name in node_items(node.get("instance"))] + [
        ("", node.get("life")),
        ("", node.get("sequence")),
        ("", node.get("previous")),
        *(("", name) for name in node_items(node.get("remembers"))),
    ]
    for what, name in keys if lines else ():
        if isinstance(name, YamlScalar) and name.text not in captured:
            diagnostics.append(
                Diagnostic(
                    "SM515",
                    f"no line captures {what}`{name.text}`",
                    name.span,
                    limited_hint(len(diagnostics), name.text, captured),
                )
            )
    return diagnostics


_REQUIRED_FIELDS = {
    LineKind.IS: "state",
    LineKind.MAY_BE: "state",
    LineKind.MAY_NOT_BE: "state",
    LineKind.IS_NOT: "state",
    LineKind.STEP: "to",
    LineKind.FORCED: "to",
    LineKind.ASKED: "to",
    LineKind.IGNORED: "to",
    LineKind.REFUSED: "to",
    LineKind.RAISED: "to",
    LineKind.FAILED: "to",
    LineKind.EVENT: "event",
    LineKind.RELEASE: "release",
}


def missing_required_fields(line: LineDefinition) -> list[Diagnostic]:
    """Report a line that lacks what it needs in order to say what it says.

    Args:
        line: as it was read.

    Returns:
        A diagnostic, or nothing.
    """
    need = _REQUIRED_FIELDS.get(line.kinds[0])
    if need is None or not line.templates or not line.span or _provides_field(line, need):
        return []
    hint = f"capture `{{{need}}}` in the text" + (
        "" if need == "release" else f", or write `{need}:`"
    )
    if line.event and LineKind.STEP in line.kinds:
        hint += "; a line that tells an event, and not where it led, `says: event`"
    return [
        Diagnostic(
            "SM509", f"a line that says `{line.kinds[0]}` must tell `{need}`", line.span, hint
        )
    ]


def _provides_field(line: LineDefinition, need: str) -> bool:
    fixed = {
        "state": line.state,
        "to": len(line.target) == 1 or None,
        "event": line.event,
        "release": None,
    }[need]
    read = [part for inside in line.inside for part in inside.parts]
    read += line.each.items if line.each else ()
    parts = {name for part in read for name in part.fields}
    fields = [set(template.fields) | parts for template in line.templates]
    has_all = all(need in own for own in fields)
    if need == "to" and line.event and line.kinds[0] not in (LineKind.STEP, LineKind.FORCED):
        return True
    return bool(fixed) or has_all


def _weak_begin_signs(log: LogDefinition) -> list[Diagnostic]:
    """Report lines that say `begin`, name no instance, and that any program may write."""
    return [
        _weak_sign_error(line)
        for line in log.lines
        if LineKind.BEGIN in line.kinds and _has_short_literal(line, log.instance)
    ]


_PROCESS_BEGIN_KINDS = {LineKind.PROCESS_BEGINS, LineKind.PROCESS_MAY_BEGIN}
"""What a family's lines say of a process that begins."""


def weak_process_signs(lines: tuple[LineDefinition, ...]) -> list[Diagnostic]:
    """The same for a family's lines that say that a process begins.

    Args:
        lines: of the family.

    Returns:
        A diagnostic a line.
    """
    return [
        _weak_sign_error(line)
        for line in lines
        if _PROCESS_BEGIN_KINDS.intersection(line.kinds) and _has_short_literal(line, ())
    ]


def _has_short_literal(line: LineDefinition, keys: tuple[str, ...]) -> bool:
    without_key = [template for template in line.templates if not set(template.fields) & set(keys)]
    return not line.strict and any(
        max(map(len, literal_runs(template.text)), default=0) < _LONG_LITERAL
        for template in without_key
    )


def _weak_sign_error(line: LineDefinition) -> Diagnostic:
    hint = (
        f"write `strict: true` with its logger, or a text with {_LONG_LITERAL} plain characters in"
        " a row"
    )
    return Diagnostic(
        "SM510", "any program may write this sign of a beginning", line.span or Span("", 1, 1), hint
    )


def states_in_family_lines(lines: tuple[LineDefinition, ...]) -> list[Diagnostic]:
    """Report a family's lines that speak of states: a family has none.

    Args:
        lines: of the family.

    Returns:
        A diagnostic a line.
    """
    return [
        Diagnostic("SM519", f"`{{{field}}}` in a line of a family, which has no states", line.span)
        for line in lines
        for template in line.templates
        for field in template.fields
        if field in STATE_FIELDS and line.span
    ]


PROCESS_FIELD = "process"
"""The process that tells of an instance, as reports call it."""


def read_phrases(
    node: YamlNode | None, known_by: tuple[str, ...], diagnostics: list[Diagnostic]
) -> tuple[SubjectPhrase, ...]:
    """Read how people call an instance.

    Args:
        node: what the spec has, if anything.
        known_by: the fields that an instance is known by.
        diagnostics: takes what is wrong.

    Returns:
        Phrases, in the author's order; the first one whose fields are known counts.
    """
    items = (node,) if isinstance(node, YamlMapping) else node_items(node)
    return tuple(_read_phrase(item, (*known_by, PROCESS_FIELD), diagnostics) for item in items)


def _read_phrase(
    node: YamlNode, fields: tuple[str, ...], diagnostics: list[Diagnostic]
) -> SubjectPhrase:
    text = node.get("text") if isinstance(node, YamlMapping) else node
    diagnostics.extend(unknown_template_fields(text, fields))
    where = read_patterns(node.get("where"), diagnostics) if isinstance(node, YamlMapping) else {}
    return SubjectPhrase(node_text(text), _fields_of(text), tuple(where.items()))


def _fields_of(text: YamlNode | None) -> tuple[str, ...]:
    try:
        return template_fields(text.text) if isinstance(text, YamlScalar) else ()
    except TemplateError:
        return ()
