"""Names of one namespace: types, parameters, variables, definitions, predicates and parts."""

from __future__ import annotations

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlMapping
from statemachines.notation.passes.spec_builder import SpecBuilder

_NAMING_SECTIONS = ("types", "parameters", "variables", "define", "predicates", "parts")


def duplicate_names(work: SpecBuilder) -> list[Diagnostic]:
    """Report a name that two sections declare.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        A diagnostic a name.
    """
    diagnostics, seen = [], dict[str, tuple[str, int]]()
    for section in _NAMING_SECTIONS:
        node = work.root.get(section)
        for name, _ in node.entries if isinstance(node, YamlMapping) else ():
            other, line = seen.setdefault(name.text, (section, name.span.line))
            if other != section:
                diagnostics.append(
                    Diagnostic(
                        "SM205",
                        f"`{name.text}` stands under `{other}` already",
                        name.span,
                        f"see line {line}",
                    )
                )
    return diagnostics
