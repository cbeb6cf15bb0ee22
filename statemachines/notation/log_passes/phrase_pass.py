"""`called` of a log: how people call an instance."""

from __future__ import annotations

from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    node_items,
    node_text,
)
from statemachines.notation.lines.line_templates import TemplateError, template_fields
from statemachines.notation.log_passes.doubt_pass import unknown_template_fields
from statemachines.notation.log_passes.line_pass import read_patterns

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
