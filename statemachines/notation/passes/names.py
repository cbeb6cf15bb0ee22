"""Names that share one namespace: types, parameters, variables, definitions, predicates and parts."""

from __future__ import annotations

from statemachines.model.diagnostics import Diagnostic
from statemachines.notation.nodes import Mapping
from statemachines.notation.work import Work

SECTIONS = ("types", "parameters", "variables", "define", "predicates", "parts")


def names(work: Work) -> list[Diagnostic]:
    """Report a name that two sections declare."""
    found, seen = [], dict[str, tuple[str, int]]()
    for section in SECTIONS:
        node = work.root.get(section)
        for name, _ in node.entries if isinstance(node, Mapping) else ():
            other, line = seen.setdefault(name.text, (section, name.span.line))
            if other != section:
                found.append(Diagnostic("SM205", f"`{name.text}` stands under `{other}` already", name.span, f"see line {line}"))
    return found
