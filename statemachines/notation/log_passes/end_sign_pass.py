"""`ends with` of an episode: what another machine tells by which it is over."""

from __future__ import annotations

from statemachines.model.definitions.log_definitions import EndSign
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, node_text, node_texts
from statemachines.notation.log_passes.doubt_pass import catalogue_name, unknown_template_fields
from statemachines.notation.passes.spec_builder import SpecBuilder


def read_end_sign(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> EndSign | None:
    """Read what ends an episode from elsewhere; None where nothing does.

    Args:
        node: the mapping, if there is one.
        work: the spec that is read.
        diagnostics: takes what is wrong.

    Returns:
        The machine, the states and the instance by which it is over.
    """
    if not isinstance(node, YamlMapping):
        return None
    about = node.get("about")
    matched = about.entries if isinstance(about, YamlMapping) else ()
    keys, known_by = (work.log.instance, work.log.known_by) if work.log else ((), ())
    diagnostics.extend(unknown_template_fields(node.get("says"), keys))
    for _, template in matched:
        diagnostics.extend(unknown_template_fields(template, known_by))
    return EndSign(
        catalogue_name(node_text(node.get("of")), work.name),
        tuple((key.text, node_text(text)) for key, text in matched),
        node_texts(node.get("signs")),
        node_text(node.get("says")),
        node.span,
    )
