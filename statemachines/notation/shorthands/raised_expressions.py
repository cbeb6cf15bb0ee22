"""`raises` with an expression of the declared errors: one case for each error that it may be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.key_shapes import NAME
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
)
from statemachines.notation.shorthands.cases import (
    CaseBudget,
    cut_ranges,
    with_condition,
    with_entry,
)

_NAMING_SECTIONS = ("parameters", "variables", "define", "args", "let")


@frozen
class RaisedErrors:
    """The errors that a document declares, and the names that an expression may use."""

    errors: tuple[tuple[str, YamlScalar | None], ...]
    """Each with its `in`."""
    names: frozenset[str]

    def operation_written_out(
        self, node: YamlMapping, budget: CaseBudget, diagnostics: list[Diagnostic]
    ) -> YamlMapping:
        """Return a transition or an event that raises errors by their names only.

        Args:
            node: a transition or an event.
            budget: how many entries may still be made.
            diagnostics: takes what is wrong.

        Returns:
            A mapping with a case for each error that may be raised.
        """
        own, cases = node.get("raises"), node.get("cases")
        if self.is_expression(own) and cases is None:
            whole = YamlMapping(tuple(e for e in node.entries if e[0].text == "raises"), node.span)
            rest = YamlMapping(tuple(e for e in node.entries if e[0].text != "raises"), node.span)
            return with_entry(
                rest,
                "cases",
                YamlSequence(tuple(self._cases(whole, budget, diagnostics)), node.span),
            )
        if isinstance(cases, YamlSequence):
            parts = (
                part
                for case in cases
                for part in (
                    self._cases(case, budget, diagnostics)
                    if isinstance(case, YamlMapping)
                    else (case,)
                )
            )
            return with_entry(node, "cases", YamlSequence(tuple(parts), cases.span))
        return node

    def is_expression(self, node: YamlNode | None) -> bool:
        """Tell whether a `raises` computes an error.

        Args:
            node: the value of `raises`.

        Returns:
            False of the name of a declared error.
        """
        if not isinstance(node, YamlScalar) or not self.errors:
            return False
        if any(node.text == error for error, _ in self.errors):
            return False
        return node.text in self.names or not re.fullmatch(NAME, node.text)

    def _cases(
        self, case: YamlMapping, budget: CaseBudget, diagnostics: list[Diagnostic]
    ) -> Iterator[YamlMapping]:
        """Yield a case once for each error that it may raise."""
        raises = case.get("raises")
        if not self.is_expression(raises) or not isinstance(raises, YamlScalar):
            yield case
            return
        text = raises.text if re.fullmatch(NAME, raises.text) else f"({raises.text})"
        for error, ranges in self.errors:
            if not budget.take(raises, diagnostics):
                return
            condition = YamlScalar(f"{text} == '{error}'", raises.span)
            raising = with_entry(
                _own_first(case, condition), "raises", YamlScalar(error, raises.span)
            )
            both = cut_ranges(ranges, case.get("in"))
            yield raising if both is None else with_entry(raising, "in", both)


def _own_first(case: YamlMapping, condition: YamlScalar) -> YamlMapping:
    """Return a case that asks for its own condition, then for another."""
    own = case.get("when")
    bare = YamlMapping(tuple(entry for entry in case.entries if entry[0].text != "when"), case.span)
    bare = with_entry(bare, "when", condition)
    return bare if own is None else with_condition(bare, own)


def raised_errors(root: YamlMapping) -> RaisedErrors:
    """Return what a document declares.

    Args:
        root: the document.

    Returns:
        The errors, with the expressions that may stand for them.
    """
    node = root.get("errors")
    errors = tuple(
        (name.text, value.get("in") if isinstance(value, YamlMapping) else None)
        for name, value in (node.entries if isinstance(node, YamlMapping) else ())
    )
    return RaisedErrors(
        tuple(
            (name, ranges if isinstance(ranges, YamlScalar) else None) for name, ranges in errors
        ),
        frozenset(_declared_names(root)) if errors else frozenset(),
    )


def _declared_names(node: YamlNode) -> Iterator[str]:
    """Yield the names of values that stand anywhere in a document."""
    if isinstance(node, YamlSequence):
        for item in node:
            yield from _declared_names(item)
    if isinstance(node, YamlMapping):
        for name, value in node.entries:
            if name.text in _NAMING_SECTIONS and isinstance(value, YamlMapping):
                yield from (inner.text for inner, _ in value.entries)
            yield from _declared_names(value)
