"""A document in which every shorthand stands in its long form."""

from __future__ import annotations

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, YamlSequence
from statemachines.notation.shorthands.cases import NamedCases, named_cases
from statemachines.notation.shorthands.likenesses import likenesses_written_out
from statemachines.notation.shorthands.line_defaults import lines_written_out
from statemachines.notation.shorthands.loops import loops_written_out
from statemachines.notation.shorthands.raised_expressions import RaisedErrors, raised_errors


def written_out(root: YamlMapping) -> tuple[YamlMapping, tuple[Diagnostic, ...]]:
    """Write out the shorthands of a document whose shape was checked.

    Args:
        root: the document, its shape checked.

    Returns:
        A document that means the same, in which nodes that have no shorthand are the same nodes;
        and what is wrong with the shorthands.
    """
    diagnostics: list[Diagnostic] = []
    cases = named_cases(root, diagnostics)
    root = likenesses_written_out(root, cases.budget, diagnostics)
    raised = raised_errors(root)
    entries = tuple(
        (name, _section_written_out(name.text, node, cases, raised, diagnostics))
        for name, node in root.entries
        if name.text != "cases"
    )
    return YamlMapping(entries, root.span), tuple(diagnostics)


def _section_written_out(
    name: str,
    node: YamlNode,
    cases: NamedCases,
    raised: RaisedErrors,
    diagnostics: list[Diagnostic],
) -> YamlNode:
    if name == "log" and isinstance(node, YamlMapping):
        return lines_written_out(node)
    if name == "transitions" and isinstance(node, YamlSequence):
        return _operations_written_out(node, cases, raised, diagnostics)
    if name == "events" and isinstance(node, YamlMapping):
        entries = (
            (
                event,
                _operations_written_out(
                    _with_loops(value, diagnostics), cases, raised, diagnostics
                ),
            )
            for event, value in node.entries
        )
        return YamlMapping(tuple(entries), node.span)
    return node


def _with_loops(event: YamlNode, diagnostics: list[Diagnostic]) -> YamlNode:
    """Return an event, or each of its entries, in which loops are arguments."""
    if isinstance(event, YamlSequence):
        return YamlSequence(tuple(_with_loops(item, diagnostics) for item in event), event.span)
    return loops_written_out(event, diagnostics) if isinstance(event, YamlMapping) else event


def _operations_written_out(
    node: YamlNode, cases: NamedCases, raised: RaisedErrors, diagnostics: list[Diagnostic]
) -> YamlNode:
    """Write out an operation, or each of a list of them."""
    if isinstance(node, YamlSequence):
        items = (_operations_written_out(item, cases, raised, diagnostics) for item in node.items)
        return YamlSequence(tuple(items), node.span)
    if not isinstance(node, YamlMapping):
        return node
    written = cases.operation_written_out(node, diagnostics)
    return raised.operation_written_out(written, cases.budget, diagnostics)
