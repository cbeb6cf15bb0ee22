"""Templates as entries of a spec's `log: lines:`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from statemachines.interop.drafting.notation_writer import comment_line, yaml_scalar
from statemachines.mining.inference.field_names import UNNAMED, name_fields
from statemachines.mining.inference.machines import InferredMachine
from statemachines.mining.inference.state_lines import StateLines
from statemachines.mining.templates.message_templates import MinedTemplate, TemplateRow
from statemachines.notation.lines.line_templates import ambiguous_pair, literal_runs

ANYTHING = "{*}"
_BLANK = re.compile(r"\s")


@frozen
class DraftLine:
    """An entry of a spec's lines, with what stands for it."""

    text: str
    says: str
    sample: str
    comment: str
    logger: str | None
    level: str | None
    more: tuple[tuple[str, str], ...] = ()
    """Further keys with their values as YAML."""

    def yaml(self) -> Iterator[str]:
        """Yield its lines."""
        yield f"    {comment_line(self.comment)}"
        yield f"    - text: {json.dumps(self.text, ensure_ascii=False)}"
        yield f"      says: {self.says}"
        yield from (f"      {key}: {value}" for key, value in self.more)
        if self.logger:
            yield f"      logger: {yaml_scalar(self.logger)}"
        if self.level:
            yield f"      level: {self.level}"
        yield f"      samples: [{json.dumps(self.sample, ensure_ascii=False)}]"


def draft_lines(
    machine: InferredMachine, key_names: tuple[str, ...], patterns: Mapping[str, str]
) -> Iterator[DraftLine]:
    """Yield the entries of a machine: of its steps first, then what else names its instances.

    Args:
        machine: what logs showed.
        key_names: of the fields that name an instance.
        patterns: of those fields and of the states.

    Yields:
        Entries, those of the steps first.
    """
    for lines, key in zip(machine.fit.lines, machine.fit.keys, strict=True):
        names = dict(zip(key, key_names, strict=True))
        yield from _step_lines(lines, names, patterns)
    for other in machine.notes:
        names = dict(zip(other.key, key_names, strict=True))
        named = name_fields(other.template, names)
        text = _unambiguous_text(_template_text(other.template, named), patterns)
        if text and literal_runs(text):
            yield _entry(other.template, text, "begin" if other.begins else "note")


def _unambiguous_text(text: str, patterns: Mapping[str, str]) -> str:
    """Return a template in which it is clear where each field ends: of two of which it is not, one
    is left out; nothing where both are needed.

    Args:
        text: the template.
        patterns: of the fields that are needed.

    >>> _unambiguous_text("{a} {b} went to {to}", {"b": ".+", "to": "ON|OFF"})
    '{a} {b} went to {to}'
    >>> _unambiguous_text("{a},{b} went to {to}", {"b": ".+", "to": "ON|OFF"})
    '{*},{b} went to {to}'
    """
    while pair := ambiguous_pair(text, patterns):
        unneeded = next((name for name in pair if name not in patterns), None)
        if unneeded is None:
            return ""
        text = text.replace(f"{{{unneeded}}}", ANYTHING)
    return text


def _step_lines(
    lines: StateLines, key_names: Mapping[int, str], patterns: Mapping[str, str]
) -> Iterator[DraftLine]:
    """Yield the entry of a template of steps; where all of its words differ, one for each state."""
    names = name_fields(lines.template, {**key_names, **dict(lines.field_names())})
    text = _unambiguous_text(_template_text(lines.template, names), patterns)
    if not text:
        return
    if literal_runs(text):
        fixed = (("to", yaml_scalar(lines.label)),) if lines.target is None else ()
        yield _entry(lines.template, text, "step", fixed)
        return
    yield from _lines_by_state(lines, names)


def _lines_by_state(lines: StateLines, names: Mapping[int, str]) -> Iterator[DraftLine]:
    """Yield an entry for each state, of a template in which nothing else can be searched for."""
    word = lines.target if lines.source is None else lines.source
    if word is None:
        return
    key = "to" if lines.source is None else "from"
    for state in dict.fromkeys(row.words[word] for row in lines.template.rows):
        text = _template_text(lines.template, names, {word: state})
        if literal_runs(text):
            rows = [row for row in lines.template.rows if row.words[word] == state]
            yield _entry(lines.template, text, "step", ((key, yaml_scalar(state)),), rows)


def _entry(
    template: MinedTemplate, text: str, kind: str, more: tuple[tuple[str, str], ...] = (),
    rows: Sequence[TemplateRow] = (),
) -> DraftLine:  # fmt: skip
    """Return the entry of a template, or of some of its lines."""
    place, message = template.samples[0]
    count = template.count
    if rows:
        place, count, message = rows[0].place, len(rows), template.message_of(rows[0])
    comment = f"{count:,} ×, first {place.file}:{place.line}"
    return DraftLine(text, kind, message, comment, template.logger, template.level, more)


def _template_text(
    template: MinedTemplate, names: Mapping[int, str], fixed: Mapping[int, str] | None = None
) -> str:
    """Write a template as the notation has it.

    Args:
        template: what lines have in common.
        names: of the words that differ; those of which nothing says what they are, and those that
            may have blanks, may be anything.
        fixed: words that are to stand as they are.
    """
    fixed = fixed or {}
    parts = list[str]()
    for i, gap in enumerate(template.gaps):
        parts.append(_literal(gap))
        if i < len(template.constants):
            word = fixed.get(i) or template.constants[i]
            parts.append(_literal(word) if word is not None else _field(template, i, names[i]))
    text = "".join(parts)
    return f"{text}{ANYTHING}" if template.cut else text.rstrip()


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _field(template: MinedTemplate, i: int, name: str) -> str:
    unnamed = name == UNNAMED or name.startswith(f"{UNNAMED}_")
    if unnamed or any(_BLANK.search(row.words[i]) for row in template.rows):
        return ANYTHING
    return f"{{{name}}}"
