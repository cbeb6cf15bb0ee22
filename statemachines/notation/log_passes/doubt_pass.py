"""Doubts: states of one machine that say that others are no longer as they were seen last."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from statemachines.model.definitions.log_definitions import DoubtDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_text,
)
from statemachines.notation.lines.line_templates import TemplateError, template_fields
from statemachines.notation.log_passes.state_conditions import (
    condition_states,
    conditions_by_release,
)
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.releases.release_ranges import values_by_release


def read_doubts(work: SpecBuilder) -> list[Diagnostic]:
    """Read the doubts of a log.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    log = work.root.get("log")
    node = log.get("doubts") if isinstance(log, YamlMapping) else None
    if work.log is None or not isinstance(node, YamlMapping):
        return []
    diagnostics: list[Diagnostic] = []
    doubts = tuple(
        doubt
        for name, value in node.entries
        for doubt in _read_doubt(name, value, work, diagnostics)
    )
    work.log = evolve(work.log, doubts=doubts)
    return diagnostics


def _read_doubt(
    name: YamlScalar, value: YamlNode, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[DoubtDefinition]:
    keys = work.log.instance if work.log else ()
    for node, releases, span in values_by_release(
        value, work.family, work.releases, diagnostics, name
    ):
        about = node.get("about")
        matched = about.entries if isinstance(about, YamlMapping) else ()
        for template in (node.get("says"), *(text for _, text in matched)):
            diagnostics.extend(unknown_template_fields(template, keys))
        for condition, cut in conditions_by_release(node.get("while"), releases, work, diagnostics):
            yield DoubtDefinition(
                name.text,
                condition_states(condition, work, diagnostics),
                catalogue_name(node_text(node.get("of")), work.name),
                tuple((key.text, node_text(text)) for key, text in matched),
                node_text(node.get("says")),
                is_true(node.get("process")),
                node_text(node.get("doc")),
                cut,
                span,
            )


def catalogue_name(machine: str, beside: str) -> str:
    """Return the whole name of a machine that is named as one beside another.

    Args:
        machine: as a spec names it.
        beside: the catalogue name of that spec.

    Returns:
        A catalogue name.
    """
    folder, slash, _ = beside.rpartition("/")
    return machine if "/" in machine else f"{folder}{slash}{machine}"


def unknown_template_fields(
    template: YamlNode | None, keys: tuple[str, ...]
) -> Iterator[Diagnostic]:
    """Yield what a template asks for that is no key of the instance.

    Args:
        template: a text with fields in braces; None where it is missing.
        keys: fields that it may ask for.

    Yields:
        A diagnostic a field.
    """
    if not isinstance(template, YamlScalar):
        return
    try:
        fields = template_fields(template.text)
    except TemplateError as error:
        yield Diagnostic("SM501", str(error), template.span)
        return
    for field in fields:
        if field not in keys:
            message = f"`{field}` is no key of the instance"
            yield Diagnostic("SM514", message, template.span, did_you_mean(field, keys))
